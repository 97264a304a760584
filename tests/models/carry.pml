/* carry.pml -- a model of hosts that carry what ranks say and send, for Spin: framework/cuda/carry.cu, with the meeting of
 * meet.cuh.
 *
 * Two ranks, each a GPU and its host. Neither GPU sees the other's memory. In every superstep a GPU stores one message,
 * or none, into its staged box, counts it, and comes to the meeting: it writes its words and the number into its own
 * memory, the count and then the number into the host's. It waits until the number of the other rank has come, and then
 * compares the other's word and message with what that had for this meeting. The host puts message, words and number. Puts
 * between two waits arrive in any order.
 *
 * A message and a word are the number of their meeting; a box without a message has 0.
 *
 * Checked: behind meeting k a rank finds the words and the message of meeting k, and both ranks come to the end.
 * Faults to show that the checks can fail: -DONE_STAGE has one staged box for all meetings, -DONE_SET one set of words and
 * boxes, -DONE_COUNT one count for the host; -DTOLD_EARLY tells the host before the count is there; -DNOT_WAITED puts the
 * number without waiting for the rest; -DNUMBER_OF_MET puts the number from the word that the own GPU has for itself.
 */
#ifndef MEETINGS
#define MEETINGS 4
#endif
#ifdef ONE_STAGE
#define STAGE(n) 0
#else
#define STAGE(n) ((n) % 2)
#endif
#ifdef ONE_SET
#define SET(n) 0
#else
#define SET(n) ((n) % 2)
#endif
#ifdef ONE_COUNT
#define COUNT(n) 0
#else
#define COUNT(n) ((n) % 2)
#endif

byte staged[4];   /* rank * 2 + set: of this rank for the other one */
byte box[4];      /* rank * 2 + set: of the other one for this rank */
byte word[8];     /* rank * 4 + set * 2 + from: in this rank's memory, what `from` says */
byte met[4];      /* rank * 2 + from: in this rank's memory, the number of the last meeting to which `from` has come */
byte numbered[4]; /* rank * 2 + set: the number beside this rank's own words */
byte count[4];    /* rank * 2 + set: in the host's memory */
byte asked[2];    /* rank: likewise, the last meeting that the host is to carry */
bool sends[32];   /* rank * 16 + meeting: whether there is a message */
byte ended;

proctype gpu(byte me)
{
    byte now = 0;
    do
    :: now < MEETINGS ->
        now++;
        if
        :: sends[me * 16 + now] = true; staged[me * 2 + STAGE(now)] = now
        :: skip
        fi;
#ifdef TOLD_EARLY
        asked[me] = now;
#endif
        count[me * 2 + COUNT(now)] = sends[me * 16 + now];
        word[me * 4 + SET(now) * 2 + me] = now;
        numbered[me * 2 + SET(now)] = now;
        met[me * 2 + me] = now;
        asked[me] = now;
        met[me * 2 + 1 - me] >= now;
        assert(word[me * 4 + SET(now) * 2 + 1 - me] == now);
        if
        :: sends[(1 - me) * 16 + now] -> assert(box[me * 2 + SET(now)] == now)
        :: else
        fi
    :: else -> break
    od;
    ended++
}

proctype host(byte me)
{
    byte done = 0, to = 1 - me;
    bool message, words, number;
    do
    :: done < MEETINGS ->
        asked[me] > done;
        done++;
        message = count[me * 2 + COUNT(done)];
        words = true;
#ifdef NOT_WAITED
        number = true;
#endif
        do
        :: message -> box[to * 2 + SET(done)] = staged[me * 2 + STAGE(done)]; message = false
        :: words -> word[to * 4 + SET(done) * 2 + me] = word[me * 4 + SET(done) * 2 + me]; words = false
#ifdef NOT_WAITED
        :: number -> met[to * 2 + me] = numbered[me * 2 + SET(done)]; number = false
#endif
        :: !message && !words && !number -> break
        od;
#ifndef NOT_WAITED
#ifdef NUMBER_OF_MET
        met[to * 2 + me] = met[me * 2 + me]
#else
        met[to * 2 + me] = numbered[me * 2 + SET(done)]
#endif
#endif
    :: else -> break
    od
}

init
{
    atomic {
        run gpu(0);
        run gpu(1);
        run host(0);
        run host(1)
    }
    ended == 2
}
