/* lock_server/serve_critical.h -- how a server handles requests: critical sections, halves, and nested locks. A part of
 * cpu.h.
 *
 * locks.h has the protocol (L1 to L4). Requests are *admitted*: run at once, or set aside in a place of the server's
 * table until their locks are free. A request that cannot be admitted stays in its ring. Only the server's thread
 * accesses its locks and places.
 */
enum { lock_server_target_bytes = 8 };

/* ---- critical sections ---- */

ORDO_INLINE void lock_server_keep_all(lock_server_member *me, const ordo_activation *activated, ordo_u32 count)
{
    ORDO_COUNT(me->count.activations += count);
    op_push_activated(activated, count, lock_server_keep, me);
}

ORDO_INLINE void lock_server_run_commit(lock_server_member *me, const op_request *request)
{
    ordo_activation activated[op_activations + 1];
    lock_server_keep_all(me, activated, op_run_commit(me->job, request, activated, &me->count));
}

/* ---- halves ---- */

ORDO_INLINE void lock_server_run_second(lock_server_member *me, const op_request *request)
{
    ordo_activation activated[op_activations + 1];
    lock_server_keep_all(me, activated, op_second((const op_state *)me->job->state, request, activated));
    ORDO_COUNT(me->count.useful++);
}

/* Puts a second half into the ring, or behind those that found it full before. */
ORDO_INLINE void lock_server_send_second(lock_server_member *me, ordo_u32 server, const op_request *request)
{
    const lock_server_run *run = me->run;
    const ordo_u64 at = (ordo_u64)server * run->servers + me->server;
    server_writer *writer = &me->to_server[server];
    if (!me->spill[server].count && server_has_place(writer, &run->second[at], run->size)) {
        run->second_slot[at * run->size + (writer->next++ & (run->size - 1))] = *request;
        return;
    }
    ordo_bin *spill = &me->spill[server];
    if (spill->count == spill->capacity && !ordo_bin_grow(me->job, spill, sizeof *request))
        return; /* the run has failed */
    ((op_request *)spill->data)[spill->count++] = *request;
    me->spilled++;
}

/* Returns whether a request was served. It counts as one thing until both halves have run. */
ORDO_INLINE bool lock_server_admit_halves(lock_server_member *me, const op_request *request, bool own)
{
    ordo_activation activated[op_activations + 1];
    op_request second = *request;
    int more = 0;
    if (me->spilled >= server_flight(me->job->tunable[SERVER_FLIGHT]))
        return false;
    lock_server_keep_all(me, activated, op_first((const op_state *)me->job->state, &second, activated, &more));
    const ordo_u32 server = server_owner(&me->run->map, second.target[1]);
    if (more && server != me->server) {
        lock_server_send_second(me, server, &second);
        me->balance += own;
        return true;
    }
    if (more)
        lock_server_run_second(me, &second);
    else
        ORDO_COUNT(me->count.useful++);
    me->balance -= !own;
    return true;
}

ORDO_NOINLINE bool lock_server_serve_halves(lock_server_member *me)
{
    const lock_server_run *run = me->run;
    bool any = false;
    for (ordo_u32 server = 0; server < run->servers; server++) {
        const ordo_u64 in = (ordo_u64)me->server * run->servers + server,
                       out = (ordo_u64)server * run->servers + me->server;
        server_ring *ring = &run->second[in];
        const ordo_u32 count = server_arrived(ring);
        for (ordo_u32 i = 0; i < count; i++)
            lock_server_run_second(me, &run->second_slot[in * run->size + ((ring->read + i) & (run->size - 1))]);
        if (count)
            server_give_back(ring, count);
        me->balance -= count;
        any = any || count;

        ordo_bin *spill = &me->spill[server];
        server_writer *writer = &me->to_server[server];
        ordo_u64 moved = 0;
        while (moved < spill->count && server_has_place(writer, &run->second[out], run->size))
            run->second_slot[out * run->size + (writer->next++ & (run->size - 1))] =
                ((const op_request *)spill->data)[moved++];
        if (moved) {
            spill->count -= moved;
            me->spilled -= moved;
            memmove(spill->data, (const op_request *)spill->data + moved, spill->count * sizeof(op_request));
        }
    }
    return any;
}

/* ---- nested locks ---- */

ORDO_INLINE server_place *lock_server_place(const lock_server_member *me, ordo_u32 index)
{
    return (server_place *)me->place.data + index;
}

/* A free place of the table; SERVER_NONE if memory is short. */
static ordo_u32 lock_server_new_place(lock_server_member *me)
{
    ordo_u32 index = me->free_place;
    if (index != SERVER_NONE) {
        me->free_place = lock_server_place(me, index)->next;
        return index;
    }
    if (me->place.count == me->place.capacity && !ordo_bin_grow(me->job, &me->place, sizeof(server_place)))
        return SERVER_NONE;
    return (ordo_u32)me->place.count++;
}
ORDO_INLINE void lock_server_drop_place(lock_server_member *me, ordo_u32 index)
{
    lock_server_place(me, index)->next = me->free_place;
    me->free_place = index;
}

/* Appends a place to a lock's queue. */
static void lock_server_queue(lock_server_member *me, ordo_u32 slot, ordo_u32 index)
{
    server_lock *lock = &me->lock[slot];
    lock_server_place(me, index)->next = SERVER_NONE;
    if (lock->first == SERVER_NONE)
        lock->first = index;
    else
        lock_server_place(me, lock->last)->next = index;
    lock->last = index;
}

ORDO_INLINE ordo_u64 lock_server_channel_at(const lock_server_run *run, int channel, ordo_u32 to, ordo_u32 from)
{
    return ((ordo_u64)channel * run->servers + to) * run->servers + from;
}

/* Sends a word. There is always a free place: see locks.h. */
static void lock_server_send_word(lock_server_member *me, int channel, ordo_u32 server, server_word word)
{
    const lock_server_run *run = me->run;
    const ordo_u64 at = lock_server_channel_at(run, channel, server, me->server);
    server_writer *writer = &me->to_server[(ordo_u32)channel * run->servers + server];
    run->word[at * run->credit + (writer->next++ & (run->credit - 1))] = word;
}

/* W3 for all words: when a member has served, and when it waits. Words are not things, so there is nothing to net. */
ORDO_INLINE void lock_server_publish_words(lock_server_member *me)
{
    const lock_server_run *run = me->run;
    for (int channel = 0; channel < SERVER_CHANNELS; channel++)
        for (ordo_u32 server = 0; server < run->servers; server++) {
            server_writer *writer = &me->to_server[(ordo_u32)channel * run->servers + server];
            if (writer->next != writer->published)
                server_publish(writer, &run->channel[lock_server_channel_at(run, channel, server, me->server)]);
        }
}

/* Whether one more LOCK may be sent to that server: credit is returned when an UNLOCK has been read. */
ORDO_INLINE bool lock_server_has_credit(lock_server_member *me, ordo_u32 server)
{
    const lock_server_run *run = me->run;
    server_writer *lock = &me->to_server[SERVER_LOCK * run->servers + server];
    return server_has_place(lock, &run->channel[lock_server_channel_at(run, SERVER_UNLOCK, server, me->server)],
                            run->credit);
}

/* Adds a lock of this server to those that lock_server_pass_locks passes on. */
ORDO_INLINE void lock_server_release(lock_server_member *me, ordo_u32 slot)
{
    me->lock[slot].next = me->released;
    me->released = slot;
}

/* Runs a request that has all its locks, and releases the one that is held for it (L4). */
static void lock_server_finish(lock_server_member *me, ordo_u32 index)
{
    const server_place place = *lock_server_place(me, index);
    lock_server_drop_place(me, index);
    me->set_aside--;
    lock_server_run_commit(me, &place.request);
    me->balance--;
    if (place.holds == me->server)
        lock_server_release(me, place.slot);
    else if (place.holds != SERVER_NONE)
        lock_server_send_word(me, SERVER_UNLOCK, place.holds, (server_word){place.slot, SERVER_NONE});
}

ORDO_INLINE void lock_server_grant(lock_server_member *me, ordo_u32 slot, ordo_u32 server, ordo_u32 ticket)
{
    me->lock[slot].held = 1;
    lock_server_send_word(me, SERVER_REPLY, server, (server_word){slot, ticket});
}

/* Passes released locks to the first in their queues, until none is left. */
static void lock_server_pass_locks(lock_server_member *me)
{
    while (me->released != SERVER_NONE) {
        const ordo_u32 slot = me->released;
        server_lock *lock = &me->lock[slot];
        me->released = lock->next;
        lock->held = 0;
        while (!lock->held && lock->first != SERVER_NONE) {
            const ordo_u32 index = lock->first;
            server_place *place = lock_server_place(me, index);
            lock->first = place->next;
            if (place->stage == SERVER_GRANT) {
                lock_server_grant(me, slot, place->from, place->ticket);
                lock_server_drop_place(me, index);
            } else if (place->stage == SERVER_BOTH && me->lock[place->second].held) {
                lock->held = 1;
                place->stage = SERVER_RUN;
                place->holds = me->server;
                place->slot = slot;
                lock_server_queue(me, place->second, index);
            } else {
                lock_server_finish(me, index);
            }
        }
    }
}

ORDO_INLINE server_lock_name lock_server_find_lock(const lock_server_run *run, ordo_u32 target)
{
    server_lock_name lock = {server_owner(&run->map, target), server_slot(target, run->lock_bits)};
    return lock;
}

/* Sets a request aside without a lock; returns its place, or SERVER_NONE if there are too many already. */
static ordo_u32 lock_server_put_aside(lock_server_member *me, const op_request *request, bool own)
{
    if (me->set_aside >= server_flight(me->job->tunable[SERVER_FLIGHT]))
        return SERVER_NONE;
    const ordo_u32 index = lock_server_new_place(me);
    if (index == SERVER_NONE)
        return index;
    *lock_server_place(me, index) = (server_place){.request = *request, .stage = SERVER_RUN, .holds = SERVER_NONE};
    me->set_aside++;
    me->balance += own;
    return index;
}

ORDO_INLINE bool lock_server_run_now(lock_server_member *me, const op_request *request, bool own)
{
    lock_server_run_commit(me, request);
    me->balance -= !own;
    return true;
}

/* Admits a request with two locks, of which this server owns the higher one, `high`. */
static bool lock_server_admit_pair(lock_server_member *me, const op_request *request, server_lock_name low,
                                   server_lock_name high, bool own)
{
    ordo_u32 index;
    if (low.server != me->server) { /* L1 */
        if (!lock_server_has_credit(me, low.server) || (index = lock_server_put_aside(me, request, own)) == SERVER_NONE)
            return false;
        server_place *place = lock_server_place(me, index);
        place->holds = low.server;
        place->slot = low.slot;
        place->second = high.slot;
        lock_server_send_word(me, SERVER_LOCK, low.server, (server_word){low.slot, index});
        return true;
    }
    if (!me->lock[low.slot].held && !me->lock[high.slot].held)
        return lock_server_run_now(me, request, own);
    if ((index = lock_server_put_aside(me, request, own)) == SERVER_NONE)
        return false;
    server_place *place = lock_server_place(me, index);
    if (me->lock[low.slot].held) {
        place->stage = SERVER_BOTH;
        place->second = high.slot;
        lock_server_queue(me, low.slot, index);
    } else {
        me->lock[low.slot].held = 1;
        place->holds = me->server;
        place->slot = low.slot;
        lock_server_queue(me, high.slot, index);
    }
    return true;
}

/* Runs a request whose home is this server, or sets it aside; false if neither is possible. `own`: this member made it
 * and no other has seen it, so it does not count as a thing yet. */
ORDO_INLINE bool lock_server_admit(lock_server_member *me, const op_request *request, bool own)
{
    const lock_server_run *run = me->run;
    if (op_targets == 1)
        return lock_server_run_now(me, request, own);
    if (run->halves)
        return request->targets == 2 ? lock_server_admit_halves(me, request, own)
                                     : lock_server_run_now(me, request, own);
    server_lock_name a = lock_server_find_lock(run, request->target[0]),
                     b = lock_server_find_lock(run, request->target[request->targets - 1]);
    if (a.server != b.server || a.slot != b.slot) {
        const bool turned = server_lock_above(a, b);
        return lock_server_admit_pair(me, request, turned ? b : a, turned ? a : b, own);
    }
    if (!me->lock[a.slot].held)
        return lock_server_run_now(me, request, own);
    const ordo_u32 index = lock_server_put_aside(me, request, own);
    if (index == SERVER_NONE)
        return false;
    lock_server_queue(me, a.slot, index);
    return true;
}

/* Serves the three channels; returns whether anything had arrived. */
ORDO_NOINLINE bool lock_server_serve_locks(lock_server_member *me)
{
    const lock_server_run *run = me->run;
    bool any = false;
    for (int channel = SERVER_CHANNELS - 1; channel >= 0; channel--) /* UNLOCK, REPLY, LOCK: requests that hold locks
                                                                        come first */
        for (ordo_u32 server = 0; server < run->servers; server++) {
            const ordo_u64 at = lock_server_channel_at(run, channel, me->server, server);
            server_ring *ring = &run->channel[at];
            const ordo_u32 count = server_arrived(ring);
            for (ordo_u32 i = 0; i < count; i++) {
                const server_word word = run->word[at * run->credit + ((ring->read + i) & (run->credit - 1))];
                if (channel == SERVER_UNLOCK) {
                    lock_server_release(me, word.slot);
                } else if (channel == SERVER_REPLY) { /* L3 */
                    const ordo_u32 second = lock_server_place(me, word.ticket)->second;
                    if (me->lock[second].held)
                        lock_server_queue(me, second, word.ticket);
                    else
                        lock_server_finish(me, word.ticket);
                } else if (!me->lock[word.slot].held) { /* L2 */
                    lock_server_grant(me, word.slot, server, word.ticket);
                } else {
                    const ordo_u32 index = lock_server_new_place(me);
                    if (index == SERVER_NONE)
                        return any; /* the run has failed */
                    *lock_server_place(me, index) =
                        (server_place){.stage = SERVER_GRANT, .from = server, .ticket = word.ticket};
                    lock_server_queue(me, word.slot, index);
                }
                lock_server_pass_locks(me);
            }
            if (count)
                server_give_back(ring, count);
            any = any || count;
        }
    return any;
}

ORDO_INLINE bool lock_server_serve_servers(lock_server_member *me)
{
    if (op_targets == 1 || me->run->servers == 1)
        return false;
    return me->run->halves ? lock_server_serve_halves(me) : lock_server_serve_locks(me);
}

/* Publishes what this server has sent to other servers. */
ORDO_INLINE void lock_server_publish_servers(lock_server_member *me)
{
    const lock_server_run *run = me->run;
    if (op_targets == 1 || run->servers == 1 || me->server == SERVER_NONE)
        return;
    if (!run->halves)
        lock_server_publish_words(me);
    for (ordo_u32 server = 0; run->halves && server < run->servers; server++)
        lock_server_publish(me, &me->to_server[server], &run->second[(ordo_u64)server * run->servers + me->server]);
}

/* ---- clients' requests ---- */

/* The server to which a request is sent: the owner of its first target, or of its higher lock. */
ORDO_INLINE ordo_u32 lock_server_home(const lock_server_run *run, const op_request *request)
{
    if (op_targets == 1 || run->halves || request->targets == 1)
        return server_owner(&run->map, request->target[0]);
    const server_lock_name a = lock_server_find_lock(run, request->target[0]),
                           b = lock_server_find_lock(run, request->target[1]);
    return server_lock_above(a, b) ? a.server : b.server;
}

/* Serves a request of the member itself: waits until it can be admitted, and serves other messages meanwhile. */
ORDO_INLINE void lock_server_serve_own(lock_server_member *me, const op_request *request)
{
    for (int round = 0; !lock_server_admit(me, request, true) && !ordo_job_stopped(me->job); round++) {
        lock_server_publish_servers(me);
        if (lock_server_serve_servers(me))
            round = 0;
        else
            lock_server_wait(me, round);
    }
}

/* Serves messages first .. of a ring, as many as can be admitted; returns their number. */
ORDO_INLINE ordo_u32 lock_server_serve_messages(lock_server_member *me, const op_request *slot, ordo_u32 first,
                                                ordo_u32 count)
{
    for (ordo_u32 i = 0; i < count; i++)
        if (!ordo_go_on(me->job, &me->count, 1) ||
            !lock_server_admit(me, &slot[(first + i) & (me->run->size - 1)], false))
            return i;
    return count;
}

/* The same for operators that combine requests of one target: combined requests run as one. A line of the table holds
 * the place in `combined` where a target may be. */
ORDO_INLINE ordo_u32 lock_server_serve_combined(lock_server_member *me, const op_request *slot, ordo_u32 first,
                                                ordo_u32 count)
{
    ordo_u32 kept = 0;
    for (ordo_u32 i = 0; i < count; i++) {
        const op_request *message = &slot[(first + i) & (me->run->size - 1)];
        if (!op_still_valid((const op_state *)me->job->state, message)) { /* and others may not be combined with it */
            ORDO_COUNT(me->count.useful++);
            me->balance--;
            continue;
        }
        ordo_u32 *line = &me->combine_at[server_slot(message->target[0], 12)];
        if (*line < kept && me->combined[*line].target[0] == message->target[0] &&
            op_combine((const op_state *)me->job->state, &me->combined[*line], message)) {
            ORDO_COUNT(me->count.useful++);
            me->balance--;
            continue;
        }
        *line = kept;
        me->combined[kept++] = *message;
    }
    for (ordo_u32 i = 0; i < kept && ordo_go_on(me->job, &me->count, 1); i++)
        lock_server_run_now(me, &me->combined[i], false);
    return count;
}

/* ---- making and freeing ---- */

ORDO_INLINE ordo_status lock_server_choose_forms(const ordo_job *job, lock_server_run *run)
{
    const int form = (int)job->tunable[SERVER_FORM], pairs = (int)job->tunable[SERVER_PAIRS];
    const bool can = op_combines && op_targets == 1;
    if (form == 2 && !can)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with form=combine needs an operator of one target that combines "
                         "requests; '%s' does not",
                         job->op->name);
    if (form == 3)
        return ordo_fail(ORDO_ERR_UNSOUND, "scheduler 'lock_server' has form=chains on device 'cuda' alone");
    if (pairs == 2 && !op_halves)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'lock_server' with pairs=halves needs an operator whose section has two halves, "
                         "since others come between them; '%s' has none",
                         job->op->name);
    run->combine = form == 2;
    run->halves = op_halves && pairs != 1;
    return ORDO_OK;
}

ORDO_INLINE ordo_status lock_server_make_channels(lock_server_run *run)
{
    const ordo_job *job = run->job;
    const ordo_u64 pairs = (ordo_u64)run->servers * run->servers;
    if (op_targets == 1)
        return ORDO_OK;
    if (run->halves) {
        run->second = (server_ring *)ordo_alloc_zero(pairs, sizeof *run->second);
        run->second_slot = (op_request *)ordo_alloc(pairs * run->size, sizeof *run->second_slot);
        return run->second && run->second_slot ? ORDO_OK : ORDO_ERR_MEMORY;
    }
    run->credit = server_floor((double)server_flight(job->tunable[SERVER_FLIGHT]) / run->servers);
    while (((ordo_u64)2 << run->lock_bits) <= (ordo_u64)job->tunable[SERVER_LOCKS])
        run->lock_bits++;
    run->channel = (server_ring *)ordo_alloc_zero(SERVER_CHANNELS * pairs, sizeof *run->channel);
    run->word = (server_word *)ordo_alloc(SERVER_CHANNELS * pairs * run->credit, sizeof *run->word);
    return run->channel && run->word ? ORDO_OK : ORDO_ERR_MEMORY;
}

ORDO_INLINE void lock_server_free_channels(lock_server_run *run)
{
    ordo_free(run->second);
    ordo_free(run->second_slot);
    ordo_free(run->channel);
    ordo_free(run->word);
}

ORDO_INLINE bool lock_server_make_server(lock_server_member *me)
{
    const lock_server_run *run = me->run;
    if (op_targets == 1 || me->server == SERVER_NONE)
        return true;
    me->to_server = (server_writer *)ordo_alloc_zero((ordo_u64)SERVER_CHANNELS * run->servers, sizeof *me->to_server);
    if (run->halves) {
        me->spill = (ordo_bin *)ordo_alloc_zero(run->servers, sizeof *me->spill);
        return me->to_server && me->spill;
    }
    me->lock = (server_lock *)ordo_alloc_zero((ordo_u64)1 << run->lock_bits, sizeof *me->lock);
    for (ordo_u32 i = 0; me->lock && i < (ordo_u32)1 << run->lock_bits; i++)
        me->lock[i].first = me->lock[i].last = SERVER_NONE;
    return me->to_server && me->lock;
}

ORDO_INLINE void lock_server_free_server(lock_server_member *me)
{
    for (ordo_u32 i = 0; me->spill && i < me->run->servers; i++)
        ordo_bin_free(me->job, &me->spill[i], sizeof(op_request));
    ordo_bin_free(me->job, &me->place, sizeof(server_place));
    ordo_free(me->to_server);
    ordo_free(me->spill);
    ordo_free(me->lock);
}
