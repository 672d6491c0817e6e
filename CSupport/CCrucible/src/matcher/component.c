// Components: dividing the names of a soup into them, and listing the reactions that consume each name.
//
// A component is a set of names connected by sharing reactions. It has a state word (or a lock) of its own, so two
// components never access each other's memory.

#include "matcher/matcher.h"

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

/// Lists the names and reactions of one component.
static bool make_layout(struct crucible_soup *soup, struct layout *layout, uint32_t root, uint32_t *parent) {
  struct arena *arena = &soup->chemistry->arena;
  uint32_t names = 0, reactions = 0;
  for (uint32_t i = 0; i < soup->name_count; i++) names += root_of(parent, i) == root;
  for (size_t r = 0; r < soup->reaction_count; r++) {
    reactions += root_of(parent, soup->reactions[r]->rule->inputs[0].name) == root;
  }
  layout->names = crucible__arena_take(arena, names * sizeof *layout->names, _Alignof(uint8_t));
  layout->reactions = crucible__arena_take(arena, reactions * sizeof *layout->reactions, _Alignof(uint32_t));
  if (!layout->names || !layout->reactions) return false;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (root_of(parent, i) == root) layout->names[layout->name_count++] = (uint8_t)i;
  }
  for (uint32_t r = 0; r < soup->reaction_count; r++) {
    if (root_of(parent, soup->reactions[r]->rule->inputs[0].name) != root) continue;
    layout->reactions[layout->reaction_count++] = r;
  }
  layout->alignment = 16;
  return true;
}

/// Finds the components. False: no memory.
static bool make_layouts(struct crucible_soup *soup) {
  struct chemistry *chemistry = soup->chemistry;
  uint32_t parent[CRUCIBLE_MAX_NAMES];
  for (uint32_t i = 0; i < soup->name_count; i++) parent[i] = i;
  for (size_t r = 0; r < soup->reaction_count; r++) {
    const struct rule *rule = soup->reactions[r]->rule;
    for (uint32_t i = 1; i < rule->input_count; i++) {
      parent[root_of(parent, rule->inputs[i].name)] = root_of(parent, rule->inputs[0].name);
    }
  }
  uint32_t count = 0;
  for (uint32_t i = 0; i < soup->name_count; i++) count += is_root(soup, parent, i);
  chemistry->component_count = 0;  // an attempt without memory may have left some
  chemistry->components =
      crucible__arena_take(&chemistry->arena, count * sizeof *chemistry->components, _Alignof(struct layout));
  if (!chemistry->components) return false;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (!is_root(soup, parent, i)) continue;
    struct layout *layout = &chemistry->components[chemistry->component_count];
    layout->index = (uint8_t)chemistry->component_count++;
    if (!make_layout(soup, layout, i, parent)) return false;
  }
  return true;
}

bool crucible__make_components(struct crucible_soup *soup) {
  const struct chemistry *chemistry = soup->chemistry;
  struct arena *arena = &soup->arena;
  size_t size = chemistry->component_count * sizeof(struct component);
  bool is_single = chemistry->component_count == 1;
  struct component *components =
      is_single ? &soup->single : crucible__arena_take(arena, size, _Alignof(struct component));
  if (!components) return false;
  if (is_single) memset((void *)&components->soup, 0, sizeof *components - offsetof(struct component, soup));
  for (uint32_t c = 0; c < chemistry->component_count; c++) {
    struct component *component = &components[c];
    struct layout *layout = &chemistry->components[c];
    component->soup = soup;
    component->layout = layout;
    if (chemistry->is_shared && crucible__is_whole(chemistry)) {
      component->names = soup->names;
      component->reactions = soup->reactions;
    } else {
      component->names = crucible__arena_take(arena, layout->name_count * sizeof *component->names, _Alignof(void *));
      component->reactions =
          crucible__arena_take(arena, layout->reaction_count * sizeof *component->reactions, _Alignof(void *));
    }
    if (!component->names || !component->reactions) return false;
    for (uint32_t bit = 0; bit < layout->name_count; bit++) {
      struct crucible_name *name = soup->names[layout->names[bit]];
      name->component = component;
      name = component->names[bit] = crucible__stored(name);
      name->component = component;
      name->bit = (uint8_t)bit;
    }
    for (uint32_t r = 0; r < layout->reaction_count; r++) {
      component->reactions[r] = soup->reactions[layout->reactions[r]];
      component->reactions[r]->component = component;
    }
  }
  soup->components = components;
  soup->component_count = chemistry->component_count;
  return true;
}

/// Finds where each input of a firing lies in its storage, how often it is needed, and the facts that it reads.
static void place_inputs(struct component *component, struct reaction *reaction) {
  struct layout *layout = component->layout;
  struct rule *rule = reaction->rule;
  uint32_t offset = 0;
  for (uint32_t i = 0; i < rule->width; i++) {
    struct input *input = &rule->inputs[i];
    struct crucible_name *name = crucible__stored(reaction->soup->names[input->name]);
    input->bit = name->bit;
    for (uint32_t k = 0; k < rule->width; k++) input->need += rule->inputs[k].name == input->name;
    if (input->need > 1) rule->repeats = true;
    if (name->word.largest_need < input->need) name->word.largest_need = input->need;
    input->is_stored = !crucible__has_cell(name) && name->has_payload;
    if (!input->is_stored) continue;
    rule->has_stored = true;
    uint32_t alignment = name->species->alignment;
    offset = (offset + alignment - 1) / alignment * alignment;
    input->offset = offset;
    offset += name->species->size;
    if (layout->alignment < alignment) layout->alignment = alignment;
  }
  if (layout->storage < offset) layout->storage = offset;
  if (layout->input_count < rule->width) layout->input_count = rule->width;
  if (rule->width > rule->input_count) layout->has_facts = rule->repeats = true;
}

bool crucible__layout_components(struct crucible_soup *soup) {
  if (!make_layouts(soup) || !crucible__make_components(soup)) return false;
  for (uint32_t r = 0; r < soup->reaction_count; r++) {
    struct reaction *reaction = soup->reactions[r];
    struct rule *rule = reaction->rule;
    for (uint32_t i = 0; i < rule->input_count; i++) {
      struct crucible_name *name = crucible__stored(soup->names[rule->inputs[i].name]);
      rule->bits |= UINT64_C(1) << name->bit % MOST_MASKED;
    }
    place_inputs(reaction->component, reaction);
    if (reaction->component->layout->name_count > MOST_MASKED) {
      rule->bits = 0;
      rule->repeats = true;
    }
  }
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    struct layout *layout = component->layout;
    layout->is_small = layout->input_count <= CRUCIBLE_SMALL_INPUTS && layout->storage <= CRUCIBLE_SMALL_STORAGE &&
                       layout->alignment <= 16;
    layout->storage += layout->alignment;
    for (uint32_t r = 0; r < layout->reaction_count; r++) {
      struct rule *rule = component->reactions[r]->rule;
      rule->is_small = layout->is_small;
      if (!layout->is_small && rule->depth_limit > 0) rule->depth_limit = CRUCIBLE_UNCHECKED_LARGE;
    }
  }
  return true;
}

size_t crucible__size_of_lists(const struct component *component) {
  size_t listed = 0;
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) listed += component->reactions[r]->rule->input_count;
  return listed * sizeof(struct reaction *);
}

struct reaction **crucible__list_reactions(const struct crucible_name *name, struct reaction **list) {
  const struct component *component = name->component;
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    if (crucible__consumes(component->reactions[r], name)) *list++ = component->reactions[r];
  }
  return list;
}
