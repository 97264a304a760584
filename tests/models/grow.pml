/* grow.pml -- a model of edges that are added while their tail improves, for Spin:
 * framework/include/ordo/operator/grow.h and detail/cpu/grow.h.
 *
 * One member improves the cell of an item x VALUES times and processes x after each: it reads the cell, fences, reads
 * x's list, and proposes along the edges that it finds there. ADDERS members add an edge of x each, to a head of its
 * own: they link it, fence, read the cell, and propose. Stores wait in a buffer of their member, from which they get to
 * memory at any later time, in order; a member reads what it has stored itself. A fence waits until its member's buffer
 * is empty. (Of the reorderings that C11 allows this is the one that matters here: a load before an earlier store.)
 *
 * Checked: in the end every head has been proposed the last value of x; a value that no cell has had is not proposed.
 * Faults to show that the checks can fail: -DNO_FENCE_PROCESS and -DNO_FENCE_ADD leave one of the fences out;
 * -DREAD_FIRST has a member that adds read the cell before it links; -DSILENT has it propose nothing.
 */
#ifndef VALUES
#define VALUES 2
#endif
#ifndef ADDERS
#define ADDERS 2
#endif

byte cell;            /* of x, in memory */
byte stored;          /* by the member that improves: the value in its buffer; 0: none */
bool linked[ADDERS];  /* in memory */
bool linking[ADDERS]; /* in the buffer of that member */
byte head[ADDERS];    /* the largest value that was proposed */
byte last, ended;

inline propose(i, v)
{
    atomic {
        assert(v <= last);
        if
        :: v > head[i] -> head[i] = v
        :: else
        fi
    }
}

/* What is in buffers gets to memory. */
active proctype buffers()
{
    byte i;
end:
    do
    :: atomic { stored -> cell = stored; stored = 0 }
    :: atomic { linking[0] -> linked[0] = true; linking[0] = false }
#if ADDERS > 1
    :: atomic { linking[1] -> linked[1] = true; linking[1] = false }
#endif
#if ADDERS > 2
    :: atomic { linking[2] -> linked[2] = true; linking[2] = false }
#endif
    od
}

active proctype processes()
{
    byte v = 0, i;
    do
    :: v < VALUES ->
        stored == 0; /* the buffer has one place: an older value goes first */
        v++;
        atomic { last = v; stored = v }
#ifndef NO_FENCE_PROCESS
        stored == 0;
#endif
        i = 0;
        do
        :: i < ADDERS ->
            if
            :: linked[i] -> propose(i, v)
            :: else
            fi;
            i++
        :: else -> break
        od
    :: else -> break
    od;
    ended++
}

active [ADDERS] proctype adds()
{
    byte me = _pid - 2, v;
#ifdef READ_FIRST
    v = cell;
#endif
    linking[me] = true;
#ifndef NO_FENCE_ADD
    !linking[me];
#endif
#ifndef READ_FIRST
    v = cell;
#endif
#ifndef SILENT
    propose(me, v);
#endif
    ended++
}

active proctype checks()
{
    byte i;
    ended == ADDERS + 1;
    do
    :: i < ADDERS -> assert(head[i] == VALUES); i++
    :: else -> break
    od
}
