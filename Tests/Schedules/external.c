// Reactions that are placed externally: the core hands their firings, with their molecules, to a list, and clients run them from there
// as the threads where they belong, in one step or in two, with the states away in between.

#include "trial.h"

/// Not atomic: two bodies at once would lose one.
static void add_one(int64_t *value) {
  int64_t before = *value;
  scheduler_step("work");
  *value = before + 1;
}

// ---------------------------------------------------------------------------------------------------------------------
// a & b
// ---------------------------------------------------------------------------------------------------------------------

enum { A, B };

static void define_join(struct trial *trial) {
  declare(trial, "a", CARRIES);
  declare(trial, "b", CARRIES);
  REACT(trial, NULL, A, B);
}

static void inject_and_serve(struct trial *trial, unsigned index) {
  inject_some(trial, index == 0 ? A : B, 2);
  serve(trial, 2);
}

// ---------------------------------------------------------------------------------------------------------------------
// A state: counter & increment, and counter & look, which may be inline
// ---------------------------------------------------------------------------------------------------------------------

enum { COUNTER, INCREMENT, LOOK };

static void count(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)trial, (void)molecules;
  add_one(inputs[0]);
}

static void define_state(struct trial *trial) {
  declare(trial, "counter", STATE_NAME);
  declare(trial, "increment", CARRIES);
  declare(trial, "look", VOID_NAME);
  REACT(trial, count, COUNTER, INCREMENT);
  REACT(trial, NULL, COUNTER, LOOK);
}

static void use_state(struct trial *trial, unsigned index) {
  inject_some(trial, index == 1 ? LOOK : INCREMENT, 2);
  inject(trial, index == 1 ? INCREMENT : LOOK, 0);
  serve(trial, trial->chemistry->mixed ? 5 : 9);
}

static void check_state(struct trial *trial) {
  int64_t value = *(int64_t *)crucible_name_cell(trial->names[COUNTER].core);
  if (value != 5) scheduler_fail("the counter is %d of 5", (int)value);
}

// ---------------------------------------------------------------------------------------------------------------------
// Two states: s & t & x, s & y, t & z. Ending one that has both may enable two.
// ---------------------------------------------------------------------------------------------------------------------

enum { S, T, X, Y, Z };

static void work_on_both(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)trial, (void)molecules;
  add_one(inputs[0]);
  add_one(inputs[1]);
}

static void define_two(struct trial *trial) {
  declare(trial, "s", STATE_NAME);
  declare(trial, "t", STATE_NAME);
  declare(trial, "x", CARRIES);
  declare(trial, "y", CARRIES);
  declare(trial, "z", VOID_NAME);
  REACT(trial, work_on_both, S, T, X);
  REACT(trial, NULL, S, Y);
  REACT(trial, NULL, T, Z);
}

static void use_two(struct trial *trial, unsigned index) {
  inject(trial, X + index, 0);
  inject(trial, X + (index + 1) % 3, 0);
  serve(trial, 6);
}

#define EXTERNAL .placement = CRUCIBLE_EXTERNAL, .waits = true

const struct chemistry external_join = {
    .name = "external-join", .sentence = "a & b, run elsewhere", .clients = 2, EXTERNAL, .define = define_join,
    .client = inject_and_serve};
const struct chemistry external_join_steps = {
    .name = "external-join-steps", .sentence = "a & b, run elsewhere in two steps", .clients = 2, EXTERNAL, .parameter = 1,
    .define = define_join, .client = inject_and_serve};
const struct chemistry external_enter = {
    .name = "external-enter", .sentence = "a & b, run at once by who belongs there", .clients = 2, EXTERNAL, .enters = true,
    .define = define_join, .client = inject_and_serve};
const struct chemistry external_state = {
    .name = "external-state", .sentence = "a state that bodies elsewhere change", .clients = 3, EXTERNAL, .define = define_state,
    .client = use_state, .check = check_state};
const struct chemistry external_state_steps = {
    .name = "external-state-steps", .sentence = "a state that stays away between two steps", .clients = 3, EXTERNAL,
    .parameter = 1, .define = define_state, .client = use_state, .check = check_state};
const struct chemistry external_state_mixed = {
    .name = "external-state-mixed", .sentence = "a state that inline bodies want as well", .clients = 3, EXTERNAL,
    .parameter = 1, .mixed = true, .define = define_state, .client = use_state, .check = check_state};
const struct chemistry external_state_enter = {
    .name = "external-state-enter", .sentence = "a state, and who belongs there begins at once", .clients = 3, EXTERNAL,
    .parameter = 1, .enters = true, .define = define_state, .client = use_state, .check = check_state};
const struct chemistry external_two = {
    .name = "external-two", .sentence = "two states that come back together", .clients = 3, EXTERNAL, .parameter = 1,
    .define = define_two, .client = use_two};
