/* fake_driver.c -- a libcuda.so.1 that says what FAKE_DRIVER (its CUDA version) and FAKE_INIT (what cuInit gives) ask
 * for: the runtime that the back end is linked with believes it. Nothing else works. */
#include <stdlib.h>
#include <string.h>

typedef void entry_point(void); /* of any type */
#define SEEN __attribute__((visibility("default")))

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static int fails(void)
{
    return 999; /* CUDA_ERROR_UNKNOWN */
}

SEEN int cuInit(unsigned flags);
SEEN int cuDriverGetVersion(int *version);
SEEN int cuGetProcAddress_v2(const char *name, entry_point **out, int version, unsigned long long flags, int *found);

int cuInit(unsigned flags)
{
    (void)flags;
    return number("FAKE_INIT", 0);
}

int cuDriverGetVersion(int *version)
{
    *version = number("FAKE_DRIVER", 99000);
    return 0;
}

int cuGetProcAddress_v2(const char *name, entry_point **out, int version, unsigned long long flags, int *found)
{
    (void)version;
    (void)flags;
    if (found)
        *found = 0;
    *out = !strcmp(name, "cuInit")                  ? (entry_point *)cuInit
           : !strcmp(name, "cuDriverGetVersion")    ? (entry_point *)cuDriverGetVersion
           : !strncmp(name, "cuGetProcAddress", 16) ? (entry_point *)cuGetProcAddress_v2
                                                    : (entry_point *)fails;
    return name[0] ? 0 : 1; /* CUDA_ERROR_INVALID_VALUE */
}
