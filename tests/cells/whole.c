/* whole.c -- loads, stores and swaps of cells of 16 bytes are of the whole cell, while several threads change it.
 *
 * Every value that is written is a number and its complement. A load that mixes two values shows; so does a lost swap,
 * since each one adds 1.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ORDO_OP far_two
#define STRUCT two
#include "far.h"

#include <ordo/detail/cpu/cell.h>

enum { THREADS = 4, CELLS = 3, ROUNDS = 200000 };

static _Alignas(16) far_two cells[CELLS];
static unsigned wrong;

static far_two value_of(ordo_u64 x)
{
    const ordo_u64 words[2] = {x, ~x};
    far_two value;
    memcpy(&value, words, sizeof value);
    return value;
}

/* The number of a value; counts values that are none. */
static ordo_u64 number_of(far_two value)
{
    ordo_u64 words[2];
    memcpy(words, &value, sizeof words);
    if (words[0] != ~words[1])
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    return words[0];
}

static void *work(void *arg)
{
    ordo_u64 last[CELLS] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        const int k = i % CELLS;
        far_two old = op_load(&cells[k]), next = value_of(number_of(old) + 1);
        while (!op_swap(&cells[k], &old, &next))
            next = value_of(number_of(old) + 1);
        const ordo_u64 now = number_of(op_load(&cells[k]));
        if (now <= number_of(old) || now < last[k]) /* a cell never goes back */
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
        last[k] = now;
    }
    return arg;
}

int main(void)
{
    pthread_t thread[THREADS];
    ordo_u64 sum = 0;
    for (int k = 0; k < CELLS; k++)
        op_store(&cells[k], value_of(0));
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&thread[t], NULL, work, NULL)) {
            printf("no thread\n");
            return 1;
        }
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    for (int k = 0; k < CELLS; k++)
        sum += number_of(op_load(&cells[k]));
    if (wrong || sum != (ordo_u64)THREADS * ROUNDS)
        printf("FAILED %u wrong values; %llu swaps were made, expected %d\n", wrong, (unsigned long long)sum,
               THREADS * ROUNDS);
    return wrong || sum != (ordo_u64)THREADS * ROUNDS;
}
