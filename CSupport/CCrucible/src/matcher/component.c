// Components: see component.h.
//
// A component is a set of names connected by sharing reactions. It has a state word (or a lock) of its own, so two
// components never access each other's memory.

#include "matcher/component.h"

#include "firing/firing.h"

static uint32_t root_of(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/// Whether the name is the root of a component. Facts belong to none, because reactions of several components may read
/// one.
static bool is_root(const struct crucible_soup *soup, uint32_t *parent, uint32_t i) {
  return soup->names[i]->kind != CRUCIBLE_FACT && root_of(parent, i) == i;
}

static bool component_create(struct component *component, struct crucible_soup *soup, uint32_t root, uint32_t *parent) {
  struct arena *arena = &soup->arena;
  component->soup = soup;
  for (uint32_t i = 0; i < soup->name_count; i++) component->name_count += root_of(parent, i) == root;
  for (size_t r = 0; r < soup->reaction_count; r++) {
    component->reaction_count += root_of(parent, soup->reactions[r]->inputs[0].name->index) == root;
  }
  component->names = crucible__arena_take(arena, component->name_count * sizeof *component->names, _Alignof(void *));
  component->reactions = crucible__arena_take(arena, component->reaction_count * sizeof *component->reactions,
                                              _Alignof(void *));
  if (!component->names || !component->reactions) return false;
  uint32_t bit = 0;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (root_of(parent, i) != root) continue;
    struct crucible_name *name = crucible__stored(soup->names[i]);
    soup->names[i]->component = name->component = component;
    name->bit = (uint8_t)bit;
    component->names[bit++] = name;
  }
  return true;
}

/// Finds where each input of a firing lies in its storage, and the facts that it reads.
static void place_inputs(struct component *component, struct reaction *reaction) {
  uint32_t offset = 0;
  for (uint32_t i = 0; i < reaction->width; i++) {
    struct input *input = &reaction->inputs[i];
    struct crucible_name *name = input->name;
    for (uint32_t k = 0; k < reaction->width; k++) input->need += reaction->inputs[k].name == name;
    if (input->need > 1) reaction->repeats = true;
    input->is_stored = !crucible__has_cell(name) && name->has_payload;
    reaction->fixed[i] = crucible__has_cell(name) ? name->cell : (void *)name;
    if (!input->is_stored) {
      input->fixed = reaction->fixed[i];
      continue;
    }
    reaction->has_stored = true;
    uint32_t alignment = name->alignment;
    offset = (offset + alignment - 1) / alignment * alignment;
    input->offset = offset;
    offset += name->size;
    if (component->alignment < alignment) component->alignment = alignment;
  }
  if (component->storage < offset) component->storage = offset;
  if (component->input_count < reaction->width) component->input_count = reaction->width;
  if (reaction->width > reaction->input_count) component->has_facts = reaction->repeats = true;
}

bool crucible__layout_components(struct crucible_soup *soup) {
  uint32_t parent[CRUCIBLE_MAX_NAMES];
  for (uint32_t i = 0; i < soup->name_count; i++) parent[i] = i;
  for (size_t r = 0; r < soup->reaction_count; r++) {
    struct reaction *reaction = soup->reactions[r];
    for (uint32_t i = 1; i < reaction->input_count; i++) {
      parent[root_of(parent, reaction->inputs[i].name->index)] = root_of(parent, reaction->inputs[0].name->index);
    }
  }
  uint32_t count = 0;
  for (uint32_t i = 0; i < soup->name_count; i++) count += is_root(soup, parent, i);
  if (count == 0) return true;
  soup->components = crucible__arena_take(&soup->arena, count * sizeof *soup->components, _Alignof(struct component));
  if (!soup->components) return false;
  soup->component_count = count;
  uint32_t index = 0;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (!is_root(soup, parent, i)) continue;
    struct component *component = &soup->components[index];
    component->index = index++;
    component->alignment = 16;
    if (!component_create(component, soup, i, parent)) return false;
  }
  for (uint32_t c = 0; c < soup->component_count; c++) soup->components[c].reaction_count = 0;
  for (size_t r = 0; r < soup->reaction_count; r++) {
    struct reaction *reaction = soup->reactions[r];
    struct component *component = reaction->inputs[0].name->component;
    reaction->component = component;
    reaction->soup = soup;
    for (uint32_t i = 0; i < reaction->input_count; i++) {
      struct crucible_name *name = reaction->inputs[i].name;
      reaction->bits |= UINT64_C(1) << name->bit % MOST_MASKED;
      if (reaction->retries) name->is_retried = true;
    }
    place_inputs(component, reaction);
    if (component->name_count > MOST_MASKED) {
      reaction->bits = 0;
      reaction->repeats = true;
    }
    component->reactions[component->reaction_count++] = reaction;
  }
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    component->is_small = component->input_count <= CRUCIBLE_SMALL_INPUTS &&
                          component->storage <= CRUCIBLE_SMALL_STORAGE && component->alignment <= 16;
    component->storage += component->alignment;
    for (uint32_t r = 0; !component->is_small && r < component->reaction_count; r++) {
      struct reaction *reaction = component->reactions[r];
      if (reaction->depth_limit > 0) reaction->depth_limit = CRUCIBLE_UNCHECKED_LARGE;
    }
  }
  return true;
}

size_t crucible__size_of_lists(const struct component *component) {
  size_t listed = 0;
  for (uint32_t r = 0; r < component->reaction_count; r++) listed += component->reactions[r]->input_count;
  return listed * sizeof(struct reaction *);
}

struct reaction **crucible__list_reactions(const struct crucible_name *name, struct reaction **list) {
  const struct component *component = name->component;
  for (uint32_t r = 0; r < component->reaction_count; r++) {
    if (crucible__consumes(component->reactions[r], name)) *list++ = component->reactions[r];
  }
  return list;
}
