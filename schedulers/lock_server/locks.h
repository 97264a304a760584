/* lock_server/locks.h -- critical sections with two targets of different owners: channels, locks, their order.
 *
 * If the operator needs no isolation between the targets (it gives two halves) there are no locks: the owner of the
 * first target runs the first half and sends the request to the owner of the second target. Otherwise the critical
 * section needs both targets at once.
 *
 * Every server has a table of locks; the lock of a target is found by a hash. Locks are ordered by (slot, server), so
 * that every server has as many high ones as the others. The order is one of locks and not of targets, so that targets
 * which share a lock cannot reverse it. Two targets with the same lock need that lock only. A request goes to the owner
 * of its higher lock, its *home*.
 *
 *   L1 home sends LOCK {slot, ticket} to the owner of the lower lock; ticket is the request's place in home's table.
 *   L2 the owner acquires the lock if it is free, else the LOCK joins that lock's queue; once it has it: REPLY
 *      {ticket}.
 *   L3 home, on REPLY: if its own lock is free the critical section runs at once, without marking that lock as held,
 *      because home's thread runs it; else the request joins that lock's queue.
 *   L4 after the critical section: UNLOCK {slot}. The owner passes the lock to the next in its queue.
 *
 * If home owns both locks: the same without messages. One target: the critical section runs if its lock is free, else
 * the request joins the queue.
 *
 * LOCK, REPLY and UNLOCK have separate rings (those of ring.h, between any two servers; published at the end of an
 * iteration of serving, and before a member waits). So none of them queues behind requests of clients, or behind
 * another kind of message.
 *
 * Capacity. Home sends a LOCK only if fewer than `credit` of its LOCKs to that server are without an UNLOCK that was
 * read. Each of the three rings has `credit` places, and every message in any of them belongs to such a LOCK. So there
 * is always a free place for a REPLY or an UNLOCK, and no server waits to send one. A request without credit, or beyond
 * the `flight` requests that home may have set aside, stays at the head of its client's ring. All requests behind it
 * wait for messages in the three other kinds of rings, which home continues to read, and no message in those waits for
 * a client's ring.
 *
 * Invariant: a lock is held by one request, or by none. A critical section runs on the thread of the owner of its
 * higher lock while that lock is not held, and its lower lock is held for it or, if home owns it, not held. So two
 * critical sections that share a target share a lock, and either run on one thread one after the other, or one waits
 * until the other's UNLOCK was read: the critical section's writes come before UNLOCK (release), that before REPLY to
 * the next (acquire, release), that before its critical section (acquire).
 *
 * No deadlock. A request that holds a lock waits for a higher one only. Of all requests that hold a lock for which
 * others wait, the one with the highest such lock waits for none: its critical section runs, and there is a free place
 * for its UNLOCK. Queues are FIFO, so no request waits for ever. tests/models/server_locks.pml checks exclusion,
 * capacity and termination, and that it would detect a wrong order, an UNLOCK behind a message that waits for it,
 * credit that is returned too early, and a critical section that does not wait for home's own lock.
 */
#ifndef ORDO_LOCK_SERVER_LOCKS_H
#define ORDO_LOCK_SERVER_LOCKS_H

#include <ordo/operator/operator.h>

#include "ring.h"

#if !defined(ORDO_OP_KIND) || ORDO_OP_KIND != ORDO_KIND_CRITICAL
typedef ordo_request op_request; /* elsewhere the operator's, which has at most two targets (ORDO_TWO_TARGETS) */
#endif

enum { SERVER_LOCK = 0, SERVER_REPLY = 1, SERVER_UNLOCK = 2, SERVER_CHANNELS = 3 };

typedef struct server_word {
    ordo_u32 slot, ticket;
} server_word;

typedef struct server_lock {
    ordo_u32 held;
    ordo_u32 first, last; /* its queue of places in the table; SERVER_NONE if empty */
    ordo_u32 next;        /* in the list of locks that are being released */
} server_lock;

/* What happens when the request in a place of the table gets the lock for which it waits. */
enum {
    SERVER_RUN,  /* a request that needs only this lock: it runs */
    SERVER_BOTH, /* a request that needs this lock and then `second`, both of this server */
    SERVER_GRANT /* another server's LOCK: it gets a REPLY */
};

typedef struct server_place {
    op_request request;
    ordo_u32 stage, next;
    ordo_u32 holds, slot; /* RUN: the server of which it already holds lock `slot`, or SERVER_NONE */
    ordo_u32 second;      /* RUN after REPLY, BOTH: its higher lock */
    ordo_u32 from;        /* GRANT: the server that sent the LOCK, with `ticket` */
    ordo_u32 ticket;
} server_place;

/* A lock: its server and slot. */
typedef struct server_lock_name {
    ordo_u32 server, slot;
} server_lock_name;

ORDO_FN int server_lock_above(server_lock_name a, server_lock_name b)
{
    return a.slot != b.slot ? a.slot > b.slot : a.server > b.server;
}

/* The most requests that a server sets aside; `asked` is the tunable. */
static inline ordo_u32 server_flight(double asked)
{
    return asked > 0 ? (ordo_u32)asked : 256;
}

/* The slot of a target, one of 2^bits. */
ORDO_FN ordo_u32 server_slot(ordo_u32 target, ordo_u32 bits)
{
    return bits ? target * 0x9e3779b1u >> (32 - bits) : 0;
}

#endif
