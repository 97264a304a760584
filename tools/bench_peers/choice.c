/* What choosing a scheduler costs: ordo_run_check() makes the whole plan of a run, so that with "auto" less that with a
 * name is the price of the choice. "microseconds-first microseconds-again": first after caches were swept, again hot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ordo/graph.h>
#include <ordo/run.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static double check(const ordo_work *work, const char *scheduler)
{
    ordo_options options = {.scheduler = scheduler};
    double start = now();
    if (ordo_run_check(work, &options) != ORDO_OK) {
        fprintf(stderr, "%s\n", ordo_last_error());
        exit(3);
    }
    return now() - start;
}

static double least(const ordo_work *work, const char *scheduler, char *sweep, size_t size)
{
    double best = 1e9;
    for (int i = 0; i < 9; i++) {
        if (sweep)
            memset(sweep, i, size);
        double took = check(work, scheduler);
        best = took < best ? took : best;
    }
    return best;
}

int main(int count, char **words)
{
    const size_t size = (size_t)64 << 20;
    ordo_graph *g;
    if (count != 3) {
        fprintf(stderr, "usage: choice FILE OPERATOR\n");
        return 2;
    }
    char *sweep = malloc(size);
    if (!sweep || ordo_graph_read(words[1], NULL, &g) != ORDO_OK) {
        fprintf(stderr, "%s\n", sweep ? ordo_last_error() : "choice: not enough memory");
        return 3;
    }
    ordo_graph_info info;
    ordo_graph_get_info(g, &info);
    ordo_u32 *cells = malloc((info.vertices + 1) * sizeof *cells); /* a plan looks at none */
    static const ordo_u64 state[16];                               /* nor into the operator's state */
    const ordo_work work = {.op = ordo_operator_find(words[2]),
                            .graph = g,
                            .cells = cells,
                            .state = state,
                            .num_items = info.vertices,
                            .targets = info.vertices};
    if (!cells || !work.op) {
        fprintf(stderr, "choice: operator '%s' is unknown\n", words[2]);
        return 3;
    }
    double cold = least(&work, "auto", sweep, size) - least(&work, "delta", sweep, size);
    printf("%.1f %.1f\n", cold, least(&work, "auto", NULL, 0) - least(&work, "delta", NULL, 0));
    free(cells);
    free(sweep);
    ordo_graph_free(g);
    return 0;
}
