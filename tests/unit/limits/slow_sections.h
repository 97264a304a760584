/* slow_sections.h -- critical sections that take microseconds: a superstep over a million items takes seconds. Each has
 * two targets, or one where its state says so. */
#include <ordo/operator/operator.h>

typedef struct slow_sections_state {
    ordo_u32 targets, targets_each;
    ordo_u32 *runs; /* [targets] */
} slow_sections_state;

ORDO_FN ordo_u32 slow_sections_prepare(const slow_sections_state *s, ordo_item i, ordo_request *out)
{
    const ordo_u32 a = i % s->targets, b = i / 7 % s->targets;
    out[0] = s->targets_each == 2 ? ordo_request_two(a, b, 0, 0) : ordo_request_one(a, 0, 0);
    return 1;
}

ORDO_FN ordo_u32 slow_sections_commit(const slow_sections_state *s, const ordo_request *r, ordo_activation *out)
{
    (void)out;
    for (volatile int i = 0; i < 1000; i++)
        ;
    s->runs[r->target[0]]++;
    return 0;
}

#define ORDO_CRITICAL slow_sections
#define ORDO_CRITICAL_SUMMARY "sections of microseconds"
#define ORDO_CRITICAL_STATE slow_sections_state
#define ORDO_CRITICAL_PREPARE slow_sections_prepare
#define ORDO_CRITICAL_COMMIT slow_sections_commit
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 1
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#include <ordo/operator/critical.h>
