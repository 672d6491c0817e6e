// Firing what a change of control has enabled, in all keys or step by step: see keyed.c.

#include "firing/stripes.h"
#include "matcher/keyed/keyed.h"

/// Reserves a reaction that is enabled in an unsettled part of the shard. Null: there is none.
static struct reaction *settle_one(struct thread *self, struct component *component, struct shard *shard) {
  struct keyed *keyed = component->own;
  struct part *ended = NULL;
  struct reaction *found = NULL;
  lock_acquire(&shard->lock);
  while (!found && shard->unsettled) {
    struct part *part = shard->unsettled;
    found = crucible__keyed_reserve_any(self, component, shard, part, NULL, NULL);
    if (found) continue;  // perhaps not the only one
    shard->unsettled = part->next == part ? NULL : part->next;
    part->next = NULL;
    crucible__retire_part(keyed, shard, part, &ended);
  }
  lock_release(&shard->lock);
  crucible__end_parts(component, shard, ended, CRUCIBLE_GONE);
  return found;
}

struct reaction *crucible__keyed_settle(struct thread *self, struct component *component) {
  struct keyed *keyed = component->own;
  struct reaction *last = NULL, *next;
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    while ((next = settle_one(self, component, &keyed->shards[s]))) {
      if (last) crucible__submit(self, last);
      last = next;
    }
  }
  return last;
}

/// Chooses among the keys of a shard that have an enabled reaction of this list. Null: none has.
static struct part *choose_part(struct thread *self, const struct component *component, struct shard *shard,
                                struct reaction **begin, struct reaction **end) {
  struct part *found = NULL;
  uint32_t seen = 0;
  for (size_t i = 0; i < shard->capacity; i++) {
    struct part *part = shard->table[i].part;
    struct reaction **reaction = part ? begin : end;
    uint64_t presence = part ? part->presence & ~shard->held : 0;
    while (reaction < end && !crucible__keyed_is_enabled(component->own, part, presence, *reaction)) reaction++;
    if (reaction < end && (++seen == 1 || crucible__replaces(self, component->soup, seen))) found = part;
  }
  return found;
}

/// Reserves an enabled reaction from this list in a paused shard.
static struct reaction *step_in(struct thread *self, struct component *component, struct shard *shard,
                                struct reaction **begin, struct reaction **end) {
  struct keyed *keyed = component->own;
  struct reaction *found = NULL;
  struct part *ended = NULL;
  lock_acquire(&shard->lock);
  bool was_paused = shard->paused;
  shard->paused = false;  // until the lock is released
  struct part *part = was_paused ? choose_part(self, component, shard, begin, end) : NULL;
  if (part) {
    found = crucible__keyed_reserve(self, component, shard, part, begin, end, NULL, NULL);
    crucible__retire_part(keyed, shard, part, &ended);
  }
  shard->paused = was_paused;
  lock_release(&shard->lock);
  crucible__end_parts(component, shard, ended, CRUCIBLE_GONE);
  return found;
}

struct reaction *crucible__keyed_step(struct thread *self, struct component *component, struct reaction *only) {
  struct keyed *keyed = component->own;
  struct reaction **begin = only ? &only : component->reactions;
  struct reaction **end = begin + (only ? 1 : component->layout->reaction_count);
  uint32_t first = crucible__choose(self, component->soup, CRUCIBLE_SHARDS);
  struct reaction *found = NULL;
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS && !found; s++) {
    found = step_in(self, component, &keyed->shards[(first + s) % CRUCIBLE_SHARDS], begin, end);
  }
  return found;
}
