/* report.c -- `ordo report` and `ordo plot`: figures of runs and traces, drawn by the Python package.
 *
 * The figures need Plotly or Matplotlib, which are Python's, so this process becomes one of Python, by the module
 * ordo.report. That module asks this command for the tables with their intervals (`ordo compare --from`), so that the
 * statistics exist once. It learns from the environment where this command is (ORDO_COMMAND), and which library is
 * loaded (ORDO_LIBRARY), if those are not set. ORDO_PYTHON names another Python than `python3`; the wheel's command
 * sets it to the one that the wheel is installed in.
 *
 * Not done: figures without Python. `ordo compare --svg` draws times with intervals in C.
 */
#define _GNU_SOURCE /* dladdr */
#include "apps/cli/cli.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Python's own complaint about a missing module is not of one line. 3: the exit status of ORDO_ERR_IO. */
static const char begin[] =
    "import sys\n"
    "try:\n"
    "    from ordo.report import main\n"
    "except ImportError as error:\n"
    "    print('ordo: ' + sys.argv[1] + ' needs the Python package ordo in ' + sys.executable + "
    "' (' + str(error) + '); expected it by pip install, or in PYTHONPATH', file=sys.stderr)\n"
    "    sys.exit(3)\n"
    "main(sys.argv[1:])\n";

static void tell_where(void)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0) {
        path[length] = 0;
        setenv("ORDO_COMMAND", path, 0);
    }
    const void *at = dlsym(RTLD_DEFAULT, "ordo_version");
    Dl_info library;
    if (at && dladdr(at, &library) && library.dli_fname && strstr(library.dli_fname, ".so"))
        setenv("ORDO_LIBRARY", library.dli_fname, 0);
}

static ordo_status become_python(const options *o, const char *verb)
{
    const char *python = getenv("ORDO_PYTHON"), *words[MAX_GRAPHS + 10];
    size_t count = 0;
    python = python && *python ? python : "python3";
    words[count++] = python;
    words[count++] = "-c";
    words[count++] = begin;
    words[count++] = verb;
    words[count++] = "--output";
    words[count++] = o->output;
    if (o->baseline) {
        words[count++] = "--baseline";
        words[count++] = o->baseline;
    }
    words[count++] = "--"; /* a file may begin with a dash */
    for (int i = 0; i < o->word_count; i++)
        words[count++] = o->words[i];
    words[count] = NULL;
    tell_where();
    char **argv = malloc((count + 1) * sizeof *argv);
    if (!argv)
        return ordo_fail(ORDO_ERR_MEMORY, "no memory to start %s", python);
    memcpy(argv, words, (count + 1) * sizeof *argv);
    execvp(python, argv);
    free(argv);
    return ordo_fail(ORDO_ERR_IO, "%s needs Python: %s: %s; expected python3 in PATH, or another one in ORDO_PYTHON",
                     verb, python, strerror(errno));
}

ordo_status verb_report(const options *o)
{
    if (o->word_count < 1 || !o->output)
        return ordo_fail(ORDO_ERR_USAGE, "report needs files with runs, and -o PAGE");
    return become_python(o, "report");
}

ordo_status verb_plot(const options *o)
{
    if (o->word_count < 2 || !o->output)
        return ordo_fail(ORDO_ERR_USAGE, "plot needs the name of a figure, files with runs, and -o PICTURE");
    return become_python(o, "plot");
}
