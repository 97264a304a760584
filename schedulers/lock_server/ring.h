/* lock_server/ring.h -- what clients and servers say to each other: rings, the count of all that is left, who owns
 * what.
 *
 * A target (a relax operator's cell, a critical one's target) has one owner, a server; only the owner's thread updates
 * it. A client that wants an update sends a message to the owner. Messages are a relax operator's {value, target}, a
 * critical one's requests; servers that activate hand entries to clients the same way. locks.h has the messages of
 * sections with two targets.
 *
 * A ring has one writer and one reader, so it needs no reservation and no mask of valid places (a GPU's, with many
 * writers, does): `write` says how far places are valid, `read` how far they may be filled again.
 *
 * Sending (W), by the writer
 *   W1 a place is free where next - read < size, `read` being the copy that the writer has. Only where that copy says
 *      full is the word itself looked at, acquire: what the reader did with the place before (R2) is over. Only clients
 *      wait here; meanwhile a client that is a server, too, serves (R1 to R3).
 *   W2 the message goes into the place; next + 1. Nobody else sees it: the places between `write` and next are the
 *      sender's aggregation buffer.
 *   W3 publishing: the sender's balance goes into `pending` (below), then write = next, release: all of W2.
 * Receiving (R), by the reader
 *   R1 write, acquire: every place before it holds its message.
 *   R2 messages are served where they lie, or copied.
 *   R3 read grows past them, release: after R2. This is the acknowledgement: it says that the places are free, not
 *      that sections have run.
 *
 * The end. A *thing* is an entry of a worklist, a message that nobody has read, or a request set aside. pending is how
 * many there are, but for what each member has changed since it last *netted*: added its balance (things it made, less
 * things it finished) to pending, release. A member nets before it publishes and before it idles, never otherwise.
 *   Invariant: while there is a thing, pending > 0. For a member let P be the things that only it could see when it
 * netted last, and c the messages that it has read since. All these are in pending, nobody else takes them off, and
 * what only the member can see now has come from them: where P + c = 0 it has nothing. So where pending = 0, every P +
 * c is 0 and no message is unread: there is nothing. Who reads 0, acquire, leaves, and sees all that anybody did: the
 * nettings are releases in one sequence. Members that idle have netted, so at the end pending is 0.
 *
 * No deadlock. Only clients wait, in W1. The reader of the full ring is a server: either it does not wait, or it waits
 * as a client and serves meanwhile. Serving waits for nothing: activations go to an array of the server's own, and what
 * locks.h cannot admit yet stays in its ring without holding anything up that it waits for. So every ring moves on.
 * tests/models/server_ring.pml checks this, the rings and the end.
 */
#ifndef ORDO_LOCK_SERVER_RING_H
#define ORDO_LOCK_SERVER_RING_H

#include <ordo/types.h>

#define SERVER_NONE 0xffffffffu
/* Messages that a sender holds back at most; lines of a table for combining; targets fetched ahead of their messages.
 */
enum { SERVER_BUFFER = 64, SERVER_COMBINE = 4096, SERVER_AHEAD = 8 };

/* For both to see, on lines of their own; modulo 2^32. */
typedef struct server_ring {
    ordo_u32 write, padding0[15]; /* places published; stored by the writer */
    ordo_u32 read, padding1[15];  /* places given back; stored by the reader */
} server_ring;

/* The writer's side of a ring. */
typedef struct server_writer {
    ordo_u32 next, published, read; /* places filled; `write`; `read` as last seen */
} server_writer;

/* Who owns a target: `of` says so, or runs of 2^shift targets go round, by number or by hash. */
typedef struct server_map {
    const ordo_u32 *of; /* [targets], or NULL */
    ordo_u32 servers, shift, hashed;
} server_map;

ORDO_FN ordo_u32 server_owner(const server_map *map, ordo_u32 target)
{
    if (map->of)
        return map->of[target];
    if (map->hashed)
        return (ordo_u32)((ordo_u64)((target >> map->shift) * 0x9e3779b1u) * map->servers >> 32);
    return (target >> map->shift) % map->servers;
}

#endif
