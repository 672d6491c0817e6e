// The crew: the number of threads that the pool has, may have, and should have.
//
// `workers` threads may run at once. `blocked` counts threads that wait in a call of the library, or that are marked as
// blocking. Each of these has a replacement, so there may be workers + blocked threads, up to the limit. The pool
// creates threads when there is something to do and no worker sleeps (pool.c). A surplus thread ends between two
// bodies.
//
// A lowered limit takes effect gradually: surplus threads end one by one. The last thread that can run never ends,
// because the blocked ones may depend on it.
//
// A thread that is needed and cannot be created is a shortage. The first of a series of shortages is reported
// (shortage.c). The series ends when a worker has nothing to do, so a pool that works at its limit does not report
// again and again.

#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/tuning.h"
#include "pool/pool.h"

_Alignas(CRUCIBLE_LINE) struct crew crucible__crew;

static uint64_t size_of(size_t workers, size_t limit) { return (uint64_t)limit << 32 | workers; }

void crucible__crew_begin(void) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const uint32_t limit = CRUCIBLE_FIRST_LIMIT;
  uint32_t workers = (uint32_t)(processors < 1 ? 1 : processors > limit ? limit : processors);
  store_seq_cst(&crucible__crew.size, size_of(workers, limit));
}

void crucible__crew_after_fork(void) {
  store_relaxed(&crucible__crew.threads, 0);
  store_relaxed(&crucible__crew.blocked, 0);
  store_relaxed(&crucible__crew.lacks, 0);
  crucible__shortage_after_fork();
}

// ---------------------------------------------------------------------------------------------------------------------
// Setting
// ---------------------------------------------------------------------------------------------------------------------

/// Sets the number of workers, and the limit. 0: the number stays as it is.
static bool resize(uint64_t workers, uint64_t limit) {
  crucible__pool_begin();
  uint64_t size = load_seq_cst(&crucible__crew.size), next;
  do {
    next = size_of(workers ? workers : (uint32_t)size, limit ? limit : size >> 32);
    if ((uint32_t)next > next >> 32 || next >> 32 > CRUCIBLE_MAX_POOL_LIMIT) return false;
  } while (!cas_seq_cst(&crucible__crew.size, &size, next));
  if (next >> 32 > size >> 32) store_relaxed(&crucible__crew.lacks, 0);
  crucible__pool_resized();
  return true;
}

bool crucible_pool_takes_job(void) {
  const struct thread *self = crucible__self;
  return self && self->is_worker && load_relaxed(&crucible__crew.blocked) == 0 &&
         crucible__crew_workers() < crucible__crew_limit();
}

bool crucible_pool_set_workers(size_t count) { return count >= 1 && count <= UINT32_MAX && resize(count, 0); }
bool crucible_pool_set_limit(size_t count) { return count >= 1 && count <= UINT32_MAX && resize(0, count); }

// ---------------------------------------------------------------------------------------------------------------------
// Coming and going
// ---------------------------------------------------------------------------------------------------------------------

static void lack(int error) {
  if (error == 0) fetch_add_relaxed(&crucible__crew.refused, 1);
  if (load_relaxed(&crucible__crew.lacks) != 0 || exchange_acq_rel(&crucible__crew.lacks, 1) != 0) return;
  crucible__shortage_tell(&(crucible_pool_shortage){.status = crucible_pool_look(), .error = error});
}

void crucible__crew_hire(void *(*work)(void *), bool needed) {
  uint32_t threads = load_seq_cst(&crucible__crew.threads);
  do {
    if (!crucible__crew_is_short_of(threads)) return;
    if (threads >= crucible__crew_limit()) {
      if (needed || load_seq_cst(&crucible__crew.blocked) >= threads) lack(0);
      return;
    }
  } while (!cas_seq_cst(&crucible__crew.threads, &threads, threads + 1));
  int error = crucible__start_thread(work, NULL);
  if (error == 0) return;
  // Without work the pool may be empty. A thread that adds work finds the pool short of threads, or is seen here.
  if (fetch_sub_seq_cst(&crucible__crew.threads, 1) == 1 && (needed || crucible__pool_has_work())) {
    crucible__die("no thread can be created for the pool, which has none: %s", strerror(error));
  }
  lack(error);
}

bool crucible__crew_leave(void) {
  uint32_t threads = load_seq_cst(&crucible__crew.threads);
  do {
    if (!crucible__crew_exceeds(threads)) return false;
  } while (!cas_seq_cst(&crucible__crew.threads, &threads, threads - 1));
  return true;
}

void crucible__crew_idles(void) {
  if (UNLIKELY(load_relaxed(&crucible__crew.lacks) != 0)) store_relaxed(&crucible__crew.lacks, 0);
  crucible__shortage_retry();
}
