/* table.h -- a row of the table of options, for the files of this folder.
 *
 * A row has everything about an option: its name, who takes it, its value and where the value goes. The parser
 * (parse.c), the help and the manual (table.c) and the completion (complete.c) use the rows and know no option by name,
 * except for those of generated graphs (kinds.c).
 */
#ifndef ORDO_CLI_OPTIONS_TABLE_H
#define ORDO_CLI_OPTIONS_TABLE_H

#include <stddef.h>

#include "apps/cli/cli.h"

typedef enum value_type {
    VALUE_FLAG,   /* no value; sets a bool */
    VALUE_TEXT,   /* kept as it is; checked where it is used */
    VALUE_WORD,   /* one of the words of `argument`, kept as text */
    VALUE_CHOICE, /* one of the words of `argument`, kept as its index from `least` */
    VALUE_WHOLE,  /* a whole number from `least` to `most` */
    VALUE_SIZE,   /* likewise, with K and M (parse_size) */
    VALUE_REAL,   /* a number from `low` to `high`; `ends` says whether these are allowed */
    VALUE_OWN     /* handled by `take` */
} value_type;

typedef struct value_spec {
    value_type type;
    size_t at, size; /* of the field of `options` */
    ordo_u64 least, most;
    double low, high;
    const char *ends; /* "[]", "(]", "[)" */
    ordo_status (*take)(options *o, const char *name, const char *value);
} value_spec;

/* Options of one group exclude each other. */
typedef enum option_group {
    GROUP_NONE,
    GROUP_SOURCES,
    GROUP_DIRECTION,
    GROUP_VERIFY,
    GROUP_MADE,
    GROUP_SAMPLE
} option_group;

typedef struct option_row {
    const char *name;     /* NULL: it has a letter alone */
    int letter;           /* 0: none */
    const char *argument; /* NULL: none; "FILE", "a|b|c"; optional, and then behind "=": "[a|b|c]" */
    int verbs;            /* VERB_* that take it */
    value_spec value;
    const char *help;
    unsigned only;     /* TRAIT_*: the app or benchmark must have one of them; 0: all take it */
    const char *lacks; /* with `only`: the reason for refusing it to the others */
    option_group group;
    bool repeats; /* may be given several times; all values count */
} option_row;

enum { OPTION_ROWS = 148 }; /* the compiler refuses more rows, tests/cli/options_test.py an empty one */
_Static_assert((int)OPTION_ROWS <= (int)MAX_OPTIONS, "options.given has no room for all rows");
extern const option_row option_rows[OPTION_ROWS];

/* Sets the value of an option; `value` is NULL where it has none. */
ordo_status option_set(options *o, const option_row *row, const char *name, const char *value);
/* The row of a name (of `length` letters) that the scope takes; else one of its verb that it does not; else NULL. */
const option_row *option_named(const option_scope *s, const char *name, size_t length);
/* Whether the scope's app or benchmark takes it; all do where the scope has none. */
bool option_taken(const option_row *row, const option_scope *s);
bool option_is_optional(const option_row *row);
/* "--name", or "-x" where it has no name. */
const char *option_shown(const option_row *row, char capacity[48]);

/* Functions of rows with VALUE_OWN (values.c, kinds.c). */
ordo_status take_weights(options *o, const char *name, const char *value);
ordo_status take_abcd(options *o, const char *name, const char *value);
ordo_status take_kron(options *o, const char *name, const char *value);
ordo_status take_urand(options *o, const char *name, const char *value);
ordo_status take_symmetrise(options *o, const char *name, const char *value);
ordo_status take_symmetric(options *o, const char *name, const char *value);
ordo_status take_setting(options *o, const char *name, const char *value);
ordo_status take_state(options *o, const char *name, const char *value);
ordo_status take_sweep(options *o, const char *name, const char *value);
ordo_status take_time(options *o, const char *name, const char *value);
ordo_status take_delta(options *o, const char *name, const char *value);
ordo_status take_verify(options *o, const char *name, const char *value);

#endif
