// What a component with keys keeps. See keyed.c.

#ifndef CRUCIBLE_KEYED_H
#define CRUCIBLE_KEYED_H

#include "base/lock.h"
#include "firing/bounds.h"
#include "firing/firing.h"
#include "matcher/locked/shelf.h"
#include "matcher/matcher.h"

/// A waiting molecule, in the queue of its key.
struct entry {
  struct node node;  ///< `next` and `previous` are those of the queue; `previous` of the first one is the last one
  struct part *part;
};

/// An entry that is also on the shelf of its name, where the molecules of all keys lie in the order of their arrival.
struct ranked {
  struct entry entry;
  uint64_t due;                  ///< when it expires; 0: never
  struct node *older, *younger;  ///< on the shelf
};

/// The molecules of one name and one key, oldest first.
struct queue {
  struct node *first;
  uint64_t count;
};

/// A key, with all that it has of the component. Behind these members lie a queue for each slow or fast name, the key,
/// and either the part's own entry, or the cells of the states, each behind its head, at the offsets in struct keyed.
struct part {
  /// The next part of the list that it is in: the ended ones, or `unsettled`. The last one of `unsettled` has itself.
  /// So null says of a part in the table that it is settled.
  struct part *next;
  uint64_t hash;
  uint64_t presence;  ///< by bit: a molecule waits, or the state is there
};

/// Whether a state of a part has a value. Only the firing that has the state changes it.
enum mark {
  UNMADE,   ///< the cell has no value: the next body gets a new one
  MADE,     ///< the first body has not given it back
  COUNTED,  ///< the state's shelf counts it
  FORGOTTEN,  ///< the same, and the value has gone
};

/// Lies in front of the cell of a state.
struct state_head {
  const void *holder;  ///< the thread or placed firing of the body that has the state (KEY-7); null: none has it
  enum mark mark;
  uint64_t used;  ///< when a body gave it back last, if it has an expiry
};

/// A place in the table of a shard. `part` null: it is empty.
struct slot {
  uint64_t hash;
  struct part *part;
};

/// The keys whose hashes end in the same bits, under one lock. The members that an injection needs come first.
struct shard {
  _Alignas(CRUCIBLE_LINE) struct lock lock;
  bool paused, stopped;
  struct slot *table;           ///< null: there was no part yet
  struct shelf *shelves;        ///< by bit: memory, and a count; only ranked entries use `first` and `last`
  size_t capacity, count;       ///< of the table, and of the parts in it
  uint64_t arrivals;            ///< the number of the next arrival
  uint64_t held;                ///< by bit: the name is paused
  struct shelf parts;           ///< memory for parts
  struct part *unsettled;       ///< the parts with reactions that may be enabled
};

struct keyed {
  const crucible_key_options *key;
  uint64_t seed;        ///< of the hashes
  uint64_t states;      ///< by bit
  uint64_t idle;        ///< by bit: the states with an expiry; their unused values are destroyed
  uint64_t limited;     ///< by bit: each key or the keys have a limit, or the oldest of all keys may be dropped
  uint64_t ranked;      ///< by bit: the oldest of all keys is found, because it expires or may be dropped
  _Atomic uint64_t arrivals;  ///< of the names of which the oldest molecule of all keys may be dropped
  uint32_t key_at;
  uint32_t own_at;  ///< the offset of the own entry; 0: parts have none
  uint32_t at[MOST_MASKED];  ///< by bit, the offset of the queue or the cell
  struct reaction **reactions[MOST_MASKED + 1];  ///< by bit, the first of those that consume the name
  _Atomic uint64_t filled[MOST_MASKED];  ///< KEY-8: by bit, the queues that are not empty
  struct shard shards[CRUCIBLE_SHARDS];
};

/// The matches of a reaction, of all shards.
struct keyed_matches {
  struct lock lock;
  struct matches matches;
};

/// The bytes in front of the value of an entry.
static inline size_t crucible__entry_head(const struct keyed *keyed, uint32_t bit) {
  return keyed->ranked >> bit & 1 ? sizeof(struct ranked) : sizeof(struct entry);
}
static inline struct queue *crucible__queue(const struct keyed *keyed, struct part *part, uint32_t bit) {
  return (struct queue *)(void *)((char *)part + keyed->at[bit]);
}
/// Counts an empty queue off (KEY-8). Requires: the lock of its shard.
static inline void crucible__keyed_count_off(struct keyed *keyed, uint32_t bit) {
  if (UNLIKELY(keyed->limited >> bit & 1)) fetch_sub_relaxed(&keyed->filled[bit], 1);
}
/// Finds the part's own entry, where one of its molecules may wait. If parts have none, returns the part's address.
static inline struct entry *crucible__own_entry(const struct keyed *keyed, struct part *part) {
  return (struct entry *)(void *)((char *)part + keyed->own_at);
}
static inline void *crucible__keyed_cell(const struct keyed *keyed, struct part *part, uint32_t bit) {
  return (char *)part + keyed->at[bit];
}
static inline void *crucible__key(const struct keyed *keyed, struct part *part) {
  return (char *)part + keyed->key_at;
}
static inline struct state_head *crucible__head_of(const struct keyed *keyed, struct part *part, uint32_t bit) {
  return (struct state_head *)crucible__keyed_cell(keyed, part, bit) - 1;
}
/// Makes a hash of the binding's one.
static inline uint64_t crucible__keyed_hash(const struct keyed *keyed, uint64_t hash) {
  // One multiplication of 128 bits spreads the bits. The seed keeps others from choosing keys with one hash.
  __extension__ typedef unsigned __int128 wide;
  wide product = (wide)(hash ^ keyed->seed) * (UINT64_C(0x9E3779B97F4A7C15) ^ keyed->seed >> 32);
  return (uint64_t)(product >> 64) ^ (uint64_t)product;
}
static inline struct shard *crucible__shard(struct keyed *keyed, uint64_t hash) {
  return &keyed->shards[hash % CRUCIBLE_SHARDS];
}

// With the lock of the shard:

static inline struct ranked *crucible__ranked(struct node *node) { return (struct ranked *)(void *)node; }
static inline struct part *crucible__part_of(const struct node *node) { return ((const struct entry *)node)->part; }
/// Removes an entry from its queue, and from its shelf if it is ranked. The caller owns its node then, and later calls
/// crucible__keyed_give.
static inline void crucible__keyed_leave(struct keyed *keyed, struct shard *shard, struct node *node, uint32_t bit) {
  struct part *part = crucible__part_of(node);
  struct queue *queue = crucible__queue(keyed, part, bit);
  struct shelf *shelf = &shard->shelves[bit];
  node->waits = false;
  shelf->count--;
  *(node == queue->first ? &queue->first : &node->previous->next) = node->next;
  struct node *behind = node->next ? node->next : queue->first;
  if (behind) behind->previous = node->previous;
  if (--queue->count == 0) {
    part->presence &= ~(UINT64_C(1) << bit);
    crucible__keyed_count_off(keyed, bit);
  }
  if (LIKELY(!(keyed->ranked >> bit & 1))) return;
  struct ranked *ranked = crucible__ranked(node);
  *(ranked->older ? &crucible__ranked(ranked->older)->younger : &shelf->first) = ranked->younger;
  *(ranked->younger ? &crucible__ranked(ranked->younger)->older : &shelf->last) = ranked->older;
}
/// Gives back the node of an entry that has left. Returns whether the entry is its part's own one. Then the part may
/// have nothing any more (KEY-3).
static inline bool crucible__keyed_give(const struct keyed *keyed, struct shard *shard, struct node *node,
                                        uint32_t bit) {
  // Without own entries, this compares with the part, which is no entry.
  bool is_own = node == &crucible__own_entry(keyed, crucible__part_of(node))->node;
  if (LIKELY(is_own)) {
    node->number = NO_ARRIVAL;
  } else {
    crucible__shelf_give(&shard->shelves[bit], node);
  }
  return is_own;
}
/// Gives back the entries of a list that have left. Puts parts that have nothing then in front of `*ended`, as
/// crucible__retire_part does.
void crucible__keyed_give_all(struct keyed *keyed, struct shard *shard, struct node *node, uint32_t bit,
                              struct part **ended);

/// Copies a value. Most that have a key have 8 or 16 bytes.
static inline void crucible__copy_keyed(void *to, const void *from, size_t size) {
  if (size == 16) {
    memcpy(to, from, 16);
  } else {
    move_payload(to, from, size);
  }
}

// The table of parts (parts.c). All of these require the shard's lock, if they do not say otherwise.

static inline size_t crucible__place_of(const struct shard *shard, uint64_t hash) {
  return hash / CRUCIBLE_SHARDS & (shard->capacity - 1);
}
static inline size_t crucible__next_place(const struct shard *shard, size_t place) {
  return (place + 1) & (shard->capacity - 1);
}
bool crucible__is_key(const struct keyed *keyed, struct part *part, const void *key);
/// Finds the place of a key, or the empty one where a search for it ends. Requires: there is a table.
static inline struct slot *crucible__find_slot(const struct keyed *keyed, const struct shard *shard, uint64_t hash,
                                               const void *key) {
  size_t i = crucible__place_of(shard, hash);
  for (struct slot *slot; (slot = &shard->table[i])->part; i = crucible__next_place(shard, i)) {
    if (slot->hash == hash && crucible__is_key(keyed, slot->part, key)) break;
  }
  return &shard->table[i];
}
/// Makes the part of a key that has none, and moves the key there. Null: no memory. `slot`: where the search ended, if
/// there is a table. `name`: of the molecule that needs it.
struct part *crucible__make_part(struct keyed *keyed, struct shard *shard, struct slot *slot, uint64_t hash,
                                 const void *key, struct crucible_name *name);
/// Finds or makes the part of a key, for a molecule of the name. Sets `*is_moved` if the key went there.
static inline struct part *crucible__part(struct keyed *keyed, struct shard *shard, uint64_t hash, const void *key,
                                          struct crucible_name *name, bool *is_moved) {
  struct slot *slot = LIKELY(shard->table != NULL) ? crucible__find_slot(keyed, shard, hash, key) : NULL;
  if (slot && slot->part) return slot->part;
  struct part *part = crucible__make_part(keyed, shard, slot, hash, key, name);
  *is_moved = part != NULL;
  return part;
}
/// Removes a part from the table if nothing needs it (KEY-3), and puts it in front of `*ended`. The caller passes that
/// to crucible__end_parts without the lock. Requires: no molecule waits in the part, and no firing has its states.
void crucible__retire_unused(struct keyed *keyed, struct shard *shard, struct part *part, struct part **ended);
/// Does the same with any part that has nothing.
static inline void crucible__retire_part(struct keyed *keyed, struct shard *shard, struct part *part,
                                         struct part **ended) {
  if (part->presence == keyed->states) crucible__retire_unused(keyed, shard, part, ended);
}
/// Takes the part out of the table, whatever it has.
void crucible__remove_part(struct shard *shard, struct part *part, struct part **ended);
/// Destroys the keys of parts that are in no table, and their states for this reason, and frees them. Requires: no
/// lock.
void crucible__end_parts(struct component *component, struct shard *shard, struct part *ended,
                         crucible_reason reason);
/// Notes that reactions of the part may be enabled, for the thread that settles.
void crucible__unsettle(struct shard *shard, struct part *part);
/// Notes the same for all parts of the shard.
void crucible__unsettle_all(struct shard *shard);

// Matching (keyed.c). Those with a shard require its lock.

/// Whether the reaction is enabled in the part. `presence`: by bit, what is there and not paused.
bool crucible__keyed_is_enabled(const struct keyed *keyed, struct part *part, uint64_t presence,
                                const struct reaction *reaction);
/// Whether the name has limits.
static inline bool crucible__is_limited(const struct keyed *keyed, const struct crucible_name *name) {
  return UNLIKELY(keyed->limited >> name->bit & 1);
}
/// Counts the key of a molecule that is about to wait (KEY-8). False: its name has a limit, which is reached. `anyway`:
/// counts it whatever the limit is. Requires: crucible__is_limited.
bool crucible__keyed_admit(struct keyed *keyed, struct part *part, const struct crucible_name *name, bool anyway);
/// Stores a molecule of a name with limits. If one is reached, a molecule may be dropped: the new one, or the oldest of
/// the key, which leaves its queue. Sets `*dropped` to its value. Returns CRUCIBLE_OK with `*entry` null: the new one
/// is dropped.
crucible_status crucible__store_limited(struct shard *shard, struct part *part, struct unstored molecule,
                                        uint64_t attempts, uint64_t due, bool anyway, struct entry **entry,
                                        void **dropped);
/// Ends a molecule that a full name has dropped. If `dropped` is not `value`, it is an older molecule, and its entry is
/// given back, which may end its part. Requires: no lock.
void crucible__end_dropped(struct shard *shard, const struct crucible_name *name, const void *value, void *dropped);
/// Returns the number of the next arrival. Where the oldest of all keys may be dropped, all shards count together.
static inline uint64_t crucible__keyed_number(struct keyed *keyed, struct shard *shard,
                                              const struct crucible_name *name) {
  bool is_ordered = crucible__is_limited(keyed, name) && crucible__drops_oldest(name->species->bound);
  uint64_t number = is_ordered ? fetch_add_relaxed(&keyed->arrivals, 1) : shard->arrivals++;
  return number * CRUCIBLE_SHARDS + (uint64_t)(shard - keyed->shards);
}
/// Puts a molecule into the queue of its key, and on the shelf of its name if it is ranked. `due`: when it expires; 0:
/// never. Null: no memory; then a queue that is empty is counted off.
struct entry *crucible__keyed_arrive(struct keyed *keyed, struct shard *shard, struct part *part,
                                     const struct crucible_name *name, const void *value, uint64_t attempts,
                                     uint64_t due);
/// Reserves one of the reactions of a list that is enabled in the part. If `here` says that it runs here, its molecules
/// go to `firing`. Otherwise, and if `here` is null, they go to the matches of the reaction. Null: none is enabled.
struct reaction *crucible__keyed_reserve(struct thread *self, struct component *component, struct shard *shard,
                                         struct part *part, struct reaction **begin, struct reaction **end,
                                         here_function here, struct firing *firing);
/// Does the same with all reactions of the component.
struct reaction *crucible__keyed_reserve_any(struct thread *self, struct component *component, struct shard *shard,
                                             struct part *part, here_function here, struct firing *firing);
/// Returns when a molecule of the name that arrives now expires. 0: never.
static inline uint64_t crucible__keyed_due(const struct crucible_name *name) {
  return name->species->expiry ? crucible__due(name->species->expiry, crucible__time(name)) : 0;
}

struct added crucible__keyed_add_together(struct thread *self, struct component *component,
                                          crucible_molecule *molecules, size_t count);
enum withdrawal crucible__keyed_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                         void *result);
struct reaction *crucible__keyed_settle(struct thread *self, struct component *component);
struct reaction *crucible__keyed_step(struct thread *self, struct component *component, struct reaction *only);
bool crucible__keyed_create(struct component *component);
void crucible__keyed_destroy(struct component *component);
void crucible__keyed_counts(struct component *component, uint64_t *counts);
void crucible__keyed_control(struct component *component, bool paused, bool stopped);
void crucible__keyed_pause_name(struct crucible_name *name);
void crucible__keyed_set_fact(struct reaction *reaction, uint32_t input, bool known);
uint64_t crucible__keyed_drop(struct component *component, const struct crucible_name *only, crucible_reason reason);
void crucible__keyed_inherit(struct component *component);
uint64_t crucible__keyed_expire(struct crucible_name *name, uint64_t now, uint64_t *dropped);
/// Does the same for a state. Afterwards reactions may be enabled, and the caller settles.
uint64_t crucible__keyed_forget_idle(struct crucible_name *name, uint64_t now);
bool crucible__keyed_holds(struct crucible_name *name, const struct place *place);

#endif
