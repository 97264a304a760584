/* lock_server/ring.h -- messages between clients and servers: rings, the count of unfinished work, the owner of a
 * target.
 *
 * A target (a relax operator's cell, a critical operator's target) has one owner, a server; only the owner's thread
 * updates it. A client that wants an update sends a message to the owner. A message is a relax operator's {value,
 * target}, or a critical operator's request; servers that activate send entries to clients in the same way. locks.h has
 * the messages for critical sections with two targets.
 *
 * A ring has one writer and one reader, so it needs neither reservations nor a mask of valid places (the ring of a GPU,
 * which has many writers, does): places before `write` are valid, places before `read` may be filled again.
 *
 * Sending (by the writer)
 *   W1 a place is free if next - read < size, `read` being the writer's copy. Only if the ring is full by that copy is
 *      the word itself loaded, acquire: so the reader's use of the place before (R2) is over. Only clients wait here;
 *      meanwhile a client that is also a server serves (R1 to R3).
 *   W2 the message is stored in the place; next + 1. It is not visible yet: the places between `write` and next are the
 *      sender's aggregation buffer.
 *   W3 publishing: the sender's balance goes into `pending` (below), then write = next, release: all of W2.
 * Receiving (by the reader)
 *   R1 write, acquire: every place before it holds its message.
 *   R2 messages are served in their places, or copied.
 *   R3 read grows past them, release: after R2. This acknowledges that the places are free, not that critical sections
 *      have run.
 *
 * Termination. A *thing* is an entry of a worklist, a message that has not been read, or a request set aside. pending
 * is the number of things, except for what each member has changed since it last *netted*: added its balance (things it
 * made, less things it finished) to pending, release. A member nets before it publishes and before it idles, never
 * otherwise.
 *   Invariant: while there is a thing, pending > 0. For a member let P be the number of things that only it could see
 *   when it last netted, and c the number of messages that it has read since. All these are in pending, no other member
 *   subtracts them, and the things that only this member can see now have come from them: if P + c = 0 it has none. So
 *   if pending = 0, every P + c is 0 and no message is unread: there is no thing. A member that reads 0, acquire,
 *   leaves, and sees all that other members did: nettings are releases in one sequence. Members that idle have netted,
 *   so at the end pending is 0.
 *
 * No deadlock. Only clients wait, in W1. The reader of the full ring is a server: either it does not wait, or it waits
 * as a client and serves meanwhile. Serving never waits: activations go to a private array of the server, and a request
 * that locks.h cannot admit yet stays in its ring without blocking anything that it waits for. So every ring advances.
 * tests/models/server_ring.pml checks this, the rings and termination.
 */
#ifndef ORDO_LOCK_SERVER_RING_H
#define ORDO_LOCK_SERVER_RING_H

#include <ordo/types.h>

#define SERVER_NONE 0xffffffffu
/* The most messages that a sender holds back; lines of a table for combining; messages whose targets are prefetched. */
enum { SERVER_BUFFER = 64, SERVER_COMBINE = 4096, SERVER_AHEAD = 8 };

/* Words of a ring that its writer and reader share, on separate cache lines; modulo 2^32. */
typedef struct server_ring {
    ordo_u32 write, padding0[15]; /* places published; stored by the writer */
    ordo_u32 read, padding1[15];  /* places freed; stored by the reader */
} server_ring;

/* The writer's side of a ring. */
typedef struct server_writer {
    ordo_u32 next, published, read; /* places filled; `write`; the writer's copy of `read` */
} server_writer;

/* The owners of targets: by the table `of`, or by runs of 2^shift targets, which are assigned by number or by hash. */
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
