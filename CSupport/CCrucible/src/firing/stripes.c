// Stripes of the threads after the first few: the counters of their calls in progress in a soup.
//
// The first OWN_STRIPES threads of a process have their counters in the soup itself. Threads up to MOST_STRIPES have
// them in blocks. The first thread of a block makes it. Threads up to STRIPES share the block that the soup points to
// (`near`), and the others have a list of blocks. All later threads share two counters, and add to them by locked
// instructions. A thread shares them too if there is no memory for its block. The near block takes 256 bytes, another
// block 512 bytes, and the list 64 bytes. So a soup that few threads use stays small. An earlier design shared two
// counters among all threads after the eighth. It was slower when many threads share a state.
//
// Invariant: a block exists, all zero, before anything is counted in it, and stays until the soup's memory is freed. So
// a check that has seen an effect of a call sees the call's block as well. A check that misses an existing block misses
// only calls of which it has seen nothing. If it misses departures, that appears as a call in progress. If it misses
// arrivals, it sees an earlier moment.
//
// The near block stays with the memory of a soup that another one reuses, and is zeroed for that soup.
//
// Progress: entering is wait-free, except for the allocations, each once per block and soup. A thread that loses the
// race for a block frees its own.

#include "firing/stripes.h"

#include "base/memory.h"

static struct further_stripes *further_of(struct crucible_soup *soup) {
  struct further_stripes *further = load_acquire(&soup->further);  // partner: the CAS below
  if (LIKELY(further != NULL)) return further;
  struct further_stripes *mine = crucible__allocate(sizeof *mine, _Alignof(struct further_stripes));
  if (!mine) return NULL;
  for (size_t i = 0; i < FURTHER_BLOCKS; i++) atomic_init(&mine->blocks[i], NULL);
  if (cas_acq_rel(&soup->further, &further, mine)) return mine;
  crucible__free(mine, sizeof *mine);
  return further;
}

static struct stripe *block_at(struct crucible_soup *soup, _Atomic(struct stripe *) *place, uint32_t count) {
  struct stripe *block = load_acquire(place);  // partner: the CAS below
  if (LIKELY(block != NULL)) return block;
  struct stripe *mine = crucible__allocate(count * sizeof *mine, _Alignof(struct stripe));
  if (!mine) return NULL;
  crucible__begin_stripes(mine, count, load_relaxed(&soup->crowd.random));
  if (cas_acq_rel(place, &block, mine)) return mine;
  crucible__free(mine, count * sizeof *mine);
  return block;
}

struct stripe *crucible__make_stripe(struct crucible_soup *soup, uint32_t index) {
  if (index < OWN_STRIPES) return &soup->stripes[index];
  if (UNLIKELY(index >= MOST_STRIPES)) return NULL;
  if (index < STRIPES) {
    struct stripe *near = block_at(soup, &soup->near, NEAR_STRIPES);
    return near ? &near[index - OWN_STRIPES] : NULL;
  }
  struct further_stripes *further = further_of(soup);
  struct stripe *block = further ? block_at(soup, &further->blocks[index / STRIPES - 1], STRIPES) : NULL;
  return block ? &block[index % STRIPES] : NULL;
}

struct stripe *crucible__enter_further(struct crucible_soup *soup, uint32_t index) {
  struct stripe *stripe = crucible__make_stripe(soup, index);
  if (LIKELY(stripe != NULL)) {
    crucible__enter_stripe(stripe);
  } else {
    fetch_add_relaxed(&soup->crowd.entered, 1);
  }
  return stripe;
}

void crucible__show_entry(const struct thread *self, struct crucible_soup *soup) {
  struct stripe *stripe = crucible__make_stripe(soup, self->index);
  fetch_add_seq_cst(stripe ? &stripe->entered : &soup->crowd.entered, 0);  // partner: the sum of `entered` in quiet.c
}

/// The function of the process. There is one, because one module explores schedules.
static uint32_t (*_Atomic choose_instead)(uint32_t bound, bool replaces);

void crucible_choose_instead(uint32_t (*choose)(uint32_t bound, bool replaces)) {
  store_relaxed(&choose_instead, choose);
}

/// Marsaglia's xorshift64. A state of 0 stays 0.
static uint32_t draw(const struct thread *self, struct crucible_soup *soup, uint32_t bound, bool replaces) {
  struct stripe *stripe = crucible__make_stripe(soup, self->index);
  _Atomic uint64_t *random = LIKELY(stripe != NULL) ? &stripe->random : &soup->crowd.random;
  uint64_t x = load_relaxed(random);
  if (UNLIKELY(x == 0)) return load_relaxed(&choose_instead)(bound, replaces);
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  store_relaxed(random, x);
  return (uint32_t)(((x >> 32) * bound) >> 32);
}

uint32_t crucible__choose(const struct thread *self, struct crucible_soup *soup, uint32_t bound) {
  return draw(self, soup, bound, false);
}

bool crucible__replaces(const struct thread *self, struct crucible_soup *soup, uint32_t seen) {
  return draw(self, soup, seen, true) == 0;
}

void crucible__free_further_stripes(struct crucible_soup *soup) {
  struct further_stripes *further = load_relaxed(&soup->further);
  if (!further) return;
  for (size_t i = 0; i < FURTHER_BLOCKS; i++) {
    struct stripe *block = load_relaxed(&further->blocks[i]);
    if (block) crucible__free(block, STRIPES * sizeof *block);
  }
  crucible__free(further, sizeof *further);
}
