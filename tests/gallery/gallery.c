/* gallery.c -- the matrix of the gallery's operators (tests/contract/contract.h): those that the build lists. */
#include "tests/contract/contract.h"

#include <stddef.h>

#include <ordo/scheduler/scheduler.h>

#include "gallery_operators.h" /* X(NAME) for each; generated */

#define GALLERY_DECLARE(_op)                                                                                           \
    contract_reference gallery_##_op;                                                                                  \
    extern const ordo_operator _op##_operator;
GALLERY_OPERATORS(GALLERY_DECLARE)

#define GALLERY_ROW(_op) {#_op, gallery_##_op, 60, &_op##_operator},
const contract_row contract_rows[] = {GALLERY_OPERATORS(GALLERY_ROW){NULL, NULL, 0, NULL}};
