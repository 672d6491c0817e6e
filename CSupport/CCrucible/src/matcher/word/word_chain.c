// Steps of a chain: the matcher `word`, for a name that meets nothing else and whose one reaction runs on the pool. A
// body on a worker injects it, and the same worker runs the next body with that value, from its slot.
//
// A look at the word reserves the firing. What the injection adds the firing takes, so the compare-and-swap of `carry`
// in word_short.c would leave the word as it is. It can be left out:
//   - The thread has a hold of the soup to spare (firing.c), which becomes the firing's. It is counted as pending from
//     before the look until the body has ended. So the soup lives and is not quiet (quiet.c). A stop that sets its bit
//     after the look waits for the firing. A stop that set it before has not found the soup quiet. For the hold was
//     added after a compare-and-swap on a word of this soup that came before the stop's, by an injection that had
//     entered, or by a body whose own hold overlaps it. So `holds` cannot read 0 until the last of them is released.
//   - No bit of the reaction's mask is in the word: no pause, no stop, and no fact is missing.
//   - The front bit is 0, and then the rings are empty. So no older molecule waits (FRONT-4), and no count is spilled,
//     for spilled molecules lie in the rings. As no field gets room, no other thread's spilled count waits for this
//     thread (WORD-3).
// Every other case is the short injection's.
//
// Progress: wait-free, but for waking a worker to watch the slot.

#include "matcher/word/word_chain.h"

#include "matcher/word/word.h"
#include "matcher/word/word_short.h"
#include "pool/carried.h"
#include "pool/pool.h"

/// Whether this thread may put a firing with the value into its slot: that is all that is to be done.
static inline bool follows(struct thread *self, struct crucible_name *name) {
  // A thread that has a hold to spare is a worker.
  if (UNLIKELY(!self) || UNLIKELY(load_relaxed(&self->spare) != name->soup)) return false;
  if (UNLIKELY(self->blocking > 0)) return false;
  // partner: the store in steal_from_slot; unseen: the same look in crucible__may_carry is found; few thieves come here
  if (UNLIKELY(load_acquire(&self->slot) != NULL)) return false;
  // partner: the additions of the molecules that are taken, and the change that made a fact known
  uint64_t word = load_acquire(&name->component->word.state);
  return LIKELY(!(word & (name->word.candidates->mask | name->front))) && crucible__rings_are_empty(&name->bag);
}

static inline __attribute__((always_inline)) bool follow(struct thread *self, struct crucible_name *name) {
  store_relaxed(&self->spare, NULL);
  return crucible__slot_carry(self, name->word.candidates->reaction);
}

static bool follow_word(struct crucible_name *name, void *value) {
  struct thread *self = crucible__self;
  if (UNLIKELY(!follows(self, name))) return crucible__word_inject_alone_word(name, value);
  self->carried.name = name;
  memcpy(self->carried.value, value, sizeof *self->carried.value);
  return follow(self, name);
}

static bool follow_sized(struct crucible_name *name, void *value) {
  struct thread *self = crucible__self;
  if (UNLIKELY(!follows(self, name))) return crucible__word_inject_alone_sized(name, value);
  crucible__carry(&self->carried, name, value);
  return follow(self, name);
}

inject_function crucible__word_follow_for(const struct crucible_name *name) {
  if (name->word.candidates_end != name->word.candidates + 1 || !crucible__is_carried(name)) return NULL;
  if (name->word.candidates->reaction->placement != CRUCIBLE_POOL || !name->front) return NULL;
  return name->bag.has_words ? follow_word : follow_sized;
}
