/* bench.h -- what the two files of `ordo bench` share. */
#ifndef ORDO_CLI_BENCH_H
#define ORDO_CLI_BENCH_H

#include "apps/cli/cli.h"

/* What was measured of a candidate. */
typedef struct bench_seen {
    char sync[16], scheduler[32]; /* of the last run: auto may change its mind */
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
    bool text; /* people read along */
} bench;

/* A random word for each number, by the seed. */
ordo_u64 bench_random(ordo_u64 seed, ordo_u64 number);
/* Remembers a run of a candidate; trial < 1: a warm-up. */
void bench_note(bench *b, int which, int trial, const ordo_stats *stats, double rate);
ordo_status bench_ratings(bench *b);

#endif
