/* mode.h -- the most frequent value of a row, for gather operators with ORDO_MODE on the CPU. Included by gather.h.
 *
 * Problem. The most frequent of a row's values cannot be joined from those of two halves, so an accumulator is a table.
 *
 * Method. Each member has a hash table with room for its longest row, of which a row uses as much as its length needs:
 * a power of two, at least twice as many places as values, so that the table of a short row stays in the cache. The
 * best so far is kept while values are counted: a value is better if it is more frequent, or as frequent and less.
 *
 * Not done: sharing one row between members.
 */
typedef struct op_counted {
    ordo_u32 value, count; /* count 0: empty */
} op_counted;
typedef struct op_scratch {
    op_counted *place; /* [capacity] */
    ordo_u64 capacity;
    ordo_job *job;
} op_scratch;

ORDO_INLINE void op_scratch_make(ordo_job *job, op_scratch *scratch)
{
    scratch->job = job;
}

ORDO_INLINE void op_scratch_free(op_scratch *scratch)
{
    ordo_free(scratch->place);
}

/* A larger table. False after ordo_job_fail. */
ORDO_NOINLINE bool op_scratch_grow(op_scratch *scratch, ordo_u64 places)
{
    ordo_free(scratch->place);
    scratch->capacity = places;
    scratch->place = (op_counted *)ordo_alloc(places, sizeof *scratch->place);
    if (scratch->place)
        return true;
    scratch->capacity = 0;
    ordo_job_fail(scratch->job, ORDO_ERR_MEMORY);
    return false;
}

/* The most frequent value of v's in-edges, of several the least; ORDO_NO_VERTEX of none. */
ORDO_INLINE op_value op_gather_row(const op_state *state, const ordo_rows *in, const op_share *share, ordo_vid v,
                                   ordo_eid e, ordo_eid end, op_scratch *scratch)
{
    op_counted best = {ORDO_NO_VERTEX, 0};
    const ordo_u64 places = (ordo_u64)2 << (64 - __builtin_clzll((end - e) | 1));
    const int shift = __builtin_clzll(places) - 31; /* leaves as many upper bits of 32 as number a place */
    if (places > scratch->capacity && !op_scratch_grow(scratch, places))
        return ORDO_NO_VERTEX;
    if (end - e > 1)
        __builtin_memset(scratch->place, 0, places * sizeof *scratch->place);
    for (; e < end; e++) {
        const ordo_vid u = in->head[e * in->head_stride];
        const op_edge edge = op_make_edge(e, u, v, in->weight + e * in->weight_stride);
        const op_value value = op_edge_value(state, op_load_share(share + u), edge);
        if (best.count == 0 && e + 1 == end)
            return value; /* the only one */
        ordo_u64 at = shift < 32 && shift > 0 ? (ordo_u32)(value * 0x9e3779b1u) >> shift : value & (places - 1);
        while (scratch->place[at].count && scratch->place[at].value != value)
            at = (at + 1) & (places - 1);
        const op_counted counted = {value, scratch->place[at].count + 1};
        scratch->place[at] = counted;
        if (counted.count > best.count || (counted.count == best.count && value < best.value))
            best = counted;
    }
    return best.value;
}
