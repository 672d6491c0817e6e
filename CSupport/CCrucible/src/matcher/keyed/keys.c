// See keys.h.

#include "matcher/keyed/keys.h"

#include "matcher/keyed/keyed.h"

static uint64_t count_in(const struct keyed *keyed, struct part *part, uint32_t bit) {
  uint64_t count = 0;
  if (keyed->states >> bit & 1) return part->presence >> bit & 1;
  for (const struct entry *entry = crucible__queue(keyed, part, bit)->first; entry; entry = entry->later) count++;
  return count;
}

void crucible__visit_keys(const struct crucible_name *name, void (*visit)(void *context, const void *key),
                          void *context) {
  struct keyed *keyed = name->component->own;
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    lock_acquire(&shard->lock);
    for (size_t i = 0; i < shard->capacity; i++) {
      for (struct part *part = shard->table[i]; part; part = part->next) {
        if (count_in(keyed, part, name->bit) > 0) visit(context, crucible__key(keyed, part));
      }
    }
    lock_release(&shard->lock);
  }
}

void crucible__count_key(struct component *component, const void *key, uint64_t hash, uint64_t *counts) {
  struct keyed *keyed = component->own;
  hash = crucible__keyed_hash(keyed, hash);
  struct shard *shard = crucible__shard(keyed, hash);
  lock_acquire(&shard->lock);
  struct part *part = crucible__find_part(keyed, shard, hash, key);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    counts[component->layout->names[bit]] = part ? count_in(keyed, part, bit) : keyed->states >> bit & 1;
  }
  lock_release(&shard->lock);
}

void crucible__forget_keys(struct component *component) {
  struct keyed *keyed = component->own;
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    struct part *ended = NULL;
    lock_acquire(&shard->lock);
    for (size_t i = 0; i < shard->capacity; i++) {
      while (shard->table[i]) crucible__remove_part(shard, shard->table[i], &ended);
    }
    for (uint32_t bit = 0; bit < component->layout->name_count; bit++) shard->shelves[bit].count = 0;
    shard->unsettled = NULL;
    lock_release(&shard->lock);
    crucible__end_parts(component, shard, ended);
  }
}
