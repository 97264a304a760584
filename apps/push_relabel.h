/* push_relabel.h -- what the members of a team share in a phase of push-relabel: push_relabel.c discharges vertices,
 * push_relabel_search.c relabels globally.
 */
#ifndef ORDO_PUSH_RELABEL_H
#define ORDO_PUSH_RELABEL_H

#include "apps/network.h"

enum {
    FLOW_TRANSFER = 256, /* vertices that a member hands over at once, at most */
    FLOW_POLL = 4096     /* discharges, or levels of a search by member 0 alone, between two looks at the time */
};

/* No member; no vertex. */
#define FLOW_NONE 0xffffffffu

/* An entry of a search: a part of a row, from edge `begin` on. */
typedef struct flow_entry {
    ordo_vid vertex;
    ordo_u32 begin;
} flow_entry;

/* What a member says at the end of a step, for all to add up. By parity of the step: a member writes it again only
 * after the next barrier, which all pass after they have read it. */
typedef struct flow_said {
    ordo_u64 entries, edges; /* of the next level of a search: entries; edges in them, at most */
    ordo_u64 reached;        /* vertices of a search in this step */
    ordo_u64 active;         /* those of them with excess; in the step before a search, vertices with excess */
    ordo_u64 skipped;        /* whether vertices with excess were skipped since the last search */
    ordo_u32 level;          /* of member 0, which may have searched several levels alone */
    ordo_u32 padding[5];
} flow_said;

/* A member's part. Lists of active vertices are its own; other members write `request` and `reply` and, while it waits
 * for a reply, `transfer`. */
typedef struct flow_member {
    ordo_bin active;         /* flow_entry: vertices with excess that it has reached in the last search */
    ordo_bin level[2];       /* flow_entry, by parity of the level: what it has reached in a search */
    flow_said said[2], mine; /* of all steps by parity; of this one */

    ordo_vid *first;   /* [heights] by height: the first of the active vertices in its list, plus 1; 0: none */
    ordo_u32 highest;  /* no list above it has a vertex below the limit */
    ordo_u32 top;      /* no list above both has any */
    ordo_u32 turn;     /* the height of the list from which the next vertex is taken, or above it */
    ordo_u64 listed;   /* vertices in all lists, at most */
    ordo_u64 in_order; /* discharges that remain in the order highest first; 0: sweeps */
    ordo_u64 work;     /* that it has not reported */
    bool skipped;
    ordo_u64 random;
    ordo_u64 discharges, pushes, relabels; /* in the phase */
    ordo_u64 arrived;                      /* excess that it has pushed to `to` */
    double waited;                         /* seconds without vertices */

    _Alignas(64) ordo_u32 request; /* atomic: the member that asks this one for vertices, or FLOW_NONE */
    _Alignas(64) ordo_u32 reply;   /* atomic: flow_reply, to what this member has asked */
    ordo_u32 transfers;            /* vertices in transfer[] */
    ordo_vid transfer[FLOW_TRANSFER];
} flow_member;

enum flow_reply { FLOW_WAITING, FLOW_REFUSED, FLOW_GRANTED };

typedef struct flow_run {
    ordo_network *net;
    ordo_job *job;
    ordo_vid to;
    ordo_u64 budget, report; /* work between global relabels; what a member does before it reports it */
    ordo_vid *next;          /* [n] by vertex: the next in the same list, likewise */
    ordo_u32 *count;         /* atomic, by height, at flow_count_of(): the number of vertices */
    ordo_u32 count_shift, count_stride;
    ordo_u32 heights;     /* lists of a member; the last one has all higher vertices, too */
    ordo_u64 relabels;    /* global ones in this phase */
    flow_member *members; /* [members] */
    ordo_stop_fn *stop;
    void *arg;
    bool stopped; /* at the end: early */

    _Alignas(64) ordo_u32 limit;   /* atomic: vertices at this height or above are skipped */
    _Alignas(64) ordo_u32 working; /* atomic: members that have vertices, or have been granted some */
    _Alignas(64) ordo_u64 work;    /* atomic: reported since the last global relabel */
    _Alignas(64) ordo_u32 halt;    /* atomic: not 0 once no more is to be discharged before the next one */
} flow_run;

/* A member's view of the run. All members have the same but for `me` and `id`. */
typedef struct flow_view {
    flow_run *run;
    flow_member *me;
    int id;
    bool stopped;
    ordo_u64 step;   /* number */
    ordo_u32 level;  /* of a search: the height of what is reached now */
    ordo_u64 active; /* vertices after the last search */
} flow_view;

/* Ends a step: waits for all members, and returns the sum of what they say. */
flow_said flow_meet(flow_view *v);
/* Appends to a bin of the member. Where memory is short the job fails. */
static inline void flow_put(flow_view *v, ordo_bin *bin, flow_entry entry)
{
    if (bin->count < bin->capacity || ordo_bin_grow(v->run->job, bin, sizeof entry))
        ((flow_entry *)bin->data)[bin->count++] = entry;
}
/* A global relabel, by all members: heights become exact distances to `to` over residual edges, n where there is no
 * path. A search that is for the source, or for few vertices with excess, ends with the level in which it has reached
 * all of these; what is farther, or not connected, then gets one more than the last distance. Afterwards current edges
 * are the first ones of rows, counts are those of heights, each member has the active vertices that it has reached in
 * `active`, and v->active is the number of all. */
void flow_relabel(flow_view *v);

/* The place of a height's counter. With several members those of successive heights, which are used at the same time,
 * are in different cache lines. */
static inline ordo_u64 flow_count_of(const flow_run *run, ordo_u32 height)
{
    const ordo_u64 lines = (ordo_u64)1 << run->count_shift;
    return (height & (lines - 1)) * run->count_stride + (height >> run->count_shift);
}

static inline bool flow_holds_excess(const ordo_network *net, ordo_vid v)
{
    return net->excess[v] && v != net->fixed && v != net->sink;
}

#endif
