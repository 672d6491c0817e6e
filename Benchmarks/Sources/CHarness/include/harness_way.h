// A word that carries a number from one thread to another. The taker spins for a while, and then sleeps by futex. It is
// the baseline spin-then-futex of rendezvous. At any time at most one number is in transport.

#ifndef HARNESS_WAY_H
#define HARNESS_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "harness_clock.h"

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef struct harness_way {
  int64_t number;
  uint32_t word;  // 0: empty, 1: has a number, 2: empty, and the taker sleeps
  uint32_t padding[29];  // adjacent ways share no cache line, nor a pair of lines
} harness_way;

enum { HARNESS_WAY_SPINS = 2000 };

/// Wakes the taker.
void harness_way_wake(harness_way *way);
/// Sleeps while the word is 2.
void harness_way_sleep(harness_way *way);

static inline void harness_way_send(harness_way *way, int64_t number) {
  way->number = number;
  if (__atomic_exchange_n(&way->word, 1, __ATOMIC_ACQ_REL) == 2) harness_way_wake(way);
}

static inline int64_t harness_way_take(harness_way *way) {
  for (int i = 0; i < HARNESS_WAY_SPINS && __atomic_load_n(&way->word, __ATOMIC_ACQUIRE) != 1; i++) harness_pause();
  while (__atomic_load_n(&way->word, __ATOMIC_ACQUIRE) != 1) {
    uint32_t empty = 0;
    __atomic_compare_exchange_n(&way->word, &empty, 2, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (empty != 1) harness_way_sleep(way);
  }
  int64_t number = way->number;
  __atomic_store_n(&way->word, 0, __ATOMIC_RELEASE);
  return number;
}

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
