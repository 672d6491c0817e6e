// See keys.h.

#include "matcher/keyed/keys.h"

#include "firing/bounds.h"
#include "matcher/inject.h"
#include "matcher/keyed/keyed.h"

static uint64_t count_in(const struct keyed *keyed, struct part *part, uint32_t bit) {
  return keyed->states >> bit & 1 ? part->presence >> bit & 1 : crucible__queue(keyed, part, bit)->count;
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

void crucible__forget_keys(struct component *component, crucible_reason reason) {
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
    crucible__end_parts(component, shard, ended, reason);
  }
}

/// Takes some molecules that are due off the shelf. Returns their nodes. Sets `*next` to when the next one is due, 0 if
/// none waits.
static struct node *take_due(struct keyed *keyed, struct shard *shard, uint32_t bit, uint64_t now, struct part **ended,
                             uint64_t *next) {
  struct shelf *shelf = &shard->shelves[bit];
  struct node *due = NULL, **end = &due;
  lock_acquire(&shard->lock);
  for (uint32_t i = 0; i < CRUCIBLE_EXPIRY_BATCH && shelf->first; i++) {
    struct entry *entry = (struct entry *)(void *)shelf->first;
    if (entry->due > now) break;
    crucible__dequeue(keyed, entry, bit);
    crucible__shelf_remove_first(shelf);
    shelf->count--;
    crucible__retire_part(keyed, shard, entry->part, ended);
    *end = &entry->node;
    end = &entry->node.next;
  }
  *end = NULL;
  *next = shelf->first ? ((struct entry *)(void *)shelf->first)->due : 0;
  lock_release(&shard->lock);
  return due;
}

uint64_t crucible__expire(struct crucible_name *name, uint64_t now, uint64_t *dropped) {
  struct keyed *keyed = name->component->own;
  struct bound *bound = crucible__bound_of(name);
  uint64_t first = 0;
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    struct part *ended = NULL;
    uint64_t next;
    struct node *due = take_due(keyed, shard, name->bit, now, &ended, &next);
    for (struct node *node = due; node; node = node->next) {
      void *value = crucible__shelf_value(&shard->shelves[name->bit], node);
      if (bound) crucible__release_bound(bound, 1);
      *dropped += !crucible__end_unconsumed(name, value, name->species->key->into);
    }
    if (due) {
      lock_acquire(&shard->lock);
      crucible__shelf_give_all(&shard->shelves[name->bit], due);
      lock_release(&shard->lock);
    }
    crucible__end_parts(name->component, shard, ended, CRUCIBLE_GONE);
    if (next && next <= now) s--;  // more are due
    if (next > now && (!first || next < first)) first = next;
  }
  return first;
}
