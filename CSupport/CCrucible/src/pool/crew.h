// The crew: how many threads the pool has, may have, and should have.

#ifndef CRUCIBLE_CREW_H
#define CRUCIBLE_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomics.h"

struct crew {
  _Atomic uint32_t threads;  ///< that there are, or that are being made
  _Atomic uint32_t blocked;  ///< of these, that wait or are marked as blocking
  _Atomic uint64_t size;     ///< workers, and above them the limit, which is never below; 0: not begun
  _Atomic uint64_t refused;  ///< how often a thread was needed and the limit refused it
  _Atomic uint32_t lacks;    ///< there is a shortage, and it has been reported
};

extern struct crew crucible__crew;

static inline uint32_t crucible__crew_workers(void) { return (uint32_t)load_seq_cst(&crucible__crew.size); }
// unseen order: this thread looks again, or has looked before; unseen acquire: only numbers; the work orders itself
static inline uint32_t crucible__crew_limit(void) { return (uint32_t)(load_seq_cst(&crucible__crew.size) >> 32); }

/// Whether fewer of `threads` can run than should.
static inline bool crucible__crew_is_short_of(uint32_t threads) {
  return threads < crucible__crew_workers() + load_seq_cst(&crucible__crew.blocked);
}
static inline bool crucible__crew_is_short(void) {
  return crucible__crew_is_short_of(load_seq_cst(&crucible__crew.threads));
}

/// Whether `threads` are too many: more can run than should, or they are above the limit and not the last one that can.
static inline bool crucible__crew_exceeds(uint32_t threads) {
  // unseen order: the epoch moves on later; the futex compares; unseen acquire: only numbers; the work orders itself
  uint32_t blocked = load_seq_cst(&crucible__crew.blocked);
  return threads > crucible__crew_workers() + blocked || (threads > crucible__crew_limit() && threads > blocked + 1);
}
static inline bool crucible__crew_has_too_many(void) {
  // unseen order: the epoch moves on later; the futex compares; unseen acquire: only numbers; the work orders itself
  return crucible__crew_exceeds(load_seq_cst(&crucible__crew.threads));
}

/// The numbers that hold until they are set.
void crucible__crew_begin(void);
/// Makes a thread that runs `work`, if the crew is short of one. `needed`: if it cannot be had, that is a shortage.
void crucible__crew_hire(void *(*work)(void *), bool needed);
/// Takes the calling worker off the count if there are too many.
bool crucible__crew_leave(void);
/// A worker has nothing to do: if there was a shortage, it is over.
void crucible__crew_idles(void);

/// Starts a detached thread that takes no signals. 0, or why not, as errno says it.
int crucible__start_thread(void *(*function)(void *));

/// In the child: there are no threads.
void crucible__crew_after_fork(void);

#endif
