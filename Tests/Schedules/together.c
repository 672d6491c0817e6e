// Several molecules injected in one step.

#include "bag/first_ring.h"
#include "memory.h"
#include "trial.h"
#include "types.h"

enum { A, B, C };

// ---------------------------------------------------------------------------------------------------------------------
// a & b & c: a and b are only injected together, so their counts are equal whenever they are read
// ---------------------------------------------------------------------------------------------------------------------

/// Whether the name's molecules may spill. A spilled molecule is counted a moment later.
static bool may_spill(const struct trial *trial, unsigned name) {
  uint64_t capacity = capacity_of(trial->names[name].core);
  return capacity > 0 && capacity < MOST_MOLECULES;
}

static void look_at_pairs(struct trial *trial) {
  uint64_t counts[MOST_NAMES];
  crucible_soup_counts(trial->soup, counts);
  if (counts[A] == counts[B]) return;
  scheduler_fail("%llu a and %llu b are seen", (unsigned long long)counts[A], (unsigned long long)counts[B]);
}

static void inject_pairs(struct trial *trial, unsigned index) {
  if (index < 2) {
    // Where a field may count one alone, only one pair is injected in all, and it does not spill.
    unsigned pairs = may_spill(trial, A) || may_spill(trial, B) ? 1 - index : 2;
    for (unsigned i = 0; i < pairs; i++) inject_together(trial, index == 0 ? "ab" : "ba");
    return;
  }
  for (unsigned i = 0; i < 2; i++) {
    look_at_pairs(trial);
    inject(trial, C, 0);
    look_at_pairs(trial);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// a & a & b: a comes in pairs
// ---------------------------------------------------------------------------------------------------------------------

static void inject_twins(struct trial *trial, unsigned index) {
  if (index < 2) {
    inject_together(trial, index == 0 ? "aaaa" : "aba");
    return;
  }
  for (unsigned i = 0; i < 4; i++) {
    uint64_t counts[MOST_NAMES];
    crucible_soup_counts(trial->soup, counts);
    if (!may_spill(trial, A) && counts[A] % 2 != 0) scheduler_fail("%llu a are seen", (unsigned long long)counts[A]);
    if (i < 2) inject(trial, B, 0);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Before the definition has ended
// ---------------------------------------------------------------------------------------------------------------------

static void freeze_pairs(struct trial *trial, unsigned index) {
  if (index == 0) {
    inject_together(trial, "ab");
    inject_together(trial, "ba");
    freeze_soup(trial->soup);
  } else if (index == 1) {
    inject_together(trial, "ab");
    inject(trial, C, 0);
  } else {
    while (!crucible_soup_is_frozen(trial->soup)) spin_pause();
    if (may_spill(trial, A) || may_spill(trial, B)) return;
    for (unsigned i = 0; i < 3; i++) look_at_pairs(trial);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// No memory for all of them
// ---------------------------------------------------------------------------------------------------------------------

/// While this thread gets no memory for another two-slot ring of a's bag, four molecules are too many, unless there are
/// reactions, or another thread appends the ring.
static void inject_without_memory(struct trial *trial, unsigned index) {
  if (index == 0) {
    inject_some(trial, B, 3);
    return;
  }
  struct bag *bag = &trial->names[A].core->bag;
  if (trial->matcher == CRUCIBLE_WORD && !crucible__first_make(bag)) scheduler_fail("no memory");
  memory_refuse(trial->matcher == CRUCIBLE_WORD ? bag->slots + 2 * bag->stride : 0);
  inject_together(trial, "aaaa");
  memory_refuse(0);
  if (index == 1) inject(trial, A, 0);
}

#define TOGETHER(text, what, chemistry, use, ...) \
  INLINE_AND_POOL(text, what, define_soup, use, .soup = chemistry, __VA_ARGS__)

TOGETHER("together", "a and b come together: nobody sees one of them", "a b c: abc", inject_pairs);
TOGETHER("together-twins", "a comes in pairs: nobody sees half a pair", "a b-: aab", inject_twins);
TOGETHER("together-full", "three inject several at once, and a field counts three", "a b-: aab", follow_word,
         .parameter = 30, .words = {"(aaaaa)(bb)", "(abab)(aaa)", "(bbaa)(b)"});
TOGETHER("together-share", "several at once, of a name that two reactions share", "a b- c: ab ac", follow_word,
         .words = {"(aa)(bc)", "(ab)(aac)", "(cc)(a)"});
TOGETHER("together-share-full", "the same, and a field counts one", "a b- c: ab ac", follow_word, .parameter = 31,
         .words = {"(aa)(bc)", "(ab)(aac)", "(cc)(a)"});

CASE("together-short", "there is no memory for all that are injected at once", 3, define_soup, inject_without_memory,
     .scheduled = true, .workers = 2, .placement = CRUCIBLE_POOL, .soup = "a b- c: ab ac");
INLINE_CASE("freeze-together", "a and b come together while another thread freezes the soup", 3, define_soup,
            freeze_pairs, .soup = "a b c: abc", .waits = true, .unfrozen = true, .unordered = true);
