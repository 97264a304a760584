/* Reads a graph file: "seconds vertices edges bytes-of-rows peak-bytes" a repeat. peak: the most anonymous memory that
 * the process held beyond what it held before, sampled each millisecond (0 with --quiet: sampling costs time). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ordo/graph.h>

static volatile int sampling;
static volatile long most;

static long anonymous(void)
{
    char text[4096];
    FILE *f = fopen("/proc/self/status", "r");
    size_t size = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[size] = 0;
    const char *at = strstr(text, "RssAnon:");
    return at ? atol(at + 8) * 1024 : 0;
}

static void *sample(void *arg)
{
    const struct timespec millisecond = {0, 1000000};
    (void)arg;
    while (sampling) {
        long now = anonymous();
        most = now > most ? now : most;
        nanosleep(&millisecond, NULL);
    }
    return NULL;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **words)
{
    if (count < 4) {
        fprintf(stderr, "usage: ours FILE THREADS REPEATS [sample] [symmetrise]\n");
        return 2;
    }
    bool watch = count > 4 && !strcmp(words[4], "sample");
    ordo_read_options options = {.threads = atoi(words[2])};
    if (!strcmp(words[count - 1], "symmetrise"))
        options.edges.direction = ORDO_SYMMETRISE;
    for (int i = 0; i < atoi(words[3]); i++) {
        ordo_graph *g;
        pthread_t thread;
        long before = anonymous();
        most = before;
        sampling = watch;
        if (watch)
            pthread_create(&thread, NULL, sample, NULL);
        double start = seconds();
        if (ordo_graph_read(words[1], &options, &g) != ORDO_OK) {
            fprintf(stderr, "%s\n", ordo_last_error());
            return 3;
        }
        double took = seconds() - start;
        sampling = 0;
        if (watch)
            pthread_join(thread, NULL);
        ordo_graph_info info;
        ordo_graph_get_info(g, &info);
        printf("%.6f %llu %llu %llu %ld\n", took, (unsigned long long)info.vertices, (unsigned long long)info.edges,
               (unsigned long long)info.bytes, watch ? most - before : 0);
        ordo_graph_free(g);
    }
    return 0;
}
