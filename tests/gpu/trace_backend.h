/* trace_backend.h -- what a run of trace_backend.c counts, for the test that expects it. */
#ifndef TESTS_GPU_TRACE_BACKEND_H
#define TESTS_GPU_TRACE_BACKEND_H

enum {
    TRACED_WORKERS = 3,
    TRACED_TURNS = 40, /* of half a millisecond or more */
    TRACED_ITEMS = 10, /* of a turn */
    TRACED_EDGES = 100,
    TRACED_IN_FLIGHT = 17
};
#define TRACED_DELTA 2.5

#endif
