// What the files of the matcher `word` share: its two forms, its functions, and selecting, adding and settling, inline.
// word.c explains how the matcher works.

#ifndef CRUCIBLE_WORD_H
#define CRUCIBLE_WORD_H

#include "firing/firing.h"
#include "firing/stripes.h"
#include "matcher/matcher.h"
#include "matcher/word/word_front.h"

/// The guard, which is the top bit of the name's field.
static inline uint64_t crucible__word_guard(const struct crucible_name *name) {
  return name->word.mask + name->word.unit;
}

/// The bit that says that a fact is missing. `input`: its place in the reaction's pattern.
static inline uint64_t crucible__word_fact(const struct reaction *reaction, uint32_t input) {
  return UINT64_C(1) << reaction->rule->inputs[input].fact_bit;
}

// ---------------------------------------------------------------------------------------------------------------------
// The two forms
// ---------------------------------------------------------------------------------------------------------------------
// Narrow components lie in one word, and wide ones in several (wide/wide.c). What is rare is written once for both.
// `struct word_form` has the parts in which they differ.

/// The most words of a component.
enum { WIDE_WORDS = MOST_CLAIMED };

/// Computes the new counts of the word with the index `home`. False: no word may change.
typedef bool (*change_function)(void *context, uint32_t home, uint64_t before, uint64_t *after);

struct word_form {
  uint64_t paused, stopped;  ///< the control bits of each word
  bool fills_paused;         ///< a paused name has a full field, and its counts are in the overflow (HUSH-1)
  /// Reads the word that counts the name.
  uint64_t (*look)(const struct crucible_name *name);
  /// Changes that word by a compare-and-swap. False: `*before` is set to a current value.
  bool (*change)(const struct crucible_name *name, uint64_t *before, uint64_t after);
  /// Changes the words of all `homes` at one moment, or none. False: `change` has refused.
  bool (*change_all)(struct component *component, uint64_t homes, change_function change, void *context);
  /// Reserves all enabled reactions of the component. Returns one of them, to run here. The others are submitted.
  struct reaction *(*settle_all)(struct thread *self, struct component *component);
};

static inline const struct word_form *crucible__form_of(const struct component *component) {
  return component->matcher->form;
}

/// Returns the count of the name in its word, in place, or 0 while it is hidden because the name is paused (HUSH-1).
static inline uint64_t crucible__form_counted(const struct word_form *form, const struct crucible_name *name,
                                              uint64_t word) {
  return form->fills_paused && UNLIKELY(word & crucible__word_guard(name)) ? 0 : word & name->word.mask;
}

/// Whether the word is sealed (STOP-3).
static inline bool crucible__form_sealed(const struct word_form *form, uint64_t word) {
  return (word & (form->paused | form->stopped)) == (form->paused | form->stopped);
}

/// All words of a component.
static inline uint64_t crucible__all_words(const struct component *component) {
  return UINT64_MAX >> (64 - component->layout->word.words);
}

// ---------------------------------------------------------------------------------------------------------------------
// The functions of each file
// ---------------------------------------------------------------------------------------------------------------------

// word.c
void crucible__word_destroy(struct component *component);
uint32_t crucible__word_words(const struct crucible_name *name, uint32_t *home);
/// Settles the whole component, after counts of several names may have been added.
struct reaction *crucible__word_settle_all(struct thread *self, struct component *component);

// word_fields.c
/// Gives every name of the component a field of the state word. False: they do not fit.
bool crucible__layout_word(struct component *component);
/// The bits, guard included, of the field of the name, if each gets `share` bits. A state has less, and a name of which
/// a pattern takes many has more.
uint32_t crucible__field_bits(const struct crucible_name *name, uint32_t share);
/// The bits of all fields of the word with the index `home`.
uint32_t crucible__total_bits(const struct component *component, uint32_t home, uint32_t share);

// word_lists.c
/// Makes the lists of a component. Requires: its names have their fields. False: no memory.
bool crucible__word_lists(struct component *component);

/// The unit in which a component's `hands` counts the threads that ever began.
#define HANDS_BEGUN (UINT64_C(1) << 32)
/// WORD-5: begins to move a count that a snapshot must not miss.
static inline void crucible__word_begin_hand(struct component *component) {
  fetch_add_seq_cst(&component->hands, HANDS_BEGUN + 1);  // partner: the loads in a snapshot
}
static inline void crucible__word_end_hand(struct component *component) { fetch_sub_seq_cst(&component->hands, 1); }

// word_overflow.c
/// Moves spilled counts into the word while it has room. True: at least one was moved.
bool crucible__word_bring(struct component *component, struct crucible_name *name);
/// Counts molecules as spilled. True: counts were moved into the word, perhaps more than those.
bool crucible__word_spill(struct component *component, struct crucible_name *name, uint64_t count);
/// Moves spilled counts of each of the reaction's names after the reaction has made room. True: at least one was moved.
bool crucible__word_make_room(struct thread *self, struct component *component, const struct reaction *reaction);
/// Does the work that other threads have left (WORD-4), and the work that each thread must do before it leaves (CALL-4,
/// STOP-1). True: at least one count was added.
bool crucible__word_tend(struct thread *self, struct component *component);
/// Tends and settles before the thread leaves without having fired. Returns the result of settle.
struct reaction *crucible__word_attend(struct thread *self, struct component *component);
/// Attends, if needed, before the thread leaves without having fired (WORD-4). Returns the firing that is reserved:
/// `reaction`, or, if that is null, the result of attending.
static inline struct reaction *crucible__word_or_attend(struct thread *self, struct component *component,
                                                        struct reaction *reaction) {
  if (reaction || LIKELY(load_seq_cst(&component->attention) == 0)) return reaction;
  return crucible__word_attend(self, component);
}
/// Settles after a firing that was completed without storing made room. All further firings are submitted, because only
/// this thread has the value of the one.
void crucible__word_settle_others(struct thread *self, struct component *component);
/// Makes room, and settles if that moved counts.
CRUCIBLE_SELDOM void crucible__word_make_room_rarely(struct thread *self, struct component *component,
                                                     const struct reaction *reaction);
/// Begins a component: nothing is spilled, abandoned or refused.
void crucible__word_begin(struct component *component);

// word_control.c
extern const struct word_form crucible__word_form;
/// STOP-1: drops all molecules, if the component is still stopped, and not sealed, or this thread has `brought` a
/// count. Returns their number.
uint64_t crucible__word_drop_stopped(struct component *component, bool brought);
/// STOP-3: ends an addition that has found the component stopped. False: the molecule is refused, and `value` is a
/// value of its name again.
bool crucible__word_end_late(struct thread *self, struct component *component, struct crucible_name *name,
                             void *value);
/// Takes one count of the name, out of its word or out of the overflow: for a thread that is `late` only if the word is
/// stopped, otherwise only if it is not sealed. False: there is none.
bool crucible__word_take_one(struct thread *self, struct crucible_name *name, bool late);
/// Takes the value of a molecule whose count was taken. Raises `*attempts` to how often it was put back.
void crucible__word_pop(struct crucible_name *name, void *result, uint64_t *attempts);
/// Takes a molecule of the name out of a sealed component, after a count of it was taken (STOP-4). True: `value` is now
/// its value, and the injection is refused. False: it was a call, which has been ended.
bool crucible__word_take_back(struct crucible_name *name, void *value);
void crucible__word_counts(struct component *component, uint64_t *counts);
void crucible__word_control(struct component *component, bool paused, bool stopped);
void crucible__word_pause_name(struct crucible_name *name);
bool crucible__word_restart(struct component *component);
void crucible__word_inherit(struct component *component);
uint64_t crucible__word_drop(struct component *component, const struct crucible_name *only, crucible_reason reason);

// word_withdraw.c
/// Takes the counts of abandoned calls out, before a snapshot.
void crucible__word_end_abandoned(struct thread *self, struct component *component);
enum withdrawal crucible__word_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result);
/// CALL-1: gives a reserved count back under the rule of adding, but does not run the firings that this enables.
void crucible__word_give_count_back(struct thread *self, struct crucible_name *name);
/// Retries the abandoned calls of all names. True: this or another thread has changed something.
bool crucible__word_retry_abandoned(struct thread *self, struct component *component);
/// Frees the lists as the component is destroyed. No caller is left.
void crucible__word_forget_abandoned(struct component *component);

// word_together.c
struct added crucible__word_add_together(struct thread *self, struct component *component, crucible_molecule *molecules,
                                         size_t count);
struct reaction *crucible__word_settle_whole(struct thread *self, struct component *component);

// word_inject.c
/// Injects any name.
bool crucible__word_inject(struct crucible_name *name, void *value);

// Continuations of a short injection that is not complete. Each returns its answer.
/// Continues after its CAS has fired `reaction`, which runs here. The CAS has cleared the front bits of its names in
/// `word`.
bool crucible__word_run_and_leave(struct thread *self, struct reaction *reaction, struct unstored unstored,
                                  struct stripe *stripe, uint64_t word);
/// Continues after its CAS has fired `reaction`, which runs elsewhere and gets nothing unstored.
bool crucible__word_submit_and_leave(struct thread *self, struct reaction *reaction, struct stripe *stripe);
/// Continues after its CAS has fired `reaction`, which is placed externally and takes its own. `visits`: its body may
/// visit this thread.
bool crucible__word_submit_unstored_and_leave(struct thread *self, struct reaction *reaction, struct unstored unstored,
                                         struct stripe *stripe, uint64_t word, bool visits);
/// Continues after its molecule was stored and counted by a blind addition. `word`: the result of the addition.
bool crucible__word_settle_and_leave(struct thread *self, struct crucible_name *name, void *value, uint64_t word,
                                     struct stripe *stripe);
/// Continues after its molecule was stored, and before it is counted.
bool crucible__word_add_and_leave(struct thread *self, struct crucible_name *name, void *value, uint64_t unit,
                                  struct stripe *stripe);
/// Restarts an injection of which nothing is visible yet except that it has entered. It may take any path. It has not
/// left meanwhile, because then the soup might appear quiet.
bool crucible__word_inject_entered(struct crucible_name *name, void *value, struct stripe *stripe);

struct added crucible__word_add_one(struct thread *self, struct crucible_name *name, void *value, uint64_t attempts,
                                    struct place *place, struct firing *firing);
struct reaction *crucible__word_step(struct thread *self, struct component *component, struct reaction *only);

// word_at_once.c
/// Implement `complete_here`, `visit` and `complete_own` of struct matcher.
bool crucible__word_complete_here(struct crucible_name *name, void *value);
bool crucible__word_visit(struct crucible_name *name, void *value);
bool crucible__word_complete_own(struct crucible_name *name, void *value);

// word_chain.c
/// Returns the function that injects this name as a step of a chain. Null: it cannot be one. Requires: the name has a
/// payload and a wide field.
inject_function crucible__word_follow_for(const struct crucible_name *name);

// word_plain.c
/// Returns the function that injects this name plainly. Null: it cannot be injected so.
inject_function crucible__word_plain_for(const struct crucible_name *name);

/// Ends a plain injection. Returns true, because it has succeeded.
static inline bool crucible__end_plain(struct thread *self) {
  crucible__set_depth(self, 0);
  crucible__drain(self);
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Selecting
// ---------------------------------------------------------------------------------------------------------------------

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
static INLINE bool crucible__word_enter_and_take(struct component *component, struct stripe *stripe, uint64_t word,
                                                 uint64_t left) {
  crucible__enter_stripe(stripe);
  return cas_seq_cst(&component->word.state, &word, left);
}

/// Does the same for an injection that takes only its own molecule. Then the word must already equal `left`, which a
/// read shows. Such an injection writes to no line that threads share.
static INLINE bool crucible__word_enter_and_reserve(struct component *component, struct stripe *stripe, uint64_t word,
                                                    uint64_t left) {
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
static INLINE struct reaction *crucible__word_settle(struct thread *self, struct component *component,
                                                     const struct candidate *begin, const struct candidate *end,
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
