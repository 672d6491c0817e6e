// Cases that the others do not meet. A pool grows, threads are short, a process forks while memory is retired. A caller
// uses the shell of a soup that is gone, a body's context is exchanged, a soup becomes observed.

#include <string.h>

#include "base/memory.h"
#include "base/reclamation.h"
#include "firing/firing.h"
#include "pool/pool.h"
#include "trial.h"
#include "types.h"
#include "weak/weak.h"

enum { A, B };

// ---------------------------------------------------------------------------------------------------------------------
// A pool that grows, and shrinks
// ---------------------------------------------------------------------------------------------------------------------

static void inject_or_grow(struct trial *trial, unsigned index) {
  if (index == 0) {
    if (!crucible_pool_set_workers(2)) scheduler_fail("two workers are refused");
  } else {
    inject_some(trial, A, 2);
  }
}

CASE("pool-grows", "a pool of one becomes one of two, and its bodies wait for each other", 2, define_soup,
     inject_or_grow, .soup = "a-: a~", .placement = CRUCIBLE_POOL, .waits = true);

/// The body blocks, and then the limit is raised, so that another thread can replace the blocked one.
static void inject_or_raise(struct trial *trial, unsigned index) {
  if (index == 0) {
    if (!crucible_pool_set_limit(2)) scheduler_fail("a limit of two is refused");
  } else {
    inject_some(trial, A, 2);
  }
}

static void block_for_partner(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  crucible_pool_begin_blocking();
  wait_for_partner(trial, molecules, inputs);
  crucible_pool_end_blocking();
}

static void shortage_is_told(const crucible_pool_shortage *shortage) {
  if (shortage->status.limit < 1 || shortage->status.limit > 2) {
    scheduler_fail("a shortage is reported that differs from the one there was");
  }
}

static void define_limited(struct trial *trial) {
  declare(trial, "a", VOID_NAME);
  REACT(trial, block_for_partner, A);
  crucible_pool_on_shortage(shortage_is_told);
  crucible_pool_set_limit(1);
}

static void unlimit(struct trial *trial) {
  crucible_pool_set_limit(CRUCIBLE_FIRST_LIMIT);
  crucible_pool_on_shortage(NULL);
}

CASE("pool-limited", "the limit of a pool whose bodies block is raised", 2, define_limited, inject_or_raise,
     .placement = CRUCIBLE_POOL, .check = unlimit, .waits = true);

// ---------------------------------------------------------------------------------------------------------------------
// Shortages that several threads report
// ---------------------------------------------------------------------------------------------------------------------

enum { TOLD = 4 };
static struct {
  uint64_t told[TOLD], handled[TOLD];  ///< when
  unsigned told_count, handled_count;
  char of_the_handler;
} shortages;

static void handle(const crucible_pool_shortage *shortage) {
  if (shortage->status.workers != shortage->status.limit) {
    scheduler_fail("a shortage is reported that never was, or only half of one");
  }
  shortages.handled[shortages.handled_count++] = scheduler_tick();
  hand_over(&shortages);
}

/// Uses memory that was written before this became the handler.
static void handle_later(const crucible_pool_shortage *shortage) {
  uses(&shortages.of_the_handler, 1);
  handle(shortage);
}

static void tell(uint64_t number) {
  crucible_pool_shortage shortage = {.status = {.workers = number, .limit = number}};
  shortages.told[shortages.told_count++] = scheduler_tick();
  crucible__shortage_tell(&shortage);
}

static void begin_shortages(struct trial *trial) {
  memset(&shortages, 0, sizeof shortages);
  crucible_pool_on_shortage(handle);
}

/// Whether some handler call covers a shortage reported at this moment. A report may be left out only if another one is
/// still unread, so a handler call that follows it had not ended when it was made.
static bool is_heard(uint64_t when_told) {
  for (unsigned i = 0; i < shortages.handled_count; i++) {
    if (!comes_before(shortages.handled[i], when_told)) return true;
  }
  return false;
}

/// Reports shortages, and waits for each of them until the handler has it: a lost one hangs the case. With a parameter
/// the second shortage comes after the handler has the first, and the thread that reported the first may be about to
/// end.
static void tell_shortages(struct trial *trial, unsigned index) {
  if (index == 0) {
    uses(&shortages.of_the_handler, 1);
    crucible_pool_on_shortage(handle_later);
    tell(1);
  } else if (trial->chemistry->parameter) {
    while (shortages.handled_count == 0) spin_pause();
    taken_over(&shortages);
  }
  if (index > 0 || !trial->chemistry->parameter) tell(2 + index);
  for (unsigned i = 0; i < shortages.told_count; i++) {
    while (!is_heard(shortages.told[i])) spin_pause();
  }
}

static void forget_handler(struct trial *trial) {
  crucible_pool_on_shortage(NULL);
}

CASE("shortage", "two threads report shortages, and a third sets the handler", 2, begin_shortages, tell_shortages,
     .check = forget_handler, .waits = true, .bare = true, .scheduled = true);

CASE("shortage-again", "another shortage is reported as the thread that reported the first one ends", 2,
     begin_shortages, tell_shortages, .parameter = 1, .check = forget_handler, .waits = true, .bare = true,
     .scheduled = true);

// ---------------------------------------------------------------------------------------------------------------------
// The shell
// ---------------------------------------------------------------------------------------------------------------------

static crucible_soup *shell;
static void pass(void *context, void *const *inputs) {}

static void define_shell(struct trial *trial) {
  shell = crucible_soup_create(&(crucible_soup_options){.label = "shell", .matcher = CRUCIBLE_WORD, .seed = 1});
  crucible_name *name = NULL, *culprit = NULL;
  if (!shell || crucible_soup_add_name(shell, &(crucible_name_options){.label = "a"}, NULL, &name) != CRUCIBLE_OK ||
      crucible_soup_add_reaction(shell,
                                 &(crucible_reaction_options){
                                     .inputs = &name, .input_count = 1, .placement = CRUCIBLE_INLINE, .body = pass},
                                 &culprit) != CRUCIBLE_OK ||
      crucible_soup_freeze(shell, &culprit) != CRUCIBLE_OK) {
    scheduler_fail("the soup is refused");
  }
  for (unsigned i = 0; i < trial->chemistry->clients; i++) crucible_soup_retain_shell(shell);
}

/// Each client has a name, which it may call and ask after the soup is gone.
static void use_shell(struct trial *trial, unsigned index) {
  crucible_name *name = crucible_soup_name(shell, 0);
  if (index == 0) {
    crucible_soup_release(shell);
  } else {
    crucible_inject_unowned(name, &(char){0});
  }
  if (crucible_name_label(name)[0] != 'a') scheduler_fail("a label is lost");
  crucible_soup_release_shell(shell);
}

CASE("shell", "names outlive their soup, and their memory goes with the last", 3, define_shell, use_shell,
     .bare = true);

// ---------------------------------------------------------------------------------------------------------------------
// Exchanged while injected
// ---------------------------------------------------------------------------------------------------------------------

enum { EXCHANGED = MOST_RULES - 1 };

static void use_context(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  uses(&trial->rules[EXCHANGED], sizeof trial->rules[EXCHANGED]);
}

static void exchange_or_inject(struct trial *trial, unsigned index) {
  if (index == 0) {
    struct trial_rule *rule = &trial->rules[EXCHANGED];
    uses(rule, sizeof *rule);
    *rule = trial->rules[0];
    rule->act = use_context;
    crucible_soup_set_reaction_context(trial->soup, 0, rule);
  } else {
    inject(trial, index == 1 ? A : B, 0);
  }
}

INLINE_CASE("context", "what a body is called with is exchanged", 3, define_soup, exchange_or_inject, AB);

static void noticed(void *context, crucible_name *name, const void *value, uint64_t count, crucible_stage stage) {
  if (count != 1 || crucible_name_label(name)[0] > 'b') scheduler_fail("another injection is noticed than there was");
}

static void define_observed(struct trial *trial) {
  ((struct chemistry *)(uintptr_t)trial->soup->place)->options.notify = noticed;
  define_soup(trial);
}

/// Freezes the soup, then checks that nothing can be added, and so on. The others inject meanwhile.
static void observe_or_inject(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject(trial, index == 1 ? A : B, 0);
    crucible_soup_observe(trial->soup, index == 1);
    inject(trial, index == 1 ? B : A, 0);
    return;
  }
  crucible_name *name = NULL, *culprit = NULL;
  freeze_soup(trial->soup);
  if (crucible_soup_add_name(trial->soup, &(crucible_name_options){.label = "c"}, NULL, &name) != CRUCIBLE_FROZEN ||
      crucible_soup_add_reaction(trial->soup, &(crucible_reaction_options){.body = pass}, &culprit) !=
          CRUCIBLE_FROZEN) {
    scheduler_fail("a frozen soup grows");
  }
}

INLINE_CASE("observe", "a soup becomes observed, and is frozen, while two threads inject", 3, define_observed,
            observe_or_inject, AB, .waits = true, .unfrozen = true, .unordered = true);

/// Reads what freezing made, which any thread may do once the soup is frozen.
static void freeze_or_look(struct trial *trial, unsigned index) {
  uint64_t counts[MOST_NAMES];
  if (index == 0) {
    freeze_soup(trial->soup);
  } else if (index == 1) {
    crucible_soup_counts(trial->soup, counts);
  } else {
    crucible_soup_is_quiet(trial->soup);
  }
}

INLINE_CASE("look-frozen", "a soup is looked at while it is frozen", 3, define_soup, freeze_or_look, AB, .waits = true,
            .unfrozen = true);
