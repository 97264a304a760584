/* rotor.h -- a test's critical operators whose items, targets and activations belong to different owners.
 *
 * A rotor-router: each vertex has chips and two heads. Firing a vertex moves one chip to the head that its rotor points
 * at, and turns the rotor. Vertices without heads keep their chips. Whatever the order, the chips end at the same
 * vertices and the rotors in the same states, if each vertex can reach one that keeps them (Holroyd and others, *Chip-
 * firing and rotor-routing on directed graphs*, 2008): so a serial run is the answer. Item `name[v]` fires vertex v,
 * and is not owned by v's owner.
 *
 * With ROTOR_SPREAD, of one target: the least label that reaches each vertex, by up to two requests for each item.
 */
#include <ordo/operator/operator.h>

typedef struct rotor_state {
    const ordo_u32 *head;  /* [2 n] ROTOR_KEEPS: the vertex keeps its chips */
    const ordo_u32 *name;  /* [n] the item of a vertex */
    const ordo_u32 *named; /* [n] the vertex of an item */
    ordo_u32 *chips;       /* [n] or labels */
    ordo_u32 *rotor;       /* [n] number of firings */
} rotor_state;
#define ROTOR_KEEPS 0xffffffffu

#ifdef ROTOR_SPREAD
ORDO_FN ordo_u32 rotor_prepare(const rotor_state *s, ordo_item i, ordo_request *out)
{
    const ordo_u32 v = s->named[i], label = ordo_load_u32(&s->chips[v]);
    if (s->head[2 * v] == ROTOR_KEEPS)
        return 0;
    out[0] = ordo_request_one(s->head[2 * v], label, 0);
    out[1] = ordo_request_one(s->head[2 * v + 1], label, 0);
    return 2;
}

ORDO_FN ordo_u32 rotor_commit(const rotor_state *s, const ordo_request *r, ordo_activation *out)
{
    const ordo_u32 v = r->target[0];
    if (r->word[0] >= s->chips[v])
        return 0;
    ordo_store_u32(&s->chips[v], (ordo_u32)r->word[0]);
    out[0].item = s->name[v];
    out[0].priority = 0;
    return 1;
}
#define ORDO_CRITICAL_TARGETS 1
#define ORDO_CRITICAL_WORD_BITS 32
#else

ORDO_FN ordo_u32 rotor_prepare(const rotor_state *s, ordo_item i, ordo_request *out)
{
    const ordo_u32 v = s->named[i], turn = ordo_load_u32(&s->rotor[v]);
    if (s->head[2 * v] == ROTOR_KEEPS || !ordo_load_u32(&s->chips[v]))
        return 0;
    out[0] = ordo_request_two(v, s->head[2 * v + turn % 2], turn, 0);
    return 1;
}

ORDO_FN ordo_u32 rotor_again(const rotor_state *s, ordo_u32 v, ordo_activation *out)
{
    out[0].item = s->name[v];
    out[0].priority = 0;
    return s->chips[v] > 0;
}

/* FIRST, owning r->target[0], whose number may be another in a message: the vertex is that of the item. */
ORDO_FN ordo_u32 rotor_first(const rotor_state *s, ordo_request *r, ordo_activation *out, int *more)
{
    const ordo_u32 v = r->target[0];
    *more = s->rotor[v] == (ordo_u32)r->word[0] && s->chips[v] > 0;
    if (*more) {
        ordo_store_u32(&s->chips[v], s->chips[v] - 1);
        ordo_store_u32(&s->rotor[v], s->rotor[v] + 1);
    }
    return rotor_again(s, v, out);
}

ORDO_FN ordo_u32 rotor_second(const rotor_state *s, const ordo_request *r, ordo_activation *out)
{
    const ordo_u32 w = r->target[1];
    ordo_store_u32(&s->chips[w], s->chips[w] + 1);
    return s->chips[w] == 1 ? rotor_again(s, w, out) : 0;
}

ORDO_FN ordo_u32 rotor_commit(const rotor_state *s, const ordo_request *r, ordo_activation *out)
{
    ordo_request whole = *r;
    int more;
    const ordo_u32 first = rotor_first(s, &whole, out, &more);
    return more ? first + rotor_second(s, &whole, out + first) : first;
}
#define ORDO_CRITICAL_FIRST rotor_first
#define ORDO_CRITICAL_SECOND rotor_second
#endif

#define ORDO_CRITICAL rotor
#define ORDO_CRITICAL_SUMMARY "a rotor-router, for tests"
#define ORDO_CRITICAL_STATE rotor_state
#define ORDO_CRITICAL_PREPARE rotor_prepare
#define ORDO_CRITICAL_COMMIT rotor_commit
#define ORDO_CRITICAL_REQUESTS 2
#define ORDO_CRITICAL_ACTIVATIONS 2
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_ARRAYS(X)                                                                                        \
    X(head, TARGET, 2, READ)                                                                                           \
    X(name, TARGET, 1, READ) X(named, ITEM, 1, READ) X(chips, TARGET, 1, WRITE) X(rotor, TARGET, 1, WRITE)
#include <ordo/operator/critical.h>
