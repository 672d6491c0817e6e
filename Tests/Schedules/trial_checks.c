// Invariants of every soup at rest.
//
//   TRIAL-1  every molecule is consumed, withdrawn or destroyed at most once, whole, and as the name it was injected
//       under; a refused one stays the caller's
//   TRIAL-2  injected = consumed + withdrawn + dropped + counted, for each name; a state is in its cell; the soup's
//       counts of dropped and withdrawn molecules are true; each dropped molecule is told once, by the report of the
//       stop that dropped it, or by the call that cleared it
//   TRIAL-3  no reaction is enabled, unless the soup, or a name of its pattern, is stopped or paused; nothing waits in
//       a soup that is stopped
//   TRIAL-4  word: no field is above its limit, no guard set; counts are spilled only if the field is at its limit
//   TRIAL-5  among the molecules that one thread injected under one name, none was consumed while an older one still
//       waits
//   TRIAL-6  when the soup goes, the molecules that waited are destroyed, and no byte of the soup stays
//   TRIAL-7  no call waits after its caller has given up
//   TRIAL-8  each origin ends as often as it was made for: a body takes the origin of the molecule that it consumes,
//       made by the injector of that molecule; a firing that does not take place leaves none
//   TRIAL-9  a body finds the value of each fact that it reads, and all that the injector of the fact wrote before; a
//       fact is injected once, until it is forgotten
//   TRIAL-10  in a case with keys, the molecules of a body have one key; a state of a key is made before the first body
//       that has it, and no key or state outlives the soup
//   TRIAL-11  a name with a capacity counts the molecules that wait, and they are not too many

#include "trial_parts.h"

#include <string.h>

#include "../books.h"
#include "base/tuning.h"
#include "firing/bounds.h"
#include "matcher/matcher.h"
#include "matcher/registry.h"
#include "matcher/wide/wide.h"

/// Checks TRIAL-11, and adds to the books the molecules of a room that the core has injected.
static void check_bounds(const struct trial *trial, struct books *books) {
  for (unsigned i = 0; i < trial->name_count; i++) {
    const struct name *name = &trial->names[i];
    const struct bound *bound = crucible__bound_of(name->core);
    uint64_t counts[MOST_NAMES];
    if (!bound) continue;
    crucible_soup_counts(trial->soup, counts);
    uint64_t counted = load_acquire(&bound->count);
    if (bound->options.room) {
      books->names[crucible_name_index(bound->options.room)].injected += name->consumed + name->destroyed;
    } else if (counted != counts[i] || counted > bound->options.capacity) {
      scheduler_fail("%llu molecules are counted, %llu wait, and there may be %llu", (unsigned long long)counted,
                     (unsigned long long)counts[i], (unsigned long long)bound->options.capacity);
    }
  }
}

static void check_books(const struct trial *trial) {
  static struct books books;
  books = (struct books){.soup_count = trial->other ? 2 : 1,
                         .soups = {trial->soup, trial->other},
                         .name_count = trial->name_count,
                         .reaction_count = trial->rule_count,
                         .keys = trial->chemistry->keys,
                         .key_type = type_of_keys(),
                         .dropped = trial->by_reason[CRUCIBLE_CLEARED] + trial->by_reason[CRUCIBLE_STOPPED_SOUP],
                         .withdrawn = trial->by_reason[CRUCIBLE_WITHDRAWN]};
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *molecule = &trial->molecules[i];
    books.withdrawn += molecule->withdrawn;
    if (!molecule->given_up || molecule->consumed || molecule->destroyed) continue;
    scheduler_fail("call %u waits, and its caller has given up", i);
  }
  for (unsigned i = 0; i < trial->name_count; i++) {
    const struct name *name = &trial->names[i];
    books.names[i].name = name->core;
    books.names[i].injected = name->injected;
    books.names[i].gone = name->consumed + name->withdrawn + name->destroyed;
    books.names[i].drops_unseen = name->form == VOID_NAME;
  }
  for (unsigned r = 0; r < trial->rule_count; r++) {
    memcpy(books.reactions[r].inputs, trial->rules[r].inputs, sizeof trial->rules[r].inputs);
    books.reactions[r].count = trial->rules[r].count;
  }
  check_keys(trial);
  check_bounds(trial, &books);
  if (!books_balance(&books)) scheduler_fail("%s", books.wrong);
  uint64_t untold = crucible__tell_stopped(trial->soup, NULL);
  if (untold && PEEK(trial->is_told)) {
    scheduler_fail("the report of a stop was made without %llu", (unsigned long long)untold);
  }
  uint64_t told = trial->dropped + untold + trial->forgotten;
  // No call reports what is dropped because a name is full.
  if (drops_when_full(trial->chemistry)) told += trial->by_reason[CRUCIBLE_CLEARED];
  uint64_t said = crucible_soup_dropped(trial->soup);
  if (trial->other) told += crucible__tell_stopped(trial->other, NULL);
  if (trial->other) said += crucible_soup_dropped(trial->other);
  bool calls = false;  // no report tells a call that came too late (STOP-4)
  for (unsigned i = 0; i < trial->name_count; i++) calls = calls || trial->names[i].form == CALL_NAME;
  if (said < told || (said > told && !calls)) {
    scheduler_fail("%llu molecules are dropped, and the reports tell %llu", (unsigned long long)said,
                   (unsigned long long)told);
  }
}

uint64_t capacity_of(const crucible_name *core) {
  const struct crucible_name *name = crucible__stored((crucible_name *)core);
  return name->component->matcher->words ? name->word.limit / name->word.unit : 0;
}

/// Fails if the first field holds another number of molecules than the case is made for.
static void check_capacity(const struct trial *trial) {
  const struct name *first = &trial->names[trial->names[0].form == STATE_NAME];
  unsigned expected = trial->chemistry->capacity;
  uint64_t capacity = capacity_of(first->core);
  bool is_small = CRUCIBLE_TUNED(false, true);
  if (!is_small || expected == 0 || trial->matcher != CRUCIBLE_WORD || capacity == expected) return;
  scheduler_fail("the field holds %llu, and the case is made for %u", (unsigned long long)capacity, expected);
}

/// Checks the fields of `word`, its wide form and `claim`, the matchers with a capacity.
static void check_fields(const struct trial *trial) {
  for (unsigned i = 0; i < trial->name_count; i++) {
    if (trial->names[i].form == FACT_NAME || capacity_of(trial->names[i].core) == 0) continue;
    const crucible_name *name = crucible__stored(trial->names[i].core);
    struct component *component = name->component;
    bool is_wide = component->matcher != &crucible__word;
    uint64_t word = is_wide ? crucible__wide_look(component->own, name) : load_acquire(&component->word.state);
    uint64_t over = load_acquire(&name->overflow);
    bool guarded = word & (name->word.mask + name->word.unit) & ~name->word.mask;
    const char *label = name->species->label;
    if (guarded != crucible_name_is_paused(trial->names[i].core)) scheduler_fail("%s: its guard is wrong", label);
    if ((word & name->word.mask) > name->word.limit) scheduler_fail("%s: its field is above its limit", label);
    if (over > 0 && (word & name->word.mask) < name->word.limit) {
      scheduler_fail("%s: %llu spilled although its field has room", label, (unsigned long long)over);
    }
  }
}

static void check_order(const struct trial *trial) {
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *older = &trial->molecules[i];
    if (older->consumed || older->refused || older->withdrawn || older->destroyed) continue;
    for (unsigned k = 0; k < trial->molecule_count; k++) {
      const struct molecule *younger = &trial->molecules[k];
      if (younger->name != older->name || younger->pusher != older->pusher || !younger->consumed) continue;
      if (!comes_before(older->returned, younger->begun)) continue;
      scheduler_fail("%s: molecule %u waits, and the younger %u has been consumed",
                     crucible_name_label(trial->names[older->name].core), i, k);
    }
  }
}

static void check_molecules(const struct trial *trial) {
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *molecule = &trial->molecules[i];
    if (!carries(trial, molecule->name)) continue;
    unsigned ends = (molecule->consumed != 0) + molecule->destroyed + molecule->refused + molecule->withdrawn;
    if (ends == 0) scheduler_fail("molecule %u is lost", i);
    if (ends > 1) scheduler_fail("molecule %u met more than one end", i);
    if (molecule->told && molecule->consumed) scheduler_fail("molecule %u is refused, and a body had it", i);
  }
}

void check_rest(const struct trial *trial) {
  check_books(trial);
  check_capacity(trial);
  check_fields(trial);
  if (!trial->chemistry->unordered) check_order(trial);
}

static bool is_gone(void *context) {
  struct trial *trial = context;
  bool released = PEEK(trial->rules_released) == trial->rule_count && PEEK(trial->names_released) == trial->name_count;
  taken_over(trial);
  return released && crucible_live_soups() == trial->soups;
}

void check_gone(struct trial *trial) {
  if (!scheduler_comes_true(is_gone, trial)) {
    scheduler_fail("%llu soups live on; %u of %u bodies and %u of %u names are released",
                   (unsigned long long)(crucible_live_soups() - trial->soups), trial->rules_released,
                   trial->rule_count, trial->names_released, trial->name_count);
  }
  if (trial_origins != 0) scheduler_fail("%lld origins are left", (long long)trial_origins);
  if (trial->keyed_states + trial->keys_alive != 0) {
    scheduler_fail("%llu states and %llu keys are left", (unsigned long long)trial->keyed_states,
                   (unsigned long long)trial->keys_alive);
  }
  check_molecules(trial);
}
