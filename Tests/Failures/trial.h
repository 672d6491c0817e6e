// Trials: each runs in a process of its own, and must end well, or by an abort with a message.

#ifndef TRIAL_H
#define TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "CCrucible.h"

enum verdict { WELL, ABORTED, WRONG };

struct outcome {
  enum verdict verdict;
  uint64_t failures;  ///< how often something failed
  uint64_t refusals;  ///< how often an operation was refused
  char message[400];  ///< of an abort, or of a finding
};

/// Runs `function` in a child, which ends when it returns. The child must end within a minute.
struct outcome trial_run(void (*function)(const void *), const void *argument);

/// A scenario, which runs with a matcher.
typedef void (*scenario)(crucible_matcher matcher);
struct named_scenario {
  const char *name;
  scenario run;
};
extern const struct named_scenario scenarios[];
extern const unsigned scenario_count;

/// Several threads that do everything at once, for a number of rounds each.
struct storm {
  crucible_matcher matcher;
  unsigned threads;
  unsigned rounds;
  uint64_t seed;
};
void storm_run(const void *storm);

/// Tests counters at their limits. Returns how many tests failed.
unsigned limits_run(void);

#endif
