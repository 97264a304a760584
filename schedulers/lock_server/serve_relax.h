/* lock_server/serve_relax.h -- what a server does with candidates for its cells. A part of cpu.h.
 *
 * Cells that select: a client has looked at the cell and sends only what would improve it; the server looks again, and
 * only it writes the cell. Cells that sum: a client sends every addend, and only the server adds; but whoever processes
 * an item takes its cell, so that additions are atomic, though nobody contends for them.
 */
enum { MY(target_bytes) = sizeof(OP(cell)) };

#if ORDO_OP_ORDER == ORDO_SUM
ORDO_INLINE void MY(serve_own)(MY(member) * me, const OP(entry) * message)
{
    OP(entry) raised = *message;
    if (OP(offer)(me->job, (OP(cell) *)me->job->cells, message->item, &raised.value, ORDO_SYNC_ATOMIC))
        MY(keep)(me, raised);
}
ORDO_INLINE void MY(combine)(OP(cell) * a, OP(cell) b)
{
    *a += b;
}
#else
ORDO_INLINE void MY(serve_own)(MY(member) * me, const OP(entry) * message)
{
    OP(cell) *cell = (OP(cell) *)me->job->cells + message->item;
    if (!OP(better)(message->value, OP(load)(cell)))
        return;
    __atomic_store(cell, &message->value, __ATOMIC_RELAXED);
    if (OP(activates))
        MY(keep)(me, *message);
    else
        ORDO_COUNT(me->count.useful++);
}
ORDO_INLINE void MY(combine)(OP(cell) * a, OP(cell) b)
{
    if (OP(better)(b, *a))
        *a = b;
}
#endif

/* Messages first .. first + count - 1 of a ring; how many were served: all. */
ORDO_INLINE ordo_u32 MY(serve_messages)(MY(member) * me, const OP(entry) * slot, ordo_u32 first, ordo_u32 count)
{
    const ordo_u32 mask = me->run->size - 1;
    for (ordo_u32 i = 0; i < count; i++) {
        if (i + SERVER_AHEAD < count)
            __builtin_prefetch((OP(cell) *)me->job->cells + slot[(first + i + SERVER_AHEAD) & mask].item, 1);
        MY(serve_own)(me, &slot[(first + i) & mask]);
    }
    me->balance -= count;
    return count;
}

/* The same, the best of those for one cell, or their sum. A line of the table says where in `combined` a target may be.
 */
ORDO_INLINE ordo_u32 MY(serve_combined)(MY(member) * me, const OP(entry) * slot, ordo_u32 first, ordo_u32 count)
{
    ordo_u32 kept = 0;
    for (ordo_u32 i = 0; i < count; i++) {
        const OP(entry) *message = &slot[(first + i) & (me->run->size - 1)];
        ordo_u32 *line = &me->combine_at[server_slot(message->item, 12)];
        if (*line < kept && me->combined[*line].item == message->item) {
            MY(combine)(&me->combined[*line].value, message->value);
            continue;
        }
        *line = kept;
        me->combined[kept++] = *message;
    }
    for (ordo_u32 i = 0; i < kept; i++)
        MY(serve_own)(me, &me->combined[i]);
    me->balance -= count;
    return count;
}

/* Servers have nothing to say to each other here. */
ORDO_INLINE bool MY(serve_servers)(MY(member) * me)
{
    (void)me;
    return false;
}
ORDO_INLINE void MY(publish_servers)(MY(member) * me)
{
    (void)me;
}
ORDO_INLINE bool MY(make_server)(MY(member) * me)
{
    (void)me;
    return true;
}
ORDO_INLINE void MY(free_server)(MY(member) * me)
{
    (void)me;
}
ORDO_INLINE ordo_status MY(make_channels)(MY(run) * run)
{
    (void)run;
    return ORDO_OK;
}
ORDO_INLINE void MY(free_channels)(MY(run) * run)
{
    (void)run;
}

ORDO_INLINE ordo_status MY(choose_forms)(const ordo_job *job, MY(run) * run)
{
    run->combine = (int)job->tunable[SERVER_FORM] == 2;
    if ((int)job->tunable[SERVER_FORM] == 3)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'lock_server' has form=chains on device 'cuda' alone");
    if (run->combine && !(OP(properties) & ORDO_ASSOCIATIVE))
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with form=combine needs an associative operator; '%s' is not",
                         job->op->name);
    return ORDO_OK;
}
