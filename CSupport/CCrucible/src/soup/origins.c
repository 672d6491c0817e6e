// The molecules that have an origin, and how it travels: behind the value, in the same slot.
//
// A soup carries contexts if one of its bodies runs in a task, or if its options say so. The options may also say that
// only bodies in tasks need origins. Otherwise each of its reactions
// needs the origins of one of its inputs, the giver. So what a body injects has the context of a molecule that it
// consumed, also where a thread runs the body for another thread. A name has origins if it gives some reaction its
// context. It gets them when the definition ends, in the form of longer slots. All code that stores, moves and counts
// molecules is unaffected. Other names, other soups and their injections do not change.
//
// A body that runs inside the injection of its giver, on the same thread, needs no origin: the thread's own task is the
// context. Nor does a body whose task is made there. So where the matcher can complete such a reaction without storing
// the molecule, the injection makes none, and a null pointer takes its place.
//
// A name without payload has no bag, but its origins need one. So such a name gets a double, which takes its place in
// the component and in the patterns, and whose payload is the origin alone. The binding knows only the name.
//
//   ORIGIN-1  The thread that injects makes an origin, in its injection, for each molecule. A molecule that waits for
//       the end of the definition has its origin from its injection on, if a reaction that was declared by then needs
//       it. Otherwise the thread that ends the definition makes it.
//   ORIGIN-2  An origin that was made for n molecules is taken or ended n times. The binding takes it with a firing
//       that consumed the molecule. Or it is ended with the molecule when that is destroyed, withdrawn or refused.
//   ORIGIN-3  A body of a soup that carries no contexts has none. It may run on the thread of any task. So an origin
//       that is made there has no values (crucible__lacks_context), and no injection counts as that of the task.
//   ORIGIN-4  Neither ORIGIN-1 nor ORIGIN-2 happens under a lock of the core, because both run code of the binding.

#include "soup/soup.h"

#include <string.h>

#include "base/errors.h"
#include "base/memory.h"
#include "firing/firing.h"
#include "firing/origin.h"
#include "matcher/inject.h"
#include "soup/inject.h"

// ---------------------------------------------------------------------------------------------------------------------
// Names
// ---------------------------------------------------------------------------------------------------------------------

/// How well a name gives a context: calls are better than values, and values better than names without payload.
static int rank(const struct crucible_name *name) {
  return name->kind == CRUCIBLE_FAST ? 2 : name->has_payload ? 1 : 0;
}

/// Gives a name a species of its own. False: no memory.
static bool copy_species(struct crucible_name *name) {
  struct species *copy =
      crucible__arena_take(&name->soup->chemistry->arena, sizeof(struct species), _Alignof(struct species));
  if (!copy) return false;
  // All that follows the members by which repeats recognize a step, one of which other threads may write.
  enum { BEGIN = offsetof(struct species, context) };
  memcpy((char *)copy + BEGIN, (const char *)name->species + BEGIN, sizeof *copy - BEGIN);
  name->species = copy;
  return true;
}

/// Makes the name's double, with everything that matchers read of it. Null: no memory.
static struct crucible_name *make_double(struct crucible_soup *soup, struct crucible_name *name) {
  struct crucible_name *copy = crucible__arena_take(&soup->arena, sizeof *copy, CRUCIBLE_LINE);
  if (!copy) return NULL;
  memcpy((void *)copy, (const void *)name, offsetof(struct crucible_name, bag));
  copy->has_payload = true;
  if (!copy_species(copy)) return NULL;
  copy->species->other = name;
  name->species->other = copy;
  for (size_t r = 0; r < soup->reaction_count; r++) {
    struct reaction *reaction = soup->reactions[r];
    for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
      if (reaction->at[i] == name) reaction->at[i] = copy;
    }
  }
  return copy;
}

void crucible__want_origin(struct reaction *reaction) {
  uint32_t giver = reaction->rule->input_count;
  for (uint32_t i = reaction->rule->input_count; i-- > 0;) {
    const struct crucible_name *name = crucible__input(reaction, i);
    if (name->kind == CRUCIBLE_STATE) continue;
    const struct crucible_name *best = giver < reaction->rule->input_count ? crucible__input(reaction, giver) : name;
    if (rank(name) >= rank(best)) giver = i;
  }
  reaction->rule->giver = (uint8_t)giver;
  // Entering a task takes more of the stack than calling a body.
  if (reaction->rule->depth_limit > CRUCIBLE_UNCHECKED_LARGE) reaction->rule->depth_limit = CRUCIBLE_UNCHECKED_LARGE;
  store_relaxed(&crucible__input(reaction, giver)->origins, WANTS_ORIGINS);
}

void crucible__carry_context(struct crucible_soup *soup) {
  if (soup->carries_context || soup->carries_none) return;
  soup->carries_context = true;
  for (uint32_t r = 0; r < soup->reaction_count; r++) crucible__want_origin(soup->reactions[r]);
}

void crucible_soup_carry_context(crucible_soup *soup, bool carry) {
  soup->carries_none = !carry;
  if (carry) crucible__carry_context(soup);
}

bool crucible__give_origins(struct crucible_soup *soup) {
  for (uint32_t i = 0; i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i];
    if (load_relaxed(&name->origins) != WANTS_ORIGINS) continue;
    if (name->species->index < soup->chemistry->from_names && !copy_species(name)) return false;  // it is shared
    struct crucible_name *stored = name->has_payload ? name : make_double(soup, name);
    if (!stored) return false;
    struct species *species = stored->species;
    species->value_size = species->size;
    species->origin_at = (uint32_t)((species->size + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *));
    species->size = species->origin_at + (uint32_t)sizeof(void *);
    if (species->alignment < _Alignof(void *)) species->alignment = _Alignof(void *);
    store_relaxed(&stored->origins, HAS_ORIGINS);
    store_relaxed(&name->origins, HAS_ORIGINS);
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Molecules
// ---------------------------------------------------------------------------------------------------------------------

static void lay(const struct crucible_name *stored, void *slot, const void *value, void *origin) {
  memcpy(slot, value, stored->species->value_size);
  *crucible__origin_of(stored, slot) = origin;
}

/// Returns the origin of a refused molecule. Moves the value back too, which need not be the one that was injected
/// (STOP-4).
static void *take_back(const struct crucible_name *stored, void *slot, void *value) {
  memcpy(value, slot, stored->species->value_size);
  return *crucible__origin_of(stored, slot);
}

/// Ends an origin after a refusal. That refusal stays the last one of this thread.
static void end_refused(void *origin, uint64_t count) {
  crucible_status why = crucible__refusal;
  crucible__end_origins(origin, count);
  crucible__refusal = why;
}

/// Injects with an origin. `own`: this thread has made the origin for this injection.
static bool inject_from(struct crucible_name *name, void *value, uint64_t attempts, struct place *place, void *origin,
                        bool own) {
  struct crucible_name *stored = crucible__stored(name);
  size_t size = stored->species->size + stored->species->alignment;
  char *heap = size > CRUCIBLE_STACK_STORAGE ? crucible__allocate(size, CRUCIBLE_LINE) : NULL;
  bool injected = false;
  if (size > CRUCIBLE_STACK_STORAGE && !heap) {
    crucible__refuse(CRUCIBLE_NO_MEMORY);
  } else {
    char *slot = crucible__aligned(heap ? heap : alloca(size), stored->species->alignment);
    lay(stored, slot, value, origin);
    const struct thread *self = crucible__self;
    struct injected outer = crucible__injected;
    crucible__injected = (struct injected){own ? origin : NULL, self ? self->depth : 0};
    injected = place || attempts > 0 ? crucible__inject_placed(stored, slot, attempts, place)
                                     : crucible__inject_for(stored)(stored, slot);
    crucible__injected = outer;
    if (!injected) origin = take_back(stored, slot, value);
  }
  if (heap) crucible__free(heap, size);
  if (!injected) end_refused(origin, 1);
  return injected;
}

bool crucible__inject_from(struct crucible_name *name, void *value, uint64_t attempts, struct place *place,
                           void *origin) {
  return inject_from(name, value, attempts, place, origin, false);
}

bool crucible__complete_in_own_task(struct crucible_name *name, void *value, inject_function complete) {
  if (!complete || !name->has_payload) return false;
  if (crucible__gives_origins || crucible__lacks_context()) return false;
  size_t size = name->species->size + name->species->alignment;
  if (size > CRUCIBLE_STACK_STORAGE) return false;
  char *slot = crucible__aligned(alloca(size), name->species->alignment);
  lay(name, slot, value, NULL);
  return complete(name, slot);
}

bool crucible__inject_by_own(struct crucible_name *name, void *value, uint64_t attempts, struct place *place) {
  inject_function complete = name->completes_here && attempts == 0 ? name->component->matcher->complete_own : NULL;
  if (crucible__complete_in_own_task(name, value, complete)) return true;
  return inject_from(name, value, attempts, place, crucible__make_origin(1), true);
}

bool crucible__inject_with_origin(struct crucible_name *name, void *value) {
  crucible__notify(name, value, 1, CRUCIBLE_BEGINS);
  return crucible__reported(name, value, crucible__inject_by_own(name, value, 0, NULL));
}

// ---------------------------------------------------------------------------------------------------------------------
// Several at once
// ---------------------------------------------------------------------------------------------------------------------

/// The number of the matcher's molecules for one molecule. Those of a double have a slot each.
static size_t parts_of(const crucible_molecule *molecule) {
  return crucible__stored(molecule->name) == molecule->name ? 1 : molecule->times;
}

static size_t room_for(const struct crucible_name *stored) {
  return stored->species->size + stored->species->alignment;
}

/// Splits the molecules into those of the matcher, one after the other. Their slots are in `room`.
static void split(crucible_molecule *parts, char *room, const crucible_molecule *molecules, size_t count,
                  void *const *origins) {
  for (size_t i = 0; i < count; i++) {
    if (!crucible__has_origins(molecules[i].name)) {
      *parts++ = molecules[i];
      continue;
    }
    struct crucible_name *stored = crucible__stored(molecules[i].name);
    size_t n = parts_of(&molecules[i]);
    void *origin = origins ? origins[i] : NULL;
    if (!origin) origin = crucible__make_origin(n);
    for (size_t k = 0; k < n; k++) {
      char *slot = crucible__aligned(room, stored->species->alignment);
      room += room_for(stored);
      lay(stored, slot, molecules[i].value, origin);
      *parts++ = (crucible_molecule){
          .name = stored, .value = slot, .times = stored == molecules[i].name ? molecules[i].times : 0,
          .is_put_back = molecules[i].is_put_back};
    }
  }
}

/// Marks the molecules that were injected, and ends the origins of the others.
static void join(crucible_molecule *molecules, size_t count, const crucible_molecule *parts) {
  for (size_t i = 0; i < count; i++) {
    bool has_origins = crucible__has_origins(molecules[i].name), injected = true;
    for (size_t n = has_origins ? parts_of(&molecules[i]) : 1; n > 0; n--, parts++) {
      if (!parts->value) continue;
      injected = false;
      if (has_origins) end_refused(take_back(parts->name, parts->value, molecules[i].value), 1);
    }
    if (injected) molecules[i].value = NULL;
  }
}

bool crucible__inject_parts_with_origins(struct crucible_soup *soup, crucible_molecule *molecules, size_t count,
                                         void *const *origins) {
  size_t total = 0, size = 0;
  for (size_t i = 0; i < count; i++) {
    size_t n = crucible__has_origins(molecules[i].name) ? parts_of(&molecules[i]) : 1;
    total += n;
    if (crucible__has_origins(molecules[i].name)) size += n * room_for(crucible__stored(molecules[i].name));
  }
  size_t bytes = total * sizeof(crucible_molecule);
  crucible_molecule *parts = crucible__allocate(bytes + size, CRUCIBLE_LINE);
  if (!parts) {
    for (size_t i = 0; origins && i < count; i++) end_refused(origins[i], parts_of(&molecules[i]));
    return crucible__refuse(CRUCIBLE_NO_MEMORY);
  }
  split(parts, (char *)parts + bytes, molecules, count, origins);
  bool injected = crucible__inject_parts(soup, parts, total);
  crucible_status why = crucible__refusal;
  join(molecules, count, parts);
  crucible__free(parts, bytes + size);
  return injected || crucible__refuse(why);
}
