/* inbox/ring.h -- what workers of `inbox` share: rings, and the words by which they find the front and the end.
 *
 * A ring is an owner's inbox, with many writers and one reader. One word holds both ends, tail in the high half and
 * head in the low half, so that a writer learns with one addition which places it has and how far the reader has come.
 *   slots     {value, item}; item INBOX_EMPTY: the place is empty
 *   ends      tail << 32 | head, modulo 2^32 each: places assigned to writers, places read
 *   lowest    of each worker: the lowest of its buckets that is not empty, that of its pass included
 *   pass      of each worker: the number of the pass that it began last; see below
 *   arrived   of each ring: the lowest bucket of what was published since its owner last looked
 *   front     the lowest bucket of all workers
 *   pending   all entries: in a ring, in a bucket, or held by a worker
 *
 * Publishing (a worker, for entries of one owner)
 *   P1 pending has grown by the number of entries to be published, before any of them can be seen: see netting.
 *   P2 ends += count << 32, acquire: places tail .. tail + count - 1 are this writer's, in order. The head in the same
 *      word was stored after the places before it were emptied (R3, release).
 *   P3 a place t is free when t - head < size. Until it is: read ends again, acquire; meanwhile the writer empties its
 *      own ring. Places are filled in order, so the places that a waiting writer has not filled are its last ones.
 *   P4 value, relaxed; then item, release: the item shows that the entry is there.
 *   P5 arrived falls to the lowest bucket of these entries, if that is lower.
 * Receiving (the owner)
 *   R0 if arrived is set: lowest falls to it, if that is lower; then arrived is reset, release.
 *   R1 ends, relaxed: places head .. min(tail, head + size) - 1 are filled, or are being filled by writers that wait
 *      for nothing.
 *   R2 item, acquire, until it is not INBOX_EMPTY: P1 of its writer came before. Then the value. Then item is set back
 *      to INBOX_EMPTY.
 *   R3 head, release: after all of R2.
 * Netting
 *   When a worker has processed entries, and before it publishes what they activated, it subtracts them from pending
 *   and adds all that they activated, its own buckets' included, in one addition, release. If a buffer fills earlier,
 *   it adds what there is by then. If as many were activated as processed, it leaves the word alone.
 *
 * Termination. pending counts an entry from before it can be seen until all that it activated is counted. So it never
 * falls to 0 while there is an entry: an entry's decrement comes after its increment, which comes before it is seen,
 * and not before its activations' increments. A worker that reads 0, acquire, is done. It sees what all workers did:
 * what a worker did for an entry is followed by its addition, or by P4 of an activated entry, which the entry's owner
 * acquires before its own addition; all additions are releases in one sequence. tests/models/inbox.pml checks this, the
 * rings, the front, and that no worker waits for ever.
 *
 * No deadlock. A worker waits in P3 only. While a worker waits it empties its own ring, and a worker that does not wait
 * reads its ring between two chunks; so every ring's head advances. In R2 the owner waits for a writer that is between
 * P2 and P4 of a free place, and so does not wait.
 *
 * The front
 *   F1 A worker stores `lowest`, seq_cst, when it has changed, before it processes the next chunk.
 *   F2 If its lowest is below the front, it lowers the front to that. Such a worker may always go on.
 *   F3 If its lowest was the front, or below, and is so no more, it brings the front up to date: it looks for the least
 *      of all lowest and all arrived, its own last, and raises the front to that, until it finds a worker at the front.
 *      A worker that waits does the same every INBOX_LOOK rounds.
 * Invariant: an entry in bucket b makes `lowest` or `arrived` of some worker b or less, where activations are in no
 * lower buckets than what activates them. In a ring, before P5, its publisher's lowest is such, since it processes a
 * bucket up to b until it comes to F1; after P5 arrived is, and after R0 the owner's lowest.
 * F3 reads arrived, then lowest, both seq_cst, and so acquire: if it sees an arrived that was reset, it sees the lowest
 * of R0. An entry can move meanwhile from a worker that is read later to one that has been read. So F3 looks a second
 * time before it raises the front: a look that read the later worker's new lowest (F1) is followed by one that sees
 * what P5 stored. If the entry has gone on by then, the front is too high until F2 of the worker that has it; then
 * others work out of order, and that is all. Of workers that leave the front at the same time, the last one in the
 * order of F1's stores and F3's loads sees that the others have left, too. Progress does not depend on it: a waiting
 * worker looks again after every INBOX_LOOK rounds, and that alone raises the front. So there is always a worker that
 * makes progress: the one that has the lowest bucket may process it, or owns the ring that has it and reads that.
 *
 * Passes in step. A pass gets the greatest `pass` that its worker has seen, plus one; equal numbers are ordered by
 * worker. A worker is *first* if every other worker that has work in its bucket or before (by `lowest` and `arrived`)
 * has begun a pass since its own. A worker that is not first waits before a pass if those that it has begun since it
 * was first had INBOX_AHEAD entries. Of those that have work, the one with the least (pass, worker) is first, so no
 * worker waits for ever. In a wide bucket workers are thus a pass apart, and together make rounds of the Bellman-Ford
 * algorithm; otherwise a worker could make many passes over values that another one, slower or not running, is about to
 * improve. Numbers are read relaxed: an outdated one is smaller, and makes a worker wait longer.
 */
#ifndef ORDO_INBOX_RING_H
#define ORDO_INBOX_RING_H

#include <ordo/types.h>

#define INBOX_EMPTY 0xffffffffu /* no item has that id */
#define INBOX_NONE (~(ordo_u64)0)
enum {
    INBOX_BUCKETS = 32,
    INBOX_BUFFER = 64,
    INBOX_LINE = 5,    /* log2 of 32 items: cells of 4 bytes in two cache lines, which processors fetch together */
    INBOX_AHEAD = 256, /* see "Passes in step" */
    INBOX_LOOK = 64    /* rounds of waiting between two looks at all workers */
};

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

/* The owner of an item. 2^group items, INBOX_LINE or more, have the same owner. */
ORDO_FN ordo_u32 inbox_owner(ordo_u32 item, ordo_u32 group, ordo_u32 workers)
{
    return (ordo_u32)((ordo_u64)((item >> group) * 0x9e3779b1u) * workers >> 32);
}

#endif
