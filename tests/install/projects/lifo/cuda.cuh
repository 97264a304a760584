/* lifo/cuda.cuh -- the same stack on a GPU: the smallest scheduler there that is still right.
 *
 * One block has the stack, in the device's memory. In a step it takes the uppermost 256 items, one for each thread,
 * processes their edges, which are distributed over all threads, and pushes improved targets.
 *
 * Invariant: an item's flag is set while it is on the stack, so that n places are enough. An item whose cell has
 * improved since its edges were last processed is on the stack: a thread that improves a cell pushes the item unless
 * its flag is set, flags are cleared when items are taken, and a barrier of the block separates that from reading the
 * cells that candidates are computed from. So an improvement is either read there or finds the flag cleared.
 *
 * Not done: more than one block.
 *
 * A template; expects ORDO_OP and <ordo/scheduler/cuda.cuh> instantiated for it.
 */

/* What profilers show carries the operator's name. */
#define lifo_kernel ORDO_OP_NAME(lifo_kernel)

#if ORDO_OP_KIND == ORDO_KIND_RELAX

typedef struct lifo_args {
    ordo_cuda_rows rows;
    op_cell *cells;
    op_state state;
    ordo_u32 *stack, *flag; /* [num_items] */
    ordo_cuda_run run;
} lifo_args;

ORDO_DEV void lifo_push(const lifo_args *a, ordo_u32 *count, ordo_item item)
{
    if (!ordo_dev_exchange(&a->flag[item], 1u))
        a->stack[atomicAdd(count, 1u)] = item;
}

static __global__ void __launch_bounds__((ORDO_CUDA_THREADS)) lifo_kernel(const lifo_args a)
{
    __shared__ op_dev_tile tile;
    __shared__ ordo_u32 count, stop;
    ordo_cuda_counters mine = {};
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (ordo_u64 i = threadIdx.x; i < a.run.initial_count; i += ORDO_CUDA_THREADS)
        lifo_push(&a, &count, ordo_dev_initial(&a.run, i));
    for (ordo_u64 step = 1;; step++) {
        __syncthreads();
        const ordo_u32 held = count, rest = held < ORDO_CUDA_THREADS ? 0 : held - ORDO_CUDA_THREADS;
        const bool has = threadIdx.x < held - rest;
        const ordo_item item = has ? a.stack[rest + threadIdx.x] : 0;
        if (has)
            ordo_dev_store(&a.flag[item], 0u);
        if (threadIdx.x == 0) {
            stop = a.run.mailbox->stop;
            ordo_dev_sample(a.run.record, held, step, 0, 1, -1);
            a.run.record->supersteps = a.run.mailbox->supersteps = step;
            a.run.mailbox->in_flight = held;
        }
        __syncthreads();
        if (threadIdx.x == 0)
            count = rest;
        if (held == 0 || stop)
            break;
        __syncthreads();
        const bool there = has && op_filter(&a.state, item);
        const ordo_u64 begin = there ? a.rows.row[item] : 0;
        const ordo_u32 degree = there ? (ordo_u32)(a.rows.row[item + 1] - begin) : 0;
        mine.items += there;
        op_dev_expand(&tile, item, there ? ordo_dev_load(&a.cells[item]) : op_worst(), begin, degree, 1,
                      [&](ordo_vid tail, op_cell value, ordo_u64 e) {
                          const op_edge edge = op_dev_edge(&a.rows, e, tail, false);
                          const ordo_u32 target = op_target(&a.state, edge);
                          mine.edges++;
                          if (op_dev_offer(a.cells, target, op_candidate(&a.state, value, edge), false, false)) {
                              mine.useful++;
                              if (op_activates)
                                  lifo_push(&a, &count, target);
                          }
                      });
    }
    ordo_dev_publish(a.run.counters, mine);
}

static ordo_status lifo_run_job(ordo_job *job)
{
    ordo_cuda c;
    lifo_args a = {};
    ordo_status status = ordo_cuda_begin(job, sizeof(op_cell), false, &c);
    if (!status && (!(a.stack = (ordo_u32 *)ordo_cuda_alloc(&c, job->num_items, sizeof(ordo_u32), false)) ||
                    !(a.flag = (ordo_u32 *)ordo_cuda_alloc(&c, job->num_items, sizeof(ordo_u32), true))))
        status = ORDO_ERR_MEMORY;
    if (!status)
        status = op_cuda_arguments(&c, &a);
    if (!status) {
        void *args[] = {&a};
        const void *kernel = ordo_cuda_kernel((const void *)lifo_kernel);
        const ordo_cuda_step step = {kernel, ORDO_CUDA_THREADS, 1, false, args};
        status = ordo_cuda_launch_all(&c, &step, 1);
    }
    return ordo_cuda_end(&c, status);
}

ORDO_CUDA_INSTANCE(lifo, lifo_run_job, 1u << ORDO_SYNC_ATOMIC)

#else
ORDO_CUDA_INSTANCE(lifo, NULL, 0)
#endif
