// The bodies of a trial: what each checks of its molecules and their origins, where it runs, and how values end.

#include "trial_parts.h"

#include <limits.h>

uint64_t trial_origins;

/// `standing`: the origin by which this thread is about to run a body; molecules that the thread makes belong to the
/// same task. `given`: the origin that the next molecule is put back with.
static _Thread_local void *standing, *given;

void *make_origin(uint64_t count) {
  void *origin = given;
  given = NULL;
  if (origin) return origin;
  ADD(trial_origins, count);
  return standing ? standing : (void *)(uintptr_t)(scheduler_self() + 1);
}

void end_origin(void *origin, uint64_t count) {
  ADD(trial_origins, -count);
}

static void check_origin(void *origin, const struct molecule *molecule) {
  // without an origin, the injection is that of this thread's own task
  if (!origin) {
    origin = (void *)(uintptr_t)(scheduler_self() + 1);
  } else {
    end_origin(origin, 1);
  }
  if (molecule && (uintptr_t)origin != molecule->pusher + 1) {
    scheduler_fail("a molecule of client %u has the origin of client %d", molecule->pusher, (int)(uintptr_t)origin - 1);
  }
}

void give_origin(unsigned of) {
  given = (void *)(uintptr_t)(of + 1);
  crucible_set_given(true);
  ADD(trial_origins, 1);
}

bool inject_from(void *origin, crucible_name *name, void *value, uint64_t attempts, crucible_ticket *ticket) {
  given = origin;
  bool gave = crucible_set_given(origin != NULL);
  bool injected = crucible_inject_tracked(name, value, attempts, false, ticket);
  crucible_set_given(gave);
  if (given) end_origin(given, 1);
  given = NULL;
  return injected;
}

static void **origin_of(const struct trial_rule *rule, unsigned input, void *const *inputs) {
  crucible_soup *soup = crucible_name_soup(rule->trial->names[rule->inputs[0]].core);
  return crucible_input_origin(soup, rule->reaction, input, inputs);
}

/// Ends the origins of a body's molecules, except the one that its firing was run by.
static void end_origins(const struct trial_rule *rule, struct molecule *const *molecules, void *const *inputs) {
  struct trial *trial = rule->trial;
  void **taken = &trial->taken[scheduler_self()];
  for (unsigned i = 0; i < rule->count; i++) {
    void **origin = origin_of(rule, i, inputs);
    if (!origin) continue;
    check_origin(*origin ? *origin : *taken, molecules[i]);
    if (!*origin) *taken = NULL;
  }
  if (*taken) scheduler_fail("a firing ran by the origin of no molecule");
}

static _Thread_local unsigned taking_out;

bool takes_branches_out(void) { return taking_out > 0; }

/// Whether the firing takes place.
static bool is_decided(const struct trial_rule *rule, void *const *inputs) {
  struct trial *trial = rule->trial;
  void **taken = &trial->taken[scheduler_self()];
  if (!trial->chemistry->selects) return true;
  taking_out++;
  standing = *taken;
  bool decided = crucible_firing_select(inputs);
  standing = NULL;
  taking_out--;
  if (decided) return true;
  for (unsigned i = 0; i < rule->count; i++) {
    void **origin = origin_of(rule, i, inputs);
    if (origin && *origin) scheduler_fail("a firing that does not take place leaves an origin");
  }
  if (*taken) end_origin(*taken, 1);
  *taken = NULL;
  return false;
}

size_t size_of(enum form form) {
  return form == STATE_NAME ? sizeof(int64_t) : form == SMALL_NAME ? sizeof(struct molecule *) : sizeof(struct payload);
}

/// Begins a body, and returns its key.
static unsigned begin_body(struct trial_rule *rule, void *const *inputs) {
  struct trial *trial = rule->trial;
  bool is_other = trial->other && rule->inputs[0] >= trial->first_of_other;
  if (PEEK(trial->silent) && !is_other && ADD(trial->steps, -1) == UINT_MAX) {
    scheduler_fail("a body runs although the soup was stopped or paused, and quiet");
  }
  struct molecule *molecules[MOST_NAMES] = {0};
  unsigned key = key_of_body(rule, inputs);
  for (unsigned i = 0; i < rule->count; i++) {
    unsigned index = rule->inputs[i];
    struct name *name = &trial->names[index];
    if (PEEK(trial->hushed[index])) scheduler_fail("a body consumes a paused name, and the soup was quiet");
    if (name->form == FACT_NAME) {
      reads(inputs[i], size_of(name->form));
      const struct molecule *fact = checked(trial, inputs[i]);
      if (fact->name != index) scheduler_fail("a fact comes as another name");
      reads(&fact->cargo, sizeof fact->cargo);
      continue;
    }
    ADD(name->consumed, 1);
    if (name->form != VOID_NAME) uses(inputs[i], size_of(name->form));
    if (name->form == STATE_NAME) {
      if (trial->inside[index][key]) scheduler_fail("two bodies have the same state");
      if (*(const int64_t *)inputs[i] < 0) scheduler_fail("a body has a state that was not made");
      trial->inside[index][key] = true;
    } else if (name->form != VOID_NAME) {
      molecules[i] = checked(trial, inputs[i]);
      if (molecules[i]->name != index) scheduler_fail("a molecule comes as another name");
      if (key_of(trial, molecules[i]) != key) scheduler_fail("molecules of two keys have reacted");
      uint64_t paused = PEEK(trial->paused);
      if (paused && comes_before(paused, molecules[i]->begun)) {
        scheduler_fail("a body consumes what was injected while the soup was paused");
      }
      POKE(molecules[i]->consumed, scheduler_tick());
      uses(&molecules[i]->cargo, sizeof molecules[i]->cargo);
    }
  }
  end_origins(rule, molecules, inputs);
  ADD(rule->fired, 1);
  scheduler_step("body");
  if (rule->act) rule->act(trial, molecules, inputs);
  scheduler_step("body");
  return key;
}

static void end_body(const struct trial_rule *rule, unsigned key) {
  for (unsigned i = 0; i < rule->count; i++) {
    if (rule->trial->names[rule->inputs[i]].form == STATE_NAME) rule->trial->inside[rule->inputs[i]][key] = false;
  }
}

void run_body(void *context, void *const *inputs) {
  struct trial_rule *rule = context;
  if (!is_decided(rule, inputs)) return;
  end_body(rule, begin_body(rule, inputs));
}

struct loading {
  struct trial_rule *rule;
  bool decided;
  unsigned key;
};

static void load(void *context, void *const *inputs) {
  struct loading *loading = context;
  loading->decided = is_decided(loading->rule, inputs);
  if (loading->decided) loading->key = begin_body(loading->rule, inputs);
}

void submitted(void *context, crucible_firing *firing) {
  struct trial_rule *rule = context;
  struct trial *trial = rule->trial;
  scheduler_note("submitted");
  unsigned index = ADD(trial->placed_count, 1) - 1;
  if (index >= MOST_MOLECULES) scheduler_fail("the case has too many firings");
  void *origin = trial->chemistry->own ? crucible_firing_take_origin(firing) : NULL;
  if (trial->chemistry->own && !origin) origin = make_origin(1);  // of this thread, which is inside the injection
  hand_over(firing);
  trial->placed[index].rule = rule;
  trial->placed[index].origin = origin;
  PUBLISH(trial->placed[index].firing, firing);
}

/// `origin`: the origin that was taken when the firing was submitted, or null.
static void run_placed(struct trial_rule *rule, crucible_firing *firing, void *origin) {
  taken_over(firing);
  rule->trial->own[scheduler_self()] = !origin && crucible_firing_has_own_origin(firing);
  rule->trial->taken[scheduler_self()] = origin ? origin : crucible_firing_take_origin(firing);
  if (rule->trial->chemistry->parameter == 0) {
    crucible_firing_run(firing);
  } else {
    struct loading loading = {.rule = rule};
    rule->trial->task[scheduler_self()] = firing;
    crucible_firing_begin(firing, load, &loading, firing);
    rule->trial->task[scheduler_self()] = NULL;
    scheduler_step("suspended");
    if (rule->trial->chemistry->between) rule->trial->chemistry->between(rule->trial, firing);
    if (loading.decided) end_body(rule, loading.key);
    crucible_firing_end(firing);
  }
  ADD(rule->trial->ended, 1);
}

bool entered(void *context, crucible_firing *firing) {
  if (scheduler_self() != 0 && !((struct trial_rule *)context)->trial->chemistry->visits) return false;
  run_placed(context, firing, NULL);
  return true;
}

bool serve_next(struct trial *trial) {
  unsigned next = PEEK(trial->served_count);
  crucible_firing *firing = next < MOST_MOLECULES ? PUBLISHED(trial->placed[next].firing) : NULL;
  if (!firing || !CLAIM(trial->served_count, next)) return false;
  run_placed(trial->placed[next].rule, firing, trial->placed[next].origin);
  return true;
}

void serve(struct trial *trial, unsigned count) {
  while (PEEK(trial->ended) < count) {
    if (!serve_next(trial)) spin_pause();
  }
}

/// Whether the value was a branch of a select.
static bool was_branch(const struct trial *trial, void *value, crucible_reason reason) {
  if (!trial->chemistry->selects) return false;
  taking_out++;
  bool was = crucible_branch_destroy(value, reason);
  taking_out--;
  return was;
}

void destroyed(void *value, void *context, crucible_reason reason) {
  struct trial *trial = context;
  if (was_branch(trial, value, reason)) return;
  struct molecule *molecule = checked(trial, value);
  if (reason == CRUCIBLE_WITHDRAWN && !PEEK(molecule->given_up)) {
    scheduler_fail("a call is withdrawn whose caller waits for it");
  }
  uint64_t restarted = PEEK(trial->restart_returned);
  if (reason == CRUCIBLE_STOPPED_SOUP && restarted && comes_before(restarted, molecule->begun)) {
    scheduler_fail("a molecule is dropped for a stop, and was injected after the restart");
  }
  bool may_clear = PEEK(trial->cleared[molecule->name]) || drops_when_full(trial->chemistry);
  if (reason == CRUCIBLE_CLEARED && !may_clear) {
    scheduler_fail("a molecule is dropped by a clear of another name");
  }
  molecule->destroyed = true;
  crucible_waiter *waiter = molecule->is_small ? NULL : ((const struct payload *)value)->waiter;
  if (waiter) crucible_waiter_signal(waiter, 1 + (uint32_t)reason);
  ADD(trial->names[molecule->name].destroyed, 1);
  ADD(trial->by_reason[reason], 1);
  if (trial->names[molecule->name].form == FACT_NAME && reason == CRUCIBLE_STOPPED_SOUP) ADD(trial->forgotten, 1);
}
