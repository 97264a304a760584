/* server_nested.pml -- a model of schedulers/lock_server/cuda_nested.cuh for Spin: sections with two targets whose locks
 * are tried and given back.
 *
 * SERVERS servers with LOCKS locks each, and REQUESTS requests for any two locks (maybe the same), which their homes have
 * in hand from the start. A request is a process, since it is a lane's own at home; ANSWERING lanes of a server answer
 * tries, each by itself. Rings hold RING tries; a request whose try finds no room waits with its lock held, and holds up
 * no other.
 *
 * Checked: a section's locks are nobody else's meanwhile (it takes two steps, so that others can come between); nobody
 * waits for ever; every section runs once; at the end no lock is held and no ring holds anything. A try at a lock that is
 * held for a section may be refused or not (the code waits for a while); with -DPATIENT it waits for that section. Not
 * checked: how often a try is refused, for which alone locks have an order. Faults, to show that the checks can fail:
 * -DSEND_BLOCKS has a server of which a request waits for room answer nobody; -DUNLOCK_EARLY gives the lower lock back
 * when the try is sent; -DANSWER_EARLY answers before the section has run; -DEND_EARLY lets a server end when its own
 * requests have run; -DWAIT -DUNORDERED has a try wait for its lock whoever holds it, and locks in any order. -DCROSSED:
 * two tries each way between two servers of three locks, more than rings of one place hold, in place of any requests.
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
#ifndef RING
#define RING 1
#endif
#ifndef ANSWERING
#define ANSWERING 1
#endif
#define TOTAL (SERVERS * LOCKS) /* a lock is a number below, which is its place in the order */
#define OWNER(lock) ((lock) % SERVERS)
#define OPEN 0
#define RAN 1
#define REFUSED 2

chan ring[SERVERS] = [RING] of { byte };
byte low[REQUESTS], high[REQUESTS];
byte answer[REQUESTS];
bool held[TOTAL];
bool away[TOTAL];                  /* held by home while a try is on its way */
byte inside[TOTAL];                /* sections that run with this lock's targets */
byte left[SERVERS], waiting[SERVERS]; /* requests that have not run; those of them whose try is not in its ring yet */
byte sections = 0, quiet = 0, ended = 0;

inline enter(r)
{
    assert(inside[low[r]] == 0 && inside[high[r]] == 0);
    inside[low[r]]++;
    inside[high[r]] = inside[high[r]] + (low[r] != high[r])
}
inline leave(r)
{
    inside[low[r]]--;
    inside[high[r]] = inside[high[r]] - (low[r] != high[r]);
    sections++
}

proctype request(byte r)
{
    byte s = OWNER(low[r]);
    do
    :: atomic { OWNER(high[r]) == s && !held[low[r]] && !held[high[r]] ->
            held[low[r]] = true;
            held[high[r]] = true;
            enter(r)
        };
        atomic { leave(r); held[low[r]] = false; held[high[r]] = false };
        break
    :: atomic { OWNER(high[r]) != s && !held[low[r]] ->
            held[low[r]] = true;
            away[low[r]] = true;
            waiting[s]++
        };
        atomic { ring[OWNER(high[r])]!r -> waiting[s]-- };
#ifdef UNLOCK_EARLY
        held[low[r]] = false;
#endif
        atomic { answer[r] != OPEN ->
            held[low[r]] = false;
            away[low[r]] = false;
            if
            :: answer[r] == RAN -> break
            :: else -> answer[r] = OPEN
            fi
        }
    od;
    atomic {
        left[s]--;
        quiet = quiet + (left[s] == 0)
    }
}

proctype answering(byte s)
{
    byte r;
    do
#ifdef SEND_BLOCKS
    :: atomic { nempty(ring[s]) && waiting[s] == 0 -> ring[s]?r };
#else
    :: atomic { nempty(ring[s]) -> ring[s]?r };
#endif
        if
#ifdef WAIT
        :: atomic { !held[high[r]] -> held[high[r]] = true; enter(r) };
#else
#ifdef PATIENT
        :: atomic { held[high[r]] && away[high[r]] -> answer[r] = REFUSED }
#else
        :: atomic { held[high[r]] -> answer[r] = REFUSED }
#endif
        :: atomic { !held[high[r]] -> held[high[r]] = true; enter(r) };
#endif
#ifdef ANSWER_EARLY
            answer[r] = RAN;
            atomic { leave(r); held[high[r]] = false }
#else
            atomic { leave(r); held[high[r]] = false };
            answer[r] = RAN
#endif
        fi;
        r = 0
#ifdef END_EARLY
    :: left[s] == 0 -> break
#else
    :: quiet == SERVERS -> break
#endif
    od;
    ended++
}

init
{
    byte r = 0, a, b, s = 0;
    atomic {
        do
        :: r < REQUESTS ->
#ifdef CROSSED
            a = (r == 0 -> 0 : (r == 1 -> 2 : (r == 2 -> 1 : 3)));
            b = a + 1;
#else
            select(a : 0 .. TOTAL - 1);
            select(b : 0 .. TOTAL - 1);
#endif
            if
#ifdef UNORDERED
            :: true -> low[r] = a; high[r] = b
#else
            :: a <= b -> low[r] = a; high[r] = b
            :: a > b -> low[r] = b; high[r] = a
#endif
            fi;
            left[OWNER(low[r])]++;
            r++
        :: else -> break
        od;
        r = 0;
        do
        :: s < SERVERS ->
            quiet = quiet + (left[s] == 0);
            a = 0;
            do
            :: a < ANSWERING -> run answering(s); a++
            :: else -> break
            od;
            s++
        :: else -> break
        od;
        do
        :: r < REQUESTS -> run request(r); r++
        :: else -> break
        od
    };
    ended == SERVERS * ANSWERING;
    assert(sections == REQUESTS);
    r = 0;
    do
    :: r < TOTAL -> assert(!held[r] && inside[r] == 0); r++
    :: else -> break
    od;
    s = 0;
    do
    :: s < SERVERS -> assert(empty(ring[s]) && waiting[s] == 0); s++
    :: else -> break
    od
}
