/* suite.h -- helpers of libcheck programs: running a suite, a temporary folder and files there, graphs from arrays and
 * from files. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/graph.h>

/* Divisor of numbers of repeats, for builds in which each repeat takes many times as long, and for tools/check. */
#if defined(__SANITIZE_THREAD__)
enum { SLOWER = 8 };
#elif defined(__SANITIZE_ADDRESS__) || defined(ORDO_TEST_QUICK)
enum { SLOWER = 4 };
#else
enum { SLOWER = 1 };
#endif

/* Divides, beside SLOWER, the sizes and repeats that take longest under the sanitizers in tools/check. A sanitizer
 * needs no unlucky order of threads to see an error, so few repeats of each case show what many do. */
#if defined(__SANITIZE_THREAD__) && defined(ORDO_TEST_QUICK)
enum { BRIEFER = 8 };
#elif defined(__SANITIZE_ADDRESS__) && defined(ORDO_TEST_QUICK)
enum { BRIEFER = 2 };
#else
enum { BRIEFER = 1 };
#endif

/* What takes long and has nothing that TSan could see is left out under it: allocations that fail one by one, a long
 * run of one thread, choices and refusals. */
#ifdef __SANITIZE_THREAD__
enum { UNDER_TSAN = 1 };
#else
enum { UNDER_TSAN = 0 };
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

__attribute__((unused)) static const char *put_file(const char *name, const void *bytes, size_t size)
{
    const char *path = path_of(name);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
    ck_assert_int_eq(fclose(f), 0);
    return path;
}

__attribute__((unused)) static const char *put_text(const char *name, const char *text)
{
    return put_file(name, text, strlen(text));
}

__attribute__((unused)) static ordo_graph *borrowed(const ordo_csr *csr, bool symmetric)
{
    ordo_graph *g = NULL;
    ck_assert_msg(!ordo_graph_borrow(csr, symmetric, &g), "%s", ordo_last_error());
    return g;
}

__attribute__((unused)) static ordo_graph *must_read(const char *path, const ordo_read_options *options)
{
    ordo_graph *g = NULL;
    ordo_status status = ordo_graph_read(path, options, &g);
    ck_assert_msg(status == ORDO_OK, "%s: %s", path, ordo_last_error());
    return g;
}

__attribute__((unused)) static ordo_graph_info info_of(const ordo_graph *g)
{
    ordo_graph_info info;
    ordo_graph_get_info(g, &info);
    return info;
}

/* The weight of an edge as its word, 0 where there are none. */
__attribute__((unused)) static ordo_u32 weight_word(const ordo_csr *g, ordo_eid e)
{
    return g->weight_type == ORDO_NONE ? 0 : ((const ordo_u32 *)g->weight)[e * g->stride];
}

#endif
