// The machine of the figures, and the cost of its primitives without competing threads.

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
/// The ns that 100 independent simple instructions take now, from loops of some microseconds. On a virtual processor
/// that shares a real one with other machines, they take about twice as long, and so do the reactions of that moment.
/// The time of a compare-and-swap does not show this.
double harness_pace_ns(void);

/// The ns of a cache line's transfer from one processor to another: half the median of some short round trips between
/// two threads. 0 if they did not run at the same time. The host moves a virtual machine's processors closer together
/// and further apart. So this is measured for every sample in which threads share lines.
double harness_transfer_ns(void);

/// Static strings; "unknown" if the system does not provide them.
const char *harness_cpu_model(void);
const char *harness_kernel(void);
size_t harness_cores(void);
/// The bytes of memory that programs can still get without swapping. If the system does not report them, the total.
size_t harness_free_memory(void);
/// The date and time in UTC, as ISO 8601.
const char *harness_date(void);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
