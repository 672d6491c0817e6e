// Storms: the cases of the schedules on real threads, for the sanitizers.
//
//   storms [--seed S] [--rounds N | --seconds T] [--case CASES]
//   storms --crash          a body on the pool accesses memory that does not exist
//
// A round draws a case and a matcher from its seed, and runs trials of it. --seed S begins with seed S, and so replays
// its cases; the machine decides the schedule. CASES is a pattern as the shell's: tiny-*, */word. Every trial is
// checked as under the scheduler (Schedules/trial_checks.c), and the contents of each soup must be gone after it. A
// finding is one line that names the seed.
//
// This file replaces Schedules/scheduler.c: a client is a thread of the system, and a step gives its processor away at
// times. Nothing here may order two threads that the core does not order: that would hide a missing ordering from
// ThreadSanitizer. So what threads share beside the core is written before they begin, is a relaxed atomic (trial.h),
// or is the plain memory that bodies use, which the sanitizers check.

#include <fnmatch.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../programs.h"
#include "CCrucible.h"
#include "base/thread.h"
#include "memory.h"
#include "trial.h"
#include "weak/weak.h"

enum { TRIALS = 20, HANG = 120, PATIENCE = 20 };

extern const struct trial_chemistry *const __start_chemistries[], *const __stop_chemistries[];

const char *scheduler_case = "";
static char seed_text[32];  ///< the seed of the round, for messages
static struct trial trial;

// ---------------------------------------------------------------------------------------------------------------------
// In place of the scheduler
// ---------------------------------------------------------------------------------------------------------------------

static _Thread_local unsigned self = ACTORS;
static _Thread_local uint64_t chance = 1;
static _Atomic uint64_t ticks;

uint64_t scheduler_tick(void) { return atomic_fetch_add_explicit(&ticks, 1, memory_order_relaxed) + 1; }
bool comes_before(uint64_t a, uint64_t b) { return a < b; }
void scheduler_note(const char *what) {}

void scheduler_step(const char *operation) {
  if (next_random(&chance) % 8 == 0) sched_yield();
}

/// Threads of the pool are numbered as they come, and their numbers come again.
unsigned scheduler_self(void) {
  static _Atomic unsigned workers;
  if (self == ACTORS) {
    self = CLIENTS + atomic_fetch_add_explicit(&workers, 1, memory_order_relaxed) % WORKERS;
  }
  return self;
}

bool scheduler_comes_true(bool (*condition)(void *context), void *context) {
  uint64_t deadline = nanoseconds_now() + PATIENCE * UINT64_C(1000000000);
  while (!condition(context)) {
    if (nanoseconds_now() > deadline) return false;
    sched_yield();
  }
  return true;
}

void scheduler_fail(const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "FAILED storm, seed %s, %s: %s\n", seed_text, scheduler_case, text);
  _exit(1);
}

void memory_refuse(size_t size) { scheduler_fail("only the scheduler refuses memory"); }

static _Atomic unsigned handed;
void weak_release(const void *object) { atomic_fetch_add_explicit(&handed, 1, memory_order_release); }
void weak_acquire(const void *object) { atomic_load_explicit(&handed, memory_order_acquire); }

void weak_uses(const volatile void *memory, size_t size) {
  volatile char *bytes = (volatile char *)memory;
  for (size_t i = 0; i < size; i++) bytes[i] = bytes[i];
}

void weak_reads(const volatile void *memory, size_t size) {
  const volatile char *bytes = memory;
  for (size_t i = 0; i < size; i++) (void)bytes[i];
}

// ---------------------------------------------------------------------------------------------------------------------
// Clients
// ---------------------------------------------------------------------------------------------------------------------

/// The core has its shortest paths for the threads that came first. So these register before all others, and never end.
/// In some trials others take their place, which end with the trial.
static struct regular {
  sem_t begin, end;
} regulars[CLIENTS];

static void wait_on(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0) {
  }
}

static void *be_client(void *argument) {
  self = (unsigned)(uintptr_t)argument;
  chance = nanoseconds_now() * 2 + 1;
  trial.chemistry->client(&trial, self);
  return NULL;
}

static void *come_again(void *argument) {
  struct regular *regular = argument;
  if (!crucible__thread()) abort();
  for (;;) {
    sem_post(&regular->end);
    wait_on(&regular->begin);
    be_client((void *)(regular - regulars));
  }
  return NULL;
}

static void begin_regulars(void) {
  for (unsigned i = 0; i < CLIENTS; i++) {
    pthread_t thread;
    if (sem_init(&regulars[i].begin, 0, 0) != 0 || sem_init(&regulars[i].end, 0, 0) != 0) abort();
    if (pthread_create(&thread, NULL, come_again, &regulars[i]) != 0) abort();
    pthread_detach(thread);
    wait_on(&regulars[i].end);  // one after the other, so that the core numbers them in this order
  }
}

static void run_clients(bool regular) {
  unsigned count = trial.chemistry->clients;
  pthread_t threads[CLIENTS];
  for (uintptr_t i = 0; i < count; i++) {
    if (regular) {
      sem_post(&regulars[i].begin);
    } else if (pthread_create(&threads[i], NULL, be_client, (void *)i) != 0) {
      scheduler_fail("no thread");
    }
  }
  for (unsigned i = 0; i < count; i++) regular ? wait_on(&regulars[i].end) : (void)pthread_join(threads[i], NULL);
}

// ---------------------------------------------------------------------------------------------------------------------
// Rounds
// ---------------------------------------------------------------------------------------------------------------------

/// Returns the number of molecules.
static uint64_t run_trial(const struct trial_chemistry *chemistry, crucible_matcher matcher, uint64_t seed) {
  crucible_pool_set_workers(chemistry->workers ? chemistry->workers : 1);
  trial_begin(&trial, chemistry, matcher, seed);
  run_clients(seed % 4 != 0);
  scheduler_comes_true(trial_quiet, &trial);  // trial_end says if it is not
  trial_end(&trial);
  uint64_t molecules = chemistry->bare ? trial.molecule_count : 0;
  for (unsigned i = 0; i < trial.name_count; i++) molecules += trial.names[i].injected;
  return molecules;
}

static bool serves(const struct trial_chemistry *chemistry, crucible_matcher matcher) {
  if (!serves_names(chemistry, matcher)) return false;
  if (chemistry->bare || chemistry->for_word) return matcher == CRUCIBLE_WORD;
  const char *name = crucible_matcher_name(matcher);
  return !chemistry->crowded || (strcmp(name, "wide") != 0 && crucible_matcher_most_names(matcher) >= MOST_NAMES);
}

/// Draws a case that the pattern matches, and its matcher.
static const struct trial_chemistry *draw_case(uint64_t seed, const char *pattern, crucible_matcher *matcher) {
  static char name[64];
  uint64_t random = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
  for (int tries = 0; tries < 1000000; tries++) {
    size_t count = (size_t)(__stop_chemistries - __start_chemistries);
    const struct trial_chemistry *chemistry = __start_chemistries[next_random(&random) % count];
    *matcher = (crucible_matcher)(1 + next_random(&random) % crucible_matcher_count());
    if (chemistry->scheduled || !serves(chemistry, *matcher)) continue;
    const char *of = chemistry->bare ? "" : crucible_matcher_name(*matcher);
    snprintf(name, sizeof name, chemistry->bare ? "%s" : "%s/%s", chemistry->name, of);
    scheduler_case = name;
    if (!pattern || strcmp(pattern, chemistry->name) == 0 || fnmatch(pattern, name, 0) == 0) return chemistry;
  }
  fprintf(stderr, "no case is called %s\n", pattern);
  exit(2);
}

#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
void __sanitizer_set_death_callback(void (*callback)(void));

static void tell_seed(void) { fprintf(stderr, "the storm's seed: %s, %s\n", seed_text, scheduler_case); }
static void tell_seed_at_death(void) { __sanitizer_set_death_callback(tell_seed); }
#else
static void tell_seed_at_death(void) {}
#endif

static void tell_hang(int signal) {
  scheduler_fail("it hangs");  // unsafe in a handler, but the process is lost anyway
}

static void crash_in_body(void *context, void *const *inputs) { *(volatile int *)(uintptr_t)8 = 1; }

_Noreturn static void crash_on_pool(void) {
  crucible_soup *soup = new_soup("crash", CRUCIBLE_AUTOMATIC);
  crucible_name *name = new_name(soup, "crash", CRUCIBLE_SLOW, 0);
  REACTION(soup, CRUCIBLE_POOL, crash_in_body, NULL, name);
  end_definition(soup);
  uint64_t nothing = 0;
  crucible_inject(name, &nothing);
  AWAIT(false, PATIENCE, "the body on the pool has not ended the process");
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--crash") == 0) crash_on_pool();
  uint64_t begin = nanoseconds_now(), first = begin % 1000000000, rounds = UINT64_MAX, seconds = UINT64_MAX;
  const char *pattern = NULL;
  for (int i = 1; i < argc; i += 2) {
    const char *option = argv[i], *value = argv[i + 1];
    if (value && strcmp(option, "--case") == 0) pattern = value;
    else if (value && strcmp(option, "--seed") == 0) first = strtoull(value, NULL, 10);
    else if (value && strcmp(option, "--rounds") == 0) rounds = strtoull(value, NULL, 10);
    else if (value && strcmp(option, "--seconds") == 0) seconds = strtoull(value, NULL, 10);
    else {
      fprintf(stderr, "usage: storms [--seed S] [--rounds N | --seconds T] [--case CASES]\n");
      return 2;
    }
  }
  if (rounds == UINT64_MAX && seconds == UINT64_MAX) seconds = 10;
  signal(SIGALRM, tell_hang);
  tell_seed_at_death();
  begin_regulars();
  self = ACTORS;
  uint64_t seed = first, molecules = 0, trials = 0;
  for (; seed - first < rounds && (nanoseconds_now() - begin) / 1000000000 < seconds; seed++) {
    crucible_matcher matcher;
    const struct trial_chemistry *chemistry = draw_case(seed, pattern, &matcher);
    snprintf(seed_text, sizeof seed_text, "%llu", (unsigned long long)seed);
    alarm(HANG);
    for (unsigned i = 0; i < TRIALS; i++, trials++) molecules += run_trial(chemistry, matcher, seed * TRIALS + i);
    alarm(0);
  }
  printf("passed %llu storms of %d trials, seeds %llu to %llu: %llu molecules, %.1f s\n",
         (unsigned long long)(seed - first), TRIALS, (unsigned long long)first, (unsigned long long)(seed - 1),
         (unsigned long long)molecules, (double)(nanoseconds_now() - begin) / 1e9);
  return 0;
}
