// The form of `locked` for components whose names have keys.
//
// Each key has a part of the component: what waits of that key, and its states. Molecules react with molecules of
// their own key. A hash of the key chooses a shard, and each shard is like a component of `locked`: a mutex, and a
// shelf for each name. A molecule is in the queue of its key, from which a firing takes it. The shelf lists the
// molecules of all keys of the shard, oldest first, only if they expire or the oldest of all keys makes room. Other
// molecules are in no such list: a change of it would read and write the memory of other keys.
//
// Most keys have one molecule that waits for one of another name. Its entry lies in the part, right behind what else a
// firing reads of it. Parts with states have no such own entry, because they may stay when nothing waits.
//
//   KEY-1  A key has at most one part: a thread finds or makes it under the lock of the key's shard.
//   KEY-2  Whenever the lock of a shard is free: no reaction of a part is enabled, or the shard is paused or
//       stopped, or the part is in the list `unsettled`, and some thread is going to settle.
//   KEY-3  A part is in the table as long as a molecule waits in it, its own entry is in use, a firing has a state of
//       it, or a state has a value. An entry is in use until it is given back by the thread that has taken its
//       molecule: for a firing, a drop, a withdrawal, an expiry or a refusal. The thread that ends the last of these
//       takes the part out under the lock, or leaves it in `unsettled` to the thread that settles. No other thread can
//       refer to it then, because a place refers to an entry (KEY-5), and a firing without states to entries alone.
//   KEY-4  A state is made by the first firing that takes it, without the lock: nobody else has it. It is made where
//       the body runs, at the depth of the body. Until then its mark says that the cell has no value. A firing finds
//       its part by the cell of any of its states.
//   KEY-5  The memory of an entry is used for entries of the same shard, and that of an own entry for own entries,
//       until the soup ends. An unused entry has the number NO_ARRIVAL. No two molecules of a shard have one number:
//       those of names with an order over keys count from 0, and all others from FIRST_ARRIVAL. So a place can be
//       compared at any time, under the lock of the shard that its position names.
//   KEY-6  Molecules of a name expire after one lifetime, so those of a shelf are due in the order in which they lie
//       there, but for the moments between the reading of the time and the lock. A molecule that is the oldest on its
//       shelf calls `waits`. So does one for each shelf on which some wait, after the thread that expires has seen it
//       empty: it looks at the shelf under the lock.
//   KEY-7  The matcher refuses a call as hopeless if every reaction over its name needs a state of its key, and a body
//       that waits for the call has that state. The head of a state says which thread or firing has it, once its body
//       runs. The key is known only at the injection, so right before it the binding notes which bodies wait (call.c).
//       The injection erases the note before any body runs. A call that is refused earlier leaves its note. The next
//       call that could find it erases it.
//
// The functions that compare keys are code of the binding, and run under a lock of a shard. They must not use the soup.
// All other code of the binding runs without it.
//
// A molecule is not stored if its thread runs the match that it completes, and no older one of its name and key waits.
//
// No memory: an injection that has to store its molecule is refused, and any one with a new key once the table of its
// shard is full. One that puts back a molecule that was stored mostly finds the memory of that: a molecule of another
// name of its key may have taken it.
//
// Progress: blocks. A thread that stops inside stops the keys of its shard.

#include "base/above.h"
#include "base/memory.h"
#include "matcher/inject.h"
#include "matcher/keyed/keyed.h"
#include "matcher/registry.h"

/// Room for a key on the stack.
#define KEY_ROOM(key) crucible__aligned(alloca((key)->size + CRUCIBLE_KEY_ALIGNMENT), CRUCIBLE_KEY_ALIGNMENT)

// ---------------------------------------------------------------------------------------------------------------------
// With the lock of a shard
// ---------------------------------------------------------------------------------------------------------------------

bool crucible__keyed_is_enabled(const struct keyed *keyed, struct part *part, uint64_t presence,
                                const struct reaction *reaction) {
  const struct rule *rule = reaction->rule;
  if ((presence & rule->bits) != rule->bits) return false;
  if (LIKELY(!rule->repeats)) return true;
  if (load_relaxed(&reaction->missing) != 0) return false;
  for (uint32_t i = 0; i < rule->input_count; i++) {
    const struct input *input = &rule->inputs[i];
    if (input->need > 1 && crucible__queue(keyed, part, input->bit)->count < input->need) return false;
  }
  return true;
}

struct entry *crucible__keyed_arrive(struct keyed *keyed, struct shard *shard, struct part *part,
                                     const struct crucible_name *name, const void *value, uint64_t attempts,
                                     uint64_t due) {
  struct shelf *shelf = &shard->shelves[name->bit];
  struct queue *queue = crucible__queue(keyed, part, name->bit);
  struct entry *own = crucible__own_entry(keyed, part);
  bool is_own = keyed->own_at > 0 && own->node.number == NO_ARRIVAL;
  struct entry *entry = LIKELY(is_own) ? own : (void *)crucible__shelf_any(shelf);
  if (!entry) {
    if (queue->count == 0) crucible__keyed_count_off(keyed, name->bit);
    return NULL;
  }
  struct node *node = &entry->node, *first = queue->first;
  crucible__copy_keyed(crucible__shelf_value(shelf, node), value, name->species->size);
  *node = (struct node){.previous = first ? first->previous : node,
                        .number = crucible__keyed_number(keyed, shard, name),
                        .times = crucible__limited(attempts),
                        .waits = true};
  entry->part = part;
  *(first ? &first->previous->next : &queue->first) = node;
  if (first) first->previous = node;
  queue->count++;
  shelf->count++;
  part->presence |= UINT64_C(1) << name->bit;
  if (LIKELY(!(keyed->ranked >> name->bit & 1))) return entry;
  struct ranked *ranked = crucible__ranked(node);
  ranked->due = due;
  ranked->older = shelf->last;
  ranked->younger = NULL;
  *(shelf->last ? &crucible__ranked(shelf->last)->younger : &shelf->first) = node;
  shelf->last = node;
  return entry;
}

static void take_state(const struct keyed *keyed, struct part *part, uint32_t bit, const void *holder) {
  part->presence &= ~(UINT64_C(1) << bit);
  crucible__head_of(keyed, part, bit)->holder = holder;
}

/// Takes the molecules of an enabled reaction for a firing elsewhere, in the order of the inputs.
static void keep(struct keyed *keyed, struct shard *shard, struct part *part, const struct reaction *reaction) {
  struct keyed_matches *own = reaction->own;
  struct node *first = NULL, **end = &first;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct input *input = &reaction->rule->inputs[i];
    if (!input->is_stored) {
      take_state(keyed, part, input->bit, NULL);
      continue;
    }
    struct node *node = crucible__queue(keyed, part, input->bit)->first;
    crucible__keyed_leave(keyed, shard, node, input->bit);
    *end = node;
    end = &node->next;
  }
  *end = NULL;
  lock_acquire(&own->lock);
  crucible__keep_match(&own->matches, first);
  lock_release(&own->lock);
}

/// Moves the molecules of a firing to its room. If `match` is not null, it has those that were stored. The caller gives
/// them back, and needs no lock. Otherwise takes them, and the states for `holder`, from the part.
static INLINE void deliver(struct keyed *keyed, struct shard *shard, struct part *part, const struct reaction *reaction,
                           struct node *match, struct unstored unstored, const void *holder, struct firing *firing) {
  uint64_t attempts = 0;
  struct node *next = match;
  for (uint32_t i = 0; i < reaction->rule->width; i++) {
    const struct input *input = &reaction->rule->inputs[i];
    const struct crucible_name *name = reaction->at[i];
    if (!input->is_stored) {
      firing->inputs[i] = reaction->at[i];
      if (i >= reaction->rule->input_count) continue;  // a fact
      firing->inputs[i] = crucible__keyed_cell(keyed, part, input->bit);
      if (!match) take_state(keyed, part, input->bit, holder);
      continue;
    }
    void *to = firing->inputs[i] = firing->storage + input->offset;
    if (name == unstored.name) {
      crucible__copy_keyed(to, unstored.value, name->species->size);
      continue;
    }
    struct node *node = match ? next : crucible__queue(keyed, part, input->bit)->first;
    next = node->next;
    if (!match) crucible__keyed_leave(keyed, shard, node, input->bit);
    crucible__copy_keyed(to, crucible__shelf_value(&shard->shelves[input->bit], node), name->species->size);
    if (node->times > attempts) attempts = node->times;
    if (!match) crucible__keyed_give(keyed, shard, node, input->bit);
  }
  *crucible__attempts_of(firing->inputs) = attempts;
}

/// Chooses one of the reactions of a list that are enabled in the part, if this is all that is there. Null: none is.
static INLINE struct reaction *choose(struct thread *self, const struct component *component, const struct shard *shard,
                                      struct part *part, uint64_t presence, struct reaction **begin,
                                      struct reaction **end) {
  if (shard->paused || shard->stopped) return NULL;
  presence &= ~shard->held;
  struct reaction *found = NULL;
  uint32_t seen = 0;
  for (struct reaction **reaction = begin; reaction < end; reaction++) {
    if (!crucible__keyed_is_enabled(component->own, part, presence, *reaction)) continue;
    if (++seen == 1 || crucible__replaces(self, component->soup, seen)) found = *reaction;
  }
  return found;
}

struct reaction *crucible__keyed_reserve(struct thread *self, struct component *component, struct shard *shard,
                                         struct part *part, struct reaction **begin, struct reaction **end,
                                         here_function here, struct firing *firing) {
  struct reaction *found = choose(self, component, shard, part, part->presence, begin, end);
  bool is_here = found && here && here(self, found);
  if (is_here) {
    deliver(component->own, shard, part, found, NULL, ALL_STORED, self, firing);
  } else if (found) {
    keep(component->own, shard, part, found);
  }
  return found;
}

struct reaction *crucible__keyed_reserve_any(struct thread *self, struct component *component, struct shard *shard,
                                             struct part *part, here_function here, struct firing *firing) {
  struct reaction **begin = component->reactions;
  struct reaction **end = begin + component->layout->reaction_count;
  return crucible__keyed_reserve(self, component, shard, part, begin, end, here, firing);
}

// ---------------------------------------------------------------------------------------------------------------------
// The decision
// ---------------------------------------------------------------------------------------------------------------------

/// Makes the states of a firing that have no value yet (KEY-4). Requires: its molecules were taken, and no lock is
/// held.
static void make_states(struct reaction *reaction, struct firing *firing) {
  const struct keyed *keyed = reaction->component->own;
  for (uint32_t i = 0; reaction->rule->state_count > 0 && i < reaction->rule->input_count; i++) {
    const struct input *input = &reaction->rule->inputs[i];
    if (input->is_stored) continue;
    void *cell = firing->inputs[i];
    struct part *part = (void *)((char *)cell - keyed->at[input->bit]);
    struct state_head *head = crucible__head_of(keyed, part, input->bit);
    if (head->mark != UNMADE) continue;
    const crucible_key_options *key = reaction->soup->names[input->name]->species->key;
    key->make(key->context, crucible__key(keyed, part), cell);
    head->mark = MADE;
  }
}

/// Takes the molecules of a reaction that the molecule completes and that runs here. Null: there is none, and nothing
/// was taken. Then `*found` is the reaction that it completes elsewhere, or null. `has_origins`: as in word_at_once.c.
/// Requires: the lock, and no older molecule of the name in the part.
static INLINE struct reaction *complete(struct thread *self, struct shard *shard, struct part *part,
                                        struct unstored molecule, bool has_origins, struct firing *firing,
                                        struct reaction **found) {
  const struct crucible_name *name = molecule.name;
  struct keyed *keyed = name->component->own;
  // A reaction that takes several of the name is not enabled without older ones.
  uint64_t presence = part->presence | UINT64_C(1) << name->bit;
  struct reaction **begin = keyed->reactions[name->bit], **end = keyed->reactions[name->bit + 1];
  *found = choose(self, name->component, shard, part, presence, begin, end);
  if (!*found || !crucible__runs_here(self, *found)) return NULL;
  if (has_origins && (*found)->rule->retries && (*found)->at[(*found)->rule->giver] != name) return NULL;
  deliver(keyed, shard, part, *found, NULL, molecule, self, firing);
  return *found;
}

/// Stores the molecule, and reserves a reaction that it completes: `found`, unless `complete` was not asked. Sets
/// `*entry` to its place, or to null, and `*dropped` as crucible__store_limited. Requires: the lock.
static INLINE struct added store(struct thread *self, struct shard *shard, struct part *part, struct unstored molecule,
                                 uint64_t attempts, uint64_t due, struct place *place, struct firing *firing,
                                 struct reaction *found, struct entry **entry, void **dropped) {
  const struct crucible_name *name = molecule.name;
  struct keyed *keyed = name->component->own;
  bool is_unmatched = attempts > 0 || (part->presence & UINT64_C(1) << name->bit) != 0;
  crucible_status status = CRUCIBLE_OK;
  if (crucible__is_limited(keyed, name)) {
    status = crucible__store_limited(shard, part, molecule, attempts, due, found, entry, dropped);
  } else {
    *entry = crucible__keyed_arrive(keyed, shard, part, name, molecule.value, attempts, due);
    if (!*entry) status = CRUCIBLE_NO_MEMORY;
  }
  if (!*entry) return (struct added){NULL, status};
  if (place) *place = (struct place){.serial = (uintptr_t)*entry, .position = (*entry)->node.number};
  if (is_unmatched) {
    found = crucible__keyed_reserve(self, name->component, shard, part, keyed->reactions[name->bit],
                                    keyed->reactions[name->bit + 1], crucible__runs_here, firing);
  } else if (found) {
    keep(keyed, shard, part, found);
  }
  return (struct added){found, CRUCIBLE_OK};
}

/// Returns a state that makes the call hopeless (KEY-7). Null: some reaction over the name can do without the states of
/// the waiting bodies. Requires: the lock.
static struct crucible_name *hopeless_state(const struct keyed *keyed, struct part *part,
                                            const struct crucible_name *name, const struct asking *asking) {
  struct crucible_name *state = NULL;
  for (struct reaction **r = keyed->reactions[name->bit]; r < keyed->reactions[name->bit + 1]; r++) {
    state = NULL;
    for (uint32_t i = 0; !state && i < (*r)->rule->input_count; i++) {
      const struct input *input = &(*r)->rule->inputs[i];
      const void *holder = input->is_stored ? NULL : crucible__head_of(keyed, part, input->bit)->holder;
      if (holder && (holder == asking->thread || holder == asking->firing)) state = name->component->names[input->bit];
    }
    if (!state) return NULL;
  }
  return state;
}

/// Erases the note of a waiting body. If the call is hopeless (KEY-7), takes its entry out and returns true. `entry`:
/// null if the call does not wait. Requires: the lock.
static NOINLINE bool refuse_hopeless(struct thread *self, struct shard *shard, struct crucible_name *name,
                                     struct entry *entry) {
  struct keyed *keyed = name->component->own;
  self->asking.name = NULL;
  struct crucible_name *state = entry ? hopeless_state(keyed, entry->part, name, &self->asking) : NULL;
  if (!state) return false;
  self->asking.state = state;
  self->asking.asker = name;
  crucible__keyed_leave(keyed, shard, &entry->node, name->bit);
  crucible__keyed_give(keyed, shard, &entry->node, name->bit);
  return true;
}

/// Injects a molecule. `only_here`: only if it completes a reaction that runs here.
static INLINE struct added add_by(bool only_here, bool has_origins, struct thread *self, struct crucible_name *name,
                                  void *value, uint64_t attempts, struct place *place, struct firing *firing) {
  struct component *component = name->component;
  struct keyed *keyed = component->own;
  const crucible_key_options *option = name->species->key;
  _Alignas(CRUCIBLE_KEY_ALIGNMENT) char small[CRUCIBLE_KEY_ALIGNMENT];
  void *key = LIKELY(option->size <= sizeof small) ? small : KEY_ROOM(option);
  uint64_t hash = crucible__keyed_hash(keyed, option->read(option->context, value, key));
  struct shard *shard = crucible__shard(keyed, hash);
  struct part *ended = NULL;
  uint64_t due = only_here ? 0 : crucible__keyed_due(name);
  bool is_moved = false, is_oldest = false;
  void *dropped = NULL;
  struct added added = {NULL, CRUCIBLE_NOT_RUNNING};
  lock_acquire(&shard->lock);
  if (!shard->stopped) {
    struct part *part = crucible__part(keyed, shard, hash, key, name, &is_moved);
    added.status = CRUCIBLE_NO_MEMORY;
    if (part) {
      struct entry *entry = NULL;
      struct unstored molecule = {name, value};
      struct reaction *found = NULL;
      // The molecule does not overtake older ones.
      bool may_complete = attempts == 0 && !(part->presence & UINT64_C(1) << name->bit);
      if (may_complete) added.reaction = complete(self, shard, part, molecule, has_origins, firing, &found);
      if (added.reaction) {
        added.status = CRUCIBLE_OK;
      } else if (!only_here) {
        added = store(self, shard, part, molecule, attempts, due, place, firing, found, &entry, &dropped);
      }
      // A failed attempt leaves the note for the injection that follows. One that is put back has no caller here.
      if (UNLIKELY(self->asking.name == name) && attempts == 0 && (added.reaction || !only_here)) {
        if (refuse_hopeless(self, shard, name, added.reaction ? NULL : entry)) {
          added.status = CRUCIBLE_HOPELESS;
          entry = NULL;
        }
      }
      is_oldest = due && entry && shard->shelves[name->bit].first == &entry->node;  // KEY-6
      crucible__retire_part(keyed, shard, part, &ended);
    }
  }
  lock_release(&shard->lock);
  if (!is_moved && option->destroy) option->destroy(option->context, key);
  if (ended) crucible__end_parts(component, shard, ended, CRUCIBLE_GONE);
  if (UNLIKELY(dropped != NULL)) crucible__end_dropped(shard, name, value, dropped);
  if (is_oldest) crucible__note_waiting(name);
  if (added.reaction && added.reaction->rule->state_count > 0 && crucible__runs_here(self, added.reaction)) {
    crucible__begin(self, added.reaction);  // what the states inject nests like what the body injects
    make_states(added.reaction, firing);
    crucible__end(self);
  }
  return added;
}

static INLINE struct added keyed_add(struct thread *self, struct crucible_name *name, void *value, uint64_t attempts,
                                     struct place *place, struct firing *firing) {
  return add_by(false, false, self, name, value, attempts, place, firing);
}
static INLINE struct added only_here(struct thread *self, struct crucible_name *name, void *value, uint64_t attempts,
                                     struct place *place, struct firing *firing) {
  return add_by(true, false, self, name, value, attempts, place, firing);
}
static INLINE struct added only_here_own(struct thread *self, struct crucible_name *name, void *value,
                                         uint64_t attempts, struct place *place, struct firing *firing) {
  return add_by(true, true, self, name, value, attempts, place, firing);
}

static bool keyed_complete_own(struct crucible_name *name, void *value) {
  bool is_usual = load_acquire(&name->inject) == crucible__above.inject_with_origin;
  if (!is_usual || load_relaxed(&name->soup->observed)) return false;
  crucible_status before = crucible__refusal;
  bool is_complete = crucible__inject_by(only_here_own, name, value, 0, NULL);
  if (!is_complete) crucible__refusal = before;  // nothing was refused
  return is_complete;
}

static bool keyed_inject(struct crucible_name *name, void *value) {
  return crucible__inject_by(keyed_add, name, value, 0, NULL);
}

static bool keyed_complete_here(struct crucible_name *name, void *value) {
  if (load_acquire(&name->inject) != keyed_inject) return false;
  crucible_status before = crucible__refusal;
  bool is_complete = crucible__inject_by(only_here, name, value, 0, NULL);
  if (!is_complete) crucible__refusal = before;  // nothing was refused
  return is_complete;
}

/// Ends the values of the states that need not stay.
static void forget_states(const struct keyed *keyed, const struct reaction *reaction, struct part *part) {
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct crucible_name *name = reaction->soup->names[reaction->rule->inputs[i].name];
    const crucible_key_options *key = name->species->key;
    if (name->kind != CRUCIBLE_STATE || !key->forgets) continue;
    void *cell = crucible__keyed_cell(keyed, part, name->bit);
    if (!key->forgets(key->context, crucible__key(keyed, part), cell)) continue;
    if (name->species->destroy) name->species->destroy(cell, name->context, CRUCIBLE_CLEARED);
    struct state_head *head = crucible__head_of(keyed, part, name->bit);
    // One that is counted stays so until the lock is held.
    head->mark = head->mark == COUNTED ? FORGOTTEN : UNMADE;
  }
}

/// Puts the states of a firing back, and counts their values. `now`: the time, if one of them may become idle. Returns
/// those of which no other key of the shard has a value, by bit.
static uint64_t put_states(const struct keyed *keyed, struct shard *shard, const struct reaction *reaction,
                           struct part *part, uint64_t now) {
  uint64_t first = 0;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct input *input = &reaction->rule->inputs[i];
    if (input->is_stored) continue;
    struct state_head *head = crucible__head_of(keyed, part, input->bit);
    if (head->mark == MADE && shard->shelves[input->bit].count++ == 0) first |= UINT64_C(1) << input->bit;
    if (head->mark == FORGOTTEN) shard->shelves[input->bit].count--;
    *head = (struct state_head){NULL, head->mark == UNMADE || head->mark == FORGOTTEN ? UNMADE : COUNTED, now};
    part->presence |= UINT64_C(1) << input->bit;
  }
  return first;
}

/// Finds the part of a firing by the cell of one of its states.
static struct part *part_of(const struct keyed *keyed, const struct reaction *reaction,
                                    const struct firing *firing) {
  uint32_t i = 0;
  while (reaction->rule->inputs[i].is_stored) i++;
  return (void *)((char *)firing->inputs[i] - keyed->at[reaction->rule->inputs[i].bit]);
}

static struct reserved keyed_give_back(struct thread *self, struct reaction *reaction, struct firing *firing) {
  struct component *component = reaction->component;
  struct keyed *keyed = component->own;
  struct part *part = part_of(keyed, reaction, firing), *ended = NULL;
  struct reaction *next = NULL, *others[CRUCIBLE_MAX_INPUTS];
  uint32_t count = 0;
  forget_states(keyed, reaction, part);
  uint64_t idle = keyed->idle & reaction->rule->bits;
  uint64_t now = UNLIKELY(idle) ? crucible__time(component->names[__builtin_ctzll(idle)]) : 0;
  struct shard *shard = crucible__shard(keyed, part->hash);
  lock_acquire(&shard->lock);
  idle &= put_states(keyed, shard, reaction, part, now);
  // After several states are given back, at most as many firings can be reserved.
  for (uint32_t budget = reaction->rule->state_count; budget > 0; budget--) {
    here_function here = next ? NULL : crucible__stays_here;
    struct reaction *found = crucible__keyed_reserve_any(self, component, shard, part, here, firing);
    if (!found) break;
    if (!next && crucible__stays_here(self, found)) {
      next = found;
    } else {
      others[count++] = found;
    }
  }
  crucible__retire_part(keyed, shard, part, &ended);
  lock_release(&shard->lock);
  for (uint32_t i = 0; i < count; i++) crucible__submit(self, others[i]);
  for (; UNLIKELY(idle); idle &= idle - 1) crucible__note_waiting(component->names[__builtin_ctzll(idle)]);
  if (ended) crucible__end_parts(component, shard, ended, CRUCIBLE_GONE);
  if (next) make_states(next, firing);
  return (struct reserved){.reaction = next};
}

static void keyed_take(struct reaction *reaction, struct firing *firing) {
  struct keyed *keyed = reaction->component->own;
  struct keyed_matches *own = reaction->own;
  lock_acquire(&own->lock);
  struct node *nodes = crucible__take_match(&own->matches);
  lock_release(&own->lock);
  struct shard *shard = &keyed->shards[nodes->number % CRUCIBLE_SHARDS];
  deliver(keyed, shard, crucible__part_of(nodes), reaction, nodes, ALL_STORED, NULL, firing);
  struct part *ended = NULL;
  lock_acquire(&shard->lock);
  bool is_external = reaction->rule->placement == CRUCIBLE_EXTERNAL;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    if (reaction->rule->inputs[i].is_stored) {
      struct node *node = nodes;
      nodes = node->next;
      node->next = NULL;
      crucible__keyed_give_all(keyed, shard, node, reaction->rule->inputs[i].bit, &ended);
    } else {
      ((struct state_head *)firing->inputs[i] - 1)->holder = is_external ? (const void *)firing : crucible__self;
    }
  }
  lock_release(&shard->lock);
  if (ended) crucible__end_parts(reaction->component, shard, ended, CRUCIBLE_GONE);
  if (!is_external) make_states(reaction, firing);
}

const struct matcher crucible__keyed = {
    .name = "locked",
    .most_names = MOST_MASKED,
    .create = crucible__keyed_create,
    .destroy = crucible__keyed_destroy,
    .add = keyed_add,
    .add_together = crucible__keyed_add_together,
    .give_back = keyed_give_back,
    .settle = crucible__keyed_settle,
    .step = crucible__keyed_step,
    .take = keyed_take,
    .prepare = make_states,
    .run = crucible__run,
    .withdraw = crucible__keyed_withdraw,
    .holds = crucible__keyed_holds,
    .expire = crucible__keyed_expire,
    .counts = crucible__keyed_counts,
    .control = crucible__keyed_control,
    .pause_name = crucible__keyed_pause_name,
    .set_fact = crucible__keyed_set_fact,
    .drop = crucible__keyed_drop,
    .inherit = crucible__keyed_inherit,
    .inject = keyed_inject,
    .complete_here = keyed_complete_here,
    .complete_own = keyed_complete_own,
};
