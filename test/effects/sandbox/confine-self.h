#include <stddef.h>

/* 0: nothing may run. */
int confine_self(const char *profile, size_t size);
