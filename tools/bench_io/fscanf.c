/* What a first program does: a loop of fscanf into arrays, no rows. "seconds edges" a repeat. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **words)
{
    if (count != 4) {
        fprintf(stderr, "usage: fscanf FILE arcs|pairs|triples REPEATS\n");
        return 2;
    }
    for (int i = 0; i < atoi(words[3]); i++) {
        double start = seconds();
        FILE *f = fopen(words[1], "r");
        if (!f)
            return 3;
        size_t used = 0, room = 1024;
        unsigned *list = malloc(room * 3 * sizeof *list), u, v, w = 1;
        char line[256];
        for (;;) {
            int got = !strcmp(words[2], "arcs")      ? fscanf(f, " a %u %u %u", &u, &v, &w) == 3
                      : !strcmp(words[2], "triples") ? fscanf(f, "%u %u %u", &u, &v, &w) == 3
                                                     : fscanf(f, "%u %u", &u, &v) == 2;
            if (!got) {
                if (!fgets(line, sizeof line, f)) /* a comment, or the problem line */
                    break;
                continue;
            }
            if (used == room)
                list = realloc(list, (room *= 2) * 3 * sizeof *list);
            memcpy(list + 3 * used++, (unsigned[]){u, v, w}, 3 * sizeof u);
        }
        fclose(f);
        printf("%.6f %zu\n", seconds() - start, used);
        free(list);
    }
    return 0;
}
