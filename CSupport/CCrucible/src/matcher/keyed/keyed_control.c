// Inspection of a component with keys, its control, its beginning and its end: see keyed.c.

#include "base/memory.h"
#include "firing/bounds.h"
#include "firing/origin.h"
#include "matcher/fact.h"
#include "matcher/inject.h"
#include "matcher/keyed/keyed.h"
#include "matcher/keyed/keys.h"

static void lock_all(struct keyed *keyed) {
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) lock_acquire(&keyed->shards[s].lock);
}
static void release_all(struct keyed *keyed) {
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) lock_release(&keyed->shards[s].lock);
}

// ---------------------------------------------------------------------------------------------------------------------
// Inspection and control
// ---------------------------------------------------------------------------------------------------------------------

bool crucible__keyed_holds(struct crucible_name *name, const struct place *place) {
  struct keyed *keyed = name->component->own;
  struct shard *shard = &keyed->shards[place->position % CRUCIBLE_SHARDS];
  lock_acquire(&shard->lock);
  bool holds = ((const struct entry *)(uintptr_t)place->serial)->node.number == place->position;
  lock_release(&shard->lock);
  return holds;
}

void crucible__keyed_counts(struct component *component, uint64_t *counts) {
  struct keyed *keyed = component->own;
  memset(counts, 0, component->layout->name_count * sizeof *counts);
  lock_all(keyed);
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
      counts[bit] += keyed->shards[s].shelves[bit].count;
    }
  }
  release_all(keyed);
}

void crucible__keyed_control(struct component *component, bool paused, bool stopped) {
  struct keyed *keyed = component->own;
  lock_all(keyed);
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    // The thread that enables the reactions again settles afterwards.
    if ((shard->paused || shard->stopped) && !paused && !stopped) crucible__unsettle_all(shard);
    shard->paused = paused;
    shard->stopped = stopped;
  }
  release_all(keyed);
}

void crucible__keyed_pause_name(struct crucible_name *name) {
  struct keyed *keyed = name->component->own;
  uint64_t bit = UINT64_C(1) << name->bit;
  lock_all(keyed);
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    shard->held = load_relaxed(&name->paused) ? shard->held | bit : shard->held & ~bit;
    crucible__unsettle_all(shard);  // the caller settles
  }
  release_all(keyed);
}

void crucible__keyed_set_fact(struct reaction *reaction, uint32_t input, bool known) {
  (void)input;
  struct keyed *keyed = reaction->component->own;
  lock_all(keyed);
  crucible__count_fact(reaction, known);
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) crucible__unsettle_all(&keyed->shards[s]);  // the caller settles
  release_all(keyed);
}

/// Takes all molecules of a name out of the shard. Returns their nodes, for each key oldest first.
static struct node *take_all(struct keyed *keyed, struct shard *shard, uint32_t bit, struct part **ended) {
  struct node *taken = NULL, **end = &taken;
  for (size_t i = 0; shard->shelves[bit].count > 0;) {
    struct part *part = shard->table[i].part;
    struct queue *queue = part ? crucible__queue(keyed, part, bit) : NULL;
    for (struct node *node; queue && (node = queue->first); end = &node->next) {
      crucible__keyed_leave(keyed, shard, node, bit);
      *end = node;
    }
    if (part) crucible__retire_part(keyed, shard, part, ended);
    if (shard->table[i].part == part) i++;  // Otherwise the place is empty, or another part has come there.
  }
  *end = NULL;
  return taken;
}

uint64_t crucible__keyed_drop(struct component *component, const struct crucible_name *only, crucible_reason reason) {
  struct keyed *keyed = component->own;
  struct node *nodes[CRUCIBLE_SHARDS][MOST_MASKED];
  struct part *ended[CRUCIBLE_SHARDS] = {NULL};
  uint64_t counts[MOST_MASKED] = {0}, dropped = 0;
  uint32_t name_count = component->layout->name_count;
  lock_all(keyed);
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    for (uint32_t bit = 0; bit < name_count; bit++) {
      nodes[s][bit] = NULL;
      if (!crucible__drops(only, component->names[bit])) continue;
      counts[bit] += keyed->shards[s].shelves[bit].count;
      nodes[s][bit] = take_all(keyed, &keyed->shards[s], bit, &ended[s]);
    }
  }
  release_all(keyed);
  for (uint32_t bit = 0; bit < name_count; bit++) {
    dropped += counts[bit];
    crucible__note_dropped(component->names[bit], counts[bit], reason);
  }
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    for (uint32_t bit = 0; bit < name_count; bit++) {
      for (struct node *node = nodes[s][bit]; node; node = node->next) {
        crucible__destroy_value(component->names[bit], crucible__shelf_value(&shard->shelves[bit], node), reason);
      }
    }
    lock_acquire(&shard->lock);
    for (uint32_t bit = 0; bit < name_count; bit++) {
      crucible__keyed_give_all(keyed, shard, nodes[s][bit], bit, &ended[s]);
    }
    lock_release(&shard->lock);
    crucible__end_parts(component, shard, ended[s], reason);
  }
  return dropped;
}

void crucible__keyed_inherit(struct component *component) {
  struct keyed *keyed = component->own;
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    lock_create(&keyed->shards[s].lock);  // a thread of the parent may have held it
    keyed->shards[s].paused = true;
  }
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    struct keyed_matches *matches = component->reactions[r]->own;
    lock_create(&matches->lock);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Beginning and end
// ---------------------------------------------------------------------------------------------------------------------

/// The first number of arrival that is not that of a name with an order over keys (KEY-5).
#define FIRST_ARRIVAL (UINT64_C(1) << 56)

static size_t rounded(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

/// The parts of the memory of a component: behind struct keyed lie the matches, the lists of reactions and the shelves.
static size_t size_of(const struct component *component) {
  return sizeof(struct keyed) + component->layout->reaction_count * sizeof(struct keyed_matches) +
         crucible__size_of_lists(component) + CRUCIBLE_SHARDS * component->layout->name_count * sizeof(struct shelf);
}

/// Gives parts an own entry, with room for the largest value. Requires: there are no states, so a part without a
/// molecule soon ends. `at`: their size without it. Returns that with it, or without if it is too large.
static size_t lay_out_entry(struct keyed *keyed, const struct component *component, size_t at, size_t *alignment) {
  size_t most = 0, own = _Alignof(struct ranked);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    const struct species *species = component->names[bit]->species;
    size_t head = crucible__entry_head(keyed, bit);
    size_t size = rounded(head, species->alignment) + species->size;
    if (size > most) most = size;
    if (species->alignment > own) own = species->alignment;
  }
  if (rounded(at, own) + most > CRUCIBLE_MOST_PART) return at;
  keyed->own_at = (uint32_t)rounded(at, own);
  *alignment = own > CRUCIBLE_LINE ? own : CRUCIBLE_LINE;
  return keyed->own_at + most;
}

/// Finds where the parts of a part lie. Returns its size. Sets `*alignment` to its own.
static size_t lay_out(struct keyed *keyed, const struct component *component, size_t *alignment) {
  size_t at = sizeof(struct part);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    const struct species *species = component->names[bit]->species;
    if (component->names[bit]->kind == CRUCIBLE_STATE) {
      keyed->states |= UINT64_C(1) << bit;
    } else {
      if (species->expiry || crucible__drops_oldest(species->bound)) keyed->ranked |= UINT64_C(1) << bit;
      keyed->at[bit] = (uint32_t)at;
      at += sizeof(struct queue);
    }
  }
  keyed->key_at = (uint32_t)rounded(at, keyed->key->alignment);
  at = keyed->key_at + keyed->key->size;
  *alignment = keyed->key->alignment;
  for (uint64_t rest = keyed->states; rest; rest &= rest - 1) {
    uint32_t bit = (uint32_t)__builtin_ctzll(rest);
    const struct species *species = component->names[bit]->species;
    size_t own = species->alignment > _Alignof(struct state_head) ? species->alignment : _Alignof(struct state_head);
    if (own > *alignment) *alignment = own;
    keyed->at[bit] = (uint32_t)rounded(at + sizeof(struct state_head), own);
    at = keyed->at[bit] + species->size;
  }
  if (keyed->states == 0) at = lay_out_entry(keyed, component, at, alignment);
  return at < CRUCIBLE_LINE ? CRUCIBLE_LINE : at;
}

bool crucible__keyed_create(struct component *component) {
  const struct layout *layout = component->layout;
  struct keyed *keyed = crucible__allocate(size_of(component), CRUCIBLE_LINE);
  if (!keyed) return false;
  memset((void *)keyed, 0, size_of(component));
  component->own = keyed;
  keyed->key = component->names[0]->species->key;
  keyed->seed = component->soup->seed * UINT64_C(0x9E3779B97F4A7C15);
  size_t alignment, size = lay_out(keyed, component, &alignment);
  struct keyed_matches *matches = (struct keyed_matches *)(void *)(keyed + 1);
  for (uint32_t r = 0; r < layout->reaction_count; r++) {
    lock_create(&matches[r].lock);
    component->reactions[r]->own = &matches[r];
  }
  struct reaction **list = (struct reaction **)(void *)&matches[layout->reaction_count];
  struct shelf *shelves = (struct shelf *)(void *)((char *)list + crucible__size_of_lists(component));
  for (uint32_t bit = 0; bit < layout->name_count; bit++) {
    const crucible_key_options *key = component->names[bit]->species->key;
    const struct bound *bound = component->names[bit]->species->bound;
    if (key->capacity || key->keys || crucible__drops_oldest(bound)) keyed->limited |= UINT64_C(1) << bit;
    if (component->names[bit]->kind == CRUCIBLE_STATE && component->names[bit]->species->expiry) {
      keyed->idle |= UINT64_C(1) << bit;
    }
    keyed->reactions[bit] = list;
    keyed->reactions[bit + 1] = list = crucible__list_reactions(component->names[bit], list);
    for (struct reaction **reaction = keyed->reactions[bit]; reaction < list; reaction++) {
      bool is_here = (*reaction)->rule->placement == CRUCIBLE_INLINE;
      if (is_here && !bound) component->names[bit]->completes_here = true;
    }
  }
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    lock_create(&shard->lock);
    shard->arrivals = FIRST_ARRIVAL;
    shard->shelves = shelves + s * layout->name_count;
    crucible__shelf_begin(&shard->parts, NULL, size, 0, alignment);
    for (uint32_t bit = 0; bit < layout->name_count; bit++) {
      struct crucible_name *name = component->names[bit];
      const struct species *species = name->species;
      size_t head = crucible__entry_head(keyed, bit);
      crucible__shelf_begin(&shard->shelves[bit], name, head, species->size, species->alignment);
    }
  }
  return true;
}

/// Destroys the values of the name that wait in the shard.
static void destroy_waiting(const struct keyed *keyed, const struct shard *shard, struct crucible_name *name) {
  bool has_values = name->kind != CRUCIBLE_STATE && shard->shelves[name->bit].count > 0;
  if (!has_values || !crucible__destroys(name)) return;
  for (size_t i = 0; i < shard->capacity; i++) {
    struct part *part = shard->table[i].part;
    struct node *node = part ? crucible__queue(keyed, part, name->bit)->first : NULL;
    for (; node; node = node->next) {
      crucible__destroy_gone(crucible__shelf_value(&shard->shelves[name->bit], node), name);
    }
  }
}

void crucible__keyed_destroy(struct component *component) {
  struct keyed *keyed = component->own;
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
      destroy_waiting(keyed, &keyed->shards[s], component->names[bit]);
    }
  }
  crucible__forget_keys(component, CRUCIBLE_GONE);
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
      crucible__shelf_destroy(&shard->shelves[bit], NULL, NULL);
    }
    crucible__shelf_destroy(&shard->parts, NULL, NULL);
    if (shard->table) crucible__free(shard->table, shard->capacity * sizeof *shard->table);
    lock_destroy(&shard->lock);
  }
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    struct keyed_matches *matches = component->reactions[r]->own;
    lock_destroy(&matches->lock);
  }
  crucible__free(keyed, size_of(component));
}
