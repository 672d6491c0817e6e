// Selecting, adding and settling, inline, for the files of the matcher `word`. word.c explains how the matcher works.

#ifndef CRUCIBLE_WORD_H
#define CRUCIBLE_WORD_H

#include "firing/firing.h"
#include "firing/stripes.h"
#include "matcher/matcher.h"
#include "matcher/word/word_front.h"
#include "matcher/word/word_lists.h"
#include "matcher/word/word_overflow.h"

/// Backs off after a failed CAS: lets other threads finish theirs, and notes the failure. Sets `*word` to a later word.
void crucible__word_back_off(struct thread *self, struct component *component, uint64_t *word);

static inline bool crucible__word_enabled(const struct candidate *candidate, uint64_t word) {
  return (((word ^ candidate->guards) - candidate->need) & candidate->mask) == candidate->guards;
}

/// Whether a molecule of the name, which completes nothing in `word`, may lack only a state that another thread's body
/// has taken. Then a read of the word before the addition saves nothing. The injections of a body say nothing about
/// other threads, because that body may have taken the state.
static inline bool crucible__word_lacks_state(const struct thread *self, const struct crucible_name *name,
                                              uint64_t word) {
  return name->word.under_state && self->depth == 0 && (~word & name->component->layout->word.states);
}

/// Chooses one of the enabled reactions, each with the same probability. Requires: `found` is the first of them.
const struct candidate *crucible__word_choose_among(struct thread *self, struct component *component,
                                                    const struct candidate *found, const struct candidate *end,
                                                    uint64_t word);

/// Chooses one of the enabled reactions, each with the same probability. Null: none is enabled.
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

// ---------------------------------------------------------------------------------------------------------------------
// Adding and firing
// ---------------------------------------------------------------------------------------------------------------------

/// Enters, and reserves by a compare-and-swap the firing of an injection that fires at once.
static inline __attribute__((always_inline)) bool crucible__word_enter_and_take(struct component *component,
                                                                                struct stripe *stripe, uint64_t word,
                                                                                uint64_t left) {
  crucible__enter_stripe(stripe);
  return cas_seq_cst(&component->word.state, &word, left);
}

/// Does the same for an injection that takes only its own molecule. Then the word must already equal `left`, which a
/// read shows. Such an injection writes to no line that threads share.
static inline __attribute__((always_inline)) bool crucible__word_enter_and_reserve(struct component *component,
                                                                                   struct stripe *stripe,
                                                                                   uint64_t word, uint64_t left) {
  // partner: the additions of the molecules that are taken, and the change that made a fact known
  if (left == word) return crucible__enter_and_look(stripe, &component->word.state) == word;
  return crucible__word_enter_and_take(component, stripe, word, left);
}

/// Must be called after every change that fires `reaction`. True: counts were moved, so several reactions may be
/// enabled now.
static inline bool crucible__word_fired(struct thread *self, struct component *component,
                                        const struct reaction *reaction) {
  return UNLIKELY(load_seq_cst(&component->attention) != 0) && crucible__word_make_room(self, component, reaction);
}

/// Reserves enabled reactions among the candidates. Without `several` one is enough (WORD-2). Returns one reserved
/// firing, or null. All further ones are submitted.
static inline __attribute__((always_inline)) struct reaction *crucible__word_settle(
    struct thread *self, struct component *component, const struct candidate *begin, const struct candidate *end,
    uint64_t word, bool several) {
  for (struct reaction *chosen = NULL;;) {
    const struct candidate *candidate = crucible__word_choose(self, component, begin, end, word);
    if (!candidate) return chosen;
    if (UNLIKELY(!cas_seq_cst(&component->word.state, &word, word - candidate->need))) {
      crucible__word_back_off(self, component, &word);
      continue;
    }
    if (chosen) crucible__submit(self, chosen);
    chosen = crucible__reaction(component, candidate);
    if (crucible__word_fired(self, component, chosen)) several = true;
    if (LIKELY(!several)) return chosen;
    begin = component->layout->word.candidates;
    end = component->layout->word.candidates_end;
    word = load_seq_cst(&component->word.state);
  }
}

// The calls of struct matcher that both forms share.
void crucible__word_destroy(struct component *component);
uint32_t crucible__word_words(const struct crucible_name *name, uint32_t *home);
uint64_t crucible__word_capacity(const struct crucible_name *name);

/// Settles the whole component, after counts of several names may have been added.
struct reaction *crucible__word_settle_all(struct thread *self, struct component *component);

/// Checks the result of a blind addition, which is `*word`. If the field is above its limit, takes the addition back
/// and spills it. Sets `*word` to a later word. True: counts were moved from the overflow.
static inline bool crucible__word_added(struct component *component, struct crucible_name *name, uint64_t *word) {
  while (UNLIKELY((*word & name->word.mask) > name->word.limit)) {
    if (!cas_seq_cst(&component->word.state, word, *word - name->word.unit)) continue;
    bool brought = crucible__word_spill(component, name, 1);
    *word = load_seq_cst(&component->word.state);
    return brought;
  }
  return false;
}

/// Adds one count of a name, after its molecule was published. `unit`: 1 in the field, and the front bit if the
/// molecule is in the cell. Sets `*word` to a word after the addition. True: counts were moved from the overflow.
static inline bool crucible__word_add(const struct thread *self, struct component *component,
                                      struct crucible_name *name, uint64_t unit, uint64_t *word) {
  if (LIKELY(self->index < name->word.blind)) {
    // partner: the load before a firing's pops
    *word = fetch_add_seq_cst(&component->word.state, unit) + unit;
    return crucible__word_added(component, name, word);
  }
  *word = load_acquire(&component->word.state);
  while ((*word & name->word.mask) < name->word.limit) {
    if (cas_seq_cst(&component->word.state, word, *word + unit)) {
      *word += unit;
      return false;
    }
  }
  // The molecule is in the cell, and its count spills.
  if (unit != name->word.unit) fetch_add_seq_cst(&component->word.state, unit - name->word.unit);
  bool brought = crucible__word_spill(component, name, 1);
  *word = load_seq_cst(&component->word.state);
  return brought;
}

/// Gives the only state of a body back. While no other thread is active, an addition and a read cost less than one CAS
/// that does both. True: there may be more to do.
static inline bool crucible__word_gives_back_more(struct component *component, const struct reaction *reaction) {
  // Released: the thread that takes the state next sees what the body wrote into its cell.
  const struct word_reaction *ended = &reaction->rule->word;
  uint64_t before = fetch_add_seq_cst(&component->word.state, ended->states);
  return (before & ended->after_fields) != 0 || load_seq_cst(&component->attention) != 0;
}

#endif
