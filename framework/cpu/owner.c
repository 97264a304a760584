/* owner.c -- the bins of owner-computes, and the pairs of owners in each phase; <ordo/detail/cpu/owner.h> has the
 * method.
 */
#include <ordo/detail/cpu/owner.h>

#include <ordo/memory.h>

#include <string.h>

ordo_status ordo_owners_make(ordo_job *job, ordo_owners *owners)
{
    int count = job->threads < ORDO_MAX_OWNERS ? job->threads : ORDO_MAX_OWNERS;
    *owners = (ordo_owners){.job = job,
                            .count = count,
                            .part = job->targets / (ordo_u64)count + 1,
                            .bins = ordo_alloc_zero((size_t)job->threads * (size_t)(count * count), sizeof(ordo_bin))};
    owners->size = sizeof(ordo_request);
    if (job->op->targets > 2) { /* race-and-resolve */
        owners->size = sizeof(ordo_request_many);
        owners->claim = ordo_alloc(job->targets, sizeof *owners->claim);
        owners->left = ordo_alloc_zero(2 * (size_t)job->threads * ORDO_OWNER_LINE, sizeof *owners->left);
        if (!owners->claim || !owners->left)
            return ORDO_ERR_MEMORY;
        memset(owners->claim, 0xff, job->targets * sizeof *owners->claim);
        ordo_job_account(job, (long long)(job->targets * sizeof *owners->claim));
    }
    return owners->bins ? ORDO_OK : ORDO_ERR_MEMORY;
}

void ordo_owners_free(ordo_owners *owners)
{
    for (int i = 0; owners->bins && i < owners->job->threads * owners->count * owners->count; i++)
        ordo_bin_free(owners->job, &owners->bins[i], owners->size);
    ordo_free(owners->claim);
    ordo_free(owners->left);
    ordo_free(owners->bins);
    owners->claim = owners->left = NULL;
    owners->bins = NULL;
}

void ordo_owners_post(ordo_owners *owners, int member, const ordo_request *request)
{
    int a = (int)(request->target[0] / owners->part), b = (int)(request->target[request->targets - 1] / owners->part);
    int low = a < b ? a : b, high = a < b ? b : a;
    ordo_bin *bin = &owners->bins[(member * owners->count + low) * owners->count + high];
    if (bin->count == bin->capacity && !ordo_bin_grow(owners->job, bin, sizeof *request))
        return; /* the run has failed */
    ((ordo_request *)bin->data)[bin->count++] = *request;
}

/* The circle method for P = count rounded up to even: in phase p owner i < P - 1 is paired with (p - i) mod (P - 1),
 * and the one for which that is i itself with owner P - 1. */
int ordo_owners_partner(int count, int a, int phase)
{
    int p = count + (count & 1), circle = p - 1;
    if (a == p - 1) {
        /* i with 2 i = phase (mod circle); circle is odd, so there is one */
        for (int i = 0; i < circle; i++)
            if ((2 * i - phase) % circle == 0)
                return i;
    }
    int partner = ((phase - a) % circle + circle) % circle;
    return partner == a ? p - 1 : partner;
}
