// Pause and resume, clear, stop and restart, while other threads inject.

#include "trial.h"

enum { A, B, S };

// ---------------------------------------------------------------------------------------------------------------------
// a & b, where a is a call
// ---------------------------------------------------------------------------------------------------------------------

static void define_join(struct trial *trial) {
  declare(trial, "a", CALL_NAME);
  declare(trial, "b", CARRIES);
  REACT(trial, NULL, A, B);
  if (trial->chemistry->parameter) fill_up(trial, trial->chemistry->parameter);
}

static void define_void(struct trial *trial) {
  declare(trial, "a", CALL_NAME);
  declare(trial, "b", VOID_NAME);
  REACT(trial, NULL, A, B);
  if (trial->chemistry->parameter) fill_up(trial, trial->chemistry->parameter);
}

/// Defines a, b: each carries one machine word, and reacts alone.
static void define_small(struct trial *trial) {
  declare(trial, "a", SMALL_NAME);
  declare(trial, "b", SMALL_NAME);
  REACT(trial, NULL, A);
  REACT(trial, NULL, B);
}

/// Defines a → b → a …: each carries one machine word. On a pool a worker carries each one from the body that injects
/// it to the next.
static void define_steps(struct trial *trial) {
  declare(trial, "a", SMALL_NAME);
  declare(trial, "b", SMALL_NAME);
  REACT(trial, step_on, A);
  REACT(trial, step_on, B);
}

/// Defines a & s, b & s. A name without payload that reacts with a state alone takes the shortest path of injection.
static void define_state(struct trial *trial) {
  declare(trial, "a", CALL_NAME);
  declare(trial, "b", VOID_NAME);
  declare(trial, "s", STATE_NAME);
  REACT(trial, NULL, A, S);
  REACT(trial, NULL, B, S);
  if (trial->chemistry->parameter) fill_up(trial, trial->chemistry->parameter);
}

static void inject_two_kinds(struct trial *trial, unsigned index) {
  try_to_inject(trial, index == 1 ? A : B);
  try_to_inject(trial, index == 1 ? B : A);
  try_to_inject(trial, index == 1 ? A : B);
}

/// Calls twice, and gives the second call up.
static void call_and_withdraw(struct trial *trial, unsigned index) {
  struct molecule *first = call(trial, A);
  struct molecule *second = call(trial, A);
  try_to_inject(trial, B);
  if (second) withdraw(trial, second);
  if (first && index == 2) withdraw(trial, first);
}

// ---------------------------------------------------------------------------------------------------------------------
// Clear
// ---------------------------------------------------------------------------------------------------------------------

static void clear_or_inject(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject_two_kinds(trial, index);
    return;
  }
  clear_all(trial);
  inject(trial, A, 0);
  clear_all(trial);
}

static void clear_or_call(struct trial *trial, unsigned index) {
  if (index > 0) {
    call_and_withdraw(trial, index);
    return;
  }
  clear_all(trial);
  inject_together(trial, "ab");
  clear_all(trial);
}

// ---------------------------------------------------------------------------------------------------------------------
// Pause and resume
// ---------------------------------------------------------------------------------------------------------------------

static void pause_or_inject(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject_two_kinds(trial, index);
    return;
  }
  pause_all(trial);
  trial->paused = scheduler_tick();
  wait_for_silence(trial);
  inject(trial, A, 0);
  inject_together(trial, "ab");
  resume_all(trial);
}

/// Pauses one name, while the other names of the component must go on.
static void pause_one_or_inject(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject_two_kinds(trial, index);
    return;
  }
  pause_name(trial, A);
  wait_for_hush(trial, A);
  inject(trial, A, 0);
  inject_together(trial, "ab");
  if (trial->chemistry->parameter == 0) clear_name(trial, B);
  resume_name(trial, A);
}

static void pause_one_or_clear(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject_two_kinds(trial, index);
    return;
  }
  pause_name(trial, A);
  inject(trial, A, 0);
  clear_all(trial);
  inject(trial, A, 0);
  stop_and_empty(trial);
  resume_name(trial, A);
  restart_all(trial);
}

/// Two clients pause the name; one of them pauses the soup as well.
static void pause_one_or_call(struct trial *trial, unsigned index) {
  if (index > 0) {
    call_and_withdraw(trial, index);
    return;
  }
  pause_name(trial, A);
  wait_for_hush(trial, A);
  pause_all(trial);
  inject(trial, B, 0);
  struct molecule *own = call(trial, A);
  resume_name(trial, A);
  pause_name(trial, B);
  resume_all(trial);
  resume_name(trial, B);
  withdraw(trial, own);
}

static void pause_or_call(struct trial *trial, unsigned index) {
  if (index > 0) {
    call_and_withdraw(trial, index);
    return;
  }
  pause_all(trial);
  inject(trial, B, 0);
  struct molecule *own = call(trial, A);
  resume_all(trial);
  withdraw(trial, own);
}

static void pause_by_two(struct trial *trial, unsigned index) {
  if (index == 2) {
    inject_two_kinds(trial, 1);
    inject(trial, B, 0);
    return;
  }
  pause_all(trial);
  inject(trial, index == 0 ? A : B, 0);
  resume_all(trial);
}

// ---------------------------------------------------------------------------------------------------------------------
// Step
// ---------------------------------------------------------------------------------------------------------------------

/// Stays paused: no resume does what a step left undone.
static void step_or_inject(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject_two_kinds(trial, index);
    return;
  }
  pause_all(trial);
  wait_for_silence(trial);
  step_once(trial);
  inject_together(trial, "ab");
  wait_for_silence(trial);
  if (!step_once(trial)) scheduler_fail("a step finds no reaction, and all molecules of one wait");
}

static void step_or_call(struct trial *trial, unsigned index) {
  if (index > 0) {
    call_and_withdraw(trial, index);
    return;
  }
  pause_all(trial);
  wait_for_silence(trial);
  for (unsigned i = 0; i < 3; i++) step_once(trial);
}

static void step_by_two(struct trial *trial, unsigned index) {
  if (index == 2) {
    inject_two_kinds(trial, 1);
    inject(trial, B, 0);
    return;
  }
  if (index == 1) {
    step_once(trial);
    step_once(trial);
    return;
  }
  pause_all(trial);
  inject_together(trial, "aabb");
  step_once(trial);
  resume_all(trial);
}

static void step_or_stop(struct trial *trial, unsigned index) {
  if (index == 2) {
    inject_two_kinds(trial, 1);
  } else if (index == 1) {
    for (unsigned i = 0; i < 3; i++) step_once(trial);
  } else {
    pause_all(trial);
    stop_and_empty(trial);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Stop
// ---------------------------------------------------------------------------------------------------------------------

static void stop_or_inject(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject_two_kinds(trial, index);
    return;
  }
  inject(trial, A, 0);
  stop_and_empty(trial);
  try_to_inject(trial, B);
}

/// Injects more than a field holds, from two clients whose injections may have passed the check for a stop.
static void stop_or_inject_one_kind(struct trial *trial, unsigned index) {
  if (index > 0) {
    for (unsigned i = 0; i < 2; i++) try_to_inject(trial, A);
    return;
  }
  stop_and_empty(trial);
}

static void stop_or_call(struct trial *trial, unsigned index) {
  if (index > 0) {
    call_and_withdraw(trial, index);
    return;
  }
  stop_and_empty(trial);
}

static void stop_or_inject_together(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject_together(trial, index == 1 ? "aab" : "ba");
    inject_together(trial, "ab");
    return;
  }
  stop_and_empty(trial);
}

static void stop_by_two(struct trial *trial, unsigned index) {
  if (index == 2) {
    inject_two_kinds(trial, 1);
    return;
  }
  try_to_inject(trial, index == 0 ? A : B);
  stop_and_empty(trial);
}

static void stop_the_paused(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject_two_kinds(trial, index);
    return;
  }
  pause_all(trial);
  stop_and_empty(trial);
  restart_all(trial);
  inject(trial, A, 0);
  resume_all(trial);
}

// ---------------------------------------------------------------------------------------------------------------------
// Drain
// ---------------------------------------------------------------------------------------------------------------------

/// A body of the soup: a drain refuses neither what it injects, nor what others inject by names that do not own.
static void go_on(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)molecules;
  (void)inputs;
  bool injected = try_to_inject(trial, B) != NULL;
  if (injected) injected = inject_unowned(trial, S, 0) != NULL;
  if (!injected && !trial->stop_begun) scheduler_fail("a drain refuses what a body injects");
}

static void define_chain(struct trial *trial) {
  declare(trial, "a", CARRIES);
  declare(trial, "b", CARRIES);
  declare(trial, "c", VOID_NAME);
  REACT(trial, go_on, A);
  REACT(trial, NULL, B, S);
}

/// Whether the drain had returned before now, for the calling thread.
static bool is_drained(const struct trial *trial) {
  return trial->drain_returned && comes_before(trial->drain_returned, scheduler_tick());
}

static void drain_or_inject(struct trial *trial, unsigned index) {
  if (index == 0) {
    drain_and_empty(trial);
    return;
  }
  for (unsigned i = 0; i < 2; i++) {
    bool drained = is_drained(trial);
    if (try_to_inject(trial, A) && drained) scheduler_fail("a soup that is drained accepts a molecule from outside");
  }
  bool drained = is_drained(trial);
  if (inject_together(trial, "aa") == CRUCIBLE_OK && drained) {
    scheduler_fail("a soup that is drained accepts two molecules");
  }
  if (!inject_unowned(trial, S, 0) && !trial->stop_begun) scheduler_fail("a drain refuses a name that does not own");
}

// ---------------------------------------------------------------------------------------------------------------------
// Restart
// ---------------------------------------------------------------------------------------------------------------------

static void restart_or_inject(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject_two_kinds(trial, index);
    return;
  }
  stop_and_empty(trial);
  restart_all(trial);
  inject(trial, B, 0);
  inject(trial, A, 0);
}

/// Not quiet yet, perhaps.
static void restart_at_once(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject_two_kinds(trial, index);
    return;
  }
  stop_all(trial);
  restart_all(trial);
}

static void restart_or_call(struct trial *trial, unsigned index) {
  if (index > 0) {
    call_and_withdraw(trial, index);
    return;
  }
  stop_and_empty(trial);
  restart_all(trial);
  inject(trial, B, 0);
  withdraw(trial, call(trial, A));
}

/// Declares a case twice: inline and on the pool. Control takes a lock, and a thread that waits for quiet waits for
/// others.
#define CONTROL(text, what, names, definition, use) \
  INLINE_AND_POOL(text, what, definition, use, .parameter = names, .waits = true)

CONTROL("clear", "a & b is cleared while two threads inject", 0, define_join, clear_or_inject);
CONTROL("clear-void", "the same, and b carries nothing", 0, define_void, clear_or_inject);
CONTROL("clear-full", "the same, and a field counts one", 31, define_join, clear_or_inject);
CONTROL("clear-state", "a state outlasts clearing", 0, define_state, clear_or_inject);
CONTROL("clear-call", "calls are cleared and given up", 0, define_join, clear_or_call);
CONTROL("clear-small", "words that react alone are cleared", 0, define_small, clear_or_inject);
CONTROL("pause-small", "words that react alone are paused", 0, define_small, pause_or_inject);
CONTROL("restart-small", "words that react alone meet a stop and a restart", 0, define_small, restart_or_inject);
CONTROL("clear-steps", "bodies that inject words which react alone, and a clear", 0, define_steps, clear_or_inject);
CONTROL("pause-steps", "the same, and a pause", 0, define_steps, pause_or_inject);
CONTROL("pause-one-steps", "the same, and a pause of one name", 0, define_steps, pause_one_or_inject);
CONTROL("restart-steps", "the same, and a stop and a restart", 0, define_steps, restart_or_inject);
CONTROL("pause", "a & b is paused while two threads inject", 0, define_join, pause_or_inject);
CONTROL("pause-full", "the same, and a field counts one", 31, define_join, pause_or_inject);
CONTROL("pause-void-full", "the same, and b carries nothing", 31, define_void, pause_or_inject);
CONTROL("pause-state", "reactions over a state are paused", 0, define_state, pause_or_inject);
CONTROL("pause-call", "calls are given up, paused or not", 0, define_join, pause_or_call);
CONTROL("pause-two", "two threads pause and resume", 0, define_join, pause_by_two);
CONTROL("step", "a & b is let react once, and once more, while two threads inject", 0, define_join, step_or_inject);
CONTROL("step-full", "the same, and a field counts one", 31, define_join, step_or_inject);
CONTROL("step-state", "reactions over a state are let react one by one", 0, define_state, step_or_inject);
CONTROL("step-call", "calls are given up while others are let react", 0, define_join, step_or_call);
CONTROL("step-two", "two threads let reactions react, and one resumes", 0, define_void, step_by_two);
CONTROL("step-stop", "a thread lets reactions react, and another one stops", 0, define_join, step_or_stop);
CONTROL("pause-one", "one name of two that share a state is paused", 0, define_state, pause_one_or_inject);
CONTROL("pause-one-full", "a name is paused whose field counts one", 31, define_join, pause_one_or_inject);
CONTROL("pause-one-call", "calls of a paused name are given up", 0, define_join, pause_one_or_call);
CONTROL("pause-one-clear", "a soup with a paused name is cleared and stopped", 0, define_join, pause_one_or_clear);
CONTROL("stop", "a & b is stopped while two threads inject", 0, define_join, stop_or_inject);
CONTROL("stop-full", "the same, and a field counts one", 31, define_join, stop_or_inject);
CONTROL("stop-state", "reactions over a state are stopped", 0, define_state, stop_or_inject);
CONTROL("stop-call", "calls are given up while the soup is stopped", 0, define_join, stop_or_call);
CONTROL("stop-together", "several at once meet a stop", 0, define_join, stop_or_inject_together);
CONTROL("stop-two", "two threads stop the soup", 0, define_void, stop_by_two);
CONTROL("stop-paused", "a paused soup is stopped, restarted, and resumed", 0, define_void, stop_the_paused);
CONTROL("drain", "a soup whose bodies inject is drained while two threads inject", 0, define_chain, drain_or_inject);
CONTROL("restart", "a & b is stopped and restarted while two threads inject", 0, define_join, restart_or_inject);
CONTROL("restart-full", "the same, and a field counts one", 31, define_join, restart_or_inject);
CONTROL("restart-state", "a state begins again", 0, define_state, restart_or_inject);
CONTROL("restart-state-full", "the same, and a field counts one", 31, define_state, restart_or_inject);
CONTROL("restart-busy", "a soup is restarted as soon as its bodies have ended", 0, define_state, restart_at_once);
CONTROL("restart-call", "calls are given up before and after a restart", 0, define_join, restart_or_call);

INLINE_CASE("stop-full-same", "two threads inject a alone, whose field counts one, and a third stops", 3, define_join,
            stop_or_inject_one_kind, .parameter = 31, .waits = true);
