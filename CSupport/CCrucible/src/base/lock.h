// The one mutex type of the core: pthread's, or under the scheduler of the tests one that gives way to other threads.

#ifndef CRUCIBLE_LOCK_H
#define CRUCIBLE_LOCK_H

#include <pthread.h>

#include "base/atomics.h"

struct lock {
  pthread_mutex_t mutex;
};

static inline void lock_create(struct lock *lock) { lock->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
static inline void lock_destroy(struct lock *lock) { pthread_mutex_destroy(&lock->mutex); }

static inline void lock_acquire(struct lock *lock) {
  CRUCIBLE_STEP("lock", lock);
#if defined(CRUCIBLE_SCHEDULER)
  while (pthread_mutex_trylock(&lock->mutex) != 0) spin_pause();
#else
  pthread_mutex_lock(&lock->mutex);
#endif
}

static inline void lock_release(struct lock *lock) {
  CRUCIBLE_STEP("unlock", lock);
  pthread_mutex_unlock(&lock->mutex);
}

#endif
