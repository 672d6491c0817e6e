// Which thread goes on: the scheduler asks this whenever another one could. pct.c draws the answers, bounded.c
// enumerates them.

#ifndef SCHEDULES_POLICY_H
#define SCHEDULES_POLICY_H

#include <stddef.h>

#include "scheduler.h"

enum occasion {
  STEP,    ///< `self` is about to touch shared memory
  CHANGED, ///< `self` has made or woken another thread, and can go on
  SPIN,    ///< `self` spins: it can go on, and waits for others
  AWAY,    ///< `self` has ended or sleeps; or no thread has run yet, and it is ACTORS
};

/// Threads are numbers below ACTORS; a set of threads has a bit for each.
struct policy {
  /// Resets the policy before each run.
  void (*begin)(const struct plan *plan);
  /// Returns how many additions this thread still makes as if it had met contention.
  uint32_t (*heat)(unsigned actor);
  /// Notes that the core has made this thread.
  void (*enters)(unsigned actor);
  /// Chooses one of `ready`, which is not empty. `self` is in it unless it is AWAY. `matters`: other threads may see
  /// what the STEP does, or it sees what they do.
  unsigned (*next)(enum occasion occasion, unsigned self, unsigned ready, bool matters);
  /// Chooses the first place to try among the threads that sleep on one address, when not all are woken.
  unsigned (*first_woken)(unsigned sleepers);
  uint64_t (*random)(uint64_t bound);
  /// Names the run, and how to repeat it, as options of the program.
  void (*name)(char *text, size_t size);
  void (*replay)(char *text, size_t size);
  /// Returns a remark about a thread for a report.
  const char *(*remark)(unsigned actor);
};

extern const struct policy pct, bounded;

/// Returns the steps of the run so far.
uint64_t scheduler_steps(void);
/// Notes that one client is left, and that the workers have no work.
bool scheduler_is_last_client(void);

#endif
