// See keys.h.

#include "matcher/keyed/keys.h"

#include "matcher/inject.h"
#include "matcher/keyed/keyed.h"

static uint64_t count_in(const struct keyed *keyed, struct part *part, uint32_t bit) {
  return keyed->states >> bit & 1 ? part->presence >> bit & 1 : crucible__queue(keyed, part, bit)->count;
}

void crucible__visit_keys(const struct crucible_name *name,
                          void (*visit)(void *context, const void *key, uint64_t count), void *context) {
  struct keyed *keyed = name->component->own;
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    lock_acquire(&shard->lock);
    for (size_t i = 0; i < shard->capacity; i++) {
      struct part *part = shard->table[i].part;
      uint64_t count = part ? count_in(keyed, part, name->bit) : 0;
      if (count > 0) visit(context, crucible__key(keyed, part), count);
    }
    lock_release(&shard->lock);
  }
}

void crucible__count_key(struct component *component, const void *key, uint64_t hash, uint64_t *counts) {
  struct keyed *keyed = component->own;
  hash = crucible__keyed_hash(keyed, hash);
  struct shard *shard = crucible__shard(keyed, hash);
  lock_acquire(&shard->lock);
  struct part *part = shard->table ? crucible__find_slot(keyed, shard, hash, key)->part : NULL;
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
      while (shard->table[i].part) crucible__remove_part(shard, shard->table[i].part, &ended);
    }
    for (uint32_t bit = 0; bit < component->layout->name_count; bit++) shard->shelves[bit].count = 0;
    shard->unsettled = NULL;
    lock_release(&shard->lock);
    crucible__end_parts(component, shard, ended, reason);
  }
}

/// Takes some values of a state that are idle, as a firing does. Returns their number. Lowers `*next` to when the next
/// one may be. Takes none of a stopped soup, because a restart, which ends all values, would not wait for it. Requires:
/// the lock.
static uint32_t take_idle(struct keyed *keyed, struct shard *shard, const struct crucible_name *name, uint64_t now,
                          struct part **parts, uint64_t *next) {
  uint32_t count = 0;
  for (size_t i = 0; !shard->stopped && i < shard->capacity; i++) {
    struct part *part = shard->table[i].part;
    if (!part) continue;
    const struct state_head *head = crucible__head_of(keyed, part, name->bit);
    bool is_here = part->presence >> name->bit & 1;
    if (is_here && head->mark != COUNTED) continue;  // Otherwise a firing has the head.
    uint64_t due = crucible__due(name->species->expiry, is_here ? head->used : now);
    if (!is_here || due > now) {
      if (*next == 0 || due < *next) *next = due;
    } else if (count < CRUCIBLE_EXPIRY_BATCH) {
      part->presence &= ~(UINT64_C(1) << name->bit);
      parts[count++] = part;
    }
  }
  return count;
}

uint64_t crucible__keyed_forget_idle(struct crucible_name *name, uint64_t now) {
  struct keyed *keyed = name->component->own;
  uint64_t next = 0;
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    struct part *parts[CRUCIBLE_EXPIRY_BATCH];
    lock_acquire(&shard->lock);
    uint32_t count = take_idle(keyed, shard, name, now, parts, &next);
    lock_release(&shard->lock);
    for (uint32_t i = 0; name->species->destroy && i < count; i++) {
      name->species->destroy(crucible__keyed_cell(keyed, parts[i], name->bit), name->context, CRUCIBLE_CLEARED);
    }
    lock_acquire(&shard->lock);
    for (uint32_t i = 0; i < count; i++) {
      crucible__head_of(keyed, parts[i], name->bit)->mark = UNMADE;
      parts[i]->presence |= UINT64_C(1) << name->bit;
      shard->shelves[name->bit].count--;
      crucible__unsettle(shard, parts[i]);  // it retires the part, and fires what came meanwhile
    }
    lock_release(&shard->lock);
    if (count == CRUCIBLE_EXPIRY_BATCH) s--;  // perhaps not all
  }
  return next;
}

/// Takes molecules that are due at `now`, at most CRUCIBLE_EXPIRY_BATCH. Returns their nodes. Sets `*next` to when the
/// next one is due, 0 if none waits. Requires: the lock.
static struct node *take_due(struct keyed *keyed, struct shard *shard, uint32_t bit, uint64_t now, uint64_t *next,
                             struct part **ended) {
  struct shelf *shelf = &shard->shelves[bit];
  struct node *due = NULL, **end = &due, *node;
  for (uint32_t i = 0; i < CRUCIBLE_EXPIRY_BATCH; i++) {
    if (!(node = shelf->first) || crucible__ranked(node)->due > now) break;
    struct part *part = crucible__part_of(node);
    crucible__keyed_leave(keyed, shard, node, bit);
    crucible__retire_part(keyed, shard, part, ended);
    *end = node;
    end = &node->next;
  }
  *end = NULL;
  *next = shelf->first ? crucible__ranked(shelf->first)->due : 0;
  return due;
}

uint64_t crucible__keyed_expire(struct crucible_name *name, uint64_t now, uint64_t *dropped) {
  if (name->kind == CRUCIBLE_STATE) return crucible__keyed_forget_idle(name, now);
  struct keyed *keyed = name->component->own;
  uint64_t first = 0;
  for (uint32_t s = 0; s < CRUCIBLE_SHARDS; s++) {
    struct shard *shard = &keyed->shards[s];
    struct part *ended = NULL;
    uint64_t next;
    lock_acquire(&shard->lock);
    struct node *due = take_due(keyed, shard, name->bit, now, &next, &ended);
    lock_release(&shard->lock);
    if (due) {
      crucible__end_due(name, &shard->shelves[name->bit], due, dropped);
      lock_acquire(&shard->lock);
      crucible__keyed_give_all(keyed, shard, due, name->bit, &ended);
      lock_release(&shard->lock);
    }
    crucible__end_parts(name->component, shard, ended, CRUCIBLE_GONE);
    if (next && next <= now) s--;  // more are due
    if (next > now && (!first || next < first)) first = next;
  }
  return first;
}
