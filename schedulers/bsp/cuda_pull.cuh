/* bsp on a GPU: supersteps that pull, over bitmaps.
 *
 * Problem. Of all vertices whose cells can still improve, find those with an in-neighbour on the frontier, and touch
 * little memory: most vertices are done, or are after a few edges.
 *
 * Method. A bit for each item says whether it is on the frontier, and another whether it is closed: its cell is final,
 * or it has no in-edge. A warp has a group of 256 vertices, 8 words of bits. It lists the open ones in shared memory,
 * and each lane takes one after the other, of which it tests the first edges, four at a time, found by one load. Rows
 * that have more stay on the list, and the warp goes on in rounds: the fewer rows are left, the more lanes a row has.
 * What is left of very long rows is cut into pieces, which all warps of the grid share behind a barrier
 * (bsp_pull_pieces): a hub's neighbours lie together in some graphs, and one warp would have them all.
 *   Where rows differ much in length, the first of a run of such steps tests one in-neighbour of each open vertex ahead
 * of all that: the one that most vertices have (ordo_cuda_leading_tails; Yasui, Fujisawa and Goto 2013 keep it in an
 * array of its own, too). Most vertices are found by it, with neither their rows nor their edges loaded. Where rows are
 * similar it is no likelier than others to be on the frontier: degree four took 9 % longer (H200).
 *   Registers bind: a lane that takes two rows at once, or one of eight edges, keeps more loads under way and takes
 * longer, since supersteps that push are part of the kernel and spill then (lab 0079). Lookups in the first-level cache
 * bind next, one for each line that a lane accesses, and more than latency does: prefetching makes a step slower (lab
 * 0091).
 *   The bits of the next frontier are written in whole words, so nothing is cleared while steps pull, and no list is
 * made. Where the direction changes the frontier is converted, at the price of a barrier.
 *   Over several GPUs each searches the rows of its own items (cuda_part.cuh).
 *
 * Memory order. The frontier's bits do not change in a step that reads them, and grid barriers order steps: so plain
 * loads serve, which the first-level cache holds. A group's words and cells have one writer, its warp, which loads both
 * plainly, too. Behind the barrier, pieces of one row may find several tails: the cell is improved by an atomic, which
 * succeeds once, as all candidates of a step are equal; bits are changed by atomics.
 *
 * Not done: leading tails for rows with weights.
 */

enum {
    BSP_GROUP = 256, /* vertices of a warp's group */
    BSP_WORDS = BSP_GROUP / 32,
    BSP_OWN = 16,    /* edges of a row that a lane tests alone; a multiple of BSP_AHEAD */
    BSP_AHEAD = 4,   /* of these at a time */
    BSP_TESTS = 2,   /* bits of these at a time, where the four are found by one load */
    BSP_LONG = 128,  /* edges that a warp tests of what is left, at most */
    BSP_SKEWED = 16, /* so many times the mean has the longest row where rows differ much */
    BSP_PIECE = 512, /* edges of a piece of what is left of a longer row */
};

/* `m`: edges of the rows that are searched. The frontier's bits are made unless they are there. */
static inline ordo_status bsp_bits_make(ordo_cuda *c, ordo_u64 num_items, ordo_u64 m, bsp_bits *b)
{
    const ordo_u64 words = (num_items + BSP_GROUP - 1) / BSP_GROUP * BSP_WORDS;
    ordo_u32 **const arrays[] = {&b->frontier[0], &b->frontier[1], &b->closed};
    for (ordo_u32 **array : arrays)
        if (!*array && !(*array = (ordo_u32 *)ordo_cuda_alloc(c, words, sizeof(ordo_u32), true)))
            return ORDO_ERR_MEMORY;
    if (!(b->piece = (ordo_u64 *)ordo_cuda_alloc(c, m / BSP_LONG + 1, sizeof(ordo_u64), false)) ||
        !(b->found = (ordo_u32 *)ordo_cuda_alloc(c, 3 * ORDO_CUDA_LINE, sizeof(ordo_u32), true)) ||
        !(b->pieces = (ordo_u32 *)ordo_cuda_alloc(c, 3 * ORDO_CUDA_LINE, sizeof(ordo_u32), true)))
        return ORDO_ERR_MEMORY;
    const bool skewed = ordo_job_longest_row(c->job) > BSP_SKEWED * (m / (num_items + 1) + 1);
    return skewed && c->in.stride == 1 && !c->in.wide ? ordo_cuda_leading_tails(c, &b->leading) : ORDO_OK;
}

/* What a thread has found in a step, and the value of cells on the step's frontier, where all are equal. */
typedef struct bsp_pulled {
    ordo_u64 edges; /* in-edges, of which a symmetric graph has as many as out-edges */
    ordo_u32 items, tested;
    ordo_vid last; /* an item that it has found, if any */
    bool knows;
    op_cell value;
} bsp_pulled;

/* Bits of the byte that says what a step has found of an open vertex: the vertex is on the next frontier; the vertex is
 * closed. */
enum { BSP_ON = 1, BSP_SHUT = 2 };

/* A warp's shared memory. */
typedef struct bsp_group {
    unsigned char open[BSP_GROUP]; /* numbers in the group */
    uint2 found[BSP_GROUP / 8];    /* BSP_ON and BSP_SHUT of each vertex, a byte each */
} bsp_group;

/* A block's, in place of its buffer of items, which is empty in steps that pull. */
typedef struct bsp_pull_space {
    bsp_group group[BSP_DEV_THREADS / 32];
    ordo_u64 edges[BSP_DEV_THREADS / 32];
    ordo_u32 items[BSP_DEV_THREADS / 32];
} bsp_pull_space;

#include "cuda_part.cuh"

ORDO_DEV bool bsp_has(const ordo_u32 *bits, ordo_u32 item)
{
    return bits[item / 32] >> item % 32 & 1;
}

ORDO_DEV ordo_vid bsp_tail(const bsp_args *a, ordo_eid e)
{
    return __ldg(a->in.edge + e * a->in.stride);
}

/* By one thread: what an edge whose tail is on the frontier proposes. */
ORDO_DEV op_cell bsp_proposal(const bsp_args *a, const op_edge &edge, bsp_pulled *sum)
{
    if (!((int)op_properties & ORDO_UNIFORM) || !sum->knows) {
        sum->value = ordo_dev_load(&a->cells[edge.tail]);
        sum->knows = true;
    }
    return op_candidate(&a->state, sum->value, edge);
}

/* By one thread: tests BSP_AHEAD edges of a row, numbers e, e + apart and so on. Returns whether the tail of one is on
 * the frontier, and *found is then its number. All loads of a kind are issued before the first is used. */
ORDO_DEV bool bsp_find_alone(const bsp_args *a, const ordo_u32 *frontier, ordo_eid row, ordo_u32 degree, ordo_u32 e,
                             ordo_u32 apart, ordo_u32 *found)
{
    ordo_u32 tail[BSP_AHEAD], word[BSP_AHEAD], hits = 0;
#pragma unroll
    for (ordo_u32 k = 0; k < BSP_AHEAD; k++) /* the last edge again beyond the end */
        tail[k] = bsp_tail(a, row + (e + k * apart < degree ? e + k * apart : degree - 1));
#pragma unroll
    for (ordo_u32 k = 0; k < BSP_AHEAD; k++)
        word[k] = frontier[tail[k] / 32];
#pragma unroll
    for (ordo_u32 k = 0; k < BSP_AHEAD; k++)
        hits |= (word[k] >> tail[k] % 32 & 1) << k;
    const ordo_u32 number = e + ((ordo_u32)__ffs((int)hits) - 1) * apart;
    *found = number < degree ? number : degree - 1;
    return hits != 0;
}

/* By one thread, for rows of heads only: tests those edges of a row that one aligned load of 16 bytes has, from number
 * *next on. Returns whether the tail of one is on the frontier, and *found is then its number. *next becomes the number
 * behind them. */
ORDO_DEV bool bsp_find_aligned(const bsp_args *a, const ordo_u32 *frontier, ordo_eid row, ordo_u32 degree,
                               ordo_u32 *next, ordo_u32 *found)
{
    const ordo_u32 *const at = a->in.edge + row + *next;
    const ordo_u32 from = (ordo_u32)((uintptr_t)at / sizeof *at % BSP_AHEAD);
    const ordo_u32 end = from + degree - *next < BSP_AHEAD ? from + degree - *next : (ordo_u32)BSP_AHEAD;
    const uint4 four = __ldg((const uint4 *)(at - from));
    const ordo_u32 tail[BSP_AHEAD] = {four.x, four.y, four.z, four.w};
    ordo_u32 hits = 0;
#pragma unroll
    for (ordo_u32 part = 0; part < BSP_AHEAD; part += BSP_TESTS) {
        ordo_u32 word[BSP_TESTS];
#pragma unroll
        for (ordo_u32 k = 0; k < BSP_TESTS; k++)
            word[k] = part + k >= from && part + k < end && !hits ? frontier[tail[part + k] / 32] : 0;
#pragma unroll
        for (ordo_u32 k = 0; k < BSP_TESTS; k++)
            hits |= (word[k] >> tail[part + k] % 32 & 1) << (part + k);
    }
    *found = *next - from + (ordo_u32)__ffs((int)hits) - 1;
    *next += BSP_AHEAD - from;
    return hits != 0;
}

/* By a whole warp: whether the tail of one of edges *at .. end - 1 is on the frontier; *at is then that edge. The same
 * in all lanes. */
ORDO_DEV bool bsp_find_together(const bsp_args *a, const ordo_u32 *frontier, ordo_eid row, ordo_u32 *at, ordo_u32 end,
                                bsp_pulled *sum)
{
    enum { EACH = 2 };
    const ordo_u32 lane = threadIdx.x & 31;
    for (; *at < end; *at += 32 * EACH) {
        ordo_u32 tail[EACH], hits[EACH];
#pragma unroll
        for (ordo_u32 k = 0; k < EACH; k++)
            tail[k] = *at + 32 * k + lane < end ? bsp_tail(a, row + *at + 32 * k + lane) : 0;
#pragma unroll
        for (ordo_u32 k = 0; k < EACH; k++) {
            const bool there = *at + 32 * k + lane < end;
            sum->tested += there;
            hits[k] = __ballot_sync(~0u, there && bsp_has(frontier, tail[k]));
        }
#pragma unroll
        for (ordo_u32 k = 0; k < EACH; k++)
            if (hits[k]) {
                *at += 32 * k + (ordo_u32)__ffs((int)hits[k]) - 1;
                return true;
            }
    }
    return false;
}

/* By a whole warp: leaves `left` edges of v's row, those behind BSP_OWN, to bsp_pull_pieces. */
ORDO_DEV void bsp_leave(const bsp_args *a, ordo_vid v, ordo_u32 left, ordo_u32 step)
{
    const ordo_u32 lane = threadIdx.x & 31, count = (left + BSP_PIECE - 1) / BSP_PIECE;
    ordo_u32 place = 0;
    if (lane == 0)
        place = ordo_dev_add(&a->bits.pieces[step % 3 * ORDO_CUDA_LINE], count);
    place = __shfl_sync(~0u, place, 0);
    for (ordo_u32 i = lane; i < count; i += 32)
        a->bits.piece[place + i] = (ordo_u64)v << 32 | i;
}

/* By one thread: v is an open vertex of the group, and the tail of an in-edge is on the frontier. `degree`: of v, or 0
 * where its row was not looked up; the sum only says when to pull again. */
ORDO_DEV void bsp_take(const bsp_args *a, bsp_group *group, ordo_vid v, const op_edge &edge, ordo_u32 degree,
                       bsp_pulled *sum)
{
    const op_cell candidate = bsp_proposal(a, edge, sum);
    if (!op_better(candidate, a->cells[v]))
        return;
    ordo_dev_store(&a->cells[v], candidate);
    sum->items++;
    sum->edges += degree;
    sum->last = v;
    ((unsigned char *)group->found)[v % BSP_GROUP] =
        (unsigned char)((op_filter(&a->state, v) ? BSP_ON : 0) | (op_is_final(&a->state, v, candidate) ? BSP_SHUT : 0));
}

/* By a whole warp: a round over the first `count` vertices of the group's list: `lanes` lanes test edges at .. end - 1
 * of a row, which has more than `at`. Keeps those on the list that have more and of which none was found; returns their
 * number. */
ORDO_DEV ordo_u32 bsp_pull_round(const bsp_args *a, bsp_group *group, ordo_vid base, ordo_u32 count, ordo_u32 lanes,
                                 ordo_u32 at, ordo_u32 end, ordo_u32 step, bsp_pulled *sum)
{
    const ordo_u32 *const frontier = a->bits.frontier[step & 1];
    const ordo_u32 lane = threadIdx.x & 31, of = lane & (lanes - 1);
    const ordo_u32 mates = (lanes == 32 ? ~0u : (1u << lanes) - 1) << (lane - of);
    ordo_u32 kept = 0;
    for (ordo_u32 first = 0; first < count; first += 32 / lanes) {
        const ordo_u32 i = first + lane / lanes;
        const bool there = i < count;
        const ordo_vid v = base + (there ? group->open[i] : 0u);
        const ordo_eid row = there ? __ldg(a->in.row + v) : 0;
        const ordo_u32 degree = there ? (ordo_u32)(__ldg(a->in.row + v + 1) - row) : 0;
        ordo_u32 e = 0;
        bool found = false;
        if (lanes == 1 && a->in.stride == 1) {
            for (ordo_u32 now = at, next = at; now < end && now < degree && !found; now = next) {
                found = bsp_find_aligned(a, frontier, row, degree, &next, &e);
                sum->tested += (next < degree ? next : degree) - now;
            }
        } else {
            for (ordo_u32 now = at; now < end && now < degree && !found; now += lanes * BSP_AHEAD) {
                const ordo_u32 all = degree - now < lanes * BSP_AHEAD ? degree - now : lanes * BSP_AHEAD;
                sum->tested += of == 0 ? all : 0;
                found = bsp_find_alone(a, frontier, row, degree, now + of, lanes, &e);
            }
        }
        __syncwarp(); /* all have read their places of the list */
        const ordo_u32 finders = __ballot_sync(~0u, found) & mates;
        bool stays = of == 0 && !finders && degree > end;
        if (found && (finders & ((1u << lane) - 1)) == 0) /* the first of them */
            bsp_take(a, group, v, op_dev_edge(&a->in, row + e, v, true), degree, sum);
        if (at == 0) { /* the same in all lanes */
            const bool leaves = stays && degree - end > BSP_LONG;
            for (ordo_u32 rest = __ballot_sync(~0u, leaves); rest; rest &= rest - 1) {
                const int owner = __ffs((int)rest) - 1;
                bsp_leave(a, __shfl_sync(~0u, v, owner), __shfl_sync(~0u, degree, owner) - end, step);
            }
            stays = stays && !leaves;
        }
        const ordo_u32 stay = __ballot_sync(~0u, stays);
        if (stays)
            group->open[kept + __popc(stay & ((1u << lane) - 1))] = (unsigned char)(v % BSP_GROUP);
        kept += __popc(stay);
    }
    __syncwarp();
    return kept;
}

/* By a whole warp, if the step before has pulled, so that `closed` is valid: the bits of a group's open vertices, a
 * word in each of the first lanes. `number`: how many groups the warp has had before. One load brings the words of
 * several groups, so that the warp waits for them once; *words holds them from call to call, one in each lane. */
ORDO_DEV ordo_u32 bsp_open_bits(const bsp_args *a, ordo_vid base, ordo_u32 number, ordo_u32 *words)
{
    enum { AHEAD = 32 / BSP_WORDS };
    const ordo_u32 lane = threadIdx.x & 31, later = number % AHEAD;
    if (later == 0) {
        const ordo_u64 apart = (ordo_u64)gridDim.x * (BSP_DEV_THREADS / 32) * BSP_GROUP; /* groups of one warp */
        const ordo_u64 v = base + apart * (lane / BSP_WORDS) + 32 * (lane % BSP_WORDS);
        const bool has = v < (ordo_u64)bsp_end_group(a) * BSP_GROUP && bsp_has_word(a, (ordo_u32)(v / 32));
        *words = has ? ~a->bits.closed[v / 32] : 0;
    }
    const ordo_u32 word = __shfl_sync(~0u, *words, (int)(later * BSP_WORDS + lane % BSP_WORDS));
    return lane < BSP_WORDS ? word : 0;
}

/* By a whole warp, if the step before has pushed, so that `closed` is not valid: the same from cells and rows. A vertex
 * without in-edges is not open. */
ORDO_DEV ordo_u32 bsp_open_cells(const bsp_args *a, ordo_vid base)
{
    enum { EACH = 4 }; /* words at a time: loads of a kind are issued before the first is used */
    const ordo_u32 lane = threadIdx.x & 31;
    ordo_u32 mine = 0;
#pragma unroll 1
    for (ordo_u32 first = 0; first < BSP_WORDS; first += EACH) {
        ordo_eid row[EACH], end[EACH];
        op_cell cell[EACH];
#pragma unroll
        for (ordo_u32 j = 0; j < EACH; j++) {
            const ordo_u64 v = (ordo_u64)base + 32 * (first + j) + lane;
            const bool has = bsp_has_item(a, v);
            row[j] = has ? __ldg(a->in.row + v) : 0;
            end[j] = has ? __ldg(a->in.row + v + 1) : 0;
            cell[j] = has ? a->cells[v] : op_worst();
        }
#pragma unroll
        for (ordo_u32 j = 0; j < EACH; j++) {
            const ordo_vid v = base + 32 * (first + j) + lane;
            const bool open = end[j] > row[j] && !op_is_final(&a->state, v, cell[j]);
            const ordo_u32 bits = __ballot_sync(~0u, open);
            mine = lane == first + j ? bits : mine;
        }
    }
    return mine;
}

/* By a whole warp, if the step before has pushed, with leading tails: takes the group's open vertices whose leading
 * tail is on the frontier, and returns the bits of the others, a word in each of the first lanes. Makes the words of
 * closed vertices, without those that it takes. */
ORDO_DEV ordo_u32 bsp_take_led(const bsp_args *a, bsp_group *group, ordo_vid base, ordo_u32 step, bsp_pulled *sum)
{
    const ordo_u32 *const frontier = a->bits.frontier[step & 1];
    const ordo_u32 lane = threadIdx.x & 31;
    ordo_u32 open = 0, led = 0;
    ordo_vid tail[BSP_WORDS];
    op_cell cell[BSP_WORDS];
    ordo_u32 word[BSP_WORDS];
#pragma unroll
    for (ordo_u32 j = 0; j < BSP_WORDS; j++) { /* all loads of a kind are issued before the first is used */
        const ordo_u64 v = (ordo_u64)base + 32 * j + lane;
        const bool has = bsp_has_item(a, v);
        tail[j] = has ? __ldg(a->bits.leading + v) : ORDO_NO_VERTEX;
        cell[j] = has ? a->cells[v] : op_worst();
    }
#pragma unroll
    for (ordo_u32 j = 0; j < BSP_WORDS; j++) {
        if (op_is_final(&a->state, base + 32 * j + lane, cell[j]))
            tail[j] = ORDO_NO_VERTEX;
        word[j] = tail[j] != ORDO_NO_VERTEX ? frontier[tail[j] / 32] : 0;
    }
#pragma unroll
    for (ordo_u32 j = 0; j < BSP_WORDS; j++) {
        const ordo_u32 those = __ballot_sync(~0u, tail[j] != ORDO_NO_VERTEX);
        const ordo_u32 found = __ballot_sync(~0u, word[j] >> tail[j] % 32 & 1);
        open = lane == j ? those : open;
        led = lane == j ? found : led;
    }
    sum->tested += __popc(open);
    if (lane < BSP_WORDS && bsp_has_word(a, base / 32 + lane))
        a->bits.closed[base / 32 + lane] = ~open;
#pragma unroll 1
    for (ordo_u32 j = 0; j < BSP_WORDS; j++)
        if (__shfl_sync(~0u, led, (int)j) >> lane & 1) {
            const ordo_vid v = base + 32 * j + lane;
            bsp_take(a, group, v, op_dev_bare_edge(__ldg(a->bits.leading + v), v), 0, sum);
        }
    return open & ~led;
}

/* By one thread: the lowest bits of the bytes of a word. */
ORDO_DEV ordo_u32 bsp_bits_of(ordo_u32 bytes)
{
    bytes &= 0x01010101u;
    bytes |= bytes >> 7;
    return (bytes | bytes >> 14) & 0xfu;
}

/* By a whole warp, of which each lane has eight bytes: a word of their lowest bits in each of the first lanes. */
ORDO_DEV ordo_u32 bsp_word_of(ordo_u32 low, ordo_u32 high)
{
    const ordo_u32 lane = threadIdx.x & 31;
    ordo_u32 word = (bsp_bits_of(low) | bsp_bits_of(high) << 4) << lane % 4 * 8;
    word |= __shfl_xor_sync(~0u, word, 1);
    word |= __shfl_xor_sync(~0u, word, 2);
    return __shfl_sync(~0u, word, (int)(4 * lane % 32));
}

/* By a whole warp: searches the rows of a group's open vertices, whose bits are in `open`, a word in each of the first
 * lanes; with `Led` and `fresh` it finds these itself, by leading tails. */
template <bool Led>
ORDO_DEV void bsp_pull_group(const bsp_args *a, bsp_group *group, ordo_vid base, ordo_u32 open, bool fresh,
                             ordo_u32 step, bsp_pulled *sum)
{
    const ordo_u32 lane = threadIdx.x & 31;
    const bool led = Led && fresh;
    if (Led) {
        group->found[lane] = make_uint2(0, 0);
        __syncwarp();
        if (led)
            open = bsp_take_led(a, group, base, step, sum);
        else if (lane < BSP_WORDS && bsp_has_word(a, base / 32 + lane))
            a->bits.closed[base / 32 + lane] = ~open;
    }
    ordo_u32 up_to = __popc(open); /* open ones in the words up to the lane's */
#pragma unroll
    for (int back = 1; back < BSP_WORDS; back *= 2) {
        const ordo_u32 other = __shfl_up_sync(~0u, up_to, back);
        up_to += lane >= (ordo_u32)back ? other : 0;
    }
    const ordo_u32 total = __shfl_sync(~0u, up_to, BSP_WORDS - 1);
    if (!Led)
        group->found[lane] = make_uint2(0, 0);
    if (total == 0 && !led) { /* the same in all lanes */
        bsp_publish_words(a, base / 32, 0, step + 1);
        if (!Led && lane < BSP_WORDS && bsp_has_word(a, base / 32 + lane))
            a->bits.closed[base / 32 + lane] = ~0u;
        return;
    }
#pragma unroll
    for (int j = 0; j < BSP_WORDS; j++) {
        const ordo_u32 bits = __shfl_sync(~0u, open, j), end = __shfl_sync(~0u, up_to, j);
        if (bits >> lane & 1)
            group->open[end - __popc(bits >> lane)] = (unsigned char)(32 * j + lane);
    }
    __syncwarp();
    ordo_u32 left = Led && total == 0 ? 0 : bsp_pull_round(a, group, base, total, 1, 0, BSP_OWN, step, sum);
    for (ordo_u32 at = BSP_OWN; left;) {
        ordo_u32 lanes = 1;
        while (lanes < 32 && 2 * lanes * left <= 32)
            lanes *= 2;
        left = bsp_pull_round(a, group, base, left, lanes, at, at + lanes * BSP_AHEAD, step, sum);
        at += lanes * BSP_AHEAD;
    }
    const uint2 bytes = group->found[lane];
    bsp_publish_words(a, base / 32, bsp_word_of(bytes.x, bytes.y), step + 1);
    const ordo_u32 shut = bsp_word_of(bytes.x >> 1, bytes.y >> 1);
    if (lane < BSP_WORDS && bsp_has_word(a, base / 32 + lane))
        a->bits.closed[base / 32 + lane] = shut | (Led ? a->bits.closed[base / 32 + lane] : ~open);
    __syncwarp();
}

/* By a whole block: adds what its threads have found to their counters and those of the next step. */
template <typename Counters>
ORDO_DEV void bsp_add_found(const bsp_args *a, bsp_pull_space *space, ordo_u32 step, bsp_pulled *sum, Counters *mine)
{
    const ordo_u32 warp = threadIdx.x / 32;
    mine->edges += sum->tested;
    mine->useful += sum->items;
    ordo_u64 edges = sum->edges;
    ordo_u32 items = sum->items;
    for (int far = 16; far; far /= 2) {
        edges += __shfl_down_sync(~0u, edges, far);
        items += __shfl_down_sync(~0u, items, far);
    }
    if (threadIdx.x % 32 == 0) {
        space->edges[warp] = edges;
        space->items[warp] = items;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (ordo_u32 w = 1; w < BSP_DEV_THREADS / 32; w++) {
            edges += space->edges[w];
            items += space->items[w];
        }
        if (items) {
            ordo_dev_add(&a->frontier.counters[(step + 1) % 3].edges, edges);
            ordo_dev_add(&a->bits.found[(step + 1) % 3 * ORDO_CUDA_LINE], items);
        }
    }
#if ORDO_OVER_RANKS
    if (sum->items)
        ordo_dev_store(a->some, sum->last);
#endif
    sum->edges = sum->items = sum->tested = 0;
}

/* By the whole grid, behind a barrier: what bsp_pull_group has left of long rows. */
ORDO_DEV void bsp_pull_pieces(const bsp_args *a, ordo_u32 count, ordo_u32 step, bsp_pulled *sum)
{
    const ordo_u32 warps = gridDim.x * (BSP_DEV_THREADS / 32);
    for (ordo_u64 i = blockIdx.x + (ordo_u64)gridDim.x * (threadIdx.x / 32); i < count; i += warps) {
        const ordo_u64 piece = a->bits.piece[i];
        const ordo_vid v = (ordo_vid)(piece >> 32);
        const ordo_u32 word = v / 32, bit = 1u << v % 32;
        const ordo_eid row = __ldg(a->in.row + v);
        const ordo_u32 degree = (ordo_u32)(__ldg(a->in.row + v + 1) - row);
        ordo_u32 at = BSP_OWN + (ordo_u32)piece * BSP_PIECE;
        const ordo_u32 end = degree - at < BSP_PIECE ? degree : at + BSP_PIECE;
        /* others may close v now: one lane's word is for all */
        if (__shfl_sync(~0u, ordo_dev_load(&a->bits.closed[word]), 0) & bit ||
            !bsp_find_together(a, a->bits.frontier[step & 1], row, &at, end, sum) || threadIdx.x % 32 != 0)
            continue;
        const op_cell candidate = bsp_proposal(a, op_dev_edge(&a->in, row + at, v, true), sum);
        if (!op_dev_offer(a->cells, v, candidate, false, false))
            continue;
        sum->items++;
        sum->edges += degree;
        sum->last = v;
        if (op_filter(&a->state, v))
            bsp_publish_item(a, v, step + 1);
        if (op_is_final(&a->state, v, candidate))
            ordo_dev_or(&a->bits.closed[word], bit);
    }
}

/* By the whole grid: calls `each(base, number)` by whole warps for all groups that have words of the GPU's part, with
 * the group's first item and how many the warp has had before. */
template <typename Each> ORDO_DEV void bsp_groups(const bsp_args *a, Each each)
{
    const ordo_u32 first = bsp_first_group(a), groups = bsp_end_group(a) - first;
    const ordo_u32 warps = gridDim.x * (BSP_DEV_THREADS / 32);
    for (ordo_u32 i = blockIdx.x + gridDim.x * (threadIdx.x / 32); i < groups; i += warps)
        each((first + i) * BSP_GROUP, i / warps);
}

/* By the whole grid: a step that pulls. Ends with a barrier, over ranks with their meeting, behind which all that it
 * has found is counted. `found`: what the thread finds, 0 at first but for the value of the frontier's cells if it is
 * known. */
template <bool Led, bool Traced, typename Counters>
ORDO_DEV void bsp_pull(const bsp_args *a, bsp_pull_space *space, ordo_u32 step, bool fresh, bsp_pulled sum,
                       Counters *mine)
{
    ordo_u32 words = 0;
    bsp_groups(a, [&](ordo_vid base, ordo_u32 number) {
        const ordo_u32 open = !fresh ? bsp_open_bits(a, base, number, &words) : Led ? 0 : bsp_open_cells(a, base);
        bsp_pull_group<Led>(a, &space->group[threadIdx.x / 32], base, open, fresh, step, &sum);
        if constexpr (Traced)
            ordo_live_tile<3>(a->run.traced, *mine, number);
        (void)number;
    });
    bsp_add_found(a, space, step, &sum, mine);
    cooperative_groups::this_grid().sync();
    const ordo_u32 pieces = ordo_dev_load(&a->bits.pieces[step % 3 * ORDO_CUDA_LINE]); /* the same in all threads */
    if (pieces == 0)
        return;
    bsp_pull_pieces(a, pieces, step, &sum);
    bsp_add_found(a, space, step, &sum, mine);
    bsp_end(a);
}

/* By the whole grid: makes the bits of a step's frontier from its lists, over ranks those of the GPU's part. `used`:
 * the bits have served before. Ends with a barrier. */
ORDO_DEV void bsp_list_to_bits(const bsp_args *a, ordo_u32 step, bool used)
{
    const ordo_cuda_frontier *const f = &a->frontier;
    const ordo_u64 thread = (ordo_u64)blockIdx.x * BSP_DEV_THREADS + threadIdx.x;
    const ordo_u64 threads = (ordo_u64)gridDim.x * BSP_DEV_THREADS;
    ordo_u32 *const bits = a->bits.frontier[step & 1];
    if (used) {
        for (ordo_u64 i = bsp_first_item(a) / 32 + thread; bsp_has_item(a, i * 32); i += threads)
            bits[i] = 0;
        cooperative_groups::this_grid().sync();
    }
    const ordo_u32 count = f->counters[step % 3].count, segments = f->counters[step % 3].segments;
    for (ordo_u64 i = thread; i < (ordo_u64)count + segments; i += threads) {
        const ordo_u64 piece = i < count ? (ordo_u64)f->list[step & 1][i] << 32 : f->segment[step & 1][i - count];
        const ordo_vid item = (ordo_vid)(piece >> 32);
        if ((piece & 0xffffffffu) == 0 && op_filter(&a->state, item))
            ordo_dev_or(&bits[item / 32], 1u << item % 32);
    }
    cooperative_groups::this_grid().sync();
}

/* By the whole grid: the reverse. Its buffer is empty before and after. Ends with a barrier. */
ORDO_DEV void bsp_bits_to_list(const bsp_args *a, bsp_queue *queue, ordo_u32 step)
{
    const ordo_cuda_frontier *const f = &a->frontier;
    for (ordo_u64 i = bsp_first_item(a) / 32 + (ordo_u64)blockIdx.x * BSP_DEV_THREADS + threadIdx.x;
         bsp_has_item(a, i * 32); i += (ordo_u64)gridDim.x * BSP_DEV_THREADS)
        for (ordo_u32 bits = a->bits.frontier[step & 1][i]; bits; bits &= bits - 1)
            op_dev_push(f, queue, &a->rows, (ordo_vid)(32 * i + (ordo_u32)__ffs((int)bits) - 1), step, true);
    ordo_dev_flush(queue, f, step, true);
    cooperative_groups::this_grid().sync();
}
