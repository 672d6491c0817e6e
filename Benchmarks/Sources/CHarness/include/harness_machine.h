// The machine that the figures come from, and what its primitives cost when nobody competes.

#ifndef HARNESS_MACHINE_H
#define HARNESS_MACHINE_H

#include <stddef.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// ns for one compare-and-swap, one pthread mutex lock and unlock, one reading of the clock: medians of short loops.
double harness_cas_ns(void);
double harness_mutex_ns(void);
double harness_clock_ns(void);

/// Static strings; "unknown" where the system does not say.
const char *harness_cpu_model(void);
const char *harness_kernel(void);
size_t harness_cores(void);
/// Bytes of memory that programs can still have without swapping; all there could be, where the system does not say.
size_t harness_free_memory(void);
/// The date and time in UTC, as ISO 8601.
const char *harness_date(void);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
