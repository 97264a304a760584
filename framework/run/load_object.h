/* load_object.h -- finds and loads shared objects that come with the library. */
#ifndef ORDO_RUN_LOAD_OBJECT_H
#define ORDO_RUN_LOAD_OBJECT_H

#include <ordo/error.h>

/* Opens "libordo-NAME.so" in the folder of this library; if there is none, in the folder $ORDO_BACKENDS (an extra wheel
 * of Python), else along the loader's search path. A file in one of these folders that cannot be loaded is an error: a
 * file found elsewhere might be of another version. `subject` begins the message. Errors: ORDO_ERR_DEVICE. (backend.c)
 */
ordo_status ordo_object_load(const char *name, const char *subject, void **out);

#endif
