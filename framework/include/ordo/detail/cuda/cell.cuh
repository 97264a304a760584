/* cell.cuh -- cells that are structs, on a GPU: loads, stores and compare-and-swap by one thread, each of the whole
 * cell.
 *
 * A template, included by <ordo/detail/cuda/relax.cuh>. The counterpart of <ordo/detail/cpu/cell.h>. Numbers take the
 * functions of atomics.cuh; for a struct these names are overloaded here, so that schedulers have one text for both. A
 * struct of 4 or 8 bytes takes the accesses of a word of its size. One of 16 bytes takes ld, st and atom.cas of b128,
 * which are one access each by the memory model of PTX: so a load never mixes two values. atom.cas.b128 is of compute
 * capability 9.0, PTX ISA 8.3. Code for less has no such cells, and op_cuda_cells() refuses the run ahead of a launch.
 *
 * Memory order. Relaxed, of device scope, as for numbers; what changes cells in runs over several GPUs is of system
 * scope. A cell that selects only gets better, since every change is a compare-and-swap from a value that is worse, or
 * a store under the cell's lock or by its only writer; coherence of that one location is all that the argument of
 * cuda.cuh needs, and it holds for an access of 16 bytes as for one of 4, as long as all accesses to the cell have its
 * size. They do: no code reads a member of a cell in place.
 */
#if ORDO_OP_STRUCT

#if ORDO_OP_CELL_BYTES == 16

/* The two halves of a cell, in registers. */
typedef struct op_dev_halves {
    unsigned long long low, high;
} op_dev_halves;

ORDO_DEV op_dev_halves op_dev_halves_of(op_cell value)
{
    op_dev_halves h;
    memcpy(&h, &value, sizeof h);
    return h;
}

ORDO_DEV op_cell ordo_dev_load(op_cell *cell)
{
    const ulonglong2 word = ordo_dev_load_wide((const ulonglong2 *)cell);
    op_cell value;
    memcpy(&value, &word, sizeof value);
    return value;
}

ORDO_DEV void ordo_dev_store(op_cell *cell, op_cell value)
{
    ulonglong2 word;
    memcpy(&word, &value, sizeof word);
    ordo_dev_store_wide((ulonglong2 *)cell, word);
}

ORDO_DEV bool ordo_dev_swap(op_cell *cell, op_cell *expected, op_cell value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const op_dev_halves from = op_dev_halves_of(*expected), to = op_dev_halves_of(value);
    op_dev_halves was;
    asm volatile("{ .reg .b128 f, t, w; mov.b128 f, {%3, %4}; mov.b128 t, {%5, %6};"
                 " atom.relaxed.gpu.global.cas.b128 w, [%2], f, t; mov.b128 {%0, %1}, w; }"
                 : "=l"(was.low), "=l"(was.high)
                 : "l"(__cvta_generic_to_global(cell)), "l"(from.low), "l"(from.high), "l"(to.low), "l"(to.high)
                 : "memory");
    memcpy(expected, &was, sizeof was);
    return was.low == from.low && was.high == from.high;
#else
    (void)cell;
    (void)expected;
    (void)value;
    __trap(); /* never reached: op_cuda_cells */
    return true;
#endif
}

#else

using op_dev_bits = ordo_dev_either<ORDO_OP_CELL_BYTES == 8, unsigned long long, unsigned>::type;

ORDO_DEV op_cell ordo_dev_load(op_cell *cell)
{
    const op_dev_bits bits = ordo_dev_load((op_dev_bits *)cell);
    op_cell value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

ORDO_DEV void ordo_dev_store(op_cell *cell, op_cell value)
{
    op_dev_bits bits;
    memcpy(&bits, &value, sizeof bits);
    ordo_dev_store((op_dev_bits *)cell, bits);
}

ORDO_DEV bool ordo_dev_swap(op_cell *cell, op_cell *expected, op_cell value)
{
    op_dev_bits from, to;
    memcpy(&from, expected, sizeof from);
    memcpy(&to, &value, sizeof to);
    const op_dev_bits was = atomicCAS((op_dev_bits *)cell, from, to);
    memcpy(expected, &was, sizeof was);
    return was == from;
}

#endif

/* The same at system scope; of cells of 16 bytes at that of the device, as they do not run over several GPUs. */
ORDO_DEV op_cell ordo_dev_load_system(op_cell *cell)
{
    return ordo_dev_load(cell); /* a load mixes no two values at either scope */
}
ORDO_DEV bool ordo_dev_swap_system(op_cell *cell, op_cell *expected, op_cell value)
{
#if ORDO_OP_CELL_BYTES == 16
    return ordo_dev_swap(cell, expected, value);
#else
    op_dev_bits from, to;
    memcpy(&from, expected, sizeof from);
    memcpy(&to, &value, sizeof to);
    const bool done = ordo_dev_swap_system((op_dev_bits *)cell, &from, to);
    memcpy(expected, &from, sizeof from);
    return done;
#endif
}

/* By a whole warp: the value of lane `lane`. */
ORDO_DEV op_cell op_dev_shuffle(op_cell value, int lane)
{
    ordo_u32 word[ORDO_OP_CELL_BYTES / 4];
    memcpy(word, &value, sizeof word);
#pragma unroll
    for (int i = 0; i < ORDO_OP_CELL_BYTES / 4; i++)
        word[i] = __shfl_sync(~0u, word[i], lane);
    memcpy(&value, word, sizeof value);
    return value;
}

#else

/* By a whole warp: the value of lane `lane`. */
ORDO_DEV op_cell op_dev_shuffle(op_cell value, int lane)
{
    return __shfl_sync(~0u, value, lane);
}

#endif

#if ORDO_OP_CELL_BYTES == 16
/* Its attributes are those of all kernels of this object. */
static __global__ void op_cuda_cells_kernel(void)
{
}
#endif

/* On the host: an error where the code that the device runs has no compare-and-swap of a cell. */
static inline ordo_status op_cuda_cells(void)
{
#if ORDO_OP_CELL_BYTES == 16
    cudaFuncAttributes attributes;
    const ordo_status status = ordo_cuda_failed(cudaFuncGetAttributes(&attributes, (const void *)op_cuda_cells_kernel),
                                                "looking up the kernel");
    if (status || attributes.ptxVersion >= 90)
        return status;
    return ordo_fail(ORDO_ERR_DEVICE,
                     "device 'cuda': cells of 16 bytes need a device and code of compute capability 9.0 or more "
                     "(atom.cas.b128), found code of %d.%d",
                     attributes.ptxVersion / 10, attributes.ptxVersion % 10);
#else
    return ORDO_OK;
#endif
}
