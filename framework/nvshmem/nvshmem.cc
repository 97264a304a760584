/* nvshmem.cc -- memory that the GPUs of several ranks share, over NVSHMEM: libordo-nvshmem.so, loaded by
 * framework/run/distributed.c.
 *
 * Method. Ranks find each other by a unique id, whether MPI or the command has started them. Memory is of NVSHMEM's
 * symmetric heap, which grows as memory is asked for; nvshmem_ptr gives the addresses of other ranks' memory. Only
 * calls of the host's library are used (nvshmemx_hostlib_init_attr, not nvshmem_init, which needs NVSHMEM's device
 * code), so nothing is linked into kernels. NVLink multicast is switched off: it is not
 * needed, and on some machines its set-up fails. Between GPUs that do not see each other's memory, the host's puts and
 * gets go over the network that NVSHMEM has chosen (NVSHMEM_REMOTE_TRANSPORT); where all ranks are on one host, none is
 * looked for unless that variable names one.
 *
 * ORDO_UNMAPPED=1 says of all other ranks that their memory is not mapped, so that what hosts do for them can be
 * measured and tested on one host.
 *
 * Errors of NVSHMEM are reported by itself, on standard error, and then by this file with less detail.
 */
#include <nvshmem_host.h>

#include <cstdlib>
#include <cstring>

#include <ordo/detail/peers.h>

static_assert(sizeof(nvshmemx_uniqueid_t) <= ORDO_PEERS_ID * sizeof(ordo_u64), "an id has ORDO_PEERS_ID words");

static bool started, unmapped;
static int own;

static ordo_status make_id(ordo_u64 id[ORDO_PEERS_ID])
{
    nvshmemx_uniqueid_t unique = NVSHMEMX_UNIQUEID_INITIALIZER;
    if (nvshmemx_get_uniqueid(&unique))
        return ordo_fail(ORDO_ERR_DEVICE, "ranks: NVSHMEM makes no id");
    memset(id, 0, ORDO_PEERS_ID * sizeof *id);
    memcpy(id, &unique, sizeof unique);
    return ORDO_OK;
}

static ordo_status start(int rank, int count, int here, const ordo_u64 id[ORDO_PEERS_ID])
{
    const char *const without = getenv("ORDO_UNMAPPED");
    nvshmemx_uniqueid_t unique;
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    setenv("NVSHMEM_DISABLE_NVLS", "1", 0);
    if (here == count)
        setenv("NVSHMEM_REMOTE_TRANSPORT", "none", 0);
    unmapped = without && strcmp(without, "0") != 0;
    own = rank;
    memcpy(&unique, id, sizeof unique);
    nvshmemx_set_attr_uniqueid_args(rank, count, &unique, &attributes);
    /* NVSHMEM 3.4 returns 0 after some failures, too. */
    if (nvshmemx_hostlib_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes) ||
        nvshmemx_init_status() < NVSHMEM_STATUS_IS_INITIALIZED)
        return ordo_fail(ORDO_ERR_DEVICE, "ranks: NVSHMEM does not start in rank %d", rank);
    started = true;
    return ORDO_OK;
}

static void finish(void)
{
    if (started)
        nvshmemx_hostlib_finalize();
    started = false;
}

static ordo_status take(ordo_u64 bytes, void **out)
{
    *out = nvshmem_calloc(1, bytes ? bytes : 1);
    if (!*out)
        return ordo_fail(ORDO_ERR_MEMORY, "device 'cuda': no %llu bytes for memory that ranks share",
                         (unsigned long long)bytes);
    nvshmem_barrier_all();
    return ORDO_OK;
}

static void give(void *block)
{
    if (block)
        nvshmem_free(block);
}

static void *at(const void *block, int rank)
{
    return unmapped && rank != own ? NULL : nvshmem_ptr(block, rank);
}

static void put(void *there, const void *here, ordo_u64 bytes, int rank)
{
    nvshmem_putmem_nbi(there, here, bytes, rank);
}

static void quiet(void)
{
    nvshmem_quiet();
}

static void get(void *here, const void *there, ordo_u64 bytes, int rank)
{
    nvshmem_getmem(here, there, bytes, rank);
}

extern "C" __attribute__((visibility("default"))) const ordo_peers ordo_nvshmem_peers;
const ordo_peers ordo_nvshmem_peers = {ORDO_PEERS_ABI, "nvshmem", make_id, start, finish, take,
                                       give,           at,        put,     quiet, get};
