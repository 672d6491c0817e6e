// Stripes of the threads after the first few: where a soup counts their calls in progress.
//
// The first STRIPES threads of a process have their counters in the soup itself; those up to MOST_STRIPES have them in blocks of
// as many, made when the first thread of a block comes; all others share two counters that they add to by locked instructions,
// as does a thread for whose block there is no memory. 512 bytes a block and 64 for where the blocks are, so that soups which
// few threads use stay small. On two processors 64 threads that share a state took 40 to 44 ns per reaction while those after the
// eighth shared counters, and 19 to 24 with these (layer c, alternating, two times three samples; two threads: 12 to 13).
//
// Invariant: a block is there, all zero, before anything is counted in it, and stays until the soup's memory goes. So a look that
// has seen what a call did sees its block as well. A look that does not see a block although it is there misses calls of which it
// has seen nothing: too few that have left look like a call in progress, and too few that have entered are the picture of a
// moment before.
//
// Called by whoever enters. Progress: wait-free but for the allocations, each once per block and soup; who loses the race for one
// frees its own.

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

static struct stripe *block_at(struct crucible_soup *soup, _Atomic(struct stripe *) *place) {
  struct stripe *block = load_acquire(place);  // partner: the CAS below
  if (LIKELY(block != NULL)) return block;
  struct stripe *mine = crucible__allocate(STRIPES * sizeof *mine, _Alignof(struct stripe));
  if (!mine) return NULL;
  for (uint32_t i = 0; i < STRIPES; i++) {
    atomic_init(&mine[i].entered, 0);
    atomic_init(&mine[i].left, 0);
    atomic_init(&mine[i].random, load_relaxed(&soup->crowd.random));
  }
  if (cas_acq_rel(place, &block, mine)) return mine;
  crucible__free(mine, STRIPES * sizeof *mine);
  return block;
}

struct stripe *crucible__make_stripe(struct crucible_soup *soup, uint32_t index) {
  if (index < STRIPES) return &soup->stripes[index];
  if (UNLIKELY(index >= MOST_STRIPES)) return NULL;
  struct further_stripes *further = further_of(soup);
  struct stripe *block = further ? block_at(soup, &further->blocks[index / STRIPES - 1]) : NULL;
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

_Atomic uint64_t *crucible__random_further(struct crucible_soup *soup, uint32_t index) {
  struct stripe *stripe = crucible__make_stripe(soup, index);
  return LIKELY(stripe != NULL) ? &stripe->random : &soup->crowd.random;
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
