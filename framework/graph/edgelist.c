/* edgelist.c -- edge lists: "u v" or "u v w" lines (.el, .wel, SNAP's .txt).
 *
 * Problem: a format without a header. Vertices count from 0; there are as many as the largest number says, as nothing
 * else tells. Lines of # or % are comments; blanks, tabs and CR are all the same.
 *
 * Method: the first line of numbers tells the columns, text.c does the rest. Weights are u32 if all are integers and
 * none is negative, i32 if some is, f32 if some is not an integer.
 *
 * Not done: CSV; headers such as "n m"; 1-based numbering (vertex 0 is then one without edges); vertices
 * after the last one that has an edge.
 */
#include "graph.h"

ordo_status ordo_read_edgelist(ordo_input *in, const ordo_read_options *options, double start, ordo_graph **out)
{
    ordo_cursor c = {in, in->bytes, 1}, from = c;
    ordo_words w;
    do {
        from = c;
        if (!ordo_next_line(&c, &w))
            return ordo_text_fail(in, c.line, NULL, "at least one edge (the format has no other number of vertices)");
    } while (w.count == 0 || *w.word[0].begin == '#' || *w.word[0].begin == '%');

    ordo_text_shape shape = {.comments = "#%",
                             .columns = w.count == 3 ? 3 : 2, /* 1 and 4 are refused as lines that are not 2 */
                             .number = ORDO_EITHER,
                             .drop = options->weights == ORDO_WEIGHTS_DROP};
    ordo_text_edges edges;
    ordo_status status = ordo_text_read(&from, &shape, options->threads, &edges);
    if (status)
        return status;
    ordo_u64 n = edges.max_id + 1;
    status = ordo_input_plausible(in, edges.max_line, n);
    if (status) {
        ordo_free(edges.list);
        return status;
    }
    ordo_origin origin = {in->name, shape.columns == 3 ? "weighted edge list" : "edge list", 0, ordo_seconds() - start,
                          options->threads};
    ordo_input_close(in);
    return ordo_graph_build(n, edges.list, edges.count, edges.weight_type, options->direction, &origin, out);
}
