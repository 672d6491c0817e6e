// The deterministic scheduler: see scheduler.h.
//
// Decisions, after Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic guarantees of
// finding bugs" (ASPLOS 2010): every thread has a random priority, the highest that can runs. At d - 1 random steps the
// running thread drops below all others. A bug that needs d ordering constraints among k steps of n threads shows in
// at least one of n × k^(d-1) runs. A thread that spins ("pause") drops below all others too, so that what it waits for
// can come.
//
// Besides, in a third of the runs, one of the changes stops its thread: for good, where nobody may wait for anybody, until all
// others have ended; else until the others have spun for a while, so that they get to where they go to sleep.
//
// The baton: exactly one thread runs, and passes the baton on by a futex. All are bound to one processor, where a hand-over
// costs a context switch. Most steps change no priority: then nobody else can be due, and the step returns at once.

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

#include "memory.h"
#include "thread.h"
#include "weak/weak.h"

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument);

enum state { IDLE, READY, ASLEEP };
enum { MOST_CHANGES = 16, MOST_TRACED = 4096, PATIENCE = 1000 };

struct actor {
  unsigned index;
  uint32_t baton;
  enum state state;
  int64_t priority;
  bool aside;                      ///< takes no steps
  const volatile void *address;    ///< what it sleeps on
  const char *operation;           ///< its last
  uint64_t operations;
  void *(*function)(void *);       ///< a worker's
  void *argument;
  struct thread *record;           ///< the core's
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
  uint64_t steps, hash, ticks, random;
  int64_t lowest;
  uint64_t changes[MOST_CHANGES];
  unsigned change_count, next_change;
  unsigned stop_at;         ///< the change that stops a client; MOST_CHANGES: none
  bool for_good;            ///< it stays stopped until all others have ended
  unsigned delay, pauses;   ///< else until the others have spun so often; pauses since it was stopped
  struct actor *stopped;
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
  printf("FAILED %s, seed %llu, step %llu: %s\n", scheduler_case, (unsigned long long)run.plan.seed,
         (unsigned long long)run.steps, text);
  for (unsigned i = 0; i < ACTORS; i++) {
    struct actor *actor = &actors[i];
    if (!actor->operations) continue;
    printf("  thread %u: %s, last at \"%s\" after %llu operations%s\n", i,
           actor->state == IDLE ? "ended" : actor->state == ASLEEP ? "asleep" : "ready", actor->operation,
           (unsigned long long)actor->operations,
           actor == run.stopped ? " (stopped)" : actor == me ? " (running)" : "");
  }
  printf("  replay: --case %s --first %llu --seeds 1 --depth %u --trace\n", scheduler_case,
         (unsigned long long)run.plan.seed, run.plan.changes + 1);
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
// Randomness
// ---------------------------------------------------------------------------------------------------------------------

/// Steele, Lea and Flood's splitmix64.
static uint64_t next_random(void) {
  uint64_t z = run.random += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

uint64_t scheduler_random(uint64_t bound) { return next_random() % bound; }

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/// Seed 0 changes nothing: it measures how long a run is.
static void draw_changes(void) {
  run.change_count = run.plan.seed == 0 ? 0 : run.plan.changes;
  for (unsigned i = 0; i < run.change_count; i++) run.changes[i] = 1 + scheduler_random(run.plan.expected_steps);
  qsort(run.changes, run.change_count, sizeof *run.changes, compare);
  run.stop_at = MOST_CHANGES;
  run.for_good = run.plan.may_stop && scheduler_random(2) == 0;
  run.delay = 1u << scheduler_random(11);
  bool stops = scheduler_random(3) == 0;
  if (stops && run.change_count) run.stop_at = (unsigned)scheduler_random(run.change_count);
}

static int64_t random_priority(const struct actor *actor) {
  return (int64_t)(next_random() >> 16) * ACTORS + actor->index + 1;
}

// ---------------------------------------------------------------------------------------------------------------------
// The baton
// ---------------------------------------------------------------------------------------------------------------------

static void give(uint32_t *baton) {
  __atomic_store_n(baton, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, baton, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wait_for(uint32_t *baton) {
  while (!__atomic_load_n(baton, __ATOMIC_ACQUIRE)) syscall(SYS_futex, baton, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  __atomic_store_n(baton, 0, __ATOMIC_RELAXED);
}

/// Leaves the run, from wherever in the core this thread is.
static _Noreturn void abandon(void) {
  me->state = IDLE;
  me->aside = true;
  give(&main_baton);
  longjmp(me->home, 1);
}

/// Worker or not, it has nothing in hand: it has ended, sleeps, looks for work, or was never due.
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

/// Who is due. Null: nobody can run, and the run ends.
static struct actor *due(void) {
  struct actor *best = NULL;
  for (unsigned i = 0; i < ACTORS; i++) {
    struct actor *actor = &actors[i];
    if (actor->state != READY || actor == run.stopped) continue;
    if (!best || actor->priority > best->priority) best = actor;
  }
  if (!best && run.stopped) {
    best = run.stopped;
    run.stopped = NULL;
  }
  if (!best && !may_end()) scheduler_fail("nobody can run, and there is work left");
  return best;
}

static void pass_on(void) {
  struct actor *next = due();
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
  struct actor *next = run.clients_left == 0 && !workers ? NULL : run.clients_left == 0 && may_end() ? NULL : due();
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

/// This thread spins while another is stopped.
static void wait_with_stopped(void) {
  bool is_client = me->index < CLIENTS;
  if (run.for_good && is_client && ++run.pauses > PATIENCE) scheduler_fail("a thread waits for one that is stopped");
  bool resumes = run.for_good ? run.clients_left == 1 && workers_rest() : ++run.pauses >= run.delay;
  if (resumes) run.stopped = NULL;
}

static void pause_step(void) {
  me->priority = --run.lowest;
  if (run.stopped) wait_with_stopped();
  if (me->index >= CLIENTS && may_end()) {
    run.over = true;
    abandon();
  }
  pass_on();
}

void crucible__schedule(const char *operation, const volatile void *address) {
  if (!me || me->aside) return;
  count_step(operation);
  if (run.plan.trace) trace(operation, address);
  if (run.steps > run.plan.step_limit) scheduler_fail("hangs: more than %llu steps", (unsigned long long)run.plan.step_limit);
  if (address && memory_is_freed(address)) scheduler_fail("\"%s\" on memory that has been freed", operation);
  if (strcmp(operation, "pause") == 0) {
    pause_step();
  } else if (run.next_change < run.change_count && run.steps >= run.changes[run.next_change]) {
    me->priority = --run.lowest;
    if (run.next_change++ == run.stop_at && me->index < CLIENTS) {
      run.stopped = me;
      run.pauses = 0;
    }
    pass_on();
  }
  if (address && memory_is_freed(address)) scheduler_fail("\"%s\" on memory that has been freed", operation);
}

void scheduler_step(const char *operation) { crucible__schedule(operation, NULL); }

uint64_t scheduler_tick(void) {
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

bool scheduler_spawn(void *(*function)(void *), void *argument) {
  for (unsigned i = CLIENTS; i < ACTORS; i++) {
    struct actor *actor = &actors[i];
    if (actor->state != IDLE) continue;
    actor->state = READY;
    actor->priority = random_priority(actor);
    actor->function = function;
    actor->argument = argument;
    pass_on();
    return true;
  }
  return false;
}

void scheduler_sleep(const volatile void *address) {
  me->state = ASLEEP;
  me->address = address;
  pass_on();
}

void scheduler_wake(const volatile void *address, int count) {
  unsigned first = (unsigned)scheduler_random(ACTORS);
  for (unsigned i = 0; i < ACTORS && count > 0; i++) {
    struct actor *actor = &actors[(first + i) % ACTORS];
    if (actor->state != ASLEEP || actor->address != address) continue;
    actor->state = READY;
    count--;
  }
  pass_on();
}

// ---------------------------------------------------------------------------------------------------------------------
// Runs
// ---------------------------------------------------------------------------------------------------------------------

void scheduler_start(void) {
  cpu_set_t processor;
  CPU_ZERO(&processor);
  CPU_SET(sched_getcpu(), &processor);
  sched_setaffinity(0, sizeof processor, &processor);  // if it fails, hand-overs are slower
  for (unsigned i = 0; i < ACTORS; i++) {
    actors[i] = (struct actor){.index = i, .operation = ""};
    pthread_t thread;
    if (__real_pthread_create(&thread, NULL, live, &actors[i]) != 0) abort();
    wait_for(&main_baton);  // one after the other, so that the core numbers them alike in every process
  }
  crucible__thread();  // the record of the thread that looks at what is left: no run is to make it
}

/// What the core remembers of a thread from earlier runs must not matter.
static void reset(struct actor *actor) {
  actor->state = IDLE;
  actor->operation = "";
  actor->operations = 0;
  struct thread *record = actor->record;
  record->running = &crucible__idle;
  record->begun = NULL;
  record->depth = 0;
  record->is_worker = false;
  record->blocking = 0;
  record->heat = (uint32_t)scheduler_random(3);  // some threads begin as if they had met contention
  record->slot = NULL;
  record->beat = 0;
  record->seen = 0;
}

struct outcome scheduler_run(const struct plan *plan) {
  memset(&run, 0, sizeof run);
  run.plan = *plan;
  run.random = plan->seed * UINT64_C(0xD1342543DE82EF95) + 1;
  run.clients_left = plan->clients;
  for (unsigned i = 0; i < ACTORS; i++) reset(&actors[i]);
  for (unsigned i = 0; i < plan->clients; i++) {
    actors[i].state = READY;
    actors[i].priority = random_priority(&actors[i]);
  }
  draw_changes();
  memory_begin();
  give(&due()->baton);
  wait_for(&main_baton);
  for (unsigned i = 0; i < ACTORS; i++) {
    if (actors[i].state == IDLE) continue;
    give(&actors[i].baton);
    wait_for(&main_baton);
  }
  memory_end();
  return (struct outcome){.steps = run.steps, .hash = run.hash};
}
