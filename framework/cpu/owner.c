#include <ordo/owner.h>

#include <ordo/memory.h>

ordo_status ordo_owners_make(ordo_job *job, ordo_owners *owners)
{
    int count = job->threads < ORDO_MAX_OWNERS ? job->threads : ORDO_MAX_OWNERS;
    *owners = (ordo_owners){.job = job,
                            .count = count,
                            .part = job->targets / (ordo_u64)count + 1,
                            .bins = ordo_alloc_zero((size_t)job->threads * (size_t)(count * count), sizeof(ordo_bin))};
    return owners->bins ? ORDO_OK : ORDO_ERR_MEMORY;
}

void ordo_owners_free(ordo_owners *owners)
{
    for (int i = 0; owners->bins && i < owners->job->threads * owners->count * owners->count; i++)
        ordo_bin_free(owners->job, &owners->bins[i], sizeof(ordo_request));
    ordo_free(owners->bins);
    owners->bins = NULL;
}

void ordo_owners_post(ordo_owners *owners, int member, const ordo_request *request)
{
    int a = (int)(request->target[0] / owners->part), b = (int)(request->target[request->targets - 1] / owners->part);
    int low = a < b ? a : b, high = a < b ? b : a;
    ordo_bin *bin = &owners->bins[(member * owners->count + low) * owners->count + high];
    if (bin->count == bin->room && !ordo_bin_grow(owners->job, bin, sizeof *request))
        return; /* the run has failed */
    ((ordo_request *)bin->data)[bin->count++] = *request;
}

/* With P = count rounded up to even, owners 0 .. P-2 stand on a circle that turns by one each phase and owner P-1 in
 * its middle: in phase p, i meets (p - i) mod (P - 1), and whoever would meet himself meets P-1. */
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
