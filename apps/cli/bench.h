/* bench.h -- what the files of `ordo bench` share. */
#ifndef ORDO_CLI_BENCH_H
#define ORDO_CLI_BENCH_H

#include "apps/cli/cli.h"
#include "framework/compare/statistics.h"

#include <ordo/detail/backend.h>

/* Critical sections of lock-transfer where the options say nothing. */
enum { BENCH_SECTIONS = 1 << 18 };

/* The measurements of a candidate. */
typedef struct bench_seen {
    char sync[16], scheduler[32]; /* of the last run: auto may choose another one in each run */
    double *rate;                 /* [runs] operations a second */
    size_t runs;
    double median;
} bench_seen;

typedef struct bench {
    const options *o;
    const char *name;
    candidate candidates[MAX_CANDIDATES];
    bench_seen seen[MAX_CANDIDATES];
    int count;
    sink json;
    bool text;      /* standard output is text for people */
    bool any_whole; /* a record is in the JSON */
} bench;

/* A random word for each number, by the seed. */
ordo_u64 bench_random(ordo_u64 seed, ordo_u64 number);
/* A number below `limit`, less than 2^32. */
ordo_u32 bench_pick(ordo_u64 seed, ordo_u64 number, ordo_u64 limit);
/* Runs a candidate, which ^C interrupts. */
ordo_status bench_run(bench *b, int which, const ordo_work *work, ordo_stats *stats);
/* Adds a run of a candidate; trial < 1: a warm-up, which does not count. */
void bench_note(bench *b, int which, int trial, const ordo_stats *stats, double rate);
/* Writes a run's record, which is kept if the command is interrupted. */
ordo_status bench_record(bench *b, const record *r);
ordo_status bench_ratings(bench *b);
ordo_status bench_lock_transfer(bench *b);
/* The candidates of lock-transfer where none are named. */
const char *bench_ways_of_locking(const options *o);
ordo_status bench_machine(const options *o);
/* Sets *out to the back end of the GPU that the options ask for; NULL: the CPU. */
ordo_status bench_gpu(const options *o, const ordo_backend **out);
/* Sets o->repeat. */
ordo_status bench_queue(options *o);
/* Numbers 1 .. most of a list by commas, "1,2K", given as that option. */
ordo_status bench_numbers(const char *option, const char *list, ordo_u64 most, ordo_u64 *out, int capacity, int *count);
/* Closes the file of --json, which is kept if the benchmark has ended, failed its check, or was interrupted after a
 * whole record. Returns `status`, or the error of closing. */
ordo_status bench_close(sink *json, ordo_status status, bool any_whole);

#endif
