// Scenarios that run while the system refuses requests. Each goes through one part of the core, on a soup of its own,
// and closes the books.
//
// A scenario goes on whatever the system refuses. It keeps refused molecules for later. After the third refusal of a
// definition, the memory is there.

#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include "failing.h"
#include "ledger.h"
#include "trial.h"

enum { SMALL = 32, LARGE = 5000 };

static struct ledger_chemistry chemistry;
#define SPECIES(i) (&chemistry.species[i])

static void end(void) {
  ledger_settle(&chemistry);
  ledger_end(&chemistry);
}

/// Runs `function` on a thread that the core does not know yet.
static void on_new_thread(void *(*function)(void *)) { pthread_join(ledger_thread(function, NULL), NULL); }

/// Occupies the pool's only worker until the scenario lets it go on.
static sem_t holding, go;
static void hold(struct ledger_chemistry *unused) {
  sem_post(&holding);
  sem_wait(&go);
}
static void prepare_holding(void) {
  sem_init(&holding, 0, 0);
  sem_init(&go, 0, 0);
  if (!crucible_pool_set_workers(1)) fail("the pool cannot have one worker");
}
/// Injects the molecule that occupies the worker. Returns false if it was refused.
static bool occupy(struct ledger_species *held) {
  bool is_held = ledger_inject(held);
  if (is_held) sem_wait(&holding);
  return is_held;
}
/// Lets the worker go on, now and, if the molecule was refused, when it is injected again.
static void let_go(bool is_held) {
  for (int i = is_held; i < 2; i++) sem_post(&go);
}

// ---------------------------------------------------------------------------------------------------------------------
// Defining
// ---------------------------------------------------------------------------------------------------------------------

/// Declares several components, more reactions than the first array has room for, and molecules of all kinds before the
/// end of the definition.
static void build_definition(struct ledger_chemistry *c) {
  struct ledger_species *value = ledger_species(c, CRUCIBLE_SLOW, ALIGNED);
  struct ledger_species *other = ledger_species(c, CRUCIBLE_SLOW, ALIGNED);
  struct ledger_species *plain = ledger_species(c, CRUCIBLE_SLOW, 0), *state = ledger_species(c, CRUCIBLE_STATE, SMALL);
  struct ledger_species *call = ledger_species(c, CRUCIBLE_FAST, SMALL), *empty = ledger_species(c, CRUCIBLE_STATE, 0);
  struct ledger_species *never = ledger_species(c, CRUCIBLE_SLOW, SMALL);
  ledger_rule(c, CRUCIBLE_INLINE, 2, value, other);
  ledger_rule(c, CRUCIBLE_INLINE, 2, state, plain);
  ledger_rule(c, CRUCIBLE_INLINE, 3, empty, call, never);
  for (int i = 0; i < 10; i++) ledger_rule(c, CRUCIBLE_INLINE, 3, value, other, other);
  ledger_inject(value);
  ledger_inject(plain);
  ledger_inject_together(3, 2, (struct ledger_species *[]){value, other, plain});
  struct pending_call taken_back = ledger_call(call);
  ledger_withdraw(&taken_back);
  ledger_call(call);
}

static void define(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_definition);
  end();
}

/// Defines three soups of one place. The first publishes its chemistry, if there is memory, and the others repeat it.
static void repeat(crucible_matcher matcher) {
  for (int i = 0; i < 3; i++) {
    ledger_define(&chemistry, matcher, build_definition);
    for (int k = 0; k < 12; k++) ledger_inject(SPECIES(k % 2));
    end();
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

static void build_backlog(struct ledger_chemistry *c) {
  struct ledger_species *a = ledger_species(c, CRUCIBLE_SLOW, SMALL), *b = ledger_species(c, CRUCIBLE_SLOW, SMALL);
  struct ledger_species *plain = ledger_species(c, CRUCIBLE_SLOW, 0), *state = ledger_species(c, CRUCIBLE_STATE, SMALL);
  ledger_rule(c, CRUCIBLE_INLINE, 2, a, b);
  ledger_rule(c, CRUCIBLE_INLINE, 3, state, plain, a);
}

/// Fills bags to several rings, and empties them again from either end.
static void inject(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_backlog);
  for (int i = 0; i < 150; i++) ledger_inject(SPECIES(0));
  for (int i = 0; i < 100; i++) ledger_inject(SPECIES(i % 3 ? 1 : 2));
  for (int i = 0; i < 70; i++) ledger_inject(SPECIES(2));
  for (int i = 0; i < 50; i++) ledger_inject(SPECIES(1));
  end();
}

/// Declares so many names that the fields of the word are narrow, and most waiting molecules spill.
static void build_narrow(struct ledger_chemistry *c) {
  struct ledger_species *names[20];
  for (int i = 0; i < 20; i++) names[i] = ledger_species(c, CRUCIBLE_SLOW, i % 2 ? SMALL : 0);
  for (int i = 0; i + 1 < 20; i++) ledger_rule(c, CRUCIBLE_INLINE, 2, names[i], names[i + 1]);
}

static void spill(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_narrow);
  for (int i = 0; i < 40; i++) ledger_inject(SPECIES(i % 2 * 6));
  for (int i = 0; i < 40; i++) ledger_inject(SPECIES(15));
  for (int i = 0; i < 60; i++) ledger_inject(SPECIES(i % 20));
  end();
}

static void together(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_narrow);
  for (int i = 0; i < 12; i++) {
    struct ledger_species *few[] = {SPECIES(1), SPECIES(1), SPECIES(5), SPECIES(8), SPECIES(13), SPECIES(1)};
    ledger_inject_together(sizeof few / sizeof *few, 7, few);
    struct ledger_species *more[24];
    for (int k = 0; k < 24; k++) more[k] = SPECIES(k * 5 % 20);
    ledger_inject_together(24, 2, more);
  }
  end();
}

/// Several components: the first may get memory and the second none.
static void together_in_components(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_definition);
  for (int i = 0; i < 20; i++) {
    struct ledger_species *all[] = {SPECIES(0), SPECIES(2), SPECIES(6), SPECIES(1), SPECIES(6)};
    ledger_inject_together(5, 3, all);
  }
  end();
}

static void build_large(struct ledger_chemistry *c) {
  struct ledger_species *a = ledger_species(c, CRUCIBLE_SLOW, LARGE), *b = ledger_species(c, CRUCIBLE_SLOW, SMALL);
  struct ledger_species *state = ledger_species(c, CRUCIBLE_STATE, LARGE);
  ledger_rule(c, CRUCIBLE_INLINE, 2, a, b);
  ledger_rule(c, CRUCIBLE_POOL, 3, state, a, a);
}

/// Fires reactions whose molecules need room from the heap, inline and on the pool.
static void large(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_large);
  for (int i = 0; i < 20; i++) ledger_inject(SPECIES(i % 2));
  for (int i = 0; i < 6; i++) ledger_inject(SPECIES(0));
  end();
}

// ---------------------------------------------------------------------------------------------------------------------
// Calls
// ---------------------------------------------------------------------------------------------------------------------

static void build_calls(struct ledger_chemistry *c) {
  struct ledger_species *call = ledger_species(c, CRUCIBLE_FAST, SMALL), *partner = ledger_species(c, CRUCIBLE_SLOW, 0);
  ledger_rule(c, CRUCIBLE_INLINE, 2, call, partner);
}

static void calls(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_calls);
  struct pending_call waiting[30];
  for (int i = 0; i < 30; i++) waiting[i] = ledger_call(SPECIES(0));
  for (int i = 0; i < 10; i++) ledger_inject(SPECIES(1));
  for (int i = 0; i < 30; i += 2) ledger_withdraw(&waiting[i]);
  end();
}

static void build_abandoned(struct ledger_chemistry *c) {
  struct ledger_species *held = ledger_species(c, CRUCIBLE_SLOW, 0);
  ledger_rule(c, CRUCIBLE_POOL, 1, held)->then = hold;
  struct ledger_species *call = ledger_species(c, CRUCIBLE_FAST, SMALL), *partner = ledger_species(c, CRUCIBLE_SLOW, 0);
  ledger_rule(c, CRUCIBLE_POOL, 2, call, partner);
}

/// Gives up calls whose withdrawal cannot be decided, because firings that wait for the pool will take as many. Then
/// further calls come, whose callers wait. The firings must take these.
static void abandon(crucible_matcher matcher) {
  prepare_holding();
  ledger_define(&chemistry, matcher, build_abandoned);
  bool is_held = occupy(SPECIES(0));
  struct pending_call given_up[6];
  uint64_t refused = 0;
  for (int i = 0; i < 6; i++) given_up[i] = ledger_call(SPECIES(1));
  for (int i = 0; i < 4; i++) ledger_inject(SPECIES(2));
  for (int i = 0; i < 6; i++) {
    refused += !given_up[i].waits;
    ledger_withdraw(&given_up[i]);
  }
  for (int i = 0; i < 4; i++) refused += !ledger_call(SPECIES(1)).waits;
  let_go(is_held);
  ledger_settle(&chemistry);
  uint64_t counts[3];
  crucible_soup_counts(chemistry.soup, counts);
  // The refused calls have been injected since then, too late for those firings. On locked an undecided call belongs to
  // its firing, and its reply is lost. If nothing held the pool, the firings may have begun at any time, and may have
  // taken calls that were given up later.
  if (matcher == CRUCIBLE_WORD && is_held && counts[1] > refused) {
    fail("%llu calls wait in vain", (unsigned long long)(counts[1] - refused));
  }
  ledger_end(&chemistry);
}

static struct pending_call from_elsewhere[8];
static void *withdraw_all(void *unused) {
  for (int i = 0; i < 8; i++) ledger_withdraw(&from_elsewhere[i]);
  return unused;
}

/// Withdraws calls on a thread that the core does not know. No body may answer them any more.
static void withdraw_elsewhere(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_calls);
  for (int i = 0; i < 8; i++) from_elsewhere[i] = ledger_call(SPECIES(0));
  on_new_thread(withdraw_all);
  uint64_t counts[2];
  crucible_soup_counts(chemistry.soup, counts);
  if (counts[0] > 0) fail("%llu calls wait that were withdrawn", (unsigned long long)counts[0]);
  end();
}

// ---------------------------------------------------------------------------------------------------------------------
// Elsewhere
// ---------------------------------------------------------------------------------------------------------------------

static void inject_next(struct ledger_chemistry *c) { ledger_inject(&c->species[2]); }

static void build_pool(struct ledger_chemistry *c) {
  struct ledger_species *a = ledger_species(c, CRUCIBLE_SLOW, SMALL), *b = ledger_species(c, CRUCIBLE_SLOW, 0);
  struct ledger_species *next = ledger_species(c, CRUCIBLE_SLOW, SMALL), *held = ledger_species(c, CRUCIBLE_SLOW, 0);
  ledger_rule(c, CRUCIBLE_POOL, 2, a, b)->then = inject_next;
  ledger_rule(c, CRUCIBLE_POOL, 1, next);
  ledger_rule(c, CRUCIBLE_POOL, 1, held)->then = hold;
}

/// Starts the pool. Its queue grows while its worker is occupied, and its bodies inject molecules that fire on the pool
/// again.
static void pool(crucible_matcher matcher) {
  prepare_holding();
  ledger_define(&chemistry, matcher, build_pool);
  bool is_held = occupy(SPECIES(3));
  for (int i = 0; i < 80; i++) ledger_inject(SPECIES(i % 2));
  crucible_pool_look();
  let_go(is_held);
  end();
}

static void hold_marked(struct ledger_chemistry *unused) {
  crucible_pool_begin_blocking();
  hold(unused);
  crucible_pool_end_blocking();
}

static void build_growth(struct ledger_chemistry *c) {
  struct ledger_species *held = ledger_species(c, CRUCIBLE_SLOW, 0), *other = ledger_species(c, CRUCIBLE_SLOW, SMALL);
  ledger_rule(c, CRUCIBLE_POOL, 1, held)->then = hold_marked;
  ledger_rule(c, CRUCIBLE_POOL, 1, other);
}

static _Atomic unsigned told;
static void note_shortage(const crucible_pool_shortage *shortage) {
  if (shortage->error != 0) atomic_fetch_add(&told, 1);
}

/// The pool's only worker declares that it blocks, and another one must replace it. If no thread can be made, the
/// handler is told, and the work is done when the first worker is back.
static void growth(crucible_matcher matcher) {
  bool threads_fail = failing_is(THREAD);
  crucible_pool_on_shortage(note_shortage);
  prepare_holding();
  ledger_define(&chemistry, matcher, build_growth);
  bool is_held = occupy(SPECIES(0));
  for (int i = 0; i < 4; i++) ledger_inject(SPECIES(1));
  bool lacked = threads_fail && failing_failures() > 0 && crucible_pool_look().threads == 1;
  if (lacked) failing_end();  // a worker that is back and idle tries once more to report it
  let_go(is_held);
  ledger_settle(&chemistry);
  for (time_t deadline = time(NULL) + 20; lacked && atomic_load(&told) == 0; sched_yield()) {
    if (time(NULL) > deadline) fail("nobody is told that a thread was needed and could not be had");
  }
  ledger_end(&chemistry);
}

static void build_external(struct ledger_chemistry *c) {
  struct ledger_species *a = ledger_species(c, CRUCIBLE_SLOW, SMALL), *state = ledger_species(c, CRUCIBLE_STATE, SMALL);
  struct ledger_species *b = ledger_species(c, CRUCIBLE_SLOW, SMALL);
  ledger_rule(c, CRUCIBLE_EXTERNAL, 2, state, a);
  ledger_rule(c, CRUCIBLE_EXTERNAL, 2, b, b);
}

static void external(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_external);
  for (int i = 0; i < 24; i++) {
    ledger_inject(SPECIES(i % 3 ? 2 : 0));
    if (i % 6 == 5) ledger_run_submitted(&chemistry);
  }
  end();
}

static void inject_self(struct ledger_chemistry *c) {
  static _Thread_local int left = 100;
  if (left-- > 0) ledger_inject(&c->species[0]);
}

static void build_deep(struct ledger_chemistry *c) {
  struct ledger_species *a = ledger_species(c, CRUCIBLE_SLOW, SMALL), *state = ledger_species(c, CRUCIBLE_STATE, 0);
  struct ledger_species *b = ledger_species(c, CRUCIBLE_SLOW, SMALL);
  ledger_rule(c, CRUCIBLE_INLINE, 1, a)->then = inject_self;
  ledger_rule(c, CRUCIBLE_INLINE, 2, state, b)->then = inject_self;
}

/// Nests firings too deeply, so they go into a slot; a thread that waits hands out what its slot has.
static void deep(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_deep);
  for (int i = 0; i < 4; i++) ledger_inject(SPECIES(i % 2 * 2));
  crucible_waiter never = {0};
  crucible_waiter_wait_noted(&never, 1000, NULL);
  end();
}

// ---------------------------------------------------------------------------------------------------------------------
// Control, looking, threads
// ---------------------------------------------------------------------------------------------------------------------

static void reset(crucible_name *state, void *context) {}

static void control(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_backlog);
  crucible_soup *soup = chemistry.soup;
  uint64_t dropped;
  for (int round = 0; round < 2; round++) {
    crucible_soup_pause(soup);
    for (int i = 0; i < 30; i++) ledger_inject(SPECIES(i % 3));
    crucible_soup_resume(soup);
    for (int i = 0; i < 30; i++) ledger_inject(SPECIES(0));
    crucible_soup_clear(soup, &dropped);
    for (int i = 0; i < 30; i++) ledger_inject(SPECIES(0));
    crucible_soup_stop(soup, &dropped);
    crucible_soup_end_stop(soup, NULL);
    if (!crucible_soup_wait_quiet(soup, UINT64_C(20000000000))) fail("a stopped soup is not quiet after 20 s");
    crucible_status status = crucible_soup_restart(soup, reset, NULL);
    if (status != CRUCIBLE_OK) fail("restart: %s", crucible_status_text(status));
  }
  end();
}

static void *control_as_stranger(void *unused) {
  uint64_t dropped;
  crucible_soup_pause(chemistry.soup);
  crucible_soup_resume(chemistry.soup);
  crucible_soup_clear(chemistry.soup, &dropped);
  return unused;
}

/// Controls the soup from a thread that the core does not know.
static void control_elsewhere(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_backlog);
  for (int i = 0; i < 10; i++) ledger_inject(SPECIES(0));
  on_new_thread(control_as_stranger);
  for (int i = 0; i < 10; i++) ledger_inject(SPECIES(1));
  end();
}

static void look(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_backlog);
  crucible_soup *soup = chemistry.soup;
  crucible_soup_observe(soup, true);
  for (int i = 0; i < 40; i++) ledger_inject(SPECIES(i % 3));
  ledger_inject_together(3, 2, (struct ledger_species *[]){SPECIES(0), SPECIES(1), SPECIES(2)});
  if (atomic_load(&chemistry.observed) !=
      atomic_load(&SPECIES(0)->given) + atomic_load(&SPECIES(1)->given) + atomic_load(&SPECIES(2)->given)) {
    fail("an observer was told of other injections than there were");
  }
  uint64_t running[2], reserved, time, counts[4];
  crucible_soup *soups[4];
  crucible_waiting notes[4];
  crucible_soup_activity(soup, running, &reserved);
  crucible_soup_waiting(soup, notes, 4, &time);
  crucible_soup_counts(soup, counts);
  for (size_t i = crucible_all_soups(soups, 4); i > 0; i--) crucible_soup_release(soups[i - 1]);
  crucible_pool_look();
  crucible_soup_observe(soup, false);
  end();
}

static void drop_saved(void *saved) {
  if (*(int *)saved != 1) fail("what a thread saved is dropped twice");
  *(int *)saved = 0;
}
static void *be_stranger(void *unused) {
  for (int i = 0; i < 6; i++) ledger_inject(SPECIES(i % 3));
  ledger_inject_together(2, 1, (struct ledger_species *[]){SPECIES(0), SPECIES(1)});
  static _Thread_local int saved;
  saved = 1;
  bool is_saved = crucible_thread_save(&saved, drop_saved);
  if (crucible_thread_take_saved() != (is_saved ? &saved : NULL)) fail("what a thread saves is lost");
  if (is_saved && !crucible_thread_save(&saved, drop_saved)) fail("what was saved once cannot be saved again");
  crucible_pool_begin_blocking();
  crucible_pool_end_blocking();
  return unused;
}

/// Makes threads that the core does not know, one after the other and at once.
static void threads(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_backlog);
  for (int i = 0; i < 2; i++) on_new_thread(be_stranger);
  pthread_t others[4];
  for (int i = 0; i < 4; i++) others[i] = ledger_thread(be_stranger, NULL);
  for (int i = 0; i < 4; i++) pthread_join(others[i], NULL);
  end();
}

enum { CROWD = 20 };
static pthread_barrier_t all_here;

/// One of more threads than have stripes in the soup. All are there before the first ends.
static void *be_one_of_many(void *unused) {
  ledger_inject(SPECIES(0));
  pthread_barrier_wait(&all_here);
  for (int i = 0; i < 3; i++) ledger_inject(SPECIES(i % 3));
  return unused;
}

static void crowd(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_backlog);
  pthread_t threads[CROWD];
  pthread_barrier_init(&all_here, NULL, CROWD);
  for (int i = 0; i < CROWD; i++) threads[i] = ledger_thread(be_one_of_many, NULL);
  for (int i = 0; i < CROWD; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&all_here);
  end();
}

/// Releases the soup while everything waits.
static void drop(crucible_matcher matcher) {
  ledger_define(&chemistry, matcher, build_definition);
  for (int i = 0; i < 40; i++) ledger_inject(SPECIES(i % 2 ? 6 : 0));
  crucible_soup_pause(chemistry.soup);
  for (int i = 0; i < 40; i++) ledger_inject(SPECIES(i % 2 ? 1 : 0));
  end();
}

const struct named_scenario scenarios[] = {
    {"define", define},
    {"repeat", repeat},
    {"inject", inject},
    {"spill", spill},
    {"together", together},
    {"together-in-components", together_in_components},
    {"large", large},
    {"calls", calls},
    {"abandon", abandon},
    {"withdraw-elsewhere", withdraw_elsewhere},
    {"pool", pool},
    {"growth", growth},
    {"external", external},
    {"deep", deep},
    {"control", control},
    {"control-elsewhere", control_elsewhere},
    {"look", look},
    {"threads", threads},
    {"crowd", crowd},
    {"drop", drop},
};
const unsigned scenario_count = sizeof scenarios / sizeof *scenarios;
