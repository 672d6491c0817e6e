// Firing a reaction: see firing.h.
//
// The stack stays bounded however long a chain of inline firings is. If the stack of a thread has no room for one more
// firing, the thread defers the firing to itself. The outermost injection runs the deferred firings after its own
// firing has ended, at its own depth again (pool/deferred.c). The pool can take deferred firings, so a body that blocks
// hides nothing behind it. The first few firings nest without a check of the stack, because the check costs
// instructions.
//
// If no injection runs a body, because a worker or an executor does, the outermost injection is the one that the body
// makes (`base`). Inside a task that a worker runs, a body in the outermost injection counts as a body without one.
// This only drains sooner.
//
// Placed externally
//   Such a firing is an object with its molecules. Usually they are taken as soon as it is reserved, because the
//   binding makes the body's task from the origin of one of them (firing/origin.h). So these firings are not
//   interchangeable, unlike those of the pool.
//   FIRING-1  The firing is handed to `submit` once, or to `enter` on a thread that may be its destination. From there
//       on it belongs to the binding, which runs it once, on any thread: by run, by begin and end, or by discard.
//   FIRING-2  From its reservation to its end it holds the soup as CRUCIBLE_PENDING. So the soup lives, and is not
//       quiet.
//   FIRING-3  Its states are away until its end, which gives them back under the rule of adding, like any other firing
//       (matcher/word/word.c). A body that never ends keeps them, as in any join calculus.
//   FIRING-4  The reserving thread calls `submit` before the one firing that it runs itself, because a body may never
//       return. `submit` is code of the binding, and so is never called under a lock of the core. `enter` runs a body,
//       and so is the last act of an injection.
//   FIRING-5  On a place that runs one firing at a time, those of a reaction with one input begin in the order of its
//       bag. Threads take molecules in one order and reach `submit` in another, so the molecule is taken when the
//       firing begins (`takes_late`). If no other reaction consumes the name, one thread at a time pops, and no pop
//       misses a molecule that was published before the molecule that it takes. So one injector's molecules begin in
//       their order (bag/bag.c).
//   If the end of such a firing enables a reaction of the pool, that firing goes to the pool. This thread's task
//   belongs to another injector (`keeps_pool`).

#include "firing/firing.h"

#include <string.h>

#include "base/errors.h"
#include "firing/bounds.h"
#include "firing/origin.h"
#include "firing/run.h"
#include "firing/visits.h"
#include "pool/carried.h"
#include "pool/pool.h"
#include "firing/holds.h"

char *crucible__storage(size_t size) {
  char *storage = crucible__allocate(size, CRUCIBLE_LINE);
  if (!storage) crucible__die("no memory to take molecules out of a soup");
  return storage;
}

static struct rule rule_without_inputs;
const struct reaction crucible__idle = {.rule = &rule_without_inputs};

// ---------------------------------------------------------------------------------------------------------------------
// Running
// ---------------------------------------------------------------------------------------------------------------------

static NOINLINE void run_on_large(struct thread *self, struct reserved next) {
  struct component *component = next.reaction->component;
  CRUCIBLE_FIRING(firing, component);
  if (next.reaction->rule->has_stored) component->matcher->take(next.reaction, &firing);
  crucible__run_in(self, next, &firing);
  CRUCIBLE_FIRING_END(firing, component);
}

/// Takes the molecules of a reserved firing and runs it. Requires: called between crucible__begin and crucible__end.
static inline void take_and_run(struct thread *self, struct reserved next) {
  struct component *component = next.reaction->component;
  if (UNLIKELY(!component->layout->is_small)) {
    run_on_large(self, next);
    return;
  }
  struct small_firing room;
  struct firing firing = {.inputs = room.inputs + 1, .storage = room.storage};
  if (next.reaction->rule->has_stored) component->matcher->take(next.reaction, &firing);
  crucible__run_in(self, next, &firing);
}

void crucible__run(struct thread *self, struct reaction *reaction, struct unstored carried) {
  (void)carried;  // firings of the matchers that use this function carry nothing
  crucible__begin(self, reaction);
  take_and_run(self, (struct reserved){.reaction = reaction});
  crucible__end(self);
}

void crucible__run_on(struct thread *self, struct reserved next) {
  crucible__begin_next(self, next.reaction);
  take_and_run(self, next);
}

void crucible__give_states_back(struct thread *self, struct reaction *reaction, struct firing *room) {
  struct reserved next = reaction->component->matcher->give_back(self, reaction, room);
  if (!next.reaction) return;
  crucible__begin_next(self, next.reaction);
  crucible__run_in(self, next, room);
}

// ---------------------------------------------------------------------------------------------------------------------
// Pending
// ---------------------------------------------------------------------------------------------------------------------

/// Runs every job. Its lowest bit distinguishes a job from a firing. A job cannot carry its function, because it is an
/// object of the binding's runtime. A record with both would take an allocation for each job.
static void (*_Atomic run_job)(void *job);

void crucible_pool_run(void *job, void (*run)(void *job)) {
  store_relaxed(&run_job, run);  // published with the job
  crucible__pool_add(crucible__with_mark(job, JOB));
}

/// Runs a firing whose only input is the molecule that it carries. It takes no molecules, and gives no state
/// back.
static INLINE void run_alone(struct thread *self, struct reaction *reaction, void *value) {
  void *inputs[] = {NULL, value};  // the first says how often the molecule was put back
  crucible__begin(self, reaction);
  crucible__call(reaction, inputs + 1);
  crucible__end(self);
}

/// Runs a firing of the pool. `own`: the record with the molecule that the firing carries, or null if it carries none.
static INLINE void run_firing(struct thread *self, struct reaction *reaction, struct task *own) {
  // A worker takes a firing that carries a molecule only between two bodies (CARRY-5).
  const struct reaction *outer = own ? NULL : load_relaxed(&self->begun);
  struct crucible_soup *soup = reaction->soup;
  if (UNLIKELY(load_relaxed(&self->advance) != soup)) crucible__release_advance(self);
  store_relaxed(&self->begun, reaction);
  if (own && LIKELY(reaction->rule->width == 1)) {
    run_alone(self, reaction, own->value);
  } else {
    reaction->component->matcher->run(
        self, reaction, own ? (struct unstored){own->name, own->value} : ALL_STORED);
  }
  store_relaxed(&self->begun, outer);
  if (LIKELY(self->is_worker) && load_relaxed(&self->advance) == NULL) {
    store_relaxed(&self->advance, soup);
  } else {
    crucible__soup_release_holds(soup, CRUCIBLE_PENDING);
  }
}

void crucible__run_pending(struct thread *self, struct reaction *work) {
  enum mark mark = crucible__mark(work);
  if (LIKELY(mark == 0)) {
    run_firing(self, work, NULL);
  } else if (mark == CARRIED) {
    struct task carried = self->carried;  // copied first, because the thread may fill its record again next
    run_firing(self, crucible__without_mark(work), &carried);
  } else if (mark == QUEUED) {
    run_firing(self, crucible__without_mark(work), &self->last_task);  // CARRY-5
  } else {
    crucible__release_advance(self);
    bool keeps_pool = self->keeps_pool;
    self->keeps_pool = false;  // a body that ends inside the job's task enables no body of the pool there
    load_relaxed(&run_job)(crucible__without_mark(work));
    self->keeps_pool = keeps_pool;
  }
}

void crucible__release_advance(struct thread *self) {
  struct crucible_soup *soup = load_relaxed(&self->advance);
  if (!soup) return;
  store_relaxed(&self->advance, NULL);
  crucible__soup_release_holds(soup, CRUCIBLE_PENDING);
}

/// Acquires the hold of a firing that this thread has reserved.
static inline void hold(struct thread *self, struct crucible_soup *soup) {
  if (load_relaxed(&self->advance) == soup) {
    store_relaxed(&self->advance, NULL);
  } else {
    crucible__soup_add_pending(soup);
  }
}

void crucible__drain_deferred(struct thread *self) {
  int32_t base = self->base;
  self->base = NO_DEPTH;  // this loop runs what the bodies defer
  struct crucible_soup *advance = load_relaxed(&self->advance);
  struct reaction *reaction;
  while ((reaction = crucible__defer_take(self))) crucible__run_pending(self, reaction);
  self->base = base;
  // A body may be around this and take long, or the worker may sleep or end next. So the thread keeps no further hold:
  // the other soup could not become quiet.
  if (load_relaxed(&self->advance) != advance) crucible__release_advance(self);
}

void crucible__take(crucible_firing *firing) {
  const struct reaction *reaction = firing->reaction;
  if (firing->is_taken) return;
  firing->is_taken = true;
  if (reaction->rule->has_stored) reaction->component->matcher->take(firing->reaction, &firing->room);
}

crucible_firing *crucible__make_firing(struct reaction *reaction) {
  const struct layout *layout = reaction->component->layout;
  size_t size = sizeof(struct crucible_firing) + (1 + layout->input_count) * sizeof(void *) + layout->storage;
  struct crucible_firing *firing = (struct crucible_firing *)(void *)crucible__storage(size);
  void **inputs = (void **)(void *)(firing + 1) + 1;
  *firing = (struct crucible_firing){
      .reaction = reaction,
      .room = {.inputs = inputs,
               .storage = crucible__aligned(inputs + layout->input_count, layout->alignment)},
      .size = size};
  fetch_add_relaxed(&reaction->placed, 1);
  return firing;
}

/// Makes the object of a reserved firing. Takes its molecules at once, except for a place that keeps an order
/// (FIRING-5).
static crucible_firing *take_out(struct reaction *reaction) {
  crucible_firing *firing = crucible__make_firing(reaction);
  if (!reaction->rule->takes_late) crucible__take(firing);
  return firing;
}

/// Submits a firing to the binding, whose code may run bodies on this thread. The body that has ended here may have
/// given its states back already. So it must not appear to have them (soup/call.c).
static void submit_external(crucible_firing *firing) {
  struct thread *self = crucible__self;  // a thread that has reserved a firing has a record
  const struct reaction *running = crucible__running(self);
  crucible__begin_next(self, &crucible__idle);
  firing->reaction->rule->submit(crucible__context(firing->reaction), firing);
  crucible__begin_next(self, running);
}

/// Runs a firing on this thread, if that is its place. A body that continues after it was entered runs no firing of
/// this thread while the thread is here. It counts as a firing, so that a chain of such bodies nests no deeper than
/// others do.
static NOINLINE bool enter(struct thread *self, crucible_firing *firing) {
  const struct reaction *reaction = firing->reaction;
  firing->is_last_act = self->depth == crucible__injected.depth;
  crucible__begin(self, reaction);
  bool entered = reaction->rule->enter(crucible__context(reaction), firing);
  crucible__end(self);
  if (!entered) firing->is_last_act = false;
  return entered;
}

/// Runs a firing on the thread of its caller.
static bool visit(struct thread *self, crucible_firing *firing) {
  struct visit visit = crucible__visit_begin(self, firing->reaction);
  bool entered = enter(self, firing);
  crucible__visit_end(self, visit);
  return entered;
}

void crucible__submit_unstored(struct thread *self, crucible_firing *firing, const void *value, bool visits) {
  struct reaction *reaction = firing->reaction;
  const struct rule *rule = reaction->rule;
  firing->is_taken = true;
  for (uint32_t i = 0; i < rule->width; i++) {
    if (firing->room.inputs[i] != value) continue;
    void *room = firing->room.storage + rule->inputs[i].offset;
    firing->room.inputs[i] = memcpy(room, value, crucible__input(reaction, i)->species->size);
  }
  crucible__soup_add_pending(reaction->soup);
  bool enters = rule->enter && (!rule->visits || (visits && crucible__may_visit(self, reaction)));
  if (enters && crucible__thread_has_room(self) && (rule->visits ? visit : enter)(self, firing)) return;
  submit_external(firing);
}

void crucible__submit(struct thread *self, struct reaction *reaction) {
  hold(self, reaction->soup);
  if (LIKELY(reaction->rule->away == 1)) {
    self->is_worker ? crucible__slot_put(self, reaction) : crucible__pool_add(reaction);
  } else if (reaction->rule->placement == CRUCIBLE_INLINE) {
    crucible__defer(self, reaction);
  } else {
    submit_external(take_out(reaction));
  }
}

static NOINLINE void queue_carried(struct thread *self, struct reaction *reaction, struct crucible_name *name,
                                   const void *value) {
  hold(self, reaction->soup);
  crucible__pool_carry(reaction, name, value);
}

void crucible__submit_carried(struct thread *self, struct reaction *reaction, struct crucible_name *name,
                              const void *value) {
  if (!crucible__may_carry(self)) return queue_carried(self, reaction, name, value);
  hold(self, reaction->soup);
  crucible__carry(&self->carried, name, value);
  crucible__slot_carry(self, reaction);
}

void crucible__submit_last(struct thread *self, struct reaction *reaction) {
  if (LIKELY(reaction->rule->away == 1)) {
    crucible__submit(self, reaction);
    return;
  }
  if (crucible__nests_here(self, reaction)) {
    reaction->component->matcher->run(self, reaction, ALL_STORED);
    return;
  }
  if (!reaction->rule->enter || reaction->rule->visits || !crucible__thread_has_room(self)) {
    crucible__submit(self, reaction);
    return;
  }
  crucible__soup_add_pending(reaction->soup);
  crucible_firing *firing = take_out(reaction);
  if (!enter(self, firing)) reaction->rule->submit(crucible__context(reaction), firing);
}

void crucible__submit_elsewhere(struct reaction *reaction) {
  crucible__soup_add_pending(reaction->soup);
  if (reaction->rule->placement == CRUCIBLE_EXTERNAL) {
    submit_external(take_out(reaction));
  } else {
    crucible__pool_add(reaction);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Placed externally
// ---------------------------------------------------------------------------------------------------------------------

/// Runs the firing, or the firings that its end enables. This happens in the middle of what the binding has made for
/// this one firing. So newly enabled reactions of the pool go to the pool, where they do not run inside the task of
/// another injector.
static void finish_here(struct thread *self, crucible_firing *firing, bool run) {
  struct reaction *reaction = firing->reaction;
  const struct reaction *outer = load_relaxed(&self->begun);
  bool keeps_pool = self->keeps_pool;
  int32_t base = self->base;
  if (crucible__is_outermost(self)) self->base = (int32_t)self->depth + 1;
  self->keeps_pool = false;
  store_relaxed(&self->begun, reaction);
  if (run) {
    crucible__run_taken(self, reaction, &firing->room);
  } else if (reaction->rule->state_count > 0) {
    crucible__begin(self, reaction);
    crucible__give_states_back(self, reaction, &firing->room);
    crucible__end(self);
  }
  store_relaxed(&self->begun, outer);
  self->keeps_pool = keeps_pool;
  self->base = base;
  crucible__free((char *)firing, firing->size);
  crucible__drain(self);
  crucible__soup_release_holds(reaction->soup, CRUCIBLE_PENDING);
}

/// The most entries of the thread's bodies. An executor that runs its jobs at once may nest more.
enum { MOST_BODIES = sizeof crucible__self->bodies / sizeof *crucible__self->bodies };

/// Runs a firing when the entries are nearly used up: bodies inside it may use those of the outermost ones again.
static NOINLINE void finish_deep(struct thread *self, crucible_firing *firing, bool run) {
  const struct reaction *bodies[MOST_BODIES];
  for (uint32_t i = 0; i < MOST_BODIES; i++) bodies[i] = load_relaxed(&self->bodies[i]);
  finish_here(self, firing, run);
  for (uint32_t i = 0; i < MOST_BODIES; i++) store_relaxed(&self->bodies[i], bodies[i]);
}

static void finish(struct thread *self, crucible_firing *firing, bool run) {
  // Between two of these firings, at most CRUCIBLE_DEPTH others nest, and one that was deferred.
  if (UNLIKELY(crucible__low_depth(self) + CRUCIBLE_DEPTH + 2 >= MOST_BODIES)) {
    finish_deep(self, firing, run);
  } else {
    finish_here(self, firing, run);
  }
}

/// Makes ready what the body needs, at the depth of the body.
static void prepare(struct thread *self, crucible_firing *firing) {
  struct reaction *reaction = firing->reaction;
  const struct matcher *matcher = reaction->component->matcher;
  if (LIKELY(!matcher->prepare)) return;
  crucible__begin(self, reaction);
  matcher->prepare(reaction, &firing->room);
  crucible__end(self);
}

void crucible_firing_run(crucible_firing *firing) {
  struct thread *self = crucible__thread_for("for a thread that runs a firing");
  crucible__take(firing);
  fetch_sub_relaxed(&firing->reaction->placed, 1);
  prepare(self, firing);
  const void *outer = self->placed;
  self->placed = &firing->room;
  finish(self, firing, true);
  self->placed = outer;
}

void crucible_firing_begin(crucible_firing *firing, crucible_body load, void *context, const void *task) {
  struct thread *self = crucible__thread_for("for a thread that runs a firing");
  struct reaction *reaction = firing->reaction;
  crucible__take(firing);
  fetch_add_relaxed(&reaction->left_running, 1);
  fetch_sub_relaxed(&reaction->placed, 1);
  prepare(self, firing);
  if (task) crucible__enlist_body(firing, task);
  if (reaction->rule->visits) crucible__time_firing(self, firing);
  crucible__begin(self, reaction);
  if (UNLIKELY(reaction->body == crucible__bounded_body)) crucible__release_bounds(reaction);
  load(context, crucible__inputs(reaction, &firing->room));
  crucible__end(self);
}

void crucible_firing_end(crucible_firing *firing) {
  struct thread *self = crucible__thread_for("for a thread that runs a firing");
  if (firing->reaction->rule->visits) crucible__judge_firing(self, firing);
  if (firing->task && !firing->reaction->soup->inherited) crucible__delist_body(firing);
  // first: the next firing that has its states does not appear to run beside it
  fetch_sub_relaxed(&firing->reaction->left_running, 1);
  finish(self, firing, false);
}

static void destroy_inputs(void *context, void *const *inputs) {
  const struct reaction *reaction = context;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct crucible_name *name = crucible__input(reaction, i);
    if (reaction->rule->inputs[i].is_stored) crucible__destroy_value(name, inputs[i], CRUCIBLE_DISCARDED);
  }
}

void crucible_firing_discard(crucible_firing *firing) {
  crucible_firing_begin(firing, destroy_inputs, firing->reaction, NULL);
  crucible_firing_end(firing);
}
