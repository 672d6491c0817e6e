// The record that the wide form of the matcher `word`, and `claim`, keep of a component, and functions for their files.
// wide.c explains how it works.

#ifndef CRUCIBLE_WIDE_H
#define CRUCIBLE_WIDE_H

#include "base/claims.h"
#include "firing/firing.h"
#include "matcher/matcher.h"
#include "matcher/word/word.h"

/// A word, alone in its line.
struct wide_word {
  _Alignas(CRUCIBLE_LINE) _Atomic uint64_t word;
};

/// The lowest bits of a word, which are 0 while it has counts (base/claims.h).
enum { WIDE_LOW_BITS = 2 };
/// The most bits of a word for counts: all except these, and the two for control.
enum { WIDE_MOST_BITS = 60 };
/// The counts that a reaction takes from one word, like those of struct candidate.
struct wide_part {
  uint32_t home;
  uint64_t need;
  uint64_t guards;
};

/// The record behind rule->own.
struct wide_reaction {
  uint64_t words;       ///< the words from which it takes something
  uint64_t states;      ///< the words in which its states lie
  int32_t state;        ///< the bit of its only state; -1: it has none, or several
  uint32_t part_count;
  struct wide_part parts[];  ///< in the order of the words
};

/// The list behind the candidates of a name. Its last element has no fields. It concerns reactions that take nothing
/// else from the name's own word. Such a reaction is not enabled while these fields of another word are 0.
struct wide_beside {
  uint32_t home;
  uint64_t fields;
};

// The candidates of a name contain what each reaction takes from the name's own word. What it takes from other words is
// in its parts. The candidates of the component contain only the reactions.

/// Returns the words of a component.
static inline struct wide_word *crucible__wide_of(const struct component *component) { return component->own; }

static inline const struct wide_reaction *crucible__wide_reaction(const struct reaction *reaction) {
  return reaction->rule->own;
}

/// Finds the only state of a reaction. Null: it has none, or several.
static inline const struct crucible_name *crucible__wide_state(const struct reaction *reaction) {
  int32_t state = crucible__wide_reaction(reaction)->state;
  return state < 0 ? NULL : reaction->component->names[state];
}

static inline _Atomic uint64_t *crucible__wide_home(struct wide_word *own, const struct crucible_name *name) {
  return (_Atomic uint64_t *)(void *)((char *)own + name->word.home_at);
}

/// The two bits of each word above its fields. Either of them disables every reaction of the component. The test for a
/// reaction (crucible__wide_has) reads them before and after it subtracts, so a borrow clears none unseen.
#define WIDE_PAUSED (UINT64_C(1) << 62)
#define WIDE_STOPPED (UINT64_C(1) << 63)
#define WIDE_CONTROL (WIDE_PAUSED | WIDE_STOPPED)

/// The bits that disable every reaction that takes from the word: control bits, and the mark of a claim.
#define WIDE_DISABLED (WIDE_CONTROL | CLAIM_BUSY)

/// Whether the word has what a reaction takes from it. `mask`: the guards and WIDE_DISABLED. The guard of a paused name
/// is set, and then lends nothing to its field.
static inline bool crucible__wide_has(uint64_t word, uint64_t need, uint64_t guards, uint64_t mask) {
  uint64_t free = word ^ guards;
  return (free & (free - need) & mask) == guards;
}

/// Returns the counts of the word of the name, with its control bits.
static inline uint64_t crucible__wide_look(struct wide_word *own, const struct crucible_name *name) {
  return crucible__look(crucible__wide_home(own, name));
}

static inline const struct wide_beside *crucible__wide_beside(const struct crucible_name *name) {
  return (const struct wide_beside *)(const void *)name->word.candidates_end;
}

/// Changes the words of all `homes` at once, or none. `change` is known where this is compiled. False: `change` has
/// refused. The words are read one after the other. If one lacks what is needed, that need not be a snapshot (WIDE-2).
static INLINE bool crucible__wide_change(struct thread *self, struct wide_word *words, uint64_t homes,
                                         change_function change, void *context) {
  struct claims *claims = &self->claims;
  for (int tries = 0;; tries++) {
    bool has_help = tries >= CRUCIBLE_CLAIM_TRIES;
    uint64_t tag = crucible__claims_begin(self, UNLIKELY(has_help) ? CLAIM_HELPED : 0);
    uint32_t count = 0;
    bool agreed = true;
    for (uint64_t rest = homes; agreed && rest; rest &= rest - 1) {
      uint32_t home = (uint32_t)__builtin_ctzll(rest);
      _Atomic uint64_t *word = &words[home].word;
      uint64_t before = crucible__look_to_change(word), after;
      while ((agreed = change(context, home, before, &after))) {
        crucible__claims_note(claims, count, word, before, after);
        if (UNLIKELY(has_help) || LIKELY(crucible__change(word, &before, tag))) break;
      }
      count += agreed;
    }
    if (UNLIKELY(has_help) && agreed) crucible__claims_carry_out(claims, tag, count);
    bool done = crucible__claims_decide(claims, agreed ? CLAIM_DONE : CLAIM_ABORTED);
    for (uint32_t i = 0; i < count; i++) {
      const struct claimed *claimed = &claims->words[i];
      crucible__claims_remove(load_relaxed(&claimed->word), tag,
                              load_relaxed(done ? &claimed->after : &claimed->before));
    }
    if (LIKELY(done) || !agreed) return done;
    let_others_run();
  }
}

// wide.c
/// Adds one count of a name, after its molecule was published. True: counts were moved from the overflow.
bool crucible__wide_add(struct component *component, struct crucible_name *name);
/// Reserves all enabled reactions of the component. Returns one of them, to run here. The others are submitted.
struct reaction *crucible__wide_settle_all(struct thread *self, struct component *component);

/// Adds one published molecule, unless it is `added` already, and reserves the reactions that this enables.
struct reaction *crucible__wide_add_and_settle(struct thread *self, struct crucible_name *name, bool added);
/// Takes what the reaction needs, except the molecule that is `given`. False: the reaction is not enabled any more.
bool crucible__wide_fire(struct thread *self, struct reaction *reaction, struct crucible_name *given);
/// Undoes a reserved firing, except for the molecule that is `given` (WIDE-5).
void crucible__wide_undo(struct thread *self, struct reaction *reaction, struct crucible_name *given);
/// Undoes a firing of `given` that left out the word of its molecule, if the name was paused by then. Returns whether
/// it was.
static inline bool crucible__wide_undo_if_paused(struct thread *self, struct reaction *reaction,
                                                 struct crucible_name *given) {
  struct wide_word *own = crucible__wide_of(reaction->component);
  if (LIKELY(!(crucible__wide_look(own, given) & crucible__word_guard(given)))) return false;
  crucible__wide_undo(self, reaction, given);
  return true;
}
/// Gives the states of a body back, unless they are back already, and settles. Returns the firing that runs next on
/// this thread, or null.
struct reaction *crucible__wide_give_states_back(struct thread *self, struct reaction *reaction, bool given);
/// Injects any name, for a thread that has already entered.
bool crucible__wide_inject_entered(struct crucible_name *name, void *value, struct stripe *stripe);

// wide_short.c
/// Returns the shortest function that can inject this name.
inject_function crucible__wide_inject_for(const struct crucible_name *name);

// wide_layout.c
/// Gives each name a field of its word, which is known. The names of a word that are no states share its room equally.
/// `room`: the bits of a word for counts.
void crucible__wide_make_fields(struct component *component, uint32_t words, uint32_t room);
bool crucible__wide_fits(struct component *component);
bool crucible__claim_fits(struct component *component);
bool crucible__wide_list(struct component *component);
bool crucible__wide_create(struct component *component);

// wide_control.c
extern const struct word_form crucible__wide_form;
void crucible__wide_pause_name(struct crucible_name *name);
void crucible__wide_inherit(struct component *component);
static inline bool crucible__wide_refuses(struct thread *self, struct crucible_name *name, void *value) {
  return UNLIKELY(load_seq_cst(&name->component->attention) & REFUSING) &&
         !crucible__word_end_late(self, name->component, name, value);
}

#endif
