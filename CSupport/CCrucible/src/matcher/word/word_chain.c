// Steps of a chain, for the matcher `word`. A chain consists of names that meet nothing else and whose one reaction
// runs on the pool. A body on a worker injects the name, and the same worker runs the next body with that value, from
// its slot.
//
// A read of the word reserves the firing. The firing takes what the injection adds, so the compare-and-swap of `carry`
// in word_short.c would leave the word unchanged. It can be left out under these conditions:
//   - The thread has an advance hold of the soup (firing.c), which becomes the firing's. The hold is counted as pending
//     from before the read until the body has ended. So the soup lives and is not quiet (quiet.c). A stop that sets its
//     bit after the read waits for the firing. A stop that has set it before has not found the soup quiet: the hold was
//     added after a compare-and-swap on a word of this soup that precedes the stop's, by an injection that had entered,
//     or by a body whose own hold overlaps it. So `holds` cannot read 0 until the last of them is released.
//   - No bit of the reaction's mask is in the word: there is no pause and no stop, and no fact is missing.
//   - The front bit is 0, and after that the rings are empty. So no older molecule waits (FRONT-4), and no count is
//     spilled, because spilled molecules lie in the rings. No field gets room, so no other thread's spilled count waits
//     for this thread (WORD-3).
// The short injection handles every other case.
//
// Progress: wait-free, except for waking a worker to watch the slot.

#include "matcher/word/word.h"
#include "matcher/word/word_short.h"
#include "pool/carried.h"
#include "pool/pool.h"

/// Whether this thread may put a firing with the value into its slot. Then the injection is complete.
static inline bool follows(struct thread *self, struct crucible_name *name) {
  // A thread that has an advance hold is a worker.
  if (UNLIKELY(!self) || UNLIKELY(load_relaxed(&self->advance) != name->soup)) return false;
  if (UNLIKELY(self->blocking > 0)) return false;
  // partner: the store in steal_from_slot
  if (UNLIKELY(load_acquire(&self->slot) != NULL)) return false;
  // partner: the additions of the molecules that are taken, and the change that made a fact known
  uint64_t word = load_acquire(&name->component->word.state);
  return LIKELY(!(word & (name->word.candidates->mask | name->front))) && crucible__rings_are_empty(&name->bag);
}

static INLINE bool follow(struct thread *self, struct crucible_name *name) {
  store_relaxed(&self->advance, NULL);
  return crucible__slot_carry(self, crucible__reaction(name->component, name->word.candidates));
}

static bool follow_word(struct crucible_name *name, void *value) {
  struct thread *self = crucible__self;
  if (UNLIKELY(!follows(self, name))) return crucible__word_inject_word(name, value);
  self->carried.name = name;
  memcpy(self->carried.value, value, sizeof *self->carried.value);
  return follow(self, name);
}

static bool follow_sized(struct crucible_name *name, void *value) {
  struct thread *self = crucible__self;
  if (UNLIKELY(!follows(self, name))) return crucible__word_inject_sized(name, value);
  crucible__carry(&self->carried, name, value);
  return follow(self, name);
}

inject_function crucible__word_follow_for(const struct crucible_name *name) {
  const struct candidate *only = name->word.candidates;
  if (name->word.candidates_end != only + 1 || only->need != name->word.unit) return NULL;
  bool is_step = crucible__reaction(name->component, only)->rule->away == 1 && crucible__is_carried(name);
  if (!is_step || !name->front) return NULL;
  return name->bag.has_words ? follow_word : follow_sized;
}
