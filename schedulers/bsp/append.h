/* bsp/append.h -- ways of putting what a superstep activates on the next frontier, on the CPU, to be compared.
 *
 * Problem. Members activate items at the same time, and the next superstep needs all of them in one list.
 *
 * Method (Nasre, Burtscher and Pingali 2013, sections 3.1, 3.2 and 5.2), by the tunable `append`:
 *   buffer    a bin for each member, which is opened to the others: there is no list. The default, in cpu.h; here it is
 *             compared without duplicates, and with donation
 *   atomic    an item takes the next place of the list, by a fetch-and-add of its own
 *   warp      a member takes places for a group of BSP_GROUP items at once
 *   prefix    a member keeps its items until the barrier; then numbers of items are added up, so that it knows its
 *             first place, and copies them. No atomics
 *   scatter   every item of the frontier has as many places as it has edges, and puts what it activates there; places
 *             that stay empty are marked. Behind the barrier members divide the places evenly, add up what they have
 *             as for `prefix`, and copy it. No atomics
 *
 * Duplicates. An item may improve several times in a superstep. dedup=off lists it each time; all but the last entry
 * are found stale. dedup=on lists it once, and its value is read when it is processed. Where items get their places
 * behind a barrier (prefix, scatter), that is by race and resolve, in its OR form: every candidate stores its own
 * number in the word of its item; behind a barrier the one whose number is there stays. Otherwise the item's stamp is
 * exchanged for the number of the superstep, and the first one lists it. No improvement is lost: it is stored before
 * its stamp or number, so it is ordered before the barrier behind which the item's cell is read. What improves the cell
 * later lists the item for the superstep after that. scatter always lists an item once: so its places are at most as
 * many as edges.
 *
 * Donation (section 3.1, figure 1), balance=donate. Members have even parts of the list instead of taking chunks of it.
 * Each adds up the edges of its part; behind a barrier all know the mean. A member that has an eighth more gives the
 * end of its part away. Items in a list are disjoint as they are, so the donation box is a range of the list for each
 * member, and giving needs no copy and no atomic; chunks of a box are taken by fetch-and-add.
 *
 * Lists have room for as many entries as there are items. What finds no place (several entries of an item) stays in the
 * member's bin, which is opened as for `buffer`.
 *
 * Memory order. Lists, places and numbers are written before a barrier and read behind it. Words of items are relaxed:
 * any of the stores may be the last. The counter of a list is cleared two supersteps ahead, when no member reads it.
 *
 * Not done: pulling; edges as items; several processes; sharing long rows (a donation is of whole items).
 *
 * A part of cpu.h, for relax operators.
 */

enum { BSP_GROUP = 32, BSP_EXCESS = 8, BSP_MEMBER_SHIFT = 40 };
#define BSP_HOLE ((ordo_item)0xffffffffu)

typedef struct bsp_sum {
    ordo_u64 items, edges, padding[6];
} bsp_sum;

typedef struct bsp_lists {
    bsp_run run; /* shares: [threads] bins, [1] the list, [threads] donation boxes */
    int append;
    bool once, donates;
    op_entry *list[2]; /* [capacity] of even and odd supersteps */
    ordo_u64 capacity;
    bsp_sum count[3]; /* places that were taken of the list of superstep s: [s % 3].items */
    ordo_u32 *stamp;  /* [items] the last superstep for which it was listed, where a stamp decides; else NULL */
    ordo_u64 *mark;   /* [items] the number of a candidate, where race and resolve decides; else NULL */
    ordo_item *place; /* [edges] scatter */
    ordo_u64 *offset; /* [items + 1] scatter: the first place of the i-th item of the list */
    bsp_sum *have;    /* [threads] what members have for the next list */
    bsp_sum *work;    /* [threads] edges of their parts of this one */
} bsp_lists;

typedef struct bsp_lister {
    bsp_member of;
    bsp_lists *to;
    ordo_u32 step; /* the superstep that is being listed for */
    ordo_u32 grouped;
    ordo_u64 cursor; /* scatter: the next place */
    op_entry group[BSP_GROUP];
} bsp_lister;

/* Puts entries at places of the list that the caller has taken; those beyond its end stay in the member's bin. */
ORDO_INLINE void bsp_place(bsp_lister *me, ordo_u64 at, const op_entry *entry, ordo_u32 count)
{
    bsp_lists *l = me->to;
    for (ordo_u32 i = 0; i < count; i++, at++)
        if (at < l->capacity) {
            l->list[me->step & 1][at] = entry[i];
            me->of.count.put++;
        } else {
            op_append(me->of.job, &me->of.next, entry[i]);
        }
}

ORDO_INLINE void bsp_take_places(bsp_lister *me, const op_entry *entry, ordo_u32 count)
{
    bsp_place(me, __atomic_fetch_add(&me->to->count[me->step % 3].items, count, __ATOMIC_RELAXED), entry, count);
}

/* The sink. */
ORDO_INLINE void bsp_put(void *arg, op_entry entry)
{
    bsp_lister *me = (bsp_lister *)arg;
    const bsp_lists *l = me->to;
    if (l->stamp && (__atomic_load_n(&l->stamp[entry.item], __ATOMIC_RELAXED) == me->step ||
                     __atomic_exchange_n(&l->stamp[entry.item], me->step, __ATOMIC_RELAXED) == me->step))
        return;
    if (l->append == BSP_ATOMIC)
        bsp_take_places(me, &entry, 1);
    else if (l->append == BSP_SCATTER && me->step > 1)
        l->place[me->cursor++] = entry.item;
    else if (l->append == BSP_WARP) {
        me->group[me->grouped++] = entry;
        if (me->grouped == BSP_GROUP) {
            bsp_take_places(me, me->group, BSP_GROUP);
            me->grouped = 0;
        }
    } else
        op_append(me->of.job, &me->of.next, entry);
}

/* The member's candidates for the next list: entries of its bin, or places [first + 0 ...]. */
typedef struct bsp_candidates {
    const ordo_item *place; /* or NULL */
    ordo_u64 first, count;
} bsp_candidates;

ORDO_INLINE ordo_item bsp_candidate(const bsp_lister *me, const bsp_candidates *c, ordo_u64 i)
{
    return c->place ? c->place[c->first + i] : ((const op_entry *)me->of.next.data)[i].item;
}

/* Whether candidate i stays: it is none of the holes, and its number is in the word of its item. */
ORDO_INLINE bool bsp_stays(const bsp_lister *me, const bsp_candidates *c, ordo_u64 i)
{
    const ordo_item item = bsp_candidate(me, c, i);
    return item != BSP_HOLE &&
           (!me->to->mark || __atomic_load_n(&me->to->mark[item], __ATOMIC_RELAXED) == c->first + i);
}

/* Writes what stays to its places, the first of which is sum.items; the places of their edges begin with sum.edges. */
ORDO_INLINE void bsp_copy(bsp_lister *me, const bsp_candidates *c, bsp_sum sum)
{
    bsp_lists *l = me->to;
    const ordo_eid *row = me->of.job->out->row;
    ordo_u64 left = 0;
    for (ordo_u64 i = 0; i < c->count; i++) {
        if (!bsp_stays(me, c, i))
            continue;
        const ordo_item item = bsp_candidate(me, c, i);
        const op_entry entry = c->place ? op_entry_now(me->of.job, item) : ((const op_entry *)me->of.next.data)[i];
        if (sum.items >= l->capacity) {
            ((op_entry *)me->of.next.data)[left++] = entry; /* i >= left */
            continue;
        }
        if (l->offset)
            l->offset[sum.items] = sum.edges;
        l->list[me->step & 1][sum.items++] = entry;
        sum.edges += row[item + 1] - row[item];
        me->of.count.put++;
    }
    me->of.next.count = left;
    if (l->offset && me->of.index == me->of.job->threads - 1)
        l->offset[sum.items] = sum.edges;
}

/* prefix, scatter: makes the next list. `width`: the number of places. */
ORDO_INLINE void bsp_gather_list(bsp_lister *me, ordo_u64 width)
{
    bsp_lists *l = me->to;
    ordo_job *job = me->of.job;
    const int index = me->of.index;
    bsp_candidates c = {NULL, (ordo_u64)index << BSP_MEMBER_SHIFT, me->of.next.count};
    bsp_sum sum = {0, 0, {0}};
    if (l->append == BSP_SCATTER && me->step > 1) {
        ordo_u64 end;
        ordo_split(width, job->threads, index, &c.first, &end);
        c.count = end - c.first;
        c.place = l->place;
        ordo_member_barrier(job, index); /* others have written there */
    }
    if (l->mark) {
        for (ordo_u64 i = 0; i < c.count; i++) {
            const ordo_item item = bsp_candidate(me, &c, i);
            if (item != BSP_HOLE)
                __atomic_store_n(&l->mark[item], c.first + i, __ATOMIC_RELAXED);
        }
        ordo_member_barrier(job, index);
    }
    for (ordo_u64 i = 0; i < c.count; i++)
        if (bsp_stays(me, &c, i)) {
            const ordo_item item = bsp_candidate(me, &c, i);
            sum.items++;
            sum.edges += job->out->row[item + 1] - job->out->row[item];
        }
    l->have[index] = sum;
    ordo_member_barrier(job, index);
    bsp_sum before = {0, 0, {0}}, all = {0, 0, {0}};
    for (int t = 0; t < job->threads; t++) {
        if (t == index)
            before = all;
        all.items += l->have[t].items;
        all.edges += l->have[t].edges;
    }
    if (index == 0)
        l->count[me->step % 3].items = all.items;
    bsp_copy(me, &c, before);
}

/* At the end of a superstep. */
ORDO_INLINE void bsp_list_rest(bsp_lister *me, ordo_u64 width)
{
    if (me->to->append == BSP_PREFIX || me->to->append == BSP_SCATTER)
        bsp_gather_list(me, width);
    if (me->grouped)
        bsp_take_places(me, me->group, me->grouped);
    me->grouped = 0;
}

/* Votes, and waits for all members; false when the run is over. *listed: entries of the list of this superstep;
 * *items: with those of bins. */
ORDO_INLINE bool bsp_agree_on_list(bsp_lister *me, ordo_u64 superstep, ordo_u64 *listed, ordo_u64 *items)
{
    bsp_lists *l = me->to;
    ordo_u64 edges, rows;
    bsp_agree(&l->run, me->of.index, superstep, &me->of, me->of.next.count, items, &edges, &rows);
    const ordo_u64 taken = l->count[superstep % 3].items;
    *listed = taken < l->capacity ? taken : l->capacity;
    *items += *listed;
    if (me->of.index == 0)
        l->count[(superstep + 2) % 3].items = 0; /* its readers have passed a barrier since */
    return *items > 0 && !ordo_job_stop_agreed(me->of.job, superstep);
}

/* Processes entries that no other member has. */
ORDO_INLINE void bsp_list_process(bsp_lister *me, const ordo_rows *rows, op_entry *entry, ordo_u64 size,
                                  const ordo_sync sync)
{
    bsp_lists *l = me->to;
    ordo_job *job = me->of.job;
    ordo_u64 end = 0;
    if (l->once && sync != ORDO_SYNC_RACY) /* racy: what improves meanwhile is listed with the value that it gets */
        for (ordo_u64 i = 0; i < size; i++)
            entry[i] = op_entry_now(job, entry[i].item);
    if (l->append == BSP_SCATTER) {
        const ordo_u64 first = (ordo_u64)(entry - l->list[(me->step - 1) & 1]);
        me->cursor = l->offset[first];
        end = l->offset[first + size];
    }
    op_expand_short(job, rows, entry, size, &me->of.count, NULL, sync, bsp_put, me);
    for (; me->cursor < end; me->cursor++)
        l->place[me->cursor] = BSP_HOLE;
}

/* Takes chunks of a share until none is left. */
ORDO_INLINE void bsp_drain_share(bsp_lister *me, const ordo_rows *rows, ordo_share *share, ordo_u64 superstep,
                                 const ordo_sync sync)
{
    ordo_job *job = me->of.job;
    ordo_u64 begin, end;
    if (ordo_share_wait(job, share, superstep))
        while (!ordo_job_stopped(job) && ordo_share_take(share, (ordo_u64)job->tunable[BSP_CHUNK], &begin, &end))
            bsp_list_process(me, rows, (op_entry *)share->data + begin, end - begin, sync);
}

/* balance=donate: the member's part, of which it keeps *kept entries and gives the others away. Opens all its shares.
 */
ORDO_INLINE op_entry *bsp_donate(bsp_lister *me, ordo_u64 superstep, ordo_u64 listed, const ordo_bin *open,
                                 ordo_u64 *kept)
{
    bsp_lists *l = me->to;
    ordo_job *job = me->of.job;
    const ordo_eid *row = job->out->row;
    const int index = me->of.index;
    ordo_u64 begin, end, mine = 0, all = 0;
    ordo_split(listed, job->threads, index, &begin, &end);
    const bool bins = l->append == BSP_BUFFER;
    op_entry *part = bins ? (op_entry *)open->data : l->list[superstep & 1] + begin;
    ordo_u64 size = bins ? open->count : end - begin;
    for (ordo_u64 i = 0; i < size; i++)
        mine += row[part[i].item + 1] - row[part[i].item] + 1;
    l->work[index].edges = mine;
    ordo_member_barrier(job, index);
    for (int t = 0; t < job->threads; t++)
        all += l->work[t].edges;
    const ordo_u64 mean = all / (ordo_u64)job->threads;
    *kept = size;
    if (mine > mean + mean / BSP_EXCESS)
        for (; *kept > 1 && mine > mean; (*kept)--)
            mine -= row[part[*kept - 1].item + 1] - row[part[*kept - 1].item] + 1;
    const ordo_bin box = {part + *kept, size - *kept, 0}, none = {NULL, 0, 0};
    ordo_share_open(&l->run.shares[job->threads + 1 + index], &box, superstep);
    ordo_share_open(&l->run.shares[index], bins ? &none : open, superstep);
    return part;
}

/* The member's part in a superstep. */
ORDO_INLINE void bsp_list_superstep(bsp_lister *me, const ordo_rows *rows, ordo_u64 superstep, ordo_u64 listed,
                                    const ordo_bin *open, const ordo_sync sync)
{
    bsp_lists *l = me->to;
    const int threads = me->of.job->threads, index = me->of.index;
    ordo_share *shares = l->run.shares;
    if (l->donates) {
        ordo_u64 kept;
        op_entry *part = bsp_donate(me, superstep, listed, open, &kept);
        bsp_list_process(me, rows, part, kept, sync);
    } else {
        const ordo_bin list = {l->list[superstep & 1], listed, 0};
        ordo_share_open(&shares[index], open, superstep);
        if (index == 0)
            ordo_share_open(&shares[threads], &list, superstep);
        bsp_drain_share(me, rows, &shares[threads], superstep, sync);
    }
    for (int boxes = 0; boxes <= l->donates; boxes++)
        for (int k = 0; k < threads; k++)
            bsp_drain_share(me, rows, &shares[(index + k) % threads + (boxes ? threads + 1 : 0)], superstep, sync);
}

ORDO_INLINE void bsp_list_work(bsp_lists *l, int index, const ordo_sync sync)
{
    ordo_job *job = l->run.job;
    const ordo_rows rows = ordo_rows_of(job->out, op_weight_type);
    bsp_lister me = {.of = {.job = job, .index = index}, .to = l, .step = 1};
    ordo_bin open = {0};
    ordo_count_from(job, index, &me.of.count, &me.of.next, 1, NULL);
    ordo_u64 begin, end, listed = 0, items = 0;
    ordo_split(job->initial_count, job->threads, index, &begin, &end);
    for (ordo_u64 i = begin; i < end && (i % ORDO_POLL_BATCH || ordo_go_on(job, &me.of.count, ORDO_POLL_BATCH)); i++)
        bsp_put(&me, op_entry_now(job, op_initial(job, i)));
    bsp_list_rest(&me, 0);
    for (ordo_u64 superstep = 1; bsp_agree_on_list(&me, superstep, &listed, &items); superstep++) {
        bsp_begin_superstep(&l->run, index, superstep, items);
        const double before = ORDO_CLOCK(job);
        const ordo_bin swap = open;
        me.of.count.put += me.of.next.count;
        open = me.of.next;
        me.of.next = swap;
        me.of.next.count = 0;
        me.step = (ordo_u32)superstep + 1;
        const ordo_u64 width = l->offset ? l->offset[listed] : 0;
        bsp_list_superstep(&me, &rows, superstep, listed, &open, sync);
        bsp_list_rest(&me, width);
        me.of.count.work_seconds += ORDO_CLOCK(job) - before;
    }
    ordo_bin_free(job, &me.of.next, sizeof(op_entry));
    ordo_bin_free(job, &open, sizeof(op_entry));
    ordo_count_to(job, index, &me.of.count);
}

ORDO_NOINLINE void bsp_list_atomic(void *lists, int index)
{
    bsp_list_work((bsp_lists *)lists, index, ORDO_SYNC_ATOMIC);
}
ORDO_NOINLINE void bsp_list_lock(void *lists, int index)
{
    bsp_list_work((bsp_lists *)lists, index, ORDO_SYNC_LOCK);
}
ORDO_NOINLINE void bsp_list_racy(void *lists, int index)
{
    bsp_list_work((bsp_lists *)lists, index, ORDO_SYNC_RACY);
}

/* An array of the run, whose memory counts as that of its worklist. */
static void *bsp_array(ordo_job *job, bool wanted, ordo_u64 count, size_t size, ordo_status *status)
{
    void *array = wanted && !*status ? ordo_alloc_zero(count, size) : NULL;
    if (wanted && !array)
        *status = ORDO_ERR_MEMORY;
    ordo_job_account(job, array ? (long long)(count * size) : 0);
    return array;
}

static ordo_status bsp_run_lists(ordo_job *job)
{
    if (job->remote)
        return ordo_fail(ORDO_ERR_UNSOUND,
                         "scheduler 'bsp' over ranks has append=buffer, dedup=auto and balance=chunks alone");
    if (ordo_job_sync(job) == ORDO_SYNC_RACE)
        return ordo_fail(
            ORDO_ERR_UNSOUND,
            "scheduler 'bsp' with sync 'race' has append=buffer, dedup=auto and balance=chunks alone: items "
            "are listed when races are settled, by whoever has won");
    const int append = (int)job->tunable[BSP_APPEND], threads = job->threads;
    bsp_lists l = {.append = append,
                   .once = append == BSP_SCATTER || (int)job->tunable[BSP_DEDUP] == BSP_ONCE,
                   .donates = (int)job->tunable[BSP_BALANCE] == BSP_DONATE,
                   .capacity = append == BSP_BUFFER ? 0 : job->num_items};
    const bool behind = append == BSP_PREFIX || append == BSP_SCATTER;
    ordo_status status = ORDO_OK;
    l.run.job = job;
    l.run.shares = (ordo_share *)bsp_array(job, true, 2 * (ordo_u64)threads + 1, sizeof(ordo_share), &status);
    l.run.votes = (ordo_bsp_vote *)bsp_array(job, true, (ordo_u64)threads, sizeof(ordo_bsp_vote), &status);
    l.have = (bsp_sum *)bsp_array(job, true, (ordo_u64)threads, sizeof(bsp_sum), &status);
    l.work = (bsp_sum *)bsp_array(job, true, (ordo_u64)threads, sizeof(bsp_sum), &status);
    for (int i = 0; i < 2; i++)
        l.list[i] = (op_entry *)bsp_array(job, l.capacity > 0, l.capacity, sizeof(op_entry), &status);
    l.stamp = (ordo_u32 *)bsp_array(job, l.once && !behind, job->num_items, sizeof(ordo_u32), &status);
    l.mark = (ordo_u64 *)bsp_array(job, l.once && behind, job->num_items, sizeof(ordo_u64), &status);
    l.place = (ordo_item *)bsp_array(job, append == BSP_SCATTER, job->out->m, sizeof(ordo_item), &status);
    l.offset = (ordo_u64 *)bsp_array(job, append == BSP_SCATTER, job->num_items + 1, sizeof(ordo_u64), &status);
    if (!status)
        ordo_team_run(job->team,
                      ordo_job_sync(job) == ORDO_SYNC_LOCK   ? bsp_list_lock
                      : ordo_job_sync(job) == ORDO_SYNC_RACY ? bsp_list_racy
                                                             : bsp_list_atomic,
                      &l);
    ordo_free(l.run.shares);
    ordo_free(l.run.votes);
    ordo_free(l.have);
    ordo_free(l.work);
    ordo_free(l.list[0]);
    ordo_free(l.list[1]);
    ordo_free(l.stamp);
    ordo_free(l.mark);
    ordo_free(l.place);
    ordo_free(l.offset);
    return status;
}
