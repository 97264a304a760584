/* error.c -- statuses, and the last error message of each thread. */
#include <ordo/error.h>

#include <stdarg.h>

#include "number.h"

static _Thread_local char last_error[1024];

static const struct {
    ordo_status status;
    int exit;
    const char *name, *text;
} statuses[] = {
#define ROW(_name, _value, _exit, _text) {ORDO_##_name, _exit, "ORDO_" #_name, _text},
    ORDO_STATUS_MAP(ROW)
#undef ROW
};

enum { STATUSES = sizeof statuses / sizeof statuses[0] };

const char *ordo_status_name(ordo_status status)
{
    for (int i = 0; i < STATUSES; i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "?";
}

const char *ordo_status_text(ordo_status status)
{
    for (int i = 0; i < STATUSES; i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "?";
}

int ordo_status_exit(ordo_status status)
{
    for (int i = 0; i < STATUSES; i++)
        if (statuses[i].status == status)
            return statuses[i].exit;
    return 70;
}

const char *ordo_last_error(void)
{
    return last_error;
}

ordo_status ordo_fail(ordo_status status, const char *format, ...)
{
    /* The old message may be an argument of the new one, so it is formatted into another buffer first. */
    char text[sizeof last_error];
    va_list args;
    va_start(args, format);
    ordo_vformat(text, sizeof text, format, args);
    va_end(args);
    for (size_t i = 0;; i++) {
        last_error[i] = text[i] == '\n' ? ' ' : text[i];
        if (!text[i])
            return status;
    }
}
