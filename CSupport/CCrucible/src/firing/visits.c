// Visits: a body of the pool runs on the thread of a caller that waits for it.
//
// A caller waits for its reply. If its call completes a reaction at once, and the bodies of this reaction are short,
// the body visits the caller: it runs on the caller's thread, and no thread is woken. The body consumes the caller's
// own call, so it runs in the right task. The matcher's `visit` finds such a reaction. A body that is a task of the
// binding visits as well (`visits` of crucible_reaction_options): the binding begins it there, and it leaves the thread
// when it suspends.
//
//   VISIT-1  A reaction visits only after CRUCIBLE_SHORT_BODIES of its bodies in a row have used less processor time on
//       the pools than CRUCIBLE_SHORT_BODY, and none of them has waited: in a call of the library, or in the kernel,
//       which counts the times that a thread gives its processor up. A reaction with a body that has waited in a call
//       of the library, or with CRUCIBLE_LONG_BODIES other long ones, never visits. Most of the time of a short body is
//       its reply, which wakes the caller.
//   VISIT-2  A body that takes long in a visit, or waits in a call of the library, ends the visits of its reaction for
//       good. An idle worker of the pool watches visits as it watches slots (pool/pool.c), so this happens also if the
//       body never ends. The binding is told once.
//   VISIT-3  The watcher accesses a reaction only while its visit cannot end (`EXAMINED`). So the soup lives.
//   VISIT-4  A body visits only where the binding allows it. It does not on a thread that has duties of its own, for
//       example the main thread.
//   VISIT-5  Only the body of the caller's own call visits it. Reactions of the pool that this body enables go to the
//       pool, also if the caller is a worker: its call has its reply, and it must not wait for them.
//
// Bodies may overlap, so counts may be too low by some. Then it takes more bodies to decide.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // RUSAGE_THREAD
#endif
#include "firing/visits.h"

#include <sys/resource.h>
#include <time.h>

#include "base/tuning.h"
#include "firing/firing.h"
#include "firing/run.h"

static bool (*_Atomic allows)(void);
static void (*_Atomic tell_overstay)(crucible_soup *soup, size_t reaction);

void crucible_visits_begin(bool (*allow)(void), void (*overstay)(crucible_soup *soup, size_t reaction)) {
  store_relaxed(&tell_overstay, overstay);
  store_relaxed(&allows, allow);
}

bool crucible__allows_visits(const struct thread *self) {
  bool (*allow)(void) = load_relaxed(&allows);
  if (!allow || self->is_first) return false;
  return self->is_worker || allow();
}

/// The processor time of the calling thread, in nanoseconds.
static uint64_t used_time(void) {
  struct timespec time;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0
             ? (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec
             : 0;
}

/// The number of times that the calling thread has given its processor up.
static long count_sleeps(void) {
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

/// Lets callers of the name be visited. A body outside the core visits only if the call may give it its context.
static void call_visited(const struct reaction *reaction, struct crucible_name *name) {
  uint8_t plain = CRUCIBLE_CALL_PLAIN;
  if (reaction->rule->visits && !crucible__has_origins(name)) return;
  cas_relaxed(&name->call, &plain, CRUCIBLE_CALL_VISITED);
}

static void begin_visits(struct reaction *reaction) {
  if (!reaction->component->layout->matcher->visit) return;
  store_relaxed(&reaction->probation.visits, true);
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) call_visited(reaction, crucible__input(reaction, i));
}

void crucible__note_visits(struct crucible_name *name) {
  const struct component *component = name->component;
  for (uint32_t r = 0; component && r < component->layout->reaction_count; r++) {
    const struct reaction *reaction = component->reactions[r];
    if (load_relaxed(&reaction->probation.visits) && crucible__consumes(reaction, name)) call_visited(reaction, name);
  }
}

void crucible__end_visits(struct reaction *reaction) {
  if (!exchange_acq_rel(&reaction->probation.visits, false)) return;
  void (*tell)(crucible_soup *, size_t) = load_relaxed(&tell_overstay);
  if (tell && !reaction->soup->inherited) tell(reaction->soup, reaction->rule->index);
}

static void judge(struct reaction *reaction, bool is_short, bool has_waited) {
  struct probation *probation = &reaction->probation;
  if (is_short) {
    if (fetch_add_relaxed(&probation->short_bodies, 1) + 1 != CRUCIBLE_SHORT_BODIES) return;
    if (!exchange_acq_rel(&probation->is_decided, true)) begin_visits(reaction);
    return;
  }
  store_relaxed(&probation->short_bodies, 0);
  if (!has_waited && fetch_add_relaxed(&probation->long_bodies, 1) + 1 != CRUCIBLE_LONG_BODIES) return;
  store_relaxed(&probation->is_decided, true);
  store_relaxed(&probation->visits, false);  // another body may have begun them meanwhile
}

static struct timing begin_timing(const struct thread *self) {
  return (struct timing){.thread = self, .waits = self->waits, .sleeps = count_sleeps(), .begin = used_time()};
}

/// Judges a body that ends. One that has changed its thread has waited for something, as far as this thread can tell.
static void end_timing(const struct thread *self, struct reaction *reaction, const struct timing *timing) {
  bool is_here = timing->thread == self;
  bool is_short = is_here && used_time() - timing->begin < CRUCIBLE_SHORT_BODY && count_sleeps() == timing->sleeps;
  bool has_waited = is_here && self->waits != timing->waits;
  judge(reaction, is_short && !has_waited, has_waited);
}

static NOINLINE void time_body(struct reaction *reaction, void *context, void *const *inputs) {
  const struct thread *self = crucible__self;
  struct timing timing = begin_timing(self);
  crucible__own_body(reaction)(context, inputs);
  end_timing(self, reaction, &timing);
}

void crucible__time_firing(struct thread *self, crucible_firing *firing) {
  if (!load_relaxed(&firing->reaction->probation.is_decided)) firing->timing = begin_timing(self);
}

void crucible__judge_firing(struct thread *self, crucible_firing *firing) {
  if (firing->timing.thread) end_timing(self, firing->reaction, &firing->timing);
}

void crucible__timed_body(void *context, void *const *inputs) {
  // The thread notes its reaction as const. Its counts of bodies change here.
  struct reaction *reaction = (struct reaction *)(uintptr_t)crucible__running(crucible__self);
  if (LIKELY(load_relaxed(&reaction->probation.is_decided))) {
    crucible__own_body(reaction)(context, inputs);
  } else {
    time_body(reaction, context, inputs);
  }
}
