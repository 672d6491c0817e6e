// Injecting with the matcher `word`, whatever the name, the thread and the state of the component. word.c explains
// add-first and CAS-first. The short injections of word_short.c take the same steps where nothing is in the way.

#include "matcher/word/word.h"

#include "base/errors.h"
#include "base/tuning.h"
#include "matcher/word/word_fire.h"

/// Whether the molecule may be consumed without being stored. A value may only while the bag is empty, because
/// otherwise it would overtake values that wait there. The counts do not show this. Suppose x is published but not yet
/// counted, and y behind it is counted. Then the firing that takes y's count takes x, and leaves y uncounted in the
/// bag. Molecules without payload always may, because the reaction that they complete consumes at least one, so the
/// field does not grow. If the field is full, the sum sets the guard. Then a reaction appears enabled only if it is
/// enabled without the molecule too: its counts in other fields are there, or the borrow shows that they are not.
static inline bool may_complete_unstored(struct crucible_name *name, uint64_t word) {
  return !name->has_payload || (!(word & name->front) && crucible__bag_is_empty(&name->bag));
}

/// Fires, CAS-first, a reaction that the molecule completes, without storing it. Null: the molecule must be stored.
static INLINE struct reaction *complete(struct thread *self, struct component *component, struct crucible_name *name) {
  uint64_t word = load_acquire(&component->word.state);  // partner: the additions of the molecules that are taken
  for (int failures = 0;; failures++) {
    const struct candidate *candidate =
        crucible__word_choose(self, component, name->word.candidates, name->word.candidates_end,
                              word + name->word.unit);
    if (!candidate) {
      if (crucible__word_lacks_state(self, name, word)) self->heat = CRUCIBLE_HEAT;
      return NULL;
    }
    if (!may_complete_unstored(name, word)) return NULL;
    if (name->has_payload && !crucible__runs_here(self, crucible__reaction(component, candidate))) return NULL;
    if (LIKELY(cas_seq_cst(&component->word.state, &word, word + name->word.unit - candidate->need))) {
      return crucible__reaction(component, candidate);
    }
    if (self->depth == 0 || failures == CRUCIBLE_FAILURES) {
      self->heat = CRUCIBLE_HEAT;
      return NULL;
    }
    crucible__word_back_off(self, component, &word);
  }
}

/// Reserves what a stored and counted molecule enables, in `word` or later, which may be stopped. `several`: spilled
/// counts were added as well. Refuses a molecule that is too late (STOP-3). Then `value` is the caller's again.
static NOINLINE struct added settle_late(struct thread *self, struct crucible_name *name, void *value, uint64_t word,
                                         bool several) {
  struct component *component = name->component;
  bool refused = false;
  struct reaction *reaction = several ? crucible__word_settle_all(self, component)
                                      : crucible__word_settle(self, component, name->word.candidates,
                                                              name->word.candidates_end, word, false);
  if (!reaction && load_seq_cst(&component->attention) != 0) {
    refused = (word & WORD_STOPPED) && !crucible__word_end_late(self, component, name, value);
    reaction = crucible__word_attend(self, component);
  }
  return (struct added){reaction, refused ? CRUCIBLE_NOT_RUNNING : CRUCIBLE_OK};
}

/// Reserves what a stored and counted molecule enables, in `word` or later. Requires: `word` is not stopped. So the
/// molecule is not refused, and its value is not needed any more (STOP-3).
static INLINE struct reaction *settle_stored(struct thread *self, struct component *component,
                                             struct crucible_name *name, uint64_t word) {
  struct reaction *reaction = crucible__word_settle(self, component, name->word.candidates, name->word.candidates_end,
                                                    word, false);
  return crucible__word_or_attend(self, component, reaction);
}

bool crucible__word_run_and_leave(struct thread *self, struct reaction *reaction, struct unstored unstored,
                                  struct stripe *stripe, uint64_t word) {
  __builtin_assume(stripe != NULL);  // all short injections have one
  struct component *component = reaction->component;
  if (crucible__word_fired(self, component, reaction)) crucible__word_settle_others(self, component);
  crucible__word_fire(self, component, reaction, unstored, word);
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
  return true;
}

bool crucible__word_submit_and_leave(struct thread *self, struct reaction *reaction, struct stripe *stripe) {
  __builtin_assume(stripe != NULL);  // all short injections have one
  struct component *component = reaction->component;
  if (crucible__word_fired(self, component, reaction)) crucible__word_settle_others(self, component);
  crucible__submit_last(self, reaction);
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
  return true;
}

bool crucible__word_submit_unstored_and_leave(struct thread *self, struct reaction *reaction, struct unstored unstored,
                                         struct stripe *stripe, uint64_t word, bool visits) {
  struct component *component = reaction->component;
  if (crucible__word_fired(self, component, reaction)) crucible__word_settle_others(self, component);
  crucible_firing *firing = crucible__make_firing(reaction);
  crucible__word_take_from_input(reaction, firing->room, 0, unstored, word);
  crucible__submit_unstored(self, firing, unstored.value, visits);
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
  return true;
}

/// Continues after the molecule was counted, whatever the word shows. `several`: spilled counts were added as well.
static bool settle_late_and_leave(struct thread *self, struct crucible_name *name, void *value, uint64_t word,
                                  bool several, struct stripe *stripe) {
  struct added added = settle_late(self, name, value, word, several);
  crucible__word_end_injection(self, name->component, added.reaction, ALL_STORED, stripe);
  return added.status == CRUCIBLE_OK || crucible__refuse(added.status);
}

/// Continues after a blind addition to a word that is stopped, or whose field is full.
static NOINLINE bool check_and_leave(struct thread *self, struct crucible_name *name, void *value, uint64_t word,
                                     struct stripe *stripe) {
  bool several = crucible__word_added(name->component, name, &word);
  return settle_late_and_leave(self, name, value, word, several, stripe);
}

bool crucible__word_settle_and_leave(struct thread *self, struct crucible_name *name, void *value, uint64_t word,
                                     struct stripe *stripe) {
  __builtin_assume(stripe != NULL);  // all short injections have one
  // The value is not needed after this. It would take one register more, which would have to be saved.
  if (UNLIKELY(word & WORD_STOPPED) || UNLIKELY((word & name->word.mask) > name->word.limit)) {
    return check_and_leave(self, name, value, word, stripe);
  }
  struct component *component = name->component;
  crucible__word_end_injection(self, component, settle_stored(self, component, name, word), ALL_STORED, stripe);
  return true;
}

bool crucible__word_add_and_leave(struct thread *self, struct crucible_name *name, void *value, uint64_t unit,
                                  struct stripe *stripe) {
  uint64_t word;
  bool several = crucible__word_add(self, name->component, name, unit, &word);
  return settle_late_and_leave(self, name, value, word, several, stripe);
}

/// Adds the molecule. If it completes a reaction without being stored, sets `*unstored` to it.
static INLINE struct added add_or_complete(struct thread *self, struct crucible_name *name, void *value,
                                           uint64_t attempts, struct place *place, struct unstored *unstored) {
  struct component *component = name->component;
  struct reaction *reaction = NULL;
  if (UNLIKELY(attempts > 0)) {
    // The molecule is stored in any case, because its place says how often it was put back.
  } else if (LIKELY(self->heat == 0) || self->depth > 0) {
    reaction = complete(self, component, name);
  } else {
    self->heat--;
  }
  if (reaction) {
    *unstored = (struct unstored){name, value};
    if (crucible__word_fired(self, component, reaction)) crucible__word_settle_others(self, component);
    return (struct added){reaction, CRUCIBLE_OK};
  }
  *unstored = ALL_STORED;
  uint64_t unit = crucible__word_publish(self, name, value, attempts, place);
  if (UNLIKELY(!unit)) return (struct added){NULL, CRUCIBLE_NO_MEMORY};
  uint64_t word;
  bool several = crucible__word_add(self, component, name, unit, &word);
  if (UNLIKELY(several) || UNLIKELY(word & WORD_STOPPED)) return settle_late(self, name, value, word, several);
  return (struct added){settle_stored(self, component, name, word), CRUCIBLE_OK};
}

/// Injects. `stripe`: where the thread has entered already, or null if it has not.
static INLINE bool inject(struct crucible_name *name, void *value, struct stripe *stripe) {
  struct thread *self = crucible__thread();
  if (UNLIKELY(!self)) return crucible__refuse(CRUCIBLE_NO_MEMORY);
  struct component *component = name->component;
  if (!stripe) stripe = crucible__enter(self, component->soup);
  struct unstored unstored;
  struct added added = add_or_complete(self, name, value, 0, NULL, &unstored);
  crucible__word_end_injection(self, component, added.reaction, unstored, stripe);
  return LIKELY(added.status == CRUCIBLE_OK) || crucible__refuse(added.status);
}

bool crucible__word_inject(struct crucible_name *name, void *value) { return inject(name, value, NULL); }

bool crucible__word_inject_entered(struct crucible_name *name, void *value, struct stripe *stripe) {
  return inject(name, value, stripe);
}

struct added crucible__word_add_one(struct thread *self, struct crucible_name *name, void *value, uint64_t attempts,
                                    struct place *place, struct firing *firing) {
  struct unstored unstored;
  struct added added = add_or_complete(self, name, value, attempts, place, &unstored);
  const struct reaction *reaction = added.reaction;
  if (reaction && reaction->rule->has_stored && crucible__runs_here(self, reaction)) {
    uint64_t word = crucible__word_clear_fronts(reaction, unstored);
    crucible__word_take_from_input(reaction, *firing, 0, unstored, word);
  }
  return added;
}

struct reaction *crucible__word_step(struct thread *self, struct component *component, struct reaction *only) {
  const struct candidate *begin = only ? &only->rule->word.self : component->layout->word.candidates;
  const struct candidate *end = only ? begin + 1 : component->layout->word.candidates_end;
  const struct candidate *candidate;
  uint64_t word = load_acquire(&component->word.state);
  for (;;) {
    if ((word & WORD_CONTROL) != WORD_PAUSED) return NULL;
    candidate = crucible__word_choose(self, component, begin, end, word & ~WORD_PAUSED);
    if (!candidate) return NULL;
    if (cas_seq_cst(&component->word.state, &word, word - candidate->need)) break;
    crucible__word_back_off(self, component, &word);
  }
  // The counts that were moved enable nothing while the pause lasts. But the pause may have ended since (WORD-2).
  struct reaction *fired = crucible__reaction(component, candidate);
  if (crucible__word_fired(self, component, fired)) crucible__word_settle_others(self, component);
  return fired;
}
