// The entries that clang calls for every access: see runtime.c.

#ifndef SCHEDULES_RUNTIME_H
#define SCHEDULES_RUNTIME_H

#include <stdbool.h>

/// The calling thread takes steps in a run.
bool runtime_counts(void);

#endif
