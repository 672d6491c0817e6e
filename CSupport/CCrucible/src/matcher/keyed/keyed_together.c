// Several molecules in one step, and the withdrawal of one: see keyed.c.

#include "base/memory.h"
#include "matcher/keyed/keyed.h"

/// A molecule of several, and its key.
struct arriving {
  uint64_t hash, due;
  char *key;
  bool is_moved;  ///< to a part
  struct entry *entry;
};

/// Stores one of several molecules. Requires: the locks of all their shards.
static crucible_status store_part(struct keyed *keyed, const crucible_molecule *molecule, struct arriving *arriving) {
  struct shard *shard = crucible__shard(keyed, arriving->hash);
  struct crucible_name *name = molecule->name;
  struct part *part = crucible__part(keyed, shard, arriving->hash, arriving->key, name, &arriving->is_moved);
  if (!part) return CRUCIBLE_NO_MEMORY;
  crucible__unsettle(shard, part);  // so a later failure leaves it to be retired by the thread that settles
  if (crucible__is_limited(keyed, name) && !crucible__keyed_admit(keyed, part, name, molecule->is_put_back)) {
    return CRUCIBLE_FULL;
  }
  arriving->entry =
      crucible__keyed_arrive(keyed, shard, part, name, molecule->value, molecule->times, arriving->due);
  return arriving->entry ? CRUCIBLE_OK : CRUCIBLE_NO_MEMORY;
}

/// Stores all molecules of the component, or none. `arriving` has one for each of the others, too.
static crucible_status store_all(struct component *component, const crucible_molecule *molecules, size_t count,
                                 struct arriving *arriving) {
  struct keyed *keyed = component->own;
  uint64_t shards = 0;
  crucible_status status = CRUCIBLE_OK;
  for (size_t i = 0; i < count; i++) {
    if (arriving[i].key) shards |= UINT64_C(1) << arriving[i].hash % CRUCIBLE_SHARDS;
  }
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    if (!(shards >> s & 1)) continue;
    lock_acquire(&keyed->shards[s].lock);
    if (keyed->shards[s].stopped) status = CRUCIBLE_NOT_RUNNING;
  }
  for (size_t i = 0; i < count && status == CRUCIBLE_OK; i++) {
    if (!arriving[i].key || (status = store_part(keyed, &molecules[i], &arriving[i])) == CRUCIBLE_OK) continue;
    for (size_t k = 0; k < i; k++) {
      if (!arriving[k].entry) continue;
      struct shard *shard = crucible__shard(keyed, arriving[k].hash);
      crucible__keyed_leave(keyed, shard, &arriving[k].entry->node, molecules[k].name->bit);
      crucible__keyed_give(keyed, shard, &arriving[k].entry->node, molecules[k].name->bit);
    }
  }
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    if (shards >> s & 1) lock_release(&keyed->shards[s].lock);
  }
  return status;
}

struct added crucible__keyed_add_together(struct thread *self, struct component *component,
                                          crucible_molecule *molecules, size_t count) {
  struct keyed *keyed = component->own;
  size_t stride = (keyed->key->size + CRUCIBLE_KEY_ALIGNMENT - 1) / CRUCIBLE_KEY_ALIGNMENT * CRUCIBLE_KEY_ALIGNMENT;
  size_t head = (count * sizeof(struct arriving) + CRUCIBLE_KEY_ALIGNMENT - 1) & -(size_t)CRUCIBLE_KEY_ALIGNMENT;
  struct arriving *arriving = crucible__allocate(head + count * stride, CRUCIBLE_LINE);
  if (!arriving) return (struct added){NULL, CRUCIBLE_NO_MEMORY};
  for (size_t i = 0; i < count; i++) {
    arriving[i] = (struct arriving){0};
    if (molecules[i].name->component != component) continue;
    const crucible_key_options *key = molecules[i].name->species->key;
    arriving[i].key = (char *)arriving + head + i * stride;
    arriving[i].due = crucible__keyed_due(molecules[i].name);
    arriving[i].hash = crucible__keyed_hash(keyed, key->read(key->context, molecules[i].value, arriving[i].key));
  }
  crucible_status status = store_all(component, molecules, count, arriving);
  for (size_t i = 0; i < count; i++) {
    const crucible_key_options *key = molecules[i].name->species->key;
    if (!arriving[i].key) continue;
    if (key->destroy && !arriving[i].is_moved) key->destroy(key->context, arriving[i].key);
    if (arriving[i].entry && arriving[i].due) crucible__note_waiting(molecules[i].name);
  }
  crucible__free(arriving, head + count * stride);
  return (struct added){crucible__keyed_settle(self, component), status};
}

/// Finds the oldest molecule of the name that waits, of all keys, while the shards change one after the other. False:
/// none was found. Requires: its entries are ranked.
static bool find_oldest(struct keyed *keyed, const struct crucible_name *name, struct place *place) {
  place->position = NO_ARRIVAL;
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    lock_acquire(&shard->lock);
    const struct node *node = shard->shelves[name->bit].first;
    if (node && node->number < place->position) {
      *place = (struct place){.serial = (uintptr_t)node, .position = node->number};
    }
    lock_release(&shard->lock);
  }
  return place->position != NO_ARRIVAL;
}

static enum withdrawal withdraw_placed(struct crucible_name *name, const struct place *place, void *result) {
  struct keyed *keyed = name->component->own;
  struct shard *shard = &keyed->shards[place->position % CRUCIBLE_SHARDS];
  struct entry *entry = (struct entry *)(uintptr_t)place->serial;
  struct part *ended = NULL;
  enum withdrawal answer = CONSUMED;
  lock_acquire(&shard->lock);
  if (entry->node.number == place->position && entry->node.waits) {
    struct part *part = entry->part;
    memcpy(result, crucible__shelf_value(&shard->shelves[name->bit], &entry->node), name->species->size);
    crucible__keyed_leave(keyed, shard, &entry->node, name->bit);
    crucible__keyed_give(keyed, shard, &entry->node, name->bit);
    crucible__retire_part(keyed, shard, part, &ended);
    answer = WITHDRAWN;
  }
  lock_release(&shard->lock);
  crucible__end_parts(name->component, shard, ended, CRUCIBLE_GONE);
  return answer;
}

enum withdrawal crucible__keyed_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                         void *result) {
  (void)self;
  if (place) return withdraw_placed(name, place, result);
  struct place oldest;
  enum withdrawal answer = CONSUMED;
  // If the oldest one has just left, the next one is the oldest.
  while (answer != WITHDRAWN && find_oldest(name->component->own, name, &oldest)) {
    answer = withdraw_placed(name, &oldest, result);
  }
  return answer;
}
