/* host.h -- ranks of one host: letters through memory that MPI shares among them, and arrays that they share.
 *
 * Problem. Between two supersteps every rank sends a letter to every other one. Through MPI's messages a letter of some
 * kilobytes waits for an answer of the receiver, and is copied in pieces; on one host its bytes need only be written
 * where the receiver can read them.
 *
 * Method. Each rank has a segment of a window that MPI shares on a host (MPI-3, chapter 11.2.3), and in it for each
 * other rank of the host two slots and a line with the number of the last letter that is complete. Letters are numbered
 * from 1, and every rank sends letter i to all others before it sends letter i + 1 to any. Letter i is written into
 * slot i mod 2.
 *
 * Invariant: a slot is not written while it is read. A rank writes letter i + 2 after it has read letter i + 1 of the
 * receiver, which the receiver sends after it has read letter i, from the same slot. With one slot that would not hold:
 * both ranks send before they read.
 *
 * Memory order. The number is stored with release behind the letter's bytes, and loaded with acquire ahead of them, so
 * the reader sees the bytes. That the slot is free again is ordered likewise, by the letter i + 1 of the receiver.
 * tests/models/letters.pml is a model.
 *
 * Not done: letters that are larger than a slot. What does not fit goes as messages of MPI (mpi.c).
 */
#ifndef ORDO_MPI_HOST_H
#define ORDO_MPI_HOST_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Finds the ranks of this host, and makes slots; collective. Where there is no memory for them, or ORDO_UNMAPPED is set
 * (so that tests run as between hosts), no rank is on this host. */
void host_join(MPI_Comm all);
void host_leave(void);

/* Whether the rank has slots for this one, and this one for it. False of the rank itself. */
bool host_has(int rank);

/* Bytes of a slot, the same in all ranks of a host. */
size_t host_room(void);

/* The slot for the next letter to a rank of this host; behind host_show() it is the receiver's. */
void *host_letter(int to);
void host_show(int to);

/* The next letter of a rank of this host; NULL: it has not come. Valid until host_next(). */
const void *host_read(int from);

/* Ends an exchange: the next letters are those of the next one. */
void host_next(void);

/* As ordo_transport.share. */
void *host_share(size_t bytes);

#endif
