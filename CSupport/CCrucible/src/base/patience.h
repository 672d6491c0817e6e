// How long a thread pauses for another one before it parks, or before its task suspends.
//
// Two threads that answer each other do so in a fraction of the time that it takes to sleep and wake up. Once one of
// them sleeps, the other one waits for longer, and sleeps as well. Pauses prevent that, but waste a processor wherever
// answers take longer. So each thread has a number, its patience:
//
//   PATIENCE-1  Below 0 a wait does not pause. It adds 1. The wait at 0 probes: it pauses for as long as a sleeping
//       thread needs to wake up and answer.
//   PATIENCE-2  A wait that pauses until its answer adds 1. Below CRUCIBLE_MISS its pauses last as long as a probe, and
//       otherwise as long as other pauses for threads that run.
//   PATIENCE-3  A wait that pauses in vain takes CRUCIBLE_MISS. A number that would be below 0 becomes -CRUCIBLE_COLD.
//   PATIENCE-4  At CRUCIBLE_HOT a wait does not pause. The number becomes half of that. Tasks rely on a waiting await
//       to free its thread for other tasks. Otherwise two tasks that answer each other would keep two threads of
//       Swift's pool, and a third task would not run.
//
// Every wait has a limit. So nothing hangs if the answer needs the very thread that pauses.

#ifndef CRUCIBLE_PATIENCE_H
#define CRUCIBLE_PATIENCE_H

#include "base/thread.h"

/// Whether the wait that this thread begins pauses.
static inline bool crucible__is_patient(struct thread *self) {
  if (self->patience >= 0 && self->patience < CRUCIBLE_HOT) return true;
  self->patience = self->patience < 0 ? self->patience + 1 : CRUCIBLE_HOT / 2;
  return false;
}

/// Ends a wait that has paused.
static inline void crucible__has_paused(struct thread *self, bool answered) {
  int32_t patience = answered ? self->patience + 1 : self->patience - CRUCIBLE_MISS;
  self->patience = patience < 0 ? -CRUCIBLE_COLD : patience;
}

#endif
