/* boxes.pml -- a model of messages between ranks that do not meet, and of how their run ends, for Spin:
 * framework/include/ordo/detail/cuda/boxes.cuh and rounds.cuh, under broker.
 *
 * Two ranks with a worker each; -DWORKERS=2: rank 0 has two. An item has a depth: 2 stages two
 * messages of depth 1 for the other rank, 1 stages one of depth 0, which is an item without more. Chunks have two
 * messages, and a box has -DCHUNKS of them (1). A message that finds its box full becomes a bit. -DSTOP: a host may ask
 * for the end at any moment.
 *
 * Checked: at the end nothing is left anywhere (`live`, which nobody looks at, counts what exists); no message is written
 * over one that was not read, or read before it is there; no worker is blocked for ever, and once all is done the
 * monitors see it; when a rank has ended, nobody stores to its memory.
 * Faults to show that the checks can fail: -DLOST drops what finds its box full; -DONE_ROUND compares words of one meeting;
 * -DCOUNT_LATE counts messages when they are in the box; -DPUBLISHED_EARLY says that a chunk is filled before it is;
 * -DFREED_EARLY that it is free before it is read; -DUNCHECKED does not look whether it is; -DREPORT_EARLY reports an
 * item while its messages are staged; -DDONE_EARLY a message before its item is in the queue; -DSTOP -DNOT_WAITED ends
 * a rank before the workers of the other one.
 */
#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef CHUNKS
#define CHUNKS 1
#endif
#ifndef LOOKS
#define LOOKS 1 /* of the monitors, at any moments; one more follows when nobody else has anything to do */
#endif
#ifndef START
#define START 0 /* which items there are at first */
#endif
#define EMPTY 9
#define OTHER (1 - me)

byte items[6];                    /* rank * 3 + depth: the rank's queue */
byte bits[6];                     /* rank * 3 + depth: ghosts whose message found no place */
byte staged[4], count[2];         /* rank * 2 + i */
byte drawn[2], taken[2];          /* by a rank: chunks that it has drawn of the other's box, and taken from its own */
byte data[2 * CHUNKS * 2] = EMPTY;  /* (owner * CHUNKS + chunk) * 2 + i */
byte filled[2 * CHUNKS], number[2 * CHUNKS]; /* owner * CHUNKS + chunk: the word's number, and its count */
byte freed[2 * CHUNKS];           /* sender * CHUNKS + chunk */
byte tail[2], spilled[2], sent[2], done[2], initial;
bit over[2], closed[2];
byte ended[2], late;
byte live;

/* Bits are taken only where there is a place: trying in vain changes nothing but sums, without bound. */
#define PLACE (drawn[me] < CHUNKS || freed[me * CHUNKS + drawn[me] % CHUNKS] == drawn[me] - CHUNKS + 1)

inline keep(depth)
{
#ifndef LOST
    spilled[me]++;
    bits[me * 3 + depth]++;
#endif
    finished++
}

/* S1 to S3: m0, and m1 if n is 2. */
inline send(n)
{
    do
    :: atomic { c = drawn[me]; place = c % CHUNKS }
#ifndef UNCHECKED
        if
        :: c >= CHUNKS && freed[me * CHUNKS + place] != c - CHUNKS + 1 ->
            atomic {
#ifdef COUNT_LATE
                sent[me] = sent[me] + n;
#endif
                keep(m0);
                if
                :: n == 2 -> keep(m1)
                :: else
                fi
            }
            break
        :: else
        fi;
#endif
        if
        :: atomic { drawn[me] == c -> drawn[me]++ }
#ifdef PUBLISHED_EARLY
            number[OTHER * CHUNKS + place] = n;
            filled[OTHER * CHUNKS + place] = c + 1;
#endif
            atomic {
                assert(!closed[OTHER]);
                assert(data[(OTHER * CHUNKS + place) * 2] == EMPTY && data[(OTHER * CHUNKS + place) * 2 + 1] == EMPTY);
                data[(OTHER * CHUNKS + place) * 2] = m0
            }
            if
            :: n == 2 -> data[(OTHER * CHUNKS + place) * 2 + 1] = m1
            :: else
            fi;
#ifndef PUBLISHED_EARLY
            atomic { number[OTHER * CHUNKS + place] = n; filled[OTHER * CHUNKS + place] = c + 1 }
#endif
#ifdef COUNT_LATE
            sent[me] = sent[me] + n;
#endif
            break
        :: drawn[me] != c
        fi
    od
}

inline take_staged(n)
{
    m0 = staged[me * 2];
    m1 = staged[me * 2 + 1];
#ifndef COUNT_LATE
    sent[me] = sent[me] + n;
#endif
    count[me] = 0
}

/* Under the lock, which is a step here. */
inline post(depth)
{
    atomic {
        staged[me * 2 + count[me]] = depth;
        live++;
        count[me]++;
        whole = 0;
        if
        :: count[me] == 2 -> take_staged(2); whole = 1
        :: else
        fi
    }
    if
    :: whole -> send(2)
    :: else
    fi
}

inline report()
{
#ifndef REPORT_EARLY
    atomic {
        whole = 0;
        if
        :: count[me] == 1 -> take_staged(1); whole = 1
        :: else
        fi
    }
    if
    :: whole -> send(1)
    :: else
    fi;
#endif
    atomic { done[me] = done[me] + finished; finished = 0 }
}

/* R1 to R3. */
inline take_mail()
{
    if
    :: atomic { taken[me] == c -> taken[me]++ }
        n = number[me * CHUNKS + place];
#ifdef FREED_EARLY
        freed[OTHER * CHUNKS + place] = c + 1;
#endif
        d_step {
            m0 = data[(me * CHUNKS + place) * 2];
            assert(m0 != EMPTY);
            data[(me * CHUNKS + place) * 2] = EMPTY
        }
        if
        :: n == 2 ->
            d_step {
                m1 = data[(me * CHUNKS + place) * 2 + 1];
                assert(m1 != EMPTY);
                data[(me * CHUNKS + place) * 2 + 1] = EMPTY
            }
        :: else
        fi;
#ifndef FREED_EARLY
        freed[OTHER * CHUNKS + place] = c + 1;
#endif
#ifdef DONE_EARLY
        done[me] = done[me] + n;
#else
        finished = finished + n;
#endif
        d_step { items[me * 3 + m0]++; tail[me]++ }
        if
        :: n == 2 -> d_step { items[me * 3 + m1]++; tail[me]++ }
        :: else
        fi
    :: taken[me] != c
    fi
}

proctype worker(byte me)
{
    byte c, place, m0, m1, n, finished = 0;
    bit whole;
    do
    :: over[me] -> break
    :: atomic { !over[me] && items[me * 3] -> items[me * 3]--; live--; finished++ }
    :: atomic { !over[me] && items[me * 3 + 1] -> items[me * 3 + 1]-- }
        post(0);
        atomic { live--; finished++ }
    :: atomic { !over[me] && items[me * 3 + 2] -> items[me * 3 + 2]-- }
        post(1);
        post(1);
        atomic { live--; finished++ }
    :: atomic { !over[me] && filled[me * CHUNKS + taken[me] % CHUNKS] == taken[me] + 1 -> c = taken[me]; place = c % CHUNKS }
        take_mail()
    :: atomic { !over[me] && bits[me * 3] && PLACE -> bits[me * 3]-- }
        post(0);
        atomic { live--; finished++ }
    :: atomic { !over[me] && bits[me * 3 + 1] && PLACE -> bits[me * 3 + 1]-- }
        post(1);
        atomic { live--; finished++ }
    :: !over[me] && (finished || count[me]) -> report()
    od;
    ended[me]++
}

/* What the monitors do together: a meeting is between the reads of `done` and those of the other words, since these are
 * compared with what was said at the meeting before (how ranks meet: ranks_cuda.pml). */
proctype monitors()
{
    byte looks = 0, before, made;
    do
    :: if
        :: looks < LOOKS -> looks++
        :: timeout -> late++; assert(late <= 1) /* nobody else has anything to do: it must show */
        fi;
#ifdef ONE_ROUND
        made = tail[0] + spilled[0] + sent[0];
        before = done[0];
        made = made + tail[1] + spilled[1] + sent[1];
        before = before + done[1];
#else
        before = done[0];
        before = before + done[1];
        made = tail[0];
        made = made + spilled[0] + sent[0];
        made = made + tail[1];
        made = made + spilled[1] + sent[1];
#endif
        if
        :: before == initial + made -> assert(live == 0); break
#ifdef STOP
        :: break
#endif
        :: before != initial + made
        fi
    od;
    over[0] = 1;
    over[1] = 1;
    ended[0] == (WORKERS);
#ifdef NOT_WAITED
    closed[0] = 1;
#endif
    ended[1] == 1;
    closed[0] = 1;
    closed[1] = 1
}

init
{
    atomic {
#if START == 1
        items[2] = 1; items[4] = 1; initial = 2;
#else
        items[2] = 1; initial = 1;
#endif
        live = initial;
        run monitors();
        run worker(0);
        run worker(1);
        if
        :: WORKERS == 2 -> run worker(0)
        :: else
        fi
    }
}
