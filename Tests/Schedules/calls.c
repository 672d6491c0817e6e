// Calls whose callers give up. The clients inject them so that they can be found again, and withdraw them while other
// clients inject what the calls react with.

#include "trial.h"

enum { A, F, C };

// ---------------------------------------------------------------------------------------------------------------------
// a & f
// ---------------------------------------------------------------------------------------------------------------------

static void define_join(struct trial *trial) {
  declare(trial, "a", CALL_NAME);
  declare(trial, "f", CARRIES);
  REACT(trial, NULL, A, F);
  if (trial->chemistry->parameter) fill_up(trial, trial->chemistry->parameter);
}

static void define_void(struct trial *trial) {
  declare(trial, "a", CALL_NAME);
  declare(trial, "f", VOID_NAME);
  REACT(trial, NULL, A, F);
}

static void call_and_withdraw(struct trial *trial, unsigned index) {
  if (index == 2) {
    inject_some(trial, F, 3);
    return;
  }
  for (unsigned i = 0; i < 2; i++) withdraw(trial, call(trial, A));
}

/// One client withdraws, another only calls. Firings may take the molecule of one for the count of the other.
static void call_beside_others(struct trial *trial, unsigned index) {
  if (index == 0) {
    withdraw(trial, call(trial, A));
    withdraw(trial, call(trial, A));
  } else if (index == 1) {
    inject(trial, A, 0);
    inject(trial, F, 0);
    inject(trial, A, 0);
  } else {
    inject_some(trial, F, 2);
  }
}

/// With few answers, the callers leave more behind than a field of one holds. With many, they leave rings of calls
/// behind.
static void call_some_and_withdraw(struct trial *trial, unsigned index) {
  if (index == 2) {
    inject_some(trial, F, trial->chemistry->parameter ? 2 : 4);
    return;
  }
  struct molecule *calls[3];
  for (unsigned i = 0; i < 3; i++) calls[i] = call(trial, A);
  withdraw(trial, calls[2]);
  withdraw(trial, calls[index]);
}

/// Few steps: a firing takes the molecule of one call for the count of another. The other call is then neither counted
/// nor consumed.
static void call_late(struct trial *trial, unsigned index) {
  if (index == 0) {
    inject(trial, A, 0);
    return;
  }
  struct molecule *own = call(trial, A);
  inject(trial, F, 0);
  withdraw(trial, own);
}

static void check_one(struct trial *trial) { expect_capacity(trial, A, 1); }

// ---------------------------------------------------------------------------------------------------------------------
// a & f, c & f
// ---------------------------------------------------------------------------------------------------------------------

static void define_share(struct trial *trial) {
  declare(trial, "a", CALL_NAME);
  declare(trial, "f", CARRIES);
  declare(trial, "c", CALL_NAME);
  REACT(trial, NULL, A, F);
  REACT(trial, NULL, C, F);
  if (trial->chemistry->parameter) fill_up(trial, trial->chemistry->parameter);
}

static void call_either(struct trial *trial, unsigned index) {
  if (index == 2) {
    inject_some(trial, F, 3);
    return;
  }
  struct molecule *first = call(trial, index == 0 ? A : C);
  struct molecule *second = call(trial, index == 0 ? C : A);
  withdraw(trial, second);
  withdraw(trial, first);
}

// ---------------------------------------------------------------------------------------------------------------------
// a & state
// ---------------------------------------------------------------------------------------------------------------------

static void define_state(struct trial *trial) {
  declare(trial, "a", CALL_NAME);
  declare(trial, "f", VOID_NAME);
  declare(trial, "s", STATE_NAME);
  REACT(trial, NULL, A, C);
  REACT(trial, NULL, F, C);
}

static void call_a_state(struct trial *trial, unsigned index) {
  if (index == 2) {
    inject_some(trial, F, 2);
    return;
  }
  for (unsigned i = 0; i < 2; i++) withdraw(trial, call(trial, A));
}

// ---------------------------------------------------------------------------------------------------------------------
// Before the definition has ended
// ---------------------------------------------------------------------------------------------------------------------

static void freeze_all(struct trial *trial) {
  freeze_soup(trial->soup);
}

static void call_and_freeze(struct trial *trial, unsigned index) {
  if (index == 0) {
    inject(trial, F, 0);
    struct molecule *own = call(trial, A);
    freeze_all(trial);
    withdraw(trial, own);
  } else if (index == 1) {
    struct molecule *first = call(trial, A);
    struct molecule *second = call(trial, A);
    withdraw(trial, first);
    withdraw(trial, second);
  } else {
    inject_together(trial, "af");
    inject(trial, F, 0);
    withdraw(trial, call(trial, A));
  }
}

/// Declares a case twice: inline and on the pool.
#define CALLS(text, what, names, definition, use, checking) \
  INLINE_AND_POOL(text, what, definition, use, .parameter = names, .check = checking)

CALLS("withdraw", "a & f: two callers give up", 0, define_join, call_and_withdraw, NULL);
CALLS("withdraw-void", "the same, and f carries nothing", 0, define_void, call_and_withdraw, NULL);
CALLS("withdraw-beside", "one caller gives up, others call and stay", 0, define_join, call_beside_others, NULL);
CALLS("withdraw-some", "callers give up two of three calls", 0, define_join, call_some_and_withdraw, NULL);
CALLS("withdraw-full", "the same, and a field counts one", 31, define_join, call_some_and_withdraw, check_one);
CALLS("withdraw-share", "a & f, c & f: two callers give up", 0, define_share, call_either, NULL);
CALLS("withdraw-share-full", "the same, and a field counts one", 31, define_share, call_either, check_one);
CALLS("withdraw-state", "two callers of a state give up", 0, define_state, call_a_state, NULL);

INLINE_CASE("withdraw-late", "a caller gives up after his thread has answered somebody", 2, define_join, call_late);
INLINE_CASE("withdraw-late-two", "two callers give up after their threads have answered somebody", 3, define_join,
            call_late);
INLINE_CASE("freeze-call", "callers give up while another thread freezes the soup", 3, define_join, call_and_freeze,
            .waits = true, .unfrozen = true, .unordered = true);
