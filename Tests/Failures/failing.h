// The services that the program takes from the system, and when they fail.

#ifndef FAILING_H
#define FAILING_H

#include <stdbool.h>
#include <stdint.h>

/// The services that can fail.
enum {
  MEMORY = 1,         ///< aligned_alloc, where all memory of the core comes from
  SPECIFIC = 2,       ///< pthread_setspecific
  KEY = 4,            ///< pthread_key_create
  MUTEX = 8,          ///< pthread_mutex_init
  THREAD = 16,        ///< pthread_create, also liburcu's
  MAPPING = 32,       ///< mmap: liburcu's registry of readers
  ALLOCATING = MEMORY | SPECIFIC | KEY | MUTEX,
};

/// Lets `count` attempts fail, from number `first` on (1 is the next one).
void failing_begin(unsigned what, uint64_t first, uint64_t count);
/// Whether the requests of this thread are the test's own, and do not fail.
extern _Thread_local bool failing_spares;
/// Ends all failures.
void failing_end(void);
/// Whether one of `what` may fail now.
bool failing_is(unsigned what);
/// Returns the number of failures since the beginning.
uint64_t failing_failures(void);

/// The first position of the first ring of every bag that is created from now on.
extern uint64_t failing_first_position;

/// Whether the core has no blocks but those that it keeps for good: thread records, their table and the pool's queue.
bool failing_is_clean(void);
/// Fails if the core has other blocks.
void failing_check_blocks(void);

#endif
