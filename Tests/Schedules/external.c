// Reactions that are placed externally. The core hands their firings, with their molecules, to a list. Clients run them
// from there as the threads where they belong, in one step, or in two with the states away in between.

#include "states.h"

// ---------------------------------------------------------------------------------------------------------------------
// a & b
// ---------------------------------------------------------------------------------------------------------------------

enum { A, B };

static void inject_and_serve(struct trial *trial, unsigned index) {
  inject_some(trial, index == 0 ? A : B, 2);
  serve(trial, 2);
}

// ---------------------------------------------------------------------------------------------------------------------
// a, on a place that runs one firing at a time: client 0 is its thread
// ---------------------------------------------------------------------------------------------------------------------

static void inject_or_serve(struct trial *trial, unsigned index) {
  if (index > 0) {
    inject_some(trial, A, 2);
    return;
  }
  if (trial->chemistry->enters) inject(trial, A, 0);
  serve(trial, trial->chemistry->enters ? 5 : 4);
}

/// Resumes a soup, and so reserves what waits, while another client injects.
static void resume_or_serve(struct trial *trial, unsigned index) {
  if (index == 0) {
    serve(trial, 5);
  } else if (index == 1) {
    pause_all(trial);
    inject_some(trial, A, 2);
    resume_all(trial);
    inject(trial, A, 0);
  } else {
    inject_some(trial, A, 2);
  }
}

/// Checks FIRING-5: what one client injected began in its order.
static void check_begun_in_order(struct trial *trial) {
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    for (unsigned j = i + 1; j < trial->molecule_count; j++) {
      const struct molecule *older = &trial->molecules[i], *younger = &trial->molecules[j];
      if (older->pusher == younger->pusher && comes_before(younger->consumed, older->consumed)) {
        scheduler_fail("molecule %u began before molecule %u, which the same client injected earlier", j, i);
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// a & b runs elsewhere; a & c runs inline, and its body injects a and b. The origins of one client are all the same
// pointer, because a new origin may reuse the memory of a freed one.
// ---------------------------------------------------------------------------------------------------------------------

enum { C = B + 1 };

static void go_on(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  inject(trial, A, 0);
  inject(trial, B, 0);
}

/// Checks that a firing is marked as the thread's own exactly while the thread injects its first molecule.
static void check_own(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  bool is_being_injected = molecules[0]->returned == 0;
  if (trial->own[scheduler_self()] != is_being_injected) {
    scheduler_fail("a firing is%s known as that of the molecule that its thread injects",
                   is_being_injected ? " not" : "");
  }
}

static void inject_and_go_on(struct trial *trial, unsigned index) {
  inject(trial, B, 0);
  inject(trial, A, 0);
  inject(trial, C, 0);
  inject(trial, A, 0);
  serve(trial, 2);
}

// ---------------------------------------------------------------------------------------------------------------------
// a, injected with an origin of client 0, as timers do, while the definition ends
// ---------------------------------------------------------------------------------------------------------------------

static void freeze_or_inject_for_other(struct trial *trial, unsigned index) {
  if (index == 0) {
    freeze_soup(trial->soup);
    serve(trial, 2);
    return;
  }
  struct molecule *molecule = begin_injection(trial, A, 0);
  struct payload payload = payload_of(molecule);
  crucible_molecule one = {.name = trial->names[A].core, .value = &payload};
  crucible_name *culprit;
  molecule->pusher = 0;
  give_origin(0);
  bool injected = index == 1 ? crucible_inject(one.name, &payload)
                             : crucible_inject_together(&one, 1, true, &culprit) == CRUCIBLE_OK;
  if (!injected) scheduler_fail("an injection is refused");
  molecule->returned = scheduler_tick();
}

// ---------------------------------------------------------------------------------------------------------------------
// States
// ---------------------------------------------------------------------------------------------------------------------

static void use_counter(struct trial *trial, unsigned index) {
  inject_into_counter(trial, index);
  serve(trial, trial->chemistry->mixed ? 5 : 9);
}

/// In the mixed case it serves the bodies of the first reaction; the inline ones run on the thread that enables them.
static void use_two(struct trial *trial, unsigned index) {
  inject_into_two(trial, index);
  serve(trial, trial->chemistry->mixed ? 3 : 9);
}

#define EXTERNAL(text, what, count, use, ...) \
  CASE(text, what, count, define_soup, use, .placement = CRUCIBLE_EXTERNAL, .waits = true, __VA_ARGS__)

EXTERNAL("external-join", "a & b, run elsewhere", 2, inject_and_serve, AB);
EXTERNAL("external-join-steps", "a & b, run elsewhere in two steps", 2, inject_and_serve, AB,
         .parameter = 1);
EXTERNAL("external-own", "a & b, run elsewhere, and the last one is never stored", 2, inject_and_serve, AB,
         .own = true, .parameter = 1);
EXTERNAL("external-key", "a & b with a state of their key, run elsewhere in two steps", 2, inject_and_serve,
         .soup = "a b h=: hab", .parameter = 1, .keys = 1);
EXTERNAL("external-enter", "a & b, run at once by a thread of that place", 2, inject_and_serve, AB,
         .enters = true);
EXTERNAL("external-nested", "a & b, run at once by a thread of that place, inside the injection of another a", 1,
         inject_and_go_on, .soup = "a b- c-: ab ac", .acts = {check_own, go_on}, .enters = true,
         .mixed = true);
EXTERNAL("external-freeze", "a, injected with another one's origin while the definition ends", 3,
         freeze_or_inject_for_other, .soup = "a: a", .unfrozen = true, .unordered = true);
EXTERNAL("external-order", "a, run elsewhere one at a time", 3, inject_or_serve, .soup = "a: a",
         .in_order = true, .check = check_begun_in_order);
EXTERNAL("external-order-steps", "a, begun elsewhere one at a time, while the soup is paused and resumed", 3,
         resume_or_serve, .soup = "a: a", .in_order = true, .parameter = 1, .check = check_begun_in_order);
EXTERNAL("external-state", "a state that bodies elsewhere change", 3, use_counter, COUNTER_STATE,
         .check = check_counter_state);
EXTERNAL("external-state-steps", "a state that stays away between two steps", 3, use_counter, COUNTER_STATE,
         .parameter = 1, .check = check_counter_state);
EXTERNAL("external-state-mixed", "a state that inline bodies want as well", 3, use_counter, COUNTER_STATE,
         .parameter = 1, .mixed = true, .check = check_counter_state);
EXTERNAL("external-two-enter", "two states that come back at once, and enable what is inline", 3,
         use_two, TWO_STATES, .mixed = true, .enters = true, .check = check_two_states);
