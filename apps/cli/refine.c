/* refine.c -- the verb refine: reads or makes a mesh, refines it, checks it, and writes it.
 */
#include "apps/cli/cli.h"

#include <string.h>

#include <ordo/mesh.h>

typedef unsigned long long ull;

static ordo_status check_words(const options *o)
{
    if (o->word_count > 1)
        return ordo_fail(ORDO_ERR_USAGE, "found '%s', expected one file after 'refine'", o->words[1]);
    if (o->word_count == 0 && !o->points)
        return ordo_fail(ORDO_ERR_USAGE, "refine needs a file, or --points N");
    if (o->word_count && o->points)
        return ordo_fail(ORDO_ERR_USAGE, "%s and --points given, expected one of them", o->words[0]);
    return ORDO_OK;
}

static ordo_refine_options asked(const options *o)
{
    ordo_refine_options out = {
        .max_area = o->max_area, .max_triangles = o->max_triangles, .threads = o->threads, .device = o->device};
    if (options_given(o, "min-angle"))
        out.min_angle = o->min_angle > 0 ? o->min_angle : -1;
    return out;
}

static void print_mesh(const options *o, const ordo_mesh *in, const ordo_mesh *out, const ordo_refine_stats *s)
{
    printf("Input:               %s, %llu points, %llu segments, %llu triangles\n",
           o->word_count ? o->words[0] : "random points", (ull)in->points, (ull)in->segments, (ull)in->triangles);
    printf("Triangulation:       %llu triangles, %llu to be refined\n", (ull)s->triangles, (ull)s->bad);
    printf("Mesh:                %llu points, %llu segments, %llu triangles\n", (ull)out->points, (ull)out->segments,
           (ull)out->triangles);
    printf("Smallest angle:      %.4f degrees", s->least_angle);
    if (s->kept)
        printf(", %llu triangles at small angles of the input are below the bound", (ull)s->kept);
    putchar('\n');
    if (s->stuck)
        printf("Stuck:               %llu triangles that no 64-bit point can refine\n", (ull)s->stuck);
    printf("Supersteps:          %llu, %llu cavities found, %llu points added\n", (ull)s->supersteps, (ull)s->tried,
           (ull)s->won);
    if (o->device)
        printf("Device:              %s\n", s->device);
    if (s->fallback[0])
        printf("Not on a GPU:        %s\n", s->fallback);
    print_time("Triangulate Time", s->prepare_seconds);
    print_time("Refine Time", s->run_seconds);
}

/* Refines, checks and writes. */
static ordo_status refine(const options *o, const ordo_mesh *in, ordo_mesh **out, ordo_refine_stats *stats)
{
    const ordo_refine_options wanted = asked(o);
    double verified = 0;
    ordo_status status = ordo_mesh_refine(in, &wanted, out, stats);
    if (!status && o->verify) {
        const double start = now();
        show_phase(o, "verifying", "refine");
        status = ordo_mesh_verify(in, &wanted, *out);
        verified = now() - start;
    }
    clear_progress();
    if (!status && !o->quiet) {
        print_mesh(o, in, *out, stats);
        if (o->verify) {
            print_label("Verification", "PASS");
            print_time("Verification Time", verified);
        }
    }
    if (!status && o->output)
        status = ordo_mesh_write(*out, o->output);
    if (!status && o->svg)
        status = ordo_mesh_draw(*out, o->svg);
    return status;
}

ordo_status verb_refine(const options *o)
{
    ordo_mesh *in = NULL, *out = NULL;
    ordo_refine_stats stats;
    ordo_status status = check_words(o);
    if (status)
        return status;
    process_cancellable(true);
    status = o->points ? ordo_mesh_random(o->points, o->seed, &in) : ordo_mesh_read(o->words[0], &in);
    if (!status)
        status = refine(o, in, &out, &stats);
    process_cancellable(false);
    ordo_mesh_free(in);
    ordo_mesh_free(out);
    return status;
}
