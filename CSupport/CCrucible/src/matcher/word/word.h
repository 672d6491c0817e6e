// Selecting, adding and settling, inline, for the files of the matcher `word`. word.c tells how the matcher works.

#ifndef CRUCIBLE_WORD_H
#define CRUCIBLE_WORD_H

#include "firing/firing.h"
#include "firing/stripes.h"
#include "matcher/matcher.h"
#include "matcher/word/word_front.h"
#include "matcher/word/word_lists.h"
#include "matcher/word/word_overflow.h"

/// After a failed CAS: lets the others finish theirs, and remembers. Sets `*word` to the word after that.
void crucible__word_back_off(struct thread *self, struct component *component, uint64_t *word);

static inline bool crucible__word_enabled(const struct candidate *candidate, uint64_t word) {
  return (((word ^ candidate->guards) - candidate->need) & candidate->mask) == candidate->guards;
}

/// Returns the count of the name in the word, in place, or 0 while the name is paused (HUSH-1).
static inline uint64_t crucible__word_counted(const struct crucible_name *name, uint64_t word) {
  return UNLIKELY(word & crucible__word_guard(name)) ? 0 : word & name->word.mask;
}

/// Whether a molecule of the name, which completes nothing in `word`, may lack only a state that another thread's body
/// has. Then reading the word before the addition saves nothing. What a body injects tells nothing about other threads,
/// because that body may have the state.
static inline bool crucible__word_lacks_state(const struct thread *self, const struct crucible_name *name,
                                              uint64_t word) {
  return name->word.under_state && self->depth == 0 && (~word & name->component->word.states);
}

/// One of the enabled reactions, each with the same probability, given that `found` is the first of them.
const struct candidate *crucible__word_choose_among(struct thread *self, struct component *component,
                                                    const struct candidate *found, const struct candidate *end,
                                                    uint64_t word);

/// One of the enabled reactions, each with the same probability; null: none.
static inline const struct candidate *crucible__word_choose(struct thread *self, struct component *component,
                                                            const struct candidate *begin, const struct candidate *end,
                                                            uint64_t word) {
  const struct candidate *c = begin;  // every list has at least one: a name that no reaction consumes is refused
  do {
    if (crucible__word_enabled(c, word)) {
      return LIKELY(c + 1 == end) ? c : crucible__word_choose_among(self, component, c, end, word);
    }
  } while (UNLIKELY(++c < end));
  return NULL;
}

/// Does what others have left to do (WORD-4) and what no thread may leave without (CALL-4, STOP-1). True: at least one
/// count came.
bool crucible__word_tend(struct thread *self, struct component *component);
/// Before leaving without having fired: tends, and settles. Answers as settle does.
struct reaction *crucible__word_attend(struct thread *self, struct component *component);

// ---------------------------------------------------------------------------------------------------------------------
// Adding and firing
// ---------------------------------------------------------------------------------------------------------------------

/// Enters, and reserves by a compare-and-swap what an injection fires at once.
static inline __attribute__((always_inline)) bool crucible__word_enter_and_take(struct component *component,
                                                                                struct stripe *stripe, uint64_t word,
                                                                                uint64_t left) {
  crucible__enter_stripe(stripe);
  // unseen order: the CAS in `complete` is the same, and is found; fewer schedules come here
  return cas_seq_cst(&component->word.state, &word, left);
}

/// The same, but for an injection that takes its own molecule alone: the word is to be `left` already, which a look can
/// tell. Such an injection writes to no line that threads share.
static inline __attribute__((always_inline)) bool crucible__word_enter_and_reserve(struct component *component,
                                                                                   struct stripe *stripe,
                                                                                   uint64_t word, uint64_t left) {
  // partner: the additions of the molecules that are taken, and the change that made a fact known
  if (left == word) return crucible__enter_and_look(stripe, &component->word.state) == word;
  return crucible__word_enter_and_take(component, stripe, word, left);
}

/// To be called after every CAS that fires `reaction`. True: counts were brought over, so several may be enabled now.
static inline bool crucible__word_fired(struct thread *self, struct component *component,
                                        const struct reaction *reaction) {
  return UNLIKELY(load_seq_cst(&component->word.attention) != 0) && crucible__word_make_room(self, component, reaction);
}

/// Reserves what is enabled among `candidates`. Without `several` one is enough (WORD-2). Answers one reserved firing,
/// or null; further ones have been given to others. `chosen`, if any, is one that is reserved already.
static inline __attribute__((always_inline)) struct reaction *crucible__word_settle(
    struct thread *self, struct component *component, const struct candidate *begin, const struct candidate *end,
    uint64_t word, bool several, struct reaction *chosen) {
  for (;;) {
    const struct candidate *candidate = crucible__word_choose(self, component, begin, end, word);
    if (!candidate) return chosen;
    if (UNLIKELY(!cas_seq_cst(&component->word.state, &word, word - candidate->need))) {
      crucible__word_back_off(self, component, &word);
      continue;
    }
    if (chosen) crucible__submit(self, chosen);
    chosen = candidate->reaction;
    if (crucible__word_fired(self, component, chosen)) several = true;
    if (LIKELY(!several)) return chosen;
    begin = component->word.candidates;
    end = component->word.candidates_end;
    word = load_seq_cst(&component->word.state);  // unseen: a later CAS confirms it, or nothing is to do
  }
}

/// Settles all of the component, after counts of several names may have come.
struct reaction *crucible__word_settle_all(struct thread *self, struct component *component, struct reaction *chosen);

/// After a blind addition, `*word` being the word with it: takes it back where it has lifted the field above its limit,
/// and spills it. Sets `*word` to a word that came after that. True: counts were brought over from the overflow.
static inline bool crucible__word_added(struct component *component, struct crucible_name *name, uint64_t *word) {
  while (UNLIKELY((*word & name->word.mask) > name->word.limit)) {
    // unseen order: both sides modify it; the later reads the earlier; unseen acquire: a later CAS confirms it, or
    // nothing is to do; unseen release: counted only; the slot's turn orders the payload
    if (!cas_seq_cst(&component->word.state, word, *word - name->word.unit)) continue;
    bool brought = crucible__word_spill(component, name);
    // unseen order: this thread looks again, or has looked before; unseen acquire: a later CAS confirms it, or nothing
    // is to do
    *word = load_seq_cst(&component->word.state);
    return brought;
  }
  return false;
}

/// Adds one count of a name, after its molecule was published. `unit`: 1 in the field, and the front bit if the
/// molecule is in the cell. Sets `*word` to a word that came after the addition. True: counts were brought over from
/// the overflow.
static inline bool crucible__word_add(const struct thread *self, struct component *component,
                                      struct crucible_name *name, uint64_t unit, uint64_t *word) {
  if (LIKELY(self->index < name->word.blind)) {
    // partner: the load before a firing's pops
    *word = fetch_add_seq_cst(&component->word.state, unit) + unit;
    return crucible__word_added(component, name, word);
  }
  *word = load_acquire(&component->word.state);  // unseen: a later CAS confirms it, or nothing is to do
  while ((*word & name->word.mask) < name->word.limit) {
    if (cas_seq_cst(&component->word.state, word, *word + unit)) {
      *word += unit;
      return false;
    }
  }
  // The molecule is in the cell, and its count spills. unseen order, acquire: as of the other additions; unseen
  // release: seldom does a field fill up just then
  if (unit != name->word.unit) fetch_add_seq_cst(&component->word.state, unit - name->word.unit);
  bool brought = crucible__word_spill(component, name);
  *word = load_seq_cst(&component->word.state);
  return brought;
}

/// Gives the only state of a body back. While no other thread is about, adding it and then looking costs less than
/// one CAS that does both. True: there may be more to do.
static inline bool crucible__word_gives_back_more(struct component *component, const struct reaction *reaction) {
  // Released: the next to take the state sees what the body wrote into its cell.
  uint64_t before = fetch_add_seq_cst(&component->word.state, reaction->word.states);
  // unseen: a flag; what it announces orders itself
  return (before & reaction->word.after_fields) != 0 || load_seq_cst(&component->word.attention) != 0;
}

#endif
