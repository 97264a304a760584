/* letters.pml -- a model of letters between ranks of one host, for Spin: framework/mpi/host.h.
 *
 * RANKS ranks exchange letters EXCHANGES times. A letter is two words, of which each is the number of the exchange; they
 * are stored in either order, and behind them the number of the last letter that is complete. A rank writes its letters
 * to all others, in any order, and then reads theirs. It looks at one word after the other, so a letter that changes
 * meanwhile is seen.
 *
 * Checked: both words of a letter are those of the exchange in which it is read, and all ranks come to the end.
 * Faults to show that the checks can fail: -DONE_SLOT has one slot for all letters; -DSHOWN_EARLY stores the number ahead
 * of the second word; -DREAD_LATER lets a rank write its next letters before it has read those of this exchange.
 */
#ifndef RANKS
#define RANKS 2
#endif
#ifndef EXCHANGES
#define EXCHANGES 4
#endif
#ifdef ONE_SLOT
#define SLOT(n) 0
#else
#define SLOT(n) ((n) % 2)
#endif
#define BOX(from, to) ((from) * RANKS + (to))
#define WORD(from, to, n, w) (BOX(from, to) * 4 + SLOT(n) * 2 + (w))

byte word[RANKS * RANKS * 4];
byte shown[RANKS * RANKS]; /* the number of the last letter that is complete */
byte ended;

inline write_letter(to, n)
{
    if
    :: word[WORD(me, to, n, 0)] = n;
#ifdef SHOWN_EARLY
       shown[BOX(me, to)] = n;
#endif
       word[WORD(me, to, n, 1)] = n
    :: word[WORD(me, to, n, 1)] = n;
       word[WORD(me, to, n, 0)] = n
    fi;
    shown[BOX(me, to)] = n
}

inline write_letters(n)
{
    k = 1;
    do
    :: k < RANKS -> other = (me + k) % RANKS; write_letter(other, n); k++
    :: else -> break
    od
}

inline read_letters(n)
{
    k = 1;
    do
    :: k < RANKS ->
        other = (me + RANKS - k) % RANKS;
        shown[BOX(other, me)] >= n;
        assert(word[WORD(other, me, n, 0)] == n);
        assert(word[WORD(other, me, n, 1)] == n);
        k++
    :: else -> break
    od
}

proctype rank(byte me)
{
    byte number = 0, k, other;
    do
    :: number < EXCHANGES ->
        number++;
        write_letters(number);
#ifdef READ_LATER
        if
        :: number < EXCHANGES -> write_letters(number + 1)
        :: else
        fi;
#endif
        read_letters(number)
    :: else -> break
    od;
    ended++
}

init
{
    byte r = 0;
    atomic {
        do
        :: r < RANKS -> run rank(r); r++
        :: else -> break
        od
    }
    ended == RANKS
}
