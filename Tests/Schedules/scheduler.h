// A deterministic scheduler under the real core: it runs threads of the operating system one at a time.
//
// The core calls `crucible__schedule` before every atomic access (atomics.h). There a policy decides which thread goes
// on (policy.h), from a seed alone, or from a list of decisions. The list names an interleaving, and replays it.

#ifndef SCHEDULES_SCHEDULER_H
#define SCHEDULES_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

/// Clients do what a case tells them. Workers are the threads that the core makes for its pool.
#ifdef CRUCIBLE_SCHEDULER
enum { WORKERS = 3 };
#else
enum { WORKERS = 64 };
#endif
enum { CLIENTS = 4, ACTORS = CLIENTS + WORKERS };

struct policy;

struct plan {
  const struct policy *policy;
  uint64_t seed;            ///< for pct, like all fields down to `expected_steps`
  unsigned changes;         ///< changes of priority: the depth of the bugs looked for, less one
  uint64_t expected_steps;  ///< the number of steps among which changes are drawn
  uint64_t step_limit;      ///< a run with more steps has hung
  unsigned clients;
  void (*client)(void *context, unsigned index);
  /// Called when the clients have ended and only workers are left. Returns true if the run may end.
  bool (*quiet)(void *context);
  void *context;
  /// For pct. No client waits for another, so some runs stop one in mid-operation until all others have ended.
  bool may_stop;
  /// Learns which objects are shared (objects.c); notes are steps.
  bool learns;
  bool trace;
};

struct outcome {
  uint64_t steps;
  uint64_t hash;  ///< a hash of the sequence of (thread, operation)
};

/// Makes the threads, once in a process.
void scheduler_start(void);
struct outcome scheduler_run(const struct plan *plan);

/// Returns a point in time, a later one at each call.
uint64_t scheduler_tick(void);
/// Whether one point in time comes before another, as far as threads can know (weak/).
bool comes_before(uint64_t a, uint64_t b);
/// Takes a step of the test's own.
void scheduler_step(const char *operation);
/// Notes that the next act matters to others although it is not an access. In runs that learn what is shared it is a
/// step.
void scheduler_note(const char *what);
/// Returns the number of the calling thread, clients first, or ACTORS when the thread is not scheduled.
unsigned scheduler_self(void);
/// Whether the calling thread takes no steps.
bool scheduler_is_aside(void);
/// Returns a number below `bound`, random if the policy is.
uint64_t scheduler_random(uint64_t bound);
/// Whether the condition is true. On real threads (Tests/Storms) it may become true a moment later.
bool scheduler_comes_true(bool (*condition)(void *context), void *context);
/// Runs `function` without steps.
bool scheduler_aside(bool (*function)(void *context), void *context);

/// Sets the case that messages name.
extern const char *scheduler_case;
/// Reports a defect with the seed and what every thread did last, and ends the process with status 1.
_Noreturn void scheduler_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Threads that the core wants to make (workers.c).
bool scheduler_spawn(void *(*function)(void *), void *argument);

// Sleeping and waking (futex.c).
/// Sleeps until the thread is woken.
void scheduler_sleep(const volatile void *address);
/// Sleeps until the thread is woken, or until time has passed (true), which may happen at any moment.
bool scheduler_doze(const volatile void *address);
void scheduler_wake(const volatile void *address, int count);

#endif
