// The crew: the number of threads that the pool has, may have, and should have.

#ifndef CRUCIBLE_CREW_H
#define CRUCIBLE_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomics.h"

struct crew {
  _Atomic uint32_t threads;  ///< those that exist or are being created
  _Atomic uint32_t blocked;  ///< of these, the threads that wait, or are marked as blocking
  _Atomic uint64_t size;     ///< the number of workers, and above it the limit, which is never lower; 0: not begun
  _Atomic uint64_t refused;  ///< how often a thread was needed, but the limit refused it
  _Atomic uint32_t lacks;    ///< there is a shortage, and it has been reported
};

extern struct crew crucible__crew;

static inline uint32_t crucible__crew_workers(void) { return (uint32_t)load_seq_cst(&crucible__crew.size); }
static inline uint32_t crucible__crew_limit(void) { return (uint32_t)(load_seq_cst(&crucible__crew.size) >> 32); }

/// Whether fewer of `threads` can run than should.
static inline bool crucible__crew_is_short_of(uint32_t threads) {
  return threads < crucible__crew_workers() + load_seq_cst(&crucible__crew.blocked);
}
static inline bool crucible__crew_is_short(void) {
  return crucible__crew_is_short_of(load_seq_cst(&crucible__crew.threads));
}

/// Whether `threads` are too many. They are if more can run than should. They are also too many if they exceed the
/// limit and include more than one that can run.
static inline bool crucible__crew_exceeds(uint32_t threads) {
  uint32_t blocked = load_seq_cst(&crucible__crew.blocked);
  return threads > crucible__crew_workers() + blocked || (threads > crucible__crew_limit() && threads > blocked + 1);
}
static inline bool crucible__crew_has_too_many(void) {
  return crucible__crew_exceeds(load_seq_cst(&crucible__crew.threads));
}

/// Sets the initial numbers.
void crucible__crew_begin(void);
/// Creates a thread that runs `work`, if the crew is short of one. `needed`: a failure is a shortage.
void crucible__crew_hire(void *(*work)(void *), bool needed);
/// Removes the calling worker from the count if there are too many.
bool crucible__crew_leave(void);
/// Ends a shortage, if there was one, because a worker has nothing to do.
void crucible__crew_idles(void);

/// Resets the crew in the child of a fork: there are no threads.
void crucible__crew_after_fork(void);

#endif
