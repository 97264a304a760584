/* requests.pml -- members of a team that ask each other for vertices (apps/push_relabel.c).
 *
 * VERTICES are discharged by MEMBERS members, each LIVES times; member 0 begins with all of them. A discharge either
 * keeps the vertex, or passes its excess on, which lists another vertex: here the vertex stays in the member's list until
 * its lives are used up. What holds: no member ends while a vertex is left, a vertex is in one list, all end.
 *
 * Faults: COUNT_LATE (a receiver is counted after the reply), UNCOUNTED (it is not counted at all), KEPT (what is handed
 * over stays in the list), REPLY_EARLY (the reply is written before the vertices are).
 */
#ifndef MEMBERS
#define MEMBERS 3
#endif
#ifndef VERTICES
#define VERTICES 3
#endif
#ifndef LIVES
#define LIVES 2
#endif
#define NONE 255

byte working = MEMBERS;
byte request[MEMBERS] = NONE;
mtype = { waiting, refused, granted };
mtype answer[MEMBERS] = waiting;
byte transfer[MEMBERS]; /* vertices, by bits */
byte listed[MEMBERS];   /* likewise */
byte lives[VERTICES];
byte left_ = VERTICES;  /* vertices with lives */
byte ended;

inline count_of(set) { count = 0; k = 0; do :: k < VERTICES -> count = count + ((set >> k) & 1); k++ :: else -> break od }

/* Replies to request[me]: hands over half of the vertices. */
inline reply(me)
{
    to = request[me];
    count_of(listed[me]);
    count = count / 2;
    given = 0;
    k = 0;
    do
    :: k < VERTICES && count > 0 ->
        if
        :: listed[me] & (1 << k) -> given = given | (1 << k); count--
        :: else
        fi;
        k++
    :: else -> break
    od;
#ifdef REPLY_EARLY
    if :: given -> working++; answer[to] = granted :: else fi;
#endif
    transfer[to] = given;
#ifndef KEPT
    listed[me] = listed[me] & ~given;
#endif
#if !defined(COUNT_LATE) && !defined(UNCOUNTED) && !defined(REPLY_EARLY)
    if :: given -> working++ :: else fi;
#endif
    request[me] = NONE;
    if :: given -> answer[to] = granted :: else -> answer[to] = refused fi;
#ifdef COUNT_LATE
    if :: given -> working++ :: else fi;
#endif
}

proctype member(byte me)
{
    byte to, count, k, given, other, v;
work:
    do
    :: listed[me] ->
        /* one of its vertices, taken from the list and discharged */
        v = 0;
        do :: v < VERTICES && !(listed[me] & (1 << v)) -> v++ :: else -> break od;
        listed[me] = listed[me] & ~(1 << v);
        assert(lives[v] > 0);
        atomic { lives[v]--; if :: lives[v] == 0 -> left_-- :: else fi }
        if :: lives[v] -> assert(!(listed[me] & (1 << v))); listed[me] = listed[me] | (1 << v) :: else fi;
        if :: request[me] != NONE -> reply(me) :: else fi
    :: else -> break
    od;
    working--;
    do
    :: working == 0 -> break
    :: else ->
        select(other : 0 .. MEMBERS - 1);
        if
        :: other != me && request[other] == NONE ->
            answer[me] = waiting;
            atomic { if :: request[other] == NONE -> request[other] = me; to = 1 :: else -> to = 0 fi }
            if :: !to -> goto again :: else fi;
            do
            :: answer[me] != waiting -> break
            :: working == 0 -> break
            :: request[me] != NONE -> reply(me)
            od;
            if
            :: answer[me] == granted ->
                assert(!(listed[me] & transfer[me]));
                listed[me] = listed[me] | transfer[me];
                transfer[me] = 0;
                goto work
            :: else
            fi
        :: else
        fi;
again:
        if :: request[me] != NONE -> reply(me) :: else fi
    od;
    assert(left_ == 0);
    ended++
}

init
{
    byte i;
    atomic {
        do :: i < VERTICES -> lives[i] = LIVES; listed[0] = listed[0] | (1 << i); i++ :: else -> break od;
        i = 0;
        do :: i < MEMBERS -> run member(i); i++ :: else -> break od
    }
}
