/* quota.h -- the share of a machine's processors that a control group gives the process.
 *
 * A container with a limit, say 4 of 64 processors, sees all 64, and may use all at once; but when it has used its time
 * of a period, 100 ms as a rule, the kernel stops all of its threads until the next. A team with a thread for each of
 * the 64 then waits at its barriers for most of the time.
 *
 * Not done: limits of control groups other than the one that the folder shows.
 */
#ifndef ORDO_QUOTA_H
#define ORDO_QUOTA_H

#include <limits.h>
#include <stdio.h>

/* The first one or two numbers of a file, as "200000 100000"; how many there are. */
static inline int ordo_quota_numbers(const char *folder, const char *name, long long *first, long long *second)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "re");
    const int found = f ? fscanf(f, "%lld %lld", first, second) : 0;
    if (f)
        fclose(f);
    return found < 0 ? 0 : found;
}

/* How many processors the time suffices for, rounded up; INT_MAX: no limit. `folder`: where control groups are mounted,
 * /sys/fs/cgroup. Version 2 has the time of a period and the period in one file, "max" for no limit; version 1 has them
 * in two, -1 for no limit. */
static inline int ordo_quota_cores(const char *folder)
{
    long long time = -1, period = 0, none;
    if (ordo_quota_numbers(folder, "cpu.max", &time, &period) != 2 &&
        (ordo_quota_numbers(folder, "cpu/cpu.cfs_quota_us", &time, &none) != 1 ||
         ordo_quota_numbers(folder, "cpu/cpu.cfs_period_us", &period, &none) != 1))
        return INT_MAX;
    if (time <= 0 || period <= 0 || time / period >= INT_MAX)
        return INT_MAX;
    return (int)(time / period + (time % period != 0));
}

#endif
