// The parts of a component with keys: a table with chains for each shard. See keyed.c.

#include "base/memory.h"
#include "matcher/keyed/keyed.h"

static struct part **place_of(const struct shard *shard, uint64_t hash) {
  return &shard->table[hash / CRUCIBLE_SHARDS & (shard->capacity - 1)];
}

static bool is_equal(const struct keyed *keyed, const void *key, const void *other) {
  if (keyed->key->equal) return keyed->key->equal(keyed->key->context, key, other);
  if (LIKELY(keyed->key->size == 8)) return memcmp(key, other, 8) == 0;
  return memcmp(key, other, keyed->key->size) == 0;
}

struct part *crucible__find_part(const struct keyed *keyed, struct shard *shard, uint64_t hash,
                                         const void *key) {
  struct part *part = shard->table ? *place_of(shard, hash) : NULL;
  while (part && (part->hash != hash || !is_equal(keyed, crucible__key(keyed, part), key))) {
    part = part->next;
  }
  return part;
}

/// Makes a table of twice the size, or the first one. Without memory the chains become longer.
static void grow(struct shard *shard) {
  size_t capacity = shard->capacity ? 2 * shard->capacity : 8;
  struct part **old = shard->table, **table = crucible__allocate(capacity * sizeof *table, CRUCIBLE_LINE);
  if (!table) return;
  memset(table, 0, capacity * sizeof *table);
  struct shard grown = {.table = table, .capacity = capacity};
  for (size_t i = 0; i < shard->capacity; i++) {
    for (struct part *part = old[i], *next; part; part = next) {
      next = part->next;
      struct part **place = place_of(&grown, part->hash);
      part->next = *place;
      *place = part;
    }
  }
  if (old) crucible__free(old, shard->capacity * sizeof *old);
  shard->table = table;
  shard->capacity = capacity;
}

struct part *crucible__make_part(struct keyed *keyed, struct shard *shard, uint64_t hash, const void *key) {
  if (shard->count >= shard->capacity) grow(shard);
  // A shelf gives and takes memory as nodes. A part is larger than a node, and is none while it lives.
  struct part *part = shard->table ? (void *)crucible__shelf_any(&shard->parts) : NULL;
  if (!part) return NULL;
  memset((void *)part, 0, keyed->key_at);
  move_payload(crucible__key(keyed, part), key, keyed->key->size);
  part->hash = hash;
  part->presence = keyed->states;
  for (uint64_t rest = keyed->states; rest; rest &= rest - 1) {
    *crucible__head_of(keyed, part, (uint32_t)__builtin_ctzll(rest)) = (struct state_head){NULL, UNMADE, 0};
  }
  struct part **place = place_of(shard, hash);
  part->next = *place;
  *place = part;
  shard->count++;
  return part;
}

/// Whether nothing waits, runs or stays in the part: it is as one that was just made.
static bool has_nothing(const struct keyed *keyed, struct part *part) {
  if (part->presence != keyed->states || part->is_unsettled) return false;
  for (uint64_t rest = keyed->states; rest; rest &= rest - 1) {
    if (crucible__head_of(keyed, part, (uint32_t)__builtin_ctzll(rest))->mark != UNMADE) return false;
  }
  return true;
}

void crucible__remove_part(struct shard *shard, struct part *part, struct part **ended) {
  struct part **link = place_of(shard, part->hash);
  while (*link != part) link = &(*link)->next;
  *link = part->next;
  shard->count--;
  part->next = *ended;
  *ended = part;
}

void crucible__retire_part(struct keyed *keyed, struct shard *shard, struct part *part,
                               struct part **ended) {
  if (!has_nothing(keyed, part)) return;
  crucible__remove_part(shard, part, ended);
  if (keyed->key->destroy) return;
  *ended = part->next;
  crucible__shelf_give(&shard->parts, (void *)part);
}

void crucible__end_parts(struct component *component, struct shard *shard, struct part *ended,
                         crucible_reason reason) {
  struct keyed *keyed = component->own;
  for (struct part *part = ended; part; part = part->next) {
    for (uint64_t rest = keyed->states; rest; rest &= rest - 1) {
      uint32_t bit = (uint32_t)__builtin_ctzll(rest);
      const struct crucible_name *state = component->names[bit];
      if (crucible__head_of(keyed, part, bit)->mark == UNMADE || !state->species->destroy) continue;
      state->species->destroy(crucible__keyed_cell(keyed, part, bit), state->context, reason);
    }
    if (keyed->key->destroy) keyed->key->destroy(keyed->key->context, crucible__key(keyed, part));
  }
  if (!ended) return;
  lock_acquire(&shard->lock);
  for (struct part *part = ended, *next; part; part = next) {
    next = part->next;
    crucible__shelf_give(&shard->parts, (void *)part);
  }
  lock_release(&shard->lock);
}

void crucible__unsettle(struct shard *shard, struct part *part) {
  if (part->is_unsettled) return;
  part->is_unsettled = true;
  part->unsettled = shard->unsettled;
  shard->unsettled = part;
}

void crucible__unsettle_all(struct shard *shard) {
  for (size_t i = 0; i < shard->capacity; i++) {
    for (struct part *part = shard->table[i]; part; part = part->next) {
      crucible__unsettle(shard, part);
    }
  }
}
