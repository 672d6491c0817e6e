// The actions that clients of a trial perform, each with the checks that need no rest (see trial.h).
//
//   ACTION-1  an injection is refused only while the soup may be stopped, and is not accepted while the soup must be
//             stopped
//   ACTION-2  a withdrawn call returns whole, once, and was not consumed
//   ACTION-3  an injection that has returned leaves no firing behind that only its thread would run

#include <string.h>

#include "firing/bounds.h"
#include "matcher/inject.h"
#include "soup/inject.h"
#include "trial.h"
#include "types.h"
#include "weak/weak.h"

// ---------------------------------------------------------------------------------------------------------------------
// Molecules
// ---------------------------------------------------------------------------------------------------------------------

struct molecule *new_molecule(struct trial *trial, unsigned name, int64_t value) {
  unsigned index = ADD(trial->molecule_count, 1) - 1;
  if (index >= MOST_MOLECULES) scheduler_fail("the case has too many molecules");
  struct molecule *molecule = &trial->molecules[index];  // all of it is 0
  molecule->name = name;
  molecule->pusher = scheduler_self();
  molecule->value = value;
  molecule->is_small = trial->names[name].form == SMALL_NAME;
  POKE(molecule->begun, scheduler_tick());
  uses(&molecule->cargo, sizeof molecule->cargo);
  return molecule;
}

struct payload payload_of(struct molecule *molecule) {
  void *word = (char *)molecule + molecule->is_small;
  return (struct payload){.molecule = word, .complement = ~(uintptr_t)molecule};
}

struct molecule *checked(struct trial *trial, const struct payload *payload) {
  bool is_small = (uintptr_t)payload->molecule & 1;
  struct molecule *molecule = (void *)((char *)payload->molecule - is_small);
  if ((!is_small && payload->complement != ~(uintptr_t)molecule) || molecule < trial->molecules ||
      molecule >= trial->molecules + PEEK(trial->molecule_count)) {
    scheduler_fail("a payload is torn, or never was one");
  }
  if (molecule->consumed || molecule->destroyed || molecule->withdrawn) {
    scheduler_fail("molecule %d is taken twice", (int)(molecule - trial->molecules));
  }
  return molecule;
}

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

/// Checks ACTION-1 for an injection that has just returned.
static void check_answer(const struct trial *trial, const struct molecule *molecule, bool injected) {
  if (trial->other && molecule->name >= trial->first_of_other) return;  // the trial does not note when that soup stops
  uint64_t stopped = PEEK(trial->stop_returned), restarted = PEEK(trial->restart_returned);
  bool must_be = stopped > PEEK(trial->restart_begun) && comes_before(stopped, molecule->begun);
  bool may_be = PEEK(trial->stop_begun) > 0 && !(restarted && comes_before(restarted, molecule->begun));
  if (injected && must_be) scheduler_fail("an injection is accepted, and the soup is stopped");
  const struct trial_chemistry *chemistry = trial->chemistry;
  bool may_be_full = chemistry->bound.capacity > 0 || chemistry->limits.capacity > 0 || chemistry->limits.rooms > 0;
  bool is_full = may_be_full && crucible_last_refusal() == CRUCIBLE_FULL;
  may_be = may_be || PEEK(trial->drain_begun) || trial->chemistry->gone || is_full;
  if (!injected && !may_be) scheduler_fail("an injection is refused");
}

/// Checks ACTION-3: an outermost injection leaves nothing behind that was deferred to its thread (DEFER-2).
static void check_deferred(void) {
  struct thread *self = crucible__self;
  if (self && crucible__is_outermost(self) && load_acquire(&self->deferred)) {
    scheduler_fail("an injection has returned, and left a firing that its thread deferred");
  }
}

struct molecule *begin_injection(struct trial *trial, unsigned name, int64_t value) {
  ADD(trial->names[name].injected, 1);
  return new_molecule(trial, name, value);
}

/// Notes which molecule is refused: the one of the payload, which another thread may have injected (STOP-4).
static void end_refused(struct trial *trial, struct molecule *molecule, const struct payload *payload) {
  struct molecule *refused = carries(trial, molecule->name) ? checked(trial, payload) : molecule;
  if (refused->name != molecule->name || refused->refused) scheduler_fail("another molecule is refused");
  bool may_differ = PEEK(trial->stop_begun) && trial->names[molecule->name].form != CALL_NAME;
  if (refused != molecule && !may_differ) scheduler_fail("another molecule came back than was refused");
  uint64_t restarted = PEEK(trial->restart_returned);
  if (refused != molecule && restarted && comes_before(restarted, refused->begun)) {
    scheduler_fail("a molecule is taken back for a stop, and was injected after the restart");
  }
  ADD(trial->names[molecule->name].injected, -1);
  refused->refused = molecule->told = true;
}

static struct molecule *end_injection(struct trial *trial, struct molecule *molecule, const struct payload *payload,
                                      bool injected) {
  POKE(molecule->returned, scheduler_tick());
  const struct bound *bound = crucible__bound_of(trial->names[molecule->name].core);
  if (bound && !bound->options.room && load_acquire(&bound->count) > bound->options.capacity) {
    scheduler_fail("there are more molecules than the capacity");
  }
  check_answer(trial, molecule, injected);
  check_deferred();
  if (injected) return molecule;
  end_refused(trial, molecule, payload);
  return NULL;
}

/// Whether the injection passes the refusal of the stop. Then waits for the report of the stop.
static bool is_late(const struct trial *trial, const struct molecule *molecule) {
  if (!trial->late[scheduler_self()]) return false;
  uint64_t stopped = PEEK(trial->stop_begun);
  if (stopped && stopped < molecule->begun) return false;
  while (!PEEK(trial->is_told) && !PEEK(trial->restart_begun)) spin_pause();
  return true;
}

static struct molecule *inject_by(struct trial *trial, unsigned name, int64_t value, crucible_waiter *waiter,
                                  bool (*injects)(crucible_name *, void *)) {
  struct molecule *molecule = begin_injection(trial, name, value);
  struct payload payload = payload_of(molecule);
  payload.waiter = waiter;
  crucible_name *core = trial->names[name].core;
  if (is_late(trial, molecule)) injects = crucible__inject_for(core);
  bool injected = injects(core, &payload);
  return end_injection(trial, molecule, &payload, injected);
}

struct molecule *inject(struct trial *trial, unsigned name, int64_t value) {
  struct molecule *molecule = inject_by(trial, name, value, NULL, crucible_inject);
  if (!molecule) scheduler_fail("an injection is refused");
  return molecule;
}

void inject_some(struct trial *trial, unsigned name, unsigned count) {
  for (unsigned i = 0; i < count; i++) inject(trial, name, 0);
}

struct molecule *try_to_inject(struct trial *trial, unsigned name) {
  return inject_by(trial, name, 0, NULL, crucible_inject);
}

void wait_for_partner(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  uint64_t arrived = ++trial->available;
  while (trial->available < arrived + arrived % 2) spin_pause();
}

void step_on(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  enum { STEPS = 14 };
  for (int i = 0; i < 2 && PEEK(trial->molecule_count) < STEPS; i++) try_to_inject(trial, 1 - molecules[0]->name);
}

struct molecule *learn(struct trial *trial, unsigned name) {
  struct molecule *molecule = begin_injection(trial, name, 0);
  struct payload payload = payload_of(molecule);
  bool injected = crucible_inject(trial->names[name].core, &payload);
  bool is_known = !injected && crucible_last_refusal() == CRUCIBLE_KNOWN_FACT;
  if (!is_known) return end_injection(trial, molecule, &payload, injected);
  end_refused(trial, molecule, &payload);
  return NULL;
}

struct molecule *inject_unowned(struct trial *trial, unsigned name, int64_t value) {
  return inject_by(trial, name, value, NULL, crucible_inject_unowned);
}

void inject_waiting(struct trial *trial, unsigned name, crucible_waiter *waiter) {
  if (!inject_by(trial, name, 0, waiter, crucible_inject)) scheduler_fail("an injection is refused");
}

/// Injects the call at once if a reaction on this thread can answer it, as an awaited call does; else like any other.
static bool call_at_once(crucible_name *name, void *value) {
  crucible_waiter *waiter = ((struct payload *)value)->waiter;
  crucible_call kind = crucible_call_await(name, true);
  if (kind == CRUCIBLE_CALL_AT_ONCE || kind == CRUCIBLE_CALL_VISITED) {
    bool injected = (kind == CRUCIBLE_CALL_VISITED ? crucible_call_visit : crucible_call_at_once)(name, value, waiter);
    if (crucible_waiter_is_signalled(waiter) && !injected) scheduler_fail("a call ends too early");
    if (injected && !crucible_waiter_is_signalled(waiter)) crucible_waiter_leave(waiter);
    if (injected) return true;
  }
  return crucible_inject(name, value);
}

void inject_at_once(struct trial *trial, unsigned name, crucible_waiter *waiter) {
  if (!inject_by(trial, name, 0, waiter, call_at_once)) scheduler_fail("an injection is refused");
}

struct molecule *ask_unowned(struct trial *trial, unsigned name, crucible_waiter *waiter) {
  return inject_by(trial, name, 0, waiter, crucible_inject_unowned);
}

unsigned named(const struct trial *trial, char initial) {
  for (unsigned i = 0; i < trial->name_count; i++) {
    if (crucible_name_label(trial->names[i].core)[0] == initial) return i;
  }
  scheduler_fail("no name begins with %c", initial);
}

crucible_status inject_together(struct trial *trial, const char *initials) {
  enum { MOST = 8 };
  struct molecule *molecules[MOST];
  struct payload payloads[MOST];
  crucible_molecule together[MOST];
  size_t part[MOST];  // the index into `together` for each molecule; names without payload come as a number
  size_t count = strlen(initials), parts = 0;
  for (size_t i = 0; i < count; i++) {
    molecules[i] = begin_injection(trial, named(trial, initials[i]), 0);
    payloads[i] = payload_of(molecules[i]);
    bool is_void = !carries(trial, molecules[i]->name);
    if (is_void && i > 0 && initials[i] == initials[i - 1]) {
      together[parts - 1].times++;
    } else {
      crucible_name *name = trial->names[molecules[i]->name].core;
      together[parts++] = (crucible_molecule){.name = name, .value = &payloads[i], .times = is_void};
    }
    part[i] = parts - 1;
  }
  crucible_name *culprit = NULL;
  crucible_status status = CRUCIBLE_OK;
  if (!is_late(trial, molecules[0])) {
    status = crucible_inject_together(together, parts, true, &culprit);
  } else if (!crucible__inject_parts(trial->soup, together, parts)) {
    status = crucible_last_refusal();
  }
  for (size_t i = 0; i < count; i++) {
    bool injected = status == CRUCIBLE_OK || together[part[i]].value == NULL;
    if (injected || status != CRUCIBLE_NO_MEMORY) {
      end_injection(trial, molecules[i], &payloads[i], injected);
      continue;
    }
    end_refused(trial, molecules[i], &payloads[i]);
    POKE(molecules[i]->returned, scheduler_tick());
  }
  return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Calls
// ---------------------------------------------------------------------------------------------------------------------

struct molecule *call(struct trial *trial, unsigned name) {
  struct molecule *molecule = begin_injection(trial, name, 0);
  struct payload payload = payload_of(molecule);
  crucible_name *core = trial->names[name].core;
  bool injected = is_late(trial, molecule)
                      ? crucible__inject_placed(core, &payload, 0, (struct place *)&molecule->ticket)
                      : crucible_inject_tracked(core, &payload, 0, true, &molecule->ticket);
  return end_injection(trial, molecule, &payload, injected);
}

static void resumed(crucible_waiter *waiter) {
  uses(waiter->context, 1);
  *(char *)waiter->context = 1;
  hand_over(waiter);
}

void suspend(crucible_waiter *waiter) {
  char done = 0;
  uses(&done, 1);
  uses(&waiter->resume, sizeof waiter->resume + sizeof waiter->context);
  waiter->context = &done;
  waiter->resume = resumed;
  if (!crucible_waiter_suspend(waiter)) return;
  while (!done) spin_pause();
  taken_over(waiter);
}

bool withdraw(struct trial *trial, struct molecule *molecule) {
  struct payload payload = {0};
  crucible_name *name = trial->names[molecule->name].core;
  // Other threads may retry a withdrawal even before this one returns.
  POKE(molecule->given_up, true);
  if (crucible_withdraw(name, &molecule->ticket, &payload)) {
    if (checked(trial, &payload) != molecule) scheduler_fail("another call came back than was withdrawn");
    POKE(molecule->given_up, false);
    molecule->withdrawn = true;
    ADD(trial->names[molecule->name].withdrawn, 1);
  }
  if (molecule->withdrawn && crucible_withdraw(name, &molecule->ticket, &payload)) {
    scheduler_fail("a call is withdrawn twice");
  }
  return molecule->withdrawn;
}

// ---------------------------------------------------------------------------------------------------------------------
// Control
// ---------------------------------------------------------------------------------------------------------------------

static void expect(crucible_status status) {
  if (status != CRUCIBLE_OK) scheduler_fail("%s", crucible_status_text(status));
}

void pause_all(struct trial *trial) { expect(crucible_soup_pause(trial->soup)); }

void resume_all(struct trial *trial) {
  POKE(trial->silent, false);
  POKE(trial->paused, 0);
  expect(crucible_soup_resume(trial->soup));
}

bool step_once(struct trial *trial) {
  ptrdiff_t fired;
  ADD(trial->steps, 1);
  expect(crucible_soup_step(trial->soup, CRUCIBLE_ANY, &fired));
  if (fired == CRUCIBLE_ANY && PEEK(trial->steps) > 0) ADD(trial->steps, -1);
  return fired != CRUCIBLE_ANY;
}

void pause_name(struct trial *trial, unsigned name) { expect(crucible_name_set_paused(trial->names[name].core, true)); }

void resume_name(struct trial *trial, unsigned name) {
  POKE(trial->hushed[name], false);
  expect(crucible_name_set_paused(trial->names[name].core, false));
}

void wait_for_hush(struct trial *trial, unsigned name) {
  while (!crucible_soup_is_quiet(trial->soup)) spin_pause();
  POKE(trial->hushed[name], true);
}

void clear_all(struct trial *trial) {
  uint64_t dropped;
  for (unsigned i = 0; i < trial->name_count; i++) POKE(trial->cleared[i], true);
  expect(crucible_soup_clear(trial->soup, &dropped));
  ADD(trial->dropped, dropped);
}

void clear_name(struct trial *trial, unsigned name) {
  uint64_t dropped;
  POKE(trial->cleared[name], true);
  expect(crucible_name_clear(trial->names[name].core, &dropped));
  ADD(trial->dropped, dropped);
}

void expire_name(struct trial *trial, unsigned name) {
  uint64_t dropped;
  POKE(trial->cleared[name], true);
  crucible_name_expire(trial->names[name].core, UINT64_MAX, &dropped);
  ADD(trial->dropped, dropped);
}

void stop_all(struct trial *trial) {
  uint64_t dropped;
  if (!PEEK(trial->stop_begun)) POKE(trial->stop_begun, scheduler_tick());
  expect(crucible_soup_stop(trial->soup, &dropped));
  if (!PEEK(trial->stop_returned)) POKE(trial->stop_returned, scheduler_tick());
}

/// Makes the report of a stop. From now on nothing is dropped for it.
static void end_stop(struct trial *trial) {
  unsigned stops = PEEK(trial->stops);
  do wait_for_silence(trial);
  while (!crucible_soup_seal(trial->soup));
  ADD(trial->dropped, crucible_soup_end_stop(trial->soup, NULL));
  if (PEEK(trial->stops) == stops) POKE(trial->is_told, true);
}

void stop_and_empty(struct trial *trial) {
  ADD(trial->stops, 1);
  POKE(trial->is_told, false);
  stop_all(trial);
  POKE(trial->steps, 0);
  end_stop(trial);
}

void drain_and_empty(struct trial *trial) {
  uint64_t dropped;
  POKE(trial->drain_begun, scheduler_tick());
  expect(crucible_soup_drain(trial->soup, NULL, 0));
  POKE(trial->drain_returned, scheduler_tick());
  while (!crucible_soup_is_quiet(trial->soup)) spin_pause();
  POKE(trial->stop_begun, scheduler_tick());
  expect(crucible_soup_end_drain(trial->soup, &dropped));
  POKE(trial->stop_returned, scheduler_tick());
  end_stop(trial);
}

static void reset(crucible_name *state, void *context) {
  const struct trial *trial = context;
  if (trial->inside[crucible_name_index(state)][0]) scheduler_fail("a state begins again that a body works on");
  *(int64_t *)crucible_name_cell(state) = 0;
}

void restart_all(struct trial *trial) {
  POKE(trial->silent, false);
  POKE(trial->is_told, false);
  POKE(trial->restart_begun, scheduler_tick());
  for (;;) {
    crucible_status status = crucible_soup_restart(trial->soup, reset, trial);
    if (status == CRUCIBLE_OK) break;
    if (status != CRUCIBLE_NOT_QUIET) scheduler_fail("%s", crucible_status_text(status));
    spin_pause();
  }
  POKE(trial->restart_returned, scheduler_tick());
}

void wait_for_silence(struct trial *trial) {
  while (!crucible_soup_is_quiet(trial->soup)) spin_pause();
  POKE(trial->silent, true);
}
