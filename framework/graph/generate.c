/* generate.c -- generated graphs: the call, and what all kinds have in common.
 *
 * Problem: graphs of any size for tests and measurements, the same for the same arguments on any machine with any
 * number of threads, without an edge list in memory.
 *
 * Method: no random stream. Every edge is a hash (splitmix64) of the seed and its own number, so any thread can make
 * any edge, as often as needed: a kind is a source of edges, which the builder reads twice. The exception is urand,
 * which reproduces the stream of another program. Weights are drawn by transform.c; road, rlg and genrmf make their
 * own.
 *
 * Not done: graphs one part of which depends on another (preferential attachment and similar).
 */
#include "generate.h"

#include "framework/run/number.h"
#include "framework/run/reserved.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct kind {
    const char *name;
    ordo_kind_fn *prepare;
} kinds[] = {
    {"rmat", ordo_make_rmat},       {"kron", ordo_make_kron}, {"urand", ordo_make_urand},
    {"uniform", ordo_make_uniform}, {"grid", ordo_make_grid}, {"mesh", ordo_make_mesh},
    {"road", ordo_make_road},       {"rlg", ordo_make_rlg},   {"genrmf", ordo_make_genrmf},
    {"star", ordo_make_star},       {"path", ordo_make_path}, {"complete", ordo_make_complete},
    {"cliques", ordo_make_cliques},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- for the kinds ---- */

void ordo_maker_describe(ordo_maker *m, const char *format, ...)
{
    size_t used = strlen(m->text);
    va_list arguments;
    va_start(arguments, format);
    ordo_vformat(m->text + used, sizeof m->text - used, format, arguments);
    va_end(arguments);
}

void ordo_maker_say_real(ordo_maker *m, const char *before, double value)
{
    char digits[40];
    for (int precision = 1; precision <= 17; precision++) {
        double back;
        ordo_format(digits, sizeof digits, "%.*g", precision, value);
        if (ordo_parse_real(digits, &back) && !(back < value) && !(back > value))
            break;
    }
    ordo_maker_describe(m, "%s%s", before, digits);
}

ordo_status ordo_maker_some(const ordo_maker *m, const char *name, ordo_u64 value)
{
    return value ? ORDO_OK : ordo_fail(ORDO_ERR_USAGE, "%s: found %s 0, expected at least 1", m->o->kind, name);
}

ordo_status ordo_maker_box(ordo_maker *m, ordo_u64 more)
{
    ordo_status status = ordo_maker_some(m, "width", m->width);
    if (!status)
        status = ordo_maker_some(m, "height", m->height);
    if (!status && (__builtin_mul_overflow(m->width * m->height, m->depth, &m->n) || m->n > ORDO_MAX_VERTICES - more))
        status = ordo_fail(ORDO_ERR_USAGE, "%s: found %llu x %llu x %llu vertices, expected at most %llu", m->o->kind,
                           (unsigned long long)m->width, (unsigned long long)m->height, (unsigned long long)m->depth,
                           (unsigned long long)(ORDO_MAX_VERTICES - more));
    m->n += more;
    return status;
}

/* ---- the source ---- */

static void give(void *self, ordo_u64 part, bool ends_only, ordo_taker *to)
{
    const ordo_maker *m = self;
    ordo_batch batch;
    batch.to = to;
    batch.count = 0;
    ordo_u64 begin = part * m->items_a_part, left = m->items - begin;
    m->make(m, begin, begin + (left < m->items_a_part ? left : m->items_a_part), ends_only, &batch);
    if (batch.count)
        ordo_batch_flush(&batch);
}

/* Checks the size of the graph, so that one that does not fit is refused before any work; chooses the parts. */
static ordo_status cut(ordo_maker *m, ordo_source *from)
{
    enum { EDGES_A_PART = 1 << 16 };
    if (m->n > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found %llu vertices, expected at most %llu", m->o->kind,
                         (unsigned long long)m->n, (unsigned long long)ORDO_MAX_VERTICES);
    ordo_u64 bytes; /* of edges in rows, at least */
    if (__builtin_mul_overflow(m->edges, m->mirror && !m->simple ? 2 * sizeof(ordo_vid) : sizeof(ordo_vid), &bytes) ||
        !ordo_memory_fits(bytes))
        return ordo_fail(ORDO_ERR_MEMORY, "%s: not enough memory for %llu vertices and %llu edges", m->o->kind,
                         (unsigned long long)m->n, (unsigned long long)m->edges);
    if (m->items_a_part == 0) {
        ordo_u64 of_item = m->items ? m->edges / m->items : 0;
        m->items_a_part = of_item == 0 ? EDGES_A_PART : of_item < EDGES_A_PART ? EDGES_A_PART / of_item : 1;
    }
    *from = (ordo_source){.self = m,
                          .parts = m->items ? (m->items - 1) / m->items_a_part + 1 : 1,
                          .n = m->n,
                          .edges = m->n > m->edges ? m->n : m->edges,
                          .mirror = m->mirror,
                          .give = give};
    return ORDO_OK;
}

/* ---- the call ---- */

/* The kind of that name; NULL, with the error set, where there is none. */
static const struct kind *find_kind(const char *name)
{
    char names[160] = "";
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s",
                 i == 0           ? ""
                 : i == KINDS - 1 ? " or "
                                  : ", ",
                 kinds[i].name);
    }
    ordo_fail(ORDO_ERR_UNKNOWN, "found generator '%s', expected %s", name, names);
    return NULL;
}

/* The edge transforms that the builder applies. */
static ordo_status edge_options(const ordo_maker *m, ordo_edge_options *out)
{
    *out = m->o->edges;
    if (out->weights != ORDO_WEIGHTS_AS_STORED && out->weights != ORDO_WEIGHTS_DROP)
        return ordo_fail(ORDO_ERR_USAGE,
                         "%s: found weights %d, expected those of the graph (0) or none (%d): low and high say which",
                         m->o->kind, (int)out->weights, (int)ORDO_WEIGHTS_DROP);
    if (out->high == 0 || m->lengths)
        out->low = out->high = 0; /* there are none */
    if (out->high > 0 && !m->capacities && out->weights != ORDO_WEIGHTS_DROP)
        out->weights = ORDO_WEIGHTS_UNIFORM;
    if (m->simple) {
        out->drop_loops = true;
        out->parallel = ORDO_PARALLEL_MIN;
    }
    return ordo_edge_options_check(out);
}

/* Adds the edge transforms to the text. */
static void say_edges(ordo_maker *m, const ordo_edge_options *e)
{
    static const char *const parallel[] = {"", "min", "max", "sum", "first"};
    const ordo_edge_options *asked = &m->o->edges;
    bool drawn = e->high && e->weights != ORDO_WEIGHTS_DROP;
    if (drawn)
        ordo_maker_describe(m, " --weights uniform:%u:%u", e->low, e->high);
    if (m->lengths && e->weights == ORDO_WEIGHTS_DROP)
        ordo_maker_describe(m, " --drop-weights");
    if (e->weight_type != ORDO_NONE)
        ordo_maker_describe(m, " --weight-type %s", ordo_type_name(e->weight_type));
    if (m->random || drawn)
        ordo_maker_describe(m, " --seed %llu", (unsigned long long)e->seed);
    if (asked->direction == ORDO_SYMMETRISE && m->mirror == ORDO_MIRROR_NONE)
        ordo_maker_describe(m, " --symmetrise");
    if (asked->drop_loops && !m->simple)
        ordo_maker_describe(m, " --drop-loops");
    if (asked->parallel && !m->simple)
        ordo_maker_describe(m, " --dedup %s", parallel[asked->parallel]);
}

ordo_status ordo_graph_generate(const ordo_generate_options *options, ordo_graph **out)
{
    if (!options || !out || !options->kind)
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", !options ? "options" : !out ? "out" : "kind");
    ordo_status status = ORDO_RESERVED_CHECK(ordo_generate_options, options);
    if (status)
        return status;
    ordo_maker m = {.o = options,
                    .key = ordo_scramble(options->edges.seed),
                    .vertices = {.source = ORDO_NO_VERTEX, .sink = ORDO_NO_VERTEX}};
    ordo_edge_options edges;
    ordo_origin origin = {.source = m.text,
                          .format = "generated",
                          .start = ordo_seconds(),
                          .threads = options->threads,
                          .edges = &edges,
                          .vertices = &m.vertices};
    ordo_source from;
    const struct kind *kind = find_kind(options->kind);
    status = kind ? kind->prepare(&m) : ORDO_ERR_UNKNOWN;
    if (!status)
        status = edge_options(&m, &edges);
    if (!status)
        status = cut(&m, &from);
    if (!status && m.place)
        status = m.place(&m);
    if (status)
        return status;
    if ((m.lengths || (m.capacities && edges.high)) && edges.weights != ORDO_WEIGHTS_DROP)
        from.weights = ORDO_U32;
    say_edges(&m, &edges);
    return ordo_graph_build(&from, &origin, out);
}
