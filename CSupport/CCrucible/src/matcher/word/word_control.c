// Inspecting, pausing, clearing and stopping. Everything but the last part serves wide components, too.
//
// A name that is paused
//   HUSH-1  Its field is full and its guard is set. So no reaction that consumes it is enabled, and additions spill as
//       they do into any full field (WORD-3). All its counts are in the overflow. Both changes are in the word. So a
//       thread that has read it before fails in its compare-and-swap, or takes its blind addition back.
//   HUSH-2  A pause takes the counts and fills the field in one step, and then adds them to the overflow. In between
//       the soup is not quiet, and the pausing thread tends to the component afterwards, so a stop misses nothing. When
//       the pause of the name ends, its counts are moved like any others, and what they enable is settled.
//
// Counts that meet a stop
//   STOP-1  A stopped component holds nothing at rest. The name's own function refuses new injections. An injection
//       that had already passed it adds its count to a word that shows STOPPED, fires nothing, and sees REFUSING, which
//       was set before. The same holds for a thread that moves a spilled count. These threads then drop all molecules,
//       as the stopping thread did. They take all counts by one CAS, only from a word that still shows STOPPED, and
//       then the overflow. If nothing is there, another thread has taken it. If the word no longer shows STOPPED, the
//       molecule counts as injected after the restart, and is settled like any other.
//   STOP-2  A molecule that was injected after a restart is never dropped for the stop. Droppers are counted from
//       before they read the word until they have popped, and a restart waits for them after it has cleared STOPPED. An
//       earlier check that found the soup quiet does not help: an injection may enter after it, and still find the word
//       stopped.
//   STOP-3  The report of a stop tells every molecule that was accepted before and not consumed. The stopping thread
//       finds the soup quiet, seals the word, finds the soup quiet again, and makes the report. A sealed word shows
//       STOPPED and PAUSED. An addition to a word that is not sealed is older than the seal. So the second check finds
//       its thread in progress, which notes what it drops before it leaves (matcher/untold.h). An addition to a sealed
//       word takes its count back, and the molecule is refused, or, if another thread has dropped it, was told. A
//       thread that has brought nothing into the word drops nothing from a sealed one, because a check for quiet may
//       have missed it. For the same reason no thread brings spilled counts into a sealed word.
//   STOP-4  Which molecule is taken back. With its count the thread takes any molecule of the name out of the bag. That
//       of another thread may lie there, which takes back or drops as well. But none that a body gets: the soup was
//       quiet when it was sealed, so no firing is reserved, and none can be. So the thread returns a value that is as
//       good as its own. Only a call has an owner who waits for it. It is destroyed instead, which ends it with the
//       reason, and its injection answers true. No report tells it, as if it had been refused. Several molecules at
//       once come back without having been counted. Before, a CAS that changes nothing confirms the seal.
//   STOP-5  A restart takes the seal off before it finds the soup quiet. So it waits for every thread that has found
//       the word sealed. Otherwise such a thread would take a molecule that was injected after the restart, and a body
//       would get its own, which its caller takes for refused.
//   STOP-6  A withdrawal takes no count of a sealed word. The count would be that of a late thread, which would find
//       none, and take its molecule for told. A late thread ends the call too. The exchange of a word shows that the
//       word is not sealed. Before a withdrawal takes from the overflow, it shows its entry, and reads the word again.

#include <string.h>

#include "firing/origin.h"
#include "matcher/inject.h"
#include "matcher/word/word.h"

// ---------------------------------------------------------------------------------------------------------------------
// Both forms
// ---------------------------------------------------------------------------------------------------------------------

static bool note(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  uint64_t *words = context;
  words[home] = *after = before;
  return true;
}

void crucible__word_counts(struct component *component, uint64_t *counts) {
  const struct word_form *form = crucible__form_of(component);
  struct thread *self = crucible__thread();
  if (self) crucible__word_end_abandoned(self, component);
  // One look at all words, unless counts are moving. Then it looks until none is, within limits.
  uint64_t in_hand = 0;
  for (int tries = 0; tries < CRUCIBLE_SNAPSHOTS; tries++) {
    uint64_t words[WIDE_WORDS], hands = load_seq_cst(&component->hands);
    for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
      counts[bit] = load_seq_cst(&component->names[bit]->overflow);
    }
    form->change_all(component, crucible__all_words(component), note, words);
    bool agree = true;
    for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
      const struct crucible_name *name = component->names[bit];
      if (load_seq_cst(&name->overflow) != counts[bit]) agree = false;
      counts[bit] += crucible__form_counted(form, name, words[name->word.home]) / name->word.unit;
    }
    // WORD-5; partner: the addition in begin_hand
    uint32_t now = (uint32_t)hands;
    in_hand = now + (load_seq_cst(&component->hands) - (hands - now)) / HANDS_BEGUN;
    if (agree && in_hand == 0) return;
    give_way();
  }
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    if (crucible__has_callers(component->names[bit])) counts[bit] += in_hand;
  }
}

struct setting {
  uint64_t mask, bits;
};

static bool set_bits(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  (void)home;
  const struct setting *setting = context;
  *after = (before & ~setting->mask) | setting->bits;
  return true;
}

void crucible__word_control(struct component *component, bool paused, bool stopped) {
  const struct word_form *form = crucible__form_of(component);
  struct setting setting = {form->paused | form->stopped, (paused ? form->paused : 0) | (stopped ? form->stopped : 0)};
  // STOP-1: a thread that finds the words stopped finds REFUSING set, or that there has been a restart since. partner:
  // the load in attention; this thread drops after both what came between them
  if (stopped) fetch_or_seq_cst(&component->attention, REFUSING);
  form->change_all(component, crucible__all_words(component), set_bits, &setting);
}

bool crucible__word_restart(struct component *component) {
  // STOP-2; partner: the addition before a dropper reads the word
  if (load_seq_cst(&component->droppers) != 0) return false;
  fetch_and_seq_cst(&component->attention, ~(uint32_t)REFUSING);
  return true;
}

/// Adds the spilled molecules of all names that the drop affects to `counts`, by bit, and takes them.
static void take_overflow(struct component *component, const struct crucible_name *only, uint64_t *counts) {
  if (!(load_seq_cst(&component->attention) & SPILLED)) return;  // partner: the setting of the bit in a spill
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    if (!crucible__drops(only, component->names[bit])) continue;
    counts[bit] += exchange_seq_cst(&component->names[bit]->overflow, 0);
  }
}

/// Takes a molecule of the name out of its bag. Raises `*attempts` to how often the molecule was put back.
void crucible__word_pop(struct crucible_name *name, void *result, uint64_t *attempts) {
  if (crucible__front_clear(name->component, crucible__word_front(name))) {
    // A thread without a record keeps no cell.
    uint32_t keeper = crucible__self ? crucible__self->keeper : CELL_EMPTY;
    crucible__front_take(&name->bag, keeper, name->bag.size, result);
  } else {
    crucible__bag_pop_mpmc(&name->bag, result, attempts);
  }
}

/// Destroys the molecules that a drop has reserved. `counts` has their numbers by bit, and 0 for states. Returns the
/// total.
static uint64_t destroy_reserved(struct component *component, const uint64_t *counts, crucible_reason reason) {
  uint64_t destroyed = 0;
  CRUCIBLE_FIRING(room, component);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    destroyed += counts[bit];
    crucible__note_dropped(name, counts[bit], reason);
    for (uint64_t i = 0; name->has_payload && i < counts[bit]; i++) {
      uint64_t attempts = 0;
      crucible__word_pop(name, room.storage, &attempts);
      crucible__destroy_value(name, room.storage, reason);
    }
  }
  CRUCIBLE_FIRING_END(room, component);
  return destroyed;
}

bool crucible__word_take_back(struct crucible_name *name, void *value) {
  uint64_t attempts = 0;
  bool is_call = crucible__has_callers(name);
  CRUCIBLE_FIRING(room, name->component);
  if (name->has_payload) crucible__word_pop(name, is_call ? room.storage : value, &attempts);
  if (is_call) crucible__destroy_value(name, room.storage, CRUCIBLE_STOPPED_SOUP);
  if (is_call) crucible__add_dropped(name->soup, 1);
  CRUCIBLE_FIRING_END(room, name->component);
  return !is_call;
}

struct dropping {
  const struct component *component;
  const struct crucible_name *only;
  uint64_t mask, shown;  ///< every word must show `shown` in the bits of `mask`
  uint64_t *words;
};

static bool drop_counts(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  struct dropping *dropping = context;
  const struct word_form *form = crucible__form_of(dropping->component);
  dropping->words[home] = *after = before;
  for (uint32_t bit = 0; bit < dropping->component->layout->name_count; bit++) {
    const struct crucible_name *name = dropping->component->names[bit];
    if (name->word.home != home || !crucible__drops(dropping->only, name)) continue;
    *after -= crucible__form_counted(form, name, before);
  }
  return (before & dropping->mask) == dropping->shown;
}

/// Takes the counts of all names that the drop affects, if the words show `shown` in the bits of `mask`.
static void take_counts(struct component *component, const struct crucible_name *only, uint64_t mask, uint64_t shown,
                        uint64_t *counts) {
  const struct word_form *form = crucible__form_of(component);
  uint64_t before[WIDE_WORDS], words = 0;
  struct dropping dropping = {component, only, mask, shown, before};
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    if (crucible__drops(only, name)) words |= UINT64_C(1) << name->word.home;
  }
  if (!words || !form->change_all(component, words, drop_counts, &dropping)) return;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    if (!crucible__drops(only, name)) continue;
    counts[bit] += crucible__form_counted(form, name, before[name->word.home]) / name->word.unit;
  }
}

uint64_t crucible__word_drop(struct component *component, const struct crucible_name *only, crucible_reason reason) {
  uint64_t counts[component->layout->name_count];
  memset(counts, 0, sizeof counts);
  // The overflow is taken first, so that counts that are moved meanwhile are not missed. It is taken again at last,
  // because the drop has made room (WORD-3).
  take_overflow(component, only, counts);
  take_counts(component, only, 0, 0, counts);
  take_overflow(component, only, counts);
  return destroy_reserved(component, counts, reason);
}

uint64_t crucible__word_drop_stopped(struct component *component, bool brought) {
  const struct word_form *form = crucible__form_of(component);
  uint64_t counts[component->layout->name_count];
  memset(counts, 0, sizeof counts);
  uint64_t mask = brought ? form->stopped : form->stopped | form->paused;  // STOP-3
  // STOP-2; partner: the load in a restart, after its change of the words
  fetch_add_seq_cst(&component->droppers, 1);
  if ((form->look(component->names[0]) & mask) == form->stopped) {
    take_counts(component, NULL, mask, form->stopped, counts);
    take_overflow(component, NULL, counts);
  }
  uint64_t dropped = destroy_reserved(component, counts, CRUCIBLE_STOPPED_SOUP);
  fetch_sub_seq_cst(&component->droppers, 1);
  if (dropped > 0) crucible__add_dropped(component->soup, dropped);
  return dropped;
}

/// Whether a count may be taken out of the word: by a late thread only if the component is stopped, otherwise only if
/// it is not sealed.
static bool may_take(const struct word_form *form, uint64_t word, bool late) {
  return late ? (word & form->stopped) != 0 : !crucible__form_sealed(form, word);
}

bool crucible__word_take_one(struct thread *self, struct crucible_name *name, bool late) {
  const struct word_form *form = crucible__form_of(name->component);
  for (;;) {
    uint64_t word = form->look(name);
    while (may_take(form, word, late) && crucible__form_counted(form, name, word)) {
      if (form->change(name, &word, word - name->word.unit)) return true;
    }
    uint64_t over = load_seq_cst(&name->overflow);
    if (over == 0) return false;
    crucible__show_entry(self, name->soup);  // STOP-6
    if (!may_take(form, form->look(name), late)) return false;
    if (cas_seq_cst(&name->overflow, &over, over - 1)) return true;
  }
}

bool crucible__word_end_late(struct thread *self, struct component *component, struct crucible_name *name,
                             void *value) {
  const struct word_form *form = crucible__form_of(component);
  if (!(form->look(name) & form->stopped)) return true;
  // STOP-2; partner: the load in a restart, after its change of the words
  fetch_add_seq_cst(&component->droppers, 1);
  bool is_sealed = crucible__form_sealed(form, form->look(name));
  bool taken = is_sealed && crucible__word_take_one(self, name, true);
  bool refused = taken && crucible__word_take_back(name, value);
  fetch_sub_seq_cst(&component->droppers, 1);
  if (!is_sealed) crucible__word_drop_stopped(component, true);
  return !refused;
}

// ---------------------------------------------------------------------------------------------------------------------
// Narrow components
// ---------------------------------------------------------------------------------------------------------------------

void crucible__word_pause_name(struct crucible_name *name) {
  struct component *component = name->component;
  uint64_t guard = crucible__word_guard(name);
  bool paused = load_relaxed(&name->paused);
  fetch_or_seq_cst(&component->attention, SPILLED);
  crucible__word_begin_hand(component);
  uint64_t word = load_seq_cst(&component->word.state), next;
  bool changed = false;
  while (!changed && !(word & guard) == paused) {
    // Counts above the limit belong to blind additions in progress.
    next = paused ? (word & ~name->word.mask) | name->word.limit | guard : (word & ~guard) - name->word.limit;
    changed = cas_seq_cst(&component->word.state, &word, next);
  }
  uint64_t count = changed && paused ? (word & name->word.mask) / name->word.unit : 0;
  if (count > 0) fetch_add_seq_cst(&name->overflow, count);  // partner: the load in bring
  crucible__word_end_hand(component);
  if (changed && !paused) crucible__word_bring(component, name);
}

void crucible__word_inherit(struct component *component) {
  fetch_or_seq_cst(&component->word.state, WORD_PAUSED);
  store_relaxed(&component->droppers, 0);  // droppers and hands of the parent are not in this process
  store_relaxed(&component->hands, 0);
}

static uint64_t look(const struct crucible_name *name) { return load_seq_cst(&name->component->word.state); }

static bool change(const struct crucible_name *name, uint64_t *before, uint64_t after) {
  return cas_seq_cst(&name->component->word.state, before, after);
}

static bool change_all(struct component *component, uint64_t homes, change_function change, void *context) {
  (void)homes;
  uint64_t before = load_seq_cst(&component->word.state), after;
  do {
    if (!change(context, 0, before, &after)) return false;
  } while (!cas_seq_cst(&component->word.state, &before, after));
  return true;
}

const struct word_form crucible__word_form = {
    .paused = WORD_PAUSED,
    .stopped = WORD_STOPPED,
    .fills_paused = true,
    .look = look,
    .change = change,
    .change_all = change_all,
    .settle_all = crucible__word_settle_all,
};
