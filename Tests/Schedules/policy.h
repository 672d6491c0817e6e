// Which thread goes on: the scheduler asks this whenever it may be another one. pct.c draws the answers, bounded.c
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

/// Threads are numbers below ACTORS, sets of them are bits.
struct policy {
  /// Before each run.
  void (*begin)(const struct plan *plan);
  /// How many additions of a thread come as if it had met contention.
  uint32_t (*heat)(unsigned actor);
  /// The core has made this thread.
  void (*enters)(unsigned actor);
  /// One of `ready`, which is not empty, and of which `self` is one unless it is AWAY. `matters`: the STEP may be seen
  /// by others, or sees what they do.
  unsigned (*next)(enum occasion occasion, unsigned self, unsigned ready, bool matters);
  /// Where to begin to look among the threads that sleep on one address, when not all are woken.
  unsigned (*first_woken)(unsigned sleepers);
  uint64_t (*random)(uint64_t bound);
  /// Names the run, and how to see it again: as options of the program.
  void (*name)(char *text, size_t size);
  void (*replay)(char *text, size_t size);
  /// Returns a remark about a thread for a report.
  const char *(*remark)(unsigned actor);
};

extern const struct policy pct, bounded;

/// Returns the steps of the run so far.
uint64_t scheduler_steps(void);
/// One client is left, and the workers have nothing in hand.
bool scheduler_is_last_client(void);

#endif
