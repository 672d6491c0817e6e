// fork, while other threads do everything that threads can do to soups and to the library.
//
// Six threads work all the time on every matcher. They fill and drain backlogs inline and on the pool, so that rings
// are retired; they call and wait for answers; they make soups and drop them. Another one changes data under a lock of
// the binding. One more thread for each matcher waits
// for an answer that never comes, and one definition is unfinished. Meanwhile the main thread forks, again and again.
// Each child
//   - finds that its parent's soups refuse at once every use but a hold and a release, and report why;
//   - finds the lock of the binding free, and the data under it whole;
//   - makes soups of its own on every matcher, inline and on a pool of its own, and they count right;
//   - gets its memory back, releases the parent's soups, and forks once more, where the same holds.
// The parent waits for each child under a deadline, because a child may hang before it can read a clock. So the parent
// finds a child that hangs, that crashes, or that reports an error.
//
// Before that it forks while a thread lingers at a place where a fork seldom meets one. On each matcher that blocks,
// one place is a thread that has a component to itself, and the child comes out of a body of that component. Another is
// a definition that has chosen a matcher, which has made nothing yet. It also forks when the contents of a soup have
// gone whose block its site will keep. The child must not write to that block.

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "lives.h"

enum { WORKERS = 6, CHILD_SECONDS = 30, COUNT = 300 };
static const crucible_placement placements[] = {CRUCIBLE_INLINE, CRUCIBLE_POOL};
static struct account accounts[MOST_MATCHERS][ELEMENTS(placements)];
static crucible_soup *half_made;
static crucible_name *half_made_name;
static atomic_uint at_work;
static atomic_bool ended;
static atomic_uint tended;

// ---------------------------------------------------------------------------------------------------------------------
// A thread that lingers in the core while the process forks
// ---------------------------------------------------------------------------------------------------------------------

enum place { NOWHERE_YET, ALLOCATING };
enum { LINGER = 100000000 };
static atomic_uint wanted, lingering;
static _Thread_local bool fills;

static void linger(enum place place) {
  unsigned expected = place;
  if (!fills || !atomic_compare_exchange_strong(&wanted, &expected, NOWHERE_YET)) return;
  atomic_store(&lingering, place);
  // Lingers until the fork is over, or, if the fork waits for this thread, for some time.
  uint64_t end = nanoseconds_now() + LINGER;
  while (atomic_load(&lingering) != NOWHERE_YET && nanoseconds_now() < end) sched_yield();
  atomic_store(&lingering, NOWHERE_YET);
}

void *__real_crucible__allocate(size_t size, size_t alignment);
void *__wrap_crucible__allocate(size_t size, size_t alignment);
void __real_crucible__free(void *memory, size_t size);
void __wrap_crucible__free(void *memory, size_t size);
void *__wrap_crucible__allocate(size_t size, size_t alignment) {
  linger(ALLOCATING);
  return __real_crucible__allocate(size, alignment);
}

enum { FREED = 0xA5 };
static struct {
  unsigned char *memory;
  size_t size;
} freed[16];  ///< blocks that this thread freed while `keeps_freed` was set
static unsigned freed_count;
static _Thread_local bool keeps_freed;

void __wrap_crucible__free(void *memory, size_t size) {
  if (!memory || !keeps_freed) {
    __real_crucible__free(memory, size);
    return;
  }
  if (freed_count == ELEMENTS(freed)) fail("a soup frees more than there is room for");
  freed[freed_count].memory = memset(memory, FREED, size);
  freed[freed_count++].size = size;
}

static void *fill(void *account) {
  crucible_pool_begin_blocking();  // makes its record now, so that later allocations are for the account
  crucible_pool_end_blocking();
  fills = true;
  account_add(account, COUNT);
  return NULL;
}

/// Waits until another thread, which fills the account, lingers there.
static void have_linger(struct account *account, enum place place) {
  atomic_store(&wanted, place);
  start_thread(fill, account);
  AWAIT(atomic_load(&lingering) == place, CHILD_SECONDS, "no thread comes there");
}

// ---------------------------------------------------------------------------------------------------------------------
// The parent's threads
// ---------------------------------------------------------------------------------------------------------------------

static void tend(void);

static struct {
  crucible_lock lock;
  volatile uint64_t first, second;  ///< equal, except while a thread changes them
} guarded;

static void change_guarded(void) {
  crucible_lock_acquire(&guarded.lock);
  guarded.first++;
  for (volatile int i = 0; i < 3000; i++) {
  }
  guarded.second++;
  crucible_lock_release(&guarded.lock);
}

static void *work(void *argument) {
  unsigned number = (unsigned)(uintptr_t)argument;
  const struct account *own = accounts[number % matcher_count()];
  for (bool is_first = true; !atomic_load(&ended); is_first = false) {
    account_add(&own[0], COUNT);
    tend();
    account_add(&own[1], COUNT);
    account_ask(&own[1]);
    if (!account_works(matcher_at(number), placements[number / 2 % 2], COUNT)) fail("the parent counts wrong");
    if (is_first) atomic_fetch_add(&at_work, 1);
  }
  atomic_fetch_sub(&at_work, 1);
  return NULL;
}

static void *guard(void *unused) {
  while (!atomic_load(&ended)) change_guarded();
  return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// A child
// ---------------------------------------------------------------------------------------------------------------------

#define REFUSED(soup, call)                                                                     \
  do {                                                                                          \
    uint64_t before = atomic_load(&told);                                                       \
    if (!(call)) fail("child: %s is not refused on %s", #call, crucible_soup_label(soup));      \
    if (atomic_load(&told) == before) fail("child: %s tells nobody", #call);                    \
  } while (0)
#define UNUSABLE CRUCIBLE_INHERITED_SOUP

static void reset(crucible_name *state, void *context) {}

/// Checks that everything that injects refuses, and leaves the value.
static void check_names(crucible_soup *soup, crucible_name *name, crucible_name *call) {
  uint64_t value[2] = {1, 1};
  crucible_ticket ticket = {{0, 0}};
  crucible_name *culprit;
  REFUSED(soup, !crucible_inject(name, value) && crucible_last_refusal() == UNUSABLE);
  REFUSED(soup, !crucible_inject_unowned(name, value) && crucible_last_refusal() == UNUSABLE);
  REFUSED(soup, !crucible_inject_tracked(call, value, 0, true, &ticket) && crucible_last_refusal() == UNUSABLE);
  REFUSED(soup, !crucible_withdraw(call, &ticket, value));
  crucible_molecule molecules[] = {{.name = name, .value = value}, {.name = name, .value = value}};
  REFUSED(soup, crucible_inject_together(molecules, 2, true, &culprit) == UNUSABLE && molecules[0].value &&
                    molecules[1].value);
  REFUSED(soup, !crucible_name_is_held(name));
}

static void check_control(crucible_soup *soup) {
  uint64_t dropped;
  crucible_name *culprit;
  REFUSED(soup, crucible_soup_pause(soup) == UNUSABLE);
  REFUSED(soup, crucible_soup_resume(soup) == UNUSABLE);
  REFUSED(soup, crucible_soup_clear(soup, &dropped) == UNUSABLE);
  REFUSED(soup, crucible_soup_stop(soup, &dropped) == UNUSABLE);
  REFUSED(soup, !crucible_soup_seal(soup));
  REFUSED(soup, crucible_soup_end_stop(soup, NULL) == 0);
  REFUSED(soup, crucible_soup_restart(soup, reset, NULL) == UNUSABLE);
  REFUSED(soup, !crucible_soup_is_paused(soup) && !crucible_soup_is_stopped(soup) && !crucible_soup_is_frozen(soup));
  REFUSED(soup, (crucible_soup_observe(soup, true), true));
  crucible_name_options name = {.label = "name", .size = 8, .alignment = 8};
  REFUSED(soup, crucible_soup_add_name(soup, &name, NULL, &culprit) == UNUSABLE);
  REFUSED(soup, crucible_soup_freeze(soup, &culprit) == UNUSABLE);
  crucible_name *inputs[] = {crucible_soup_name(soup, 0)};
  crucible_reaction_options reaction = {.inputs = inputs, .input_count = 1};
  REFUSED(soup, crucible_soup_add_reaction(soup, &reaction, &culprit) == UNUSABLE);
}

static void check_looking(crucible_soup *soup, crucible_name *call) {
  uint64_t counts[CRUCIBLE_MAX_NAMES], running[8], reserved, time, sum = 0;
  REFUSED(soup, (crucible_soup_counts(soup, counts), true));
  for (size_t i = 0; i < crucible_soup_name_count(soup); i++) sum += counts[i];
  REFUSED(soup, (crucible_soup_activity(soup, running, &reserved), true));
  for (size_t i = 0; i < crucible_soup_reaction_count(soup); i++) sum += running[i];
  if (sum + reserved != 0) fail("child: something is seen in a soup of the parent");
  REFUSED(soup, !crucible_soup_is_quiet(soup));
  REFUSED(soup, !crucible_soup_wait_quiet(soup, UINT64_MAX));
  crucible_waiting notes[1];
  REFUSED(soup, crucible_soup_waiting(soup, notes, 1, &time) == 0);
  crucible_waiter waiter = {0};
  crucible_waiting note = {.name = call, .waiter = &waiter, .limit = UINT64_MAX};
  REFUSED(soup, !crucible_waiter_wait_noted(&waiter, UINT64_MAX, &note));
  REFUSED(soup, (crucible_waiting_begin(&note, true), crucible_waiting_end(&note), true));
}

static void check_refusals(const struct account *account) {
  check_names(account->soup, account->add, account->ask);
  check_names(account->soup, account->go, account->stuck);
  check_control(account->soup);
  check_looking(account->soup, account->ask);
}

static void check_inheritance(void) {
  crucible_soup *soups[4];
  if (guarded.lock.state != 0) fail("child: a lock of the binding is held");
  if (guarded.first != guarded.second) fail("child: data under a lock of the binding is half changed");
  change_guarded();
  if (crucible_live_soups() != 0 || crucible_all_soups(soups, 4) != 0) {
    fail("child: soups of the parent are in its list");
  }
  for (unsigned m = 0; m < matcher_count(); m++) {
    for (unsigned p = 0; p < ELEMENTS(placements); p++) check_refusals(&accounts[m][p]);
  }
  check_names(half_made, half_made_name, half_made_name);
  check_control(half_made);
}

static void check_own_soups(void) {
  crucible_reclaim();
  uint64_t threads = 0;
  for (int round = 0; round < 2; round++) {
    uint64_t before = crucible_live_bytes() - crucible_retired_bytes();
    for (unsigned m = 0; m < matcher_count(); m++) {
      for (unsigned p = 0; p < ELEMENTS(placements); p++) {
        if (!account_works(matcher_at(m), placements[p], COUNT)) fail("child: its own soup does not count right");
      }
    }
    wait_until_asleep();
    crucible_reclaim();
    // In the first round the pool makes its threads and its queue.
    bool leaks = crucible_live_bytes() - crucible_retired_bytes() > before;
    threads = crucible_pool_look().threads;
    if (round > 0 && leaks) fail("child: its own soups leave memory behind");
  }
  if (threads == 0 || crucible_live_soups() != 0) fail("child: no pool, or soups that should be gone");
  // Now the child's own thread frees the memory.
  uint64_t before = crucible_retired_bytes();
  if (!account_works(CRUCIBLE_WORD, CRUCIBLE_INLINE, COUNT)) fail("child: its own soup counts wrong");
  AWAIT(crucible_retired_bytes() <= before, CHILD_SECONDS / 2, "child: memory is not freed");
}

static void release_soups(void) {
  for (unsigned m = 0; m < matcher_count(); m++) {
    for (unsigned p = 0; p < ELEMENTS(placements); p++) {
      if (!crucible_soup_hold(accounts[m][p].soup)) fail("child: a soup of the parent cannot be held");
      crucible_soup_release(accounts[m][p].soup);
      account_close(&accounts[m][p]);
    }
  }
  crucible_soup_release(half_made);
  if (crucible_live_soups() != 0) fail("child: releasing the parent's soups miscounts its own");
}

// ---------------------------------------------------------------------------------------------------------------------
// Forking
// ---------------------------------------------------------------------------------------------------------------------

/// Waits under a deadline, and returns how a child ended.
static int wait_for(pid_t child) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  uint64_t deadline = nanoseconds_now() + CHILD_SECONDS * UINT64_C(1000000000);
  int status;
  pid_t ended_child;
  while ((ended_child = waitpid(child, &status, WNOHANG)) == 0) {
    if (nanoseconds_now() > deadline) {
      kill(child, SIGKILL);
      fail("a child hangs");
    }
    sigtimedwait(&ends, NULL, &(struct timespec){.tv_sec = 1});
  }
  if (ended_child != child) fail("a child cannot be waited for");
  return status;
}

static void run_child(void (*body)(void), const char *what) {
  pid_t child = fork();
  if (child < 0) fail("no process");
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = wait_for(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail("a child that %s ended with status %x", what, status);
}

static void grandchild(void) {
  check_inheritance();
  check_own_soups();
}

static void child(void) {
  check_inheritance();
  check_own_soups();
  release_soups();
}

static void child_with_child(void) {
  struct account own = account_open("child", CRUCIBLE_AUTOMATIC, CRUCIBLE_POOL);
  account_add(&own, COUNT);
  pid_t pid = fork();
  if (pid < 0) fail("no process");
  if (pid == 0) {
    check_refusals(&own);
    grandchild();
    _exit(0);
  }
  if (account_ask(&own) > COUNT * (COUNT + 1) / 2) fail("child: its own soup counts wrong after it has forked");
  if (wait_for(pid) != 0) fail("a grandchild failed");
}

// ---------------------------------------------------------------------------------------------------------------------
// Forking in a body
// ---------------------------------------------------------------------------------------------------------------------

/// Handles a fork by a body that a call on this thread may have run. The child does its part, and the parent waits for
/// it.
static void tend(void) {
  pid_t forked = split_off;
  if (forked < 0) return;
  if (forked == 0) {
    child();
    _exit(0);
  }
  split_off = -1;
  if (wait_for(forked) != 0) fail("a child of an inline body failed");
  atomic_fetch_add(&tended, 1);
}

/// Forks in an inline body of a soup that other threads use meanwhile; any of them may run the body. The body returns
/// in the child, gives its state back, and finds nothing enabled and no lock taken.
static void fork_inline(const struct account *account) {
  uint64_t nothing = 0;
  unsigned before = atomic_load(&tended);
  if (!crucible_inject(account->split, &nothing)) fail("forking is refused");
  tend();
  AWAIT(atomic_load(&tended) != before, CHILD_SECONDS, "a body that forks does not run");
}

static struct account *blocked_account;
static void fork_while_blocked(void) { have_linger(blocked_account, ALLOCATING); }

/// Forks in a body of a component while another thread has that component to itself, on a matcher that blocks.
static void fork_in_body_while_blocked(crucible_matcher matcher) {
  struct account blocked = account_open("blocked", matcher, CRUCIBLE_INLINE);
  blocked_account = &blocked;
  before_split = fork_while_blocked;
  uint64_t nothing = 0;
  if (!crucible_inject(blocked.split, &nothing)) fail("forking is refused");
  if (split_off > 0) atomic_store(&lingering, NOWHERE_YET);
  tend();
  before_split = NULL;
  while (account_ask(&blocked) < COUNT * (COUNT + 1) / 2) sched_yield();
  account_close(&blocked);
}

/// Requires: no other thread is at work yet. A lingering thread would hold up a grace period in progress.
static void fork_while_others_linger(void) {
  for (uint32_t m = 1; m <= crucible_matcher_count(); m++) {
    if (!crucible_matcher_is_lock_free((crucible_matcher)m)) fork_in_body_while_blocked((crucible_matcher)m);
  }
}

static void nothing(void *context, void *const *inputs) {}

static crucible_soup *define_at(const char *site, crucible_matcher matcher, bool lingers) {
  crucible_label label = {0, 0};
  memcpy(&label, "here", 4);
  crucible_soup *soup = site ? crucible_soup_repeat(site, 0, 0, matcher, label) : NULL;
  if (!soup) {
    soup = crucible_soup_create(&(crucible_soup_options){.label = "here", .file = site, .matcher = matcher,
                                                         .site = site});
  }
  REACTION(soup, CRUCIBLE_INLINE, nothing, NULL, new_name(soup, "name", CRUCIBLE_SLOW, 8));
  crucible_soup_allow_repeats(soup);
  fills = lingers;
  end_definition(soup);
  fills = false;
  return soup;
}

static const char place[] = "forks.c";
static crucible_matcher matcher_of_place;

/// Defines a soup at a place where the parent has defined one; the child must not use the parent's.
static void check_listed(void) {
  crucible_soup *soups[2], *soup = define_at(place, matcher_of_place, false);
  if (crucible_all_soups(soups, 2) != 1 || soups[0] != soup) fail("child: a soup of its own is not in the list");
  crucible_soup_release(soup);
  crucible_soup_release(soup);
}

static void check_freed(void) {
  for (unsigned i = 0; i < freed_count; i++) {
    for (size_t at = 0; at < freed[i].size; at++) {
      if (freed[i].memory[at] != FREED) fail("child: memory is written to that the parent has freed");
    }
  }
}

/// Forks after the contents of a repeat have gone, while a name of it is still known.
static void fork_after_the_contents(crucible_matcher matcher) {
  crucible_soup *soups[3];
  for (unsigned i = 0; i < ELEMENTS(soups); i++) soups[i] = define_at(place, matcher, false);
  crucible_soup *repeat = soups[2];
  if (!crucible_soup_has_repeated(repeat)) fail("the third soup of a place does not repeat the second one");
  crucible_soup_retain_shell(repeat);
  keeps_freed = true;
  crucible_soup_release(repeat);
  keeps_freed = false;
  run_child(check_freed, "was forked after the contents of a soup had gone");
  crucible_soup_release_shell(repeat);
  matcher_of_place = matcher;
  run_child(check_listed, "defines a soup where its parent did");
  for (; freed_count > 0; freed_count--) {
    __real_crucible__free(freed[freed_count - 1].memory, freed[freed_count - 1].size);
  }
  for (unsigned i = 0; i < 2; i++) crucible_soup_release(soups[i]);
}

static atomic_bool defined;

static void *define_slowly(void *matcher) {
  crucible_soup_release(define_at(NULL, (crucible_matcher)(uintptr_t)matcher, true));
  atomic_store(&defined, true);
  return NULL;
}

static void check_no_soups(void) {
  if (crucible_live_soups() != 0) fail("child: soups of the parent are counted");
}

/// Forks at each allocation of the end of a definition. At one of them a matcher makes its own structures. Returns how
/// many children there were.
static unsigned fork_in_a_definition(crucible_matcher matcher) {
  uint64_t deadline = nanoseconds_now() + CHILD_SECONDS * UINT64_C(1000000000);
  unsigned children = 0;
  atomic_store(&defined, false);
  atomic_store(&wanted, ALLOCATING);
  start_thread(define_slowly, (void *)(uintptr_t)matcher);
  while (!atomic_load(&defined)) {
    if (nanoseconds_now() > deadline) fail("a definition does not end");
    if (atomic_load(&lingering) == ALLOCATING) {
      run_child(check_no_soups, "was forked in a definition");
      children++;
      atomic_store(&wanted, ALLOCATING);
      atomic_store(&lingering, NOWHERE_YET);
    }
    sched_yield();
  }
  atomic_store(&wanted, NOWHERE_YET);
  return children;
}

static int message[2];
static atomic_int on_pool;

static void fork_on_pool(void *context, void *const *inputs) {
  pid_t forked = fork();
  if (forked < 0) fail("no process");
  if (forked == 0) dup2(message[1], STDERR_FILENO);
  atomic_store(&on_pool, forked);
}

/// Forks in a body on the pool. A child in which the body returns has no worker to return to, and aborts with a
/// message.
static void return_to_the_pool(crucible_matcher matcher) {
  uint64_t value = 0;
  crucible_soup *soup = new_soup("forking", matcher);
  crucible_name *start = new_name(soup, "name", CRUCIBLE_SLOW, 8);
  REACTION(soup, CRUCIBLE_POOL, fork_on_pool, NULL, start);
  end_definition(soup);
  if (pipe(message) != 0) fail("no pipe");
  if (!crucible_inject(start, &value)) fail("forking is refused");
  if (!crucible_soup_wait_quiet(soup, CHILD_SECONDS * UINT64_C(1000000000))) fail("a body that forks does not end");
  int status = wait_for(atomic_load(&on_pool));
  char text[400] = "";
  if (read(message[0], text, sizeof text - 1) < 0) fail("the pipe cannot be read");
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(text, "has returned in a child process")) {
    fail("a child whose body returned to the pool ended with status %x and '%s'", status, text);
  }
  close(message[0]);
  close(message[1]);
  crucible_soup_release(soup);
}

int main(int argc, char **argv) {
  unsigned forks = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100;
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &ends, NULL);
  for (unsigned m = 0; m < matcher_count(); m++) {
    for (unsigned p = 0; p < ELEMENTS(placements); p++) {
      accounts[m][p] = account_open("parent", matcher_at(m), placements[p]);
    }
    start_thread(account_wait_for_ever, &accounts[m][0]);
  }
  half_made = crucible_soup_create(&(crucible_soup_options){.label = "half made", .inherited = be_told});
  half_made_name = new_name(half_made, "name", CRUCIBLE_SLOW, 8);
  unsigned in_definitions = 0;
  for (unsigned m = 0; m < matcher_count(); m++) {
    fork_after_the_contents(matcher_at(m));
    in_definitions += fork_in_a_definition(matcher_at(m));
  }
  if (in_definitions == 0) fail("no definition allocates as it ends");
  fork_while_others_linger();
  for (uintptr_t i = 0; i < WORKERS; i++) start_thread(work, (void *)i);
  start_thread(guard, NULL);
  while (atomic_load(&at_work) < WORKERS) sched_yield();
  uint64_t begin = nanoseconds_now();
  for (unsigned i = 0; i < forks; i++) {
    if (i % 10 == 9) {
      run_child(child_with_child, "forks");
    } else if (i % 2 == 0) {
      fork_inline(&accounts[i / 2 % matcher_count()][0]);
    } else if (i % 10 == 7) {
      return_to_the_pool(matcher_at(i / 10));
    } else {
      run_child(child, "uses soups of its own");
    }
  }
  atomic_store(&ended, true);
  AWAIT(atomic_load(&at_work) == 0, CHILD_SECONDS, "the parent does not go on");
  printf("passed %u forks while %d threads work, in %.1f s\n", forks, WORKERS,
         (double)(nanoseconds_now() - begin) / 1e9);
  return 0;
}
