/* fake_peers.c -- libordo-nvshmem.so for machines without a GPU: memory that ranks share is that of files which all
 * map, in the folder FAKE_PEERS. With fake_runtime.cc, whose device memory is the host's, kernels over fibers run over
 * ranks.
 *
 * FAKE_PEERS_SEEN: how many ranks a host has, whose GPUs see each other's memory; all. Others have put() and get(), and
 * what is put arrives at quiet(), the last first.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ordo/detail/peers.h>

enum { MOST = 64, PUTS = 64 };

static struct {
    char *base; /* [count * bytes] rank after rank */
    ordo_u64 bytes;
} block[MOST];
static int blocks, my_rank, ranks;
static struct {
    char *to;
    const char *from;
    ordo_u64 bytes;
} putting[PUTS];
static int puts_begun;

static ordo_status make_id(ordo_u64 id[ORDO_PEERS_ID])
{
    id[0] = 0x0dd0;
    return ORDO_OK;
}

static ordo_status start(int rank, int count, int here, const ordo_u64 id[ORDO_PEERS_ID])
{
    (void)here;
    my_rank = rank;
    ranks = count;
    const char *broken =
        getenv("FAKE_PEERS_BROKEN"); /* in that rank it fails, and others wait for it; "all": in each */
    while (broken && strcmp(broken, "all") != 0 && atoi(broken) != rank)
        pause();
    if (broken)
        return ordo_fail(ORDO_ERR_DEVICE, "fake peers: does not start in rank %d", rank);
    return id[0] == 0x0dd0 ? ORDO_OK : ordo_fail(ORDO_ERR_DEVICE, "fake peers: another id");
}

static void finish(void)
{
}

static ordo_status take(ordo_u64 bytes, void **out)
{
    char path[512];
    const char *folder = getenv("FAKE_PEERS"), *most = getenv("FAKE_PEERS_MEMORY");
    if (blocks == MOST || (most && bytes > strtoull(most, NULL, 10)))
        return ordo_fail(ORDO_ERR_MEMORY, "device 'cuda': no %llu bytes for memory that ranks share",
                         (unsigned long long)bytes);
    bytes = (bytes / 4096 + 1) * 4096; /* of a graph without vertices, too */
    snprintf(path, sizeof path, "%s/%d-%d", folder, (int)getppid(), blocks);
    const int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, (off_t)(bytes * (ordo_u64)ranks)))
        return ordo_fail(ORDO_ERR_MEMORY, "fake peers: %s", path);
    char *base = mmap(NULL, bytes * (ordo_u64)ranks, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (base == MAP_FAILED)
        return ordo_fail(ORDO_ERR_MEMORY, "fake peers: %s", path);
    block[blocks].base = base;
    block[blocks++].bytes = bytes;
    *out = base + (ordo_u64)my_rank * bytes;
    return ORDO_OK;
}

static void give(void *given)
{
    for (int i = 0; i < blocks; i++)
        if (given && (char *)given == block[i].base + (ordo_u64)my_rank * block[i].bytes) {
            munmap(block[i].base, block[i].bytes * (ordo_u64)ranks);
            block[i].bytes = 0; /* its addresses may be those of a later one */
        }
}

/* The place in the memory of `rank` that an address of this rank stands for. */
static char *place(const void *of, int rank)
{
    for (int i = 0; i < blocks; i++) {
        const char *own = block[i].base + (ordo_u64)my_rank * block[i].bytes;
        if (block[i].bytes && (const char *)of >= own && (const char *)of < own + block[i].bytes)
            return block[i].base + (ordo_u64)rank * block[i].bytes + ((const char *)of - own);
    }
    fprintf(stderr, "fake peers: found an address outside of blocks\n");
    abort();
}

static void *at(const void *of, int rank)
{
    const char *host = getenv("FAKE_PEERS_SEEN");
    const int of_host = host ? atoi(host) : ranks;
    return rank / of_host == my_rank / of_host ? place(of, rank) : NULL;
}

static void put(void *there, const void *here, ordo_u64 bytes, int rank)
{
    place(here, rank);
    if (puts_begun == PUTS)
        abort();
    putting[puts_begun].to = place(there, rank);
    putting[puts_begun].from = here;
    putting[puts_begun++].bytes = bytes;
}

/* Other processes see the bytes before what is put next; 8 bytes at once. */
static void quiet(void)
{
    while (puts_begun > 0) {
        puts_begun--;
        if (putting[puts_begun].bytes == 8)
            __atomic_store_n((ordo_u64 *)putting[puts_begun].to, *(const ordo_u64 *)putting[puts_begun].from,
                             __ATOMIC_RELEASE);
        else
            memcpy(putting[puts_begun].to, putting[puts_begun].from, putting[puts_begun].bytes);
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void get(void *here, const void *there, ordo_u64 bytes, int rank)
{
    place(here, rank);
    memcpy(here, place(there, rank), bytes);
}

__attribute__((visibility("default")))
const ordo_peers ordo_nvshmem_peers = {ORDO_PEERS_ABI, "fake", make_id, start, finish, take, give, at, put, quiet, get};
