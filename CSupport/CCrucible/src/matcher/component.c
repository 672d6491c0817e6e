// Components: see component.h.
//
// A component is a set of names connected by sharing reactions; it has a state word (or a lock) of its own, so that two
// components never touch each other's memory.

#include "matcher/component.h"

#include "base/tuning.h"
#include "firing/firing.h"

// ---------------------------------------------------------------------------------------------------------------------
// Components
// ---------------------------------------------------------------------------------------------------------------------

static uint32_t root_of(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static struct candidate *make_candidates(struct arena *arena, size_t count) {
  return crucible__arena_take(arena, count * sizeof(struct candidate), sizeof(struct candidate));
}

static bool component_create(struct component *component, struct crucible_soup *soup, uint32_t root, uint32_t *parent) {
  struct arena *arena = &soup->arena;
  component->soup = soup;
  for (uint32_t i = 0; i < soup->name_count; i++) component->name_count += root_of(parent, i) == root;
  for (size_t r = 0; r < soup->reaction_count; r++) {
    component->reaction_count += root_of(parent, soup->reactions[r]->inputs[0].name->index) == root;
  }
  component->names = crucible__arena_take(arena, component->name_count * sizeof *component->names, _Alignof(void *));
  component->reactions = crucible__arena_take(arena, component->reaction_count * sizeof *component->reactions, _Alignof(void *));
  if (!component->names || !component->reactions) return false;
  uint32_t bit = 0;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i];
    if (root_of(parent, i) != root) continue;
    name->component = component;
    name->bit = (uint8_t)bit;
    component->names[bit++] = name;
  }
  return true;
}

/// Where each input of a firing lies in its storage.
static void place_inputs(struct component *component, struct reaction *reaction) {
  uint32_t offset = 0;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    struct input *input = &reaction->inputs[i];
    struct crucible_name *name = input->name;
    input->is_stored = name->kind != CRUCIBLE_STATE && name->has_payload;
    input->fixed = reaction->fixed[i] = name->kind == CRUCIBLE_STATE ? name->cell : (void *)name;
    if (!input->is_stored) continue;
    reaction->has_stored = true;
    uint32_t alignment = name->alignment;
    offset = (offset + alignment - 1) / alignment * alignment;
    input->offset = offset;
    offset += name->size;
    if (component->alignment < alignment) component->alignment = alignment;
  }
  if (component->storage < offset) component->storage = offset;
  if (component->input_count < reaction->input_count) component->input_count = reaction->input_count;
}

static bool consumes(const struct reaction *reaction, const struct crucible_name *name) {
  return (reaction->bits >> name->bit) & 1;
}

/// Room for the lists of candidates. A list of one is the reaction's own, and a name that every reaction consumes has the component's.
static bool list_candidates(struct component *component) {
  struct arena *arena = &component->soup->arena;
  uint32_t all = component->reaction_count;
  component->candidates = all == 1 ? &component->reactions[0]->self : make_candidates(arena, all);
  if (!component->candidates) return false;
  component->candidates_end = component->candidates + all;
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    struct reaction *last = NULL;
    uint32_t count = 0;
    for (uint32_t r = 0; r < all; r++) {
      if (!consumes(component->reactions[r], name)) continue;
      last = component->reactions[r];
      count++;
    }
    name->candidates = count == 1 ? &last->self : count == all ? component->candidates : make_candidates(arena, count);
    if (!name->candidates) return false;
    name->candidates_end = name->candidates + count;
  }
  return true;
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
  for (uint32_t i = 0; i < soup->name_count; i++) count += root_of(parent, i) == i;
  if (count == 0) return true;
  soup->components = crucible__arena_take(&soup->arena, count * sizeof *soup->components, _Alignof(struct component));
  if (!soup->components) return false;
  soup->component_count = count;
  uint32_t index = 0;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (root_of(parent, i) != i) continue;
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
      reaction->bits |= UINT64_C(1) << name->bit;
      uint32_t need = 0;
      for (uint32_t k = 0; k < reaction->input_count; k++) need += reaction->inputs[k].name == name;
      if (name->largest_need < need) name->largest_need = (uint8_t)need;
      if (need > 1) reaction->repeats = true;
      if (reaction->retries) name->is_retried = true;
    }
    place_inputs(component, reaction);
    component->reactions[component->reaction_count++] = reaction;
  }
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    component->is_small = component->input_count <= CRUCIBLE_SMALL_INPUTS &&
                          component->storage <= CRUCIBLE_SMALL_STORAGE && component->alignment <= 16;
    component->storage += component->alignment;
    if (!list_candidates(component)) return false;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Lists of candidates
// ---------------------------------------------------------------------------------------------------------------------

/// How many firings of the reaction may be reserved at once: more than one only if nobody else could use their molecules
/// while its states are held, and if no caller waits for them. `shared`: for each name the states that all its reactions take.
static uint32_t longest_batch(const struct reaction *reaction, const uint64_t *shared) {
  if (reaction->state_count != 1) return 1;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct crucible_name *name = reaction->inputs[i].name;
    if (name->kind == CRUCIBLE_FAST || (reaction->states & ~shared[name->index]) != 0) return 1;
  }
  return CRUCIBLE_BATCH;
}

/// The top bit of its field; 0 where there are no fields.
static uint64_t guard_of(const struct crucible_name *name) { return name->mask ? name->mask + name->unit : 0; }

/// The fields of what the reaction takes besides that name.
static uint64_t fields_beside(const struct reaction *reaction, const struct crucible_name *name) {
  uint64_t fields = 0;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    if (reaction->inputs[i].name != name) fields |= reaction->inputs[i].name->mask;
  }
  return fields;
}

void crucible__layout_lists(struct component *component) {
  uint64_t shared[CRUCIBLE_MAX_NAMES];  // the states that all reactions over a name take
  uint64_t fields = 0;                  // of all names but states
  for (uint32_t r = 0; r < component->reaction_count; r++) {
    struct reaction *reaction = component->reactions[r];
    reaction->self = (struct candidate){.reaction = reaction};
    reaction->covers = reaction->state_count == 0 ? reaction->soup : NULL;
    reaction->is_quick = reaction->has_stored && reaction->state_count == 0 && component->is_small;
    for (uint32_t i = 0; i < reaction->input_count; i++) {
      const struct crucible_name *name = reaction->inputs[i].name;
      reaction->self.need += name->unit;
      reaction->self.guards |= guard_of(name);
      if (name->kind == CRUCIBLE_STATE) reaction->states |= name->unit;
    }
    reaction->self.mask = reaction->self.guards | CRUCIBLE_CONTROL;
    if (component->candidates != &reaction->self) component->candidates[r] = reaction->self;
  }
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    uint32_t count = (uint32_t)(name->candidates_end - name->candidates), next = 0;
    if (count == 1 || name->candidates == component->candidates) continue;
    for (uint32_t r = 0; r < component->reaction_count; r++) {
      if (consumes(component->reactions[r], name)) name->candidates[next++] = component->reactions[r]->self;
    }
  }
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    name->under_state = true;
    shared[name->index] = UINT64_MAX;
    if (name->kind != CRUCIBLE_STATE) fields |= name->mask;
    for (struct candidate *c = name->candidates; c < name->candidates_end; c++) {
      if (c->reaction->state_count == 0) name->under_state = false;
      shared[name->index] &= c->reaction->states;
      uint64_t others = fields_beside(c->reaction, name);
      name->others |= others ? others : name->mask;
    }
  }
  for (uint32_t r = 0; r < component->reaction_count; r++) {
    struct reaction *reaction = component->reactions[r];
    reaction->most = longest_batch(reaction, shared);
    reaction->after = component->candidates;
    reaction->after_end = component->candidates_end;
    reaction->after_fields = fields;
    for (uint32_t i = 0; reaction->state_count == 1 && i < reaction->input_count; i++) {
      const struct crucible_name *name = reaction->inputs[i].name;
      if (name->kind != CRUCIBLE_STATE) continue;
      reaction->after = name->candidates;
      reaction->after_end = name->candidates_end;
      reaction->after_fields = fields & name->others;
    }
  }
}
