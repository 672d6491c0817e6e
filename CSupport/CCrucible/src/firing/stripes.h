// Counting the calls in progress, with a stripe for each thread, and the random numbers of each thread.

#ifndef CRUCIBLE_STRIPES_H
#define CRUCIBLE_STRIPES_H

#include "types.h"

// These functions accept threads of any index.
/// Finds the thread's stripe, and makes it if it is missing. Null: the thread belongs to the crowd.
struct stripe *crucible__make_stripe(struct crucible_soup *soup, uint32_t index);
/// Begins an injection. Returns what crucible__enter does.
struct stripe *crucible__enter_further(struct crucible_soup *soup, uint32_t index);
void crucible__free_further_stripes(struct crucible_soup *soup);
/// Resets the counters, and seeds the random numbers. Requires: no other thread knows of the stripes.
static inline void crucible__begin_stripes(struct stripe *stripes, uint32_t count, uint64_t random) {
  for (uint32_t i = 0; i < count; i++) {
    atomic_init(&stripes[i].entered, 0);
    atomic_init(&stripes[i].left, 0);
    atomic_init(&stripes[i].random, random);
  }
}

/// Finds the stripe of a thread of index < `most` ≤ STRIPES, without a call. Null: the thread has another index, or no
/// stripe yet.
static INLINE struct stripe *crucible__stripe(const struct thread *self, struct crucible_soup *soup, uint32_t most) {
  uint32_t index = self->index;
  if (LIKELY(index < OWN_STRIPES && index < most)) return &soup->stripes[index];
  // The counters are zeroed before the block is published.
  struct stripe *near = LIKELY(index < most) ? load_acquire(&soup->near) : NULL;  // partner: block_at
  return LIKELY(near != NULL) ? &near[index - OWN_STRIPES] : NULL;
}

/// Begins an injection in a stripe. Its counters have a single writer, so the first MOST_STRIPES threads need no locked
/// instruction. The store to `entered` becomes visible with the injection's first read-modify-write, which releases.
static inline void crucible__enter_stripe(struct stripe *stripe) {
  store_relaxed(&stripe->entered, load_relaxed(&stripe->entered) + 1);
}

/// Begins an injection that only reads the word of its component. Instead of a read-modify-write there, it reads the
/// word after this store. So a stop either shows in the word, or finds the injection in progress.
static inline uint64_t crucible__enter_and_look(struct stripe *stripe, const _Atomic uint64_t *word) {
  fetch_add_seq_cst(&stripe->entered, 1);  // partner: the sum of `entered` in quiet.c, after the change of the word
  return load_seq_cst(word);               // partner: that change
}

/// Shows the entry of an injection to every later check for quiet, in the order of all sequentially consistent
/// operations. Otherwise the entry may become visible as late as the injection's first change of a word.
void crucible__show_entry(const struct thread *self, struct crucible_soup *soup);

/// Begins an injection. Returns the stripe that counts it. Null: the crowd counts it.
static inline struct stripe *crucible__enter(const struct thread *self, struct crucible_soup *soup) {
  if (UNLIKELY(self->index >= OWN_STRIPES)) return crucible__enter_further(soup, self->index);
  struct stripe *stripe = &soup->stripes[self->index];
  crucible__enter_stripe(stripe);
  return stripe;
}

static inline void crucible__leave(struct stripe *stripe, struct crucible_soup *soup) {
  if (LIKELY(stripe != NULL)) {
    store_release(&stripe->left, load_relaxed(&stripe->left) + 1);  // partner: the acquire in crucible_soup_is_quiet
  } else {
    fetch_add_acq_rel(&soup->crowd.left, 1);
  }
}

/// Returns a random number below `bound`, from the soup's seed. If the seed is 0, the function of
/// crucible_choose_instead chooses.
uint32_t crucible__choose(const struct thread *self, struct crucible_soup *soup, uint32_t bound);
/// Whether the candidate that is seen as number `seen` ≥ 2 replaces the one chosen among those before. So at last each
/// of them is chosen with the same probability (Vitter, *Random Sampling with a Reservoir*, TOMS 11, 1985).
RARELY bool crucible__replaces(const struct thread *self, struct crucible_soup *soup, uint32_t seen);

#endif
