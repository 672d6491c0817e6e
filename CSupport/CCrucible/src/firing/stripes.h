// Counting the calls that are in progress, a stripe for each thread, and the random numbers of each.

#ifndef CRUCIBLE_STRIPES_H
#define CRUCIBLE_STRIPES_H

#include "types.h"

// For threads of any index.
/// Its stripe, made if it is missing; null: it is one of the crowd.
struct stripe *crucible__make_stripe(struct crucible_soup *soup, uint32_t index);
/// An injection begins. Answers what crucible__enter does.
struct stripe *crucible__enter_further(struct crucible_soup *soup, uint32_t index);
/// Where the state of its random numbers is.
_Atomic uint64_t *crucible__random_further(struct crucible_soup *soup, uint32_t index);
void crucible__free_further_stripes(struct crucible_soup *soup);
/// Nothing is counted, and the random numbers begin anew. No other thread knows of the stripes.
static inline void crucible__begin_stripes(struct stripe *stripes, uint32_t count, uint64_t random) {
  for (uint32_t i = 0; i < count; i++) {
    atomic_init(&stripes[i].entered, 0);
    atomic_init(&stripes[i].left, 0);
    atomic_init(&stripes[i].random, random);
  }
}
/// Nothing refers to the block of the soup.
void crucible__free_near_stripes(struct crucible_soup *soup);

/// The stripe of a thread of index < `most` ≤ STRIPES, without a call; null: it is another thread, or has none yet.
static inline __attribute__((always_inline)) struct stripe *crucible__stripe(
    const struct thread *self, struct crucible_soup *soup, uint32_t most) {
  uint32_t index = self->index;
  if (LIKELY(index < OWN_STRIPES && index < most)) return &soup->stripes[index];
  // unseen: by reading alone: the counters are zeroed before the block is published
  struct stripe *near = LIKELY(index < most) ? load_acquire(&soup->near) : NULL;  // partner: block_at
  return LIKELY(near != NULL) ? &near[index - OWN_STRIPES] : NULL;
}

/// An injection begins and ends. Single-writer counters: no locked instruction for the first MOST_STRIPES threads. The
/// store to `entered` becomes visible with the injection's first read-modify-write, which releases.
static inline void crucible__enter_stripe(struct stripe *stripe) {
  store_relaxed(&stripe->entered, load_relaxed(&stripe->entered) + 1);
}

/// The same for an injection that only reads the word of its component: instead of a read-modify-write there, it reads
/// the word after this. So a stop either shows in the word, or finds the injection in progress.
static inline uint64_t crucible__enter_and_look(struct stripe *stripe, const _Atomic uint64_t *word) {
  fetch_add_seq_cst(&stripe->entered, 1);  // partner: the sum of `entered` in quiet.c, after the change of the word
  return load_seq_cst(word);               // partner: that change
}

/// Shows the entry of an injection to every look for quiet that comes later in the order of all sequentially consistent
/// operations. Otherwise the entry may become visible as late as with the injection's first change of a word.
void crucible__show_entry(const struct thread *self, struct crucible_soup *soup);

/// Answers the stripe that counts it; null: the crowd does.
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
    fetch_add_acq_rel(&soup->crowd.left, 1);  // unseen: hands nothing on
  }
}

/// A random number below `bound`, from the soup's seed: Marsaglia's xorshift64, whose state must not be 0.
static inline uint32_t crucible__choose(const struct thread *self, struct crucible_soup *soup, uint32_t bound) {
  _Atomic uint64_t *random = LIKELY(self->index < OWN_STRIPES) ? &soup->stripes[self->index].random
                                                               : crucible__random_further(soup, self->index);
  uint64_t x = load_relaxed(random);
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  store_relaxed(random, x);
  return (uint32_t)(((x >> 32) * bound) >> 32);
}

#endif
