/* copy.cu -- copies to the device and back, of sizes around every threshold, as they lie and laid out anew; first values
 * of cells of every size, which are set there. Built for a GPU, and with fake_runtime.cc for machines without one, where
 * copies come as late as they may. */
#include "framework/cuda/copy.h"
#include "framework/cuda/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill_doubled(const void *from, void *to, ordo_u64 begin, ordo_u64 count)
{
    for (ordo_u64 i = 0; i < count; i++) {
        ((ordo_u32 *)to)[2 * i] = ((const ordo_u32 *)from)[begin + i];
        ((ordo_u32 *)to)[2 * i + 1] = ~((const ordo_u32 *)from)[begin + i];
    }
}

/* Words that came back otherwise than they should. */
static ordo_u64 wrong(const ordo_u32 *from, const ordo_u32 *back, ordo_u64 words, bool doubled)
{
    ordo_u64 bad = 0;
    for (ordo_u64 i = 0; i < words; i++)
        bad += back[i] != (doubled ? (i & 1 ? ~from[i / 2] : from[i / 2]) : from[i]);
    return bad;
}

static bool copies(ordo_u64 words, bool doubled, int threads)
{
    const ordo_u64 out = doubled ? 2 * words : words;
    ordo_u32 *from = (ordo_u32 *)malloc(words * sizeof *from + 1), *back = (ordo_u32 *)calloc(out + 1, sizeof *back);
    void *device = NULL;
    bool right = from && back && cudaMalloc(&device, out * sizeof *back + 1) == cudaSuccess;
    for (ordo_u64 i = 0; right && i < words; i++)
        from[i] = (ordo_u32)(i * 2654435761u) ^ (ordo_u32)words;
    right =
        right && !ordo_copy_in(device, from, words, doubled ? 8 : 4, doubled ? fill_doubled : NULL, threads, "there");
    right = right && !ordo_copy_out(back, device, out * sizeof *back, threads, "back");
    ordo_u64 bad = right ? wrong(from, back, out, doubled) : 1;
    if (bad)
        printf("FAILED: %llu words%s, %d threads: %llu wrong; %s\n", (unsigned long long)words,
               doubled ? " doubled" : "", threads, (unsigned long long)bad, ordo_last_error());
    cudaFree(device);
    free(from);
    free(back);
    return bad == 0;
}

/* All cells are the worst value but some, the first and the last among them; nothing beyond the last is written. */
static bool sets(ordo_u64 count, ordo_u32 words)
{
    const ordo_u32 worst[4] = {0xffffffff, 0x7ff00000, 5, 0}, beyond = 0xabababab;
    const ordo_u64 every = count < 9 ? 1 : 7, chosen = (count - 1) / every + 1;
    ordo_u32 *const back = (ordo_u32 *)malloc((count + 1) * words * 4);
    ordo_item *const item = (ordo_item *)malloc(chosen * sizeof *item);
    ordo_u32 *const value = (ordo_u32 *)malloc(chosen * words * 4);
    for (ordo_u64 i = 0; i < chosen; i++) { /* backwards, so that the last one is among them */
        item[i] = (ordo_item)(count - 1 - i * every);
        for (ordo_u32 w = 0; w < words; w++)
            value[i * words + w] = 1000 * item[i] + w;
    }
    void *cells = NULL, *items = NULL, *values = NULL;
    bool right = cudaMalloc(&cells, (count + 1) * words * 4) == cudaSuccess &&
                 cudaMalloc(&items, chosen * 4) == cudaSuccess &&
                 cudaMalloc(&values, chosen * words * 4) == cudaSuccess &&
                 cudaMemset(cells, 0xab, (count + 1) * words * 4) == cudaSuccess &&
                 cudaMemcpy(items, item, chosen * 4, cudaMemcpyHostToDevice) == cudaSuccess &&
                 cudaMemcpy(values, value, chosen * words * 4, cudaMemcpyHostToDevice) == cudaSuccess;
    if (right)
        ordo_fill_cells(cells, count, 4 * words, worst, (const ordo_item *)items, values, chosen);
    right = right && cudaMemcpy(back, cells, (count + 1) * words * 4, cudaMemcpyDeviceToHost) == cudaSuccess;
    ordo_u64 bad = !right;
    for (ordo_u64 i = 0; right && i <= count; i++)
        for (ordo_u32 w = 0; w < words; w++) {
            const bool mine = i < count && (count - 1 - i) % every == 0;
            bad += back[i * words + w] != (i == count ? beyond : mine ? 1000 * (ordo_u32)i + w : worst[w]);
        }
    if (bad)
        printf("FAILED: %llu cells of %u bytes: %llu words wrong\n", (unsigned long long)count, 4 * words,
               (unsigned long long)bad);
    cudaFree(cells);
    cudaFree(items);
    cudaFree(values);
    free(back);
    free(item);
    free(value);
    return bad == 0;
}

int main(void)
{
    static const ordo_u64 sizes[] = {0,       1,       16383,   16384,         16385,
                                     65536,   100003,  1 << 20, (1 << 20) + 1, (1 << 21) - 1,
                                     1 << 21, 5000001, 1 << 23, 9999999,       (1 << 24) + 12345};
    int count = 0, devices = 0, failed = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        return 77;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int how = 0; how < 4; how++, count++)
            failed += !copies(sizes[i], how & 1, how & 2 ? 4 : 1);
    for (ordo_u32 words = 1; words <= 4; words *= 2)
        for (ordo_u64 cells = 1; cells < 3000000; cells = cells < 20 ? cells + 1 : cells * 7 + 3, count++)
            failed += !sets(cells, words);
    printf("%d copies and arrays of cells, %d failed\n", count, failed);
    return failed > 0;
}
