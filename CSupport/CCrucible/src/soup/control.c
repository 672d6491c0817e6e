// Control: pause and resume, clear, stop and restart of a soup, per component atomic.
//
//   running ──pause──→ paused        no reaction fires, and molecules accumulate
//      ↑───────resume─────┘          the accumulated molecules react; a step lets one reaction fire before that
//   any ──stop──→ stopped            no reaction fires, new injections are refused, and waiting molecules are dropped;
//      ↑──restart─────┘              running bodies and reserved firings continue to their end, and leave their states
//   running ──drain──→ draining      injections from outside are refused (inject.c), everything else continues; names
//                                    that announce the drain are injected once; it ends with a stop
//
// A name can be paused alone. Then the reactions that consume it do not fire, its molecules accumulate, and everything
// else continues. An injection in progress may still fire a reaction that it has tested before.
//
// A stop does not wait. A caller that needs a quiet soup waits for that (quiet.c). Then it seals the soup, and waits
// until it is quiet again. From then on injections that had passed the refusal are refused all the same (STOP-3). So
// the caller can report what the stop has dropped (untold.c). Stops and restarts take turns under the soup's lock.
// Injections do not use it.

#include "base/errors.h"
#include "firing/bounds.h"
#include "firing/firing.h"
#include "firing/stripes.h"
#include "matcher/fact.h"
#include "matcher/inject.h"
#include "matcher/keyed/keys.h"
#include "soup/held.h"
#include "soup/inject.h"
#include "soup/soup.h"

bool crucible_soup_is_frozen(crucible_soup *soup) {
  if (crucible__is_inherited(soup)) return false;
  lock_acquire(&soup->lock);
  bool frozen = load_acquire(&soup->frozen);
  lock_release(&soup->lock);
  return frozen;
}

/// Whether the soup can be controlled now in this process.
static crucible_status check(struct crucible_soup *soup) {
  if (crucible_soup_is_frozen(soup)) return CRUCIBLE_OK;
  return soup->inherited ? CRUCIBLE_INHERITED_SOUP : CRUCIBLE_NOT_FROZEN;
}

/// Applies `paused`, `stopped` and `sealed` to all components. A component that is stopped is paused iff it is sealed
/// (STOP-3). Requires: the lock.
static void control_all(struct crucible_soup *soup) {
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    component->matcher->control(component, soup->stopped ? soup->sealed : soup->paused, soup->stopped);
  }
}

/// Fires the enabled reactions of all components. Requires: no lock, because bodies may run.
static void settle_all(struct crucible_soup *soup) {
  crucible__settle_several(crucible__thread_for("to resume a soup"), soup, NULL);
}

static crucible_status set_paused(crucible_soup *soup, bool paused) {
  crucible_status status = check(soup);
  if (status != CRUCIBLE_OK) return status;
  lock_acquire(&soup->lock);
  bool resumes = soup->paused && !paused;
  soup->paused = paused;
  control_all(soup);
  lock_release(&soup->lock);
  if (resumes) settle_all(soup);
  return CRUCIBLE_OK;
}

crucible_status crucible_soup_pause(crucible_soup *soup) { return set_paused(soup, true); }
crucible_status crucible_soup_resume(crucible_soup *soup) { return set_paused(soup, false); }

crucible_status crucible_soup_step(crucible_soup *soup, ptrdiff_t only, ptrdiff_t *fired) {
  *fired = CRUCIBLE_ANY;
  crucible_status status = check(soup);
  if (status != CRUCIBLE_OK || soup->component_count == 0) return status;
  struct thread *self = crucible__thread();
  if (!self) return CRUCIBLE_NO_MEMORY;
  struct reaction *chosen = only == CRUCIBLE_ANY ? NULL : soup->reactions[only];
  uint32_t count = chosen ? 1 : soup->component_count;
  uint32_t first = chosen ? chosen->component->layout->index : crucible__choose(self, soup, count);
  // The matchers check whether the soup is paused, because no lock is held while a body runs.
  for (uint32_t c = 0; c < count && *fired == CRUCIBLE_ANY; c++) {
    struct component *component = &soup->components[(first + c) % soup->component_count];
    const struct reaction *reaction = crucible__step(self, component, chosen);
    if (reaction) *fired = (ptrdiff_t)reaction->rule->index;
  }
  return CRUCIBLE_OK;
}

static struct stripe *enter(struct crucible_soup *soup) {
  return crucible__enter(crucible__thread_for("to control a soup"), soup);
}

crucible_status crucible_name_set_paused(crucible_name *name, bool paused) {
  struct crucible_soup *soup = name->soup;
  crucible_status status = check(soup);
  if (status != CRUCIBLE_OK) return status;
  if (name->kind == CRUCIBLE_FACT) return CRUCIBLE_OK;  // the inputs that its readers consume pause them
  struct crucible_name *stored = crucible__stored(name);
  struct stripe *stripe = enter(soup);
  lock_acquire(&soup->lock);
  store_relaxed(&name->paused, paused);
  store_relaxed(&stored->paused, paused);
  stored->component->matcher->pause_name(stored);
  lock_release(&soup->lock);
  crucible__settle(crucible__self, stored->component);  // molecules added meanwhile are enabled, or dropped by a stop
  crucible__leave(stripe, soup);
  return CRUCIBLE_OK;
}

bool crucible_name_is_paused(const crucible_name *name) { return load_relaxed(&name->paused); }

/// Drops the molecules of `only`, or of all names if `only` is null, and returns their number. It runs without the
/// lock, because destroying values may run any code. `stripe` belongs to the entry that keeps the soup from being
/// quiet.
static uint64_t drop(struct crucible_soup *soup, const struct crucible_name *only, struct stripe *stripe,
                     crucible_reason reason) {
  uint64_t dropped = 0;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    if (!only || only->component == component) dropped += component->matcher->drop(component, only, reason);
  }
  crucible__add_dropped(soup, dropped);  // before leaving: a check that finds the soup quiet finds them counted
  crucible__leave(stripe, soup);
  return dropped;
}

static crucible_status clear(struct crucible_soup *soup, const struct crucible_name *only, uint64_t *dropped) {
  crucible_status status = check(soup);
  *dropped = status == CRUCIBLE_OK ? drop(soup, only, enter(soup), CRUCIBLE_CLEARED) : 0;
  return status;
}

crucible_status crucible_soup_clear(crucible_soup *soup, uint64_t *dropped) { return clear(soup, NULL, dropped); }
crucible_status crucible_name_clear(crucible_name *name, uint64_t *dropped) {
  return clear(name->soup, crucible__stored(name), dropped);
}

crucible_status crucible_soup_drain(crucible_soup *soup, crucible_name *const *announced, size_t count) {
  crucible_status status = check(soup);
  if (status != CRUCIBLE_OK) return status;
  lock_acquire(&soup->lock);
  // Entered under the lock: another drain, which finds this one begun, finds the soup quiet only after the injections.
  bool announces = count > 0 && !soup->draining && !soup->stopped;
  struct stripe *stripe = announces ? enter(soup) : NULL;
  soup->draining = !soup->stopped;
  // During a restart, the end of the restart opens the names.
  bool open = soup->draining && !soup->restarting;
  for (uint32_t i = 0; open && i < soup->name_count; i++) crucible__open_name(soup->names[i]);
  lock_release(&soup->lock);
  if (!announces) return CRUCIBLE_OK;
  char none;  // no byte of it is read
  for (size_t i = 0; i < count; i++) crucible__inject_accepted(announced[i], &none);
  crucible__leave(stripe, soup);  // of a thread that shares the crowd's counter it is null
  return CRUCIBLE_OK;
}

uint64_t crucible_name_expire(crucible_name *name, uint64_t now, uint64_t *dropped) {
  *dropped = 0;
  if (check(name->soup) != CRUCIBLE_OK) return 0;
  struct stripe *stripe = enter(name->soup);
  struct crucible_name *stored = crucible__stored(name);
  uint64_t next = stored->component->matcher->expire(stored, now, dropped);
  if (name->kind == CRUCIBLE_STATE) crucible__settle(crucible__self, stored->component);
  crucible__leave(stripe, name->soup);
  return next;
}

bool crucible_name_expire_one(crucible_name *name, const crucible_ticket *ticket) {
  struct place place;
  memcpy(&place, ticket, sizeof place);
  if (check(name->soup) != CRUCIBLE_OK) return name->soup->inherited || load_relaxed(&name->soup->given_up);
  if (place.serial == HELD && crucible__is_held(name, &place)) return false;
  if (place.serial >= HELD) return true;
  CRUCIBLE_FIRING(room, name->component);
  struct stripe *stripe = enter(name->soup);
  if (name->component->matcher->withdraw(crucible__self, name, &place, room.storage) == WITHDRAWN) {
    crucible__end_unconsumed(name, room.storage, CRUCIBLE_EXPIRED, name->species->expiry->into);
  }
  crucible__leave(stripe, name->soup);
  CRUCIBLE_FIRING_END(room, name->component);
  return true;
}

uint64_t crucible_name_age(crucible_name *name) {
  const crucible_expiry_options *expiry = name->species->expiry;
  uint64_t none, due = expiry && name->kind == CRUCIBLE_SLOW ? crucible_name_expire(name, 0, &none) : 0;
  if (due == 0) return 0;
  uint64_t now = expiry->now(expiry->context), since = due - expiry->lifetime;
  return now > since ? now - since : 0;
}

/// Stops all components. Requires: the lock. Returns the stripe of an entry, which keeps the soup from being quiet
/// until the waiting molecules are dropped.
static struct stripe *stop_all(struct crucible_soup *soup) {
  soup->draining = false;
  soup->stopped = true;
  soup->sealed = false;
  soup->stops++;
  // FACT-3; partner: the addition of 0 by an injection of a fact
  exchange_acq_rel(&soup->closed, 1);
  control_all(soup);
  for (uint32_t i = 0; i < soup->name_count; i++) {
    store_release(&soup->names[i]->inject, crucible__refusing_inject);  // partner: the load in crucible_inject
  }
  return enter(soup);
}

static crucible_status stop_soup(struct crucible_soup *soup, bool only_if_draining, uint64_t *dropped) {
  *dropped = 0;
  crucible_status status = check(soup);
  if (status != CRUCIBLE_OK) return status;
  lock_acquire(&soup->lock);
  bool stops = !only_if_draining || soup->draining;
  // under the lock, so that no restart begins before the drop is over
  struct stripe *stripe = stops ? stop_all(soup) : NULL;
  lock_release(&soup->lock);
  if (stops) *dropped = drop(soup, NULL, stripe, CRUCIBLE_STOPPED_SOUP);
  return CRUCIBLE_OK;
}

void crucible__close(struct crucible_soup *soup) {
  lock_acquire(&soup->lock);
  struct stripe *stripe = stop_all(soup);
  lock_release(&soup->lock);
  drop(soup, NULL, stripe, CRUCIBLE_GONE);
}

crucible_status crucible_soup_stop(crucible_soup *soup, uint64_t *dropped) { return stop_soup(soup, false, dropped); }
crucible_status crucible_soup_end_drain(crucible_soup *soup, uint64_t *dropped) {
  return stop_soup(soup, true, dropped);
}

bool crucible_soup_seal(crucible_soup *soup) {
  if (crucible__is_inherited(soup)) return false;
  lock_acquire(&soup->lock);
  bool restarting = soup->restarting;  // a stop meanwhile is sealed afterwards
  if (soup->stopped && !restarting && !soup->sealed) {
    soup->sealed = true;
    control_all(soup);
  }
  lock_release(&soup->lock);
  return !restarting && crucible_soup_is_quiet(soup);
}

uint64_t crucible_soup_end_stop(crucible_soup *soup, uint64_t *counts) {
  if (crucible__is_inherited(soup)) return 0;
  lock_acquire(&soup->lock);
  bool stopped = soup->stopped && !soup->restarting;
  struct stripe *stripe = stopped ? enter(soup) : NULL;
  lock_release(&soup->lock);
  if (stopped) drop(soup, NULL, stripe, CRUCIBLE_STOPPED_SOUP);
  return crucible__tell_stopped(soup, counts);
}

void crucible_soup_visit_states(crucible_soup *soup, void (*visit)(crucible_name *state, void *context),
                                void *context) {
  if (crucible__is_inherited(soup)) return;
  lock_acquire(&soup->lock);
  // Since the soup is stopped, no thread takes a state that is there.
  uint32_t count = soup->stopped && !soup->restarting ? soup->component_count : 0;
  for (uint32_t c = 0; c < count; c++) {
    struct component *component = &soup->components[c];
    uint64_t by_bit[CRUCIBLE_MAX_NAMES];
    if (crucible__is_keyed(component)) continue;
    component->matcher->counts(component, by_bit);
    for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
      if (component->names[bit]->kind == CRUCIBLE_STATE && by_bit[bit]) visit(component->names[bit], context);
    }
  }
  lock_release(&soup->lock);
}

/// Takes the seal off, so that every thread that has found it is in progress until it ends (STOP-5). Requires: the
/// lock.
static void unseal(struct crucible_soup *soup) {
  if (!soup->sealed) return;
  soup->sealed = false;
  control_all(soup);
}

/// Acquires the right to restart.
static crucible_status begin_restart(struct crucible_soup *soup, uint64_t *stops) {
  if (crucible__is_inherited(soup)) return CRUCIBLE_INHERITED_SOUP;
  crucible_status status = CRUCIBLE_OK;
  lock_acquire(&soup->lock);
  if (!load_acquire(&soup->frozen)) {
    status = CRUCIBLE_NOT_FROZEN;
  } else if (!soup->stopped || soup->restarting) {
    status = CRUCIBLE_NOT_STOPPED;
  } else {
    unseal(soup);
    soup->restarting = crucible_soup_is_quiet(soup);
    status = soup->restarting ? CRUCIBLE_OK : CRUCIBLE_NOT_QUIET;
    *stops = soup->stops;
  }
  lock_release(&soup->lock);
  return status;
}

/// Restarts all components. Requires: the lock. False: some thread may still drop a molecule for the stop.
static bool restart_all(struct crucible_soup *soup) {
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    if (component->matcher->restart && !component->matcher->restart(component)) return false;
  }
  return true;
}

/// Injects the molecules of `room` that a stop has refused (BOUND-2). Requires: the matchers run, and no name is open.
static void restore_rooms(struct crucible_soup *soup) {
  for (uint32_t i = 0; i < soup->name_count; i++) {
    const struct bound *bound = crucible__bound_of(soup->names[i]);
    if (!bound || !bound->options.room) continue;
    struct crucible_name *room = crucible__stored(bound->options.room);
    uint64_t counts[CRUCIBLE_MAX_NAMES];
    room->component->matcher->counts(room->component, counts);
    for (uint64_t count = counts[room->bit]; count < bound->options.rooms; count++) {
      crucible__feed(bound->options.room, NULL);
    }
  }
}

/// Opens the names, unless the soup has been stopped again meanwhile. False: some thread may still drop a molecule for
/// the stop.
static bool reopen_all(struct crucible_soup *soup) {
  lock_acquire(&soup->lock);
  bool over = soup->stopped || restart_all(soup);
  if (over) {
    soup->restarting = false;
    for (uint32_t i = 0; !soup->stopped && i < soup->name_count; i++) crucible__open_name(soup->names[i]);
  }
  lock_release(&soup->lock);
  return over;
}

crucible_status crucible_soup_restart(crucible_soup *soup, void (*reset)(crucible_name *state, void *context),
                                      void *context) {
  uint64_t stops;
  crucible_status status = begin_restart(soup, &stops);
  if (status != CRUCIBLE_OK) return status;
  // The soup is stopped and quiet, so the states are in their cells. No thread takes them, or reads a fact, before the
  // control bit is cleared.
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (soup->names[i]->kind == CRUCIBLE_STATE && !soup->names[i]->species->key) reset(soup->names[i], context);
    if (soup->names[i]->kind == CRUCIBLE_FACT) crucible__forget_fact(soup->names[i]);
  }
  for (uint32_t c = 0; c < soup->component_count; c++) {
    if (crucible__is_keyed(&soup->components[c])) {
      crucible__forget_keys(&soup->components[c], CRUCIBLE_STOPPED_SOUP);
    }
  }
  lock_acquire(&soup->lock);
  if (soup->stops != stops) {
    // The soup was stopped once more. That thread may still be dropping, and would also drop molecules that are
    // injected from now on.
    soup->restarting = false;
    lock_release(&soup->lock);
    return CRUCIBLE_NOT_QUIET;
  }
  soup->stopped = false;
  // partner: the addition of 0 by an injection of a fact, which finds all facts forgotten
  exchange_acq_rel(&soup->closed, 0);
  control_all(soup);
  lock_release(&soup->lock);
  restore_rooms(soup);
  // The lock is free between two attempts, because a late dropper destroys values, which may run any code.
  while (!reopen_all(soup)) spin_pause();
  settle_all(soup);
  return CRUCIBLE_OK;
}

void crucible_soup_refuse_restarts(crucible_soup *soup) { soup->refuses_restarts = true; }
bool crucible_soup_refuses_restarts(const crucible_soup *soup) { return soup->refuses_restarts; }

/// Reads one of the marks that the soup's lock protects.
static bool is_set(crucible_soup *soup, const bool *mark) {
  if (crucible__is_inherited(soup)) return false;
  lock_acquire(&soup->lock);
  bool set = *mark;
  lock_release(&soup->lock);
  return set;
}

bool crucible_soup_is_paused(crucible_soup *soup) { return is_set(soup, &soup->paused); }
bool crucible_soup_is_stopped(crucible_soup *soup) { return is_set(soup, &soup->stopped); }
bool crucible_soup_is_draining(crucible_soup *soup) { return is_set(soup, &soup->draining); }

bool crucible_soup_is_inside(const crucible_soup *soup) {
  const struct thread *self = crucible__self;
  return self && self->depth > 0 && (self->depth > 1 || crucible__runs_in(self, soup));
}
