/* cuda_host.h -- the host part of the CUDA back end: functions that a scheduler's cuda.cuh calls around its kernel.
 *
 * The order of a run: ordo_cuda_begin copies cells and initial items (and, once a graph, its rows) to the device;
 * ordo_cuda_alloc gives worklist memory; ordo_cuda_launch starts one cooperative kernel with as many blocks as the
 * device holds at once, and waits for it; meanwhile it tells the kernel to stop after a cancellation or at the time
 * limit, and reports progress; ordo_cuda_end copies the cells back, adds counters and the trace to the job and frees
 * everything. Every call checks what CUDA returns: ORDO_ERR_DEVICE, or ORDO_ERR_MEMORY with the bytes needed, free and
 * in total, before the kernel starts.
 *
 * A run that is traced has `run.traced` set; its kernel, launched cooperatively, then shows its counters at times, by
 * <ordo/detail/cuda/live.cuh>, and the thread of the trace copies them. A scheduler has two instances of its kernel, so
 * that the one for runs that are not traced has the same machine code as if there were no traces.
 *
 * A kernel must read mailbox->stop at least once in a step or in some microseconds, and end if it is set. A kernel that
 * still runs 5 s after it was told to end is abandoned: its memory is never freed, and later runs of the process on the
 * device are refused.
 *
 * Kernels from other objects. libordo-cuda.so and a program with its own kernels each contain a CUDA runtime (a static
 * one, nvcc's default). They share the device's memory, events and the default stream, since these belong to the
 * driver; but only the runtime of the object into which a kernel is compiled knows the kernel by its function. All
 * runtimes know the driver's handle of it. So the calls below that take a kernel take that handle:
 * `ordo_cuda_kernel((const void *)kernel)`. This function is inline, and so asks the runtime of the object that
 * contains the kernel.
 */
#ifndef ORDO_CUDA_HOST_H
#define ORDO_CUDA_HOST_H

#include <cuda_runtime.h>

#include <ordo/detail/backend.h>

ORDO_BEGIN_DECLS

/* Rows on the device: edges as {head, weight} pairs, or heads only; weights of 8 bytes are an array of their own.
 * The first edge is at a multiple of ORDO_CUDA_EDGES bytes. So an aligned load of as many bytes may be made wherever
 * one of them is of an edge: a page that has that one has all of them, also behind the last edge of a caller's array.
 */
enum { ORDO_CUDA_EDGES = 16 };
typedef struct ordo_cuda_rows {
    const ordo_u64 *row;  /* [n + 1] */
    const ordo_u32 *edge; /* [m * stride] */
    ordo_u32 n, stride;   /* stride 2: {head, weight}; 1: heads only */
    ordo_u64 m;
    const ordo_u64 *wide; /* [m] weights of 8 bytes, their bits; or NULL. With them stride is 1 */
} ordo_cuda_rows;

/* A record: up to four edges of a vertex in 32 bytes, {head, weight} each, so that reading them needs no row offsets. A
 * head of ORDO_RECORD_NONE: no more edges; of ORDO_RECORD_LONG: more than four, see the rows. Unweighted: weight 1. */
#define ORDO_RECORD_NONE 0xffffffffu
#define ORDO_RECORD_LONG 0xfffffffeu

/* Device memory that every kernel of a run shares: the counters of ordo_stats. */
typedef struct ordo_cuda_counters {
    ordo_u64 items, edges, useful, stale, activations;
} ordo_cuda_counters;

/* A cache line to which warps add their counters. A run has several, and its counts are the sums over them: at the end
 * of a kernel all warps add at once, and atomics on one line are done one after the other, 1.4 G/s on an H200. */
typedef struct ordo_cuda_counter_line : ordo_cuda_counters {
    ordo_u64 padding[11];
} ordo_cuda_counter_line;
enum { ORDO_CUDA_COUNTER_LINES = 64 };

/* A sample of the trace; see ordo_sample. */
typedef struct ordo_cuda_moment {
    ordo_u64 nanoseconds; /* of the device's clock */
    ordo_u64 in_flight, bucket;
    double delta;
    ordo_u32 concurrent;
    float utilisation; /* -1: not measured */
} ordo_cuda_moment;

enum { ORDO_CUDA_MOMENTS = 4096 };

/* What a kernel reports besides counters. Written by one thread of the kernel; all zero when the kernel begins. */
typedef struct ordo_cuda_record {
    ordo_u64 supersteps;
    ordo_u64 began;                /* device clock when the kernel began */
    ordo_u64 looked;               /* device clock when the kernel last read the mailbox (ordo_dev_mail) */
    ordo_u64 taken, step, skipped; /* numbers of samples; every second one is dropped when the array is full, as in
                                      ordo_job_sample */
    double delta_first, delta_last;
    double change;     /* ordo_stats.change */
    ordo_u32 overflow; /* a worklist was too small: the run's answer is invalid */
    ordo_cuda_moment moment[ORDO_CUDA_MOMENTS];
} ordo_cuda_record;

/* Pinned host memory, read and written by host and device while the kernel runs. */
typedef struct ordo_cuda_mailbox {
    volatile ordo_u32 stop;                  /* host to device */
    volatile ordo_u64 supersteps, in_flight; /* device to host */
} ordo_cuda_mailbox;

/* Where the scheduler of a traced run is, and behind it, in device memory, a line for each warp of the grid, number of
 * block * warps of a block + number of warp: what the kernel shows while it runs, by <ordo/detail/cuda/live.cuh>. */
typedef struct ordo_cuda_live {
    ordo_u64 step;              /* superstep, round or head switch; 0: nothing was reported yet */
    ordo_u64 in_flight, bucket; /* as of ordo_sample, when that step began */
    ordo_u64 detail;            /* the scheduler's own */
    double delta;               /* as of ordo_sample */
    ordo_u32 concurrent;        /* likewise */
    ordo_u32 working;           /* blocks 0 to working - 1 may have a part of that step */
    ordo_u32 padding[4];
} ordo_cuda_live;
/* In place of a state, the number of a step added: the block has done its part of that step. So it waits if that is the
 * step that was reported, or if it has no part of the one that was; otherwise it is busy. */
enum { ORDO_LIVE_ARRIVED = 16 };
typedef struct ordo_cuda_live_warp {
    ordo_u32 items, edges, useful, stale, activations; /* as of ordo_stats, so far, modulo 2^32 */
    ordo_u32 state;                                    /* ORDO_BUSY ... */
    ordo_u32 unit;                                     /* number of its multiprocessor plus 1; 0: it has not begun */
    ordo_u32 padding;
} ordo_cuda_live_warp;
/* Where a kernel shows that; NULL if the run is not traced. */
typedef struct ordo_cuda_traced {
    ordo_cuda_live *live;
    ordo_u32 *shown; /* [threads of the grid][5] what each thread has shown (ordo_live_add) */
} ordo_cuda_traced;

/* The part of every kernel's arguments that describes the run: its initial items, and where it reports. */
typedef struct ordo_cuda_run {
    const ordo_item *initial; /* [initial_count], or NULL: all */
    ordo_u64 initial_count;
    ordo_cuda_counter_line *counters; /* [ORDO_CUDA_COUNTER_LINES] */
    ordo_cuda_record *record;
    ordo_cuda_mailbox *mailbox;
    ordo_cuda_traced traced;
} ordo_cuda_run;

typedef struct ordo_cuda_own ordo_cuda_own;

typedef struct ordo_cuda ordo_cuda;

/* What a sample of a traced run has from the device. */
typedef struct ordo_cuda_seen {
    const ordo_cuda *c;
    const ordo_cuda_live *live;
    const ordo_counters *sum; /* the counters of all warps */
    const void *copy[2];      /* of the words that ordo_cuda_glance names, as they were at about the same time */
    ordo_u32 grid;            /* blocks of the kernel */
} ordo_cuda_seen;
/* Words of a scheduler in device memory that a sample copies besides, and what they mean. `show` changes *out, which
 * has what the kernel has reported (ordo_live_report), by what these words say better. Called by the thread that
 * samples, while the kernel runs: words may be of different moments. */
typedef struct ordo_cuda_glance {
    const void *from[2]; /* NULL: none */
    size_t bytes[2];     /* at most ORDO_CUDA_GLANCE together */
    void (*show)(const ordo_cuda_seen *seen, const void *arg, ordo_probed *out);
    const void *arg; /* valid until ordo_cuda_launch returns */
} ordo_cuda_glance;
enum { ORDO_CUDA_GLANCE = 8192 };

struct ordo_cuda {
    ordo_job *job;
    ordo_cuda_rows out, in; /* `in` is set if asked for */
    void *cells;            /* [targets] on the device */
    void *cells_apart;      /* where they were before ordo_cuda_ranks_share_cells; else NULL */
    ordo_cuda_run run;      /* with addresses on the device */
    ordo_cuda_own *own;
    /* Set by the scheduler after ordo_cuda_begin: whether to keep the cells in the second-level cache. That pays if
     * cells are read most, beside a stream of edges and entries; supersteps over frontiers become slower (measured). */
    bool keep_cells;
    /* Bytes of dynamic shared memory of a block; see ordo_cuda_share. */
    size_t shared;
    /* Set by the scheduler after ordo_cuda_begin, or NULL. Called when the time limit (options.timeout) has ended the
     * kernel, before its memory is freed. Writes the state of its worklists to text[capacity] as one sentence without
     * newline, "" for none, which is added to the error message. */
    void (*explain)(ordo_cuda *c, void *arg, char *text, size_t capacity);
    void *explain_arg;
    /* Set by the scheduler before ordo_cuda_launch, or all zero. Used if the run is traced. */
    ordo_cuda_glance glance;
};

/* The status of a CUDA call: ORDO_OK, or ORDO_ERR_MEMORY or ORDO_ERR_DEVICE with a message that consists of `what` was
 * done and CUDA's error text. */
ORDO_API ordo_status ordo_cuda_failed(cudaError_t error, const char *what);
/* The handle of a kernel of this object, for the calls below. NULL after ordo_fail; the calls below then return that
 * error. */
static inline const void *ordo_cuda_kernel(const void *function)
{
    cudaKernel_t kernel;
    return ordo_cuda_failed(cudaGetKernel(&kernel, function), "looking up the kernel") ? NULL : (const void *)kernel;
}

/* Copies what a run needs to the device. `cell`: bytes of a cell; `need_in`: in-rows as well, which the device makes of
 * the out-rows, once for a graph, where it has memory for that, else the host; the time counts as preparation. *out is
 * to be ended by ordo_cuda_end, also after an error. */
ORDO_API ordo_status ordo_cuda_begin(ordo_job *job, size_t cell, bool need_in, ordo_cuda *out);
/* Before it: whether in-rows that a run can do without are worth making, as ordo_job_in_pays: where the device has
 * them, or could make them and that pays at `here`; else where they pay at `on_host`. */
ORDO_API bool ordo_cuda_in_pays(const ordo_job *job, double here, double on_host);
/* The out-rows as records, [2 * n] uint4 on the device, if nearly all vertices have at most four edges and there is
 * enough memory; else NULL, which is no error. Made by the first call for a graph and kept with it. */
ORDO_API ordo_status ordo_cuda_records(ordo_cuda *c, const uint4 **out);
/* The tails of the out-edges, [m] on the device. Made by the first call for a graph and kept with it. Errors:
 * ORDO_ERR_MEMORY; ORDO_ERR_DEVICE. */
ORDO_API ordo_status ordo_cuda_edge_tails(ordo_cuda *c, const ordo_u32 **out);
/* In-edges in which the tails that have most edges, which are read most, are renumbered so that what is read of them
 * lies side by side. */
typedef struct ordo_cuda_tails {
    const ordo_u32 *edge;     /* [m] the position of each in-edge's tail */
    const ordo_u32 *position; /* [n] of each vertex, below n, all different; below `count`: a hot one. Others are as in
                                 ordo_cuda_order */
    ordo_u32 count;           /* of hot vertices; 0: there is no such list, `edge` and `position` are NULL */
} ordo_cuda_tails;
/* A row of more in-edges than ORDO_CUDA_SHORT is listed; of more than ORDO_CUDA_PIECE, as pieces of so many. */
enum { ORDO_CUDA_SHORT = 96, ORDO_CUDA_PIECE = 2048, ORDO_CUDA_CLASSES = 4, ORDO_CUDA_COUNT_BITS = 12 };
/* Vertices listed by their number of in-edges. */
typedef struct ordo_cuda_order {
    const uint4 *row;   /* [end[ORDO_CUDA_CLASSES - 1]] most edges first; not those of `piece`. Vertex; position; first
                           in-edge modulo 2^32; first in-edge / 2^32 << ORDO_CUDA_COUNT_BITS | number of in-edges */
    const uint2 *piece; /* [pieces] vertex, number of the piece: all pieces of a row one after the other */
    ordo_u32 end[ORDO_CUDA_CLASSES]; /* class i ends there: more than ORDO_CUDA_SHORT edges, 24, 6, all others */
    ordo_u32 pieces;
    bool all; /* every vertex is listed */
} ordo_cuda_order;
/* Both, for at most `most` hot vertices. Over ranks lists have the vertices that the rank owns, and positions, of all
 * vertices, are the same in all ranks. All vertices are listed where the graph has hubs, or nearly 2^32 edges or
 * vertices; else those of more than four in-edges where nearly all have at most four; else those of the first class.
 * Tails are renumbered where the hot vertices of a graph with hubs have a quarter of the edges and there is enough
 * memory; else a position is the vertex. Made by the first call for a graph and kept with it. After ordo_cuda_begin
 * with `need_in`. */
ORDO_API ordo_status ordo_cuda_order_rows(ordo_cuda *c, ordo_u32 most, ordo_cuda_order *order, ordo_cuda_tails *hot);
/* Rows of four: the tails of each vertex' in-edges, [n] uint4 on the device, over ranks of own vertices alone, if
 * nearly all have at most four and there is enough memory; else NULL, which is no error. ORDO_RECORD_NONE: no more
 * edges; four times ORDO_RECORD_LONG: a vertex of more, which ordo_cuda_order_rows lists. Made by the first call for a
 * graph and kept with it. After ordo_cuda_begin with `need_in`. */
ORDO_API ordo_status ordo_cuda_fours(ordo_cuda *c, const uint4 **out);
/* Of each vertex [n] the in-neighbour, among the first ones of its row, that most vertices have: it is likely to be on
 * a large frontier. ORDO_NO_VERTEX where there is no in-edge. NULL, which is no error, where there is too little
 * memory. Over ranks of the vertices that the rank owns, by what those have. Made by the first call for a graph and
 * kept with it; the time counts as preparation. After ordo_cuda_begin with `need_in`. */
ORDO_API ordo_status ordo_cuda_leading_tails(ordo_cuda *c, const ordo_vid **out);
/* Where rows of in-edges begin, [n + 1] on the host: job->in is set where the host has made the in-rows, and not where
 * the device has. Valid as long as the graph. After ordo_cuda_begin with `need_in`. */
ORDO_API ordo_status ordo_cuda_in_offsets(ordo_cuda *c, const ordo_u64 **row);
/* Rows whose edges are in the order of weights, for schedulers that go through a row only as far as an edge can matter.
 */
typedef enum ordo_cuda_row_order {
    ORDO_CUDA_ANY_ORDER, /* as the graph has them: where the operator reads no weights, or the graph has none */
    ORDO_CUDA_LIGHTEST_FIRST,
    ORDO_CUDA_HEAVIEST_FIRST,
    ORDO_CUDA_ROW_ORDERS
} ordo_cuda_row_order;
enum { ORDO_CUDA_QUANTILES = 129 };
/* Those of which a record has the shares; the 16th is the last one. */
#define ORDO_CUDA_QUANTILES_OF_RECORDS                                                                                 \
    {                                                                                                                  \
        1, 2, 4, 8, 13, 19, 26, 32, 38, 51, 64, 77, 90, 102, 115                                                       \
    }
typedef struct ordo_cuda_by_weight {
    ordo_cuda_rows out, in;
    /* [2 * n] of each vertex: its first edge, low and high word; its number of edges; of in-edges. Then 16 bytes: how
     * many of its edges come up to that quantile, in 255ths, rounded up */
    const uint4 *record;
    ordo_u32 weight[ORDO_CUDA_QUANTILES]; /* of all edges, in the order of rows: the words of the weights at 0, 1 / 128,
                                             2 / 128 ... 1; in any order 0 */
} ordo_cuda_by_weight;
/* The rows of the run's graph in that order, out-rows and in-rows. Made by the first call for a graph and kept with it;
 * the time counts as preparation. Weights are of 4 bytes. After ordo_cuda_begin, in any order with `need_in`. Errors:
 * ORDO_ERR_MEMORY; ORDO_ERR_DEVICE. */
ORDO_API ordo_status ordo_cuda_rows_by_weight(ordo_cuda *c, ordo_cuda_row_order order, ordo_cuda_by_weight *out);
/* Device memory of `count` elements of `size` bytes, freed at the end of the run; set to zero with `zero`. NULL after
 * ordo_fail. */
ORDO_API void *ordo_cuda_alloc(ordo_cuda *c, ordo_u64 count, size_t size, bool zero);
/* The same, as a copy of host memory at `from`. */
ORDO_API void *ordo_cuda_copy(ordo_cuda *c, const void *from, ordo_u64 count, size_t size);
/* The number of blocks that ordo_cuda_launch would start. */
ORDO_API ordo_status ordo_cuda_grid(const void *kernel, int threads, int blocks, int *grid);
/* One cooperative launch of blocks of `threads` threads with `args` (pointers to arguments): `blocks` blocks on each
 * multiprocessor, or as many as fit if `blocks` is 0 or more than that. Returns when the kernel has ended. */
ORDO_API ordo_status ordo_cuda_launch(ordo_cuda *c, const void *kernel, int threads, int blocks, void **args);
/* A kernel of `grid` blocks; cooperative: no more than ordo_cuda_grid says. */
typedef struct ordo_cuda_step {
    const void *kernel;
    int threads, grid;
    bool cooperative;
    void **args;
} ordo_cuda_step;
/* The same for `count` kernels, one after the other. After a stop the remaining kernels are still launched: each checks
 * whether it is to end. */
ORDO_API ordo_status ordo_cuda_launch_all(ordo_cuda *c, const ordo_cuda_step *step, int count);
/* A launch that does not wait, of a kernel that is no part of a run's time: what is launched later begins behind it. */
ORDO_API ordo_status ordo_cuda_start(const ordo_cuda_step *step, size_t shared);
/* Sets the bytes of dynamic shared memory of a block for the next launch. *resident becomes the number of blocks of
 * `threads` threads that a multiprocessor then holds; 0 if `bytes` is too much. */
ORDO_API ordo_status ordo_cuda_share(ordo_cuda *c, const void *kernel, int threads, size_t bytes, int *resident);
/* The number of multiprocessors, the bytes of shared memory of each, and the most bytes that a block may have. */
ORDO_API ordo_status ordo_cuda_size(int *units, size_t *shared_unit, size_t *shared_block);

/* The arrays of a state are copied to the device for a run, and what critical sections write is copied back. `place`
 * points into a copy of the state, whose pointers become the device's: NULL stays NULL, the run's cells become
 * c->cells. Only ordo_cuda_arrays_in uses that copy. */
typedef struct ordo_cuda_arrays {
    ordo_array array[ORDO_MOST_ARRAYS];
    void *host[ORDO_MOST_ARRAYS], *device[ORDO_MOST_ARRAYS];
    int count;
} ordo_cuda_arrays;
ORDO_API ordo_status ordo_cuda_arrays_in(ordo_cuda *c, ordo_cuda_arrays *arrays);
/* Copies back what was written; after a launch without error. */
ORDO_API ordo_status ordo_cuda_arrays_out(ordo_cuda *c, const ordo_cuda_arrays *arrays);

/* ---- several GPUs, a rank each ---- */

enum { ORDO_CUDA_RANKS = 16 };

/* What a rank says when ranks meet (<ordo/detail/cuda/meet.cuh>): words x with the number y of the meeting, which are
 * loaded and stored whole. */
enum { ORDO_CUDA_WORDS = 8, ORDO_CUDA_SAID = ORDO_CUDA_WORDS + ORDO_CUDA_RANKS / 2 };
typedef struct ordo_cuda_said {
    ulonglong2 word[ORDO_CUDA_SAID]; /* the scheduler's own, and then messages since the last meeting, for two ranks a
                                        word: the one of an even number in the lower half, the next in the upper one */
} ordo_cuda_said;

/* What a kernel asks its host to put into the memory of ranks that its GPU does not see, at a meeting; in pinned memory
 * of the host, meetings take turns (framework/cuda/carry.cu). */
typedef struct ordo_cuda_carried {
    struct {
        ordo_u32 sent[ORDO_CUDA_RANKS]; /* messages for each rank */
        ordo_u32 array; /* 1 or 2: this rank's part of the first or second array has changed; 0: of none */
    } of[2];
    ordo_u64 number; /* of the last meeting that is asked for */
} ordo_cuda_carried;

/* Words of a rank, in memory that all ranks see. Those on lines of their own are written at different times. */
typedef struct ordo_cuda_words {
    ordo_cuda_said said[2][ORDO_CUDA_RANKS]; /* of each rank; written by that rank, meetings take turns */
    struct {
        ordo_u64 number, padding[15];
    } met[ORDO_CUDA_RANKS];          /* where hosts carry: the number of the last meeting for which said[] is there */
    ordo_u64 arrived, padding1[15];  /* blocks of this rank, at all meetings together */
    ordo_u64 released, padding2[15]; /* the last meeting that has ended, for the blocks of this rank */
    ordo_u64 spilled, padding3[15];  /* ghosts that wait in `spill` */
    ordo_u64 messages, padding4[15]; /* sent by this rank in all */
    ordo_u64 nanoseconds;            /* from the first meeting to the end of the run; set by the kernel */
    struct {
        ordo_u32 count, padding[31];
    } sent[ORDO_CUDA_RANKS]; /* by this rank to each, since the last meeting */
} ordo_cuda_words;

/* The ranks of a run, for its kernel. Addresses are those at which this rank's GPU sees memory. Those of a rank whose
 * memory it does not see are in its own: words and frontier are this rank's, boxes are emptied by the host. */
typedef struct ordo_cuda_ranks {
    ordo_u32 rank, count;
    ordo_u32 first, owned;               /* this rank's items: the first and their number, by `begin` */
    ordo_u32 begin[ORDO_CUDA_RANKS + 1]; /* rank r owns items begin[r] .. begin[r + 1] - 1; multiples of 32 but the
                                            last */
    ordo_u32 first_target[ORDO_CUDA_RANKS + 1]; /* and cells of targets first_target[r] .. first_target[r + 1] - 1; the
                                                   same where targets are items */
    ordo_u32 capacity;                          /* messages that a rank may send to another one between two meetings */
    ordo_cuda_words *words[ORDO_CUDA_RANKS];    /* of each rank */
    void *box[2][ORDO_CUDA_RANKS];              /* where this rank's messages for each rank go; meetings take turns */
    const void *mail[2];                    /* where those of each rank for this one are: rank after rank, `capacity`
                                               each */
    ordo_u32 *frontier[2][ORDO_CUDA_RANKS]; /* [n / 32 + 1] bits of each rank's copy of the frontier; supersteps take
                                               turns. NULL unless asked for */
    ordo_u32 *spill;                        /* [targets / 32 + 1] bits of ghosts that wait: their message found no
                                               place, or all are sent together */
    void *cells;                            /* [targets] of the run; for sums */
    void *cells_at[ORDO_CUDA_RANKS];        /* the same of each rank, where they are shared; else NULL */
    ordo_cuda_carried *carried;             /* of the host; NULL where the GPU sees all ranks */
} ordo_cuda_ranks;

/* Makes what the kernel needs; all ranks do. `message`: bytes; `frontier`: with bits of the frontier. After
 * ordo_cuda_begin of a run over ranks. Errors: ORDO_ERR_MEMORY; ORDO_ERR_DEVICE (cells that are shared, and GPUs that
 * do not see each other's memory). */
ORDO_API ordo_status ordo_cuda_ranks_make(ordo_cuda *c, size_t message, bool frontier, ordo_cuda_ranks *out);

/* *all becomes whether every GPU of the run sees the memory of every other one; all ranks ask. Errors: ORDO_ERR_MEMORY;
 * ORDO_ERR_DEVICE. */
ORDO_API ordo_status ordo_cuda_ranks_see(const ordo_remote *remote, bool *all);

/* Moves the cells of a run to memory that all ranks see, c->cells from then on; all ranks do, between ordo_cuda_begin
 * and ordo_cuda_ranks_make. `cell`: bytes of one. Errors: ORDO_ERR_MEMORY. */
ORDO_API ordo_status ordo_cuda_ranks_share_cells(ordo_cuda *c, size_t cell);

/* Boxes of ranks that do not meet (<ordo/detail/cuda/boxes.cuh>). */
enum {
    ORDO_CUDA_CHUNK = 32, /* messages, one for each lane of a warp */
    ORDO_CUDA_RINGS = 32, /* of a box, one for each lane that looks */
};

/* Numbers of chunks, of one rank about a ring of another one; changed by different warps, hence on lines of their own.
 */
typedef struct ordo_cuda_side {
    ordo_u64 drawn, padding0[15]; /* of the ring that the other rank has: the next one to fill */
    ordo_u64 taken, padding1[15]; /* of the ring for the other rank's messages: the next one to take */
} ordo_cuda_side;

/* Addresses are those at which this rank's GPU sees memory; a box has ORDO_CUDA_RINGS rings of 1 << shift chunks. Those
 * of this rank itself are not used. */
typedef struct ordo_cuda_boxes {
    ordo_u32 shift;
    void *box[ORDO_CUDA_RANKS];           /* in the memory of each rank: for this one's messages */
    ordo_u64 *filled_at[ORDO_CUDA_RANKS]; /* there: a word for each of its chunks */
    ordo_u64 *freed;                      /* [ranks][rings][1 << shift] in this rank's memory, of these */
    const void *mail;                     /* in this rank's memory: its boxes, rank after rank */
    ordo_u64 *filled;                     /* [ranks][rings][1 << shift] of their chunks */
    ordo_u64 *freed_at[ORDO_CUDA_RANKS];  /* in each sender's memory: of its chunks */
    ordo_cuda_side *side;                 /* [ranks][rings] */
    ordo_u64 *sent;                       /* messages of this rank; the scheduler's */
} ordo_cuda_boxes;

/* As ordo_cuda_ranks_make, with boxes in place of those that a meeting empties, for GPUs that see each other's memory.
 * `sent` is the caller's to set. */
ORDO_API ordo_status ordo_cuda_boxes_make(ordo_cuda *c, size_t message, ordo_cuda_ranks *ranks, ordo_cuda_boxes *out);

/* Shares of a gather operator over ranks (<ordo/detail/cuda/ghosts.cuh>). */
typedef struct ordo_cuda_ghosts {
    void *share[2];                /* [n] in this rank's memory */
    size_t away[ORDO_CUDA_RANKS];  /* how far an address in them is from the one at which this rank's GPU sees the same
                                      place in the memory of each rank, modulo 2^64; 0 where it does not see that */
    const unsigned short *readers; /* [n], of own vertices: bit r: rank r reads the share */
    ordo_u64 sent;                 /* bits in all of these */
} ordo_cuda_ghosts;

/* Makes what the kernel needs; all ranks do. `share`: bytes. After ordo_cuda_begin with `need_in`. Errors: as of
 * ordo_cuda_ranks_make. */
ORDO_API ordo_status ordo_cuda_ghosts_make(ordo_cuda *c, size_t share, ordo_cuda_ranks *ranks, ordo_cuda_ghosts *out);

/* Ends a run: copies results back where `status` is ORDO_OK, and frees everything. Returns `status`, or the error of
 * the copies. */
ORDO_API ordo_status ordo_cuda_end(ordo_cuda *c, ordo_status status);

ORDO_END_DECLS

#endif
