// Facts: readers race with the thread that makes a fact known, with others that try the same, and with a stop.

#include "trial.h"

enum { A, B, F, G };

// ---------------------------------------------------------------------------------------------------------------------
// a & f, b & f, where a is a call and f a fact
// ---------------------------------------------------------------------------------------------------------------------

static void define_readers(struct trial *trial) {
  declare(trial, "a", CALL_NAME);
  declare(trial, "b", SMALL_NAME);
  declare(trial, "f", FACT_NAME);
  REACT(trial, NULL, A, F);
  REACT(trial, NULL, B, F);
  if (trial->chemistry->parameter) fill_up(trial, trial->chemistry->parameter);
}

static void read_or_learn(struct trial *trial, unsigned index) {
  if (index == 1) {
    inject(trial, A, 0);
    inject(trial, B, 0);
    inject(trial, A, 0);
    return;
  }
  inject(trial, B, 0);
  learn(trial, F);
  inject(trial, A, 0);
  if (learn(trial, F)) scheduler_fail("a fact is injected twice");
}

// ---------------------------------------------------------------------------------------------------------------------
// s & a & f & g, s & b
// ---------------------------------------------------------------------------------------------------------------------

enum { S = G + 1 };

static void define_two(struct trial *trial) {
  declare(trial, "a", VOID_NAME);
  declare(trial, "b", VOID_NAME);
  declare(trial, "f", FACT_NAME);
  declare(trial, "g", FACT_NAME);
  declare(trial, "s", STATE_NAME);
  REACT(trial, NULL, S, A, F, G);
  REACT(trial, NULL, S, B);
}

static void learn_two(struct trial *trial, unsigned index) {
  inject(trial, index == 0 ? A : B, 0);
  learn(trial, index == 1 ? G : F);
  inject(trial, index == 0 ? B : A, 0);
  learn(trial, index == 1 ? F : G);
}

// ---------------------------------------------------------------------------------------------------------------------
// a → b, b & f → a: a worker carries each one from the body that injects it to the next body
// ---------------------------------------------------------------------------------------------------------------------

static void define_steps(struct trial *trial) {
  declare(trial, "a", SMALL_NAME);
  declare(trial, "b", SMALL_NAME);
  declare(trial, "f", FACT_NAME);
  declare(trial, "g", VOID_NAME);
  REACT(trial, step_on, A);
  REACT(trial, step_on, B, F);
  REACT(trial, NULL, G);  // after its body a worker has a hold to spare
}

static void step_or_learn(struct trial *trial, unsigned index) {
  inject(trial, G, 0);
  inject(trial, A, 0);
  if (index == 0) learn(trial, F);
}

// ---------------------------------------------------------------------------------------------------------------------
// Control
// ---------------------------------------------------------------------------------------------------------------------

/// A stop and a restart make the soup forget the fact; then it becomes known again.
static void forget_and_learn(struct trial *trial) {
  stop_and_empty(trial);
  restart_all(trial);
  try_to_inject(trial, A);
  learn(trial, F);
}

static void stop_or_read(struct trial *trial, unsigned index) {
  if (index > 0) {
    learn(trial, F);
    try_to_inject(trial, A);
    try_to_inject(trial, index == 1 ? A : B);
    return;
  }
  forget_and_learn(trial);
}

static void pause_or_read(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject(trial, A, 0);
    if (index == 1) learn(trial, F);
    inject(trial, index == 1 ? A : B, 0);
    return;
  }
  pause_all(trial);
  wait_for_silence(trial);
  learn(trial, F);
  inject(trial, A, 0);
  resume_all(trial);
}

/// Pauses one name meanwhile.
static void hush_or_read(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject(trial, A, 0);
    if (index == 1) learn(trial, F);
    inject(trial, A, 0);
    return;
  }
  pause_name(trial, A);
  wait_for_hush(trial, A);
  learn(trial, F);
  inject(trial, A, 0);
  resume_name(trial, A);
}

static void clear_or_read(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject(trial, A, 0);
    if (index == 1) learn(trial, F);
    inject(trial, B, 0);
    inject(trial, A, 0);
    return;
  }
  clear_all(trial);
  learn(trial, F);
  inject(trial, B, 0);
  clear_all(trial);
}

/// Races with bodies that inject what the fact is read with.
static void stop_or_step(struct trial *trial, unsigned index) {
  if (index > 0) {
    try_to_inject(trial, G);
    try_to_inject(trial, A);
    learn(trial, F);
    return;
  }
  forget_and_learn(trial);
}

static void pause_or_step(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject(trial, G, 0);
    inject(trial, A, 0);
    if (index == 1) learn(trial, F);
    return;
  }
  pause_all(trial);
  trial->paused = scheduler_tick();
  wait_for_silence(trial);
  inject(trial, A, 0);
  trial->paused = 0;
  step_once(trial);
  resume_all(trial);
}

static void withdraw_or_learn(struct trial *trial, unsigned index) {
  if (index > 0) {
    withdraw(trial, call(trial, A));
    if (index == 1) learn(trial, F);
    withdraw(trial, call(trial, A));
    return;
  }
  inject(trial, B, 0);
  learn(trial, F);
  inject(trial, A, 0);
}

/// The word is the same before the stop and after the restart, except on matchers whose words record facts.
static void stop_around(struct trial *trial, unsigned index) {
  if (index == 1) {
    learn(trial, F);
    try_to_inject(trial, B);
    return;
  }
  while (!crucible_fact_is_known(trial->names[F].core)) spin_pause();
  stop_and_empty(trial);
  restart_all(trial);
}

// ---------------------------------------------------------------------------------------------------------------------

INLINE_AND_POOL("fact", "two threads inject molecules that a fact is read with, and one makes the fact known as well",
                define_readers, read_or_learn);
INLINE_CASE("fact-wide", "the same in a component of several words", 3, define_readers, read_or_learn,
            .parameter = 34, .crowded = true);
INLINE_AND_POOL("fact-two", "reactions with a state, one of which reads two facts", define_two, learn_two);
INLINE_AND_POOL("fact-stop", "a stop and a restart, which forgets the fact, against readers", define_readers,
                stop_or_read, .waits = true);
INLINE_CASE("fact-pause", "a pause in which the fact becomes known, against readers", 3, define_readers, pause_or_read,
            .waits = true);
INLINE_AND_POOL("fact-hush", "a pause of one name in which the fact becomes known, against readers", define_readers,
                hush_or_read, .waits = true);
INLINE_AND_POOL("fact-clear", "a clear against readers", define_readers, clear_or_read);
INLINE_AND_POOL("fact-withdraw", "calls that read the fact are withdrawn while it becomes known", define_readers,
                withdraw_or_learn);
INLINE_AND_POOL("fact-steps", "bodies inject what a fact is read with, before it is known and after", define_steps,
                step_or_learn);
INLINE_AND_POOL("fact-steps-stop", "the same, and a stop and a restart", define_steps, stop_or_step, .waits = true);
INLINE_AND_POOL("fact-steps-pause", "the same, and a pause that lets one reaction fire", define_steps, pause_or_step,
                .waits = true);
INLINE_CASE("fact-around", "a stop and a restart around the only read", 2, define_readers, stop_around, .waits = true);
