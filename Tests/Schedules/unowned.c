// A soup without an owner, which its bodies keep: they wait for calls of their own soup. A client answers these calls,
// or none does.

#include "trial.h"

enum { GO, QUESTION, TOKEN };
enum { REPLIED = 7 };

/// The call that client 1 has taken and not answered yet.
static crucible_waiter *kept;

static void answer(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  crucible_waiter *waiter = ((const struct payload *)inputs[0])->waiter;
  crucible_waiter_set_taken(waiter, true);
  if (scheduler_self() == 1) {
    kept = waiter;
  } else {
    crucible_waiter_signal(waiter, REPLIED);
  }
}

static void define(struct trial *trial) {
  kept = NULL;
  define_soup(trial);
}

/// A body that has left its thread: it calls, waits, and goes on.
static void ask(struct trial *trial, const void *task) {
  crucible_soup *soup = trial->soup;
  crucible_waiter waiter = {0};
  if (!ask_unowned(trial, QUESTION, &waiter)) {
    if (!crucible_soup_is_closed(soup)) scheduler_fail("the soup is gone while its body runs");
    return;
  }
  crucible_waiting note = {.name = trial->names[QUESTION].core, .waiter = &waiter, .limit = UINT64_MAX, .task = task};
  crucible_waiting_begin(&note, false);
  suspend(&waiter);
  crucible_waiting_end(&note);
  bool replied = waiter.outcome == REPLIED;
  if (replied == crucible_soup_is_closed(soup)) {
    scheduler_fail(replied ? "the soup is closed while a body goes on" : "a call ends, and the soup is not closed");
  }
  if (replied && inject_unowned(trial, TOKEN, 0) == NULL) scheduler_fail("the soup is gone while its body runs");
  if (!replied && inject_unowned(trial, TOKEN, 0)) scheduler_fail("a closed soup accepts a molecule");
}

static void use(struct trial *trial, unsigned index) {
  if (index == 1) {
    inject_unowned(trial, TOKEN, 0);
    if (kept) crucible_waiter_signal(kept, REPLIED);
    return;
  }
  if (index == 0) {
    inject_some(trial, GO, trial->chemistry->parameter);
    crucible_soup_release(trial->soup);
  }
  serve(trial, trial->chemistry->parameter);
}

/// No client answers.
static void leave(struct trial *trial, unsigned index) {
  if (index == 1) return serve(trial, trial->chemistry->parameter);
  inject_some(trial, GO, trial->chemistry->parameter);
  crucible_soup_release(trial->soup);
}

#define UNOWNED(text, what, bodies, number, use)                                                            \
  CASE(text, what, number, define, use, .placement = CRUCIBLE_EXTERNAL, .mixed = true, .parameter = bodies, \
       .soup = "g q! t: g qt", .acts = {NULL, answer}, .between = ask, .waits = true, .gone = true, \
       .scheduled = true)

UNOWNED("unowned", "the owner leaves a body that calls its own soup, and may be answered", 1, 3, use);
UNOWNED("unowned-two", "the same with two bodies", 2, 3, use);
UNOWNED("unowned-alone", "the owner leaves a body that calls its own soup in vain", 1, 2, leave);

// ---------------------------------------------------------------------------------------------------------------------
// Bodies that learn that no owner is left (UNOWNED-4)
// ---------------------------------------------------------------------------------------------------------------------

static bool is_told;

static void define_told(struct trial *trial) {
  is_told = false;
  define_soup(trial);
}

static void tell(const void *task, void *context) {
  (void)task, (void)context;
  is_told = true;
}
static void tell_all(crucible_soup *soup) { crucible_soup_visit_tasks(soup, tell, NULL); }

/// A body that goes on until it learns of it.
static void wait_until_told(struct trial *trial, const void *task) {
  (void)task;
  if (!crucible_soup_is_owned(trial->soup)) is_told = true;
  while (!is_told) spin_pause();
}

CASE("unowned-told", "the owner leaves while a body begins that goes on until it learns of it", 2, define_told, leave,
     .placement = CRUCIBLE_EXTERNAL, .parameter = 1, .soup = "g: g", .between = wait_until_told, .unowned = tell_all,
     .waits = true, .gone = true, .scheduled = true);
