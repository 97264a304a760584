/* contention_sample.c -- estimates the contention of a critical operator before it runs: how many targets its requests
 * share, and which ones are frequent.
 *
 * Problem: whether locks, servers or combining is fastest depends on how many targets share the requests, and servers
 * need the frequent ones distributed evenly. The operator does not declare either.
 *
 * Method: prepare a sample of the items, all of them or 65 536, one at a random place of each of as many intervals, and
 * count the targets of their requests. The inverse of the probability that two requests have the same target is the
 * number of equally frequent targets that would collide as often; a few very frequent targets make it small.
 *
 * Not done: sampling again during the run. Later requests of an operator may have another distribution.
 */
#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler/scheduler.h>

enum { SAMPLE = 1 << 16, MOST_TIMES = 256 };

typedef struct seen {
    ordo_u32 target, times;
} seen;

static ordo_u64 mix(ordo_u64 x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Open addressing; there is always a free place, since the table has two times as many places as the sample has
 * targets. */
static void count_target(seen *table, ordo_u64 mask, ordo_u32 target)
{
    ordo_u64 at = mix(target + 0x9e3779b97f4a7c15u) & mask;
    while (table[at].times && table[at].target != target)
        at = (at + 1) & mask;
    table[at].target = target;
    table[at].times++;
}

/* Writes the targets of the table to out->target, the most frequent first; those beyond MOST_TIMES in any order. */
static ordo_status sort_targets(const seen *table, ordo_u64 size, ordo_contention_sample *out)
{
    ordo_u64 begin[MOST_TIMES + 2] = {0};
    for (ordo_u64 i = 0; i < size; i++)
        if (table[i].times) {
            begin[MOST_TIMES + 1 - (table[i].times < MOST_TIMES ? table[i].times : MOST_TIMES)]++;
            out->count++;
        }
    for (int t = 0; t <= MOST_TIMES; t++)
        begin[t + 1] += begin[t];
    out->target = ordo_alloc(out->count + 1, sizeof *out->target);
    if (!out->target)
        return ORDO_ERR_MEMORY;
    for (ordo_u64 i = 0; i < size; i++)
        if (table[i].times)
            out->target[begin[MOST_TIMES - (table[i].times < MOST_TIMES ? table[i].times : MOST_TIMES)]++] =
                table[i].target;
    return ORDO_OK;
}

ordo_status ordo_contention_sample_make(const ordo_operator *op, const void *state, const ordo_item *initial,
                                        ordo_u64 count, ordo_contention_sample *out)
{
    *out = (ordo_contention_sample){0};
    if (!op->ask)
        return ORDO_OK;
    ordo_u64 sample = count < SAMPLE ? count : SAMPLE, size = 64;
    while (size < 2 * sample)
        size *= 2;
    seen *table = ordo_alloc_zero(size, sizeof *table);
    if (!table)
        return ORDO_ERR_MEMORY;
    double meets = 0, asked = 0;
    for (ordo_u64 i = 0; i < sample && asked < (double)sample; i++) {
        ordo_u32 target[ORDO_MOST_ASKED];
        const ordo_u64 first = i * count / sample, end = (i + 1) * count / sample; /* one of each interval */
        const ordo_u64 at = first + mix((i + 1) * 0xd1342543de82ef95u) % (end - first);
        ordo_u32 found = op->ask(state, initial ? initial[at] : (ordo_item)at, target);
        for (ordo_u32 k = 0; k < found && asked < (double)sample; k++, asked++)
            count_target(table, size - 1, target[k]);
    }
    for (ordo_u64 i = 0; i < size; i++)
        meets += table[i].times ? (double)table[i].times * (double)(table[i].times - 1) : 0;
    if (asked > 0) /* without a collision, as if there were one */
        out->targets = asked * (asked > 1 ? asked - 1 : 1) / (meets > 0 ? meets : 2);
    ordo_status status = sort_targets(table, size, out);
    ordo_free(table);
    return status;
}

void ordo_contention_sample_free(ordo_contention_sample *sample)
{
    ordo_free(sample->target);
    *sample = (ordo_contention_sample){0};
}
