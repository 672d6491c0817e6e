// The keys of a trial's names: see keyed.c of the core. A molecule's key is its number modulo the number of keys.

#include "trial_parts.h"

#include <limits.h>

#include "matcher/keyed/keyed.h"

unsigned key_of(const struct trial *trial, const struct molecule *molecule) {
  return trial->chemistry->keys ? (unsigned)(molecule - trial->molecules) % trial->chemistry->keys : 0;
}

unsigned key_of_body(const struct trial_rule *rule, void *const *inputs) {
  unsigned i = 0;
  if (!rule->trial->chemistry->keys) return 0;
  while (rule->trial->names[rule->inputs[i]].form == STATE_NAME) i++;
  return key_of(rule->trial, ((const struct payload *)inputs[i])->molecule);
}

// Each copy of a key is counted. A state that was not made is -1.

static uint64_t read_key(void *context, const void *value, void *key) {
  struct trial *trial = context;
  *(unsigned *)key = key_of(trial, ((const struct payload *)value)->molecule);
  ADD(trial->keys_alive, 1);
  return *(unsigned *)key % 2;  // of three keys, two have one hash
}

static bool is_same_key(void *context, const void *key, const void *other) {
  (void)context;
  return *(const unsigned *)key == *(const unsigned *)other;
}

static void end_key(void *context, void *key) {
  *(unsigned *)key = UINT_MAX;
  ADD(((struct trial *)context)->keys_alive, -1);
}

static void make_state(void *context, const void *key, void *cell) {
  if (*(const unsigned *)key == UINT_MAX) scheduler_fail("a state is made for a key that has gone");
  scheduler_step("make");
  *(int64_t *)cell = 0;
  ADD(((struct trial *)context)->keyed_states, 1);
}

static bool may_go(void *context, const void *key, const void *cell) {
  (void)context, (void)cell;
  return *(const unsigned *)key == 0;
}

void end_state(void *value, void *context, crucible_reason reason) {
  (void)reason;
  *(int64_t *)value = -1;
  ADD(((struct trial *)context)->keyed_states, -1);
}

static void key_released(void *context) { (void)context; }

static uint64_t no_time(void *context) {
  (void)context;
  return 0;
}

static void begins_to_wait(void *context) { ADD(((struct trial *)context)->begins, 1); }
static void begins_to_stay(void *context) { ADD(((struct trial *)context)->stays, 1); }

/// Its address identifies the type.
static const char keys;

const void *type_of_keys(void) { return &keys; }

crucible_key_options keys_of(struct trial *trial, bool limited) {
  const crucible_bound_options *limits = &trial->chemistry->limits;
  return (crucible_key_options){.type = type_of_keys(), .size = sizeof(unsigned), .alignment = _Alignof(unsigned),
                                .context = trial, .release = key_released, .read = read_key, .equal = is_same_key,
                                .destroy = end_key, .make = make_state, .forgets = may_go,
                                .capacity = limited ? limits->capacity : 0, .keys = limited ? limits->rooms : 0,
                                .when_full = limits->when_full};
}

crucible_expiry_options expiry_of(struct trial *trial, enum form form) {
  return (crucible_expiry_options){.context = trial, .release = key_released, .lifetime = 1, .now = no_time,
                                   .waits = form == STATE_NAME ? begins_to_stay : begins_to_wait};
}

void check_keys(const struct trial *trial) {
  uint64_t counts[MOST_NAMES], found = 0;
  if (!trial->chemistry->keys && !trial->chemistry->expires) return;
  crucible_soup_counts(trial->soup, counts);
  for (unsigned i = 0; i < trial->name_count; i++) {
    if (trial->names[i].form != CARRIES || counts[i] == 0 || trial->begins > 0) continue;
    scheduler_fail("a molecule waits that may expire, and none has been the first to wait");
  }
  if (!trial->chemistry->keys) return;
  if (trial->chemistry->expires && trial->keyed_states > 0 && trial->stays == 0) {
    scheduler_fail("a state may become idle, and none has been the first to stay");
  }
  for (unsigned i = 0; i < trial->name_count; i++) found += trial->names[i].form == STATE_NAME ? counts[i] : 0;
  if (found != trial->keyed_states) {
    scheduler_fail("the soup counts %llu states of keys, and there are %llu", (unsigned long long)found,
                   (unsigned long long)trial->keyed_states);
  }
  const crucible_bound_options *limits = &trial->chemistry->limits;
  uint64_t used = trial->keyed_states, filled = 0;
  for (unsigned key = 0; key < trial->chemistry->keys; key++) {
    crucible_soup_counts_of(trial->soup, type_of_keys(), &key, key % 2, counts);
    bool waits = false;
    for (unsigned i = 0; i < trial->name_count; i++) {
      waits |= counts[i] > 0 && trial->names[i].form != STATE_NAME;
    }
    used += waits;
    if (!limits->capacity && !limits->rooms) continue;
    uint64_t waiting = counts[named(trial, 'q')];
    if (limits->capacity && waiting > limits->capacity) scheduler_fail("more molecules of a key wait than may");
    filled += waiting > 0;
  }
  if (trial->keys_alive > used) {
    scheduler_fail("%llu keys are there, and %llu have something", (unsigned long long)trial->keys_alive,
                   (unsigned long long)used);
  }
  if (limits->rooms && filled > limits->rooms) scheduler_fail("molecules of more keys wait than may");
  if (!limits->capacity && !limits->rooms) return;
  const struct crucible_name *name = crucible__stored(trial->names[named(trial, 'q')].core);
  const struct keyed *keyed = name->component->own;
  uint64_t counted = load_acquire(&keyed->filled[name->bit]);
  if (counted != filled) {
    scheduler_fail("molecules of %llu keys wait, and %llu are counted", (unsigned long long)filled,
                   (unsigned long long)counted);
  }
}
