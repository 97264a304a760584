/* each_weight.h -- includes ORDO_TEMPLATE, the quoted name of an operator file that is a template over ORDO_WEIGHT,
 * once for each type of weights of 4 bytes, and, where ORDO_WIDE_WEIGHTS is defined, for those of 8. */
#ifndef ORDO_TEMPLATE
#error "each_weight.h expects ORDO_TEMPLATE, the file to include"
#endif
#define ORDO_WEIGHT u32
#include ORDO_TEMPLATE
#undef ORDO_WEIGHT
#define ORDO_WEIGHT i32
#include ORDO_TEMPLATE
#undef ORDO_WEIGHT
#define ORDO_WEIGHT f32
#include ORDO_TEMPLATE
#undef ORDO_WEIGHT
#ifdef ORDO_WIDE_WEIGHTS
#define ORDO_WEIGHT i64
#include ORDO_TEMPLATE
#undef ORDO_WEIGHT
#define ORDO_WEIGHT f64
#include ORDO_TEMPLATE
#undef ORDO_WEIGHT
#undef ORDO_WIDE_WEIGHTS
#endif
#undef ORDO_TEMPLATE
