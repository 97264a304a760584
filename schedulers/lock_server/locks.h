/* lock_server/locks.h -- sections with two targets of different owners: channels, locks, their order.
 *
 * Where nobody needs isolation (the operator gives two halves) there are no locks: the owner of the first target runs
 * the first half and sends the request on to the owner of the second. Otherwise the section needs both targets at once.
 *
 * Every server has a table of locks; a target's lock is its hash there. Locks are ordered by (slot, server), so that
 * every server has as many high ones: an order of locks, not of targets, so that targets which share a lock cannot turn
 * it round. Two targets with one lock need that lock. A request goes to the owner of its higher lock, its *home*.
 *
 *   L1 home sends LOCK {slot, ticket} to the owner of the lower lock; ticket is the request's place in home's table.
 *   L2 the owner takes the lock where it is free, else the wish joins that lock's queue; once it has it: REPLY
 * {ticket}. L3 home, on REPLY: where its own lock is free the section runs at once, with nothing taken, for it is
 * home's thread that runs it; else the request joins that lock's queue. L4 after the section: UNLOCK {slot}. The owner
 * gives the lock to the next of its queue.
 *
 * Both locks home's own: the same without messages. One target: runs where its lock is free, else joins the queue.
 *
 * LOCK, REPLY and UNLOCK have rings of their own (ring.h's, between any two servers; published when a turn of serving
 * ends, and before a member waits). So none of them queues behind requests of clients, or behind another kind.
 *
 * Room. Home sends a LOCK only where fewer than `credit` of its LOCKs to that server are without an UNLOCK that was
 * read. Each of the three rings has `credit` places, and what lies in any of them belongs to such a LOCK. So a REPLY or
 * an UNLOCK always finds room, and nobody waits to send one. A request without credit, or beyond the `flight` requests
 * that home may have set aside, stays at the head of its client's ring; all behind it wait for messages in the three
 * other kinds of rings, which home goes on reading, and nothing in those waits for a client's ring.
 *
 * Invariant: a lock is held by one request, or by none. A section runs on the thread of the owner of its higher lock
 * while that lock is not held, and its lower lock is held for it or, home's own, not held. So two sections that share a
 * target share a lock, and either run on one thread one after the other, or one waits until the other's UNLOCK was
 * read: the section's writes come before UNLOCK (release), that before REPLY to the next (acquire, release), that
 * before its section (acquire).
 *
 * No deadlock. Who holds a lock waits for a higher one only. The holder of the highest lock that anybody waits for
 * waits for none: it runs, and its UNLOCK has room. Queues are FIFO, so nobody is passed over for ever.
 * tests/models/server_locks.pml checks exclusion, room and the end, and that it would see a wrong order, an UNLOCK
 * behind what waits for it, credit that comes back too early, and a section that does not wait for home's own lock.
 */
#ifndef ORDO_LOCK_SERVER_LOCKS_H
#define ORDO_LOCK_SERVER_LOCKS_H

#include <ordo/operator/operator.h>

#include "ring.h"

enum { SERVER_LOCK = 0, SERVER_REPLY = 1, SERVER_UNLOCK = 2, SERVER_CHANNELS = 3 };

typedef struct server_word {
    ordo_u32 slot, ticket;
} server_word;

typedef struct server_lock {
    ordo_u32 held;
    ordo_u32 first, last; /* its queue of places in the table; SERVER_NONE */
    ordo_u32 next;        /* in the list of locks that are being released */
} server_lock;

/* What a place of the table waits with. */
enum {
    SERVER_RUN,  /* a request that lacks this lock alone */
    SERVER_BOTH, /* a request that lacks this lock and, after it, `second`, both of this server */
    SERVER_GRANT /* another server's LOCK */
};

typedef struct server_place {
    ordo_request request;
    ordo_u32 stage, next;
    ordo_u32 holds, slot; /* RUN: the server whose lock `slot` it holds already, or SERVER_NONE */
    ordo_u32 second;      /* RUN after REPLY, BOTH: its higher lock */
    ordo_u32 from;        /* GRANT: whose LOCK, with `ticket` */
    ordo_u32 ticket;
} server_place;

/* Which lock. */
typedef struct server_lock_name {
    ordo_u32 server, slot;
} server_lock_name;

ORDO_FN int server_lock_above(server_lock_name a, server_lock_name b)
{
    return a.slot != b.slot ? a.slot > b.slot : a.server > b.server;
}

/* Requests that a server sets aside at most; `asked` is the tunable. */
static inline ordo_u32 server_flight(double asked)
{
    return asked > 0 ? (ordo_u32)asked : 256;
}

/* The slot of a target among 2^bits. */
ORDO_FN ordo_u32 server_slot(ordo_u32 target, ordo_u32 bits)
{
    return bits ? target * 0x9e3779b1u >> (32 - bits) : 0;
}

#endif
