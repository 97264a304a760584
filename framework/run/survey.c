/* survey.c -- what a critical operator's requests say about its targets before it runs: how few are hot, and which.
 *
 * Problem: whether locks, servers or combining is fastest depends on how many targets share the requests, and servers
 * want the hot ones dealt out evenly; nobody tells. Method: visit a sample of the items, all of them or 65 536, each
 * anywhere in a stretch of its own, and count the targets that they ask for. Two requests meet in a target with some
 * probability; its inverse is the number of equally frequent targets that would meet as often, which a few very hot
 * ones make small.
 *
 * Not done: to look again while the run goes on. What an operator asks for later may be something else.
 */
#include <string.h>

#include <ordo/memory.h>
#include <ordo/scheduler.h>

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

/* Open addressing; there is always a place, as the table has twice as many as the sample. */
static void count_target(seen *table, ordo_u64 mask, ordo_u32 target)
{
    ordo_u64 at = mix(target + 0x9e3779b97f4a7c15u) & mask;
    while (table[at].times && table[at].target != target)
        at = (at + 1) & mask;
    table[at].target = target;
    table[at].times++;
}

/* Those of the table to out->target, the most frequent first; beyond MOST_TIMES in any order. */
static ordo_status sort_targets(const seen *table, ordo_u64 size, ordo_survey *out)
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

ordo_status ordo_survey_make(const ordo_operator *op, const void *state, const ordo_item *initial, ordo_u64 count,
                             ordo_survey *out)
{
    *out = (ordo_survey){0};
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
        const ordo_u64 first = i * count / sample, end = (i + 1) * count / sample; /* one of each stretch */
        const ordo_u64 at = first + mix((i + 1) * 0xd1342543de82ef95u) % (end - first);
        ordo_u32 found = op->ask(state, initial ? initial[at] : (ordo_item)at, target);
        for (ordo_u32 k = 0; k < found && asked < (double)sample; k++, asked++)
            count_target(table, size - 1, target[k]);
    }
    for (ordo_u64 i = 0; i < size; i++)
        meets += table[i].times ? (double)table[i].times * (double)(table[i].times - 1) : 0;
    if (asked > 0) /* where none met, as if two had */
        out->targets = asked * (asked > 1 ? asked - 1 : 1) / (meets > 0 ? meets : 2);
    ordo_status status = sort_targets(table, size, out);
    ordo_free(table);
    return status;
}

void ordo_survey_free(ordo_survey *survey)
{
    ordo_free(survey->target);
    *survey = (ordo_survey){0};
}
