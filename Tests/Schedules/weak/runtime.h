// The entries that clang calls for every access. See runtime.c.

#ifndef SCHEDULES_RUNTIME_H
#define SCHEDULES_RUNTIME_H

#include <stdbool.h>

/// Whether the calling thread takes steps in a run.
bool runtime_counts(void);

#endif
