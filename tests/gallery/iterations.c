/* iterations.c -- the reference of jacobi: Gaussian elimination of the whole matrix. */
#include <math.h>

#include "operators/gallery/jacobi.h"

#include "gallery.h"

/* Solves a x = b; a[n * n] by rows is dominated by its diagonal, so no pivot is looked for. Both are overwritten, b by
 * x.
 */
static void eliminate(double *a, double *b, ordo_u64 n)
{
    for (ordo_u64 k = 0; k < n; k++)
        for (ordo_u64 i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (ordo_u64 j = k; j < n && factor != 0; j++)
                a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    for (ordo_u64 k = n; k-- > 0;) {
        for (ordo_u64 j = k + 1; j < n; j++)
            b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

void gallery_jacobi(trial *t, const edge_list *list)
{
    ordo_graph *g = family_graph(list, ORDO_F32, contract_direction(t));
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u64 n = rows->n;
    double *a = contract_alloc(n * n, sizeof *a), *exact = contract_alloc(n, sizeof *exact);
    double *right = contract_alloc(n, sizeof *right), *diagonal = contract_alloc(n, sizeof *diagonal);
    double *x = contract_alloc(n, sizeof *x), most = 1;
    const double scale = t->seed % 2 ? -1 : 0.5;
    for (ordo_u64 u = 0; u < n; u++)
        for (ordo_eid e = rows->row[u]; e < rows->row[u + 1]; e++) {
            const double w = (double)((const ordo_f32 *)rows->weight)[e * rows->stride];
            a[rows->head[e * rows->stride] * n + u] += scale * w;
            diagonal[rows->head[e * rows->stride]] += 2 * fabs(scale * w);
        }
    for (ordo_u64 v = 0; v < n; v++) { /* so that q is a half */
        diagonal[v] += 1;
        right[v] = exact[v] = (double)(v % 5) - 2;
        a[v * n + v] += diagonal[v];
        most = fmax(most, diagonal[v]);
    }
    eliminate(a, exact, n);
    const jacobi_state state = {right, diagonal, scale, 1e-10, 1 + t->seed % 200};
    ordo_work work = {.graph = g, .cells = x, .state = &state, .num_items = n, .targets = n};
    contract_run(t, &work);
    const double change = n ? t->stats.change : 0;
    const ordo_u64 rounds = n ? t->stats.items / n : 0; /* by residual, of so many items */
    if (n && change > state.tolerance && rounds < state.rounds)
        contract_fail(t, "it ended early");
    for (ordo_u64 v = 0; v < n; v++)
        if (!(fabs(x[v] - exact[v]) <= change * (1 + 1e-6) + 1e-12 * most))
            contract_fail(t, "an unknown is farther from the solution than the last change allows");
    free(a);
    free(exact);
    free(right);
    free(diagonal);
    free(x);
    ordo_graph_free(g);
}
