// Holding molecules that are injected into a soup during its definition.
//
// Until the definition ends, `crucible__holding_inject` is every name's injection: molecules of any thread wait in a
// list. Then they are released, oldest first. Molecules that were injected in one step are released in one step. Other
// threads may inject in between, because a held molecule takes its place in the bag when it is released. An injection
// that reaches the list too late sees, under the lock, that the soup is frozen, and continues with the matcher.
//
// A held call can be withdrawn from the list. After its release it is withdrawn from its place, which is recorded for
// it. While it is in transit, the releasing thread withdraws it.
//
// If the definition throws, the soup is given up: what is held is destroyed, and every later injection is refused. A
// name that owns may keep the soup alive.

#include "soup/held.h"

#include <string.h>

#include "base/errors.h"
#include "base/memory.h"
#include "firing/holds.h"
#include "firing/origin.h"
#include "matcher/fact.h"
#include "matcher/inject.h"
#include "soup/inject.h"

struct held_molecule {
  struct held_molecule *next;
  crucible_molecule molecule;  ///< its value lies behind this structure, aligned
  size_t size;                 ///< of the whole
  uint64_t number;             ///< for a tracked molecule: the position in its place; 0: not tracked
  struct place place;          ///< for a tracked molecule that was released; in transit its serial number is HELD
  bool given_up;               ///< its caller tried to withdraw it after the definition
  void *origin;                ///< shared by all of them; null: it is made when they are released
  bool together;               ///< the next one was injected with it in one step
};

/// Makes a held molecule. Requires: the lock. Null: no memory.
static struct held_molecule *make_held(const crucible_molecule *molecule) {
  struct crucible_name *name = molecule->name;
  size_t size = crucible__value_size(name);
  size_t alignment = name->species->alignment;
  size_t offset = (sizeof(struct held_molecule) + alignment - 1) / alignment * alignment;
  struct held_molecule *held = crucible__allocate(offset + size, alignment);
  if (!held) return NULL;
  *held = (struct held_molecule){.molecule = *molecule, .size = offset + size};
  held->molecule.value = memcpy((char *)held + offset, molecule->value, size);
  return held;
}

static void free_all(struct held_molecule *held) {
  for (struct held_molecule *next; held; held = next) {
    next = held->next;
    crucible__free(held, held->size);
  }
}

/// Makes a list of all, or none. Requires: the lock.
static struct held_molecule *make_all_held(const crucible_molecule *molecules, size_t count,
                                           struct held_molecule **last) {
  struct held_molecule *first = NULL, **end = &first;
  for (size_t i = 0; i < count; i++) {
    struct held_molecule *held = make_held(&molecules[i]);
    if (!held) {
      free_all(first);
      return NULL;
    }
    held->together = i + 1 < count;
    *end = *last = held;
    end = &held->next;
  }
  return first;
}

/// Makes the origins of molecules that are to be held, without the lock. A reaction that needs them may still be
/// declared.
static void make_origins(const crucible_molecule *molecules, size_t count, void **origins) {
  for (size_t i = 0; i < count; i++) {
    bool wanted = load_relaxed(&molecules[i].name->origins) != NO_ORIGINS;
    origins[i] = wanted ? crucible__make_origin(crucible__counted(&molecules[i])) : NULL;
  }
}

bool crucible__hold_molecules(struct crucible_soup *soup, const crucible_molecule *molecules, size_t count,
                              struct place *place, void **origins, bool *frozen) {
  struct held_molecule *first = NULL, *last = NULL;
  *frozen = false;
  make_origins(molecules, count, origins);
  lock_acquire(&soup->lock);
  *frozen = load_acquire(&soup->frozen);
  if (!*frozen && !load_relaxed(&soup->given_up)) first = make_all_held(molecules, count, &last);
  if (first) {
    *soup->held_end = first;
    soup->held_end = &last->next;
    if (place) *place = (struct place){.serial = HELD, .position = first->number = ++soup->tracked};
    struct held_molecule *held = first;
    for (size_t i = 0; i < count; i++, held = held->next) held->origin = origins[i];
  }
  lock_release(&soup->lock);
  for (size_t i = 0; !first && !*frozen && i < count; i++) {
    crucible__end_origins(origins[i], crucible__counted(&molecules[i]));
  }
  return first != NULL;
}

/// Destroys held molecules that no definition will release.
static void destroy_all(struct held_molecule *held) {
  for (const struct held_molecule *next = held; next; next = next->next) {
    const struct crucible_name *name = next->molecule.name;
    if (name->species->destroy) name->species->destroy(next->molecule.value, name->context, CRUCIBLE_GONE);
    crucible__end_origins(next->origin, crucible__counted(&next->molecule));
  }
  free_all(held);
}

void crucible__destroy_held(struct crucible_soup *soup) {
  destroy_all(soup->held);
  soup->held = NULL;
  free_all(soup->released_held);
  soup->released_held = NULL;
}

void crucible_soup_give_up(crucible_soup *soup) {
  lock_acquire(&soup->lock);
  store_relaxed(&soup->given_up, true);
  store_relaxed(&soup->definer, 0);
  struct held_molecule *held = soup->held;
  soup->held = NULL;
  soup->held_end = &soup->held;
  lock_release(&soup->lock);
  destroy_all(held);
}

bool crucible_name_is_held(const crucible_name *name) {
  struct crucible_soup *soup = name->soup;
  if (crucible__is_inherited(soup)) return false;
  if (name->kind == CRUCIBLE_FACT) return crucible__is_known(name);
  lock_acquire(&soup->lock);
  const struct held_molecule *held = soup->held;
  while (held && held->molecule.name != name) held = held->next;
  lock_release(&soup->lock);
  return held != NULL;
}

/// Injects after the definition has ended. Takes the origin over.
static bool inject_accepted_from(struct crucible_name *name, void *value, void *origin) {
  if (crucible__inject_of(name) == crucible__refusing_inject) {
    crucible__end_origin(origin);
    return crucible__refusing_inject(name, value);
  }
  return crucible__inject_reported(name, value, 0, NULL, origin);
}

/// Stores a fact. Only the reactions wait for the end of the definition, when they learn of the fact (FACT-5).
static bool hold_fact(struct crucible_name *fact, void *value) {
  struct crucible_soup *soup = fact->soup;
  lock_acquire(&soup->lock);
  bool frozen = load_acquire(&soup->frozen);
  bool given_up = load_relaxed(&soup->given_up);
  bool stored = !frozen && !given_up && crucible__store_fact(fact, value);
  lock_release(&soup->lock);
  if (frozen) return crucible_inject(fact, value);
  if (given_up) return crucible__refuse(CRUCIBLE_GONE_SOUP);
  return stored || crucible__refuse(CRUCIBLE_KNOWN_FACT);
}

bool crucible__holding_inject(struct crucible_name *name, void *value) {
  bool frozen;
  void *origin;
  if (name->carries) return name->species->carry(name, value);
  if (UNLIKELY(name->kind == CRUCIBLE_FACT)) return hold_fact(name, value);
  const crucible_molecule molecule = {.name = name, .value = value, .times = !name->has_payload};
  if (crucible__hold_molecules(name->soup, &molecule, 1, NULL, &origin, &frozen)) return true;
  if (!frozen) return crucible__refuse(crucible__why_not_held(name->soup));
  return origin ? inject_accepted_from(name, value, origin) : crucible_inject(name, value);
}

bool crucible__is_held(struct crucible_name *name, struct place *place) {
  struct crucible_soup *soup = name->soup;
  lock_acquire(&soup->lock);
  const struct held_molecule *held = soup->released_held;
  while (held && held->number != place->position) held = held->next;
  bool waits = held && held->place.serial == HELD;
  if (held) *place = held->place;
  for (const struct held_molecule *next = soup->held; next && !held; next = next->next) {
    waits = waits || next->number == place->position;
  }
  lock_release(&soup->lock);
  return waits;
}

enum withdrawal crucible__withdraw_held(struct crucible_name *name, struct place *place, void *result) {
  struct crucible_soup *soup = name->soup;
  enum withdrawal answer = CONSUMED;
  void *origin = NULL;
  lock_acquire(&soup->lock);
  struct held_molecule *held = soup->released_held;
  while (held && held->number != place->position) held = held->next;
  if (held) {
    *place = held->place;
    held->given_up = true;  // if it is in transit, the releasing thread withdraws it
  } else {
    struct held_molecule **link = &soup->held;
    while (*link && (*link)->number != place->position) link = &(*link)->next;
    held = *link;
    if (held) {
      *link = held->next;
      if (soup->held_end == &held->next) soup->held_end = link;
      memcpy(result, held->molecule.value, crucible__value_size(name));
      origin = held->origin;
      crucible__free(held, held->size);
      answer = WITHDRAWN;
    }
  }
  lock_release(&soup->lock);
  crucible__end_origin(origin);
  return answer;
}

/// Takes the next molecules that were injected in one step, and records a tracked one in the same step. So a withdrawal
/// finds it either held or in its place. Null: none are left. `*more`: there are others, which may be withdrawn
/// meanwhile.
static struct held_molecule *take_held(struct crucible_soup *soup, bool *more) {
  lock_acquire(&soup->lock);
  struct held_molecule *first = soup->held;
  if (first) {
    struct held_molecule *last = first;
    while (last->together && last->next) last = last->next;
    soup->held = last->next;
    last->next = NULL;
    if (first->number) {
      first->place.serial = HELD;  // in transit
      first->next = soup->released_held;
      soup->released_held = first;
    }
  }
  *more = soup->held != NULL;
  lock_release(&soup->lock);
  return first;
}

/// Ends the process, because the injection has already answered that the molecule is in the soup.
static _Noreturn void die(crucible_status why) {
  const char *reason = crucible_status_text(why);
  crucible__die("molecules that were injected during a definition cannot be released: %s", reason);
}

/// Drops a molecule that could not be injected because the soup is stopped already, or the name full. Any other refusal
/// ends the process.
static void refuse(const crucible_molecule *molecule) {
  bool is_full = crucible__refusal == CRUCIBLE_FULL;
  if (!is_full && crucible__refusal != CRUCIBLE_NOT_RUNNING) die(crucible__refusal);
  crucible_destroy destroy = molecule->name->species->destroy;
  if (destroy) {
    destroy(molecule->value, molecule->name->context, is_full ? CRUCIBLE_CLEARED : CRUCIBLE_STOPPED_SOUP);
  }
  if (is_full) {
    crucible__add_dropped(molecule->name->soup, crucible__counted(molecule));
  } else {
    crucible__add_stopped(molecule->name, crucible__counted(molecule));
  }
}

/// Releases a molecule that can be withdrawn, and records its place. Withdraws it if its caller gave up meanwhile.
static void release_tracked(struct crucible_soup *soup, struct held_molecule *held) {
  struct place place = {.serial = NOWHERE};
  struct crucible_name *name = held->molecule.name;
  if (!crucible__inject_reported(name, held->molecule.value, 0, &place, held->origin)) {
    refuse(&held->molecule);
    place.serial = NOWHERE;
  }
  lock_acquire(&soup->lock);
  held->place = place;
  bool given_up = held->given_up;
  lock_release(&soup->lock);
  if (given_up && crucible__withdraw(name, &place, held->molecule.value) == WITHDRAWN) {
    crucible_destroy destroy = name->species->destroy;
    if (destroy) destroy(held->molecule.value, name->context, CRUCIBLE_WITHDRAWN);
  }
}

/// Releases the held molecules of one step.
static void release_step(struct crucible_soup *soup, struct held_molecule *first) {
  if (first->number) {
    release_tracked(soup, first);
    return;
  }
  // A molecule that was injected alone is injected by the name's own function.
  if (!first->next && crucible__counted(&first->molecule) == 1) {
    const crucible_molecule *one = &first->molecule;
    bool injected = first->origin ? inject_accepted_from(one->name, one->value, first->origin)
                                  : crucible__inject_accepted(one->name, one->value);
    if (!injected) refuse(one);
    crucible__free(first, first->size);
    return;
  }
  size_t count = 0;
  for (struct held_molecule *held = first; held; held = held->next) count++;
  crucible_molecule *molecules = crucible__allocate(count * (sizeof *molecules + sizeof(void *)), CRUCIBLE_LINE);
  if (!molecules) die(CRUCIBLE_NO_MEMORY);
  void **origins = (void **)(void *)(molecules + count);
  count = 0;
  for (struct held_molecule *held = first; held; held = held->next) {
    origins[count] = held->origin;
    molecules[count++] = held->molecule;
  }
  bool injected = crucible__inject_together(soup, molecules, count, origins);
  crucible_status why = crucible__refusal;
  for (size_t i = 0; !injected && i < count; i++) {
    crucible__refusal = why;  // values that are destroyed may inject
    if (molecules[i].value) refuse(&molecules[i]);
  }
  crucible__free(molecules, count * (sizeof *molecules + sizeof(void *)));
  free_all(first);
}

void crucible__release_held(struct crucible_soup *soup) {
  for (bool more = true; more;) {
    struct held_molecule *held = take_held(soup, &more);
    if (held) release_step(soup, held);
  }
}
