/* suite.h -- helpers of libcheck programs: running a suite, a temporary folder, graphs from arrays. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <ordo/graph.h>

/* Divisor of numbers of repeats, for builds in which each repeat takes many times as long. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SLOWER = 4 };
#else
enum { SLOWER = 1 };
#endif

/* The program's status. CK_VERBOSITY chooses how much is printed. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Empty until make_folder, before the tests fork; each program has one. */
static char folder[] = "/tmp/ordo-test-XXXXXX";

__attribute__((unused)) static bool make_folder(void)
{
    if (mkdtemp(folder))
        return true;
    perror(folder);
    return false;
}

__attribute__((unused)) static bool remove_folder(void)
{
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0;
}

/* A path in the folder; valid until four others have been asked for. */
__attribute__((unused)) static const char *path_of(const char *name)
{
    static char path[4][512];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

__attribute__((unused)) static ordo_graph *borrowed(const ordo_csr *csr, bool symmetric)
{
    ordo_graph *g = NULL;
    ck_assert_msg(!ordo_graph_borrow(csr, symmetric, &g), "%s", ordo_last_error());
    return g;
}

#endif
