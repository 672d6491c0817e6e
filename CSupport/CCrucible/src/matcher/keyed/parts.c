// The parts of a component with keys: a table for each shard. See keyed.c.
//
// A part is at the place of its hash, or behind it with no empty place between. So a look-up mostly reads one or two
// lines of memory, and only the part that it finds. Chains read each part on the way.
//
// Source: Knuth, The Art of Computer Programming 3, section 6.4, algorithms L (linear probing) and R (deletion).

#include "base/memory.h"
#include "matcher/keyed/keyed.h"

bool crucible__is_key(const struct keyed *keyed, struct part *part, const void *key) {
  const void *own = crucible__key(keyed, part);
  if (keyed->key->equal) return keyed->key->equal(keyed->key->context, own, key);
  if (LIKELY(keyed->key->size == 8)) return memcmp(own, key, 8) == 0;
  return memcmp(own, key, keyed->key->size) == 0;
}

/// Returns the empty place for a hash.
static struct slot *empty_slot(const struct shard *shard, uint64_t hash) {
  size_t i = crucible__place_of(shard, hash);
  while (shard->table[i].part) i = crucible__next_place(shard, i);
  return &shard->table[i];
}

/// Makes a table of twice the size, or the first one. Without memory the table becomes fuller.
static void grow(struct shard *shard) {
  size_t capacity = shard->capacity ? 2 * shard->capacity : 8;
  struct slot *old = shard->table, *table = crucible__allocate(capacity * sizeof *table, CRUCIBLE_LINE);
  if (!table) return;
  memset(table, 0, capacity * sizeof *table);
  struct shard grown = {.table = table, .capacity = capacity};
  for (size_t i = 0; i < shard->capacity; i++) {
    if (old[i].part) *empty_slot(&grown, old[i].hash) = old[i];
  }
  if (old) crucible__free(old, shard->capacity * sizeof *old);
  shard->table = table;
  shard->capacity = capacity;
}

struct part *crucible__make_part(struct keyed *keyed, struct shard *shard, struct slot *slot, uint64_t hash,
                                 const void *key, struct crucible_name *name) {
  if (UNLIKELY(4 * (shard->count + 1) > 3 * shard->capacity)) {
    grow(shard);
    if (shard->table) slot = empty_slot(shard, hash);
  }
  if (shard->count + 1 >= shard->capacity) return NULL;  // one place stays empty
  // A shelf gives and takes memory as nodes. A part is larger than a node, and is none while it lives.
  // New memory with own entries counts as nodes of the name.
  if (UNLIKELY(!shard->parts.free) && keyed->own_at > 0) shard->parts.name = name;
  struct part *part = (void *)crucible__shelf_any(&shard->parts);
  if (!part) return NULL;
  memset((void *)part, 0, CRUCIBLE_LINE);  // at once: no part is smaller
  if (UNLIKELY(keyed->key_at > CRUCIBLE_LINE)) memset((void *)part, 0, keyed->key_at);
  if (LIKELY(keyed->own_at > 0)) crucible__own_entry(keyed, part)->node.number = NO_ARRIVAL;
  move_payload(crucible__key(keyed, part), key, keyed->key->size);
  part->hash = hash;
  part->presence = keyed->states;
  for (uint64_t rest = keyed->states; rest; rest &= rest - 1) {
    *crucible__head_of(keyed, part, (uint32_t)__builtin_ctzll(rest)) = (struct state_head){NULL, UNMADE, 0};
  }
  *slot = (struct slot){hash, part};
  shard->count++;
  return part;
}

void crucible__remove_part(struct shard *shard, struct part *part, struct part **ended) {
  struct slot *table = shard->table;
  size_t hole = crucible__place_of(shard, part->hash), mask = shard->capacity - 1;
  while (table[hole].part != part) hole = crucible__next_place(shard, hole);
  for (size_t i = crucible__next_place(shard, hole); table[i].part; i = crucible__next_place(shard, i)) {
    // A search that begins behind the hole still finds its part. Any other search would end at the hole.
    if (((i - crucible__place_of(shard, table[i].hash)) & mask) < ((i - hole) & mask)) continue;
    table[hole] = table[i];
    hole = i;
  }
  table[hole].part = NULL;
  shard->count--;
  part->next = *ended;
  *ended = part;
}

void crucible__retire_unused(struct keyed *keyed, struct shard *shard, struct part *part, struct part **ended) {
  if (part->next) return;
  if (keyed->own_at > 0 && crucible__own_entry(keyed, part)->node.number != NO_ARRIVAL) return;
  for (uint64_t rest = keyed->states; rest; rest &= rest - 1) {
    if (crucible__head_of(keyed, part, (uint32_t)__builtin_ctzll(rest))->mark != UNMADE) return;
  }
  crucible__remove_part(shard, part, ended);
  if (keyed->key->destroy) return;
  *ended = part->next;
  crucible__shelf_give(&shard->parts, (void *)part);
}

void crucible__keyed_give_all(struct keyed *keyed, struct shard *shard, struct node *node, uint32_t bit,
                              struct part **ended) {
  for (struct node *next; node; node = next) {
    next = node->next;
    bool is_own = crucible__keyed_give(keyed, shard, node, bit);
    if (is_own) crucible__retire_part(keyed, shard, crucible__part_of(node), ended);
  }
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
  if (part->next) return;
  part->next = shard->unsettled ? shard->unsettled : part;
  shard->unsettled = part;
}

void crucible__unsettle_all(struct shard *shard) {
  for (size_t i = 0; i < shard->capacity; i++) {
    if (shard->table[i].part) crucible__unsettle(shard, shard->table[i].part);
  }
}
