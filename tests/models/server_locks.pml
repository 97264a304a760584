/* server_locks.pml -- a model of schedulers/lock_server/locks.h for Spin: sections with two targets under servers' locks.
 *
 * SERVERS servers with LOCKS locks each, and REQUESTS requests for any two locks (maybe the same), which lie in the
 * clients' rings of their homes from the start: that is the clients' worst case, and all there is of them. A server takes
 * whichever it likes of UNLOCK, REPLY, LOCK, and the next request, where that can be admitted. A place is free again when
 * its section has run. Each ring between two servers holds CREDIT words.
 *
 * Checked: a section's locks are nobody else's meanwhile (it takes two steps, so that others can come between); no ring
 * gets more than it holds; nobody waits for ever; every section runs once; at the end no lock is held and no ring holds
 * anything. Faults, to show that the checks can fail: -DUNORDERED makes the owner of the first target home, whichever
 * lock is higher; -DHEAD leaves a LOCK that must wait at the head of its ring, and UNLOCK comes through that ring, too;
 * -DNO_CREDIT gives credit back when UNLOCK is sent; -DNO_QUEUE runs a section on REPLY, whoever holds home's own lock.
 */
#ifndef SERVERS
#define SERVERS 2
#endif
#ifndef LOCKS
#define LOCKS 1
#endif
#ifndef REQUESTS
#define REQUESTS 3
#endif
#ifndef CREDIT
#define CREDIT 1
#endif
#ifndef FLIGHT
#define FLIGHT 2
#endif
#define TOTAL (SERVERS * LOCKS) /* a lock is a number below, which is its place in the order */
#define OWNER(lock) ((lock) % SERVERS)
#define RING(to, from) ((to) * SERVERS + (from))

/* of requests; a word's lock is its request's lower one */
#ifdef HEAD
chan to_lock[SERVERS * SERVERS] = [2 * CREDIT] of { bool, byte }; /* true: UNLOCK */
#else
chan to_lock[SERVERS * SERVERS] = [CREDIT] of { bool, byte };
#endif
chan reply[SERVERS * SERVERS] = [CREDIT] of { byte };
chan unlock[SERVERS * SERVERS] = [CREDIT] of { byte };
chan queue[TOTAL] = [REQUESTS] of { byte };

byte low[REQUESTS], high[REQUESTS];
bool taken[REQUESTS], has_low[REQUESTS];
bool held[TOTAL];
byte inside[TOTAL];            /* sections that run with this lock's targets */
byte out[SERVERS * SERVERS];   /* [home, owner] LOCKs without an UNLOCK that was read */
byte places[SERVERS], done = 0;

/* The section, in two steps. Then its lower lock, where it had to be taken, is given back. */
inline section(s, r)
{
    atomic {
        assert(inside[low[r]] == 0 && inside[high[r]] == 0);
        inside[low[r]]++;
        inside[high[r]] = inside[high[r]] + (low[r] != high[r])
    }
    atomic {
        inside[low[r]]--;
        inside[high[r]] = inside[high[r]] - (low[r] != high[r]);
        done++;
        places[s]--;
        if
        :: has_low[r] && OWNER(low[r]) == s -> held[low[r]] = false
        :: has_low[r] && OWNER(low[r]) != s -> /* L4 */
#ifdef HEAD
            assert(nfull(to_lock[RING(OWNER(low[r]), s)]));
            to_lock[RING(OWNER(low[r]), s)]!true, r
#else
            assert(nfull(unlock[RING(OWNER(low[r]), s)]));
            unlock[RING(OWNER(low[r]), s)]!r
#endif
#ifdef NO_CREDIT
            ;
            out[RING(s, OWNER(low[r]))]--
#endif
        :: else
        fi
    }
}

inline grant(s, r)
{
    atomic {
        held[low[r]] = true;
        assert(nfull(reply[RING(OWNER(high[r]), s)]));
        reply[RING(OWNER(high[r]), s)]!r
    }
}

/* A request of this server that has its lower lock, or needs none but `high`. */
inline last_lock(s, r)
{
    if
    :: held[high[r]] -> queue[high[r]]!r
    :: else -> section(s, r)
    fi
}

/* A request of this server, both of whose locks are this server's. */
inline both_locks(s, r)
{
    if
    :: held[low[r]] -> queue[low[r]]!r
    :: !held[low[r]] && held[high[r]] -> held[low[r]] = true; has_low[r] = true; queue[high[r]]!r
    :: else -> section(s, r)
    fi
}

/* What waits for locks of this server, as far as it can go on. */
inline serve_waiting(s)
{
    l = s;
    do
    :: l < TOTAL && !held[l] && nempty(queue[l]) ->
        queue[l]?w;
        if
        :: OWNER(high[w]) != s -> grant(s, w)
        :: OWNER(high[w]) == s && (has_low[w] || low[w] == high[w]) -> last_lock(s, w)
        :: else -> both_locks(s, w)
        fi;
        w = 0;
        l = s /* a lower one may have been given back */
    :: l < TOTAL && (held[l] || empty(queue[l])) -> l = l + SERVERS
    :: l >= TOTAL -> break
    od;
    l = 0
}

inline admit(s, r)
{
    atomic { taken[r] = true; places[s]++ }
    if
    :: low[r] == high[r] -> last_lock(s, r)
    :: low[r] != high[r] && OWNER(low[r]) == s -> both_locks(s, r)
    :: low[r] != high[r] && OWNER(low[r]) != s -> /* L1 */
        atomic {
            out[RING(s, OWNER(low[r]))]++;
            has_low[r] = true;
            assert(nfull(to_lock[RING(OWNER(low[r]), s)]));
            to_lock[RING(OWNER(low[r]), s)]!false, r
        }
    fi;
    serve_waiting(s)
}

#define ADMISSIBLE(s, r)                                                                                               \
    (!taken[r] && OWNER(high[r]) == s && places[s] < FLIGHT && (OWNER(low[r]) == s || out[RING(s, OWNER(low[r]))] < CREDIT))

inline unlocked(s, from)
{
    atomic {
        held[low[r]] = false;
#ifndef NO_CREDIT
        out[RING(from, s)]--;
#endif
        r = 0
    }
    serve_waiting(s)
}

#ifdef HEAD
#define LOCK_CAN_GO(s, from) to_lock[RING(s, from)]?[false, _] && !(to_lock[RING(s, from)]?[false, 0] && held[low[0]]) && !(to_lock[RING(s, from)]?[false, 1] && held[low[1]]) && !(to_lock[RING(s, from)]?[false, 2] && held[low[2]])
#else
#define LOCK_CAN_GO(s, from) nempty(to_lock[RING(s, from)])
#endif

#define READ_FROM(from)                                                                                                \
    :: atomic { nempty(unlock[RING(s, from)]) -> unlock[RING(s, from)]?r }                                             \
        unlocked(s, from)                                                                                              \
    :: atomic { to_lock[RING(s, from)]?[true, _] -> to_lock[RING(s, from)]?true, r }                                   \
        unlocked(s, from)                                                                                              \
    :: atomic { LOCK_CAN_GO(s, from) -> to_lock[RING(s, from)]?false, r } /* L2 */                                     \
        if                                                                                                             \
        :: held[low[r]] -> queue[low[r]]!r                                                                             \
        :: else -> grant(s, r)                                                                                         \
        fi;                                                                                                            \
        r = 0                                                                                                          \
    :: atomic { nempty(reply[RING(s, from)]) -> reply[RING(s, from)]?r } /* L3 */                                      \
        on_reply(s, r);                                                                                                \
        serve_waiting(s);                                                                                              \
        r = 0

inline on_reply(s, r)
{
#ifdef NO_QUEUE
    section(s, r)
#else
    last_lock(s, r)
#endif
}

proctype server(byte s)
{
    byte l, r, w;
end:
    do
    :: ADMISSIBLE(s, 0) -> admit(s, 0)
    :: ADMISSIBLE(s, 1) -> admit(s, 1)
#if REQUESTS > 2
    :: ADMISSIBLE(s, 2) -> admit(s, 2)
#endif
#if REQUESTS > 3
    :: ADMISSIBLE(s, 3) -> admit(s, 3)
#endif
    READ_FROM(0)
#if SERVERS > 1
    READ_FROM(1)
#endif
#if SERVERS > 2
    READ_FROM(2)
#endif
    od
}

init {
    byte i, a, b;
    atomic {
        do
        :: i < REQUESTS ->
            select(a : 0 .. TOTAL - 1);
            select(b : 0 .. TOTAL - 1);
#ifndef UNORDERED
            if
            :: a <= b -> low[i] = a; high[i] = b
            :: else -> low[i] = b; high[i] = a
            fi;
#else
            low[i] = b;
            high[i] = a;
#endif
            i++
        :: else -> break
        od;
        i = 0; a = 0; b = 0;
        do
        :: i < SERVERS -> run server(i); i++
        :: else -> break
        od;
        i = 0
    }
    done == REQUESTS;
    do
    :: i < TOTAL -> held[i] == false; i++ /* as soon as it is given back */
    :: else -> break
    od;
    i = 0;
    do
    :: i < SERVERS * SERVERS ->
        empty(to_lock[i]) && empty(reply[i]) && empty(unlock[i]);
        i++
    :: else -> break
    od
}
