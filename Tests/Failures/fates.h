// The fate of each molecule: it is alive from its injection on, and then ends once. A program writes the number of a
// molecule into its payload.

#ifndef FATES_H
#define FATES_H

#include <stdatomic.h>

#include "../programs.h"

/// An unborn molecule is the injector's: it is not injected yet, or was refused, or its caller took it back.
enum fate { UNBORN, ALIVE, CONSUMED, DESTROYED };

enum { FATES = 1 << 16 };

struct fates {
  _Atomic uint64_t count;  ///< numbers in use: those from 1 to this one
  _Atomic uint8_t of[FATES];
};

/// A new number; 0 if there are no more.
static inline uint64_t fates_number(struct fates *fates) {
  uint64_t number = atomic_fetch_add_explicit(&fates->count, 1, memory_order_relaxed) + 1;
  if (number < FATES) return number;
  atomic_fetch_sub_explicit(&fates->count, 1, memory_order_relaxed);
  return 0;
}

static inline _Atomic uint8_t *fates__of(struct fates *fates, uint64_t number) {
  if (number == 0 || number >= FATES || number > atomic_load_explicit(&fates->count, memory_order_relaxed)) {
    fail("a molecule says that its number is %llu", (unsigned long long)number);
  }
  return &fates->of[number];
}

static inline enum fate fates_now(struct fates *fates, uint64_t number) {
  return (enum fate)atomic_load_explicit(fates__of(fates, number), memory_order_relaxed);
}

/// Fails if the molecule was not `from`: then it is consumed or destroyed twice, or both.
static inline void fates_move(struct fates *fates, uint64_t number, enum fate from, enum fate to) {
  static const char *const texts[] = {"unborn", "alive", "consumed", "destroyed"};
  uint8_t before = atomic_exchange_explicit(fates__of(fates, number), (uint8_t)to, memory_order_relaxed);
  if (before == (uint8_t)from) return;
  fail("molecule %llu becomes %s, and was %s before", (unsigned long long)number, texts[to], texts[before]);
}

/// Fails if a molecule is alive, so lost. Returns how many there were.
static inline uint64_t fates_end(struct fates *fates) {
  uint64_t count = atomic_load_explicit(&fates->count, memory_order_relaxed);
  for (uint64_t number = 1; number <= count; number++) {
    if (fates_now(fates, number) == ALIVE) fail("molecule %llu is lost", (unsigned long long)number);
  }
  return count;
}

#endif
