/* critical.c -- references of bank, hash_table, lock_transfer and sgd: properties that hold after every critical
 * section has run exactly once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operators/bank.h"
#include "operators/dining.h"
#include "operators/hash_table.h"
#include "operators/lock_transfer.h"
#include "operators/matching.h"
#include "operators/sgd.h"

#include "contract.h"

/* ---- bank: money is conserved, every transfer is tried once ---- */

void contract_bank(trial *t, const edge_list *list)
{
    (void)list;
    ordo_u64 r = t->seed + 1, transfers = t->size * 4, accounts = t->seed % 3 ? t->size : 2, total = 0, after = 0;
    bank_transfer *transfer = contract_alloc(transfers, sizeof *transfer);
    ordo_u32 *outcome = contract_alloc(transfers, 4);
    ordo_u64 *balance = contract_alloc(accounts, 8), *change = contract_alloc(accounts, 8);
    for (ordo_u64 i = 0; i < transfers; i++)
        transfer[i] = (bank_transfer){(ordo_u32)(next_random(&r) % accounts), (ordo_u32)(next_random(&r) % accounts),
                                      (ordo_u32)(next_random(&r) % 50)};
    for (ordo_u64 a = 0; a < accounts; a++)
        total += balance[a] = next_random(&r) % 100;
    for (ordo_u64 a = 0; a < accounts; a++)
        change[a] = balance[a];
    bank_state state = {transfer, outcome, balance};
    ordo_work work = {.state = &state, .num_items = transfers, .targets = accounts};
    contract_run(t, &work);
    for (ordo_u64 i = 0; i < transfers; i++) {
        if (outcome[i] != BANK_PAID && outcome[i] != BANK_REFUSED)
            contract_fail(t, "a transfer was not tried");
        if (outcome[i] == BANK_PAID) {
            change[transfer[i].from] -= transfer[i].amount;
            change[transfer[i].to] += transfer[i].amount;
        }
    }
    for (ordo_u64 a = 0; a < accounts; a++) {
        after += balance[a];
        if (change[a] != balance[a])
            contract_fail(t, "a balance does not follow from the transfers that were paid");
    }
    if (after != total)
        contract_fail(t, "money was made or lost");
    if (t->stats.useful != transfers)
        contract_fail(t, "a transfer's section ran not exactly once");
    free(transfer);
    free(outcome);
    free(balance);
    free(change);
}

/* ---- lock_transfer: each section runs once, and no count of a target is lost ---- */

static void check_transfers(trial *t, bool two)
{
    ordo_u64 r = t->seed + 3, sections = t->size * 4, locks = t->seed % 3 ? t->size : 1 + t->seed % 2;
    ordo_u32 *first = contract_alloc(sections, 4), *second = contract_alloc(sections, 4),
             *done = contract_alloc(sections, 4), *chosen = contract_alloc(locks, 4);
    ordo_u64 *word = contract_alloc(locks * LOCK_TRANSFER_WORDS, 8);
    for (ordo_u64 i = 0; i < sections; i++) {
        first[i] = (ordo_u32)(next_random(&r) % locks);
        second[i] = two ? (ordo_u32)(next_random(&r) % locks) : first[i];
        chosen[first[i]]++;
        chosen[second[i]] += first[i] != second[i];
    }
    lock_transfer_state state = {first, second, done, word, (ordo_u32)(t->seed % 3)};
    ordo_work work = {.state = &state, .num_items = sections, .targets = locks};
    contract_run(t, &work);
    for (ordo_u64 i = 0; i < sections; i++)
        if (!done[i])
            contract_fail(t, "a section has not run");
    for (ordo_u64 k = 0; k < locks; k++) {
        const ordo_u64 *w = word + k * LOCK_TRANSFER_WORDS;
        if (w[LOCK_TRANSFER_SERVED] != chosen[k])
            contract_fail(t, "a target does not count its sections");
        if (w[LOCK_TRANSFER_HANDOVERS] > w[LOCK_TRANSFER_SERVED] || w[LOCK_TRANSFER_LONGEST_SERVED] >= sections)
            contract_fail(t, "more handovers, or a longer wait, than sections");
        if (w[LOCK_TRANSFER_LONGEST] > w[LOCK_TRANSFER_WAITED] || w[LOCK_TRANSFER_HANDING] > w[LOCK_TRANSFER_WAITED])
            contract_fail(t, "handovers, or the longest wait, took longer than all waits");
    }
    if (sections && t->stats.useful != sections)
        contract_fail(t, "a section ran not exactly once");
    free(first);
    free(second);
    free(done);
    free(chosen);
    free(word);
}

void contract_lock_transfer(trial *t, const edge_list *list)
{
    (void)list;
    check_transfers(t, false);
}

void contract_lock_transfer_pair(trial *t, const edge_list *list)
{
    (void)list;
    check_transfers(t, true);
}

/* ---- hash_table: every element is in its bucket, once ---- */

void contract_hash_table(trial *t, const edge_list *list)
{
    (void)list;
    ordo_u64 r = t->seed + 2, elements = t->size * 4, buckets = t->seed % 3 ? t->size : 1 + t->seed % 2, found = 0;
    ordo_u32 *bucket = contract_alloc(elements, 4), *next = contract_alloc(elements, 4),
             *head = contract_alloc(buckets, 4), *times = contract_alloc(elements, 4);
    for (ordo_u64 i = 0; i < elements; i++) {
        bucket[i] = (ordo_u32)(next_random(&r) % buckets);
        next[i] = HASH_TABLE_FREE;
    }
    for (ordo_u64 b = 0; b < buckets; b++)
        head[b] = HASH_TABLE_END;
    hash_table_state state = {bucket, next, head};
    ordo_work work = {.state = &state, .num_items = elements, .targets = buckets};
    contract_run(t, &work);
    for (ordo_u64 b = 0; b < buckets; b++)
        for (ordo_u32 i = head[b]; i != HASH_TABLE_END; i = next[i]) {
            if (i >= elements || bucket[i] != b)
                contract_fail(t, "a bucket holds what is none of its elements");
            if (times[i]++)
                contract_fail(t, "an element is in a bucket twice");
            found++;
        }
    if (found != elements)
        contract_fail(t, "an insertion was lost");
    if (t->stats.useful != elements)
        contract_fail(t, "an insertion was counted not exactly once");
    free(bucket);
    free(next);
    free(head);
    free(times);
}

/* ---- sgd: every rating is used once an epoch; on one thread bit for bit as in a loop, where a scheduler takes items
 * in the order in which they stand, else about as good ---- */

enum { RANK = 3, EPOCHS = 4 };

static double mean_square(const sgd_state *s, ordo_u64 ratings)
{
    double sum = 0;
    for (ordo_u64 i = 0; i < ratings; i++) {
        double e = (double)s->rating[i].value - (double)s->mean;
        for (int k = 0; k < RANK; k++)
            e -= (double)s->factor[s->rating[i].user * RANK + (ordo_u32)k] *
                 (double)s->factor[(s->users + s->rating[i].thing) * RANK + (ordo_u32)k];
        sum += e * e;
    }
    return sum / (double)ratings;
}

static void loop_epoch(sgd_state *s, ordo_u64 ratings)
{
    for (ordo_u64 i = 0; i < ratings; i++) {
        ordo_f32 *p = s->factor + s->rating[i].user * RANK;
        ordo_f32 *q = s->factor + (s->users + s->rating[i].thing) * RANK, e = s->rating[i].value - s->mean;
        for (int k = 0; k < RANK; k++)
            e -= p[k] * q[k];
        for (int k = 0; k < RANK; k++) {
            ordo_f32 old = p[k];
            p[k] += s->rate * (e * q[k] - s->decay * old);
            q[k] += s->rate * (e * old - s->decay * q[k]);
        }
    }
}

void contract_sgd(trial *t, const edge_list *list)
{
    (void)list;
    ordo_u64 r = t->seed + 3, ratings = t->size * 6, users = t->size / 2 + 1,
             things = t->seed % 3 ? t->size / 4 + 1 : 1;
    sgd_rating *rating = contract_alloc(ratings, sizeof *rating);
    ordo_u32 *done = contract_alloc(ratings, 4);
    ordo_f32 *factor = contract_alloc((users + things) * RANK, 4),
             *expected = contract_alloc((users + things) * RANK, 4);
    for (ordo_u64 i = 0; i < ratings; i++)
        rating[i] = (sgd_rating){(ordo_u32)(next_random(&r) % users), (ordo_u32)(next_random(&r) % things),
                                 (ordo_f32)(1 + next_random(&r) % 5)};
    for (ordo_u64 i = 0; i < (users + things) * RANK; i++)
        factor[i] = expected[i] = (ordo_f32)(next_random(&r) % 1000) / 2000;
    sgd_state state = {rating, done, factor, (ordo_u32)users, RANK, 0, 3.0f, 0.02f, 0.01f}, loop = state;
    loop.factor = expected;
    const double before = mean_square(&state, ratings);
    for (state.epoch = 1; state.epoch <= EPOCHS; state.epoch++) {
        ordo_work work = {.state = &state, .num_items = ratings, .targets = users + things};
        contract_run(t, &work);
        loop_epoch(&loop, ratings);
        if (t->stats.useful != ratings)
            contract_fail(t, "a rating was used not exactly once");
        for (ordo_u64 i = 0; i < ratings; i++)
            if (done[i] != state.epoch)
                contract_fail(t, "a rating was not used");
    }
    if (t->options.threads == 1 && !t->options.device && strcmp(t->options.scheduler, "inbox") &&
        strcmp(t->options.scheduler, "adds"))
        for (ordo_u64 i = 0; i < (users + things) * RANK; i++)
            if (factor[i] != expected[i])
                contract_fail(t, "a factor is not what a loop over the ratings gives");
    const double after = mean_square(&state, ratings), looped = mean_square(&loop, ratings);
    if (!(fabs(after - looped) <= 0.25 * fabs(before - looped) + 0.05 * looped))
        contract_fail(t, "the error is not about that of a loop over the ratings");
    free(rating);
    free(done);
    free(factor);
    free(expected);
}

/* ---- matching: matched edges share no end, and none can be added ---- */

void contract_matching(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, t->seed % 2 ? ORDO_U32 : ORDO_NONE, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = rows->n;
    matching_state state = {.edge = contract_alloc(n, 4)};
    ordo_u32 *ends = contract_alloc(rows->m, 4);
    if (ordo_edges_of(g, true, 1, &state.edges))
        abort();
    memset(state.edge, 0xff, n * sizeof *state.edge);
    ordo_work work = {.graph = g, .state = &state, .num_items = rows->m, .targets = n};
    contract_run(t, &work);
    for (ordo_u64 v = 0; v < n; v++)
        for (ordo_eid e = rows->row[v]; e < rows->row[v + 1]; e++) {
            const ordo_vid w = rows->head[e * rows->stride];
            if (v == w ? state.edge[v] == e : state.edge[v] == MATCHING_NONE && state.edge[w] == MATCHING_NONE)
                contract_fail(t, v == w ? "a loop is matched" : "an edge could be added");
            ends[e] = (ordo_u32)(state.edge[v] == e) + (ordo_u32)(state.edge[w] == e);
            if (ends[e] == 1 && v != w)
                contract_fail(t, "one end of an edge is matched by it, the other is not");
        }
    for (ordo_u64 v = 0; v < n; v++)
        if (state.edge[v] != MATCHING_NONE && (state.edge[v] >= rows->m || ends[state.edge[v]] != 2))
            contract_fail(t, "a vertex is matched by an edge that is not its own");
    free(state.edge);
    free(ends);
    ordo_graph_free(g);
}

/* ---- dining: every meal is eaten, and counted at every fork ---- */

void contract_dining(trial *t, const edge_list *list)
{
    (void)list;
    ordo_u64 r = t->seed + 5;
    const ordo_u64 items = t->size * 2, targets = t->seed % 3 ? t->size + 8 : 9;
    ordo_u32 *fork = contract_alloc(items * ORDO_MOST_TARGETS, 4), *forks = contract_alloc(items, 4),
             *meals = contract_alloc(items, 4), *eaten = contract_alloc(items, 4);
    ordo_u64 *uses = contract_alloc(targets, 8), *expected = contract_alloc(targets, 8), all = 0;
    for (ordo_u64 i = 0; i < items; i++) {
        forks[i] = 1 + (ordo_u32)(next_random(&r) % ORDO_MOST_TARGETS);
        meals[i] = (ordo_u32)(next_random(&r) % 4);
        all += meals[i];
        for (ordo_u32 k = 0; k < forks[i]; k++) { /* one fork may be listed twice */
            fork[i * ORDO_MOST_TARGETS + k] = (ordo_u32)(next_random(&r) % targets);
            expected[fork[i * ORDO_MOST_TARGETS + k]] += meals[i];
        }
    }
    dining_state state = {fork, forks, meals, eaten, uses};
    ordo_work work = {.state = &state, .num_items = items, .targets = targets};
    contract_run(t, &work);
    for (ordo_u64 i = 0; i < items; i++)
        if (eaten[i] != meals[i])
            contract_fail(t, "a philosopher has not had its meals");
    for (ordo_u64 f = 0; f < targets; f++)
        if (uses[f] != expected[f])
            contract_fail(t, "a fork was not used as often as its philosophers ate");
    if (t->stats.useful != all)
        contract_fail(t, "a section ran not exactly once for a meal");
    free(fork);
    free(forks);
    free(meals);
    free(eaten);
    free(uses);
    free(expected);
}
