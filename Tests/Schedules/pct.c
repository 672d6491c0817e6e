// Random priorities, after Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic
// guarantees of finding bugs" (ASPLOS 2010). Every thread has a random priority, and the highest that can run runs. At
// d - 1 random steps the running thread drops below all others. A bug that needs d ordering constraints among k steps
// of n threads shows in at least one of n × k^(d-1) runs. A thread that spins also drops below all others, so that the
// thread that it waits for can run.
//
// Besides, in a third of the runs, one of the changes stops its thread. If no thread may wait for another, it stays
// stopped until all others have ended. Otherwise it stays stopped until the others have spun for a while, and so reach
// the place where they go to sleep.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy.h"

enum { MOST_CHANGES = 16, PATIENCE = 1000, NOBODY = ACTORS };

static struct {
  uint64_t seed, random;
  uint32_t heat[ACTORS];
  int64_t priorities[ACTORS];
  int64_t lowest;
  uint64_t changes[MOST_CHANGES];
  unsigned change_count, next_change;
  unsigned stop_at;         ///< the change that stops a client; MOST_CHANGES: none
  bool for_good;            ///< whether it stays stopped until all others have ended
  unsigned delay, pauses;   ///< otherwise until the others have spun this often; pauses since it was stopped
  unsigned stopped;         ///< that client
  unsigned depth;
} run;

/// Steele, Lea and Flood's splitmix64.
static uint64_t next_random(void) {
  uint64_t z = run.random += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static uint64_t random_below(uint64_t bound) { return next_random() % bound; }

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/// Seed 0 changes nothing, so that the length of a run can be measured.
static void draw_changes(const struct plan *plan) {
  run.change_count = plan->seed == 0 ? 0 : plan->changes;
  for (unsigned i = 0; i < run.change_count; i++) run.changes[i] = 1 + random_below(plan->expected_steps);
  qsort(run.changes, run.change_count, sizeof *run.changes, compare);
  run.stop_at = MOST_CHANGES;
  run.for_good = plan->may_stop && random_below(2) == 0;
  run.delay = 1u << random_below(11);
  bool stops = random_below(3) == 0;
  if (stops && run.change_count) run.stop_at = (unsigned)random_below(run.change_count);
}

static void enters(unsigned actor) { run.priorities[actor] = (int64_t)(next_random() >> 16) * ACTORS + actor + 1; }

static void begin(const struct plan *plan) {
  memset(&run, 0, sizeof run);
  run.seed = plan->seed;
  run.depth = plan->changes + 1;
  run.random = plan->seed * UINT64_C(0xD1342543DE82EF95) + 1;
  run.stopped = NOBODY;
  for (unsigned i = 0; i < ACTORS; i++) run.heat[i] = (uint32_t)random_below(3);
  for (unsigned i = 0; i < plan->clients; i++) enters(i);
  draw_changes(plan);
}

static uint32_t heat(unsigned actor) { return run.heat[actor]; }

/// Notes that this thread spins while another is stopped.
static void wait_with_stopped(unsigned self) {
  if (run.for_good && self < CLIENTS && ++run.pauses > PATIENCE) {
    scheduler_fail("a thread waits for one that is stopped");
  }
  bool resumes = run.for_good ? scheduler_is_last_client() : ++run.pauses >= run.delay;
  if (resumes) run.stopped = NOBODY;
}

static unsigned highest(unsigned ready) {
  unsigned best = NOBODY;
  for (unsigned i = 0; i < ACTORS; i++) {
    if (!(ready & 1u << i) || i == run.stopped) continue;
    if (best == NOBODY || run.priorities[i] > run.priorities[best]) best = i;
  }
  if (best == NOBODY) {
    best = run.stopped;
    run.stopped = NOBODY;
  }
  return best;
}

/// Most steps change no priority: then no other thread can be due.
static unsigned next(enum occasion occasion, unsigned self, unsigned ready, bool matters) {
  if (occasion == STEP) {
    if (run.next_change == run.change_count || scheduler_steps() < run.changes[run.next_change]) return self;
    run.priorities[self] = --run.lowest;
    if (run.next_change++ == run.stop_at && self < CLIENTS) {
      run.stopped = self;
      run.pauses = 0;
    }
  } else if (occasion == SPIN) {
    run.priorities[self] = --run.lowest;
    if (run.stopped != NOBODY) wait_with_stopped(self);
  }
  return highest(ready);
}

static unsigned first_woken(unsigned sleepers) {
  return (unsigned)random_below(ACTORS);
}

static void name(char *text, size_t size) { snprintf(text, size, "seed %llu", (unsigned long long)run.seed); }

static void replay(char *text, size_t size) {
  snprintf(text, size, "--first %llu --seeds 1 --depth %u", (unsigned long long)run.seed, run.depth);
}

static const char *remark(unsigned actor) { return actor == run.stopped ? " (stopped)" : ""; }

const struct policy pct = {.begin = begin,
                           .heat = heat,
                           .enters = enters,
                           .next = next,
                           .first_woken = first_woken,
                           .random = random_below,
                           .name = name,
                           .replay = replay,
                           .remark = remark};
