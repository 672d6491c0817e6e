// Defining a soup: names and reactions are declared one by one, and then frozen.
//
// Until then injected molecules are held (held.c), because bodies must not run in an incomplete soup. Freezing gives
// every name its matcher and releases the held molecules.

#include "soup/definition.h"

#include <string.h>

#include "base/tuning.h"
#include "firing/origin.h"
#include "firing/stripes.h"
#include "matcher/component.h"
#include "matcher/fact.h"
#include "matcher/matcher.h"
#include "matcher/registry.h"
#include "soup/held.h"
#include "soup/image.h"
#include "soup/inject.h"
#include "soup/origins.h"
#include "soup/site.h"
#include "soup/soup.h"

// ---------------------------------------------------------------------------------------------------------------------
// Names and reactions
// ---------------------------------------------------------------------------------------------------------------------

/// Makes room for one more name. The smaller arrays stay in the arena, because together they are less than the last.
static bool make_room_for_name(struct crucible_soup *soup) {
  if (soup->name_count < soup->name_capacity) return true;
  uint32_t capacity = soup->name_capacity ? soup->name_capacity * 2 : 4;
  struct crucible_name **larger =
      crucible__arena_take(&soup->arena, capacity * sizeof *larger, _Alignof(struct crucible_name *));
  if (!larger) return false;
  if (soup->names) memcpy(larger, soup->names, soup->name_count * sizeof *larger);
  soup->names = larger;
  soup->name_capacity = capacity;
  return true;
}

/// Makes the cell of a state or a fact. A state without a value has a cell, too, because a null pointer means that the
/// state is away. A larger cell has lines of its own.
static void *make_cell(struct crucible_soup *soup, struct crucible_name *name, bool has_room_behind) {
  size_t size = name->size;
  if (has_room_behind) size = (size + name->alignment - 1) / name->alignment * name->alignment + size;
  if (size <= sizeof name->room && name->alignment <= _Alignof(max_align_t)) return name->room;
  size_t alignment = name->alignment < 64 ? 64 : name->alignment;
  return crucible__arena_take(&soup->arena, (size + 63) / 64 * 64, alignment);
}

void crucible_name_give_context(crucible_name *name, void *context, void (*release)(void *context)) {
  name->context = context;
  name->release = release;
}

/// Sets the parts of a name that are common to all soups that repeat this one. False: no memory.
static bool describe_name(struct crucible_soup *soup, struct crucible_name *name, const crucible_name_options *options,
                          const struct crucible_name *same) {
  name->label = same ? same->label : crucible__copy_text(soup, options->label);
  name->file = same ? same->file : crucible__copy_text(soup, options->file);
  if (!name->label || !name->file) return false;
  name->alignment = options->size ? (uint32_t)options->alignment : 1;
  name->size = (uint32_t)options->size;
  name->soup = soup;
  name->kind = (uint8_t)options->kind;
  name->index = (uint8_t)soup->name_count;
  name->has_payload = options->size > 0;
  name->destroy = options->destroy;
  name->carries = options->carry != NULL;
  if (options->carry) {
    name->carry = options->carry;
  } else {
    name->shared = options->shared;
  }
  name->line = options->line;
  atomic_init(&name->origins, NO_ORIGINS);
  return true;
}

static void count_name(struct crucible_soup *soup, struct crucible_name *name) {
  soup->names[soup->name_count++] = name;
}

crucible_status crucible_soup_add_name(crucible_soup *soup, const crucible_name_options *options, void *initial,
                                       crucible_name **result) {
  *result = NULL;
  if (crucible__is_inherited(soup)) return CRUCIBLE_INHERITED_SOUP;
  if (load_acquire(&soup->frozen)) return CRUCIBLE_FROZEN;
  const struct crucible_name *same = crucible__same_name(soup, options);
  struct crucible_name *name;
  bool has_cell = options->kind == CRUCIBLE_STATE || options->kind == CRUCIBLE_FACT;
  if (same) {
    name = crucible__in_repeat(soup, same);
    if (!soup->is_spare) describe_name(soup, name, options, same);
    if (has_cell) name->cell = crucible__in_repeat(soup, same->cell);
  } else {
    if (soup->name_count == CRUCIBLE_MAX_NAMES) return CRUCIBLE_TOO_MANY_NAMES;
    // This limit lets the size of the storage for a firing of 64 inputs fit into 32 bits.
    if (options->size > CRUCIBLE_MAX_SIZE || (options->size && options->alignment > CRUCIBLE_MAX_SIZE)) {
      return CRUCIBLE_TOO_LARGE;
    }
    size_t size = !has_cell && options->size ? sizeof(struct crucible_name) : offsetof(struct crucible_name, bag);
    name = make_room_for_name(soup) ? crucible__arena_take(&soup->arena, size, 64) : NULL;
    if (!name || !describe_name(soup, name, options, NULL)) return CRUCIBLE_NO_MEMORY;
    bool has_room_behind = options->kind == CRUCIBLE_STATE && options->shared && !options->destroy;
    if (has_cell && !(name->cell = make_cell(soup, name, has_room_behind))) return CRUCIBLE_NO_MEMORY;
  }
  if (has_cell && options->size && initial) memcpy(name->cell, initial, options->size);
  crucible__begin_name(name, false);
  name->release = options->release;
  name->context = same && options->shared ? same->context : options->context;
  count_name(soup, name);
  *result = name;
  return CRUCIBLE_OK;
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
  if (states + facts == options->input_count) return CRUCIBLE_ONLY_STATES;
  *culprit = NULL;
  return CRUCIBLE_OK;
}

static bool make_room_for_reaction(struct crucible_soup *soup) {
  if (soup->reaction_count < soup->reaction_capacity) return true;
  uint32_t capacity = soup->reaction_capacity ? soup->reaction_capacity * 2 : 4;
  struct reaction **larger = crucible__arena_take(&soup->arena, capacity * sizeof *larger, _Alignof(struct reaction *));
  if (!larger) return false;
  if (soup->reactions) memcpy(larger, soup->reactions, soup->reaction_count * sizeof *larger);
  soup->reactions = larger;
  soup->reaction_capacity = capacity;
  return true;
}

/// Sets the parts of a reaction that are common to all soups that repeat this one. False: no memory.
static bool describe_reaction(struct crucible_soup *soup, struct reaction *reaction,
                              const crucible_reaction_options *options, const struct reaction *same) {
  reaction->width = (uint8_t)options->input_count;
  reaction->fixed = (void **)(void *)&reaction->inputs[options->input_count] + 1;
  reaction->label = same ? same->label : crucible__copy_text(soup, options->label);
  reaction->file = same ? same->file : crucible__copy_text(soup, options->file);
  if (!reaction->label || !reaction->file) return false;
  reaction->line = options->line;
  reaction->placement = options->placement;
  reaction->away = options->placement == CRUCIBLE_INLINE ? 0 : options->placement == CRUCIBLE_POOL ? 1 : 2;
  reaction->depth_limit = options->placement == CRUCIBLE_INLINE ? CRUCIBLE_UNCHECKED : 0;
  reaction->body = options->body;
  reaction->submit = options->submit;
  reaction->enter = options->enter;
  reaction->retries = options->retries;
  reaction->takes_late = options->in_order && options->placement == CRUCIBLE_EXTERNAL && options->input_count == 1 &&
                         options->inputs[0]->has_payload;
  reaction->index = (uint32_t)soup->reaction_count;
  uint32_t states = 0, facts = 0;
  for (uint32_t i = 0; i < reaction->width; i++) {
    reaction->inputs[i].name = options->inputs[i];
    states += options->inputs[i]->kind == CRUCIBLE_STATE;
    facts += options->inputs[i]->kind == CRUCIBLE_FACT;
  }
  reaction->input_count = reaction->width - facts;
  reaction->state_count = states;
  return true;
}

crucible_status crucible_soup_add_reaction(crucible_soup *soup, const crucible_reaction_options *options,
                                           crucible_name **culprit) {
  *culprit = NULL;
  if (crucible__is_inherited(soup)) return CRUCIBLE_INHERITED_SOUP;
  if (load_acquire(&soup->frozen)) return CRUCIBLE_FROZEN;
  const struct reaction *same = crucible__same_reaction(soup, options);
  struct reaction *reaction;
  if (same) {
    reaction = crucible__in_repeat(soup, same);
    if (!soup->is_spare) describe_reaction(soup, reaction, options, same);
  } else {
    crucible_status status = check_pattern(soup, options, culprit);
    if (status != CRUCIBLE_OK) return status;
    size_t size = crucible__reaction_size(options->input_count);
    bool is_written = options->placement == CRUCIBLE_EXTERNAL;  // its counts are written while it runs
    if (is_written) size = (size + 63) / 64 * 64;
    size_t alignment = is_written ? 64 : _Alignof(struct reaction);
    reaction = make_room_for_reaction(soup) ? crucible__arena_take(&soup->arena, size, alignment) : NULL;
    if (!reaction || !describe_reaction(soup, reaction, options, NULL)) return CRUCIBLE_NO_MEMORY;
  }
  if (!same || !options->empty) reaction->owned = options->context;
  atomic_init(&reaction->context, reaction->owned);
  atomic_init(&reaction->keeps, options->empty != NULL);
  reaction->release = options->release;
  reaction->empty = options->empty;
  atomic_init(&reaction->placed, 0);
  atomic_init(&reaction->taken, 0);
  soup->reactions[soup->reaction_count++] = reaction;
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
  store_relaxed(&soup->reactions[reaction]->keeps, false);  // read when the soup is no longer held
}

void crucible_soup_set_reaction_body(crucible_soup *soup, size_t reaction, crucible_body body) {
  soup->reactions[reaction]->body = body;
}

// ---------------------------------------------------------------------------------------------------------------------
// Freezing
// ---------------------------------------------------------------------------------------------------------------------

static crucible_status check_names(const struct crucible_soup *soup, crucible_name **culprit) {
  bool used[CRUCIBLE_MAX_NAMES];
  memset(used, false, soup->name_count);
  for (size_t r = 0; r < soup->reaction_count; r++) {
    const struct reaction *reaction = soup->reactions[r];
    for (uint32_t i = 0; i < reaction->width; i++) used[reaction->inputs[i].name->index] = true;
  }
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (used[i]) continue;
    *culprit = soup->names[i];
    return CRUCIBLE_UNUSED_NAME;
  }
  return CRUCIBLE_OK;
}

static bool serves(const struct matcher *matcher, struct component *component) {
  if (matcher->most_names && component->name_count > matcher->most_names) return false;
  return !matcher->fits || matcher->fits(component);
}

crucible_status crucible__choose_matcher(struct component *component, const struct matcher **chosen,
                                         crucible_name **culprit) {
  crucible_matcher wanted = component->soup->matcher;
  if (!crucible_matcher_name(wanted)) return CRUCIBLE_UNKNOWN_MATCHER;
  for (uint32_t m = 0; crucible__matchers[m]; m++) {
    const struct matcher *matcher = crucible__matchers[m];
    if (wanted != CRUCIBLE_AUTOMATIC && wanted != m + 1) continue;
    while (matcher && !serves(matcher, component)) matcher = matcher->wider;
    if (!matcher) continue;
    *chosen = matcher;
    return CRUCIBLE_OK;
  }
  *culprit = crucible__shown(component->names[0]);
  return CRUCIBLE_DOES_NOT_FIT;
}

/// Whether bodies of the soup may wait for its own reactions while their threads continue.
static bool suspends(const struct crucible_soup *soup) {
  bool is_called = false, is_left = false;
  for (uint32_t i = 0; i < soup->name_count; i++) is_called = is_called || soup->names[i]->kind == CRUCIBLE_FAST;
  for (uint32_t r = 0; r < soup->reaction_count; r++) {
    is_left = is_left || soup->reactions[r]->placement == CRUCIBLE_EXTERNAL;
  }
  return is_called && is_left;
}

/// Checks the definition, and finds everything that depends on it.
static crucible_status lay_out(crucible_soup *soup, crucible_name **culprit) {
  crucible_status status = check_names(soup, culprit);
  if (status != CRUCIBLE_OK) return status;
  lock_acquire(&soup->lock);  // molecules that are held meanwhile copy values
  bool given = crucible__give_origins(soup);
  lock_release(&soup->lock);
  if (!given || !crucible__layout_components(soup)) return CRUCIBLE_NO_MEMORY;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    const struct matcher *matcher;
    status = crucible__choose_matcher(component, &matcher, culprit);
    if (status != CRUCIBLE_OK) return status;
    if (!matcher->create(component)) return CRUCIBLE_NO_MEMORY;
    component->matcher = matcher;  // not before: a child that is forked meanwhile finds no matcher, or a complete one
  }
  soup->suspends = suspends(soup);
  return CRUCIBLE_OK;
}

void crucible_soup_allow_repeats(crucible_soup *soup) { soup->may_repeat = true; }
bool crucible_soup_repeats(const crucible_soup *soup) { return soup->image != NULL; }
bool crucible_soup_has_repeated(const crucible_soup *soup) { return crucible__is_complete(soup); }

crucible_status crucible_soup_freeze(crucible_soup *soup, crucible_name **culprit) {
  *culprit = NULL;
  if (crucible__is_inherited(soup)) return CRUCIBLE_INHERITED_SOUP;
  if (load_acquire(&soup->frozen)) return CRUCIBLE_FROZEN;
  bool repeats = crucible__is_complete(soup);
  if (repeats) {
    if (!crucible__fill(soup)) return CRUCIBLE_NO_MEMORY;
  } else {
    crucible__end_early(soup);
    crucible_status status = lay_out(soup, culprit);
    if (status != CRUCIBLE_OK) return status;
    crucible__keep_image(soup);
  }
  lock_acquire(&soup->lock);
  if (!crucible__hold_room(soup)) {
    lock_release(&soup->lock);
    return CRUCIBLE_NO_MEMORY;
  }
  bool known[CRUCIBLE_MAX_NAMES], knows = false;  // the facts that the definition has injected
  for (uint32_t c = 0; c < soup->component_count; c++) {
    if (LIKELY(!soup->components[c].has_facts)) continue;
    crucible__begin_facts(&soup->components[c]);  // FACT-5
    knows = true;
  }
  for (uint32_t i = 0; UNLIKELY(knows) && i < soup->name_count; i++) {
    known[i] = soup->names[i]->kind == CRUCIBLE_FACT && crucible__is_known(soup->names[i]);
  }
  bool is_special = load_relaxed(&soup->context) != NULL;  // then the binding sets it itself
  bool is_plain = repeats && soup->image->is_whole && !load_relaxed(&soup->observed) && !soup->draining;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i];
    if (is_plain) {
      crucible__open_alike(name, soup->image->soup->names[i]);
    } else {
      crucible__open_name(name);
    }
    if (!is_special && crucible__has_callers(name)) crucible_name_set_special(name, false);
  }
  bool holds = soup->held != NULL;  // no further molecule is added to the list
  // The soup is not quiet before the held molecules have been released. They count in the crowd, because the thread
  // needs no record.
  if (holds) fetch_add_relaxed(&soup->crowd.entered, 1);
  if (!soup->suspends && !soup->report_unowned) fetch_sub_acq_rel(&soup->holds, CRUCIBLE_WATCHED);
  store_release(&soup->frozen, true);  // partner: the loads in quiet.c
  lock_release(&soup->lock);
  for (uint32_t i = 0; UNLIKELY(knows) && i < soup->name_count; i++) {
    if (!known[i]) continue;
    crucible__notify(soup->names[i], 1, CRUCIBLE_BEGINS);
    crucible__notify(soup->names[i], 1, CRUCIBLE_ENDED);
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
