// Full fields: a component has so many names that a field counts few molecules, and the rest spills.
//
//   names in all   bits each, guard included   counts kept in the word   added by
//   31             2                           1                         CAS
//   20             3                           3                         CAS
//   15             4                           5                         fetch-and-add by two threads, CAS by others

#include "trial.h"

enum { A, B, C };

// ---------------------------------------------------------------------------------------------------------------------
// a & b
// ---------------------------------------------------------------------------------------------------------------------

static void define_join(struct trial *trial) {
  declare(trial, "a", CARRIES);
  declare(trial, "b", CARRIES);
  REACT(trial, NULL, A, B);
  fill_up(trial, trial->chemistry->parameter);
}

static void use_join(struct trial *trial, unsigned index) {
  static const char *const order[3] = {"aaab", "abba", "babb"};
  for (const char *c = order[index]; *c; c++) inject(trial, *c == 'a' ? A : B, 0);
}

static void use_join_alone(struct trial *trial, unsigned index) {
  inject_some(trial, index == 0 ? A : B, index == 0 ? 5 : 2);
}

static void use_crowd(struct trial *trial, unsigned index) { inject_some(trial, A, index == 0 ? 6 : 1); }

static void use_much(struct trial *trial, unsigned index) {
  static const char *const order[3] = {"aaaaaa", "aaabbbb", "abbbb"};
  for (const char *c = order[index]; *c; c++) inject(trial, *c == 'a' ? A : B, 0);
}

static void use_all(struct trial *trial, unsigned index) {
  static const char *const order[3] = {"aaaaaa", "aaabbbbb", "abbbbb"};
  for (const char *c = order[index]; *c; c++) inject(trial, *c == 'a' ? A : B, 0);
}

static void check_one(struct trial *trial) { expect_capacity(trial, A, 1); }
static void check_three(struct trial *trial) { expect_capacity(trial, A, 3); }
static void check_five(struct trial *trial) { expect_capacity(trial, A, 5); }

// ---------------------------------------------------------------------------------------------------------------------
// a & a & b
// ---------------------------------------------------------------------------------------------------------------------

static void define_repeat(struct trial *trial) {
  declare(trial, "a", CARRIES);
  declare(trial, "b", VOID_NAME);
  REACT(trial, NULL, A, A, B);
  fill_up(trial, 30);
}

static void use_repeat(struct trial *trial, unsigned index) {
  static const char *const order[3] = {"aaaaab", "aaab", "baaab"};
  for (const char *c = order[index]; *c; c++) inject(trial, *c == 'a' ? A : B, 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// x & y, x & z
// ---------------------------------------------------------------------------------------------------------------------

static void define_share(struct trial *trial) {
  declare(trial, "x", CARRIES);
  declare(trial, "y", VOID_NAME);
  declare(trial, "z", CARRIES);
  REACT(trial, NULL, A, B);
  REACT(trial, NULL, A, C);
  fill_up(trial, 31);
}

static void use_share(struct trial *trial, unsigned index) {
  static const unsigned order[3][4] = {{A, A, A, B}, {B, C, B, A}, {C, A, B, C}};
  for (unsigned i = 0; i < 4; i++) inject(trial, order[index][i], 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// A state and a slow name that spills
// ---------------------------------------------------------------------------------------------------------------------

enum { STATE, SLOW };

static void define_state(struct trial *trial) {
  declare(trial, "state", STATE_NAME);
  declare(trial, "slow", CARRIES);
  REACT(trial, NULL, STATE, SLOW);
  fill_up(trial, 31);
}

static void use_state(struct trial *trial, unsigned index) { inject_some(trial, SLOW, index == 0 ? 4 : 3); }

static void check_state(struct trial *trial) { expect_capacity(trial, SLOW, 1); }

/// Declares a case twice: inline and on the pool.
#define FULL_FIELD(text, what, names, definition, use, checking) \
  INLINE_AND_POOL(text, what, definition, use, .parameter = names, .check = checking)

FULL_FIELD("full-1", "a & b, and a field counts one", 31, define_join, use_join, check_one);
FULL_FIELD("full-3", "a & b, and a field counts three", 20, define_join, use_much, check_three);
FULL_FIELD("full-5", "a & b, and a field counts five, added blindly", 15, define_join, use_much, check_five);
FULL_FIELD("full-all", "a & b, a field counts five, and all react", 15, define_join, use_all, check_five);
FULL_FIELD("full-repeat", "a & a & b, and a field counts three", 30, define_repeat, use_repeat, check_three);
FULL_FIELD("full-share", "two reactions share a name whose field counts one", 31, define_share, use_share, check_one);
FULL_FIELD("full-state", "a state, and a slow name whose field counts one", 31, define_state, use_state, check_state);

INLINE_CASE("full-order", "one thread alone injects a name that spills: in order", 3, define_join, use_join_alone,
            .parameter = 31, .check = check_one);
INLINE_CASE("full-crowd", "three threads fill a field, and all come above its limit at once", 3, define_join, use_crowd,
            .parameter = 15, .check = check_five);
