// The pool.
//
// Work is a reserved firing or a job of the binding. A firing is a pointer to a reaction. Its molecules are taken only
// when it runs, except for one that it may carry (carried.h). A job is a pointer with the lowest bit set
// (firing/firing.c). Work lies in these places:
//   tasks   one queue for all. It is a bag with `ready` as its count, so that adding work is lock-free and allocates
//           nothing per firing
//   slots   one firing in the record of each worker. Its body leaves the next firing there, and the worker finds it
//           warm. The owner of a slot takes by CAS, and so may any other thread.
//   queues  one in each thread record, for inline firings that would nest too deeply (deferred.c)
//
// Sleeping (an eventcount)
//   A worker that finds nothing searches for a while. Then it registers in `sleepers`, reads `epoch`, and searches
//   again before it sleeps on the epoch. A thread that adds work checks, after a seq_cst addition, for a searching
//   worker. If there is none but there are sleepers, it advances the epoch and wakes one. `waking` prevents a burst of
//   additions from waking for each.
//   POOL-1  No worker sleeps while there are tasks and no worker searches. The sleeper's registration and the adder's
//       count are seq_cst, so one of them sees the other. A worker that stops searching checks once more. An idle
//       worker that found work searches for more before it begins, and wakes the next.
//   POOL-2  No worker sleeps forever because of `waking`. The thread that sets it advances the epoch afterwards. A
//       sleeper clears it when it registers and when it wakes, and does not sleep while it is set.
// Watching
//   The owner of a slot or a queue normally takes its firing at once, and that must not cost a wake-up. But the owner
//   may be in a body that blocks. So while some slots or queues are in use, one idle worker checks all of them every
//   CRUCIBLE_WATCH. It takes firings that have not moved since its last check, and from a queue only if the owner is
//   stuck (deferred.c). It stops watching when all stayed empty for one period. The next use then wakes a worker
//   (`watching`, checked after a seq_cst exchange, store or addition). While no worker is idle, none watches. A worker
//   that becomes idle checks. A watcher that finds work wakes another one to watch, if a slot or queue is in use.
//
// Threads
//   crew.c decides how many threads there should be. The pool creates them when there is something to do and no worker
//   sleeps.
//   POOL-3  No work waits while the crew is short of a thread, unless none could be created. A thread that adds work
//       reads the counts of the crew after a seq_cst addition. A thread that makes the crew short checks for work after
//       a seq_cst change.
//   POOL-4  No surplus worker sleeps forever. The thread that makes it surplus wakes one, and a worker that ends wakes
//       the next.
//
// Progress
//   Adding work is lock-free, unless a thread is created for it. Waking is not. A worker that stops while it searches
//   keeps the sleepers asleep. So does a thread that stops between setting `waking` and advancing the epoch. Then only
//   awake workers continue.
//
// fork: the child has none of the threads, and begins with an empty pool (soup/process.c).

#include "pool/pool.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/above.h"
#include "base/errors.h"
#include "base/futex.h"
#include "base/tuning.h"
#include "pool/carried.h"

static struct {
  struct bag tasks;
  _Alignas(CRUCIBLE_LINE) _Atomic int64_t ready;
  _Alignas(CRUCIBLE_LINE) _Atomic uint32_t epoch;
  _Atomic uint32_t sleepers;
  _Atomic uint32_t searching;
  _Atomic uint32_t waking;
  _Atomic uint32_t watching;
  _Atomic uint64_t wake_ups;
} pool = {.epoch = CRUCIBLE_FIRST_EPOCH};

// Marks in `visiting`. EXAMINED: the watcher examines the visit. Until it has removed the mark, the visit does not end,
// so the reaction lives. TOLD: it has examined the visit, and does not look at it again.
enum { EXAMINED = 1, TOLD = 2 };

/// Whether the watcher should look at the visit, if it lasts.
static bool is_watched(const struct reaction *visiting) { return visiting && crucible__mark(visiting) == 0; }

static pthread_once_t once = PTHREAD_ONCE_INIT;

/// What adding work has to do first. NEW: make the queue. DIVERTED: find out where the thread's work goes. Its accesses
/// are atomic but not steps of a schedule.
enum { NEW, BEGUN, DIVERTED };
static uint32_t stage;
/// Takes the work of this thread; null: the pool does.
static _Thread_local bool (*diverted)(const crucible_work *work) __attribute__((tls_model("initial-exec")));

static void *work(void *unused);

/// The layout of the queue's entries in its slots. `copied`: the number of bytes of an entry that are written or read.
static inline struct shape task_shape(size_t copied) {
  return (struct shape){
      .size = copied, .offset = 8, .stride = 8 + sizeof(struct task), .slots = sizeof(struct segment)};
}

static void create_queue(void) {
  if (!crucible__bag_create(&pool.tasks, sizeof(struct task), _Alignof(uint64_t))) {
    crucible__die("no memory for the pool");
  }
}

static void start(void) {
  create_queue();
  crucible__crew_begin();
}

void crucible__pool_begin(void) {
  if (LIKELY(__atomic_load_n(&stage, __ATOMIC_ACQUIRE) != NEW)) return;
  pthread_once(&once, start);
  uint32_t new = NEW;
  __atomic_compare_exchange_n(&stage, &new, BEGUN, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void crucible_pool_divert(bool (*take)(const crucible_work *work)) {
  crucible__pool_begin();
  __atomic_store_n(&stage, DIVERTED, __ATOMIC_RELEASE);  // partner: the load in `add`, of this thread
  diverted = take;
}

void crucible_thread_forget(void) {
  struct thread *self = crucible__self;
  // It never pauses for an answer: in a controlled run no other thread goes on meanwhile.
  if (self) self->heat = 0, self->patience = INT32_MIN;
}

crucible_soup *crucible_work_soup(const crucible_work *work) {
  struct reaction *reaction = ((const struct task *)(const void *)work)->work;
  return crucible__mark(reaction) == JOB ? NULL : crucible__without_mark(reaction)->soup;
}

void crucible_work_run(const crucible_work *work) {
  _Static_assert(sizeof(crucible_work) == sizeof(struct task), "it is an entry of the queue");
  struct thread *self = crucible__thread_for("for a thread that runs work of the pool");
  memcpy(&self->last_task, work, sizeof self->last_task);
  crucible__above.run_pending(self, self->last_task.work);
  crucible__hand_over(self);  // no enclosing injection runs what the end of the body deferred
}

void crucible__pool_after_fork(void) {
  store_relaxed(&pool.ready, 0);
  store_relaxed(&pool.sleepers, 0);
  store_relaxed(&pool.searching, 0);
  store_relaxed(&pool.waking, 0);
  store_relaxed(&pool.watching, 0);
  struct thread *self = crucible__self;
  if (self) store_relaxed(&self->visiting, crucible__without_mark(load_relaxed(&self->visiting)));
  if (crucible__crew_workers() > 0) create_queue();  // the old one may be in any state
  crucible__crew_after_fork();
}

crucible_pool_status crucible_pool_look(void) {
  crucible__pool_begin();
  int64_t ready = load_relaxed(&pool.ready);
  return (crucible_pool_status){.workers = crucible__crew_workers(),
                                .limit = crucible__crew_limit(),
                                .threads = load_relaxed(&crucible__crew.threads),
                                .blocked = load_relaxed(&crucible__crew.blocked),
                                .idle = load_relaxed(&pool.sleepers),
                                .queued = ready > 0 ? (uint64_t)ready : 0,
                                .limit_reached = load_relaxed(&crucible__crew.refused),
                                .wake_ups = load_relaxed(&pool.wake_ups)};
}

// ---------------------------------------------------------------------------------------------------------------------
// Waking
// ---------------------------------------------------------------------------------------------------------------------

static void wake_one(void) {
  if (load_seq_cst(&pool.sleepers) == 0 || exchange_seq_cst(&pool.waking, 1) != 0) return;
  fetch_add_seq_cst(&pool.epoch, 1);
  crucible__unpark(&pool.epoch, 1);
}

/// Creates a thread if there is no sleeper to wake, and the crew is short of one.
static inline void hire_one(bool needed) {
  if (load_seq_cst(&pool.sleepers) == 0 && UNLIKELY(crucible__crew_is_short())) crucible__crew_hire(work, needed);
}

/// Announces work for another thread.
static inline void announce(void) {
  if (load_seq_cst(&pool.searching) == 0) {
    hire_one(true);
    wake_one();
  }
}

/// Begins the pool, or diverts the work. False: the work goes to the pool.
static NOINLINE bool divert(size_t copied, const struct task *task) {
  crucible__pool_begin();
  if (!diverted) return false;
  crucible_work work = {0};
  memcpy(&work, task, copied);
  return diverted(&work);
}

/// Queues the first `copied` bytes of an entry.
static INLINE void add(size_t copied, const struct task *task) {
  struct shape shape = task_shape(copied);
  // partner: the stores in crucible__pool_begin and crucible_pool_divert
  if (UNLIKELY(__atomic_load_n(&stage, __ATOMIC_ACQUIRE) != BEGUN) && divert(copied, task)) return;
  if (UNLIKELY(!crucible__bag_push_first(&pool.tasks, shape, task)) && !crucible__bag_push_generic(&pool.tasks, task)) {
    crucible__die("no memory to queue a reserved firing");
  }
  fetch_add_seq_cst(&pool.ready, 1);  // partner: the look of a sleeper after it has registered
  announce();
}

void crucible__pool_add(struct reaction *reaction) {
  struct task task;
  task.work = reaction;
  add(sizeof task.work, &task);
}

void crucible__pool_carry(struct reaction *reaction, struct crucible_name *name, const void *value) {
  struct task task;
  task.work = crucible__with_mark(reaction, QUEUED);
  crucible__carry(&task, name, value);
  add(sizeof task, &task);
}

bool crucible__pool_has_work(void) { return load_seq_cst(&pool.ready) > 0; }

// ---------------------------------------------------------------------------------------------------------------------
// Slots and queues
// ---------------------------------------------------------------------------------------------------------------------

static inline void beat(struct thread *self) { store_relaxed(&self->beat, load_relaxed(&self->beat) + 1); }

/// Wakes or creates a watcher, because a slot or queue is in use and no worker watches. If all other workers are busy,
/// no worker can be woken or created.
static inline void have_it_watched(bool is_worker) {
  if (LIKELY(is_worker) && load_seq_cst(&pool.sleepers) == 0 && LIKELY(!crucible__crew_is_short())) return;
  crucible__pool_begin();
  hire_one(false);
  wake_one();
}

void crucible__slot_put(struct thread *self, struct reaction *reaction) {
  // A thread that blocks may not take it soon. CARRY-4: only the owner fills the slot, so an entry that is not there
  // now does not appear meanwhile.
  if (UNLIKELY(self->blocking > 0) || UNLIKELY(crucible__mark(load_relaxed(&self->slot)) & CARRIED)) {
    crucible__pool_add(reaction);
    return;
  }
  beat(self);
  struct reaction *older = exchange_seq_cst(&self->slot, reaction);
  if (older) {
    crucible__pool_add(older);
  } else if (load_seq_cst(&pool.watching) == 0) {  // partner: the last look of a watcher
    have_it_watched(true);
  }
}

bool crucible__slot_carry(struct thread *self, struct reaction *reaction) {
  beat(self);
  store_seq_cst(&self->slot, crucible__with_mark(reaction, CARRIED));  // partner: the CAS of a thief (CARRY-2)
  if (load_seq_cst(&pool.watching) == 0) have_it_watched(true);  // partner: the last look of a watcher
  return true;
}

struct reaction *crucible__slot_take(struct thread *self) {
  struct reaction *work = load_relaxed(&self->slot);
  if (work == NULL) return NULL;  // only the owner fills it
  beat(self);
  enum mark mark = crucible__mark(work);
  if (mark == CARRIED) return LIKELY(cas_acq_rel(&self->slot, &work, NULL)) ? work : NULL;
  if (UNLIKELY(mark == LEAVING)) return NULL;
  // Only the owner marks an entry without a mark, so no thief does in between.
  return exchange_acq_rel(&self->slot, NULL);
}

void crucible__defer(struct thread *self, struct reaction *reaction) {
  // A thread that blocks may not take it soon.
  if (UNLIKELY(self->blocking > 0) || UNLIKELY(!crucible__deferred_push(self, reaction))) {
    crucible__pool_add(reaction);
    return;
  }
  beat(self);
  if (load_seq_cst(&pool.watching) == 0) have_it_watched(self->is_worker);  // partner: the last look of a watcher
}

struct reaction *crucible__defer_take(struct thread *self) {
  struct reaction *reaction = crucible__deferred_take(self);
  if (reaction) beat(self);
  return reaction;
}

void crucible__hand_over(struct thread *self) {
  struct reaction *reaction = crucible__slot_take(self);
  if (reaction && crucible__mark(reaction) == CARRIED) {
    self->carried.work = crucible__with_mark(crucible__without_mark(reaction), QUEUED);
    add(sizeof self->carried, &self->carried);
  } else if (reaction) {
    crucible__pool_add(reaction);
  }
  while (UNLIKELY(load_relaxed(&self->deferred) != 0) && (reaction = crucible__deferred_take(self))) {
    crucible__pool_add(reaction);
  }
}

/// Changes `visiting` of this thread, as soon as no watcher examines it.
static inline void change_visit(struct thread *self, struct reaction *to) {
  for (struct reaction *now = load_relaxed(&self->visiting);;) {
    if (UNLIKELY((uintptr_t)now & EXAMINED)) {
      spin_pause();
      now = load_relaxed(&self->visiting);
    } else if (LIKELY(cas_seq_cst(&self->visiting, &now, to))) {  // partner: the store in look_at_visit
      return;
    }
  }
}

struct visit crucible__visit_begin(struct thread *self, struct reaction *reaction) {
  beat(self);
  struct visit visit = {crucible__without_mark(load_relaxed(&self->visiting)), self->keeps_pool};
  self->keeps_pool = false;  // what the body enables goes to the pool (VISIT-5)
  change_visit(self, reaction);
  if (load_seq_cst(&pool.watching) == 0) have_it_watched(self->is_worker);  // partner: the last look of a watcher
  return visit;
}

void crucible__visit_end(struct thread *self, struct visit visit) {
  self->keeps_pool = visit.keeps_pool;
  change_visit(self, visit.outer);
}

/// Ends all visits of a reaction if its body has run on thread `t` since the last check of the watcher.
static void look_at_visit(struct thread *t) {
  struct reaction *visiting = load_acquire(&t->visiting);
  if (!is_watched(visiting) || !cas_acq_rel(&t->visiting, &visiting, crucible__with_mark(visiting, EXAMINED))) return;
  crucible__above.end_visits(visiting);
  store_release(&t->visiting, crucible__with_mark(visiting, TOLD));  // partner: the compare-and-swap in change_visit
}

/// Whether a firing waits for this thread, or a body visits it.
static bool has_some(struct thread *t) {
  // partner: the exchange in crucible__slot_put, the addition in crucible__deferred_push, and change_visit
  return load_seq_cst(&t->slot) != NULL || load_seq_cst(&t->deferred) > 0 || is_watched(load_seq_cst(&t->visiting));
}

/// Takes the firing in the slot of a thread. Null: the slot is empty, or another thread has the firing. `self`: the
/// thief.
static struct reaction *steal_from_slot(struct thread *self, struct thread *t) {
  struct reaction *work = load_relaxed(&t->slot);
  while (work && crucible__mark(work) != LEAVING) {
    bool carries = crucible__mark(work) == CARRIED;
    // partner: the store in crucible__slot_carry
    if (!cas_acq_rel(&t->slot, &work, carries ? crucible__with_mark(work, LEAVING) : NULL)) continue;
    if (!carries) return work;
    self->last_task = t->carried;
    store_release(&t->slot, NULL);  // partner: the acquire in crucible__may_carry
    return crucible__with_mark(crucible__without_mark(work), QUEUED);
  }
  return NULL;
}

/// Takes a firing that waits for a thread that stands still. Ends the visits of a body that blocks it or takes long.
static struct reaction *steal(struct thread *self, struct thread *t) {
  struct reaction *stolen = steal_from_slot(self, t);
  if (stolen) return stolen;
  // The slot may have been all that has_some saw. A thread that finds the count raised also finds the queue.
  // partner: the addition in crucible__deferred_push
  bool defers = load_acquire(&t->deferred) > 0;
  bool is_visited = is_watched(load_relaxed(&t->visiting));
  if ((!defers && !is_visited) || !crucible__deferred_is_stuck(t)) return NULL;
  if (is_visited) look_at_visit(t);
  return defers ? crucible__deferred_take(t) : NULL;
}

/// Checks all threads. Returns a firing that has stood still since the last check, or null. `*active`: some firings
/// wait.
static struct reaction *look_at_slots(struct thread *self, bool *active) {
  for (struct thread *t = crucible__thread_list(); t; t = t->next) {
    uint64_t now = load_acquire(&t->beat);
    bool moved = now != load_relaxed(&t->seen);
    bool full = has_some(t);
    if (moved || full) *active = true;
    store_relaxed(&t->seen, now);
    if (moved) store_relaxed(&t->seen_time, -1);
    if (!full || moved) continue;
    struct reaction *stolen = steal(self, t);
    if (stolen) return stolen;
  }
  return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Workers
// ---------------------------------------------------------------------------------------------------------------------

static struct reaction *take_task(struct thread *self) {
  return crucible__take_counted(&pool.tasks, task_shape(sizeof self->last_task), &pool.ready, &self->last_task)
             ? self->last_task.work
             : NULL;
}

static bool some_wait(void) {
  for (struct thread *t = crucible__thread_list(); t; t = t->next) {
    if (has_some(t)) return true;
  }
  return false;
}

/// Wakes or creates another worker if it is needed besides this one, which was idle, ends or blocks. The other worker
/// may be needed for more work, to end as well, or to watch if this one did or was going to.
static void pass_on(void) {
  if (load_seq_cst(&pool.ready) > 0) {
    announce();
  } else if (UNLIKELY(crucible__crew_has_too_many())) {
    wake_one();
  } else if (load_seq_cst(&pool.watching) == 0 && (load_seq_cst(&pool.sleepers) > 0 || crucible__crew_is_short()) &&
             some_wait()) {
    hire_one(false);
    wake_one();
  }
}

static struct reaction *search(struct thread *self) {
  struct reaction *reaction = NULL;
  fetch_add_seq_cst(&pool.searching, 1);
  for (int i = 0; i < CRUCIBLE_SEARCHES && !reaction; i++) {
    reaction = take_task(self);
    if (!reaction) spin_pause();
  }
  fetch_sub_seq_cst(&pool.searching, 1);
  return reaction;
}

/// Sleeps until there is work, which it returns. Null: this worker may be surplus.
static struct reaction *sleep_until_needed(struct thread *self) {
  crucible__crew_idles();
  fetch_add_seq_cst(&pool.sleepers, 1);
  struct reaction *reaction = NULL;
  bool watcher = false;
  for (;;) {
    store_seq_cst(&pool.waking, 0);
    uint32_t epoch = load_seq_cst(&pool.epoch);
    if ((reaction = take_task(self))) break;
    if (UNLIKELY(crucible__crew_has_too_many())) break;
    bool active = false;
    uint32_t nobody = 0;
    watcher = watcher || cas_seq_cst(&pool.watching, &nobody, 1);
    if (watcher) {
      if ((reaction = look_at_slots(self, &active))) break;
      if (!active) {
        // Everything stood still: stop watching, then check once more for firings that were added in between.
        watcher = false;
        store_seq_cst(&pool.watching, 0);
        if ((reaction = look_at_slots(self, &active))) break;
        if (active) continue;
      }
    }
    if (load_seq_cst(&pool.waking) != 0) continue;  // POOL-2
    crucible__park(&pool.epoch, epoch, watcher ? CRUCIBLE_WATCH : UINT64_MAX);
    fetch_add_relaxed(&pool.wake_ups, 1);
  }
  if (watcher) store_seq_cst(&pool.watching, 0);
  fetch_sub_seq_cst(&pool.sleepers, 1);
  store_seq_cst(&pool.waking, 0);
  return reaction;
}

static void *work(void *unused) {
  (void)unused;
  struct thread *self = crucible__thread_for("for a thread of the pool");
  prctl(PR_SET_NAME, "crucible pool");  // otherwise it has the name of the thread that created it
  self->is_worker = true;
  crucible__set_duty(self, WORKS);
  self->keeps_pool = true;
  self->base = 1;  // the depth of a body that it runs
  uint32_t rounds = CRUCIBLE_FAIRNESS;
  bool was_idle = true;  // if so, it may have been woken for more than the firing that it takes
  for (;;) {
    if (UNLIKELY(crucible__crew_has_too_many()) && crucible__crew_leave()) {
      // This thread may be the last one. The end of a soup may inject, so the slot is emptied afterwards.
      crucible__above.release_advance(self);
      self->is_worker = self->keeps_pool = false;
      crucible__set_duty(self, NO_DUTY);
      self->base = 0;
      crucible__hand_over(self);
      pass_on();  // it may have been woken for work that it does not take now
      break;
    }
    // The slot comes first, because it is warm. But every so often the queue does, so that a chain does not starve it.
    struct reaction *reaction = NULL;
    // The end of the last body may have deferred firings, and no enclosing injection ran them. They run before another
    // body begins, so a step of a chain leaves nothing deferred (DEFER-2).
    if (UNLIKELY(load_relaxed(&self->deferred) != 0)) reaction = crucible__defer_take(self);
    if (UNLIKELY(--rounds == 0)) {
      rounds = reaction ? 1 : CRUCIBLE_FAIRNESS;
      if (!reaction) reaction = take_task(self);
    }
    if (!reaction) reaction = crucible__slot_take(self);
    if (!reaction) reaction = take_task(self);
    if (!reaction) {
      if (UNLIKELY(!self->is_worker)) {
        crucible__die(
            "a body on the pool has returned in a child process that it forked: it has to end there, by exec or _exit");
      }
      was_idle = true;
      crucible__above.release_advance(self);
      reaction = crucible__slot_take(self);  // the end of the soup may have filled it
      if (!reaction) reaction = search(self);
      if (!reaction) {
        crucible__set_duty(self, SLEEPS);
        reaction = sleep_until_needed(self);
        crucible__set_duty(self, WORKS);
      }
      if (!reaction) continue;
    }
    if (UNLIKELY(was_idle)) {
      was_idle = false;
      pass_on();
    }
    crucible__above.run_pending(self, reaction);
  }
  return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Blocking, and other changes of the crew
// ---------------------------------------------------------------------------------------------------------------------

void crucible__pool_resized(void) {
  fetch_add_seq_cst(&pool.epoch, 1);
  crucible__unpark(&pool.epoch, INT_MAX);  // surplus threads end
  pass_on();
}

void crucible__note_wait(struct thread *self) {
  if (!self) return;
  self->waits++;
  struct reaction *visiting = load_relaxed(&self->visiting);
  if (visiting) crucible__above.end_visits(crucible__without_mark(visiting));
}

void crucible__blocking_begin(struct thread *self) {
  crucible__note_wait(self);
  if (!self || self->blocking++ > 0 || !self->is_worker) return;
  crucible__set_duty(self, BLOCKS);
  fetch_add_seq_cst(&crucible__crew.blocked, 1);
  pass_on();
}

void crucible__blocking_end(struct thread *self) {
  // A thread that got its record only after the begin has counted nothing there.
  if (!self || self->blocking == 0 || --self->blocking > 0 || !self->is_worker) return;
  crucible__set_duty(self, WORKS);
  fetch_sub_seq_cst(&crucible__crew.blocked, 1);
  if (UNLIKELY(crucible__crew_has_too_many())) wake_one();
}

void crucible_pool_begin_blocking(void) {
  struct thread *self = crucible__thread();
  if (self) crucible__hand_over(self);  // the firing that this thread is going to wait for may have been deferred to it
  crucible__blocking_begin(self);
}

void crucible_pool_end_blocking(void) { crucible__blocking_end(crucible__self); }

void crucible_pool_sleep(uint64_t nanoseconds) {
  if (nanoseconds == 0) return;
  enum { SECOND = 1000000000 };
  uint64_t begin = crucible_now();
  uint64_t until = nanoseconds < UINT64_MAX - begin ? begin + nanoseconds : UINT64_MAX;
  struct timespec end = {.tv_sec = (time_t)(until / SECOND), .tv_nsec = (long)(until % SECOND)};
  crucible_pool_begin_blocking();
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {
  }
  crucible_pool_end_blocking();
}
