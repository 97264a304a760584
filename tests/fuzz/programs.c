/* programs.c -- libFuzzer targets for the readers of formulas (-DFORMULA), constraints (-DCONSTRAINTS) and meshes
 * (-DMESH).
 *
 * For any input the reader must not crash, leak or hang. It either fails with one line of error and returns nothing, or
 * returns an object whose indices are in the ranges that its header documents. The reader of meshes takes up to three
 * files; a byte of value 1 in the input ends one file and begins the next.
 * Built and run by tools/fuzz, with address and undefined-behaviour sanitizers.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ordo/mesh.h>
#include <ordo/points_to.h>
#include <ordo/sat.h>

#include "tests/fuzz/target.h"

static void must_be_refused(ordo_status status)
{
    must(*ordo_last_error() && !strchr(ordo_last_error(), '\n'), "not one line of error");
    must(status == ORDO_ERR_INPUT || status == ORDO_ERR_MEMORY || status == ORDO_ERR_IO, "an error of another kind");
}

#ifdef MESH

static char folder[] = "/tmp/ordo-fuzz-XXXXXX";
static const char *const suffixes[] = {"node", "poly", "ele"};

static const char *file_of(int i)
{
    static char path[sizeof folder + 16];
    snprintf(path, sizeof path, "%s/f.%s", folder, suffixes[i]);
    return path;
}

static void remove_folder(void)
{
    for (int i = 0; i < 3; i++)
        unlink(file_of(i));
    rmdir(folder);
}

static void read_bytes(const ordo_u8 *data, size_t size)
{
    static bool made;
    if (!made) {
        must(mkdtemp(folder) && !atexit(remove_folder), "no folder");
        made = true;
    }
    const int which = data[size - 1] % 3;
    const ordo_u8 *at = data, *const end = data + size;
    for (int i = 0; i < 3; i++) {
        const ordo_u8 *mark = at < end ? memchr(at, 1, (size_t)(end - at)) : NULL;
        const size_t length = (size_t)((mark ? mark : end) - at);
        unlink(file_of(i));
        if (length) {
            FILE *f = fopen(file_of(i), "w");
            must(f && fwrite(at, 1, length, f) == length && fclose(f) == 0, "no file");
        }
        at = mark ? mark + 1 : end;
    }
    ordo_mesh *m = NULL;
    const ordo_status status = ordo_mesh_read(file_of(which), &m);
    if (status) {
        must(!m, "an error and a mesh");
        must_be_refused(status);
        return;
    }
    must(m->id_base < 2, "points from neither 0 nor 1");
    for (ordo_u64 i = 0; i < 2 * m->points; i++)
        must(m->xy[i] - m->xy[i] == 0, "a coordinate that is not finite");
    for (ordo_u64 i = 0; i < 2 * m->segments; i++)
        must(m->ends[i] < m->points, "an end of a segment is no point");
    for (ordo_u64 i = 0; i < 3 * m->triangles; i++)
        must(m->corners[i] < m->points, "a corner is no point");
    ordo_mesh_free(m);
}

#else

static void read_bytes(const ordo_u8 *data, size_t size)
{
    int fd;
    const char *path = file_in_memory(data, size, &fd);
#ifdef FORMULA
    ordo_formula f = {0};
    const ordo_status status = ordo_formula_read(path, &f);
    close(fd);
    if (status) {
        must(!f.row && !f.literal, "an error and a formula");
        must_be_refused(status);
        return;
    }
    must(f.row[0] == 0, "rows do not begin at 0");
    for (ordo_u32 c = 0; c < f.clauses; c++)
        must(f.row[c] <= f.row[c + 1], "a clause ends before it begins");
    for (ordo_u32 i = 0; i < f.row[f.clauses]; i++)
        must(f.literal[i] < 2 * f.variables, "a literal of no variable");
    ordo_formula_free(&f);
#else
    ordo_constraints c = {0};
    const ordo_status status = ordo_constraints_read(path, &c);
    close(fd);
    if (status) {
        must(!c.list, "an error and constraints");
        must_be_refused(status);
        return;
    }
    for (ordo_u64 i = 0; i < c.count; i++)
        must(c.list[i].source < c.variables && c.list[i].destination < c.variables &&
                 c.list[i].kind < ORDO_CONSTRAINT_KINDS,
             "a constraint that is none");
    ordo_constraints_free(&c);
#endif
}

#endif

int LLVMFuzzerTestOneInput(const ordo_u8 *data, size_t size);
int LLVMFuzzerTestOneInput(const ordo_u8 *data, size_t size)
{
    if (size)
        read_bytes(data, size);
    return 0;
}
