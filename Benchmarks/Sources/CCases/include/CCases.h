// Layer `c`: cases written against the core's C interface, and a pthread mutex that does the same job.
//
// A case is opened for one matcher, measured any number of times, and closed. Every measurement verifies its result,
// and describes any mistake in the sample.

#ifndef CASES_H
#define CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CHarness.h"

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef struct cases_setting {
  const char *name;  ///< of the case
  const char *by;    ///< a matcher, or the baseline pthread-mutex: a mutex around the body
  harness_crew *crew;  ///< its threads inject
} cases_setting;

typedef struct cases_experiment cases_experiment;

/// Whether layer `c` has this case by this matcher or baseline.
bool cases_exists(const char *name, const char *by);

/// Defines the chemistry. Returns null on failure, and describes it in `failure`.
cases_experiment *_Nullable cases_open(const cases_setting *setting, harness_sample *failure);
/// Runs about `rounds` reactions and verifies them. With `recorders` (one for each thread of the crew) it times every
/// injection.
void cases_measure(cases_experiment *experiment, uint64_t rounds, harness_recorder *_Nullable recorders,
                   harness_sample *sample);
void cases_close(cases_experiment *experiment);

/// The maximum number of names that reactions may connect, for the matcher of this name.
size_t cases_most_names(const char *matcher);

/// The bytes of the heap that the process uses, after all retired memory of the core has been freed.
uint64_t cases_heap_bytes(void);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
