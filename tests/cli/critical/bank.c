/* bank.c -- operators/bank.h for `ordo check-operator`: every vertex makes one transfer, to the head of its first edge.
 */
#include <ordo/graph.h>

struct bank_state;
static void bank_fill(struct bank_state *s, const ordo_csr *graph, ordo_vid source);
static ordo_vid bank_check(const struct bank_state *s, const ordo_csr *graph);
#define ORDO_CRITICAL_FILL bank_fill
#define ORDO_CRITICAL_CHECK bank_check
#define ORDO_CRITICAL_RESULT balance
#include "../../../operators/bank.h"

static ordo_u64 bank_first_balance(const ordo_csr *graph, ordo_vid v)
{
    return 2 * (graph->row[v + 1] - graph->row[v]);
}

static void bank_fill(bank_state *s, const ordo_csr *graph, ordo_vid source)
{
    ordo_vid v;
    bank_transfer *transfer = (bank_transfer *)(size_t)s->transfer;
    (void)source;
    for (v = 0; v < graph->n; v++) {
        const ordo_eid first = graph->row[v];
        transfer[v].from = v;
        transfer[v].to = first < graph->row[v + 1] ? graph->head[first * graph->stride] : v;
        transfer[v].amount = 1 + v % 3;
        s->outcome[v] = BANK_OPEN;
        s->balance[v] = bank_first_balance(graph, v);
    }
}

/* Every transfer is tried, and balances follow from those that were paid. */
static ordo_vid bank_check(const bank_state *s, const ordo_csr *graph)
{
    ordo_vid v, i;
    for (v = 0; v < graph->n; v++) {
        ordo_u64 balance = bank_first_balance(graph, v);
        for (i = 0; i < graph->n; i++)
            if (s->outcome[i] == BANK_PAID) {
                balance += s->transfer[i].to == v ? s->transfer[i].amount : 0;
                balance -= s->transfer[i].from == v ? s->transfer[i].amount : 0;
            }
        if (s->outcome[v] == BANK_OPEN || s->balance[v] != balance)
            return v;
    }
    return ORDO_NO_VERTEX;
}
