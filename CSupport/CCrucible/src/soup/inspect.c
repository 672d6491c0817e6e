// Inspection of a soup from outside: counts, activity, labels.
//
// Running bodies are read from the records of the threads. A record shows the innermost body of its thread, and the
// firing that a worker has begun. Bodies beneath inline bodies of other soups are not seen. Reactions count the bodies
// that continue after their thread has left them.

#include <string.h>

#include "CCrucible.h"
#include "base/thread.h"
#include "firing/bounds.h"
#include "firing/firing.h"
#include "matcher/fact.h"
#include "matcher/inject.h"
#include "matcher/keyed/keys.h"
#include "matcher/registry.h"
#include "soup/soup.h"

/// Holds a soup whose definition has ended. False: it has not, or the soup is gone or the parent's.
static bool hold_frozen(crucible_soup *soup) {
  // partner: the release in freeze
  return !crucible__is_inherited(soup) && load_acquire(&soup->frozen) && crucible_soup_hold(soup);
}

void crucible_soup_counts(crucible_soup *soup, uint64_t *counts) {
  memset(counts, 0, soup->name_count * sizeof *counts);
  if (!hold_frozen(soup)) return;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    if (!component->matcher) continue;
    uint64_t by_bit[CRUCIBLE_MAX_NAMES];
    component->matcher->counts(component, by_bit);
    const struct layout *layout = component->layout;
    for (uint32_t bit = 0; bit < layout->name_count; bit++) counts[layout->names[bit]] = by_bit[bit];
  }
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (soup->names[i]->kind == CRUCIBLE_FACT) counts[i] = crucible__is_known(soup->names[i]);
  }
  crucible_soup_release(soup);
}

void crucible_soup_counts_of(crucible_soup *soup, const void *type, const void *key, uint64_t hash, uint64_t *counts) {
  memset(counts, 0, soup->name_count * sizeof *counts);
  if (!hold_frozen(soup)) return;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    if (!crucible__is_keyed(component) || component->names[0]->species->key->type != type) continue;
    crucible__count_key(component, key, hash, counts);
  }
  crucible_soup_release(soup);
}

void crucible_name_visit_keys(crucible_name *name, void (*visit)(void *context, const void *key, uint64_t count),
                              void *context) {
  if (!hold_frozen(name->soup)) return;
  if (name->species->key) crucible__visit_keys(crucible__stored(name), visit, context);
  crucible_soup_release(name->soup);
}

bool crucible_name_is_fed(const crucible_name *name) { return name->is_fed; }

const crucible_expiry_options *crucible_name_expiry(const crucible_name *name) {
  return crucible__bound_of(name) || name->carries ? NULL : name->species->expiry;
}
const crucible_key_options *crucible_name_key(const crucible_name *name) { return name->species->key; }

uint64_t crucible_soup_dropped(crucible_soup *soup) { return load_relaxed(&soup->dropped); }
void crucible_soup_count_dropped(crucible_soup *soup) { crucible__add_dropped(soup, 1); }
uint64_t crucible_soup_withdrawn(crucible_soup *soup) { return load_relaxed(&soup->withdrawn); }

uint64_t crucible_soup_placed(const crucible_soup *soup, size_t reaction) {
  return load_relaxed(&soup->reactions[reaction]->placed);
}

/// Finds the reaction of the soup at this address. Null: it belongs to another soup.
static const struct reaction *known(const struct crucible_soup *soup, const struct reaction *reaction) {
  for (size_t r = 0; r < soup->reaction_count; r++) {
    if (soup->reactions[r] == reaction) return reaction;
  }
  return NULL;
}

void crucible_soup_activity(crucible_soup *soup, uint64_t *running, uint64_t *reserved) {
  for (size_t r = 0; r < soup->reaction_count; r++) running[r] = 0;
  *reserved = 0;
  if (crucible__is_inherited(soup)) return;
  uint64_t pending = crucible_soup_pending(soup);
  for (const struct thread *t = crucible__thread_list(); t; t = t->next) {
    const struct reaction *begun = known(soup, load_relaxed(&t->begun));
    const struct reaction *innermost = known(soup, crucible__running_there(t));
    if (innermost && load_relaxed(&innermost->left_running) == 0) running[innermost->rule->index]++;
    if (begun && pending > 0) pending--;
    if (begun && !innermost) running[begun->rule->index]++;
  }
  for (size_t r = 0; r < soup->reaction_count; r++) {
    uint32_t taken = load_relaxed(&soup->reactions[r]->left_running);
    running[r] += taken;
    pending -= taken < pending ? taken : pending;
  }
  *reserved = pending;
}

size_t crucible_pool_threads(crucible_pool_thread *threads, size_t capacity) {
  size_t count = 0;
  for (const struct thread *t = crucible__thread_list(); t; t = t->next) {
    uint32_t duty = __atomic_load_n(&t->duty, __ATOMIC_RELAXED);
    if (duty == NO_DUTY || !load_relaxed(&t->in_use)) continue;
    const struct reaction *running = crucible__running_there(t);
    if (running == &crucible__idle) running = load_relaxed(&t->begun);
    if (count < capacity) {
      threads[count] = (crucible_pool_thread){.thread = __atomic_load_n(&t->id, __ATOMIC_RELAXED),
                                              .is_blocked = duty == BLOCKS,
                                              .is_idle = duty == SLEEPS,
                                              .reaction = running};
    }
    count++;
  }
  return count;
}

ptrdiff_t crucible_soup_find_reaction(const crucible_soup *soup, const void *reaction) {
  const struct reaction *found = soup->inherited ? NULL : known(soup, reaction);
  return found ? (ptrdiff_t)found->rule->index : CRUCIBLE_ANY;
}

crucible_soup *crucible_name_soup(const crucible_name *name) { return name->soup; }
void *crucible_soup_context(const crucible_soup *soup) {
  return load_acquire(&soup->context);  // partner: the release in crucible_soup_give_context
}
crucible_matcher crucible_soup_matcher(const crucible_soup *soup) { return soup->place->options.matcher; }
const char *crucible_soup_label(const crucible_soup *soup) { return soup->place->options.label; }
const char *crucible_soup_file(const crucible_soup *soup) { return soup->place->options.file; }
uint32_t crucible_soup_line(const crucible_soup *soup) { return soup->place->options.line; }
size_t crucible_soup_name_count(const crucible_soup *soup) { return soup->name_count; }
crucible_name *crucible_soup_name(crucible_soup *soup, size_t index) { return soup->names[index]; }
size_t crucible_soup_reaction_count(const crucible_soup *soup) { return soup->reaction_count; }

const char *crucible_name_label(const crucible_name *name) { return name->species->label; }
const char *crucible_name_file(const crucible_name *name) { return name->species->file; }
uint32_t crucible_name_line(const crucible_name *name) { return name->species->line; }
size_t crucible_name_index(const crucible_name *name) { return name->species->index; }
void *crucible_name_cell(const crucible_name *name) {
  return name->kind == CRUCIBLE_STATE ? crucible__cell(name) : NULL;
}
bool crucible_fact_is_known(const crucible_name *fact) { return crucible__is_known(fact); }
bool crucible_name_has_payload(const crucible_name *name) { return name->has_payload; }
void *crucible_name_context(const crucible_name *name) { return name->context; }
bool crucible_name_has_callers(const crucible_name *name) { return crucible__has_callers(name); }
crucible_kind crucible_name_kind(const crucible_name *name) { return name->kind; }

/// Finds the component of the name. For a fact it is one with a reaction that reads the fact. Null: the definition has
/// not ended.
static const struct component *component_of(const struct crucible_name *name) {
  const struct crucible_soup *soup = name->soup;
  if (name->kind != CRUCIBLE_FACT) return name->component;
  for (size_t r = 0; r < soup->reaction_count; r++) {
    const struct reaction *reaction = soup->reactions[r];
    for (uint32_t i = reaction->rule->input_count; i < reaction->rule->width; i++) {
      if (crucible__input(reaction, i) == name) return reaction->component;
    }
  }
  return NULL;
}

size_t crucible_name_component(const crucible_name *name) {
  const struct component *component = component_of(name);
  return component ? component->layout->index : 0;
}

/// Whether `serving` is the matcher, or another form of it.
static bool serves(const struct matcher *matcher, const struct matcher *serving) {
  if (matcher->keyed == serving) return true;
  while (matcher && matcher != serving) matcher = matcher->wider;
  return matcher != NULL;
}

crucible_matcher crucible_name_matcher(const crucible_name *name) {
  const struct component *component = component_of(name);
  if (!component || !component->matcher) return CRUCIBLE_AUTOMATIC;
  uint32_t number = 1;
  while (!serves(crucible__matchers[number - 1], component->matcher)) number++;
  return (crucible_matcher)number;
}

uint32_t crucible_name_words(const crucible_name *name, uint32_t *home) {
  const struct matcher *matcher = name->component ? name->component->matcher : NULL;
  *home = 0;
  return matcher && matcher->words ? matcher->words(crucible__stored((crucible_name *)name), home) : 0;
}

crucible_reaction_info crucible_soup_reaction(const crucible_soup *soup, size_t index) {
  const struct reaction *reaction = soup->reactions[index];
  return (crucible_reaction_info){.file = reaction->rule->file,
                                  .line = reaction->rule->line,
                                  .placement = reaction->rule->placement,
                                  .input_count = reaction->rule->width};
}

void *crucible_soup_reaction_owned(const crucible_soup *soup, size_t reaction) {
  return soup->reactions[reaction]->owned;
}

crucible_name *crucible_soup_reaction_input(const crucible_soup *soup, size_t reaction, size_t input) {
  return crucible__shown(crucible__input(soup->reactions[reaction], input));
}
