/* new.h -- what `ordo new` writes. @ stands for the name. */
#ifndef ORDO_CLI_RUN_TIME_NEW_H
#define ORDO_CLI_RUN_TIME_NEW_H

extern const char new_operator_text[], new_operator_test_text[];
extern const char new_scheduler_text[], new_tunables_text[], new_code_text[], new_scheduler_test_text[],
    new_readme_text[];

#endif
