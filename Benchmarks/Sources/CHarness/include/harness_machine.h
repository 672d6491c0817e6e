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
/// ns for 100 simple instructions that do not wait for each other, now, from loops of some microseconds. A virtual
/// processor that shares a real one with somebody else's takes about twice as long for them, and for the reactions of
/// that moment; what a compare-and-swap takes does not show it.
double harness_pace_ns(void);

/// ns that a cache line takes from one processor to another and back, halved: the median of some short turns of two
/// threads that pass it on; 0 where they did not run at the same time. A virtual machine's processors are moved by its
/// host, now close to each other and now far apart, so this is measured beside every sample in which threads share
/// lines.
double harness_transfer_ns(void);

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
