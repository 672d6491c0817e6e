// Defining a soup: names and reactions are declared one by one, and then frozen.
//
// Until then injected molecules are held (held.c), because bodies must not run in an incomplete soup. Freezing gives
// every name its matcher and releases the held molecules.

#include <string.h>

#include "base/tuning.h"
#include "firing/origin.h"
#include "firing/stripes.h"
#include "firing/visits.h"
#include "matcher/fact.h"
#include "matcher/keyed/keys.h"
#include "matcher/registry.h"
#include "soup/chemistry.h"
#include "soup/held.h"
#include "soup/inject.h"
#include "soup/soup.h"

// ---------------------------------------------------------------------------------------------------------------------
// Names and reactions
// ---------------------------------------------------------------------------------------------------------------------

/// Takes memory for the next name, with the parts that never change. A larger cell has lines of its own. A state
/// without a value has a cell, too. Null: no memory.
static struct crucible_name *take_name(struct crucible_soup *soup, struct species *species) {
  uint32_t index = soup->name_count;
  uint32_t first = crucible__follows(soup) ? soup->chemistry->name_count : 4;
  void *names = crucible__arena_list(&soup->arena, soup->names, index, &soup->name_capacity, first);
  if (!names) return NULL;
  soup->names = names;
  struct crucible_name *name = crucible__arena_take(&soup->arena, crucible__name_size(species), CRUCIBLE_LINE);
  if (!name) return NULL;
  name->species = species;
  name->soup = soup;
  name->kind = species->kind;
  name->has_payload = species->size > 0;
  name->carries = species->carry != NULL;
  if (crucible__has_cell(name)) {
    size_t alignment, size = crucible__cell_size(species, &alignment);
    name->has_room = size == 0;
    if (size > 0 && !(name->cell = crucible__arena_take(&soup->arena, size, alignment))) return NULL;
  }
  return soup->names[index] = name;
}

struct crucible_name *crucible__make_name(struct crucible_soup *soup, struct species *species, bool special) {
  struct crucible_name *name = soup->is_made ? soup->names[soup->name_count] : take_name(soup, species);
  if (!name) return NULL;
  crucible__begin_name(name, special);
  name->context = species->context;
  soup->name_count++;
  return name;
}

void crucible_name_give_context(crucible_name *name, void *context, void (*release)(void *context)) {
  name->context = context;
  name->species->release = release;  // nobody shares the species yet
}

/// Checks whether the name may have its capacity.
static crucible_status check_bound(const struct crucible_soup *soup, const crucible_name_options *options) {
  const crucible_bound_options *bound = options->bound;
  if (options->kind != CRUCIBLE_SLOW || options->carry) return CRUCIBLE_BAD_BOUND;
  if ((bound->into && bound->into->soup != soup) || (bound->room && bound->room->soup != soup)) {
    return CRUCIBLE_FOREIGN_NAME;
  }
  bool is_room = !bound->room || (bound->room->kind == CRUCIBLE_SLOW && !bound->room->has_payload);
  return is_room && (bound->room || bound->capacity > 0) ? CRUCIBLE_OK : CRUCIBLE_BAD_BOUND;
}

/// Checks whether the name may have its keys.
static crucible_status check_key(const struct crucible_soup *soup, const crucible_name_options *options) {
  const crucible_key_options *key = options->key;
  if (key->size > CRUCIBLE_MAX_KEY || key->alignment > CRUCIBLE_KEY_ALIGNMENT) return CRUCIBLE_TOO_LARGE;
  bool has_value = options->kind == CRUCIBLE_STATE || (options->kind != CRUCIBLE_FACT && options->size > 0);
  if (!has_value) return CRUCIBLE_KEY_WITHOUT_VALUE;
  bool is_limited = key->capacity > 0 || key->keys > 0;
  if (is_limited && (options->kind != CRUCIBLE_SLOW || options->carry)) return CRUCIBLE_BAD_BOUND;
  return key->full_into && key->full_into->soup != soup ? CRUCIBLE_FOREIGN_NAME : CRUCIBLE_OK;
}

crucible_status crucible_soup_add_name(crucible_soup *soup, const crucible_name_options *options, void *initial,
                                       crucible_name **result) {
  *result = NULL;
  if (crucible__is_inherited(soup)) return CRUCIBLE_INHERITED_SOUP;
  if (load_acquire(&soup->frozen)) return CRUCIBLE_FROZEN;
  if (soup->name_count == CRUCIBLE_MAX_NAMES) return CRUCIBLE_TOO_MANY_NAMES;
  // This limit lets the size of the storage for a firing of 64 inputs fit into 32 bits.
  if (options->size > CRUCIBLE_MAX_SIZE || (options->size && options->alignment > CRUCIBLE_MAX_SIZE)) {
    return CRUCIBLE_TOO_LARGE;
  }
  crucible_status status = options->key ? check_key(soup, options) : CRUCIBLE_OK;
  if (status == CRUCIBLE_OK && options->bound) status = check_bound(soup, options);
  crucible_name *late = options->expiry ? options->expiry->into : NULL;
  if (status == CRUCIBLE_OK && late && late->soup != soup) status = CRUCIBLE_FOREIGN_NAME;
  bool is_idle = options->key && options->kind == CRUCIBLE_STATE && options->expiry && !options->expiry->into;
  bool may_expire = is_idle || (options->kind == CRUCIBLE_SLOW && options->size > 0);
  if (status == CRUCIBLE_OK && options->expiry && !may_expire) status = CRUCIBLE_KEY_WITHOUT_VALUE;
  if (status != CRUCIBLE_OK) return status;
  struct species *species = crucible__next_species(soup, options);
  struct crucible_name *name = species ? crucible__make_name(soup, species, false) : NULL;
  if (!name) return CRUCIBLE_NO_MEMORY;
  if (crucible__has_cell(name) && options->size && initial) memcpy(crucible__cell(name), initial, options->size);
  if (!options->shared) name->context = options->context;
  if (options->bound && options->bound->room) options->bound->room->is_room = options->bound->room->is_fed = true;
  if (options->bound && options->bound->into) options->bound->into->is_fed = true;
  if (options->expiry && options->expiry->into) options->expiry->into->is_fed = true;
  if (options->key && options->key->full_into) options->key->full_into->is_fed = true;
  *result = name;
  return CRUCIBLE_OK;
}

/// What identifies the type of the name's keys. Null: it has none.
static const void *key_type(const struct crucible_name *name) {
  return name->species->key ? name->species->key->type : NULL;
}

static crucible_status check_pattern(const struct crucible_soup *soup, const crucible_reaction_options *options,
                                     crucible_name **culprit) {
  if (options->input_count == 0) return CRUCIBLE_EMPTY_PATTERN;
  if (options->input_count > CRUCIBLE_MAX_INPUTS) return CRUCIBLE_TOO_MANY_INPUTS;
  size_t states = 0, facts = 0;
  for (size_t i = 0; i < options->input_count; i++) {
    struct crucible_name *name = options->inputs[i];
    *culprit = name;
    if (name->soup != soup) return CRUCIBLE_FOREIGN_NAME;
    if (name->kind == CRUCIBLE_FACT) {
      facts++;
    } else if (facts > 0) {
      *culprit = options->inputs[i - 1];
      return CRUCIBLE_FACT_BEFORE_INPUT;
    }
    if (!crucible__has_cell(name)) continue;
    for (size_t k = 0; k < i; k++) {
      if (options->inputs[k] == name) return CRUCIBLE_REPEATED_STATE;
    }
    states += name->kind == CRUCIBLE_STATE;
  }
  for (size_t i = 1; i < options->input_count - facts; i++) {
    *culprit = options->inputs[i];
    if (key_type(options->inputs[i]) != key_type(options->inputs[0])) return CRUCIBLE_OTHER_KEY;
  }
  if (states + facts == options->input_count) return CRUCIBLE_ONLY_STATES;
  *culprit = NULL;
  return CRUCIBLE_OK;
}

static struct reaction *take_reaction(struct crucible_soup *soup, const struct rule *rule) {
  uint32_t index = soup->reaction_count, first = crucible__follows(soup) ? soup->chemistry->reaction_count : 4;
  void *reactions = crucible__arena_list(&soup->arena, soup->reactions, index, &soup->reaction_capacity, first);
  if (!reactions) return NULL;
  soup->reactions = reactions;
  size_t alignment, size = crucible__reaction_size(rule, &alignment);
  struct reaction *reaction = crucible__arena_take(&soup->arena, size, alignment);
  if (!reaction) return NULL;
  reaction->soup = soup;
  for (uint32_t i = 0; i < rule->width; i++) {
    struct crucible_name *name = soup->names[rule->inputs[i].name];
    reaction->at[i] = crucible__has_cell(name) ? crucible__cell(name) : (void *)name;
  }
  return soup->reactions[index] = reaction;
}

crucible_status crucible_soup_add_reaction(crucible_soup *soup, const crucible_reaction_options *options,
                                           crucible_name **culprit) {
  *culprit = NULL;
  if (crucible__is_inherited(soup)) return CRUCIBLE_INHERITED_SOUP;
  if (load_acquire(&soup->frozen)) return CRUCIBLE_FROZEN;
  crucible_status status = check_pattern(soup, options, culprit);
  if (status != CRUCIBLE_OK) return status;
  struct rule *rule = crucible__next_rule(soup, options);
  struct reaction *reaction =
      !rule ? NULL : soup->is_made ? soup->reactions[soup->reaction_count] : take_reaction(soup, rule);
  if (!reaction) return CRUCIBLE_NO_MEMORY;
  reaction->rule = rule;
  reaction->in_context = false;
  crucible__set_body(reaction);
  if (!soup->is_made || !options->empty) reaction->owned = options->context;
  atomic_init(&reaction->context, reaction->owned);
  atomic_init(&reaction->owned_stays, options->empty != NULL);
  atomic_init(&reaction->placed, 0);
  atomic_init(&reaction->left_running, 0);
  reaction->probation = (struct probation){0};
  soup->reaction_count++;
  if (soup->carries_context || options->inherits) crucible__want_origin(reaction);
  if (options->inherits) crucible__carry_context(soup);
  return CRUCIBLE_OK;
}

void crucible_soup_give_reaction_context(crucible_soup *soup, void *context) {
  struct reaction *reaction = soup->reactions[soup->reaction_count - 1];
  reaction->owned = context;
  atomic_init(&reaction->context, context);
}

void crucible_soup_end_keeping(crucible_soup *soup, size_t reaction) {
  store_relaxed(&soup->reactions[reaction]->owned_stays, false);  // read when the soup is no longer held
}

void crucible_soup_run_in_context(crucible_soup *soup, size_t reaction) {
  soup->reactions[reaction]->in_context = true;
  crucible__set_body(soup->reactions[reaction]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Freezing
// ---------------------------------------------------------------------------------------------------------------------

static crucible_status check_names(const struct crucible_soup *soup, crucible_name **culprit) {
  bool used[CRUCIBLE_MAX_NAMES];
  memset(used, false, soup->name_count);
  for (size_t r = 0; r < soup->reaction_count; r++) {
    const struct rule *rule = soup->reactions[r]->rule;
    for (uint32_t i = 0; i < rule->width; i++) used[rule->inputs[i].name] = true;
  }
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (used[i]) continue;
    *culprit = soup->names[i];
    return CRUCIBLE_UNUSED_NAME;
  }
  return CRUCIBLE_OK;
}

/// The first name that expires, or null.
static struct crucible_name *expiring(const struct component *component) {
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    if (component->names[bit]->species->expiry) return component->names[bit];
  }
  return NULL;
}

/// Whether no reaction consumes more molecules of a name than its capacity.
static crucible_status check_capacities(const struct crucible_soup *soup, crucible_name **culprit) {
  for (size_t r = 0; r < soup->reaction_count; r++) {
    const struct rule *rule = soup->reactions[r]->rule;
    for (uint32_t i = 0; i < rule->width; i++) {
      const struct species *species = soup->names[rule->inputs[i].name]->species;
      const struct bound *bound = species->bound;
      uint64_t most = bound ? bound->options.capacity + bound->options.rooms : UINT64_MAX;
      if (species->key && species->key->capacity && species->key->capacity < most) most = species->key->capacity;
      uint64_t need = 0;
      for (uint32_t k = 0; k < rule->width; k++) need += rule->inputs[k].name == rule->inputs[i].name;
      if (need <= most) continue;
      *culprit = soup->names[rule->inputs[i].name];
      return CRUCIBLE_TOO_NARROW;
    }
  }
  return CRUCIBLE_OK;
}

static bool serves(const struct matcher *matcher, struct component *component) {
  if (matcher->most_names && component->layout->name_count > matcher->most_names) return false;
  return !matcher->fits || matcher->fits(component);
}

static crucible_status choose_matcher(struct component *component, crucible_name **culprit) {
  crucible_matcher wanted = component->soup->chemistry->options.matcher;
  bool is_keyed = crucible__is_keyed(component);
  struct crucible_name *expires = expiring(component);
  crucible_status status = is_keyed ? CRUCIBLE_NO_KEYS : expires ? CRUCIBLE_NO_EXPIRY : CRUCIBLE_DOES_NOT_FIT;
  if (!crucible_matcher_name(wanted)) return CRUCIBLE_UNKNOWN_MATCHER;
  for (uint32_t m = 0; crucible__matchers[m]; m++) {
    const struct matcher *matcher = is_keyed ? crucible__matchers[m]->keyed : crucible__matchers[m];
    if (wanted != CRUCIBLE_AUTOMATIC && wanted != m + 1) continue;
    if (matcher && expires && !matcher->expire) matcher = NULL;
    if (matcher) status = CRUCIBLE_DOES_NOT_FIT;
    while (matcher && !serves(matcher, component)) matcher = matcher->wider;
    if (!matcher) continue;
    component->layout->matcher = matcher;
    return CRUCIBLE_OK;
  }
  *culprit = crucible__shown(status == CRUCIBLE_NO_EXPIRY ? expires : component->names[0]);
  return status;
}

/// Whether bodies of the soup may wait for its own reactions while their threads continue.
static bool suspends(const struct crucible_soup *soup) {
  bool is_called = false, is_left = false;
  for (uint32_t i = 0; i < soup->name_count; i++) is_called = is_called || soup->names[i]->kind == CRUCIBLE_FAST;
  for (uint32_t r = 0; r < soup->reaction_count; r++) {
    is_left = is_left || soup->reactions[r]->rule->placement == CRUCIBLE_EXTERNAL;
  }
  return is_called && is_left;
}

/// Checks the definition, and finds everything that depends on it.
static crucible_status lay_out(crucible_soup *soup, crucible_name **culprit) {
  crucible_status status = check_names(soup, culprit);
  if (status == CRUCIBLE_OK) status = check_capacities(soup, culprit);
  if (status != CRUCIBLE_OK) return status;
  lock_acquire(&soup->lock);  // molecules that are held meanwhile copy values
  bool given = crucible__give_origins(soup);
  lock_release(&soup->lock);
  if (!given || !crucible__layout_components(soup)) return CRUCIBLE_NO_MEMORY;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    status = choose_matcher(component, culprit);
    if (status != CRUCIBLE_OK) return status;
    const struct matcher *matcher = component->layout->matcher;
    if (matcher->list && !matcher->list(component)) return CRUCIBLE_NO_MEMORY;
  }
  soup->chemistry->suspends = suspends(soup);
  return CRUCIBLE_OK;
}

/// Makes what the chemistry does not have. False: no memory.
static bool fill(crucible_soup *soup, bool repeats) {
  for (uint32_t r = 0; !soup->is_made && r < soup->reaction_count; r++) {
    soup->reactions[r]->depth_limit = soup->reactions[r]->rule->depth_limit;
    soup->reactions[r]->is_quick = soup->reactions[r]->rule->word.is_quick;
  }
  if (repeats && !soup->is_made) {
    const struct finding *findings = soup->chemistry->findings;
    for (uint32_t i = 0; i < soup->name_count; i++) crucible__set_found(soup->names[i], &findings[i]);
    if (!crucible__make_components(soup)) return false;
  }
  // A child that is forked meanwhile finds no component, or one without matcher, or a complete one.
  for (uint32_t c = 0; c < soup->chemistry->component_count; c++) soup->components[c].matcher = NULL;
  soup->component_count = soup->chemistry->component_count;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    const struct matcher *matcher = component->layout->matcher;
    if (!matcher->create(component)) return false;
    component->matcher = matcher;
  }
  soup->is_made = repeats;
  return true;
}

void crucible_soup_allow_repeats(crucible_soup *soup) { soup->may_repeat = true; }
bool crucible_soup_repeats(const crucible_soup *soup) { return crucible__follows(soup); }
bool crucible_soup_has_repeated(crucible_soup *soup) {
  return load_relaxed(&soup->frozen) ? soup->is_made : crucible__is_complete(soup);
}

crucible_status crucible_soup_freeze(crucible_soup *soup, crucible_name **culprit) {
  *culprit = NULL;
  if (crucible__is_inherited(soup)) return CRUCIBLE_INHERITED_SOUP;
  if (load_acquire(&soup->frozen)) return CRUCIBLE_FROZEN;
  bool repeats = crucible__is_complete(soup);
  if (!repeats) {
    if (soup->chemistry->is_shared && !crucible__become_private(soup)) return CRUCIBLE_NO_MEMORY;
    crucible_status status = lay_out(soup, culprit);
    if (status != CRUCIBLE_OK) return status;
  }
  if (!fill(soup, repeats)) return CRUCIBLE_NO_MEMORY;
  if (!repeats) crucible__publish(soup);
  lock_acquire(&soup->lock);
  bool known[CRUCIBLE_MAX_NAMES], knows = false;  // the facts that the definition has injected
  for (uint32_t c = 0; c < soup->component_count; c++) {
    if (LIKELY(!soup->components[c].layout->has_facts)) continue;
    crucible__begin_facts(&soup->components[c]);  // FACT-5
    knows = true;
  }
  for (uint32_t i = 0; UNLIKELY(knows) && i < soup->name_count; i++) {
    known[i] = soup->names[i]->kind == CRUCIBLE_FACT && crucible__is_known(soup->names[i]);
  }
  bool is_special = load_relaxed(&soup->context) != NULL;  // then the binding sets it itself
  bool is_plain = repeats && !load_relaxed(&soup->observed) && !soup->draining;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i];
    if (is_plain) {
      // partner: the load in crucible_inject; an injection that finds the function reads what freezing wrote
      store_release(&name->inject, soup->chemistry->findings[i].inject);
    } else {
      crucible__open_name(name);
    }
    if (!is_special && crucible__has_callers(name)) store_release(&name->call, CRUCIBLE_CALL_PLAIN);
  }
  bool holds = soup->held != NULL;  // no further molecule is added to the list
  // The soup is not quiet before the held molecules have been released. They count in the crowd, because the thread
  // needs no record.
  if (holds) fetch_add_relaxed(&soup->crowd.entered, 1);
  if (!soup->chemistry->suspends && !soup->report_unowned) fetch_sub_acq_rel(&soup->holds, CRUCIBLE_WATCHED);
  store_release(&soup->frozen, true);  // partner: the loads in quiet.c
  lock_release(&soup->lock);
  for (uint32_t i = 0; UNLIKELY(knows) && i < soup->name_count; i++) {
    if (!known[i]) continue;
    crucible__notify(soup->names[i], NULL, 1, CRUCIBLE_BEGINS);
    crucible__notify(soup->names[i], NULL, 1, CRUCIBLE_ENDED);
  }
  if (holds) {
    crucible__release_held(soup);
    crucible__leave(NULL, soup);
  }
  store_relaxed(&soup->definer, 0);
  return CRUCIBLE_OK;
}

bool crucible_soup_is_defined_here(const crucible_soup *soup) {
  return load_relaxed(&soup->definer) == (uintptr_t)&crucible__self;
}
