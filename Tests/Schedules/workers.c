// The pool's threads, replaced at link time (--wrap), so that the core needs no hooks for them.
//
//   pthread_create        the worker becomes a thread of the scheduler
//   crucible__bag_create  finds the pool's queue, to free it between runs
//   crucible__deferred_is_stuck  answers that a thread that stands still is stuck; whether it could go on is the
//                                policy's choice
//   getrusage             says that no thread has slept: the scheduler lets threads sleep between their accesses
//
// The call that makes the pool empty in a forked child also empties it between runs.

#include "workers.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

#include "CCrucible.h"
#include "bag/bag.h"
#include "base/memory.h"
#include "base/thread.h"
#include "memory.h"
#include "pool/pool.h"
#include "scheduler.h"

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument);
bool __real_crucible__bag_create(struct bag *bag, size_t size, size_t alignment);
bool __wrap_crucible__bag_create(struct bag *bag, size_t size, size_t alignment);
bool __wrap_crucible__deferred_is_stuck(struct thread *owner);
int __wrap_getrusage(int who, struct rusage *usage);

static struct bag *queue;
static bool starting;

static void forget_deferred(void) {
  for (struct thread *t = crucible__thread_list(); t; t = t->next) {
    if (load_relaxed(&t->visiting)) scheduler_fail("a visit has not ended");
    if (!t->queue) continue;
    crucible__bag_destroy(t->queue, NULL, NULL);
    crucible__free(t->queue, sizeof *t->queue);
    t->queue = NULL;
  }
}

void workers_reset(unsigned count) {
  forget_deferred();
  if (!queue) {
    starting = true;
    crucible_pool_set_workers(count);
    starting = false;
    if (!queue) scheduler_fail("the pool's queue was not found");
    return;
  }
  crucible__bag_destroy(queue, NULL, NULL);
  crucible__pool_after_fork();
  crucible_pool_set_workers(count);
}

/// The function that all workers run.
static void *(*work)(void *argument);

/// Checks that a worker that has ended has nothing left: no thread would find it before all others are idle.
static void *work_and_end(void *argument) {
  void *result = work(argument);
  if (load_acquire(&crucible__self->slot)) scheduler_fail("a worker has ended with a firing in its slot");
  if (load_acquire(&crucible__self->deferred)) scheduler_fail("a worker has ended with firings that it deferred");
  return result;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument) {
  *thread = pthread_self();
  if (scheduler_self() == ACTORS) return 0;  // no thread is started between runs
  work = function;
  return scheduler_spawn(work_and_end, argument) ? 0 : 11;
}

bool __wrap_crucible__bag_create(struct bag *bag, size_t size, size_t alignment) {
  if (starting) queue = bag;
  return __real_crucible__bag_create(bag, size, alignment);
}

bool __wrap_crucible__deferred_is_stuck(struct thread *owner) { return owner != NULL; }

int __wrap_getrusage(int who, struct rusage *usage) {
  (void)who;
  *usage = (struct rusage){0};
  return 0;
}
