/* inbox/ring.h -- what workers of `inbox` share: rings, and the words by which they find the front and the end.
 *
 * A ring is an owner's inbox, with many writers and one reader. One word holds both ends, tail in the high half and
 * head in the low half, so that a writer learns with one addition which places it has and how far the reader has come.
 *   slots     {value, item}; item INBOX_EMPTY: the place is empty
 *   ends      tail << 32 | head, modulo 2^32 each: places assigned to writers, places read
 *   lowest    of each worker: the lowest of its buckets that is not empty, when it last looked
 *   pass      of each worker: the number of the pass that it began last; see below
 *   arrived   of each ring: the lowest bucket of what was published since its owner last looked
 *   pending   all entries: in a ring, in a bucket, or held by a worker
 *
 * Publishing (a worker, for entries of one owner)
 *   P1 pending grows by the number of entries to be published, before any of them can be seen.
 *   P2 ends += count << 32, acquire: places tail .. tail + count - 1 are this writer's, in order. The head in the same
 *      word was stored after the places before it were emptied (R3, release).
 *   P3 a place t is free when t - head < size. Until it is: read ends again, acquire; meanwhile the writer empties its
 *      own ring. Places are filled in order, so the places that a waiting writer has not filled are its last ones.
 *   P4 value, relaxed; then item, release: the item shows that the entry is there.
 * Receiving (the owner)
 *   R1 ends, relaxed: places head .. min(tail, head + size) - 1 are filled, or are being filled by writers that wait
 *      for nothing.
 *   R2 item, acquire, until it is not INBOX_EMPTY: P1 of its writer came before. Then the value. Then item is set back
 *      to INBOX_EMPTY.
 *   R3 head, release: after all of R2.
 * Netting
 *   When a worker has processed entries and has published or kept what they activated, it subtracts them from pending
 *   and adds what it kept, which no other worker can see, in one addition, release.
 *
 * Termination. pending counts an entry from before it can be seen until all that it activated is counted. So it never
 * falls to 0 while there is an entry: an entry's decrement comes after its increment, which comes before it is seen,
 * and after its activations' increments. A worker that reads 0, acquire, is done; all decrements are releases in one
 * sequence, so it sees what all workers did. tests/models/inbox.pml checks this, the rings, and that no worker waits
 * for ever.
 *
 * No deadlock. A worker waits in P3 only. While a worker waits it empties its own ring, and a worker that does not wait
 * reads its ring between two chunks; so every ring's head advances. In R2 the owner waits for a writer that is between
 * P2 and P4 of a free place, and so does not wait.
 *
 * The front is the least of all workers' `lowest` and all rings' `arrived`. It is a hint, since they change meanwhile.
 * A publisher lowers `arrived` before P1; the owner sets it to INBOX_NONE before R1 and counts what it then reads in
 * its `lowest`. So an entry is missing from the front for one iteration of its owner at most: between those two steps,
 * or if a publisher lowers the word before the owner resets it and comes to P2 after the owner's R1. Without `arrived`,
 * an owner whose thread is not running would count as one without work, and others would work far ahead of what lies in
 * its ring. A worker that goes too far works out of order; that is all. The worker that has the front goes on, or it
 * owns the ring that has it and reads that: so there is always a worker that makes progress.
 *
 * Passes in step. A pass gets the greatest `pass` that its worker has seen, plus one; equal numbers are ordered by
 * worker. A worker is *first* if every other worker that has work in its bucket or before (by `lowest` and `arrived`)
 * has begun a pass since its own. A worker that is not first waits before a pass if it has begun INBOX_PASSES passes in
 * a row without being first. Of those that have work, the one with the least (pass, worker) is first, so no worker
 * waits for ever. In a wide bucket workers are thus a pass apart, and together make rounds of the Bellman-Ford
 * algorithm; otherwise a worker could make many passes over values that another one, slower or not running, is about to
 * improve. Numbers are read relaxed: an outdated one is smaller, and makes a worker wait longer.
 */
#ifndef ORDO_INBOX_RING_H
#define ORDO_INBOX_RING_H

#include <ordo/types.h>

#define INBOX_EMPTY 0xffffffffu /* no item has that id */
#define INBOX_NONE (~(ordo_u64)0)
enum { INBOX_BUCKETS = 32, INBOX_BUFFER = 64, INBOX_PASSES = 1 };

/* The words of a worker that others read, on separate cache lines. */
typedef struct inbox_ring {
    ordo_u64 ends, arrived, padding0[6];
    ordo_u64 lowest, pass, padding1[6]; /* number of a bucket, INBOX_NONE if all are empty; number of the pass */
} inbox_ring;

ORDO_FN ordo_u32 inbox_tail(ordo_u64 ends)
{
    return (ordo_u32)(ends >> 32);
}
ORDO_FN ordo_u32 inbox_head(ordo_u64 ends)
{
    return (ordo_u32)ends;
}

/* The owner of an item. Items whose cells share a cache line have the same owner. */
ORDO_FN ordo_u32 inbox_owner(ordo_u32 item, ordo_u32 workers)
{
    return (ordo_u32)((ordo_u64)((item >> 5) * 0x9e3779b1u) * workers >> 32);
}

#endif
