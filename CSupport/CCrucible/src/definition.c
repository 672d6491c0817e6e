// Defining a soup: names and reactions are declared one by one, then frozen.
//
// Until then every name's injection is `holding_inject`: what is injected waits in a list, by whichever thread, for bodies must
// not run in a soup that is half made. Freezing gives every name its matcher and lets go of the list, oldest first; what other
// threads inject from then on may come in between, for a held molecule takes its place in the bag when it is let go. An
// injection that came to it just before sees, under the lock, that the soup is frozen, and goes on to the matcher.

#include <string.h>

#include "firing.h"
#include "layout.h"
#include "reclamation.h"
#include "soup.h"

const char *crucible_status_text(crucible_status status) {
  switch (status) {
    case CRUCIBLE_OK: return "no error";
    case CRUCIBLE_NO_MEMORY: return "no memory";
    case CRUCIBLE_TOO_MANY_NAMES: return "a soup has at most 64 names";
    case CRUCIBLE_TOO_MANY_INPUTS: return "a pattern has at most 64 inputs";
    case CRUCIBLE_EMPTY_PATTERN: return "a reaction needs at least one input";
    case CRUCIBLE_FOREIGN_NAME: return "a pattern names a molecule of another soup";
    case CRUCIBLE_REPEATED_STATE: return "a pattern takes the same state twice, but there is only one copy of it";
    case CRUCIBLE_ONLY_STATES: return "a reaction over states alone would fire for ever";
    case CRUCIBLE_FROZEN: return "the definition has ended: no name and no reaction can be added";
    case CRUCIBLE_UNUSED_NAME: return "no reaction consumes this molecule";
    case CRUCIBLE_NOT_FROZEN: return "the definition has not ended yet";
    case CRUCIBLE_NOT_STOPPED: return "only a stopped soup can be restarted";
    case CRUCIBLE_NOT_QUIET: return "bodies of the stopped soup still run";
    case CRUCIBLE_GONE_SOUP: return "the soup is gone";
    case CRUCIBLE_NOT_RUNNING: return "the soup is stopped";
    case CRUCIBLE_DOES_NOT_FIT_WORD: return "the reactions connect more names than one 64-bit word can count";
  }
  return "unknown status";
}

// ---------------------------------------------------------------------------------------------------------------------
// Names and reactions
// ---------------------------------------------------------------------------------------------------------------------

crucible_status crucible_soup_add_name(crucible_soup *soup, const crucible_name_options *options, void *initial,
                                       crucible_name **result) {
  *result = NULL;
  if (soup->frozen) return CRUCIBLE_FROZEN;
  if (soup->name_count == CRUCIBLE_MAX_NAMES) return CRUCIBLE_TOO_MANY_NAMES;
  struct crucible_name *name = crucible__allocate(sizeof *name, 64);
  if (!name) return CRUCIBLE_NO_MEMORY;
  memset(name, 0, sizeof *name);
  name->label = crucible__copy_text(options->label);
  name->file = crucible__copy_text(options->file);
  name->alignment = options->size ? (uint32_t)options->alignment : 1;
  bool is_state = options->kind == CRUCIBLE_STATE;
  if (is_state) name->cell = crucible__allocate(crucible__cell_size(options->size), name->alignment);
  if (!name->label || !name->file || (is_state && !name->cell)) {
    crucible__free_text(name->label);
    crucible__free_text(name->file);
    crucible__free(name->cell, crucible__cell_size(options->size));
    crucible__free(name, sizeof *name);
    return CRUCIBLE_NO_MEMORY;
  }
  if (is_state && options->size && initial) memcpy(name->cell, initial, options->size);
  atomic_init(&name->inject, crucible__holding_inject);
  atomic_init(&name->overflow, 0);
  name->soup = soup;
  name->kind = options->kind;
  name->index = soup->name_count;
  name->size = (uint32_t)options->size;
  name->has_payload = options->size > 0;
  name->destroy = options->destroy;
  name->release = options->release;
  name->context = options->context;
  name->line = options->line;
  soup->names[soup->name_count++] = name;
  *result = name;
  return CRUCIBLE_OK;
}

static crucible_status check_pattern(const struct crucible_soup *soup, const crucible_reaction_options *options,
                                     crucible_name **culprit) {
  if (soup->frozen) return CRUCIBLE_FROZEN;
  if (options->input_count == 0) return CRUCIBLE_EMPTY_PATTERN;
  if (options->input_count > CRUCIBLE_MAX_INPUTS) return CRUCIBLE_TOO_MANY_INPUTS;
  uint64_t states = 0;
  for (size_t i = 0; i < options->input_count; i++) {
    struct crucible_name *name = options->inputs[i];
    *culprit = name;
    if (name->soup != soup) return CRUCIBLE_FOREIGN_NAME;
    if (name->kind != CRUCIBLE_STATE) continue;
    if ((states >> name->index) & 1) return CRUCIBLE_REPEATED_STATE;
    states |= UINT64_C(1) << name->index;
  }
  if ((size_t)__builtin_popcountll(states) == options->input_count) return CRUCIBLE_ONLY_STATES;
  *culprit = NULL;
  return CRUCIBLE_OK;
}

static bool make_room_for_reaction(struct crucible_soup *soup) {
  if (soup->reaction_count < soup->reaction_capacity) return true;
  size_t capacity = soup->reaction_capacity ? soup->reaction_capacity * 2 : 8;
  struct reaction **larger = crucible__allocate(capacity * sizeof *larger, 64);
  if (!larger) return false;
  if (soup->reactions) {
    memcpy(larger, soup->reactions, soup->reaction_count * sizeof *larger);
    crucible__free(soup->reactions, soup->reaction_capacity * sizeof *larger);
  }
  soup->reactions = larger;
  soup->reaction_capacity = capacity;
  return true;
}

crucible_status crucible_soup_add_reaction(crucible_soup *soup, const crucible_reaction_options *options,
                                           crucible_name **culprit) {
  *culprit = NULL;
  crucible_status status = check_pattern(soup, options, culprit);
  if (status != CRUCIBLE_OK) return status;
  size_t size = crucible__reaction_size(options->input_count);
  struct reaction *reaction = make_room_for_reaction(soup) ? crucible__allocate(size, 64) : NULL;
  if (!reaction) return CRUCIBLE_NO_MEMORY;
  memset(reaction, 0, size);
  reaction->input_count = (uint32_t)options->input_count;
  reaction->fixed = (void **)(void *)&reaction->inputs[options->input_count] + 1;
  reaction->label = crucible__copy_text(options->label);
  reaction->file = crucible__copy_text(options->file);
  if (!reaction->label || !reaction->file) {
    crucible__reaction_free(reaction);
    return CRUCIBLE_NO_MEMORY;
  }
  reaction->line = options->line;
  reaction->placement = options->placement;
  reaction->depth_limit = options->placement == CRUCIBLE_INLINE ? CRUCIBLE_DEPTH : 0;
  reaction->body = options->body;
  reaction->context = options->context;
  reaction->release = options->release;
  reaction->retries = options->retries;
  reaction->index = (uint32_t)soup->reaction_count;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    reaction->inputs[i].name = options->inputs[i];
    reaction->state_count += options->inputs[i]->kind == CRUCIBLE_STATE;
  }
  soup->reactions[soup->reaction_count++] = reaction;
  return CRUCIBLE_OK;
}

// ---------------------------------------------------------------------------------------------------------------------
// Holding
// ---------------------------------------------------------------------------------------------------------------------

/// With the lock. Null: no memory.
static struct held_molecule *make_held(const crucible_molecule *molecule) {
  struct crucible_name *name = molecule->name;
  size_t offset = (sizeof(struct held_molecule) + name->alignment - 1) / name->alignment * name->alignment;
  struct held_molecule *held = crucible__allocate(offset + name->size, name->alignment);
  if (!held) return NULL;
  *held = (struct held_molecule){.name = name, .value = (char *)held + offset, .size = offset + name->size};
  memcpy(held->value, molecule->value, name->size);
  held->times = molecule->times;
  return held;
}

/// With the lock: a list of all, or none.
static struct held_molecule *make_all_held(const crucible_molecule *molecules, size_t count, struct held_molecule **last) {
  struct held_molecule *first = NULL, **end = &first;
  for (size_t i = 0; i < count; i++) {
    struct held_molecule *held = make_held(&molecules[i]);
    if (!held) {
      for (struct held_molecule *next; first; first = next) {
        next = first->next;
        crucible__free(first, first->size);
      }
      return NULL;
    }
    held->together = i + 1 < count;
    *end = *last = held;
    end = &held->next;
  }
  return first;
}

bool crucible__hold_molecules(struct crucible_soup *soup, const crucible_molecule *molecules, size_t count,
                              struct place *place, bool *frozen) {
  struct held_molecule *first = NULL, *last = NULL;
  lock_acquire(&soup->lock);
  *frozen = soup->frozen;
  if (!*frozen) first = make_all_held(molecules, count, &last);
  if (first) {
    *soup->held_end = first;
    soup->held_end = &last->next;
    if (place) *place = (struct place){.serial = HELD, .position = first->number = ++soup->tracked};
  }
  lock_release(&soup->lock);
  return first != NULL;
}

bool crucible__holding_inject(struct crucible_name *name, void *value) {
  bool frozen;
  const crucible_molecule molecule = {.name = name, .value = value, .times = !name->has_payload};
  if (crucible__hold_molecules(name->soup, &molecule, 1, NULL, &frozen)) return true;
  return frozen && crucible_inject(name, value);
}

enum withdrawal crucible__withdraw_held(struct crucible_name *name, struct place *place, void *result) {
  struct crucible_soup *soup = name->soup;
  enum withdrawal answer = CONSUMED;
  lock_acquire(&soup->lock);
  struct held_molecule *held = soup->let_go;
  while (held && held->number != place->position) held = held->next;
  if (held) {
    *place = held->place;
    held->given_up = true;  // should it be on its way: then whoever lets it go withdraws it
  } else {
    struct held_molecule **link = &soup->held;
    while (*link && (*link)->number != place->position) link = &(*link)->next;
    held = *link;
    if (held) {
      *link = held->next;
      if (soup->held_end == &held->next) soup->held_end = link;
      memcpy(result, held->value, name->size);
      crucible__free(held, held->size);
      answer = WITHDRAWN;
    }
  }
  lock_release(&soup->lock);
  return answer;
}

// ---------------------------------------------------------------------------------------------------------------------
// Freezing
// ---------------------------------------------------------------------------------------------------------------------

static crucible_status check_names(const struct crucible_soup *soup, crucible_name **culprit) {
  uint64_t used = 0;
  for (size_t r = 0; r < soup->reaction_count; r++) {
    const struct reaction *reaction = soup->reactions[r];
    for (uint32_t i = 0; i < reaction->input_count; i++) used |= UINT64_C(1) << reaction->inputs[i].name->index;
  }
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if ((used >> i) & 1) continue;
    *culprit = soup->names[i];
    return CRUCIBLE_UNUSED_NAME;
  }
  return CRUCIBLE_OK;
}

static crucible_status choose_matcher(struct component *component, crucible_name **culprit) {
  crucible_matcher wanted = component->soup->matcher;
  bool fits = wanted != CRUCIBLE_LOCKED && crucible__layout_word(component);
  if (wanted == CRUCIBLE_WORD && !fits) {
    *culprit = component->names[0];
    return CRUCIBLE_DOES_NOT_FIT_WORD;
  }
  crucible__layout_lists(component);
  const struct strategy *strategy = fits ? &crucible__word : &crucible__locked;
  if (!strategy->create(component)) return CRUCIBLE_NO_MEMORY;
  component->strategy = strategy;
  return CRUCIBLE_OK;
}

/// The next molecules that were injected in one step, at once with taking note of them: so that who withdraws one finds it either
/// held or in its place. Null: none are left.
static struct held_molecule *take_held(struct crucible_soup *soup) {
  lock_acquire(&soup->lock);
  struct held_molecule *first = soup->held;
  if (first) {
    struct held_molecule *last = first;
    while (last->together && last->next) last = last->next;
    soup->held = last->next;
    last->next = NULL;
    if (first->number) {
      first->place.serial = NOWHERE;  // on its way
      first->next = soup->let_go;
      soup->let_go = first;
    }
  }
  lock_release(&soup->lock);
  return first;
}

/// What could not be injected: dropped, if the soup is stopped already.
static void refuse(struct crucible_soup *soup, const crucible_molecule *molecule) {
  if (crucible__inject_of(molecule->name) != crucible__refusing_inject) {
    crucible__die("no memory for what was injected during a definition");
  }
  if (molecule->name->destroy) {
    molecule->name->destroy(molecule->value, molecule->name->context, CRUCIBLE_STOPPED_SOUP);
  }
  fetch_add_relaxed(&soup->dropped, 1);
}

/// A molecule that can be withdrawn: its place is noted, and if its caller gave up meanwhile, it is.
static void let_go_tracked(struct crucible_soup *soup, struct held_molecule *held) {
  struct place place = {.serial = NOWHERE};
  const crucible_molecule molecule = {.name = held->name, .value = held->value};
  if (!held->name->component->strategy->inject_placed(held->name, held->value, 0, &place)) {
    refuse(soup, &molecule);
    place.serial = NOWHERE;
  }
  lock_acquire(&soup->lock);
  held->place = place;
  bool given_up = held->given_up;
  lock_release(&soup->lock);
  if (given_up && crucible__withdraw(held->name, &place, held->value) == WITHDRAWN) {
    if (held->name->destroy) held->name->destroy(held->value, held->name->context, CRUCIBLE_WITHDRAWN);
  }
}

/// Injects what was held, one molecule or several in one step.
static void let_go(struct crucible_soup *soup, struct held_molecule *first) {
  if (first->number) {
    let_go_tracked(soup, first);
    return;
  }
  size_t count = 0;
  for (struct held_molecule *held = first; held; held = held->next) count++;
  crucible_molecule *molecules = (crucible_molecule *)(void *)crucible__storage(count * sizeof *molecules);
  count = 0;
  for (struct held_molecule *held = first; held; held = held->next) {
    molecules[count++] = (crucible_molecule){.name = held->name, .value = held->value, .times = held->times};
  }
  bool is_single = count == 1 && (first->name->has_payload || first->times == 1);
  bool injected = is_single ? crucible_inject(first->name, first->value)
                            : crucible__inject_together(soup, molecules, count);
  for (size_t i = 0; !injected && i < count; i++) {
    if (molecules[i].value) refuse(soup, &molecules[i]);
  }
  crucible__storage_free((char *)molecules, count * sizeof *molecules);
  for (struct held_molecule *next; first; first = next) {
    next = first->next;
    crucible__free(first, first->size);
  }
}

crucible_status crucible_soup_freeze(crucible_soup *soup, crucible_name **culprit) {
  *culprit = NULL;
  if (soup->frozen) return CRUCIBLE_FROZEN;
  crucible_status status = check_names(soup, culprit);
  if (status != CRUCIBLE_OK) return status;
  if (!crucible__layout_components(soup)) return CRUCIBLE_NO_MEMORY;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    status = choose_matcher(&soup->components[c], culprit);
    if (status != CRUCIBLE_OK) return status;
  }
  lock_acquire(&soup->lock);
  for (uint32_t i = 0; i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i];
    store_release(&name->inject, name->component->strategy->inject_for(name));  // partner: the load in crucible_inject
  }
  soup->frozen = true;
  lock_release(&soup->lock);
  struct held_molecule *held;
  while ((held = take_held(soup))) let_go(soup, held);
  return CRUCIBLE_OK;
}
