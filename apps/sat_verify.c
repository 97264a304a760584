/* sat_verify.c -- checks an assignment by substitution: every clause needs a literal that is true. Shares nothing with
 * the search but the formula. */
#include <ordo/sat.h>

ordo_status ordo_sat_verify(const ordo_formula *f, const ordo_u8 *value)
{
    for (ordo_u32 c = 0; c < f->clauses; c++) {
        int satisfied = 0;
        for (ordo_u32 o = f->row[c]; o < f->row[c + 1] && !satisfied; o++) {
            const ordo_u32 literal = f->literal[o];
            if (literal % 2 == 0)
                satisfied = value[literal / 2] == 1;
            else
                satisfied = value[literal / 2] == 0;
        }
        if (!satisfied)
            return ordo_fail(ORDO_ERR_VERIFY, "clause %u of %u is not satisfied", c + 1, f->clauses);
    }
    return ORDO_OK;
}
