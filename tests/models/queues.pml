/* queues.pml -- a model of queues of several GPUs for Spin: <ordo/scheduler/broker_queue.cuh>, Several GPUs, and
 * framework/cuda/queue_ranks.cu. One queue is that of broker_queue.pml with -DTWO_COUNTS; here are two, of N places each.
 *
 * A block of rank r has EACH entries for each queue. At a turn it draws tickets in both, for as many as it is assured
 * of; writes its entries queue by queue; and tries to take one from queue r, if its part is not taken. When it has none
 * left to put it takes the rest of its part. With -DTAKERS a process beside it takes that part, as other warps of the rank
 * do. Draws and takes that get nothing are not tried: they change nothing.
 *
 * Checked: no process is blocked for ever; a place is written only when it is free, and read only when it is filled, by the
 * ticket whose turn it is; all that is put is taken.
 * Faults, to show that the checks can fail: -DANY_ORDER: rank 1 writes queue 1 first; -DWAITS: a block takes nothing
 * before it has put all of its entries.
 */
#ifndef N
#define N 1
#endif
#ifndef EACH
#define EACH 2
#endif
#define QUEUES 2
#define LAP(t) ((t) / N)
#define MIN(a, b) ((a) < (b) -> (a) : (b))

short entries[QUEUES], used[QUEUES];
byte tail[QUEUES], head[QUEUES]; /* not modulo: small numbers */
byte turn[QUEUES * N], entry[QUEUES * N];
byte taken, ended;

#define PLACE(q, t) ((q) * N + (t) % N)

/* E1 to E2' of queue q. An addition that is given back is one step: between the two others get less. */
inline draw(q)
{
    atomic {
        got[q] = (used[q] < N -> MIN(left[q], N - used[q]) : 0);
        used[q] = used[q] + got[q]
    }
    if
    :: got[q] > 0 ->
        atomic { first[q] = tail[q]; tail[q] = tail[q] + got[q]; left[q] = left[q] - got[q] }
        entries[q] = entries[q] + got[q]
    :: else
    fi
}

/* E3 */
inline write(q)
{
    do
    :: got[q] > 0 ->
        turn[PLACE(q, first[q])] == 2 * LAP(first[q]);
        atomic {
            entry[PLACE(q, first[q])] = first[q];
            turn[PLACE(q, first[q])] = 2 * LAP(first[q]) + 1;
            first[q]++;
            got[q]--
        }
    :: else -> break
    od
}

/* D1 to D3 behind it; `entries` has been reduced. */
inline take(q)
{
    atomic { t = head[q]; head[q]++ }
    used[q]--;
    turn[PLACE(q, t)] == 2 * LAP(t) + 1;
    assert(entry[PLACE(q, t)] == t);
    atomic { turn[PLACE(q, t)] = 2 * LAP(t) + 2; wants--; taken++; t = 0 }
}

proctype block(byte r)
{
    short left[QUEUES], got[QUEUES];
    byte first[QUEUES], t, wants = 2 * EACH;
#ifdef TAKERS
    wants = 0;
#endif
    left[0] = EACH;
    left[1] = EACH;
    do
    :: left[0] + left[1] > 0 ->
        /* a turn that can do something */
        ((left[0] > 0 && used[0] < N) || (left[1] > 0 && used[1] < N)
#ifndef WAITS
         || (wants > 0 && entries[r] > 0)
#endif
        );
        draw(0);
        draw(1);
        if
#ifdef ANY_ORDER
        :: r == 1 -> write(1); write(0)
#endif
        :: else -> write(0); write(1)
        fi;
#ifndef WAITS
        if
        :: atomic { wants > 0 && entries[r] > 0 -> entries[r]-- }; take(r)
        :: wants == 0 || entries[r] <= 0
        fi
#endif
    :: else -> break
    od;
    do
    :: atomic { wants > 0 && entries[r] > 0 -> entries[r]-- }; take(r)
    :: wants == 0 -> break
    od;
    ended++
}

proctype taker(byte r)
{
    byte t, wants = 2 * EACH;
    do
    :: atomic { wants > 0 && entries[r] > 0 -> entries[r]-- }; take(r)
    :: wants == 0 -> break
    od;
    ended++
}

init {
    atomic {
        run block(0);
        run block(1);
#ifdef TAKERS
        run taker(0);
        run taker(1);
        ended == 4;
#else
        ended == 2;
#endif
        assert(taken == 2 * QUEUES * EACH && used[0] == 0 && used[1] == 0 && entries[0] == 0 && entries[1] == 0)
    }
}
