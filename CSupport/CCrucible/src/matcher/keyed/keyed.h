// What a component with keys keeps. See keyed.c.

#ifndef CRUCIBLE_KEYED_H
#define CRUCIBLE_KEYED_H

#include "base/lock.h"
#include "firing/firing.h"
#include "matcher/locked/shelf.h"
#include "matcher/matcher.h"

/// A waiting molecule: on the shelf of its name, and in the queue of its key.
struct entry {
  struct node node;
  struct part *part;
  struct entry *earlier, *later;  ///< in the queue
  uint64_t due;                   ///< when it expires; 0: never
};

/// The molecules of one name and one key, oldest first.
struct queue {
  struct entry *first, *last;
  uint64_t count;
};

/// A key, with all that it has of the component. Behind these members lie a queue for each slow or fast name, the key,
/// and the cells of the states, each behind its head, at the offsets in struct keyed.
struct part {
  struct part *next;       ///< with the same place in the table; of those that have ended, the next one
  struct part *unsettled;  ///< the next one in the list of its shard
  uint64_t hash;
  uint64_t presence;           ///< by bit: a molecule waits, or the state is there
  bool is_unsettled;           ///< it is in the list of those with reactions that may be enabled
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
  const void *holder;  ///< KEY-7: the thread whose body has the state, or a placed firing's room; null: no body has it
  enum mark mark;
};

/// The keys whose hash ends in the same bits. A line of its own.
struct shard {
  _Alignas(64) struct lock lock;
  bool paused, stopped;
  uint64_t held;                ///< by bit: the name is paused
  uint64_t arrivals;            ///< the number of the next arrival
  struct part **table;      ///< null: there was no part yet
  size_t capacity, count;       ///< of the table, and of the parts in it
  struct part *unsettled;
  struct shelf *shelves;        ///< by bit; of a state, only the count is used
  struct shelf parts;       ///< memory for parts
};

struct keyed {
  const crucible_key_options *key;
  uint64_t seed;        ///< of the hashes
  uint64_t states;      ///< by bit
  uint64_t limited;     ///< by bit: the molecules of a key, or the keys, are limited
  _Atomic uint64_t arrivals;  ///< of the names of which the oldest molecule of all keys may be dropped
  uint32_t key_at;
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

static inline struct queue *crucible__queue(const struct keyed *keyed, struct part *part, uint32_t bit) {
  return (struct queue *)(void *)((char *)part + keyed->at[bit]);
}
/// Counts an empty queue off (KEY-8). Requires: the lock of its shard.
static inline void crucible__keyed_count_off(struct keyed *keyed, uint32_t bit) {
  if (UNLIKELY(keyed->limited >> bit & 1)) fetch_sub_relaxed(&keyed->filled[bit], 1);
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
static inline struct shard *crucible__shard(struct keyed *keyed, uint64_t hash) {
  return &keyed->shards[hash % CRUCIBLE_SHARDS];
}

/// Copies a value. Most that have a key have 8 or 16 bytes.
static inline void crucible__copy_keyed(void *to, const void *from, size_t size) {
  if (size == 16) {
    memcpy(to, from, 16);
  } else {
    crucible__copy_value(to, from, size);
  }
}

// The table of parts (parts.c). All of these require the shard's lock, if they do not say otherwise.

/// Makes a hash of the binding's one. Requires no lock.
uint64_t crucible__keyed_hash(const struct keyed *keyed, uint64_t hash);
/// Finds the part of a key. Null: there is none.
struct part *crucible__find_part(const struct keyed *keyed, struct shard *shard, uint64_t hash,
                                         const void *key);
/// Makes the part of a key that has none, and moves the key there. Null: no memory.
struct part *crucible__make_part(struct keyed *keyed, struct shard *shard, uint64_t hash, const void *key);
/// Takes the part out of the table if it has nothing: KEY-3. Puts it in front of `*ended`, which the caller passes
/// to crucible__end_parts without the lock.
void crucible__retire_part(struct keyed *keyed, struct shard *shard, struct part *part,
                               struct part **ended);
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
/// Takes an entry out of the queue of its key. The caller takes it off its shelf.
void crucible__dequeue(struct keyed *keyed, struct entry *entry, uint32_t bit);

// Matching (keyed.c). Those with a shard require its lock.

bool crucible__keyed_is_enabled(const struct keyed *keyed, const struct shard *shard, struct part *part,
                                const struct reaction *reaction);
/// Counts the key of a molecule that is about to wait (KEY-8). False: its name has a limit, which is reached. `anyway`:
/// counts it whatever the limit is.
bool crucible__keyed_admit(struct keyed *keyed, struct part *part, const struct crucible_name *name, bool anyway);
/// Puts a molecule on the shelf of its name and into the queue of its key. `due`: when it expires; 0: never. Null: no
/// memory; then a queue that is empty is counted off.
struct entry *crucible__keyed_arrive(struct keyed *keyed, struct shard *shard, struct part *part,
                                     const struct crucible_name *name, const void *value, uint64_t attempts,
                                     uint64_t due);
/// Takes an entry off its shelf and out of its queue. Its node is the caller's.
void crucible__keyed_leave(struct keyed *keyed, struct shard *shard, struct entry *entry, uint32_t bit);
/// Reserves one of the reactions of a list that is enabled in the part. If `here` says that it runs here, its molecules
/// go to `firing`. Otherwise, and if `here` is null, they go to the matches of the reaction. Null: none is enabled.
struct reaction *crucible__keyed_reserve(struct thread *self, struct component *component, struct shard *shard,
                                         struct part *part, struct reaction **begin, struct reaction **end,
                                         here_function here, struct firing *firing);
/// Does the same with all reactions of the component.
struct reaction *crucible__keyed_reserve_any(struct thread *self, struct component *component, struct shard *shard,
                                             struct part *part, here_function here, struct firing *firing);
/// Returns when a molecule of the name that arrives now expires. 0: never.
static inline uint64_t crucible__keyed_due(const crucible_key_options *option) {
  return option->lifetime ? option->now(option->context) + option->lifetime : 0;
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
bool crucible__keyed_holds(struct crucible_name *name, const struct place *place);

#endif
