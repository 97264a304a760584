/* swaps.cuh -- one thread: exchange and compare-and-swap of a word, which pass any number as its bits.
 *
 * Included by atomics.cuh, behind ORDO_DEV. Tests include it over atomicExch and atomicCAS that are functions of the
 * host (tests/gpu/fibers.h).
 */
#ifndef ORDO_DETAIL_CUDA_SWAPS_CUH
#define ORDO_DETAIL_CUDA_SWAPS_CUH

/* One of two types. CUDA's header for such things is large. */
template <bool First, typename A, typename B> struct ordo_dev_either {
    using type = A;
};
template <typename A, typename B> struct ordo_dev_either<false, A, B> {
    using type = B;
};

template <typename T> struct ordo_dev_word { /* the types that CUDA's functions take */
    static constexpr bool is_signed = (T)-1 < (T)0;
    using bits = typename ordo_dev_either<sizeof(T) == 8, unsigned long long, unsigned>::type;
    using number = typename ordo_dev_either<sizeof(T) == 8, typename ordo_dev_either<is_signed, long long, bits>::type,
                                            typename ordo_dev_either<is_signed, int, bits>::type>::type;
};

/* Exchange, and compare-and-swap, which sets *expected to what there was, at the scope of a suffix of CUDA's functions.
 * Values pass as bits: a conversion would change those of a real. */
#define ORDO_DEV_SWAPS(_scope)                                                                                         \
    template <typename T> ORDO_DEV T ordo_dev_exchange##_scope(T *p, T value)                                          \
    {                                                                                                                  \
        using bits = typename ordo_dev_word<T>::bits;                                                                  \
        bits word;                                                                                                     \
        memcpy(&word, &value, sizeof word);                                                                            \
        word = atomicExch##_scope((bits *)p, word);                                                                    \
        memcpy(&value, &word, sizeof value);                                                                           \
        return value;                                                                                                  \
    }                                                                                                                  \
    template <typename T> ORDO_DEV bool ordo_dev_swap##_scope(T *p, T *expected, T value)                              \
    {                                                                                                                  \
        using bits = typename ordo_dev_word<T>::bits;                                                                  \
        bits was, from, to;                                                                                            \
        memcpy(&from, expected, sizeof from);                                                                          \
        memcpy(&to, &value, sizeof to);                                                                                \
        was = atomicCAS##_scope((bits *)p, from, to);                                                                  \
        memcpy(expected, &was, sizeof was);                                                                            \
        return was == from;                                                                                            \
    }
ORDO_DEV_SWAPS()
ORDO_DEV_SWAPS(_block)
ORDO_DEV_SWAPS(_system)
#undef ORDO_DEV_SWAPS

#endif
