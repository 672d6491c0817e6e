// Decides which reaction fires, and with which molecules: see ARRIVAL-2 and ARRIVAL-4 of arrival.c.

#include <string.h>

#include "matcher/arrival/arrival.h"

/// Copies a value. Most have 8 bytes.
static inline void copy(void *to, const void *from, size_t size) {
  if (size == 8) {
    memcpy(to, from, 8);
  } else {
    memcpy(to, from, size);
  }
}

static bool is_enabled(const struct arrival *own, const struct reaction *reaction) {
  if ((own->presence & reaction->bits) != reaction->bits) return false;
  for (uint32_t i = 0; reaction->repeats && i < reaction->input_count; i++) {
    if (own->shelves[reaction->inputs[i].name->bit].count < reaction->inputs[i].need) return false;
  }
  return !reaction->repeats || load_relaxed(&reaction->missing) == 0;
}

/// Lists the numbers of the molecules that an enabled reaction would take, except states, the youngest first. Returns
/// their number.
static uint32_t list_numbers(const struct arrival *own, const struct reaction *reaction, uint64_t *numbers) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct crucible_name *name = reaction->inputs[i].name;
    if (name->kind == CRUCIBLE_STATE) continue;
    uint64_t older = 0;
    for (uint32_t k = 0; reaction->repeats && k < i; k++) older += reaction->inputs[k].name == name;
    uint64_t number = crucible__shelf_number(&own->shelves[name->bit], older);
    uint32_t at = count++;
    for (; at > 0 && numbers[at - 1] < number; at--) numbers[at] = numbers[at - 1];
    numbers[at] = number;
  }
  return count;
}

/// Whether `one` fires before `other`, which was declared earlier. Requires: both are enabled.
static bool fires_before(const struct arrival *own, const struct reaction *one, const struct reaction *other) {
  uint64_t mine[CRUCIBLE_MAX_INPUTS], others[CRUCIBLE_MAX_INPUTS];
  uint32_t count = list_numbers(own, one, mine), other_count = list_numbers(own, other, others);
  for (uint32_t i = 0; i < count && i < other_count; i++) {
    if (mine[i] != others[i]) return mine[i] < others[i];
  }
  return count > other_count;
}

struct node *crucible__arrive(struct arrival *own, const struct crucible_name *name, const void *value, uint64_t times,
                              uint64_t attempts) {
  struct shelf *shelf = &own->shelves[name->bit];
  struct node *node = crucible__shelf_node(shelf);
  if (!node) return NULL;
  node->number = own->arrivals;
  node->times = times;
  node->attempts = (uint32_t)(attempts < MOST_ATTEMPTS ? attempts : MOST_ATTEMPTS);
  own->arrivals += times;
  own->presence |= shelf->bit;
  if (name->has_payload) copy(crucible__shelf_value(shelf, node), value, name->size);
  crucible__shelf_put(shelf, node, name->has_payload);
  return node;
}

void crucible__depart(struct arrival *own, uint32_t bit, struct node *node) {
  crucible__shelf_remove(&own->shelves[bit], node);
  if (own->shelves[bit].count == 0) own->presence &= ~(UINT64_C(1) << bit);
}

/// Takes the molecules that the reaction consumes off the shelves. Returns the nodes of its stored inputs, in their
/// order.
static struct node *match(struct arrival *own, const struct reaction *reaction) {
  struct node *first = NULL, **end = &first;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct input *input = &reaction->inputs[i];
    uint32_t bit = input->name->bit;
    struct shelf *shelf = &own->shelves[bit];
    struct node *node = shelf->first;
    if (!node) {  // a state
      shelf->count = 0;
      own->presence &= ~(UINT64_C(1) << bit);
    } else if (node->times > 1) {
      node->times--;
      node->number++;
      shelf->count--;
    } else {
      crucible__depart(own, bit, node);
      if (input->is_stored) {
        *end = node;
        end = &node->next;
      } else {
        crucible__shelf_give(shelf, node);
      }
    }
  }
  *end = NULL;
  return first;
}

void crucible__deliver(struct arrival *own, const struct reaction *reaction, struct node *node, struct firing *firing) {
  uint64_t *attempts = crucible__attempts_of(firing->inputs);
  *attempts = 0;
  for (uint32_t i = 0; i < reaction->width; i++) {
    const struct input *input = &reaction->inputs[i];
    firing->inputs[i] = input->fixed;
    if (!input->is_stored) continue;
    struct shelf *shelf = &own->shelves[input->name->bit];
    struct node *next = node->next;
    firing->inputs[i] = firing->storage + input->offset;
    copy(firing->inputs[i], crucible__shelf_value(shelf, node), input->name->size);
    if (node->attempts > *attempts) *attempts = node->attempts;
    crucible__shelf_give(shelf, node);
    node = next;
  }
}

struct reaction *crucible__reserve_first(struct component *component, const struct shelf *of, const struct thread *self,
                                         here_function here, struct firing *firing) {
  struct arrival *own = component->own;
  if (own->paused || own->stopped) return NULL;
  bool all = !of || own->unsettled;  // ARRIVAL-3
  struct reaction **reaction = all ? component->reactions : of->reactions;
  struct reaction **end = all ? reaction + component->reaction_count : of->reactions_end;
  struct reaction *found = NULL;
  for (; reaction < end; reaction++) {
    if (is_enabled(own, *reaction) && (!found || fires_before(own, *reaction, found))) found = *reaction;
  }
  struct node *nodes = found ? match(own, found) : NULL;
  if (!nodes) return found;
  if (here && here(self, found)) {
    crucible__deliver(own, found, nodes, firing);
    return found;
  }
  struct matches *matches = found->own;
  nodes->previous = NULL;
  if (matches->first) {
    matches->last->previous = nodes;
  } else {
    matches->first = nodes;
  }
  matches->last = nodes;
  return found;
}
