// The deterministic scheduler: see scheduler.h.
// A policy decides which thread goes on (policy.h).
//
// The baton: exactly one thread runs, and passes the baton on by a futex. All threads are bound to one processor, where
// a hand-over costs a context switch. Most steps hand nothing over.

#define _GNU_SOURCE
#include "scheduler.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/thread.h"
#include "firing/firing.h"
#include "memory.h"
#include "objects.h"
#include "policy.h"
#include "weak/weak.h"

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument);
long __real_syscall(long number, ...);

enum state { IDLE, READY, ASLEEP, DOZING };
enum { MOST_TRACED = 4096 };

struct actor {
  unsigned index;
  uint32_t baton;
  enum state state;
  bool aside;                      ///< this thread takes no steps
  const volatile void *address;    ///< the address that it sleeps or dozes on
  const char *operation;           ///< its last operation
  uint64_t operations;
  void *(*function)(void *);       ///< the worker's function
  void *argument;
  struct thread *record;           ///< the core's record of it
  jmp_buf home;
};

static struct actor actors[ACTORS];
static uint32_t main_baton;
static _Thread_local struct actor *me;

const char *scheduler_case = "";

static struct {
  struct plan plan;
  bool active, over;
  unsigned clients_left;
  uint64_t steps, hash, ticks;
  const volatile void *traced[MOST_TRACED];
} run;

// ---------------------------------------------------------------------------------------------------------------------
// Reports
// ---------------------------------------------------------------------------------------------------------------------

void scheduler_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char text[400];
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const struct policy *policy = run.plan.policy;
  char name[100] = "before any run", replay[4096] = "";
  if (policy) {
    policy->name(name, sizeof name);
    policy->replay(replay, sizeof replay);
  }
  printf("FAILED %s, %s, step %llu: %s\n", scheduler_case, name, (unsigned long long)run.steps, text);
  for (unsigned i = 0; i < ACTORS; i++) {
    struct actor *actor = &actors[i];
    if (!actor->operations) continue;
    printf("  thread %u: %s, last at \"%s\" after %llu operations%s\n", i,
           actor->state == IDLE     ? "ended"
           : actor->state == ASLEEP ? "asleep"
           : actor->state == DOZING ? "dozing"
                                    : "ready",
           actor->operation, (unsigned long long)actor->operations,
           actor == me ? " (running)" : policy->remark(i));
  }
  printf("  replay: --case %s %s --trace\n", scheduler_case, replay);
  fflush(stdout);
  _exit(1);
}

static void trace(const char *operation, const volatile void *address) {
  unsigned object = 0;
  while (address && object < MOST_TRACED && run.traced[object] != address) {
    if (!run.traced[object]) run.traced[object] = address;
    else object++;
  }
  if (address) {
    printf("%6llu  thread %u  %s object %u\n", (unsigned long long)run.steps, me->index, operation, object);
  } else {
    printf("%6llu  thread %u  %s\n", (unsigned long long)run.steps, me->index, operation);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The baton
// ---------------------------------------------------------------------------------------------------------------------

static void give(uint32_t *baton) {
  __atomic_store_n(baton, 1, __ATOMIC_RELEASE);
  __real_syscall(SYS_futex, baton, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wait_for(uint32_t *baton) {
  while (!__atomic_load_n(baton, __ATOMIC_ACQUIRE)) {
    __real_syscall(SYS_futex, baton, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  }
  __atomic_store_n(baton, 0, __ATOMIC_RELAXED);
}

/// Leaves the run, from wherever in the core this thread is.
static _Noreturn void abandon(void) {
  me->state = IDLE;
  me->aside = true;
  give(&main_baton);
  longjmp(me->home, 1);
}

/// Whether the thread, worker or not, has no work: it has ended, sleeps, looks for work, or was never due.
static bool rests(const struct actor *actor) {
  return actor->state != READY || actor->operations == 0 || strcmp(actor->operation, "pause") == 0;
}

static bool workers_rest(void) {
  for (unsigned i = CLIENTS; i < ACTORS; i++) {
    if (!rests(&actors[i])) return false;
  }
  return true;
}

static bool may_end(void) {
  return run.clients_left == 0 && workers_rest() &&
         scheduler_aside(run.plan.quiet, run.plan.context);
}

static unsigned ready_actors(void) {
  unsigned ready = 0;
  for (unsigned i = 0; i < ACTORS; i++) {
    ready |= (unsigned)(actors[i].state == READY || actors[i].state == DOZING) << i;
  }
  return ready;
}

/// Returns the thread that goes on, or null if no thread can run and the run ends.
static struct actor *due(enum occasion occasion, bool matters) {
  unsigned ready = ready_actors();
  if (ready) return &actors[run.plan.policy->next(occasion, me ? me->index : ACTORS, ready, matters)];
  if (!may_end()) scheduler_fail("nobody can run, and there is work left");
  return NULL;
}

static void pass_on(enum occasion occasion, bool matters) {
  struct actor *next = due(occasion, matters);
  if (next == me) return;
  if (!next) {
    run.over = true;
    abandon();
  }
  give(&next->baton);
  wait_for(&me->baton);
  if (run.over) abandon();
}

static void ended(void) {
  me->state = IDLE;
  me->aside = true;
  if (me->index < CLIENTS) run.clients_left--;
  bool workers = false;
  for (unsigned i = CLIENTS; i < ACTORS; i++) workers |= actors[i].state != IDLE;
  struct actor *next = run.clients_left == 0 && !workers    ? NULL
                       : run.clients_left == 0 && may_end() ? NULL
                                                            : due(AWAY, false);
  if (!next) run.over = true;
  give(next ? &next->baton : &main_baton);
}

static void *live(void *argument) {
  me = argument;
  me->aside = true;
  me->record = crucible__thread();
  give(&main_baton);
  for (;;) {
    wait_for(&me->baton);
    if (setjmp(me->home) != 0) continue;
    if (run.over) abandon();
    me->aside = false;
    if (me->index < CLIENTS) {
      run.plan.client(run.plan.context, me->index);
    } else {
      me->function(me->argument);
    }
    ended();
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Steps
// ---------------------------------------------------------------------------------------------------------------------

static void count_step(const char *operation) {
  run.steps++;
  me->operation = operation;
  me->operations++;
  uint64_t hash = run.hash ^ (me->index + 1);
  for (const char *c = operation; *c; c++) hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001B3);
  run.hash = hash ^ (hash >> 29);
}

static void pause_step(void) {
  if (me->index >= CLIENTS && may_end()) {
    run.over = true;
    abandon();
  }
  pass_on(SPIN, false);
}

void crucible__schedule(const char *operation, const volatile void *address) {
  if (!me || me->aside) return;
  count_step(operation);
  if (run.plan.trace) trace(operation, address);
  if (run.steps > run.plan.step_limit) {
    scheduler_fail("hangs: more than %llu steps", (unsigned long long)run.plan.step_limit);
  }
  if (address && memory_is_freed(address)) scheduler_fail("\"%s\" on memory that has been freed", operation);
  if (strcmp(operation, "pause") == 0) {
    pause_step();
  } else {
    pass_on(STEP, !address || !run.plan.learns || objects_touch(me->index, address, operation));
  }
  if (address && memory_is_freed(address)) scheduler_fail("\"%s\" on memory that has been freed", operation);
}

void scheduler_step(const char *operation) { crucible__schedule(operation, NULL); }

uint64_t scheduler_steps(void) { return run.steps; }

bool scheduler_is_last_client(void) { return run.clients_left == 1 && workers_rest(); }

uint64_t scheduler_random(uint64_t bound) { return run.plan.policy->random(bound); }

void scheduler_note(const char *what) {
  if (run.plan.learns) scheduler_step(what);
}

uint64_t scheduler_tick(void) {
  scheduler_note("tick");
  if (weak_moment) weak_moment(run.ticks + 1);
  return ++run.ticks;
}

bool comes_before(uint64_t a, uint64_t b) { return a < b && (!weak_is_known || weak_is_known(a, b)); }

unsigned scheduler_self(void) { return me ? me->index : ACTORS; }

bool scheduler_is_aside(void) { return !me || me->aside; }

bool scheduler_aside(bool (*function)(void *), void *context) {
  if (!me) return function(context);
  bool before = me->aside;
  me->aside = true;
  bool result = function(context);
  me->aside = before;
  return result;
}

bool scheduler_comes_true(bool (*condition)(void *), void *context) { return condition(context); }

bool scheduler_spawn(void *(*function)(void *), void *argument) {
  for (unsigned i = CLIENTS; i < ACTORS; i++) {
    struct actor *actor = &actors[i];
    if (actor->state != IDLE) continue;
    actor->state = READY;
    actor->function = function;
    actor->argument = argument;
    run.plan.policy->enters(i);
    pass_on(CHANGED, false);
    return true;
  }
  return false;
}

void scheduler_sleep(const volatile void *address) {
  me->state = ASLEEP;
  me->address = address;
  pass_on(AWAY, false);
}

bool scheduler_doze(const volatile void *address) {
  me->state = DOZING;
  me->address = address;
  scheduler_step("pause");
  bool passed = me->state == DOZING;
  me->state = READY;
  return passed;
}

void scheduler_wake(const volatile void *address, int count) {
  unsigned sleepers = 0;
  for (unsigned i = 0; i < ACTORS; i++) {
    bool sleeps = actors[i].state == ASLEEP || actors[i].state == DOZING;
    if (sleeps && actors[i].address == address) sleepers |= 1u << i;
  }
  unsigned first = run.plan.policy->first_woken(sleepers);
  for (unsigned i = 0; i < ACTORS && count > 0; i++) {
    unsigned woken = (first + i) % ACTORS;
    if (!(sleepers & 1u << woken)) continue;
    actors[woken].state = READY;
    count--;
  }
  pass_on(CHANGED, false);
}

// ---------------------------------------------------------------------------------------------------------------------
// Runs
// ---------------------------------------------------------------------------------------------------------------------

void scheduler_start(void) {
  cpu_set_t processor;
  CPU_ZERO(&processor);
  CPU_SET(sched_getcpu(), &processor);
  sched_setaffinity(0, sizeof processor, &processor);  // without this, hand-overs are slower
  for (unsigned i = 0; i < ACTORS; i++) {
    actors[i] = (struct actor){.index = i, .operation = ""};
    pthread_t thread;
    if (__real_pthread_create(&thread, NULL, live, &actors[i]) != 0) abort();
    wait_for(&main_baton);  // one after the other, so that the core numbers them alike in every process
  }
  crucible__thread();  // the record of the thread that checks what is left, so that no run makes it
}

/// Resets what the core remembers of a thread from earlier runs, which must not matter.
static void reset(struct actor *actor) {
  actor->state = IDLE;
  actor->operation = "";
  actor->operations = 0;
  struct thread *record = actor->record;
  record->begun = NULL;
  record->depth = 0;
  record->is_worker = false;
  record->blocking = 0;
  record->heat = run.plan.policy->heat(actor->index);  // some threads begin as if they had met contention
  record->patience = 0;
  record->base = 0;
  record->slot = NULL;
  record->deferred = 0;
  record->beat = 0;
  record->seen = 0;
}

struct outcome scheduler_run(const struct plan *plan) {
  memset(&run, 0, sizeof run);
  run.plan = *plan;
  plan->policy->begin(plan);
  run.clients_left = plan->clients;
  for (unsigned i = 0; i < ACTORS; i++) reset(&actors[i]);
  for (unsigned i = 0; i < plan->clients; i++) actors[i].state = READY;
  memory_begin();
  give(&due(AWAY, false)->baton);
  wait_for(&main_baton);
  for (unsigned i = 0; i < ACTORS; i++) {
    if (actors[i].state == IDLE) continue;
    give(&actors[i].baton);
    wait_for(&main_baton);
  }
  memory_end();
  return (struct outcome){.steps = run.steps, .hash = run.hash};
}
