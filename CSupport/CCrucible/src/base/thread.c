// Thread records.
//
// A thread finds its record through a thread-local pointer (initial-exec: one load). It takes the record from a list of
// recycled ones by CAS. The destructor of a pthread key releases it. Records are never freed, so a thief may read any
// of them at any time. There are as many as threads ever lived at once. A record keeps its index: the counters that a
// soup keeps per index have one writer at a time, and the release and acquire of `in_use` hand them over.
//
// If a destructor of another key injects after this one ran, the thread gets a record again, and this destructor runs
// again: POSIX repeats destructors.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // pthread_getattr_np, pthread_attr_setsigmask_np, gettid
#endif

#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/above.h"
#include "base/errors.h"
#include "base/memory.h"

_Thread_local struct thread *crucible__self __attribute__((tls_model("initial-exec")));
struct above crucible__above;

static _Thread_local crucible_destruction destruction = {.reason = CRUCIBLE_DISCARDED};

static uint32_t depth(void) { return crucible__self ? crucible__self->depth : 0; }

crucible_destruction crucible_thread_begin_destroying(crucible_reason reason) {
  crucible_destruction outer = destruction;
  destruction = (crucible_destruction){.reason = reason, .depth = depth()};
  return outer;
}

void crucible_thread_end_destroying(crucible_destruction outer) { destruction = outer; }

crucible_reason crucible_thread_destroys(void) {
  return destruction.depth == depth() ? destruction.reason : CRUCIBLE_DISCARDED;
}

/// All records by index, in parts that are made when they are needed. Accesses are no steps of a schedule, because only
/// the first thread with an index writes.
enum { PART = 1 << 9 };
struct part {
  struct thread *threads[PART];
};
static struct part *parts[CRUCIBLE_THREAD_INDICES / PART];

static _Atomic(struct thread *) registry;
static _Atomic uint32_t next_index;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ends(void *record) {
  struct thread *self = record;
  while (self->saved_count > 0) self->kept.destroy(self->saved[--self->saved_count]);
  for (uint32_t i = 0; i <= CRUCIBLE_FOR_DEFINING; i++) {
    if (self->kept.values[i]) self->kept.destroy(self->kept.values[i]);
    self->kept.values[i] = NULL;
  }
  crucible__self = NULL;
  store_release(&self->in_use, false);  // partner: the CAS in recycle
}

static void make_key(void) {
  int error = pthread_key_create(&key, thread_ends);
  if (error != 0) crucible__die("the process has no key left for what is known about its threads: %s", strerror(error));
}

/// Finds the free record of the lowest index, because the first few have the short paths (word_short.c). Null: none is
/// free.
static struct thread *recycle(void) {
  for (;;) {
    struct thread *lowest = NULL;
    for (struct thread *t = load_acquire(&registry); t; t = t->next) {
      if (!load_relaxed(&t->in_use) && (!lowest || t->index < lowest->index)) lowest = t;
    }
    bool in_use = false;
    if (!lowest || cas_acq_rel(&lowest->in_use, &in_use, true)) return lowest;
  }
}

struct thread *crucible__thread_at(uint32_t index) {
  const struct part *part = __atomic_load_n(&parts[index / PART], __ATOMIC_ACQUIRE);
  return __atomic_load_n(&part->threads[index % PART], __ATOMIC_ACQUIRE);
}

/// Finds the part with room for the record with this index, and makes it if it is missing. Null: no memory.
static struct part *part_of(uint32_t index) {
  struct part **place = &parts[index / PART], *part = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (part) return part;
  struct part *mine = crucible__allocate(sizeof *mine, CRUCIBLE_LINE);
  if (!mine) return NULL;
  *mine = (struct part){0};
  if (__atomic_compare_exchange_n(place, &part, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return mine;
  crucible__free(mine, sizeof *mine);  // another thread was first
  return part;
}

/// Makes a record with an index of its own. Null: no memory.
static struct thread *make_record(void) {
  struct thread *self = crucible__allocate(sizeof *self, CRUCIBLE_LINE);
  if (!self) return NULL;
  uint32_t index = atomic_load_explicit(&next_index, memory_order_relaxed);
  struct part *part;
  while ((part = part_of(index)) && !cas_relaxed(&next_index, &index, index + 1)) {
  }
  if (!part) {
    crucible__free(self, sizeof *self);
    return NULL;
  }
  *self = (struct thread){.index = index, .keeper = FIRST_KEEPER * (index + 1)};
  atomic_init(&self->in_use, true);
  // partner: the load in crucible__thread_at, by a thread that has found the index in a word
  __atomic_store_n(&part->threads[index % PART], self, __ATOMIC_RELEASE);
  self->next = load_relaxed(&registry);
  while (!cas_release(&registry, &self->next, self)) {
  }
  return self;
}

struct thread *crucible__thread_register(void) {
  pthread_once(&once, make_key);
  struct thread *self = recycle();
  if (!self && !(self = make_record())) return NULL;
  store_relaxed(&self->bodies[0], crucible__above.idle);
  store_relaxed(&self->begun, NULL);
  store_relaxed(&self->advance, NULL);
  crucible__set_depth(self, 0);
  self->base = 0;
  __atomic_store_n(&self->id, gettid(), __ATOMIC_RELAXED);
  self->is_first = self->id == getpid();
  self->stack_size = 0;
  store_relaxed(&self->seen_time, -1);
  self->heat = 0;
  self->patience = 0;
  self->is_worker = false;
  crucible__set_duty(self, NO_DUTY);
  self->blocking = 0;
  self->keeps_pool = false;
  self->saved_count = 0;
  memset(self->kept.values, 0, sizeof self->kept.values);
  if (pthread_setspecific(key, self) != 0) {
    store_release(&self->in_use, false);
    return NULL;
  }
  crucible__self = self;
  return self;
}

/// Measures the stack. The main thread's stack grows, and may be unlimited. Finding its bounds requires reading a file.
/// A fiber that runs on the thread has a stack of its own, and for it the result is that there is no room.
void crucible__thread_measure_stack(struct thread *self) {
  pthread_attr_t attributes;
  void *stack = NULL;
  size_t size = 0;
  self->stack = 0;
  self->stack_size = SIZE_MAX;
  if (self->is_first || pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &stack, &size) == 0) {
    size_t room = size / CRUCIBLE_STACK_PART > CRUCIBLE_STACK_ROOM ? size / CRUCIBLE_STACK_PART : CRUCIBLE_STACK_ROOM;
    self->stack = (uintptr_t)stack + room;
    self->stack_size = size > room ? size - room : 1;
  }
  pthread_attr_destroy(&attributes);
}

int crucible__start_thread(void *(*function)(void *), void *argument) {
  static const int seen[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS, SIGABRT, SIGPROF};
  sigset_t mask;
  sigfillset(&mask);
  for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) sigdelset(&mask, seen[i]);
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error != 0) return error;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The process's processors: a test may keep the calling thread on one of them.
  cpu_set_t processors;
  bool are_known = sched_getaffinity(getpid(), sizeof processors, &processors) == 0;
  pthread_t thread;
#if defined(__GLIBC__)
  if (are_known) pthread_attr_setaffinity_np(&attributes, sizeof processors, &processors);
  error = pthread_attr_setsigmask_np(&attributes, &mask);
  if (error == 0) error = pthread_create(&thread, &attributes, function, argument);
#else
  // Other libraries lack these attributes. The new thread inherits the mask and the processors of the calling one.
  sigset_t own_mask;
  cpu_set_t own;
  pthread_sigmask(SIG_SETMASK, &mask, &own_mask);
  are_known = are_known && sched_getaffinity(0, sizeof own, &own) == 0;
  if (are_known) sched_setaffinity(0, sizeof processors, &processors);
  error = pthread_create(&thread, &attributes, function, argument);
  if (are_known) sched_setaffinity(0, sizeof own, &own);
  pthread_sigmask(SIG_SETMASK, &own_mask, NULL);
#endif
  pthread_attr_destroy(&attributes);
  return error;
}

void crucible__thread_after_fork(void) {
  for (struct thread *t = load_acquire(&registry); t; t = t->next) {
    store_relaxed(&t->slot, NULL);
    store_relaxed(&t->deferred, 0);
    t->queue = NULL;  // it may be in any state
    if (t == crucible__self) {
      __atomic_store_n(&t->id, gettid(), __ATOMIC_RELAXED);
      t->is_first = true;
      t->is_worker = false;
      crucible__set_duty(t, NO_DUTY);
      t->keeps_pool = false;
    } else {
      crucible__set_depth(t, 0);
      store_relaxed(&t->begun, NULL);
      store_relaxed(&t->advance, NULL);
      store_relaxed(&t->visiting, NULL);
      store_relaxed(&t->in_use, false);
    }
  }
}

struct thread *crucible__thread_list(void) { return load_acquire(&registry); }

void *crucible_thread_take_saved(void) {
  struct thread *self = crucible__self;
  return LIKELY(self != NULL) && self->saved_count > 0 ? self->saved[--self->saved_count] : NULL;
}

/// Saves a value for a thread without a record so far. A function of its own, so that the common path saves
/// no registers.
static NOINLINE bool save_first(void *value, void (*destroy)(void *)) {
  return crucible__thread_register() && crucible_thread_save(value, destroy);
}

bool crucible_thread_save(void *value, void (*destroy)(void *)) {
  struct thread *self = crucible__self;
  if (UNLIKELY(!self)) return save_first(value, destroy);
  if (UNLIKELY(self->saved_count == CRUCIBLE_SAVED)) return false;
  self->saved[self->saved_count++] = value;
  self->kept.destroy = destroy;
  return true;
}

crucible_kept *crucible_thread_kept(void) { return crucible__self ? &crucible__self->kept : NULL; }
