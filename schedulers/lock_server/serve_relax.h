/* lock_server/serve_relax.h -- how a server handles candidates for its cells. A part of cpu.h.
 *
 * Cells that select: a client has read the cell and sends only candidates that would improve it; the server tests
 * again, and only the server writes the cell. Cells that sum: a client sends every addend, and only the server adds;
 * but the member that processes an item takes its cell, so additions are atomic, although no other thread adds.
 */
enum { lock_server_target_bytes = sizeof(op_offered) };

#if ORDO_OP_KIND == ORDO_KIND_GATHER || ORDO_OP_ORDER == ORDO_SUM
ORDO_INLINE void lock_server_serve_own(lock_server_member *me, const op_entry *message)
{
    op_entry raised = *message;
    if (op_offer(me->job, op_offers(me->job), message->item, &raised.value, ORDO_SYNC_ATOMIC))
        lock_server_keep(me, raised);
}
ORDO_INLINE void lock_server_combine(op_offered *a, op_offered b)
{
    *a += b;
}
#else
ORDO_INLINE void lock_server_serve_own(lock_server_member *me, const op_entry *message)
{
    op_cell *cell = (op_cell *)me->job->cells + message->item;
    if (!op_better(message->value, op_load(cell)))
        return;
    op_store(cell, message->value);
    if (op_activates)
        lock_server_keep(me, *message);
    else
        ORDO_COUNT(me->count.useful++);
}
ORDO_INLINE void lock_server_combine(op_cell *a, op_cell b)
{
    if (op_better(b, *a))
        *a = b;
}
#endif

/* Serves messages first .. first + count - 1 of a ring; returns the number served, which is all. */
ORDO_INLINE ordo_u32 lock_server_serve_messages(lock_server_member *me, const op_entry *slot, ordo_u32 first,
                                                ordo_u32 count)
{
    const ordo_u32 mask = me->run->size - 1;
    for (ordo_u32 i = 0; i < count; i++) {
        if (i % ORDO_POLL_BATCH == ORDO_POLL_BATCH - 1 && !ordo_go_on(me->job, &me->count, ORDO_POLL_BATCH))
            break; /* the run has failed: what is left no longer matters */
        if (i + SERVER_AHEAD < count)
            __builtin_prefetch(op_offers(me->job) + slot[(first + i + SERVER_AHEAD) & mask].item, 1);
        lock_server_serve_own(me, &slot[(first + i) & mask]);
    }
    me->balance -= count;
    return count;
}

/* The same, but first combines the candidates for a cell: their best, or their sum. A line of the table holds the place
 * in `combined` where a target may be. */
ORDO_INLINE ordo_u32 lock_server_serve_combined(lock_server_member *me, const op_entry *slot, ordo_u32 first,
                                                ordo_u32 count)
{
    ordo_u32 kept = 0;
    for (ordo_u32 i = 0; i < count; i++) {
        const op_entry *message = &slot[(first + i) & (me->run->size - 1)];
        ordo_u32 *line = &me->combine_at[server_slot(message->item, 12)];
        if (*line < kept && me->combined[*line].item == message->item) {
            lock_server_combine(&me->combined[*line].value, message->value);
            continue;
        }
        *line = kept;
        me->combined[kept++] = *message;
    }
    for (ordo_u32 i = 0; i < kept; i++)
        lock_server_serve_own(me, &me->combined[i]);
    me->balance -= count;
    return count;
}

/* Servers send each other nothing here. */
ORDO_INLINE bool lock_server_serve_servers(lock_server_member *me)
{
    (void)me;
    return false;
}
ORDO_INLINE void lock_server_publish_servers(lock_server_member *me)
{
    (void)me;
}
ORDO_INLINE bool lock_server_make_server(lock_server_member *me)
{
    (void)me;
    return true;
}
ORDO_INLINE void lock_server_free_server(lock_server_member *me)
{
    (void)me;
}
ORDO_INLINE ordo_status lock_server_make_channels(lock_server_run *run)
{
    (void)run;
    return ORDO_OK;
}
ORDO_INLINE void lock_server_free_channels(lock_server_run *run)
{
    (void)run;
}

ORDO_INLINE ordo_status lock_server_choose_forms(const ordo_job *job, lock_server_run *run)
{
    run->combine = (int)job->tunable[SERVER_FORM] == 2;
    if ((int)job->tunable[SERVER_FORM] == 3)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'lock_server' has form=chains on device 'cuda' alone");
    if (run->combine && ORDO_OP_KIND == ORDO_KIND_RELAX && !(op_properties & ORDO_ASSOCIATIVE))
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with form=combine needs an associative operator; '%s' is not",
                         job->op->name);
    return ORDO_OK;
}
