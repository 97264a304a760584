/* partition.c -- divides vertices into parts, and counts what each part holds.
 *
 * Method: METIS (Karypis and Kumar, SIAM J. Sci. Comput. 20(1), 1998) on the graph with directions, loops and parallel
 * edges left out, always from the same seed. Every edge counts 1, and a vertex 1 and its out-edges as the part stores
 * them: that is its work, and about its memory. Graphs of fewer than 16 vertices
 * for each part, or without edges, are cut into ranges. A graph keeps the partitions that METIS made. The other methods
 * are arithmetic on a vertex' number or on its place among the edges.
 *
 * Not done: vertices and edges in balance each by itself; METIS on several threads; a choice of imbalance.
 */
#include <ordo/partition.h>

#include "framework/graph/text.h"

#ifdef HAVE_METIS
#include <metis.h>
#endif

struct ordo_partition {
    ordo_partition *next;
    ordo_u32 parts;
    ordo_u32 part[]; /* [n] */
};

#ifdef HAVE_METIS

/* Writes the neighbours of u in either direction, each once, without u; returns their number. `seen[v]` is the last
 * u + 1 of which v was a neighbour. */
static ordo_u64 neighbours(const ordo_csr *const rows[2], ordo_vid u, ordo_u32 *seen, idx_t *to)
{
    ordo_u64 count = 0;
    seen[u] = u + 1;
    for (int i = 0; i < 2 && rows[i]; i++)
        for (ordo_eid e = rows[i]->row[u]; e < rows[i]->row[u + 1]; e++) {
            ordo_vid v = rows[i]->head[e * rows[i]->stride];
            if (seen[v] == u + 1)
                continue;
            seen[v] = u + 1;
            if (to)
                to[count] = (idx_t)v;
            count++;
        }
    return count;
}

static ordo_status cut(const ordo_csr *const rows[2], ordo_u32 parts, ordo_u32 *part)
{
    const ordo_vid n = rows[0]->n;
    ordo_u32 *seen = ordo_alloc_zero(n, sizeof *seen);
    idx_t *row = ordo_alloc((size_t)n + 1, sizeof *row), *found = ordo_alloc(n, sizeof *found), *head = NULL;
    idx_t *work = ordo_alloc(n, sizeof *work);
    ordo_status status = seen && row && found && work ? ORDO_OK : ORDO_ERR_MEMORY;
    ordo_u64 edges = 0;
    for (ordo_vid u = 0; !status && u < n; u++) {
        row[u] = (idx_t)edges;
        work[u] = (idx_t)(1 + rows[0]->row[u + 1] - rows[0]->row[u]);
        edges += neighbours(rows, u, seen, NULL);
    }
    const ordo_u64 sum = edges > rows[0]->m + n ? edges : rows[0]->m + n; /* the larger sum that METIS makes */
    if (!status && sum > (ordo_u64)IDX_MAX)
        status = ordo_fail(ORDO_ERR_INPUT, "%llu edges to partition, METIS was built for at most %llu",
                           (unsigned long long)sum, (unsigned long long)IDX_MAX);
    if (!status && !(head = ordo_alloc(edges, sizeof *head)))
        status = ORDO_ERR_MEMORY;
    if (!status) {
        row[n] = (idx_t)edges;
        for (ordo_vid u = 0; u < n; u++)
            seen[u] = 0;
        for (ordo_vid u = 0; u < n; u++)
            neighbours(rows, u, seen, head + row[u]);
        idx_t options[METIS_NOPTIONS], vertices = (idx_t)n, constraints = 1, wanted = (idx_t)parts, crossing;
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = 1;
        int result = edges ? METIS_PartGraphKway(&vertices, &constraints, row, head, work, NULL, NULL, &wanted, NULL,
                                                 NULL, options, &crossing, found)
                           : METIS_OK;
        if (result == METIS_ERROR_MEMORY)
            status = ordo_fail(ORDO_ERR_MEMORY, "METIS has not enough memory for %u vertices and %llu edges", n,
                               (unsigned long long)edges);
        else if (result != METIS_OK)
            status = ordo_fail(ORDO_ERR_INTERNAL, "METIS ends with %d", result);
    }
    for (ordo_vid v = 0; !status && v < n; v++) {
        part[v] = edges ? (ordo_u32)found[v] : (ordo_u32)((ordo_u64)v * parts / n);
        if (part[v] >= parts)
            status = ordo_fail(ORDO_ERR_INTERNAL, "METIS puts vertex %u into part %u of %u", v, part[v], parts);
    }
    ordo_free(seen);
    ordo_free(row);
    ordo_free(found);
    ordo_free(work);
    ordo_free(head);
    return status;
}

#else

static ordo_status cut(const ordo_csr *const rows[2], ordo_u32 parts, ordo_u32 *part)
{
    (void)rows;
    (void)parts;
    (void)part;
    return ordo_fail(ORDO_ERR_USAGE, "a partition was asked for, and this build has no METIS (see -Dmetis)");
}

#endif

ordo_status ordo_graph_partition(const ordo_graph *g, ordo_u32 parts, int threads, const ordo_u32 **out)
{
    if (parts == 0)
        return ordo_fail(ORDO_ERR_USAGE, "a partition into 0 parts was asked for");
    const ordo_csr *rows[2] = {ordo_graph_out(g), NULL};
    ordo_status status = g->symmetric ? ORDO_OK : ordo_graph_in(g, threads, &rows[1]);
    if (status)
        return status;
    ordo_graph *me = (ordo_graph *)(size_t)g; /* as in ordo_graph_in */
    pthread_mutex_lock(&me->lock);
    ordo_partition *p = me->partitions;
    while (p && p->parts != parts)
        p = p->next;
    if (!p) {
        const ordo_vid n = rows[0]->n;
        p = ordo_alloc(sizeof *p + (size_t)n * sizeof p->part[0], 1);
        status = p ? ORDO_OK : ORDO_ERR_MEMORY;
        if (!status && (parts == 1 || n < (ordo_u64)16 * parts)) /* METIS divides by the logarithm of parts */
            for (ordo_vid v = 0; v < n; v++)
                p->part[v] = (ordo_u32)((ordo_u64)v * parts / n);
        else if (!status)
            status = cut(rows, parts, p->part);
        if (status) {
            ordo_free(p);
        } else {
            p->parts = parts;
            p->next = me->partitions;
            me->partitions = p;
        }
    }
    pthread_mutex_unlock(&me->lock);
    if (!status)
        *out = p->part;
    return status;
}

/* ---- other methods ---- */

static const char *const method_names[] = {"metis", "block", "edges", "random"};
enum { METHODS = sizeof method_names / sizeof method_names[0] };

const char *ordo_partition_method_name(ordo_partition_method method)
{
    return (unsigned)method < METHODS ? method_names[method] : NULL;
}

static ordo_status check_parts(ordo_u32 parts)
{
    return parts >= 1 && parts <= ORDO_MAX_PARTS
               ? ORDO_OK
               : ordo_fail(ORDO_ERR_USAGE, "found %u parts, expected 1 to %d", parts, ORDO_MAX_PARTS);
}

/* The part of a vertex without METIS. */
static ordo_u32 part_of(const ordo_csr *rows, const ordo_partition_query *q, ordo_vid v)
{
    switch (q->method) {
    case ORDO_PARTITION_RANDOM:
        return (ordo_u32)ordo_below(ordo_scramble(ordo_scramble(q->seed) ^ v), q->parts);
    case ORDO_PARTITION_EDGES: /* below 2^41 times 2^16 */
        return (ordo_u32)((rows->row[v] + v) * q->parts / (rows->m + rows->n));
    default:
        return (ordo_u32)((ordo_u64)v * q->parts / rows->n);
    }
}

ordo_status ordo_partition_make(const ordo_graph *g, const ordo_partition_query *query, ordo_u32 *part)
{
    const ordo_csr *rows = ordo_graph_out(g);
    const ordo_u32 *kept;
    ordo_status status = check_parts(query->parts);
    if (!status && !ordo_partition_method_name(query->method))
        status =
            ordo_fail(ORDO_ERR_USAGE, "found partition method %d, expected 0 to %d", (int)query->method, METHODS - 1);
    if (!status && query->method == ORDO_PARTITION_METIS) {
        status = ordo_graph_partition(g, query->parts, query->threads, &kept);
        for (ordo_vid v = 0; !status && v < rows->n; v++)
            part[v] = kept[v];
        return status;
    }
    for (ordo_vid v = 0; !status && v < rows->n; v++)
        part[v] = part_of(rows, query, v);
    return status;
}

/* ---- what parts hold ---- */

typedef struct measure {
    const ordo_csr *rows;
    const ordo_u32 *part;
    ordo_u32 parts;
    ordo_u64 *first; /* [parts + 1] of each part's vertices in `order` */
    ordo_vid *order; /* [n] vertices by part */
    ordo_u64 *seen;  /* [members][words] bits: heads of the part that a member looks at */
    ordo_u64 words;
    ordo_part *out;
    ordo_u32 next; /* atomic: the next part that no member has */
} measure;

static void measure_part(const measure *m, ordo_u32 p, ordo_u64 *seen)
{
    ordo_part *out = &m->out[p];
    __builtin_memset(seen, 0, m->words * sizeof *seen);
    *out = (ordo_part){.vertices = m->first[p + 1] - m->first[p]};
    for (ordo_u64 i = m->first[p]; i < m->first[p + 1]; i++) {
        const ordo_vid u = m->order[i];
        out->edges += m->rows->row[u + 1] - m->rows->row[u];
        for (ordo_eid e = m->rows->row[u]; e < m->rows->row[u + 1]; e++) {
            const ordo_vid v = m->rows->head[e * m->rows->stride];
            if (m->part[v] == p)
                continue;
            const ordo_u64 bit = (ordo_u64)1 << v % 64;
            out->cut++;
            out->ghosts += !(seen[v / 64] & bit);
            seen[v / 64] |= bit;
        }
    }
}

static void measure_parts(void *arg, int member)
{
    measure *m = arg;
    ordo_u64 *seen = m->seen + (ordo_u64)member * m->words;
    for (ordo_u32 p; (p = __atomic_fetch_add(&m->next, 1, __ATOMIC_RELAXED)) < m->parts;)
        measure_part(m, p, seen);
}

/* Vertices in the order of their parts. */
static ordo_status sort_by_part(measure *m)
{
    const ordo_vid n = m->rows->n;
    m->first = ordo_alloc_zero((size_t)m->parts + 2, sizeof *m->first);
    m->order = ordo_alloc(n, sizeof *m->order);
    if (!m->first || !m->order)
        return ORDO_ERR_MEMORY;
    for (ordo_vid v = 0; v < n; v++) {
        if (m->part[v] >= m->parts)
            return ordo_fail(ORDO_ERR_USAGE, "found vertex %u in part %u, expected a part below %u", v, m->part[v],
                             m->parts);
        m->first[m->part[v] + 2]++;
    }
    for (ordo_u32 p = 2; p <= m->parts; p++)
        m->first[p] += m->first[p - 1];
    for (ordo_vid v = 0; v < n; v++)
        m->order[m->first[m->part[v] + 1]++] = v;
    return ORDO_OK;
}

ordo_status ordo_partition_measure(const ordo_graph *g, ordo_u32 parts, const ordo_u32 *part, int threads,
                                   ordo_part *out)
{
    measure m = {.rows = ordo_graph_out(g), .part = part, .parts = parts, .out = out};
    ordo_team *team = NULL;
    ordo_status status = check_parts(parts);
    if (!status)
        status = sort_by_part(&m);
    if (!status)
        status = ordo_graph_team(threads, parts > 1 ? m.rows->m : 0, &team);
    if (!status) {
        m.words = ((ordo_u64)m.rows->n + 63) / 64;
        m.seen = ordo_alloc((size_t)ordo_team_size(team) * m.words, sizeof *m.seen);
        status = m.seen ? ORDO_OK : ORDO_ERR_MEMORY;
    }
    if (!status)
        ordo_team_run(team, measure_parts, &m);
    if (team)
        ordo_team_return(team);
    ordo_free(m.first);
    ordo_free(m.order);
    ordo_free(m.seen);
    return status;
}

/* ---- files ---- */

static ordo_status read_lines(const ordo_input *in, ordo_u64 n, ordo_u32 parts, ordo_u32 *part)
{
    ordo_cursor c = {in, in->bytes, 1};
    ordo_words w;
    ordo_u64 v = 0, number;
    while (ordo_next_line(&c, &w)) {
        if (v == n)
            return ordo_text_fail(in, w.line, w.word[0].begin, "the end of the file behind the parts of %llu vertices",
                                  (unsigned long long)n);
        if (w.count > 1)
            return ordo_text_fail(in, w.line, w.word[1].begin, "one number in a line");
        if (w.count == 0 || !ordo_span_number(w.word[0], &number) || number >= parts)
            return ordo_text_fail(in, w.line, w.word[0].begin, "a part from 0 to %u", parts - 1);
        part[v++] = (ordo_u32)number;
    }
    return v == n ? ORDO_OK
                  : ordo_text_fail(in, v + 1, NULL, "a line for each of %llu vertices", (unsigned long long)n);
}

ordo_status ordo_partition_read(const char *path, ordo_u64 n, ordo_u32 parts, ordo_u32 *part)
{
    ordo_input in;
    ordo_status status = check_parts(parts);
    if (!status)
        status = ordo_input_open(path, &in);
    if (status)
        return status;
    status = read_lines(&in, n, parts, part);
    ordo_input_close(&in);
    return status;
}

typedef struct lines {
    ordo_u64 n;
    const ordo_u32 *part;
} lines;

static ordo_status write_lines(ordo_writer *w, const void *arg)
{
    const lines *l = arg;
    for (ordo_u64 v = 0; v < l->n && !ordo_put_failed(w); v++) {
        ordo_put_number(w, l->part[v]);
        ordo_put_text(w, "\n");
    }
    return ORDO_OK;
}

ordo_status ordo_partition_write(const char *path, ordo_u64 n, const ordo_u32 *part)
{
    return ordo_write_file(path, write_lines, &(lines){n, part});
}

void ordo_partitions_free(ordo_partition *list)
{
    while (list) {
        ordo_partition *next = list->next;
        ordo_free(list);
        list = next;
    }
}
