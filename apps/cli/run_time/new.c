/* new.c -- `ordo new operator NAME`: writes a file to begin with, and a test that passes at once.
 *
 * In the texts below, @ stands for the name.
 */
#define _GNU_SOURCE /* fchmod */
#include "apps/cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char operator_text[] =
    "/* @.c -- shortest paths, to begin with: change it to what you need.\n"
    " *\n"
    " *   d(v) = min(d(v), d(u) + weight(u, v))\n"
    " *\n"
    " *   ordo check-operator @.c               tests what is declared below\n"
    " *   ordo run @.c GRAPH --source 0 --verify\n"
    " *   ordo compare ./@.c GRAPH              under every scheduler\n"
    " *   ./@_test                              all of that, on a small graph\n"
    " */\n"
    "#include <ordo/operator/operator.h>\n"
    "\n"
    "/* Numbers that a run needs beside the graph. --set-state sets those that ORDO_RELAX_SETTINGS lists. */\n"
    "typedef struct @_state {\n"
    "    ordo_u32 limit; /* longer paths are not looked for */\n"
    "} @_state;\n"
    "\n"
    "/* What edge e proposes for the cell of its head: d is the cell of its tail. The type's largest value proposes\n"
    " * nothing, since smaller cells are better. */\n"
    "ORDO_FN ordo_u32 @_candidate(const @_state *s, ordo_u32 d, ordo_edge_u32 e)\n"
    "{\n"
    "    const ordo_u32 sum = ordo_add_sat_u32(d, e.weight); /* the largest value where it does not fit */\n"
    "    return sum <= s->limit ? sum : ordo_highest_u32();\n"
    "}\n"
    "\n"
    "/* What the source's cell begins with; the other cells begin with the worst value. */\n"
    "ORDO_FN ordo_u32 @_source(const @_state *s)\n"
    "{\n"
    "    (void)s;\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "#define ORDO_RELAX @\n"
    "#define ORDO_RELAX_SUMMARY \"shortest paths up to a limit\"\n"
    "#define ORDO_RELAX_STATE @_state\n"
    "#define ORDO_RELAX_ARRAYS(X) /* the state has no arrays */\n"
    "#define ORDO_RELAX_SETTINGS(X) X(limit, u32, 0xfffffffe, \"the longest path that is looked for\")\n"
    "#define ORDO_RELAX_CELL u32       /* or i32, f32, u64 */\n"
    "#define ORDO_RELAX_WEIGHT u32     /* or i32, f32, none */\n"
    "#define ORDO_RELAX_ORDER ORDO_MIN /* or ORDO_MAX, ORDO_BY_COMPARATOR */\n"
    "/* Schedulers trust these: ordo check-operator looks for contradictions. */\n"
    "#define ORDO_RELAX_PROPERTIES (ORDO_MONOTONE | ORDO_IDEMPOTENT | ORDO_ASSOCIATIVE | ORDO_EDGE_BLIND)\n"
    "#define ORDO_RELAX_CANDIDATE @_candidate\n"
    "#define ORDO_RELAX_SOURCE @_source\n"
    "#include <ordo/operator/relax.h>\n";

static const char operator_test_text[] =
    "#!/bin/sh\n"
    "# Tests @.c: what it declares, its answers under every scheduler, and one answer by hand.\n"
    "# usage: @_test [PATH_OF_ORDO]\n"
    "set -eu\n"
    "ordo=${1:-ordo}\n"
    "file=$(cd \"$(dirname \"$0\")\" && pwd)/@.c\n"
    "folder=$(mktemp -d)\n"
    "trap 'rm -r \"$folder\"' EXIT\n"
    "\n"
    "\"$ordo\" check-operator \"$file\" --quiet\n"
    "\n"
    "# edges: tail, head, weight\n"
    "cat > \"$folder/small.wel\" <<'END'\n"
    "0 1 4\n"
    "0 2 1\n"
    "2 1 2\n"
    "1 3 5\n"
    "4 0 1\n"
    "END\n"
    "\"$ordo\" compare \"$file\" \"$folder/small.wel\" --source 0 --repeat 1 --warmup 0 --threads 2 --quiet\n"
    "\"$ordo\" run \"$file\" \"$folder/small.wel\" --source 0 --verify --quiet -o \"$folder/found\"\n"
    "printf '0\\n3\\n1\\n8\\ninf\\n' > \"$folder/expected\"\n"
    "diff \"$folder/expected\" \"$folder/found\"\n"
    "\"$ordo\" run \"$file\" \"$folder/small.wel\" --source 0 --set-state limit=3 --quiet -o \"$folder/found\"\n"
    "printf '0\\n3\\n1\\ninf\\ninf\\n' > \"$folder/expected\"\n"
    "diff \"$folder/expected\" \"$folder/found\"\n"
    "echo \"@: passed\"\n";

static bool is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) || strlen(name) > 60)
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return true;
}

/* Writes a text with the name in place of @ to a file that must not exist. */
static ordo_status write_new(const char *path, const char *text, const char *name, mode_t mode)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 && errno == EEXIST)
        return ordo_fail(ORDO_ERR_IO, "%s: it exists, and is left as it is", path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        const int error = errno;
        if (fd >= 0)
            close(fd);
        return ordo_output_error(path, error);
    }
    for (const char *c = text; *c; c++)
        if (*c == '@')
            fputs(name, file);
        else
            fputc(*c, file);
    const bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        const int error = errno;
        unlink(path);
        return ordo_output_error(path, error);
    }
    return ORDO_OK;
}

ordo_status verb_new(const options *o)
{
    char file[80], test[80];
    if (o->word_count != 2)
        return ordo_fail(ORDO_ERR_USAGE, "new needs what to write and its name: new operator NAME");
    const char *name = o->words[1];
    if (strcmp(o->words[0], "operator") != 0)
        return unknown("kind", o->words[0], (const char *const[]){"operator", NULL}, "ordo help new");
    if (!is_identifier(name))
        return ordo_fail(ORDO_ERR_USAGE, "'%s' is no name of an operator, expected letters, digits and '_'", name);
    snprintf(file, sizeof file, "%s.c", name);
    snprintf(test, sizeof test, "%s_test", name);
    ordo_status status = write_new(file, operator_text, name, 0666);
    if (status)
        return status;
    status = write_new(test, operator_test_text, name, 0777);
    if (status)
        unlink(file); /* it was written here */
    else if (!o->quiet)
        printf("%s and its test, %s\n", file, test);
    return status;
}
