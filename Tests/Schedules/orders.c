// The order of matching. On a matcher that promises it, molecules react with each other as in a plain reference in
// which they arrive one after the other. The places of the molecules tell that order. On the other matchers these are
// cases like all others.
//
// A pause ends at some moment between two arrivals. The reference tries each moment.

#include <string.h>

#include "trial.h"

enum { A, B, C, D };

static const struct pattern {
  unsigned count, names[3];
} patterns[] = {{2, {A, B}}, {2, {C, B}}, {3, {C, D, C}}, {2, {A, D}}};
enum { PATTERNS = sizeof patterns / sizeof *patterns, WIDEST = 3 };

/// The molecules that react together, in the order of the pattern, with null after the last.
struct match {
  const struct molecule *molecules[WIDEST];
};

static struct match made[MOST_MOLECULES];
static unsigned made_count;

static void note(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  struct match *match = &made[ADD(made_count, 1) - 1];
  memset(match, 0, sizeof *match);
  for (unsigned i = 0; i < WIDEST && molecules[i]; i++) match->molecules[i] = molecules[i];
}

static void define_order(struct trial *trial) {
  made_count = 0;
  for (const char *label = "abcd"; *label; label++) declare(trial, (const char[]){*label, 0}, CALL_NAME);
  for (unsigned p = 0; p < PATTERNS; p++) react(trial, patterns[p].names, patterns[p].count, note);
}

static void follow_paused(struct trial *trial, unsigned index) {
  if (index == 0) {
    pause_all(trial);
    trial->available = 1;
  }
  while (!trial->available) spin_pause();
  follow_word(trial, index);
  if (index == 0) resume_all(trial);
}

// ---------------------------------------------------------------------------------------------------------------------
// The reference
// ---------------------------------------------------------------------------------------------------------------------

static uint64_t number_of(const struct molecule *molecule) {
  struct place place;
  memcpy(&place, &molecule->ticket, sizeof place);
  return place.position;
}

/// Finds the oldest waiting molecules that fit the pattern, and lists their numbers, the youngest first. `waiting` is
/// in the order of arrival, with nulls.
static bool find_match(const struct pattern *pattern, const struct molecule *const *waiting, unsigned count,
                       struct match *match, uint64_t *numbers) {
  memset(match, 0, sizeof *match);
  unsigned found = 0;
  for (unsigned w = 0; w < count; w++) {
    bool taken = false;
    for (unsigned i = 0; waiting[w] && i < pattern->count && !taken; i++) {
      if (match->molecules[i] || pattern->names[i] != waiting[w]->name) continue;
      match->molecules[i] = waiting[w];
      taken = true;
    }
    if (taken) numbers[pattern->count - ++found] = number_of(waiting[w]);
  }
  return found == pattern->count;
}

/// Removes the first match from `waiting`. Returns false if there is none.
static bool take_first(const struct molecule **waiting, unsigned count, struct match *first) {
  uint64_t best[WIDEST + 1];
  bool any = false;
  for (unsigned p = 0; p < PATTERNS; p++) {
    struct match match;
    uint64_t numbers[WIDEST + 1] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    if (!find_match(&patterns[p], waiting, count, &match, numbers)) continue;
    bool earlier = !any;
    for (unsigned i = 0; any && i < WIDEST; i++) {
      if (numbers[i] == best[i]) continue;
      earlier = numbers[i] < best[i];
      break;
    }
    if (!earlier) continue;
    any = true;
    *first = match;
    memcpy(best, numbers, sizeof best);
  }
  for (unsigned w = 0; any && w < count; w++) {
    for (unsigned i = 0; i < WIDEST; i++) {
      if (waiting[w] && waiting[w] == first->molecules[i]) waiting[w] = NULL;
    }
  }
  return any;
}

/// Whether the reactions were those of the reference, if nothing reacts before this many have arrived.
static bool agrees(const struct molecule *const *arrived, unsigned count, unsigned paused) {
  const struct molecule *waiting[MOST_MOLECULES];
  unsigned agreeing = 0;
  for (unsigned i = 0; i <= count; i++) {
    struct match match;
    while (i >= paused && take_first(waiting, i, &match)) {
      bool is_made = false;
      for (unsigned m = 0; m < made_count; m++) is_made = is_made || memcmp(&match, &made[m], sizeof match) == 0;
      if (!is_made) return false;
      agreeing++;
    }
    if (i < count) waiting[i] = arrived[i];
  }
  return agreeing == made_count;
}

static void check_order(struct trial *trial) {
  if (trial->matcher != CRUCIBLE_ARRIVAL) return;
  const struct molecule *arrived[MOST_MOLECULES];
  unsigned count = trial->molecule_count;
  for (unsigned i = 0; i < count; i++) {
    unsigned at = i;
    for (; at > 0 && number_of(arrived[at - 1]) > number_of(&trial->molecules[i]); at--) arrived[at] = arrived[at - 1];
    arrived[at] = &trial->molecules[i];
  }
  bool was_paused = trial->chemistry->client == follow_paused;
  for (unsigned paused = 0; paused <= (was_paused ? count : 0); paused++) {
    if (agrees(arrived, count, paused)) return;
  }
  scheduler_fail("%u reactions are not those that the order of %u arrivals makes", made_count, count);
}

INLINE_AND_POOL("order", "what reacts with what follows from the order of arrival", define_order, follow_word,
    .check = check_order, .words = {"ABCD", "DCBA", "CABC"});
INLINE_AND_POOL("order-paused", "the same, and a pause ends meanwhile", define_order, follow_paused,
    .check = check_order, .waits = true, .words = {"AC", "BADC", "BDCA"});
