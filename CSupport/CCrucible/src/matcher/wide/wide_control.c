// Inspecting a wide component, pausing, clearing and stopping it. A call that concerns several words is one claim of
// them, so it takes effect at one moment.
//
// The rules for counts that meet a stop are STOP-1 to STOP-6 of matcher/word/word_control.c.

#include <string.h>

#include "matcher/bags.h"
#include "matcher/inject.h"
#include "matcher/wide/wide.h"
#include "matcher/word/word_control.h"
#include "matcher/word/word_withdraw.h"

// ---------------------------------------------------------------------------------------------------------------------
// Inspection
// ---------------------------------------------------------------------------------------------------------------------

static bool note(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  uint64_t *words = context;
  words[home] = *after = before;
  return true;
}

static uint64_t overflow_of(const struct crucible_name *name) {
  return load_seq_cst(&name->aside.overflow);
}

void crucible__wide_counts(struct component *component, uint64_t *counts) {
  struct wide_word *own = crucible__wide_of(component);
  struct thread *self = crucible__claiming_thread();
  crucible__word_end_abandoned(self, component, crucible__wide_attend);
  // One claim, unless counts are moving between word and overflow. Then it reads until two passes agree, within limits.
  for (int tries = 0; tries < CRUCIBLE_SNAPSHOTS; tries++) {
    uint64_t words[WIDE_WORDS];
    for (uint32_t bit = 0; bit < component->layout->name_count; bit++) counts[bit] = overflow_of(component->names[bit]);
    crucible__wide_change(self, own, crucible__wide_all(component), note, words);
    bool agree = true;
    for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
      const struct crucible_name *name = component->names[bit];
      if (overflow_of(name) != counts[bit]) agree = false;
      counts[bit] += (words[name->word.home] & name->word.mask) / name->word.unit;
    }
    if (agree) return;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Pausing and stopping
// ---------------------------------------------------------------------------------------------------------------------

static bool set_bits(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  (void)home;
  const uint64_t *bits = context;
  *after = (before & ~WIDE_CONTROL) | *bits;
  return true;
}

void crucible__wide_control(struct component *component, bool paused, bool stopped) {
  struct wide_word *own = crucible__wide_of(component);
  uint64_t bits = (paused ? WIDE_PAUSED : 0) | (stopped ? WIDE_STOPPED : 0);
  // STOP-1: a thread that finds the words stopped finds REFUSING set, or that there has been a restart since. partner:
  // the load in attention; this thread drops after both what came between them
  if (stopped) fetch_or_seq_cst(&component->attention, REFUSING);
  crucible__wide_change(crucible__claiming_thread(), own, crucible__wide_all(component), set_bits, &bits);
}

static bool set_guard(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  const struct crucible_name *name = context;
  uint64_t guard = home == name->word.home ? crucible__word_guard(name) : 0;
  *after = load_relaxed(&name->paused) ? before | guard : before & ~guard;
  return true;
}

/// Pauses a name, or ends its pause. A thread that read the word before fails when it changes it, so nothing that the
/// pause forbids fires later. The other words of the reactions over the name are claimed as well, without a change
/// (WIDE-5).
void crucible__wide_pause_name(struct crucible_name *name) {
  uint64_t words = 0;
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    words |= crucible__wide_reaction(crucible__reaction(name->component, c))->words;
  }
  crucible__wide_change(crucible__claiming_thread(), crucible__wide_of(name->component), words, set_guard, name);
}

void crucible__wide_inherit(struct component *component) {
  struct wide_word *own = crucible__wide_of(component);
  for (uint32_t home = 0; home < component->layout->word.words; home++) {
    _Atomic uint64_t *word = &own[home].word;
    store_relaxed(word, crucible__look(word) | WIDE_PAUSED);  // the claiming threads are not in the child
  }
  store_relaxed(&component->droppers, 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Dropping
// ---------------------------------------------------------------------------------------------------------------------

struct dropping {
  const struct component *component;
  const struct crucible_name *only;
  uint64_t mask, shown;  ///< every word must show `shown` in the bits of `mask`
  uint64_t words[WIDE_WORDS];
};

static bool drop_counts(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  struct dropping *dropping = context;
  dropping->words[home] = *after = before;
  for (uint32_t bit = 0; bit < dropping->component->layout->name_count; bit++) {
    const struct crucible_name *name = dropping->component->names[bit];
    if (name->word.home == home && crucible__drops(dropping->only, name)) *after &= ~name->word.mask;
  }
  return (before & dropping->mask) == dropping->shown;
}

/// Takes the counts of all names that the drop affects, if the words show `shown` in the bits of `mask`.
static void take_counts(struct thread *self, struct component *component, const struct crucible_name *only,
                        uint64_t mask, uint64_t shown, uint64_t *counts) {
  struct wide_word *own = crucible__wide_of(component);
  struct dropping dropping = {.component = component, .only = only, .mask = mask, .shown = shown};
  uint64_t words = 0;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    if (crucible__drops(only, name)) words |= UINT64_C(1) << name->word.home;
  }
  if (!words || !crucible__wide_change(self, own, words, drop_counts, &dropping)) return;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    if (!crucible__drops(only, name)) continue;
    counts[bit] += (dropping.words[name->word.home] & name->word.mask) / name->word.unit;
  }
}

uint64_t crucible__wide_drop(struct component *component, const struct crucible_name *only, crucible_reason reason) {
  uint64_t counts[component->layout->name_count];
  memset(counts, 0, sizeof counts);
  // The overflow is taken first, so that counts that are moved meanwhile are not missed. It is taken again at last,
  // because the drop has made room (WORD-3).
  crucible__word_take_overflow(component, only, counts);
  take_counts(crucible__claiming_thread(), component, only, 0, 0, counts);
  crucible__word_take_overflow(component, only, counts);
  return crucible__destroy_reserved(component, counts, crucible__bags_pop, reason);
}

uint64_t crucible__wide_drop_stopped(struct thread *self, struct component *component, bool brought) {
  uint64_t mask = brought ? WIDE_STOPPED : WIDE_CONTROL;  // STOP-3
  struct wide_word *own = crucible__wide_of(component);
  uint64_t counts[component->layout->name_count];
  memset(counts, 0, sizeof counts);
  // STOP-2; partner: the load in a restart, after its claim
  fetch_add_seq_cst(&component->droppers, 1);
  if ((crucible__look(&own[0].word) & mask) == WIDE_STOPPED) {
    take_counts(self, component, NULL, mask, WIDE_STOPPED, counts);
    crucible__word_take_overflow(component, NULL, counts);
  }
  uint64_t dropped = crucible__destroy_reserved(component, counts, crucible__bags_pop, CRUCIBLE_STOPPED_SOUP);
  fetch_sub_seq_cst(&component->droppers, 1);
  if (dropped > 0) crucible__add_dropped(component->soup, dropped);
  return dropped;
}

bool crucible__wide_end_late(struct thread *self, struct component *component, struct crucible_name *name,
                             void *value) {
  struct wide_word *own = crucible__wide_of(component);
  uint64_t word = crucible__wide_look(own, name);
  if (!(word & WIDE_STOPPED)) return true;
  fetch_add_seq_cst(&component->droppers, 1);  // STOP-2; partner: the load in a restart, after its claim
  bool is_sealed = (crucible__wide_look(own, name) & WIDE_CONTROL) == WIDE_CONTROL;
  bool refused = is_sealed && crucible__wide_take_one(self, name, true) &&
                 crucible__take_back(name, value, crucible__bags_pop);
  fetch_sub_seq_cst(&component->droppers, 1);
  if (!is_sealed) crucible__wide_drop_stopped(self, component, true);
  return !refused;
}
