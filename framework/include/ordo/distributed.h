/**
 * @file
 * Runs over several processes, the ranks of an MPI job, on one host or on many.
 *
 * All ranks are the same program: each makes the same calls with the same arguments, on a graph of its own that is the
 * same in all of them. In a run every rank processes the vertices that it owns. When a run has ended all cells, and the
 * arrays that processing an item writes, are in all ranks, so what a program does between runs needs no change. A graph
 * in a mapped file (.ordo) takes memory for those parts alone that a rank reads.
 *
 * docs/distributed.md is the guide.
 */
#ifndef ORDO_DISTRIBUTED_H
#define ORDO_DISTRIBUTED_H

#include <stdbool.h>

#include <ordo/graph.h>

ORDO_BEGIN_DECLS

/** The ranks of a job, as one of them sees them. For ordo_options::ranks. Used by one thread at a time. */
typedef struct ordo_group ordo_group;

/**
 * Whether this process was started as one of several ranks, as far as the environment tells (by `mpirun` or `srun`).
 * @return true where ordo_group_join() would find more than one
 */
ORDO_API bool ordo_group_launched(void);

/**
 * Joins the job: loads libordo-mpi.so, which initialises MPI. Once in a process.
 * @param out  [out] to be given back by ordo_group_leave()
 * @return ORDO_OK; ORDO_ERR_DEVICE (there is no libordo-mpi.so, or MPI does not start); ORDO_ERR_MEMORY; ORDO_ERR_USAGE
 *         (a second call)
 */
ORDO_API ordo_status ordo_group_join(ordo_group **out);

/**
 * Leaves the job, after the last run; waits for the other ranks. MPI cannot be initialised again after that.
 * @param group  may be NULL
 */
ORDO_API void ordo_group_leave(ordo_group *group);

/**
 * Ends all processes of the job: for an error that one rank has and others do not. Does not return.
 * @param group   of this job
 * @param status  the exit status of this process
 */
ORDO_API void ordo_group_abort(ordo_group *group, int status);

/**
 * Says that this rank fails and makes no runs any more, and waits for two seconds at most until all other ranks have
 * said so too. For an error that may be that of all ranks, such as a file that is missing: then one rank is enough to
 * report it, and ordo_group_leave() is allowed; otherwise ordo_group_abort() is what ends the others.
 * @param group  of this job
 * @return whether all ranks fail
 */
ORDO_API bool ordo_group_fail(ordo_group *group);

/** The number of this rank, from 0. @param group  of this job */
ORDO_API int ordo_group_rank(const ordo_group *group);
/** How many ranks there are. @param group  of this job */
ORDO_API int ordo_group_size(const ordo_group *group);
/** Whether rank 0 made the last run alone (see ordo_group_divide()). @param group  of this job */
ORDO_API bool ordo_group_was_alone(const ordo_group *group);

/**
 * Says which rank owns which vertex, in the runs that follow. The same in all ranks. Without this call ranks own ranges
 * of ids with about equally many vertices and out-edges together; on CPUs, in graphs with 100 levels and more as
 * guessed from a sample, each rank owns a range in each of 16 or more stretches of ids, so that all search at once. On
 * GPUs, and for operators that gather, parts must be ranges in order, as ordo_graph_renumbered() can make them; bounds
 * are rounded down to multiples of 32 on GPUs.
 *
 * Without this call rank 0 alone makes a search on GPUs if the graph has fewer than a million edges a level, as guessed
 * from some thousand vertices, and if rank 0's device has memory for the graph. The other ranks wait for the answer:
 * meeting in each level would take longer. Such a run heeds the cancel flag and the time limit of rank 0.
 * @param group  of this job
 * @param part   [n] the rank that owns each vertex, for graphs of n vertices; the caller's, copied.
 * NULL: as without this call
 * @param n      vertices
 * @return ORDO_OK; ORDO_ERR_USAGE (a vertex that a rank owns which there is not); ORDO_ERR_MEMORY
 */
ORDO_API ordo_status ordo_group_divide(ordo_group *group, const ordo_u32 *part, ordo_u64 n);

ORDO_END_DECLS

#endif
