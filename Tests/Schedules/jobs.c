// The pool alone: threads that run the work that they get, sleep, watch the slots, block, begin and end (pool.c,
// crew.c).
//
// There is no soup here, so that few steps show much. Clients hand out jobs. Each follows a word, one letter a step:
//
//   a       a job that ends
//   b       a job that declares that it blocks, and ends when all others have ended or wait in the same way
//   h       a job that waits in the same way, without declaring it
//   .a      a job into the client's own slot; the client takes it back at the end; some job has gone into the queue
//           before
//   ,a      a job into the client's own queue of deferred jobs; the client takes it back at the end, in order; likewise
//   -       the client takes back the job in its slot
//   (ab)    a job of the second kind, which first leaves one of the first kind in the slot of the worker that runs it
//   H       the client itself waits in this way, like a body that declares nothing
//   B       the same, but declared: the client keeps nothing that it has deferred (DEFER-4)
//   w       the client waits until all jobs have ended
//   1 2     this many workers are wanted
//
//   JOB-1  when no thread can go on, every job has run; otherwise the scheduler reports that work is left
//   JOB-2  a job runs once
//   JOB-3  when no thread can go on, no thread is surplus
//   JOB-4  a client runs in order what it deferred and what it finds
//
// The model is Tests/Models/pool.pml.

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "CCrucible.h"
#include "base/futex.h"
#include "base/thread.h"
#include "pool/pool.h"
#include "trial.h"

enum { MOST_JOBS = 16 };

struct job {
  _Alignas(8) char kind;
  char leaves;  ///< the kind of the job that it puts into the slot of the thread that runs it; 0: none
  bool ran;
};

static struct {
  struct job jobs[MOST_JOBS];
  unsigned count;
  _Atomic uint32_t made, ended;  ///< `ended` also counts jobs that wait until all others have ended
} all;

static void define(struct trial *trial) {
  memset(&all, 0, sizeof all);
}

static struct job *make(char kind, char leaves) {
  if (all.count == MOST_JOBS) scheduler_fail("the case has too many jobs");
  struct job *job = &all.jobs[all.count++];
  *job = (struct job){.kind = kind, .leaves = leaves};
  fetch_add_seq_cst(&all.made, 1);
  return job;
}

static void end_one(void) {
  fetch_add_seq_cst(&all.ended, 1);
  crucible__unpark(&all.ended, INT_MAX);
}

static void await_all(void) {
  for (;;) {
    uint32_t ended = load_seq_cst(&all.ended);
    if (ended == load_seq_cst(&all.made)) return;
    crucible__park(&all.ended, ended, UINT64_MAX);
  }
}

/// Waits until all other jobs have ended, or wait as well.
static void stand(void) {
  end_one();
  await_all();
}

static void put(char kind);

static void run(void *context) {
  struct job *job = context;
  if (job->ran) scheduler_fail("job %d runs twice", (int)(job - all.jobs));
  job->ran = true;
  if (job->leaves) put(job->leaves);
  if (job->kind == 'b') {
    crucible_pool_begin_blocking();
    stand();
    crucible_pool_end_blocking();
  } else if (job->kind == 'h') {
    stand();
  } else {
    end_one();
  }
}

/// Defers a job like an inline firing that nests too deeply. The lowest bit says that it is a job (firing.c).
static void defer(char kind) {
  crucible__defer(crucible__thread(), (struct reaction *)((uintptr_t)make(kind, 0) | 1));
}

static void put(char kind) {
  crucible__slot_put(crucible__thread(), (struct reaction *)((uintptr_t)make(kind, 0) | 1));
}

static void take_own(void) {
  struct reaction *own = crucible__slot_take(crucible__thread());
  if (own) run((void *)((uintptr_t)own - 1));
}

static void step(const char **letter) {
  char kind = **letter;
  if (kind == '.') {
    put(*++*letter);
  } else if (kind == ',') {
    defer(*++*letter);
  } else if (kind == '-') {
    take_own();
  } else if (kind == '(') {
    const char *inner = *letter + 1;
    crucible_pool_run(make(inner[1], inner[0]), run);
    *letter = inner + 2;
  } else if (kind == 'H') {
    fetch_add_seq_cst(&all.made, 1);
    stand();
  } else if (kind == 'B') {
    fetch_add_seq_cst(&all.made, 1);
    crucible_pool_begin_blocking();
    if (load_acquire(&crucible__self->deferred) > 0) scheduler_fail("a thread blocks, and keeps what it deferred");
    stand();
    crucible_pool_end_blocking();
  } else if (kind == 'w') {
    await_all();
  } else if (isdigit(kind)) {
    if (!crucible_pool_set_workers((size_t)(kind - '0'))) scheduler_fail("so many workers are refused");
  } else {
    crucible_pool_run(make(kind, 0), run);
  }
}

static void follow(struct trial *trial, unsigned index) {
  for (const char *c = trial->chemistry->words[index]; *c; c++) step(&c);
  take_own();
  struct reaction *own;
  for (const struct job *last = NULL; (own = crucible__defer_take(crucible__thread()));) {
    struct job *job = (void *)((uintptr_t)own - 1);
    if (last && job < last) scheduler_fail("what was deferred runs in another order");
    run(job);
    last = job;
  }
}

static bool quiet(const struct trial *trial) {
  return load_seq_cst(&all.made) == load_seq_cst(&all.ended) && !crucible__crew_has_too_many();
}

static void check(struct trial *trial) {
  for (unsigned i = 0; i < all.count; i++) {
    if (!all.jobs[i].ran) scheduler_fail("job %u has not run", i);
  }
}

#define JOBS(text, what, count, threads, ...)                                                                \
  CASE(text, what, count, define, follow, .workers = threads, .quiet = quiet, .check = check, .waits = true, \
       .bare = true, .scheduled = true, .words = {__VA_ARGS__})

JOBS("jobs", "three give jobs to two workers", 3, 2, "aaa", "aba", "aha");
JOBS("jobs-slots", "the same, and some go into slots", 3, 2, "a.aa", "a.a.aH", "(ab)a");
JOBS("jobs-deferred", "the same, and some are deferred", 3, 2, "a,a,a,a", "a,aa,aH", "a,a,aB");
JOBS("jobs-hide", "a job waits for others on a pool of two", 2, 2, "ha", "a");
JOBS("jobs-fewer", "one worker less is wanted", 2, 2, "aaa", "1");
JOBS("tiny-jobs", "two give one job each to one worker", 2, 1, "a", "a");
JOBS("tiny-jobs-block", "a job blocks for another on a pool of one", 2, 1, "b", "a");
JOBS("tiny-jobs-slot", "a client takes back what is in its slot, or the watcher takes it", 1, 1, "aw.a");
JOBS("tiny-jobs-watch", "a client waits for what it put into its slot when all was done", 1, 1, "aw.aH");
JOBS("tiny-jobs-deferred", "a client takes back what it deferred, or the watcher takes it", 1, 1, "aw,a,a");
JOBS("tiny-jobs-both", "a client empties its slot, then makes its queue of deferred jobs", 1, 1, "aw.a-,aH");
JOBS("tiny-jobs-defer", "a client waits for what it deferred when all was done", 1, 1, "aw,aH");
