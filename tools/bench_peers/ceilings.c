/* What the memory of this machine allows: lines "name threads value unit". Copying and a triad over arrays far larger
 * than caches (bytes counted as the program names them: 16 and 24 an element), independent random loads of 4 bytes from
 * tables of several sizes, and one chain of dependent loads, which is the latency. Each the best of three.
 *
 * Not done: pinning threads, several memory nodes.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ELEMENTS = 1 << 24, LOADS = 1 << 24, MOST_THREADS = 256 };

static double *a, *b, *c;
static uint32_t *table;
static uint64_t mask; /* entries of the table, less one */
static int threads;
static pthread_barrier_t gate;
static volatile uint64_t sink;

typedef struct task {
    void (*work)(int, uint64_t, uint64_t);
    uint64_t count;
    int index;
    double seconds;
} task;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void copy(int index, uint64_t from, uint64_t to)
{
    (void)index;
    for (uint64_t i = from; i < to; i++)
        a[i] = b[i];
}

static void triad(int index, uint64_t from, uint64_t to)
{
    (void)index;
    for (uint64_t i = from; i < to; i++)
        a[i] = b[i] + 3 * c[i];
}

/* Which entry is next does not depend on what was loaded, so many loads are under way at once. */
static void loads(int index, uint64_t from, uint64_t to)
{
    uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)(index + 1), sum = 0;
    for (uint64_t i = from; i < to; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sum += table[state >> 32 & mask];
    }
    sink = sum;
}

static void chain(int index, uint64_t from, uint64_t to)
{
    uint32_t at = (uint32_t)index;
    for (uint64_t i = from; i < to; i++)
        at = table[at];
    sink = at;
}

static void *member(void *arg)
{
    task *t = arg;
    const uint64_t from = t->count * (uint64_t)t->index / (uint64_t)threads;
    const uint64_t to = t->count * (uint64_t)(t->index + 1) / (uint64_t)threads;
    pthread_barrier_wait(&gate);
    double start = now();
    t->work(t->index, from, to);
    pthread_barrier_wait(&gate);
    t->seconds = now() - start;
    return NULL;
}

static double best(void (*work)(int, uint64_t, uint64_t), uint64_t count)
{
    static task tasks[MOST_THREADS];
    static pthread_t thread[MOST_THREADS];
    double least = 1e9;
    pthread_barrier_init(&gate, NULL, (unsigned)threads);
    for (int repeat = 0; repeat < 3; repeat++) {
        for (int t = 0; t < threads; t++) {
            tasks[t] = (task){work, count, t, 0};
            if (t && pthread_create(&thread[t], NULL, member, &tasks[t])) {
                fprintf(stderr, "ceilings: no thread %d\n", t);
                exit(3);
            }
        }
        member(&tasks[0]);
        for (int t = 1; t < threads; t++)
            pthread_join(thread[t], NULL);
        least = tasks[0].seconds < least ? tasks[0].seconds : least;
    }
    pthread_barrier_destroy(&gate);
    return least;
}

int main(int count, char **words)
{
    static const unsigned megabytes[] = {1, 4, 16, 64, 256};
    threads = count == 2 ? atoi(words[1]) : 0;
    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: ceilings THREADS (1 to %d)\n", MOST_THREADS);
        return 2;
    }
    a = malloc(ELEMENTS * sizeof *a);
    b = malloc(ELEMENTS * sizeof *b);
    c = malloc(ELEMENTS * sizeof *c);
    table = malloc((size_t)256 << 20);
    if (!a || !b || !c || !table) {
        fprintf(stderr, "ceilings: not enough memory\n");
        return 3;
    }
    for (uint64_t i = 0; i < ELEMENTS; i++)
        a[i] = b[i] = c[i] = (double)i;
    printf("copy %d %.1f GB/s\n", threads, ELEMENTS * 16e-9 / best(copy, ELEMENTS));
    printf("triad %d %.1f GB/s\n", threads, ELEMENTS * 24e-9 / best(triad, ELEMENTS));
    for (uint64_t i = 0; i < (uint64_t)256 << 18; i++)
        table[i] = (uint32_t)i;
    for (size_t s = 0; s < sizeof megabytes / sizeof *megabytes; s++) {
        mask = ((uint64_t)megabytes[s] << 18) - 1;
        printf("random-loads-%uMB %d %.0f M/s\n", megabytes[s], threads, LOADS * 1e-6 / best(loads, LOADS));
    }
    if (threads == 1) { /* one cycle through the whole table: Sattolo's shuffle */
        uint64_t state = 1;
        for (uint64_t i = ((uint64_t)256 << 18) - 1; i > 0; i--) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            uint64_t j = (state >> 32) % i;
            uint32_t other = table[i];
            table[i] = table[j];
            table[j] = other;
        }
        printf("latency-256MB 1 %.0f ns\n", 1e9 * best(chain, LOADS >> 3) / (LOADS >> 3));
    }
    return 0;
}
