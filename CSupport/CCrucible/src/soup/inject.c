// Injecting and withdrawing by callers that may not own the soup. The common case, an owner's single injection, is
// inline in the header.
//
// A name that does not own first checks whether the innermost body on this thread belongs to its soup, which then
// lives. Otherwise it acquires a hold for the duration of the call.
//
// A soup that is drained refuses injections from outside. These are injections by owners, unless the innermost body on
// their thread belongs to the soup. The names of a definition do not own. So bodies, and the tasks and callbacks that
// they start, can still inject by them.

#include "soup/inject.h"

#include <string.h>

#include "base/errors.h"
#include "base/memory.h"
#include "firing/firing.h"
#include "firing/holds.h"
#include "firing/origin.h"
#include "firing/stripes.h"
#include "matcher/inject.h"
#include "pool/pool.h"
#include "soup/held.h"
#include "soup/soup.h"

_Static_assert(sizeof(struct place) == sizeof(crucible_ticket), "a ticket is a place");

bool crucible__refusing_inject(struct crucible_name *name, void *value) {
  (void)value;
  if (crucible__is_inherited(name->soup)) return crucible__refuse(CRUCIBLE_INHERITED_SOUP);
  return crucible__refuse(crucible_soup_is_closed(name->soup) ? CRUCIBLE_GONE_SOUP : CRUCIBLE_NOT_RUNNING);
}

/// Whether the innermost body on this thread belongs to the soup.
static bool is_inside(const struct crucible_soup *soup) {
  const struct thread *self = crucible__self;
  return self && crucible__runs_in(self, soup);
}

/// Ensures that the soup lives during a call by a thread that does not own it. `*held`: the caller must release a hold.
static bool ensure_alive(struct crucible_soup *soup, bool *held) {
  *held = false;
  return LIKELY(is_inside(soup)) || (*held = crucible_soup_hold(soup));
}

/// Warns, and refuses. It is not inlined: the compiler would then leave ensure_alive out of line with it.
static NOINLINE bool refuse_gone(crucible_name *name) {
  const struct chemistry *place = name->soup->place;
  if (place->options.warn) place->options.warn(name, 0);
  return crucible__refuse(CRUCIBLE_GONE_SOUP);
}

/// Injects for a caller without a hold. It is called, not jumped to: where frame pointers are kept, the compiler then
/// makes a frame only on this path of crucible_inject_unowned.
static __attribute__((noinline, not_tail_called)) bool hold_and_inject(crucible_name *name, void *value) {
  struct crucible_soup *soup = name->soup;
  if (!crucible_soup_hold(soup)) return refuse_gone(name);
  bool injected = crucible__inject_accepted(name, value);
  crucible__soup_release_holds(soup, CRUCIBLE_OWNER);
  return injected;
}

bool crucible_inject_unowned(crucible_name *name, void *value) {
  return LIKELY(is_inside(name->soup)) ? crucible_inject(name, value) : hold_and_inject(name, value);
}

// ---------------------------------------------------------------------------------------------------------------------
// Observing
// ---------------------------------------------------------------------------------------------------------------------
// An observed soup injects by a function of its own, so that other soups pay nothing.

void crucible__notify(struct crucible_name *name, const void *value, uint64_t count, crucible_stage stage) {
  struct crucible_soup *soup = name->soup;
  if (UNLIKELY(load_relaxed(&soup->observed))) {
    soup->place->options.notify(crucible_soup_context(soup), name, value, count, stage);
  }
}

/// Injects, and reports first, because the molecule may be consumed before the injection has returned.
static bool observed_inject(struct crucible_name *name, void *value) {
  crucible__notify(name, value, 1, CRUCIBLE_BEGINS);
  return crucible__reported(name, value, crucible__inject_for(name)(name, value));
}

/// Returns the function that injects a name of a soup that is neither stopped nor drained.
static inject_function open_inject(const struct crucible_name *name) {
  if (name->species->carry) return name->species->carry;
  if (UNLIKELY(crucible__has_origins(name))) return crucible__inject_with_origin;
  return load_relaxed(&name->soup->observed) ? observed_inject : crucible__inject_for(name);
}

bool crucible__draining_inject(struct crucible_name *name, void *value) {
  return is_inside(name->soup) ? open_inject(name)(name, value) : crucible__refuse(CRUCIBLE_NOT_RUNNING);
}

bool crucible__inject_accepted(struct crucible_name *name, void *value) {
  inject_function inject = crucible__inject_of(name);
  return (inject == crucible__draining_inject ? open_inject(name) : inject)(name, value);
}

bool crucible__feed(struct crucible_name *name, void *value) { return open_inject(name)(name, value); }

/// Whether the soup refuses molecules of the name that are not injected one by one. If so, sets the reason.
static bool refuses(struct crucible_name *name, bool owns) {
  inject_function inject = crucible__inject_of(name);
  if (inject == crucible__refusing_inject) return !inject(name, NULL);
  return inject == crucible__draining_inject && owns && !is_inside(name->soup) &&
         !crucible__refuse(CRUCIBLE_NOT_RUNNING);
}

void crucible__open_name(struct crucible_name *name) {
  inject_function inject = name->soup->draining ? crucible__draining_inject : open_inject(name);
  store_release(&name->inject, inject);  // partner: the load in crucible_inject
}

void crucible_soup_observe(crucible_soup *soup, bool observe) {
  if (crucible__is_inherited(soup)) return;
  lock_acquire(&soup->lock);
  store_relaxed(&soup->observed, observe);
  bool open = load_acquire(&soup->frozen) && !soup->stopped && !soup->restarting;
  for (uint32_t i = 0; open && i < soup->name_count; i++) crucible__open_name(soup->names[i]);
  lock_release(&soup->lock);
}

void crucible_soup_set_reaction_context(crucible_soup *soup, size_t reaction, void *context) {
  store_release(&soup->reactions[reaction]->context, context);  // partner: the acquire in crucible__context
}

static inline bool inject_placed(struct crucible_name *name, void *value, uint64_t attempts, struct place *place,
                                 void *origin) {
  return origin                        ? crucible__inject_from(name, value, attempts, place, origin)
         : crucible__has_origins(name) ? crucible__inject_by_own(name, value, attempts, place)
                                       : crucible__inject_placed(name, value, attempts, place);
}

bool crucible__inject_reported(struct crucible_name *name, void *value, uint64_t attempts, struct place *place,
                               void *origin) {
  crucible__notify(name, value, 1, CRUCIBLE_BEGINS);
  return crucible__reported(name, value, inject_placed(name, value, attempts, place, origin));
}

static bool inject_tracked(struct crucible_name *name, void *value, uint64_t attempts, bool owns, struct place *place) {
  if (refuses(name, owns)) return false;
  void *origin = NULL;
  if (crucible__inject_of(name) == crucible__holding_inject) {
    bool frozen;
    const crucible_molecule molecule = {.name = name, .value = value};
    if (crucible__hold_molecules(name->soup, &molecule, 1, place, &origin, &frozen)) return true;
    if (!frozen) return crucible__refuse(crucible__why_not_held(name->soup));
  }
  return UNLIKELY(load_relaxed(&name->soup->observed))
             ? crucible__inject_reported(name, value, attempts, place, origin)
             : inject_placed(name, value, attempts, place, origin);
}

bool crucible_inject_tracked(crucible_name *name, void *value, uint64_t attempts, bool owns, crucible_ticket *ticket) {
  bool held;
  struct place place = {.serial = NOWHERE};
  if (!ensure_alive(name->soup, &held)) return refuse_gone(name);
  bool injected = inject_tracked(name, value, attempts, owns, &place);
  memcpy(ticket, &place, sizeof place);
  if (held) crucible_soup_release(name->soup);
  return injected;
}

/// Counts the molecules of the components from `first` on off, because they were not injected.
static bool refuse_rest(struct crucible_soup *soup, uint32_t first, const crucible_molecule *molecules, size_t count) {
  crucible_status why = crucible__refusal;
  for (uint32_t c = first; c < soup->component_count; c++) crucible__count_off(&soup->components[c], molecules, count);
  return crucible__refuse(why);
}

bool crucible__inject_parts(struct crucible_soup *soup, crucible_molecule *molecules, size_t count) {
  if (!crucible__count_on(molecules, count)) return crucible__refuse(CRUCIBLE_FULL);
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    bool concerned = false;
    for (size_t i = 0; i < count; i++) concerned = concerned || molecules[i].name->component == component;
    if (!concerned) continue;
    if (!crucible__inject_component(component, molecules, count)) return refuse_rest(soup, c, molecules, count);
    for (size_t i = 0; i < count; i++) {
      if (molecules[i].name->component == component) molecules[i].value = NULL;
    }
  }
  return true;
}

bool crucible__inject_together(struct crucible_soup *soup, crucible_molecule *molecules, size_t count,
                               void *const *origins) {
  bool has_origins = false;
  for (size_t i = 0; i < count; i++) {
    crucible__notify(molecules[i].name, molecules[i].value, crucible__counted(&molecules[i]), CRUCIBLE_BEGINS);
    has_origins = has_origins || crucible__has_origins(molecules[i].name);
  }
  if (has_origins ? crucible__inject_parts_with_origins(soup, molecules, count, origins)
                  : crucible__inject_parts(soup, molecules, count)) {
    bool observed = load_relaxed(&soup->observed);
    for (size_t i = 0; UNLIKELY(observed) && i < count; i++) {
      crucible__notify(molecules[i].name, NULL, crucible__counted(&molecules[i]), CRUCIBLE_ENDED);
    }
    return true;
  }
  crucible_status why = crucible__refusal;
  for (size_t i = 0; i < count; i++) {
    crucible_stage stage = molecules[i].value ? CRUCIBLE_REFUSED : CRUCIBLE_ENDED;
    crucible__notify(molecules[i].name, molecules[i].value, crucible__counted(&molecules[i]), stage);
  }
  return crucible__refuse(why);
}

/// Injects while the definition has not ended, or has just ended.
static crucible_status hold_all(struct crucible_soup *soup, crucible_molecule *molecules, size_t count) {
  void **origins = crucible__allocate(count * sizeof *origins, CRUCIBLE_LINE);
  if (!origins) return CRUCIBLE_NO_MEMORY;
  bool frozen;
  bool injected = crucible__hold_molecules(soup, molecules, count, NULL, origins, &frozen);
  crucible_status why = crucible__why_not_held(soup);
  if (!injected && frozen) {
    injected = crucible__inject_together(soup, molecules, count, origins);
    why = crucible__refusal;
  }
  crucible__free(origins, count * sizeof *origins);
  return injected ? CRUCIBLE_OK : why;
}

static crucible_status inject_all(struct crucible_soup *soup, crucible_molecule *molecules, size_t count, bool owns) {
  if (refuses(molecules[0].name, owns)) return crucible__refusal;
  if (crucible__inject_of(molecules[0].name) == crucible__holding_inject) return hold_all(soup, molecules, count);
  return crucible__inject_together(soup, molecules, count, NULL) ? CRUCIBLE_OK : crucible__refusal;
}

crucible_status crucible_inject_together(crucible_molecule *molecules, size_t count, bool owns,
                                         crucible_name **culprit) {
  *culprit = NULL;
  if (count == 0) return CRUCIBLE_OK;
  struct crucible_soup *soup = molecules[0].name->soup;
  uint64_t counted = 0;
  for (size_t i = 0; i < count; i++) {
    *culprit = molecules[i].name;
    if (molecules[i].name->soup != soup) return CRUCIBLE_FOREIGN_NAME;
    uint64_t more = molecules[i].name->has_payload ? 0 : molecules[i].times;
    if (more > CRUCIBLE_MAX_TIMES || (counted += more) > CRUCIBLE_MAX_TIMES) return CRUCIBLE_TOO_MANY_MOLECULES;
  }
  *culprit = NULL;
  bool held;
  if (!ensure_alive(soup, &held)) return CRUCIBLE_GONE_SOUP;
  crucible_status status = inject_all(soup, molecules, count, owns);
  if (held) crucible_soup_release(soup);
  return status;
}

/// Withdraws a molecule of a name whose molecules have origins.
static enum withdrawal withdraw_with_origin(struct thread *self, struct crucible_name *name, const struct place *place,
                                            void *result, void **origin) {
  CRUCIBLE_FIRING(room, name->component);
  enum withdrawal answer = name->component->matcher->withdraw(self, name, place, room.storage);
  if (answer == WITHDRAWN) {
    memcpy(result, room.storage, name->species->value_size);
    *origin = *crucible__origin_of(name, room.storage);
  }
  CRUCIBLE_FIRING_END(room, name->component);
  return answer;
}

enum withdrawal crucible__withdraw(struct crucible_name *name, const struct place *place, void *result) {
  void *origin = NULL;
  if (place->serial == NOWHERE) return CONSUMED;
  // A call that is left in the soup would have no caller.
  struct thread *self = crucible__thread_for("for a thread that withdraws a call");
  struct stripe *stripe = crucible__enter(self, name->soup);
  enum withdrawal answer = crucible__has_origins(name)
                               ? withdraw_with_origin(self, name, place, result, &origin)
                               : name->component->matcher->withdraw(self, name, place, result);
  if (answer == WITHDRAWN) fetch_add_relaxed(&name->soup->withdrawn, 1);
  crucible__leave(stripe, name->soup);
  crucible__end_origin(origin);
  return answer;
}

void crucible_inject_withdrawn(crucible_name *name) {
  crucible__notify(name, NULL, 1, CRUCIBLE_BEGINS);
  fetch_add_relaxed(&name->soup->withdrawn, 1);
  crucible__notify(name, NULL, 1, CRUCIBLE_ENDED);
}

bool crucible_still_waits(crucible_name *name, const crucible_ticket *ticket) {
  struct place place;
  memcpy(&place, ticket, sizeof place);
  bool held;
  if (crucible__is_inherited(name->soup) || !ensure_alive(name->soup, &held)) return false;
  bool waits = place.serial == HELD && crucible__is_held(name, &place);
  if (!waits && place.serial < HELD) waits = name->component->matcher->holds(name, &place);
  if (held) crucible_soup_release(name->soup);
  return waits;
}

bool crucible_withdraw(crucible_name *name, const crucible_ticket *ticket, void *value) {
  struct place place;
  memcpy(&place, ticket, sizeof place);
  bool held;
  // The bag of a name without callers has a cell, which a withdrawal does not know. A pop would wait for the molecule
  // forever.
  if (crucible__is_inherited(name->soup) || !crucible__has_callers(name)) return false;
  if (!ensure_alive(name->soup, &held)) return false;
  enum withdrawal answer = CONSUMED;
  if (place.serial == HELD) {
    answer = crucible__withdraw_held(name, &place, value);
    if (answer == WITHDRAWN) fetch_add_relaxed(&name->soup->withdrawn, 1);
  }
  if (answer == CONSUMED && place.serial != HELD) answer = crucible__withdraw(name, &place, value);
  if (held) crucible_soup_release(name->soup);
  return answer == WITHDRAWN;
}
