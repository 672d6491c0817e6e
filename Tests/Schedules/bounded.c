// Every schedule with at most P preemptions, by depth-first search with replay.
//
// After Musuvathi and Qadeer, "Iterative context bounding for systematic testing of multithreaded programs" (PLDI
// 2007). A preemption is a switch away from a thread that could go on; all other switches are free. With n threads of k
// steps each there are some (n × k)^P × (n + P)! schedules. Most bugs show with few preemptions.
//
// A run is named by its decisions. Each run repeats the decisions of the run before it, up to the last one that had an
// alternative, and takes that alternative. From there on it takes the first answer each time. The threads and the core
// are deterministic, so equal decisions lead to the same place. The search checks this: a decision remembers the
// threads that could have been taken.
//
// Decisions
//   STEP     whether the thread goes on, or another ready thread runs instead, which costs a preemption; only if the
//            step matters
//   SPIN     any thread, this one included, at no cost
//   AWAY     any thread, at no cost
//   waking   which of the threads that sleep on one address is woken, if not all are
//   heat     whether all threads begin as if they had met contention, or none
//
// Steps that matter. Switching before an access to an object that no other thread touches, or that no thread writes, is
// the same as switching before the next access of that thread. What the others do in between neither sees nor changes
// the object. So only accesses to shared objects and the acts of the test itself matter. The search learns which
// objects are shared (objects.c). When it finds another one, in whatever schedule, it starts again. In the end no
// switch was left out before an access to an object that is shared in any schedule that was run. The first step of a
// thread never matters, since the thread has done nothing before it. Plain code that affects other threads without an
// access notes this, as a step that matters: the clock of the trial, and the beginning of a read section. Plain
// accesses to shared memory follow an access to an object that is shared just as widely.
//
// Fairness, after the same authors' "Fair stateless model checking" (PLDI 2008). Without it a thread that spins has
// infinitely many schedules. A thread that spins twice while another thread could have run all the time, and did not,
// must wait until that thread has taken a step. This excludes only schedules in which a thread spins in vain. Such a
// switch is free.

#include "bounded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "policy.h"

enum { MOST_DECISIONS = 1 << 20, HOT = 2 };

/// A decision with more than one answer.
struct decision {
  uint64_t number;   ///< position among all decisions of the run
  uint8_t options;   ///< a bit for each answer
  uint8_t left;      ///< not taken yet
  uint8_t first;     ///< the answer unless the search asks for another
  uint8_t taken;
};

static struct {
  unsigned most;            ///< preemptions
  struct decision *path;    ///< the decisions of the last run
  uint64_t length, repeated;
  bool replays;
  uint64_t run;             ///< from 1, over all searches
} search;

static struct {
  uint64_t numbers;  ///< decisions so far
  uint64_t depth;    ///< decisions so far on the path
  unsigned preemptions;
  unsigned begun;    ///< threads that have reached a step that matters
  bool hot;
  // For each thread, sets of threads:
  uint8_t behind[ACTORS];     ///< this thread waits until each of these that is ready has taken a step
  uint8_t ever_ready[ACTORS]; ///< ready all the time since it last spun
  uint8_t went_away[ACTORS];  ///< stopped being ready since then, because of this thread
  uint8_t has_run[ACTORS];    ///< have run since then
  unsigned ready;             ///< ready at the last decision
} run;

// ---------------------------------------------------------------------------------------------------------------------
// Decisions
// ---------------------------------------------------------------------------------------------------------------------

static unsigned lowest(unsigned options) { return (unsigned)__builtin_ctz(options); }

static struct decision *extend(unsigned options, unsigned first) {
  if (search.length == MOST_DECISIONS) scheduler_fail("more than %d decisions in one run", MOST_DECISIONS);
  struct decision *decision = &search.path[search.length++];
  *decision = (struct decision){.number = run.numbers,
                                .options = (uint8_t)options,
                                .left = (uint8_t)(options & ~(1u << first)),
                                .first = (uint8_t)first,
                                .taken = (uint8_t)first};
  return decision;
}

/// Answers a decision among `options`: the recorded answer, or `first`.
static unsigned decide(unsigned options, unsigned first) {
  run.numbers++;
  if (search.replays) {
    const struct decision *decision = &search.path[run.depth];
    if (run.depth == search.length || decision->number != run.numbers) return first;
    run.depth++;
    if (!(options & 1u << decision->taken)) scheduler_fail("the decisions are of another program or case");
    return decision->taken;
  }
  if ((options & (options - 1)) == 0) return first;
  struct decision *decision = run.depth < search.repeated ? &search.path[run.depth] : extend(options, first);
  run.depth++;
  if (decision->number != run.numbers || decision->options != options) scheduler_fail("the decisions do not replay");
  return decision->taken;
}

void bounded_search(unsigned preemptions) {
  if (!search.path) search.path = malloc(MOST_DECISIONS * sizeof *search.path);
  if (!search.path) abort();
  search.most = preemptions;
  search.length = search.repeated = 0;
  search.replays = false;
}

bool bounded_advance(void) {
  while (search.length > 0 && search.path[search.length - 1].left == 0) search.length--;
  search.repeated = search.length;
  if (search.length == 0) return objects_learned();
  struct decision *last = &search.path[search.length - 1];
  last->taken = (uint8_t)lowest(last->left);
  last->left &= (uint8_t)~(1u << last->taken);
  return true;
}

bool bounded_replay(const char *decisions) {
  bounded_search(0);
  search.replays = true;
  if (strcmp(decisions, "first") == 0) return true;
  while (*decisions) {
    unsigned long long number;
    unsigned taken;
    int read = 0;
    if (sscanf(decisions, "%llu.%u%n", &number, &taken, &read) != 2 || taken >= ACTORS) return false;
    struct decision *decision = extend(0, ACTORS);
    decision->number = number;
    decision->taken = (uint8_t)taken;
    decisions += read;
    if (*decisions == '-') decisions++;
  }
  return search.length > 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Fairness
// ---------------------------------------------------------------------------------------------------------------------

/// Returns those of `ready` that need not wait for another of them. There is always one, because no threads wait in a
/// circle.
static unsigned fit_of(unsigned ready) {
  unsigned fit = 0;
  for (unsigned i = 0; i < ACTORS; i++) fit |= (unsigned)(ready & 1u << i && !(run.behind[i] & ready)) << i;
  return fit;
}

/// Notes how `self` got from the last decision to this one.
static void has_stepped(unsigned self, unsigned ready) {
  for (unsigned i = 0; i < ACTORS; i++) {
    run.behind[i] &= (uint8_t)~(1u << self);
    run.ever_ready[i] &= (uint8_t)ready;
    run.has_run[i] |= (uint8_t)(1u << self);
  }
  run.went_away[self] |= (uint8_t)(run.ready & ~ready);
}

static void has_spun(unsigned self, unsigned ready) {
  unsigned waiting = (run.ever_ready[self] | run.went_away[self]) & ~run.has_run[self];
  run.behind[self] |= (uint8_t)waiting;
  run.ever_ready[self] = (uint8_t)ready;
  run.went_away[self] = 0;
  run.has_run[self] = 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// The policy
// ---------------------------------------------------------------------------------------------------------------------

static unsigned next(enum occasion occasion, unsigned self, unsigned ready, bool matters) {
  if (self < ACTORS) {
    has_stepped(self, ready);
    if (occasion == SPIN) has_spun(self, ready);
  }
  run.ready = ready;
  unsigned fit = fit_of(ready);
  bool can_go_on = (occasion == STEP || occasion == CHANGED) && fit & 1u << self;
  if (!can_go_on) {
    unsigned others = self < ACTORS ? fit & ~(1u << self) : fit;
    return decide(fit, lowest(others ? others : fit));
  }
  bool may_switch = matters && run.begun & 1u << self && run.preemptions < search.most;
  if (matters) run.begun |= 1u << self;
  unsigned taken = decide(may_switch || search.replays ? fit : 1u << self, self);
  if (taken != self) run.preemptions++;
  return taken;
}

static void begin(const struct plan *plan) {
  memset(&run, 0, sizeof run);
  memset(run.has_run, 0xFF, sizeof run.has_run);  // whatever came before, it makes no thread wait
  search.run++;
  run.hot = decide(3, 0) == 1;
}

static uint32_t heat(unsigned actor) { return run.hot && actor < CLIENTS ? HOT : 0; }

static void enters(unsigned actor) {
  run.has_run[actor] = 0xFF;
  run.begun &= ~(1u << actor);
}

static unsigned first_woken(unsigned sleepers) { return sleepers ? decide(sleepers, lowest(sleepers)) : 0; }

/// Draws nothing by chance.
static uint64_t no_chance(uint64_t bound) { return bound - 1; }

static void name(char *text, size_t size) {
  snprintf(text, size, "schedule %llu, %u preemptions", (unsigned long long)search.run, run.preemptions);
}

/// Prints the decisions whose answer was not the first.
static void replay(char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "--replay ");
  const char *separator = "";
  bool all_first = true;
  for (uint64_t i = 0; i < run.depth && used < size; i++) {
    const struct decision *decision = &search.path[i];
    if (decision->taken == decision->first) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%llu.%u", separator, (unsigned long long)decision->number,
                             decision->taken);
    separator = "-";
    all_first = false;
  }
  if (all_first && used < size) snprintf(text + used, size - used, "first");
}

static const char *remark(unsigned actor) { return run.behind[actor] & run.ready ? " (gives way)" : ""; }

const struct policy bounded = {.begin = begin,
                               .heat = heat,
                               .enters = enters,
                               .next = next,
                               .first_woken = first_woken,
                               .random = no_chance,
                               .name = name,
                               .replay = replay,
                               .remark = remark};
