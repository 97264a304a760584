/* arrays.c -- the arrays of a state: made for a graph, and filled by the operator or from a file. See operator.h. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "apps/cli/run_time/operator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ordo/memory.h>

const char *run_time_array_file(const run_time_operator *op, const char *name)
{
    const size_t length = strlen(name);
    for (int i = op->o->state_count - 1; i >= 0; i--) /* the last one counts, as for numbers */
        if (!strncmp(op->o->states[i], name, length) && !strncmp(op->o->states[i] + length, "=@", 2))
            return op->o->states[i] + length + 2;
    return NULL;
}

ordo_status run_time_check_arrays(const run_time_operator *op)
{
    for (size_t i = 0; i < op->table->array_count; i++) {
        const ordo_state_field *array = &op->table->arrays[i];
        const char *file = run_time_array_file(op, array->name);
        if (!file && !op->table->fill)
            return ordo_fail(ORDO_ERR_USAGE,
                             "%s: nothing fills array '%s' of the state; expected ORDO_RELAX_FILL, or --set-state "
                             "%s=@FILE",
                             op->file, array->name, array->name);
        if (file && array->type == ORDO_NONE)
            return ordo_fail(ORDO_ERR_USAGE,
                             "--set-state %s=@%s: its elements are not u32, i32, f32, u64, i64 or f64; expected "
                             "ORDO_RELAX_FILL",
                             array->name, file);
    }
    return ORDO_OK;
}

/* Reads a number for each element, one a line. */
static ordo_status read_lines(FILE *file, const char *path, const ordo_state_field *array, const ordo_array *a)
{
    const ordo_state_field element = {.name = array->name, .type = array->type, .at = 0};
    char *line = NULL, *values = *(char **)a->place;
    size_t capacity = 0;
    ordo_u64 count = 0;
    ordo_status status = ORDO_OK;
    for (ssize_t length; !status && (length = getline(&line, &capacity, file)) >= 0; count++) {
        while (length > 0 && strchr(" \t\r\n", line[length - 1]))
            line[--length] = 0;
        if (count < a->count && !run_time_parse(values + count * a->size, &element, line))
            status = ordo_fail(ORDO_ERR_INPUT, "%s: line %llu: '%.60s', expected a number of type %s", path,
                               (unsigned long long)count + 1, line, type_name(array->type));
    }
    free(line);
    if (!status && count != a->count)
        status = ordo_fail(ORDO_ERR_INPUT, "%s: found %llu lines, expected %llu numbers for array '%s'", path,
                           (unsigned long long)count, (unsigned long long)a->count, array->name);
    return status;
}

static ordo_status read_array(const char *path, const ordo_state_field *array, const ordo_array *a)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return ordo_fail(ORDO_ERR_IO, "%s: %s", path, strerror(errno));
    ordo_status status = read_lines(file, path, array, a);
    fclose(file);
    return status;
}

/* Memory for array i, all 0 where it is new, and its address in the state. */
static ordo_status place(run_time_operator *op, size_t i, const ordo_array *a)
{
    const ordo_u64 bytes = a->count * a->size;
    if (op->array[i] && op->array_bytes[i] != bytes) {
        ordo_free(op->array[i]);
        op->array[i] = NULL;
    }
    if (!op->array[i]) {
        op->array[i] = ordo_alloc_zero(a->count + RUN_TIME_SPARE, a->size);
        op->array_bytes[i] = bytes;
        op->filled_for = NULL;
    }
    memcpy(a->place, &op->array[i], sizeof op->array[i]);
    return op->array[i] ? ORDO_OK : ORDO_ERR_MEMORY;
}

ordo_status run_time_fill(run_time_operator *op, const ordo_csr *g, const ordo_edges *edges, ordo_vid source,
                          bool with_files)
{
    ordo_array list[ORDO_MOST_ARRAYS];
    const size_t count = op->table->array_count;
    ordo_status status = ORDO_OK;
    if (edges)
        memcpy((char *)op->state + op->table->sections->edges, edges, sizeof *edges);
    const ordo_u64 more = op->growth.most_items;
    op->table->list_arrays(op->state, run_time_items(op, g) + more, g->n + more, g->m, list);
    for (size_t i = 0; i < count && !status; i++)
        status = place(op, i, &list[i]);
    for (size_t i = 0; i < count && !status && (run_time_sums(op) || !with_files); i++) { /* takes write them */
        memset(op->array[i], 0, op->array_bytes[i]);
        op->filled_for = NULL;
    }
    for (size_t i = 0; i < count && !status && with_files && op->filled_for != g->row; i++) {
        const char *path = run_time_array_file(op, op->table->arrays[i].name);
        if (path)
            status = read_array(path, &op->table->arrays[i], &list[i]);
    }
    if (status)
        return status;
    op->filled_for = with_files ? g->row : NULL;
    if (op->table->fill)
        op->table->fill(op->state, g, source);
    return ORDO_OK;
}

void run_time_free_arrays(run_time_operator *op)
{
    for (size_t i = 0; i < ORDO_MOST_ARRAYS; i++) {
        ordo_free(op->array[i]);
        op->array[i] = NULL;
    }
    op->filled_for = NULL;
}
