// What the files of the matcher `word` share: selecting, adding and settling, inline. word.c tells how the matcher works.

#ifndef CRUCIBLE_WORD_H
#define CRUCIBLE_WORD_H

#include "firing.h"
#include "layout.h"
#include "soup.h"

// Additions after a failed CAS for which a thread does not try CAS-first again. Long enough that the failures cost little
// when contention lasts, short enough to find back within a microsecond when it ends.
#ifndef CRUCIBLE_HEAT
#define CRUCIBLE_HEAT 32
#endif

/// After a failed CAS: lets the others finish theirs, and remembers. Sets `*word` to the word after that.
void crucible__word_back_off(struct thread *self, struct component *component, uint64_t *word);

static inline bool crucible__word_enabled(const struct candidate *candidate, uint64_t word) {
  return (((word | candidate->guards) - candidate->need) & candidate->mask) == candidate->guards;
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

// ---------------------------------------------------------------------------------------------------------------------
// Rare things (word_rare.c)
// ---------------------------------------------------------------------------------------------------------------------

/// Brings spilled counts into the word while there is room. True: at least one came.
bool crucible__word_bring(struct component *component, struct crucible_name *name);
/// Counts one molecule as spilled. True: counts were brought over, maybe more than one.
bool crucible__word_spill(struct component *component, struct crucible_name *name);
/// After a reaction has made room: brings over for each of its names. True: at least one count came.
bool crucible__word_make_room(struct thread *self, struct component *component, const struct reaction *reaction);
/// Does what others have left to do (W4) and what nobody may leave without (S2, S3). True: at least one count came.
bool crucible__word_tend(struct thread *self, struct component *component);
/// Before leaving without having fired: tends, and settles. Answers as settle does.
struct reaction *crucible__word_attend(struct thread *self, struct component *component);
/// Puts the call on the list of those to be withdrawn later, and looks at once. Aborts with a message when there is no memory: its
/// caller goes, and nobody else knows that the molecule is to go too.
void crucible__word_abandon(struct thread *self, struct crucible_name *name, const struct place *place);
/// When the component goes: nobody is left to retry for.
void crucible__word_forget_abandoned(struct component *component);

// ---------------------------------------------------------------------------------------------------------------------
// Adding and firing
// ---------------------------------------------------------------------------------------------------------------------

/// To be called after every CAS that fires `reaction`. True: counts were brought over, so several may be enabled now.
static inline bool crucible__word_fired(struct thread *self, struct component *component, const struct reaction *reaction) {
  return UNLIKELY(load_seq_cst(&component->attention) != 0) && crucible__word_make_room(self, component, reaction);
}

/// Reserves what is enabled among `candidates`. Without `several` one is enough (W2). Answers one reserved firing, or
/// null; further ones have been given to others. `chosen`, if any, is one that is reserved already.
static inline __attribute__((always_inline)) struct reaction *crucible__word_settle(
    struct thread *self, struct component *component, const struct candidate *begin, const struct candidate *end,
    uint64_t word, bool several, struct reaction *chosen) {
  for (;;) {
    const struct candidate *candidate = crucible__word_choose(self, component, begin, end, word);
    if (!candidate) return chosen;
    if (UNLIKELY(!cas_seq_cst(&component->word, &word, word - candidate->need))) {
      crucible__word_back_off(self, component, &word);
      continue;
    }
    if (chosen) crucible__submit(self, chosen);
    chosen = candidate->reaction;
    if (crucible__word_fired(self, component, chosen)) several = true;
    if (LIKELY(!several)) return chosen;
    begin = component->candidates;
    end = component->candidates_end;
    word = load_seq_cst(&component->word);
  }
}

/// Settles all of the component, after counts of several names may have come.
struct reaction *crucible__word_settle_all(struct thread *self, struct component *component, struct reaction *chosen);

/// After a blind addition, `*word` being the word with it: takes it back where it has lifted the field above its limit, and spills
/// it. Sets `*word` to a word that came after that. True: counts were brought over from the overflow.
static inline bool crucible__word_added(struct component *component, struct crucible_name *name, uint64_t *word) {
  while (UNLIKELY((*word & name->mask) > name->limit)) {
    if (!cas_seq_cst(&component->word, word, *word - name->unit)) continue;
    bool brought = crucible__word_spill(component, name);
    *word = load_seq_cst(&component->word);
    return brought;
  }
  return false;
}

/// Adds one count of a name whose molecule is published. Sets `*word` to a word that came after it. True: counts were
/// brought over from the overflow.
static inline bool crucible__word_add(const struct thread *self, struct component *component, struct crucible_name *name,
                                      uint64_t *word) {
  if (LIKELY(self->index < name->blind)) {
    *word = fetch_add_seq_cst(&component->word, name->unit) + name->unit;  // partner: the load before a firing's pops
    return crucible__word_added(component, name, word);
  }
  *word = load_acquire(&component->word);
  while ((*word & name->mask) < name->limit) {
    if (cas_seq_cst(&component->word, word, *word + name->unit)) {
      *word += name->unit;
      return false;
    }
  }
  bool brought = crucible__word_spill(component, name);
  *word = load_seq_cst(&component->word);
  return brought;
}

/// Gives the only state of a body back. While nobody else is about, adding it and then looking costs less than
/// one CAS that does both (5.3 ns against 6.0 for taking and giving back). True: there may be more to do.
static inline bool crucible__word_gives_back_more(struct component *component, const struct reaction *reaction) {
  // Released: the next to take the state sees what the body wrote into its cell.
  uint64_t before = fetch_add_seq_cst(&component->word, reaction->states);
  return (before & reaction->after_fields) != 0 || load_seq_cst(&component->attention) != 0;
}

static inline bool crucible__word_is_bagged(const struct crucible_name *name) {
  return name->has_payload && name->kind != CRUCIBLE_STATE;
}

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

/// Injects any name (word.c).
bool crucible__word_inject(struct crucible_name *name, void *value);
/// What comes after a plain injection (word_short.c) gave its state back: its own injection does not show in the word any more, so it
/// counts itself as entered before it takes anything out of the word.
void crucible__word_run_on_counted(struct thread *self, struct component *component, struct reaction *reaction);
/// What injects this name: the shortest function that can (word_short.c).
inject_function crucible__word_inject_for(const struct crucible_name *name);

/// After a firing that was completed without being stored made room: what else came up goes to others, for the value of the
/// one is only here.
void crucible__word_settle_others(struct thread *self, struct component *component);

// How a short injection goes on when it is not over; each answers true.
/// After its CAS has fired `reaction`, for which its own molecule was not stored.
bool crucible__word_run_and_leave(struct thread *self, struct reaction *reaction, const struct crucible_name *own,
                                  void *value, struct stripe *stripe);
/// After one CAS has counted its molecule and fired `reaction`, which runs elsewhere; it is still in progress.
void crucible__word_submit(struct thread *self, struct component *component, struct reaction *reaction);
/// After its molecule was stored and counted by a blind addition; `word`: with it.
bool crucible__word_settle_and_leave(struct thread *self, struct crucible_name *name, uint64_t word, struct stripe *stripe);
/// Nothing of it can be seen yet but that it has entered: begins again, by any path. It has not left meanwhile, or somebody might
/// find the soup quiet.
bool crucible__word_inject_entered(struct crucible_name *name, void *value, struct stripe *stripe);

// ---------------------------------------------------------------------------------------------------------------------
// Beside injecting and running (word_control.c)
// ---------------------------------------------------------------------------------------------------------------------

enum withdrawal crucible__word_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result);
/// One attempt. `*given_back`: a count was given back, so that something else may be possible now.
enum withdrawal crucible__word_try_to_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                               void *result, bool *given_back);
/// S3: drops what there is, if the component is still stopped. Answers how many.
uint64_t crucible__word_drop_stopped(struct component *component);
void crucible__word_control(struct component *component, uint64_t set, uint64_t clear);
bool crucible__word_is_dropping(struct component *component);
void crucible__word_reopen(struct component *component);
void crucible__word_inherit(struct component *component);
uint64_t crucible__word_drop(struct component *component, crucible_reason reason);
void crucible__word_counts(struct component *component, uint64_t *counts);
/// Publishes and counts all molecules of this component. False: no memory; those whose `value` is null now were injected all
/// the same, the others are the caller's.
bool crucible__word_publish_together(struct thread *self, struct component *component, crucible_molecule *molecules,
                                     size_t count);

#endif
