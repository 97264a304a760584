/* hash_table.h -- insertion into a hash table of linked lists: the one-target critical section of the lock-server
 * paper's HT benchmark.
 *
 *   INSERT(i):  own b = bucket(i);  next(i) = head(b), head(b) = i        [Wang, Fussell and Lin 2019, section 4.1]
 *
 * Items are elements, targets are buckets. An element is inserted once, so processing it again does nothing. Two
 * insertions into one bucket can be combined into a chain that is inserted as a whole; a request carries the first and
 * the last element of its chain. Numbers of elements are below 2^31 - 1, so that the top bit of a head is free (it may
 * be the lock).
 *
 * Not done: looking up and removing elements; resizing.
 */
#include <ordo/operator/operator.h>

#define HASH_TABLE_END 0x7fffffffu  /* after the last element of a bucket */
#define HASH_TABLE_FREE 0xfffffffeu /* next of an element that is in no bucket */

typedef struct hash_table_state {
    const ordo_u32 *bucket; /* [items] */
    ordo_u32 *next;         /* [items] HASH_TABLE_FREE at the start */
    ordo_u32 *head;         /* [targets] HASH_TABLE_END at the start */
} hash_table_state;

ORDO_FN ordo_u32 hash_table_prepare(const hash_table_state *s, ordo_item i, ordo_request *out)
{
    out[0] = ordo_request_one(s->bucket[i], i, i); /* before the test, so that both words are loaded in parallel */
    return ordo_load_u32(&s->next[i]) == HASH_TABLE_FREE;
}

ORDO_FN void hash_table_rebuild_args(const hash_table_state *s, ordo_request *r)
{
    (void)s;
    r->word[0] = r->word[1] = r->item;
}

/* Only the last element of a chain is free; the others have a next. */
ORDO_FN int hash_table_still_valid(const hash_table_state *s, const ordo_request *r)
{
    return s->next[(ordo_u32)r->word[1]] == HASH_TABLE_FREE;
}

ORDO_FN ordo_u32 hash_table_commit(const hash_table_state *s, const ordo_request *r, ordo_activation *out)
{
    ordo_u32 *head = &s->head[r->target[0]], first = (ordo_u32)r->word[0], last = (ordo_u32)r->word[1];
    (void)out;
    ordo_store_u32(&s->next[last], *head);
    *head = first;
    return 0;
}

/* Inserts b's chain before a's. */
ORDO_FN int hash_table_combine(const hash_table_state *s, ordo_request *a, const ordo_request *b)
{
    ordo_u32 last = (ordo_u32)b->word[1];
    if (b->word[1] == a->word[1])
        return 1; /* the same request, made again */
    ordo_store_u32(&s->next[last], (ordo_u32)a->word[0]);
    a->word[0] = b->word[0];
    return 1;
}

#define ORDO_CRITICAL hash_table
#define ORDO_CRITICAL_SUMMARY "hash-table insertion (one target)"
#define ORDO_CRITICAL_STATE hash_table_state
#define ORDO_CRITICAL_PREPARE hash_table_prepare
#define ORDO_CRITICAL_COMMIT hash_table_commit
#define ORDO_CRITICAL_REQUESTS 1
#define ORDO_CRITICAL_ACTIVATIONS 0
#define ORDO_CRITICAL_PROPERTIES ORDO_IDEMPOTENT
#define ORDO_CRITICAL_TARGETS 1
#define ORDO_CRITICAL_COMBINE hash_table_combine
#define ORDO_CRITICAL_STILL_VALID hash_table_still_valid
#define ORDO_CRITICAL_REBUILD_ARGS hash_table_rebuild_args
#define ORDO_CRITICAL_WORD_BITS 32
#define ORDO_CRITICAL_ARRAYS(X) X(bucket, ITEM, 1, READ) X(next, ITEM, 1, WRITE) X(head, TARGET, 1, OWNED)
#define ORDO_CRITICAL_LOCK head
#include <ordo/operator/critical.h>
