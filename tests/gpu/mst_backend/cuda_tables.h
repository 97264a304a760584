/* The table of a back end that has minimum spanning forests alone, for a GPU's program of them over fibers. */
extern const ordo_instance mst_native_on_cuda;
static const named_instance instances[] = {{"mst", &mst_native_on_cuda}};
