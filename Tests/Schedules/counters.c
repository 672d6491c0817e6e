// A value that every reaction consumes and gives back: as a plain molecule, and as a state.

#include "states.h"

static unsigned increments(const struct trial *trial) { return trial->names[INCREMENT].injected; }

// ---------------------------------------------------------------------------------------------------------------------
// counter(n) & increment → counter(n + 1)
// ---------------------------------------------------------------------------------------------------------------------

static void count_on(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  inject(trial, COUNTER, molecules[0]->value + 1);
}

static void put_back(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  inject(trial, COUNTER, molecules[0]->value);
}

static void use_counter(struct trial *trial, unsigned index) {
  if (index == 0) inject(trial, COUNTER, 0);
  inject_some(trial, INCREMENT, index == 0 ? 1 : 2);
  inject(trial, LOOK, 0);
}

static void check_counter(struct trial *trial) {
  const struct molecule *last = NULL;
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *molecule = &trial->molecules[i];
    if (molecule->name != COUNTER || molecule->consumed) continue;
    if (last) scheduler_fail("there are two counters");
    last = molecule;
  }
  if (!last) scheduler_fail("there is no counter");
  if (last->value != (int64_t)increments(trial)) {
    scheduler_fail("the counter is %d of %u", (int)last->value, increments(trial));
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The counter as a state
// ---------------------------------------------------------------------------------------------------------------------

/// Not atomic: two bodies at once would lose an increment.
static void add_one(int64_t *value) {
  int64_t before = *value;
  scheduler_step("work");
  *value = before + 1;
}

void count_state(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  add_one(inputs[0]);
}

void inject_into_counter(struct trial *trial, unsigned index) {
  inject_some(trial, index == 1 ? LOOK : INCREMENT, 2);
  inject(trial, index == 1 ? INCREMENT : LOOK, 0);
}

void check_counter_state(struct trial *trial) {
  int64_t value = *(int64_t *)crucible_name_cell(trial->names[COUNTER].core);
  if (value != (int64_t)increments(trial)) scheduler_fail("the counter is %d of %u", (int)value, increments(trial));
}

// ---------------------------------------------------------------------------------------------------------------------
// Two states: s & t & x, s & y, t & z. Giving both back may enable two reactions.
// ---------------------------------------------------------------------------------------------------------------------

void work_on_both(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  add_one(inputs[0]);
  add_one(inputs[1]);
}

void inject_into_two(struct trial *trial, unsigned index) {
  static const unsigned order[3][3] = {{X, Y, Z}, {Y, X, Y}, {Z, Z, X}};
  for (unsigned i = 0; i < 3; i++) inject(trial, order[index][i], 0);
}

void check_two_states(struct trial *trial) {
  int64_t s = *(int64_t *)crucible_name_cell(trial->names[S].core);
  int64_t t = *(int64_t *)crucible_name_cell(trial->names[T].core);
  if (s != 6 || t != 6) scheduler_fail("the states are %d and %d instead of 6", (int)s, (int)t);
}

// ---------------------------------------------------------------------------------------------------------------------
// A state that is held while another reaction is needed
// ---------------------------------------------------------------------------------------------------------------------

/// Waits until the other reaction has had its molecule, which no batch may keep from it.
static void wait_for_taker(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  if (PEEK(trial->rules[0].fired) != 2) return;
  while (PEEK(trial->rules[1].fired) == 0) spin_pause();
}

// ---------------------------------------------------------------------------------------------------------------------
// A call that waits for its reply
// ---------------------------------------------------------------------------------------------------------------------

enum { ASK, ANSWER };

static void reply(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  crucible_waiter *waiter = ((const struct payload *)inputs[0])->waiter;
  if (crucible_waiter_is_here(waiter) && molecules[0]->pusher != scheduler_self()) {
    scheduler_fail("a body takes the thread of another caller for its own");
  }
  crucible_waiter_signal(waiter, 7);
}

static void ask_or_answer(struct trial *trial, unsigned index) {
  for (unsigned i = 0; i < 2; i++) {
    if (index == 2) {
      inject_some(trial, ANSWER, 2);
      continue;
    }
    crucible_waiter waiter = {0};
    crucible_name *state;
    if (i == 0) {
      crucible_call_begin(trial->names[ASK].core, &waiter, &state);
      inject_waiting(trial, ASK, &waiter);
    } else {
      inject_at_once(trial, ASK, &waiter);
    }
    crucible_waiter_wait(&waiter);
    if (waiter.outcome != 7) scheduler_fail("a reply is lost");
  }
}

/// The body of another call may hold the state that this call's reaction needs. Then the caller takes turns, and stores
/// the call in the end.
static void count_and_reply(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  add_one(inputs[1]);
  reply(trial, molecules, inputs);
}

static void ask_twice(struct trial *trial, unsigned index) {
  for (unsigned i = 0; i < 2; i++) {
    crucible_waiter waiter = {0};
    inject_at_once(trial, ASK, &waiter);
    crucible_waiter_wait(&waiter);
    if (waiter.outcome != 7) scheduler_fail("a reply is lost");
  }
}

static void ask_twice_or_serve(struct trial *trial, unsigned index) {
  if (index < 2) {
    ask_twice(trial, index);
  } else {
    serve(trial, 4);
  }
}

static void check_count(struct trial *trial) {
  int64_t count = *(int64_t *)crucible_name_cell(trial->names[ANSWER].core);
  if (count != 4) scheduler_fail("of 4 calls %d are counted", (int)count);
}

INLINE_CASE("counter", "a plain molecule that every body injects again", 3, define_soup, use_counter,
            .soup = "c i- l: ci cl", .acts = {count_on, put_back}, .check = check_counter);
INLINE_AND_POOL("counter-state", "a state, and two reactions over it", define_soup, inject_into_counter,
                COUNTER_STATE, .check = check_counter_state);
INLINE_AND_POOL("two-states", "a reaction gives two states back, and two are enabled", define_soup,
                inject_into_two, TWO_STATES, .check = check_two_states);
INLINE_CASE("reply", "two callers wait, one thread answers", 3, define_soup, ask_or_answer,
            .soup = "q a-: qa", .acts = {reply}, .waits = true);
CASE("reply-pool", "two callers wait, and the pool answers", 3, define_soup, ask_or_answer, .workers = 1,
     .placement = CRUCIBLE_POOL, .soup = "q a-: qa", .acts = {reply}, .waits = true);
INLINE_CASE("reply-state", "two callers need one state, and are answered at once", 2, define_soup, ask_twice,
            .soup = "q c=: qc", .acts = {count_and_reply}, .check = check_count, .waits = true);
CASE("reply-visit", "two callers need one state, and bodies of the pool visit them", 2, define_soup, ask_twice,
     .workers = 1, .placement = CRUCIBLE_POOL_OR_CALLER, .soup = "q! c=: qc", .acts = {count_and_reply},
     .check = check_count, .waits = true);
CASE("reply-visit-away", "two callers need one state, and bodies that run elsewhere visit them", 3, define_soup,
     ask_twice_or_serve, .placement = CRUCIBLE_EXTERNAL, .own = true, .visits = true, .soup = "q! c=: qc",
     .acts = {count_and_reply}, .check = check_count, .waits = true);
CASE("state-shared-pool", "a body under a state waits for another reaction, on a pool of two", 2, define_soup,
     follow_word, .workers = 2, .placement = CRUCIBLE_POOL, .soup = "h= s t-: hs ts", .acts = {wait_for_taker},
     .words = {"sss", "t"}, .waits = true);
INLINE_WORDS("state-values", "a state, and molecules with values that come in batches", 3, "h= s: hs",
             .words = {"sss", "sss", "sss"});
