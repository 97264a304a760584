/* inbox/ring.h -- what workers of `inbox` share: rings, and the words that tell the front and the end.
 *
 * A ring is an owner's inbox: many writers, one reader. One word holds both ends, tail in the high half and head in the
 * low one, so that a writer learns with one addition which places it has and how far the reader is.
 *   slots     {value, item}; item INBOX_EMPTY: nothing there
 *   ends      tail << 32 | head, modulo 2^32 each: places handed out, places read
 *   lowest    of each worker: the lowest of its buckets that is not empty, as of when it looked last
 *   pass      of each worker: a number for the pass that it began last; see below
 *   arrived   of each ring: the lowest bucket of what was published since its owner looked last
 *   pending   entries anywhere: in a ring, a bucket, or a worker's hands
 *
 * Publishing (a worker, for entries of one owner)
 *   P1 pending grows by what is to be published: before any of it can be seen.
 *   P2 ends += count << 32, acquire: places tail .. tail + count - 1 are this writer's, one after the other. The head
 * that the same word holds was stored after the places before it were emptied (R3, release). P3 a place t is free when
 * t - head < size. Until it is: read ends again, acquire; meanwhile the writer empties its own ring. Places are filled
 * in order, so what a writer holds back are its last ones. P4 value, relaxed; then item, release: it says that the
 * entry is there. Receiving (the owner) R1 ends, relaxed: places head .. min(tail, head + size) - 1 are, or are being,
 * filled: their writers wait for nothing. R2 item, acquire, until it is not INBOX_EMPTY: P1 of its writer came before.
 * Value. Item back to INBOX_EMPTY. R3 head, release: after all of R2. Netting. When a worker has processed entries and
 * has published or kept what they activated, it takes them off pending and puts on what it kept, which nobody else can
 * see, in one addition, release.
 *
 * The end. pending counts an entry from before it can be seen until all that it activated is counted. So it never falls
 * to 0 while there is an entry: an entry's decrement comes after its increment, which comes before it is seen, and
 * after its activations' increments. Who reads 0, acquire, is done; all decrements are releases in one sequence, so it
 * sees what all workers did. tests/models/inbox.pml checks this, the rings, and that nobody waits for ever.
 *
 * No deadlock. A worker waits in P3 only. Of those who wait none has an unread place in its own ring for ever, since it
 * empties it meanwhile, and those who do not wait look into theirs between two chunks; so every ring's head moves on.
 * In R2 the owner waits for a writer between P2 and P4 of a place that is free: one that does not wait.
 *
 * The front is the least of all workers' `lowest` and all rings' `arrived`: a hint, since they change meanwhile. A
 * publisher lowers `arrived` before P1; the owner sets it to INBOX_NONE before R1 and counts what it then reads in its
 * `lowest`. So an entry is missing from the front for the length of a turn at most: between those two steps, or where a
 * publisher lowers the word before the owner resets it and comes to P2 after the owner's R1. Without `arrived` an owner
 * that is not running would be passed by as one that has nothing, and others would work far ahead of what lies in its
 * ring. A worker that goes too far does work out of order, no more. The one with the least goes on, or it owns the ring
 * and reads it: so somebody always does.
 *
 * Passes in step. A pass is numbered one more than the greatest `pass` that its worker saw; equal numbers are ordered
 * by worker. A worker is *first* where everyone else that has work in its bucket or before (by `lowest` and `arrived`)
 * has begun a pass since its own. One that is not first waits before a pass when it has begun INBOX_FREE in a row so,
 * or INBOX_FREE over this bucket. Of those that have work the one with the least (pass, worker) is first, so nobody
 * waits for ever. In a wide bucket workers are a pass apart then, and together make rounds of the Bellman-Ford
 * algorithm; else one could make many passes over values that another, slower or not running, is about to improve.
 * Numbers are read relaxed: an old one is less, and makes a worker wait longer.
 */
#ifndef ORDO_INBOX_RING_H
#define ORDO_INBOX_RING_H

#include <ordo/types.h>

#define INBOX_EMPTY 0xffffffffu /* no item has that id */
#define INBOX_NONE (~(ordo_u64)0)
enum { INBOX_BUCKETS = 32, INBOX_BUFFER = 64, INBOX_PASSES = 1 };

/* One worker's words for all to see, on lines of their own. */
typedef struct inbox_ring {
    ordo_u64 ends, arrived, padding0[6];
    ordo_u64 lowest, pass, padding1[6]; /* bucket, INBOX_NONE: all are empty */
} inbox_ring;

ORDO_FN ordo_u32 inbox_tail(ordo_u64 ends)
{
    return (ordo_u32)(ends >> 32);
}
ORDO_FN ordo_u32 inbox_head(ordo_u64 ends)
{
    return (ordo_u32)ends;
}

/* Who owns an item: lines of cells stay together. */
ORDO_FN ordo_u32 inbox_owner(ordo_u32 item, ordo_u32 workers)
{
    return (ordo_u32)((ordo_u64)((item >> 5) * 0x9e3779b1u) * workers >> 32);
}

#endif
