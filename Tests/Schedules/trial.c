// What holds of every soup at rest: see trial.h.
//
//   R1  every molecule is consumed or destroyed at most once, whole, and as the name it was injected under
//   R2  injected = consumed + counted, for each name; a state is in its cell
//   R3  no reaction is enabled
//   R4  word: no field is above its limit, no guard set; counts are spilled only if the field is at its limit
//   R5  of a name that one thread alone injected, no molecule was consumed before an older one
//   R6  when the soup goes, what waited is destroyed, and no byte of it stays

#include "trial.h"

#include <string.h>

#include "types.h"

// ---------------------------------------------------------------------------------------------------------------------
// Molecules
// ---------------------------------------------------------------------------------------------------------------------

struct molecule *new_molecule(struct trial *trial, unsigned name, int64_t value) {
  if (trial->molecule_count == MOST_MOLECULES) scheduler_fail("the case has too many molecules");
  struct molecule *molecule = &trial->molecules[trial->molecule_count++];
  *molecule = (struct molecule){.name = name, .value = value, .begun = scheduler_tick()};
  trial->names[name].pushers |= 1u << scheduler_self();
  return molecule;
}

struct payload payload_of(struct molecule *molecule) {
  return (struct payload){.molecule = molecule, .complement = ~(uintptr_t)molecule};
}

struct molecule *checked(struct trial *trial, const struct payload *payload) {
  struct molecule *molecule = payload->molecule;
  if (payload->complement != ~(uintptr_t)molecule || molecule < trial->molecules ||
      molecule >= trial->molecules + trial->molecule_count) {
    scheduler_fail("a payload is torn, or never was one");
  }
  if (molecule->consumed || molecule->destroyed) {
    scheduler_fail("molecule %d is taken twice", (int)(molecule - trial->molecules));
  }
  return molecule;
}

static struct molecule *inject_by(struct trial *trial, unsigned index, int64_t value, crucible_waiter *waiter,
                                  bool (*call)(crucible_name *, void *)) {
  struct name *name = &trial->names[index];
  struct molecule *molecule = new_molecule(trial, index, value);
  struct payload payload = payload_of(molecule);
  payload.waiter = waiter;
  name->injected++;
  bool injected = call(name->core, &payload);
  molecule->returned = scheduler_tick();
  if (injected) return molecule;
  name->injected--;
  molecule->refused = true;
  return NULL;
}

struct molecule *inject(struct trial *trial, unsigned name, int64_t value) {
  struct molecule *molecule = inject_by(trial, name, value, NULL, crucible_inject);
  if (!molecule) scheduler_fail("an injection is refused");
  return molecule;
}

void inject_some(struct trial *trial, unsigned name, unsigned count) {
  for (unsigned i = 0; i < count; i++) inject(trial, name, 0);
}

struct molecule *inject_unowned(struct trial *trial, unsigned name, int64_t value) {
  return inject_by(trial, name, value, NULL, crucible_inject_unowned);
}

void inject_waiting(struct trial *trial, unsigned name, crucible_waiter *waiter) {
  if (!inject_by(trial, name, 0, waiter, crucible_inject)) scheduler_fail("an injection is refused");
}

// ---------------------------------------------------------------------------------------------------------------------
// Reactions
// ---------------------------------------------------------------------------------------------------------------------

static void body(void *context, void *const *inputs) {
  struct rule *rule = context;
  struct trial *trial = rule->trial;
  struct molecule *molecules[MOST_NAMES] = {0};
  for (unsigned i = 0; i < rule->count; i++) {
    unsigned index = rule->inputs[i];
    struct name *name = &trial->names[index];
    name->consumed++;
    if (name->form == STATE_NAME) {
      if (trial->inside[index]) scheduler_fail("two bodies have the same state");
      trial->inside[index] = true;
    } else if (name->form == CARRIES) {
      molecules[i] = checked(trial, inputs[i]);
      if (molecules[i]->name != index) scheduler_fail("a molecule comes as another name");
      molecules[i]->consumed = scheduler_tick();
    }
  }
  rule->fired++;
  scheduler_step("body");
  if (rule->act) rule->act(trial, molecules, inputs);
  scheduler_step("body");
  for (unsigned i = 0; i < rule->count; i++) trial->inside[rule->inputs[i]] = false;
}

static void rule_released(void *context) { ((struct rule *)context)->trial->rules_released++; }

static void destroyed(void *value, void *context) {
  struct trial *trial = context;
  checked(trial, value)->destroyed = true;
}

static void name_released(void *context, void *unused) {
  (void)unused;
  ((struct trial *)context)->names_released++;
}

unsigned declare(struct trial *trial, const char *label, enum form form) {
  unsigned index = trial->name_count++;
  struct name *name = &trial->names[index];
  name->form = form;
  int64_t zero = 0;
  crucible_name_options options = {.label = label, .release = name_released, .context = trial};
  if (form == CARRIES) {
    options.size = sizeof(struct payload);
    options.alignment = _Alignof(struct payload);
    options.destroy = destroyed;
  } else if (form == STATE_NAME) {
    options.kind = CRUCIBLE_STATE;
    options.size = sizeof zero;
    options.alignment = _Alignof(int64_t);
  }
  if (crucible_soup_add_name(trial->soup, &options, &zero, &name->core) != CRUCIBLE_OK) {
    scheduler_fail("name %s is refused", label);
  }
  return index;
}

void react(struct trial *trial, const unsigned *inputs, unsigned count,
           void (*act)(struct trial *, struct molecule *const *, void *const *)) {
  struct rule *rule = &trial->rules[trial->rule_count++];
  crucible_name *names[MOST_NAMES];
  *rule = (struct rule){.trial = trial, .count = count, .act = act};
  for (unsigned i = 0; i < count; i++) {
    rule->inputs[i] = inputs[i];
    names[i] = trial->names[inputs[i]].core;
  }
  crucible_reaction_options options = {.inputs = names,
                                       .input_count = count,
                                       .placement = trial->chemistry->placement,
                                       .body = body,
                                       .context = rule,
                                       .release = rule_released};
  crucible_name *culprit = NULL;
  if (crucible_soup_add_reaction(trial->soup, &options, &culprit) != CRUCIBLE_OK) scheduler_fail("a reaction is refused");
}

// ---------------------------------------------------------------------------------------------------------------------
// Begin and end
// ---------------------------------------------------------------------------------------------------------------------

void trial_begin(struct trial *trial, const struct chemistry *chemistry, crucible_matcher matcher, uint64_t seed) {
  memset(trial, 0, sizeof *trial);
  trial->chemistry = chemistry;
  trial->matcher = matcher;
  trial->bytes = crucible_live_bytes();
  trial->soups = crucible_live_soups();
  if (chemistry->bare) {
    chemistry->define(trial);
    return;
  }
  crucible_soup_options options = {.label = chemistry->name, .matcher = matcher, .seed = seed + 1};
  trial->soup = crucible_soup_create(&options);
  if (!trial->soup) scheduler_fail("no memory");
  crucible_soup_retain_shell(trial->soup);
  chemistry->define(trial);
  crucible_name *culprit = NULL;
  if (!chemistry->unfrozen && crucible_soup_freeze(trial->soup, &culprit) != CRUCIBLE_OK) {
    scheduler_fail("the definition is refused");
  }
}

bool trial_quiet(void *context) {
  struct trial *trial = context;
  return !trial->soup || crucible_soup_is_quiet(trial->soup);
}

static void check_counts(const struct trial *trial) {
  uint64_t counts[MOST_NAMES];
  crucible_soup_counts(trial->soup, counts);
  for (unsigned i = 0; i < trial->name_count; i++) {
    const struct name *name = &trial->names[i];
    uint64_t expected = name->form == STATE_NAME ? 1 : name->injected - name->consumed;
    if (counts[i] == expected) continue;
    scheduler_fail("%s: %u injected, %u consumed, but %llu are counted", crucible_name_label(name->core), name->injected,
                   name->consumed, (unsigned long long)counts[i]);
  }
  for (unsigned r = 0; r < trial->rule_count; r++) {
    const struct rule *rule = &trial->rules[r];
    uint64_t left[MOST_NAMES];
    memcpy(left, counts, sizeof left);
    bool enabled = true;
    for (unsigned i = 0; i < rule->count && enabled; i++) {
      enabled = left[rule->inputs[i]] > 0;
      left[rule->inputs[i]]--;
    }
    if (enabled) scheduler_fail("reaction %u is enabled at rest", r);
  }
}

static void check_fields(const struct trial *trial) {
  for (unsigned i = 0; i < trial->name_count; i++) {
    const crucible_name *name = trial->names[i].core;
    uint64_t word = load_acquire(&name->component->word), over = load_acquire(&name->overflow);
    if (word & (name->mask + name->unit) & ~name->mask) scheduler_fail("%s: its guard is set", name->label);
    if ((word & name->mask) > name->limit) scheduler_fail("%s: its field is above its limit", name->label);
    if (over > 0 && (word & name->mask) < name->limit) {
      scheduler_fail("%s: %llu spilled although its field has room", name->label, (unsigned long long)over);
    }
  }
}

static void check_order(const struct trial *trial) {
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *older = &trial->molecules[i];
    if (older->consumed || older->refused || __builtin_popcount(trial->names[older->name].pushers) != 1) continue;
    for (unsigned k = 0; k < trial->molecule_count; k++) {
      const struct molecule *younger = &trial->molecules[k];
      if (younger->name != older->name || !younger->consumed || older->returned >= younger->begun) continue;
      scheduler_fail("%s: molecule %u waits, and the younger %u has been consumed",
                     crucible_name_label(trial->names[older->name].core), i, k);
    }
  }
}

static void check_molecules(const struct trial *trial) {
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *molecule = &trial->molecules[i];
    if (trial->names[molecule->name].form != CARRIES) continue;
    unsigned ends = (molecule->consumed != 0) + molecule->destroyed + molecule->refused;
    if (ends == 0) scheduler_fail("molecule %u is lost", i);
    if (ends > 1) scheduler_fail("molecule %u met more than one end", i);
  }
}

static void check_gone(const struct trial *trial) {
  if (crucible_live_soups() != trial->soups) scheduler_fail("the soup's contents live on, although nobody holds it");
  if (trial->rules_released != trial->rule_count) {
    scheduler_fail("%u of %u bodies are released", trial->rules_released, trial->rule_count);
  }
  if (trial->names_released != trial->name_count) {
    scheduler_fail("%u of %u names are released", trial->names_released, trial->name_count);
  }
  check_molecules(trial);
}

void trial_end(struct trial *trial) {
  const struct chemistry *chemistry = trial->chemistry;
  if (!chemistry->bare) {
    if (!crucible_soup_is_quiet(trial->soup)) scheduler_fail("the clients have ended, and the soup is not quiet");
    if (!chemistry->gone) {
      check_counts(trial);
      if (trial->matcher == CRUCIBLE_WORD) check_fields(trial);
      if (!chemistry->unordered) check_order(trial);
    }
  }
  if (chemistry->check) chemistry->check(trial);
  if (!chemistry->bare) {
    if (!chemistry->gone) crucible_soup_release(trial->soup);
    check_gone(trial);
    crucible_soup_release_shell(trial->soup);
  }
  crucible_reclaim();
}
