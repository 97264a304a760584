/* The table of a back end that has minimum spanning forests alone, for a GPU's program of them over fibers. */
extern const ordo_instance mst_forest_on_cuda_under_bsp;
static const named_instance instances[] = {{"mst_forest", &mst_forest_on_cuda_under_bsp}};
