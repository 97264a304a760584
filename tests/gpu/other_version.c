/* other_version.c -- a libordo-cuda.so of some other version: the ABI number is the first word of its table. */
extern const unsigned ordo_cuda_backend[16];
__attribute__((visibility("default"))) const unsigned ordo_cuda_backend[16] = {4711};
