/* rows.h -- what the drivers of Debian's libraries share: reading GAP's binary rows (.sg, .wsg) and DIMACS networks
 * (.max), a clock, the line that is printed for a repeat.
 *
 * A driver is `DRIVER APP FILE SOURCE REPEATS` and prints "seconds answer" a repeat, the time of the algorithm alone
 * with the library's graph made before. The answer is what tools/bench holds against Ordo's: the sum of distances or
 * levels over what is reached, the number of components, the weight of a forest, the value of a flow.
 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct rows {
    int64_t n, m;
    int64_t *row;     /* [n + 1]; NULL for a network */
    int32_t *tail;    /* [m] networks alone */
    int32_t *head;    /* [m] */
    int32_t *weight;  /* [m], or NULL */
    int64_t from, to; /* networks: source and sink */
} rows;

static inline void rows_die(const char *what, const char *file)
{
    fprintf(stderr, "%s: %s\n", file, what);
    exit(3);
}

static inline void *rows_room(int64_t count, size_t size)
{
    void *p = malloc((size_t)(count > 0 ? count : 1) * size);
    if (!p)
        rows_die("out of memory", "rows");
    return p;
}

static inline void rows_take(FILE *f, void *to, size_t size, int64_t count, const char *file)
{
    if (fread(to, size, (size_t)count, f) != (size_t)count)
        rows_die("shorter than its header says", file);
}

static inline rows rows_read_gap(const char *file, int weighted)
{
    rows g = {0, 0, NULL, NULL, NULL, NULL, 0, 0};
    FILE *f = fopen(file, "rb");
    char directed;
    if (!f)
        rows_die("cannot be opened", file);
    rows_take(f, &directed, 1, 1, file);
    rows_take(f, &g.m, 8, 1, file);
    rows_take(f, &g.n, 8, 1, file);
    g.row = (int64_t *)rows_room(g.n + 1, 8);
    rows_take(f, g.row, 8, g.n + 1, file);
    g.m = g.row[g.n];
    int32_t *words = (int32_t *)rows_room(g.m, weighted ? 8 : 4);
    rows_take(f, words, weighted ? 8 : 4, g.m, file);
    fclose(f);
    if (!weighted) {
        g.head = words;
        return g;
    }
    g.head = (int32_t *)rows_room(g.m, 4);
    g.weight = (int32_t *)rows_room(g.m, 4);
    for (int64_t e = 0; e < g.m; e++) {
        g.head[e] = words[2 * e];
        g.weight[e] = words[2 * e + 1];
    }
    free(words);
    return g;
}

static inline rows rows_read_network(const char *file)
{
    rows g = {0, 0, NULL, NULL, NULL, NULL, -1, -1};
    FILE *f = fopen(file, "r");
    char line[256], end;
    int64_t used = 0, u, v, c;
    if (!f)
        rows_die("cannot be opened", file);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "p max %ld %ld", &g.n, &g.m) == 2) {
            g.tail = (int32_t *)rows_room(g.m, 4);
            g.head = (int32_t *)rows_room(g.m, 4);
            g.weight = (int32_t *)rows_room(g.m, 4);
        } else if (sscanf(line, "n %ld %c", &u, &end) == 2) {
            *(end == 's' ? &g.from : &g.to) = u - 1;
        } else if (sscanf(line, "a %ld %ld %ld", &u, &v, &c) == 3) {
            if (used == g.m)
                rows_die("more arcs than its header says", file);
            g.tail[used] = (int32_t)(u - 1);
            g.head[used] = (int32_t)(v - 1);
            g.weight[used++] = (int32_t)c;
        }
    }
    fclose(f);
    if (used != g.m || g.from < 0 || g.to < 0)
        rows_die("no whole DIMACS network", file);
    return g;
}

/* The graph that an app of that name reads. */
static inline rows rows_read(const char *app, const char *file)
{
    if (!strcmp(app, "maxflow"))
        return rows_read_network(file);
    return rows_read_gap(file, !strcmp(app, "sssp") || !strcmp(app, "mst"));
}

static inline double rows_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void rows_say(double start, double end, int64_t answer)
{
    printf("%.6f %ld\n", end - start, (long)answer);
    fflush(stdout);
}

#endif
