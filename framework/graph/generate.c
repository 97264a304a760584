/* generate.c -- made graphs: rmat, road, uniform, grid.
 *
 * Problem: graphs of any size for tests and measurements, the same for the same arguments on any machine with any
 * number of threads.
 *
 * Method: no random stream. Every edge is a hash (splitmix64) of the seed and its own number, so any thread can make
 * any edge; weights of symmetric graphs are hashes of the unordered pair of ends. One edge list is made and built.
 *   rmat     Chakrabarti, Zhan, Faloutsos, "R-MAT", SDM 2004; numbers are then permuted, else degree falls with number
 *   road     a square lattice with ends moved by up to 0.4 either way (edges still do not cross) whose bonds are kept
 *            with probability 0.63: just above the percolation threshold of 1/2, so one component has nearly all
 *            vertices, paths are long and winding, and the average degree is 2.5
 *   uniform  heads drawn with replacement; loops and parallel edges occur
 *   grid     all bonds of the lattice
 *
 * Not done: removal of loops and parallel edges of rmat and uniform; vertex coordinates.
 */
#include "graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERTICES_AT_ONCE = 4096, RMAT_BITS = 16 };

/* What a hash is for: two uses of one number must not be alike. */
enum use { USE_EDGE = 1, USE_WEIGHT, USE_BOND, USE_PLACE, USE_NAME };

typedef struct maker {
    const ordo_generate_options *o;
    ordo_team *team;
    ordo_u64 key; /* of the seed */
    ordo_u64 n, width;
    ordo_u32 degree;
    bool road;
    ordo_u64 names[3];     /* of rmat's permutation */
    ordo_u64 *block_edges; /* lattices: edges of a block of vertices, then the sum before it */
    ordo_edge_entry *list;
    _Alignas(64) ordo_u64 next; /* atomic */
} maker;

static inline ordo_u64 scramble(ordo_u64 x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline ordo_u64 hash(const maker *m, enum use use, ordo_u64 x)
{
    return scramble(scramble(m->key + (ordo_u64)use) ^ x);
}

/* 0 .. below-1, from 64 random bits, by multiplication: its bias is below / 2^64. */
static inline ordo_u64 below(ordo_u64 random, ordo_u64 limit)
{
    return (ordo_u64)((unsigned __int128)random * limit >> 64);
}

static inline ordo_u32 weight_from(const maker *m, ordo_u64 random)
{
    if (m->o->high == 0)
        return 0;
    return m->o->low + (ordo_u32)below(random, (ordo_u64)m->o->high - m->o->low + 1);
}

static inline ordo_u64 pair_hash(const maker *m, enum use use, ordo_vid u, ordo_vid v)
{
    return hash(m, use, u < v ? (ordo_u64)u << 32 | v : (ordo_u64)v << 32 | u);
}

/* ---- rmat ---- */

/* A permutation of 0 .. 2^scale - 1: odd multiplications and shifted exclusive ors can each be undone. */
static inline ordo_vid rename_vertex(const maker *m, ordo_u64 v)
{
    ordo_u32 scale = m->o->scale;
    ordo_u64 mask = ((ordo_u64)1 << scale) - 1;
    for (int round = 0; round < 3; round++) {
        v = (v * (m->names[round] | 1) + (m->names[round] >> 32)) & mask;
        v ^= v >> (scale / 2 + 1);
    }
    return (ordo_vid)v;
}

static void make_rmat(void *arg, int member)
{
    /* Of 2^16: quadrants a, b, c, d with .57 .19 .19 .05. */
    enum { A = 37356, AB = A + 12452, ABC = AB + 12452 };
    maker *m = arg;
    ordo_u64 begin, end;
    ordo_split(m->n * m->degree, ordo_team_size(m->team), member, &begin, &end);
    for (ordo_u64 i = begin; i < end; i++) {
        ordo_u64 tail = 0, head = 0, random = 0;
        ordo_u64 state = hash(m, USE_EDGE, i);
        for (ordo_u32 level = 0; level < m->o->scale; level++) {
            if (level % (64 / RMAT_BITS) == 0)
                random = state = scramble(state);
            ordo_u32 draw = random & ((1 << RMAT_BITS) - 1);
            random >>= RMAT_BITS;
            tail = tail << 1 | (draw >= AB);
            head = head << 1 | ((draw >= A && draw < AB) || draw >= ABC);
        }
        m->list[i] =
            (ordo_edge_entry){rename_vertex(m, tail), rename_vertex(m, head), weight_from(m, hash(m, USE_WEIGHT, i))};
    }
}

/* ---- uniform ---- */

static void make_uniform(void *arg, int member)
{
    maker *m = arg;
    ordo_u64 begin, end;
    ordo_split(m->n, ordo_team_size(m->team), member, &begin, &end);
    for (ordo_u64 u = begin; u < end; u++)
        for (ordo_u64 k = 0; k < m->degree; k++) {
            ordo_u64 i = u * m->degree + k;
            m->list[i] = (ordo_edge_entry){(ordo_vid)u, (ordo_vid)below(hash(m, USE_EDGE, i), m->n),
                                           weight_from(m, hash(m, USE_WEIGHT, i))};
        }
}

/* ---- lattices: grid and road ---- */

static inline bool has_bond(const maker *m, ordo_vid u, ordo_vid v)
{
    enum { KEPT_OF_1000 = 630 };
    return !m->road || below(pair_hash(m, USE_BOND, u, v), 1000) < KEPT_OF_1000;
}

/* Where a road's vertex is, in thousandths of the lattice's width. Integers: the same on every machine. */
static inline void place_vertex(const maker *m, ordo_u64 v, int64_t *x, int64_t *y)
{
    ordo_u64 random = hash(m, USE_PLACE, v);
    *x = (int64_t)(1000 * (v % m->width) + (random & 0xffffffff) % 801) - 400;
    *y = (int64_t)(1000 * (v / m->width) + (random >> 32) % 801) - 400;
}

static inline ordo_u32 bond_weight(const maker *m, ordo_vid u, ordo_vid v)
{
    if (!m->road)
        return weight_from(m, pair_hash(m, USE_WEIGHT, u, v));
    int64_t xu, yu, xv, yv;
    place_vertex(m, u, &xu, &yu);
    place_vertex(m, v, &xv, &yv);
    double length = sqrt((double)((xu - xv) * (xu - xv) + (yu - yv) * (yu - yv)));
    return (ordo_u32)(length + 0.5); /* at least 200: ends stay in their fifths of the lattice */
}

/* The bonds of a vertex to the right and downwards, to `to` unless NULL; their number. */
static inline ordo_u64 make_bonds(const maker *m, ordo_u64 u, ordo_edge_entry *to)
{
    ordo_u64 count = 0, ends[2] = {u + 1, u + m->width};
    bool possible[2] = {ends[0] % m->width != 0 && ends[0] < m->n, ends[1] < m->n};
    for (int i = 0; i < 2; i++) {
        ordo_vid a = (ordo_vid)u, b = (ordo_vid)ends[i];
        if (!possible[i] || !has_bond(m, a, b))
            continue;
        if (to)
            to[count] = (ordo_edge_entry){a, b, bond_weight(m, a, b)};
        count++;
    }
    return count;
}

static void make_lattice(void *arg, int member)
{
    maker *m = arg;
    (void)member;
    for (;;) {
        ordo_u64 block = __atomic_fetch_add(&m->next, 1, __ATOMIC_RELAXED), begin = block * VERTICES_AT_ONCE;
        if (begin >= m->n)
            return;
        ordo_u64 end = begin + VERTICES_AT_ONCE < m->n ? begin + VERTICES_AT_ONCE : m->n, count = 0;
        ordo_edge_entry *to = m->list ? m->list + m->block_edges[block] : NULL;
        for (ordo_u64 u = begin; u < end; u++)
            count += make_bonds(m, u, to ? to + count : NULL);
        if (!to)
            m->block_edges[block] = count;
    }
}

/* Counts, allocates, makes. */
static ordo_status lattice_list(maker *m, ordo_u64 *count)
{
    ordo_u64 blocks = (m->n + VERTICES_AT_ONCE - 1) / VERTICES_AT_ONCE;
    m->block_edges = ordo_alloc(blocks, sizeof *m->block_edges);
    if (!m->block_edges)
        return ORDO_ERR_MEMORY;
    ordo_team_run(m->team, make_lattice, m);
    ordo_u64 sum = 0;
    for (ordo_u64 i = 0; i < blocks; i++) {
        ordo_u64 here = m->block_edges[i];
        m->block_edges[i] = sum;
        sum += here;
    }
    m->list = ordo_alloc(sum, sizeof *m->list);
    m->next = 0;
    if (m->list)
        ordo_team_run(m->team, make_lattice, m);
    ordo_free(m->block_edges);
    *count = sum;
    return m->list ? ORDO_OK : ORDO_ERR_MEMORY;
}

/* ---- the call ---- */

static ordo_status random_list(maker *m, ordo_team_fn *make, ordo_u64 *count)
{
    *count = m->n * m->degree; /* below 2^64: both are below 2^32 */
    if (*count > SIZE_MAX / sizeof *m->list || !ordo_memory_fits(*count * sizeof *m->list))
        return ordo_fail(ORDO_ERR_MEMORY, "not enough memory for a list of %llu edges", (unsigned long long)*count);
    m->list = ordo_alloc(*count, sizeof *m->list);
    if (!m->list)
        return ORDO_ERR_MEMORY;
    ordo_team_run(m->team, make, m);
    return ORDO_OK;
}

/* Checks the options of a kind, sets n, width and degree, and describes it. */
static ordo_status prepare(maker *m, char *text, size_t room)
{
    const ordo_generate_options *o = m->o;
    int used;
    if (strcmp(o->kind, "rmat") == 0) {
        if (o->scale > 31)
            return ordo_fail(ORDO_ERR_USAGE, "found scale %u, expected 0 to 31", o->scale);
        m->n = (ordo_u64)1 << o->scale;
        m->degree = o->degree ? o->degree : 16;
        used = snprintf(text, room, "rmat --scale %u --degree %u", o->scale, m->degree);
    } else if (strcmp(o->kind, "uniform") == 0) {
        m->n = o->vertices;
        m->degree = o->degree ? o->degree : 4;
        used = snprintf(text, room, "uniform --vertices %llu --degree %u", (unsigned long long)m->n, m->degree);
    } else if (strcmp(o->kind, "road") == 0) {
        m->road = true;
        m->n = o->vertices;
        m->width = (ordo_u64)sqrt((double)m->n);
        m->width = m->width ? m->width : 1;
        used = snprintf(text, room, "road --vertices %llu", (unsigned long long)m->n);
    } else if (strcmp(o->kind, "grid") == 0) {
        m->n = (ordo_u64)o->width * o->height;
        m->width = o->width ? o->width : 1;
        used = snprintf(text, room, "grid --width %u --height %u", o->width, o->height);
    } else {
        return ordo_fail(ORDO_ERR_UNKNOWN, "found generator '%s', expected rmat, road, uniform or grid", o->kind);
    }
    if (m->n > ORDO_MAX_VERTICES)
        return ordo_fail(ORDO_ERR_USAGE, "%s: found %llu vertices, expected at most %llu", o->kind,
                         (unsigned long long)m->n, (unsigned long long)ORDO_MAX_VERTICES);
    if (o->high && strcmp(o->kind, "road") != 0) {
        if (o->low > o->high)
            return ordo_fail(ORDO_ERR_USAGE, "found weights %u to %u, expected the lower one first", o->low, o->high);
        used += snprintf(text + used, room - (size_t)used, " --weights uniform:%u:%u", o->low, o->high);
    }
    snprintf(text + used, room - (size_t)used, " --seed %llu%s", (unsigned long long)o->seed,
             o->direction == ORDO_SYMMETRISE ? " --symmetrise" : "");
    return ORDO_OK;
}

ordo_status ordo_graph_generate(const ordo_generate_options *options, ordo_graph **out)
{
    if (!options || !out || !options->kind)
        return ordo_fail(ORDO_ERR_USAGE, "%s is NULL", !options ? "options" : !out ? "out" : "kind");
    if (options->direction != ORDO_AS_STORED && options->direction != ORDO_SYMMETRISE &&
        options->direction != ORDO_SYMMETRIC)
        return ordo_fail(ORDO_ERR_USAGE, "found direction %d, expected one of ordo_direction", (int)options->direction);
    double start = ordo_seconds();
    char text[256];
    maker m = {.o = options, .key = scramble(options->seed)};
    for (ordo_u64 i = 0; i < 3; i++)
        m.names[i] = hash(&m, USE_NAME, i);
    ordo_status status = prepare(&m, text, sizeof text);
    if (!status)
        status = ordo_graph_team(options->threads, m.n * (m.degree ? m.degree : 2), &m.team);
    if (status)
        return status;
    ordo_u64 count = 0;
    bool lattice = m.degree == 0;
    if (lattice)
        status = lattice_list(&m, &count);
    else
        status = random_list(&m, strcmp(options->kind, "rmat") == 0 ? make_rmat : make_uniform, &count);
    ordo_team_return(m.team);
    if (status)
        return status;
    ordo_type type = options->high || strcmp(options->kind, "road") == 0 ? ORDO_U32 : ORDO_NONE;
    ordo_origin origin = {text, "generated", 0, ordo_seconds() - start, options->threads};
    return ordo_graph_build(m.n, m.list, count, type, lattice ? ORDO_SYMMETRISE : options->direction, &origin, out);
}
