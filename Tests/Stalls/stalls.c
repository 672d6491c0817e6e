// Stalls: a thread is frozen by a signal at whatever instruction of the core it happens to be, and the others have to go on.
//
// Three threads share one component: each injects a and b, which react at once, and calls that it withdraws, so that it injects, matches,
// pushes, pops and withdraws all the time. No reaction needs what one thread alone may have: there are as many a and b as the
// others bring along. The main thread picks one, sends it a signal after a random time, and if the signal meets it inside the core, it
// stays in the handler until both others have gone round often enough. On `word` they always do. On `locked` they cannot while the
// frozen one has the lock: there the same test has to fail, or it would show nothing.
//
// Inside the core: the program counter lies in the core's code (it is a library of its own for this), and the thread is not allocating a
// bag's next ring, for which alone the core may wait. At the end every molecule has reacted or been withdrawn.

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "CCrucible.h"
#include "stalls.h"

enum { THREADS = 3, ROUNDS = 50 };
enum operation { ELSEWHERE, FIRST, SECOND, CALL, WITHDRAW, OPERATIONS };
static const char *const titles[OPERATIONS] = {"", "inject a", "inject b", "inject a call", "withdraw it"};
enum state { RUNNING, SIGNALLED, MISSED, FROZEN, RELEASED };

static crucible_name *a, *b, *call, *never;
static atomic_uint state;
static atomic_bool ended;
static atomic_ulong reactions;
static _Atomic uintptr_t frozen_at;
static atomic_uint frozen_in;
static _Thread_local volatile enum operation operation;
static uintptr_t core_begin, core_end;

static struct worker {
  pthread_t thread;
  atomic_ulong rounds;
  char padding[64];
} workers[THREADS];

static _Noreturn void fail(const char *what) {
  printf("FAILED stalls: %s\n", what);
  exit(1);
}

// ---------------------------------------------------------------------------------------------------------------------
// The threads
// ---------------------------------------------------------------------------------------------------------------------

static void react(void *context, void *const *inputs) {
  (void)context, (void)inputs;
  atomic_fetch_add(&reactions, 1);
}

static void inject(crucible_name *name, enum operation what) {
  uint64_t value = 1;
  operation = what;
  bool injected = crucible_inject(name, &value);
  operation = ELSEWHERE;
  if (!injected) fail("no memory");
}

static void *work(void *argument) {
  struct worker *self = argument;
  while (!atomic_load(&ended)) {
    inject(a, FIRST);
    inject(b, SECOND);
    uint64_t value = 2;
    crucible_ticket ticket;
    operation = CALL;
    bool injected = crucible_inject_tracked(call, &value, 0, &ticket);
    operation = WITHDRAW;
    bool withdrawn = injected && crucible_withdraw(call, &ticket, &value);
    operation = ELSEWHERE;
    if (!withdrawn) fail("a call that nothing consumes is not the caller's again");
    atomic_fetch_add(&self->rounds, 1);
  }
  return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Freezing
// ---------------------------------------------------------------------------------------------------------------------

static int find_core(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  if (!strstr(info->dlpi_name, "libstalled.so")) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
    core_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    core_end = core_begin + info->dlpi_phdr[i].p_memsz;
  }
  return 1;
}

static uintptr_t counter_of(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.pc;
#endif
}

static void freeze(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  uintptr_t at = counter_of(context);
  if (at < core_begin || at >= core_end || stalls_allocating || operation == ELSEWHERE) {
    atomic_store(&state, MISSED);
    return;
  }
  int before = errno;
  atomic_store(&frozen_at, at);
  atomic_store(&frozen_in, operation);
  atomic_store(&state, FROZEN);
  struct timespec shortly = {.tv_nsec = 20000};
  while (atomic_load(&state) != RELEASED) nanosleep(&shortly, NULL);
  atomic_store(&state, RUNNING);
  errno = before;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t seed;
static uint64_t random_number(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

/// Both others go round often enough, in time.
static bool others_go_on(const struct worker *victim, uint64_t patience) {
  unsigned long goals[THREADS];
  for (int i = 0; i < THREADS; i++) goals[i] = atomic_load(&workers[i].rounds) + ROUNDS;
  uint64_t deadline = now() + patience;
  for (int i = 0; i < THREADS; i++) {
    if (&workers[i] == victim) continue;
    while (atomic_load(&workers[i].rounds) < goals[i]) {
      if (now() > deadline) return false;
      struct timespec shortly = {.tv_nsec = 20000};
      nanosleep(&shortly, NULL);
    }
  }
  return true;
}

/// Sends one signal. False: it met the thread elsewhere.
static bool try_to_freeze(struct worker *victim) {
  for (uint64_t pause = random_number() % 4000; pause > 0; pause--) atomic_signal_fence(memory_order_seq_cst);
  atomic_store(&state, SIGNALLED);
  if (pthread_kill(victim->thread, SIGUSR1) != 0) fail("no signal can be sent");
  unsigned seen;
  while ((seen = atomic_load(&state)) == SIGNALLED) sched_yield();
  return seen == FROZEN;
}

static void release(void) {
  atomic_store(&state, RELEASED);
  while (atomic_load(&state) != RUNNING) sched_yield();
}

// ---------------------------------------------------------------------------------------------------------------------
// One run
// ---------------------------------------------------------------------------------------------------------------------

static crucible_soup *make(crucible_matcher matcher) {
  crucible_soup *soup = crucible_soup_create(&(crucible_soup_options){.label = "stalls", .matcher = matcher});
  crucible_name *culprit = NULL;
  crucible_name_options slow = {.label = "slow", .kind = CRUCIBLE_SLOW, .size = 8, .alignment = 8};
  crucible_name_options fast = {.label = "fast", .kind = CRUCIBLE_FAST, .size = 8, .alignment = 8};
  crucible_name_options none = {.label = "never", .kind = CRUCIBLE_SLOW};
  bool made = soup && crucible_soup_add_name(soup, &slow, NULL, &a) == CRUCIBLE_OK &&
              crucible_soup_add_name(soup, &slow, NULL, &b) == CRUCIBLE_OK &&
              crucible_soup_add_name(soup, &fast, NULL, &call) == CRUCIBLE_OK &&
              crucible_soup_add_name(soup, &none, NULL, &never) == CRUCIBLE_OK;
  crucible_name *pair[] = {a, b}, *served[] = {call, never, a};
  crucible_reaction_options first = {.inputs = pair, .input_count = 2, .placement = CRUCIBLE_INLINE, .body = react};
  crucible_reaction_options second = {.inputs = served, .input_count = 3, .placement = CRUCIBLE_INLINE, .body = react};
  made = made && crucible_soup_add_reaction(soup, &first, &culprit) == CRUCIBLE_OK &&
         crucible_soup_add_reaction(soup, &second, &culprit) == CRUCIBLE_OK &&
         crucible_soup_freeze(soup, &culprit) == CRUCIBLE_OK;
  if (!made) fail("the soup is refused");
  return soup;
}

static int compare(const void *x, const void *y) {
  uintptr_t p = *(const uintptr_t *)x, q = *(const uintptr_t *)y;
  return p < q ? -1 : p > q;
}

static unsigned distinct(uintptr_t *places, unsigned count) {
  qsort(places, count, sizeof *places, compare);
  unsigned number = 0;
  for (unsigned i = 0; i < count; i++) number += i == 0 || places[i] != places[i - 1];
  return number;
}

int main(int argc, char **argv) {
  bool locked = argc > 1 && strcmp(argv[1], "locked") == 0;
  unsigned wanted = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 10000;
  seed = argc > 3 ? strtoull(argv[3], NULL, 10) : now() | 1;
  dl_iterate_phdr(find_core, NULL);
  if (core_begin == 0) fail("the core's code is not found");
  struct sigaction action = {.sa_sigaction = freeze, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);

  crucible_soup *soup = make(locked ? CRUCIBLE_LOCKED : CRUCIBLE_WORD);
  uintptr_t *places = calloc(wanted, sizeof *places);
  unsigned by_operation[OPERATIONS] = {0}, stalls = 0, held_up = 0;
  unsigned long missed = 0;
  for (int i = 0; i < THREADS; i++) {
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) fail("no thread");
  }
  // Long enough for a machine under load; on `locked` everybody waits for the frozen thread, however long that is.
  uint64_t patience = locked ? 100000000 : 20000000000;
  while (stalls < wanted && held_up == 0) {
    struct worker *victim = &workers[random_number() % THREADS];
    if (!try_to_freeze(victim)) {
      missed++;
      continue;
    }
    places[stalls++] = atomic_load(&frozen_at);
    by_operation[atomic_load(&frozen_in)]++;
    if (!others_go_on(victim, patience)) held_up++;
    release();
  }
  atomic_store(&ended, true);
  unsigned long rounds = 0;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(workers[i].thread, NULL);
    rounds += atomic_load(&workers[i].rounds);
  }

  printf("%s: %u stalls at %u instructions (", locked ? "locked" : "word", stalls, distinct(places, stalls));
  for (int i = 1; i < OPERATIONS; i++) printf("%s%s %u", i > 1 ? ", " : "", titles[i], by_operation[i]);
  printf("), %lu signals elsewhere, %lu rounds, seed %llu\n", missed, rounds, (unsigned long long)seed);
  uint64_t counts[4];
  crucible_soup_counts(soup, counts);
  if (atomic_load(&reactions) != rounds) fail("not every pair has reacted");
  for (int i = 0; i < 4; i++) {
    if (counts[i] != 0) fail("something is left");
  }
  crucible_soup_release(soup);
  free(places);
  if (locked && held_up == 0) fail("a thread that is frozen with the lock held nobody up: the test shows nothing");
  if (!locked && held_up > 0) fail("a frozen thread holds the others up");
  for (int i = 1; i < OPERATIONS && !locked; i++) {
    if (by_operation[i] == 0) fail("some operation was never frozen");
  }
  printf("passed %s: %s, checked %lu molecules\n", locked ? "locked" : "word",
         locked ? "the others were held up, as they have to be" : "the others went on", 3 * rounds);
  return 0;
}
