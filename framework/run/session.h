/* session.h -- what a run asks of its session (session.c). */
#ifndef ORDO_FRAMEWORK_SESSION_H
#define ORDO_FRAMEWORK_SESSION_H

#include <ordo/detail/backend.h>
#include <ordo/scheduler/scheduler.h>
#include <ordo/session.h>

/* ORDO_OK where the work's cells and initial items are arrays of its session, which can still be used; checked before
 * anything is read of them. */
ordo_status ordo_session_check(const ordo_work *work);
/* Whether the arrays are in memory that the host cannot read. */
bool ordo_session_is_apart(const ordo_session *session);
/* The back end's part; NULL on the CPU. */
void *ordo_session_own(const ordo_session *session);
/* Why a session that was made for device "auto" is on the CPU; "" where it is not, or was to be. */
const char *ordo_session_why(const ordo_session *session);
/* Puts arrays together that ranks have parts of, as ordo_backend_session.gather. Only where they are apart. */
ordo_status ordo_session_gather(const ordo_session *session, const ordo_remote *remote, const ordo_parted *arrays,
                                int count);
/* Takes note of how a run ended; returns that status. */
ordo_status ordo_session_note(ordo_session *session, ordo_status status);

#endif
