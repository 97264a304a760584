/* transport.h -- what carries messages between the ranks of a distributed run: a shared object that exports one table
 * and is loaded on demand.
 *
 * Problem. A run over several processes needs few things of a message-passing library: who the ranks are, messages of
 * a superstep to every other rank together with some words that all agree on, and the answer put together in the end.
 * The library must also work where no such library is installed.
 *
 * Method. libordo-mpi.so has these calls over MPI, in a table `ordo_mpi_transport`. Every call but `abort` and
 * `fail` is collective: all ranks make it, in the same order. The calls are made by one thread of a process.
 *
 * Not done: other transports.
 */
#ifndef ORDO_TRANSPORT_H
#define ORDO_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#include <ordo/error.h>
#include <ordo/types.h>

ORDO_BEGIN_DECLS

enum { ORDO_TRANSPORT_ABI = 6 };

/* What all ranks agree on between two supersteps: of each rank's words the sum, the least and the greatest. */
typedef struct ordo_agreed {
    ordo_u64 work;   /* summed: what is left to do */
    ordo_u64 edges;  /* summed: of that work, where the scheduler says so */
    ordo_u64 lowest; /* the least: bucket in which there is something to do */
    ordo_u64 most;   /* the greatest: edges that a rank has processed since the exchange before */
    ordo_u64 ended;  /* the greatest: why the run must end early, see ordo_job_exchange; 0: it goes on */
} ordo_agreed;

/* Entries for one rank. */
typedef struct ordo_parcel {
    const void *data;
    ordo_u64 count;
} ordo_parcel;

/* Memory for units of one rank. */
typedef struct ordo_room {
    void *data;
    ordo_u64 count;
} ordo_room;

/* Returns memory for `count` entries; NULL where there is too little. */
typedef void *ordo_room_fn(void *arg, ordo_u64 count);

typedef struct ordo_transport {
    ordo_u32 abi; /* ORDO_TRANSPORT_ABI */
    const char *name;
    /* Joins the job. Errors: ORDO_ERR_DEVICE. */
    ordo_status (*join)(int *rank, int *ranks);
    void (*leave)(void);
    /* Ends all processes of the job, this one with the exit status. Does not return. */
    void (*abort)(int status);
    /* Says that this rank fails and makes no collective calls any more, and waits until all ranks have said so, for
     * `seconds` at most. Returns whether all have: then no rank waits for this one, and leave() may be called. */
    bool (*fail)(double seconds);
    /* Sends parcel[rank * parts + i], i < parts, to each other rank and receives what these send, in any order. *agreed
     * is this rank's words, and becomes what all ranks agree on. `parts`: the same in all ranks. `entry`: bytes.
     * Errors: ORDO_ERR_MEMORY where `room` returns NULL: the caller is to abort, for the others wait. */
    ordo_status (*exchange)(const ordo_parcel *parcel, int parts, size_t entry, ordo_agreed *agreed, ordo_room_fn *room,
                            void *arg);
    /* Every rank's words, rank after rank. */
    ordo_status (*collect)(const ordo_u64 *mine, int count, ordo_u64 *all);
    /* Every rank's part of an array: units at[rank] .. at[rank + 1] - 1 of `all` are there in that rank, and then in
     * all of them. `unit`: bytes. */
    ordo_status (*gather)(void *all, const ordo_u64 *at, size_t unit);
    /* Sends out[rank] to each rank, and receives in[rank] from it; this one included. Each knows how many units come:
     * in[a].count in rank b is out[b].count in rank a. `unit`: bytes. Errors: ORDO_ERR_MEMORY in one rank or more. */
    ordo_status (*all_to_all)(const ordo_parcel *out, const ordo_room *in, size_t unit);
    /* Makes each of `count` words the bitwise or of that of all ranks. */
    ordo_status (*unite)(ordo_u64 *words, ordo_u64 count);
    /* Memory of that many bytes which all ranks see, aligned to 16 bytes, valid until the next call or leave(); what is
     * in it is undefined. NULL, in all ranks, where they are on several hosts, or one has no such memory. May be NULL:
     * ranks never share memory. */
    void *(*share)(size_t bytes);
} ordo_transport;

ORDO_END_DECLS

#endif
