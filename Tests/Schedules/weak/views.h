// Views, the knowledge of each thread about the memory, and the messages that stores leave. See README.md.

#ifndef SCHEDULES_VIEWS_H
#define SCHEDULES_VIEWS_H

#include <stdbool.h>
#include <stdint.h>

#include "../scheduler.h"

enum { LOCATIONS = 2048 };

/// `clock[t]`: all that thread t did up to then comes before. `seen[l]`: the oldest message of location l that may
/// still be read.
struct view {
  uint32_t clock[ACTORS];
  uint32_t seen[LOCATIONS];
};

/// Forgets everything. What came before it happens before what follows.
void views_reset(void);
/// Returns the view of the thread that runs.
struct view *views_mine(void);
void views_join(struct view *into, const struct view *from);
/// Makes all that this thread does from now on later than what others have heard of it.
void views_tick(void);

/// Makes an atomic access of the running thread, with an order of <stdatomic.h>.
uint64_t views_load(const volatile void *address, unsigned size, int order);
void views_store(volatile void *address, unsigned size, uint64_t value, int order);
/// Returns the old value; `change` computes the new one.
uint64_t views_change(volatile void *address, unsigned size, uint64_t (*change)(uint64_t before, uint64_t operand),
                      uint64_t operand, int order);
/// Returns the old value; the exchange succeeded if that is `expected`.
uint64_t views_compare_exchange(volatile void *address, unsigned size, uint64_t expected, uint64_t desired, int success,
                                int failure,
                                const void *where);

#endif
