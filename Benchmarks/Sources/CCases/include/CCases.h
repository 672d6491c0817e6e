// Layer `c`: the cases written against the core's C interface, and the baselines in C that do the same job without it.
//
// A case is opened for one strategy, measured as often as wanted, and closed. Every measurement verifies its result and
// says in the sample what was wrong.

#ifndef CASES_H
#define CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CHarness.h"

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum : uint32_t {
  CASES_WORD = 0,
  CASES_LOCKED = 1,
  CASES_PTHREAD_MUTEX = 2,  ///< a bare pthread mutex around the body
  CASES_SEQUENTIAL = 3,     ///< one thread, no chemistry
  CASES_PTHREAD_CONDITION = 4,  ///< a pthread mutex and a condition variable
  CASES_SPIN_THEN_FUTEX = 5,    ///< a word, on which a thread spins for a while, and then sleeps
} cases_strategy;

typedef struct cases_setting {
  const char *name;  ///< of the case
  cases_strategy strategy;
  harness_crew *crew;                       ///< whose threads inject, in inline cases
  const harness_corpus *_Nullable corpus;   ///< of wordcount
  const harness_words *_Nullable expected;  ///< what a sequential count of the corpus found
} cases_setting;

typedef struct cases_experiment cases_experiment;

/// True if layer `c` has this case for this strategy.
bool cases_exists(const char *name, cases_strategy strategy);

/// Defines the chemistry. Null: that failed, and `failure` says why.
cases_experiment *_Nullable cases_open(const cases_setting *setting, harness_sample *failure);
/// Runs about `rounds` reactions and verifies them. `recorders` (one for each thread of the crew): times every
/// injection of an inline case; on the pool they are left alone.
void cases_measure(cases_experiment *experiment, uint64_t rounds, harness_recorder *_Nullable recorders,
                   harness_sample *sample);
void cases_close(cases_experiment *experiment);

/// Bytes of the heap that are in use, by everybody, once what the core had retired is freed.
uint64_t cases_heap_bytes(void);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
