/* lock_transfer.h -- measures how long a lock takes from one party to the next: a critical section of one target, of
 * given length, that keeps the times at which it began and ended.
 *
 *   SECTION(i):  own t = first(i);  began = now;  note(t, began);  steps of arithmetic;  released(t) = now
 *
 * It measures what Wang, Fussell and Lin (2019, section 5.3, table 3) call unlock and reacquisition latency; the
 * arithmetic is that of their figure 9.
 *
 * Items are critical sections, targets are locks. A request carries who makes it (a thread), when, and how many
 * sections of its target had been run by then. When its section begins, two figures follow.
 *   handover   If another party held the lock, and the request was made before that party released it: the time from
 *              the release to the beginning. That is how long the lock took to the next party.
 *   wait       The time since the request was made, and the number of sections of the target that ran meanwhile.
 * All counts are plain words of the target, which only its owner writes. That their sums are right shows exclusion,
 * too. lock_transfer_pair.h has the same section of two targets at once.
 *
 * An operator that reads a clock for every section: it serves to measure, and reading the clock is a part of what is
 * measured. The clock of a GPU is its global timer, the same for all multiprocessors.
 *
 * Not done: critical sections that load memory; those of bank and hash_table do.
 */
#include <ordo/operator/operator.h>

#ifndef ORDO_LOCK_TRANSFER_STATE
#define ORDO_LOCK_TRANSFER_STATE

#ifndef __CUDA_ARCH__
#include <time.h>
#endif

/* Words of a target. */
enum {
    LOCK_TRANSFER_SERVED,    /* sections that have run */
    LOCK_TRANSFER_PARTY,     /* who made the request of the last one */
    LOCK_TRANSFER_RELEASED,  /* when that ended, in ns */
    LOCK_TRANSFER_HANDOVERS, /* how many, and the ns of all of them */
    LOCK_TRANSFER_HANDING,
    LOCK_TRANSFER_WAITED,  /* ns of all waits */
    LOCK_TRANSFER_LONGEST, /* the longest wait in ns, and in sections */
    LOCK_TRANSFER_LONGEST_SERVED,
    LOCK_TRANSFER_HELD, /* ns of all sections */
    LOCK_TRANSFER_PADDING = 15,
    LOCK_TRANSFER_WORDS
};

typedef struct lock_transfer_state {
    const ordo_u32 *first, *second; /* [items] targets; second: of a pair, for one target the same */
    ordo_u32 *done;                 /* [items] 0 at the start, then another number */
    ordo_u64 *word;                 /* [targets][LOCK_TRANSFER_WORDS] 0 at the start */
    ordo_u32 steps;                 /* the length of a section */
} lock_transfer_state;

/* Times are kept to 40 bits of ns, 18 minutes, parties to 24 bits, in one word of a request. */
#define LOCK_TRANSFER_TIME 0xffffffffffu

ORDO_FN ordo_u64 lock_transfer_now(void)
{
#ifdef __CUDA_ARCH__
    ordo_u64 ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns & LOCK_TRANSFER_TIME;
#else
    struct timespec t;
    timespec_get(&t, TIME_UTC); /* the clock that C11 has; see lock_transfer_since */
    return ((ordo_u64)t.tv_sec * 1000000000u + (ordo_u64)t.tv_nsec) & LOCK_TRANSFER_TIME;
#endif
}

/* The calling thread: its number on a GPU; elsewhere the place of its thread-local memory, which is megabytes from that
 * of another. */
ORDO_FN ordo_u64 lock_transfer_party(void)
{
#ifdef __CUDA_ARCH__
    return (ordo_u64)blockIdx.x * blockDim.x + threadIdx.x + 1;
#else
    static __thread char here;
    return ((ordo_u64)(size_t)&here >> 12 & 0xffffff) | 1;
#endif
}

/* The arithmetic: steps that depend on each other. The caller stores what comes out: nvcc's second compiler, which
 * reads assembly, would leave out a loop whose result is not used. */
ORDO_FN ordo_u32 lock_transfer_compute(ordo_u32 steps)
{
    ordo_u32 x = steps;
    for (ordo_u32 i = 0; i < steps; i++) {
        x = x * 1664525u + 1013904223u;
#ifndef __CUDA_ARCH__
        __asm__ volatile("" : "+r"(x));
#endif
    }
    return x;
}

/* A time later than another, modulo 2^40; 0 if it is not, as where the clock was set back. */
ORDO_FN ordo_u64 lock_transfer_since(ordo_u64 now, ordo_u64 then)
{
    const ordo_u64 ns = (now - then) & LOCK_TRANSFER_TIME;
    return ns <= LOCK_TRANSFER_TIME / 2 ? ns : 0;
}

/* The section of a target begins: `served` is the number that the request carries. */
ORDO_FN void lock_transfer_begin(ordo_u64 *w, ordo_u64 began, ordo_u64 asked, ordo_u64 party, ordo_u32 served)
{
    const ordo_u64 wait = lock_transfer_since(began, asked), released = w[LOCK_TRANSFER_RELEASED];
    const ordo_u64 passed = (ordo_u32)w[LOCK_TRANSFER_SERVED] - served;
    if (w[LOCK_TRANSFER_SERVED] && w[LOCK_TRANSFER_PARTY] != party &&
        lock_transfer_since(began, released) <= wait) { /* it waited when the lock was released */
        w[LOCK_TRANSFER_HANDOVERS]++;
        w[LOCK_TRANSFER_HANDING] += lock_transfer_since(began, released);
    }
    w[LOCK_TRANSFER_WAITED] += wait;
    if (wait > w[LOCK_TRANSFER_LONGEST])
        w[LOCK_TRANSFER_LONGEST] = wait;
    if (passed > w[LOCK_TRANSFER_LONGEST_SERVED])
        w[LOCK_TRANSFER_LONGEST_SERVED] = passed;
    w[LOCK_TRANSFER_PARTY] = party;
}

/* It ends. */
ORDO_FN void lock_transfer_end(ordo_u64 *w, ordo_u64 began, ordo_u64 ended)
{
    ordo_store_u64(&w[LOCK_TRANSFER_SERVED], w[LOCK_TRANSFER_SERVED] + 1);
    w[LOCK_TRANSFER_HELD] += lock_transfer_since(ended, began);
    w[LOCK_TRANSFER_RELEASED] = ended;
}

/* The sections that the owners of both targets had run when the request was made; the time and who made it. */
ORDO_FN ordo_request lock_transfer_request(const lock_transfer_state *s, ordo_u32 a, ordo_u32 b, int two)
{
    const ordo_u64 *w = s->word;
    const ordo_u64 x = ordo_load_u64(&w[(ordo_u64)a * LOCK_TRANSFER_WORDS + LOCK_TRANSFER_SERVED]) & 0xffffffffu;
    const ordo_u64 y =
        two ? ordo_load_u64(&w[(ordo_u64)b * LOCK_TRANSFER_WORDS + LOCK_TRANSFER_SERVED]) & 0xffffffffu : 0;
    const ordo_u64 when = lock_transfer_party() << 40 | lock_transfer_now();
    return two ? ordo_request_two(a, b, x | y << 32, when) : ordo_request_one(a, x, when);
}

ORDO_FN int lock_transfer_still_valid(const lock_transfer_state *s, const ordo_request *r)
{
    return s->done[r->item] == 0;
}

/* The critical section, of one target or two. */
ORDO_FN ordo_u32 lock_transfer_commit(const lock_transfer_state *s, const ordo_request *r, ordo_activation *out)
{
    const ordo_u64 began = lock_transfer_now();
    const ordo_u64 asked = r->word[1] & LOCK_TRANSFER_TIME, party = r->word[1] >> 40;
    ordo_u64 *a = s->word + (ordo_u64)r->target[0] * LOCK_TRANSFER_WORDS;
    ordo_u64 *b = s->word + (ordo_u64)r->target[r->targets == 2] * LOCK_TRANSFER_WORDS;
    (void)out;
    lock_transfer_begin(a, began, asked, party, (ordo_u32)r->word[0]);
    if (a != b)
        lock_transfer_begin(b, began, asked, party, (ordo_u32)(r->word[0] >> 32));
    ordo_store_u32(&s->done[r->item], lock_transfer_compute(s->steps) | 1);
    const ordo_u64 ended = lock_transfer_now();
    lock_transfer_end(a, began, ended);
    if (a != b)
        lock_transfer_end(b, began, ended);
    return 0;
}

#endif

#ifndef LOCK_TRANSFER_PAIR
ORDO_FN ordo_u32 lock_transfer_prepare(const lock_transfer_state *s, ordo_item i, ordo_request *out)
{
    out[0] = lock_transfer_request(s, s->first[i], s->first[i], 0);
    return ordo_load_u32(&s->done[i]) == 0;
}

#define ORDO_CRITICAL lock_transfer
#define ORDO_CRITICAL_SUMMARY "measures how long a lock takes to the next (one target)"
#define ORDO_CRITICAL_STATE lock_transfer_state
#define ORDO_CRITICAL_PREPARE lock_transfer_prepare
#define ORDO_CRITICAL_COMMIT lock_transfer_commit
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 0
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_TARGETS 1
#define ORDO_CRITICAL_STILL_VALID lock_transfer_still_valid
#define ORDO_CRITICAL_ARRAYS(X)                                                                                        \
    X(first, ITEM, 1, READ) X(second, ITEM, 1, READ) X(done, ITEM, 1, WRITE) X(word, TARGET, LOCK_TRANSFER_WORDS, WRITE)
#include <ordo/operator/critical.h>
#endif
