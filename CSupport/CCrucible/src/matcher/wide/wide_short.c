// Short injections of a wide component, for the case that nothing is in the way. matcher/word/word_short.c explains
// what such injections leave out.
//
// A name whose reactions all lie in its word is WITHIN: its molecule meets that word alone. One compare-and-swap counts
// it, or fires the reaction that it completes. The word to which it has changed serves as the read after the addition
// (WIDE-2).
//
// A name is ACROSS if some reaction over it takes from another word too. A thread reads those words after its own. The
// reads that must follow the addition come later than the addition (WIDE-1). If the reaction takes only the molecule
// from the name's own word, and the rest from one other word, one compare-and-swap of that word fires. A reaction over
// more words takes a claim, which leaves the own word out, too, if it can.
//   WIDE-5  A firing that leaves the name's own word out does not see the guard there, which says that the name is
//       paused. So a thread that pauses a name claims all words of the reactions over it, and a thread that fires reads
//       its own word once more after it has taken. If the pause's claim comes later, the pausing thread finds the other
//       one in progress: the soup is not quiet. If it comes earlier, the firing thread finds the guard. Then it gives
//       back what it has taken, and stores the molecule. A clear in between does not see what that thread has in hand,
//       as with any firing in progress.
//
// Usually one read of each word shows that no other molecule is there with which this one might react. The layout lists
// the fields to read (struct wide_beside). Only if one of them is not 0 does the thread test the reactions over the
// name.
//
// There is no blind addition here. So a word that other threads change is no reason to store a molecule that completes
// a reaction, unlike the one word of a narrow component. Storing it takes three more exchanges, and a claim if the
// reaction takes from two words. A thread whose exchange fails gives the others their turn, and retries.
//
// Other functions handle everything else: a word that is being changed, a full field, a choice, bodies elsewhere, a bag
// in which older molecules wait.

#include "matcher/inject.h"
#include "matcher/wide/wide.h"
#include "matcher/word/word_fire.h"
#include "matcher/word/word_short.h"

enum reach { WITHIN, ACROSS };

// ---------------------------------------------------------------------------------------------------------------------
// Reading the words
// ---------------------------------------------------------------------------------------------------------------------

/// The reaction that a thread has found enabled, or the end of the candidates.
struct find {
  const struct candidate *candidate;
  const struct wide_part *other;  ///< for a reaction over several words: the last one besides the name's own
  uint64_t word;                  ///< the counts of that word
};

/// Whether the other words of a reaction have what it takes from them.
static INLINE bool others_have(const struct crucible_name *name, struct find *find) {
  struct wide_word *own = crucible__wide_of(name->component);
  const struct wide_reaction *wide = crucible__wide_reaction(crucible__reaction(name->component, find->candidate));
  const struct wide_part *part = wide->parts, *end = part + wide->part_count;
  find->other = NULL;
  do {
    if (part->home == name->word.home) continue;
    // partner: the compare-and-swap by which its molecule is added
    uint64_t word = crucible__look(&own[part->home].word);
    if (!crucible__wide_has(word, part->need, part->guards, part->guards | WIDE_DISABLED)) return false;
    find->other = part;
    find->word = word;
  } while (++part < end);
  return true;
}

/// Finds the first enabled reaction over the name, from `find` on, in a word that counts one molecule of it.
static INLINE void find_from(const struct crucible_name *name, uint64_t word, enum reach reach, struct find *find) {
  do {
    const struct candidate *c = find->candidate;
    if (crucible__wide_has(word, c->need, c->guards, c->mask) && (reach == WITHIN || others_have(name, find))) return;
  } while (++find->candidate < name->word.candidates_end);
}

/// Whether everything that the molecule could react with is missing, in the name's word and in others. Mostly this is
/// so.
static INLINE bool is_alone(const struct crucible_name *name, uint64_t word, enum reach reach) {
  if (word & name->word.others) return false;
  if (reach == WITHIN) return true;
  struct wide_word *own = crucible__wide_of(name->component);
  for (const struct wide_beside *beside = crucible__wide_beside(name); beside->fields; beside++) {
    if (crucible__look(&own[beside->home].word) & beside->fields) return false;
  }
  return true;
}

/// Finds the first enabled reaction over the name, in a word that counts one molecule of it.
static INLINE struct find find_first(const struct crucible_name *name, uint64_t word, enum reach reach) {
  struct find find = {name->word.candidates, NULL, 0};
  find_from(name, word, reach, &find);
  return find;
}

/// Whether no reaction over the name is enabled. Called when there are other molecules with which it might react.
static RARELY bool is_disabled_within(const struct crucible_name *name, uint64_t word) {
  return find_first(name, word, WITHIN).candidate == name->word.candidates_end;
}
static RARELY bool is_disabled_across(const struct crucible_name *name, uint64_t word) {
  return find_first(name, word, ACROSS).candidate == name->word.candidates_end;
}
static INLINE bool is_disabled(const struct crucible_name *name, uint64_t word, enum reach reach) {
  return LIKELY(is_alone(name, word, reach)) ||
         (reach == WITHIN ? is_disabled_within(name, word) : is_disabled_across(name, word));
}

/// Whether a reaction after `candidate` is enabled as well. Usually it is not.
static RARELY bool another_within(const struct crucible_name *name, const struct candidate *candidate, uint64_t word) {
  while (++candidate < name->word.candidates_end) {
    if (crucible__wide_has(word, candidate->need, candidate->guards, candidate->mask)) return true;
  }
  return false;
}
static RARELY bool another_across(const struct crucible_name *name, const struct candidate *candidate, uint64_t word) {
  struct find find = {candidate + 1, NULL, 0};
  find_from(name, word, ACROSS, &find);
  return find.candidate < name->word.candidates_end;
}

// ---------------------------------------------------------------------------------------------------------------------
// Running
// ---------------------------------------------------------------------------------------------------------------------

/// Gives back the states of a body, unless they are back already, and runs the firings that are enabled then.
static NOINLINE void give_back_slowly(struct thread *self, struct reaction *reaction, bool given) {
  struct reaction *next = crucible__wide_give_states_back(self, reaction, given);
  if (next) crucible__run_on(self, (struct reserved){.reaction = next});
}

/// Gives the only state of a body back. False: there may be more to do.
static INLINE bool give_back_quickly(const struct component *component, const struct crucible_name *state,
                                     enum reach reach) {
  _Atomic uint64_t *home = crucible__wide_home(crucible__wide_of(component), state);
  uint64_t before = crucible__look_to_change(home);
  // Released: the thread that takes the state next sees what the body wrote into its cell.
  while (UNLIKELY(!crucible__change(home, &before, before + state->word.unit))) {
  }
  return LIKELY(is_alone(state, before + state->word.unit, reach)) && LIKELY(load_seq_cst(&component->attention) == 0);
}

/// Gives back the states of a body, and runs the firings that this enables. Mostly nothing waits for the only state.
static INLINE void give_back_and_run_on(struct thread *self, struct component *component, struct reaction *reaction) {
  if (reaction->rule->state_count == 0) return;
  const struct crucible_name *state = crucible__wide_state(reaction);
  if (UNLIKELY(!state) || UNLIKELY(!give_back_quickly(component, state, ACROSS))) {
    give_back_slowly(self, reaction, state != NULL);
  }
}

static NOINLINE void run_with_states(struct thread *self, struct reaction *reaction, struct unstored unstored,
                                     uint64_t word) {
  crucible__word_run_quickly(self, reaction, unstored, word, give_back_and_run_on);
}

/// Ends an injection: runs the reserved firing, if there is one, and leaves.
static INLINE void end_injection(struct thread *self, struct component *component, struct reaction *reaction,
                                 struct unstored unstored, struct stripe *stripe) {
  if (!reaction) {
  } else if (UNLIKELY(!crucible__runs_here(self, reaction))) {
    crucible__submit_last(self, reaction);
  } else {
    crucible__word_fire_by(give_back_and_run_on, run_with_states, self, component, reaction, unstored, 0);
  }
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
}

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

/// Continues after the exchange that has fired `reaction`, for which the molecule was not stored.
static NOINLINE bool run_and_leave(struct thread *self, struct reaction *reaction, struct unstored unstored,
                                   struct stripe *stripe) {
  struct component *component = reaction->component;
  if (crucible__word_fired(self, component, reaction)) crucible__word_settle_others(self, component);
  end_injection(self, component, reaction, unstored, stripe);
  return true;
}

/// Continues after the molecule was stored and counted. Requires: a read after that found nothing to attend to. So the
/// component was not stopped before, and the molecule is not refused (STOP-3).
static NOINLINE bool settle_and_leave(struct thread *self, struct crucible_name *name, struct stripe *stripe) {
  struct reaction *reaction = crucible__wide_add_and_settle(self, name, true);
  end_injection(self, name->component, reaction, ALL_STORED, stripe);
  return true;
}

/// Continues after the molecule was stored, whatever there is to do. `added`: it was counted as well.
static NOINLINE bool attend_and_leave(struct thread *self, struct crucible_name *name, void *value, bool added,
                                      struct stripe *stripe) {
  struct reaction *reaction = crucible__wide_add_and_settle(self, name, added);
  bool refused = !reaction && crucible__wide_refuses(self, name, value);
  end_injection(self, name->component, reaction, ALL_STORED, stripe);
  return !refused || crucible__refuse(CRUCIBLE_NOT_RUNNING);
}

static NOINLINE bool inject_generally(struct crucible_name *name, void *value) {
  struct thread *self = crucible__thread();
  if (UNLIKELY(!self)) return crucible__refuse(CRUCIBLE_NO_MEMORY);
  return crucible__wide_inject_entered(name, value, crucible__enter(self, name->component->soup));
}

/// Fires the reaction that the molecule completes, without storing it, by changes of several words.
static NOINLINE bool complete_across(struct thread *self, struct crucible_name *name, void *value,
                                     struct stripe *stripe, struct reaction *reaction) {
  crucible__enter_stripe(stripe);
  if (UNLIKELY(!crucible__wide_fire(self, reaction, name))) return crucible__wide_inject_entered(name, value, stripe);
  return run_and_leave(self, reaction, (struct unstored){name, value}, stripe);
}

/// Fires the reaction that the molecule completes, without storing it.
static INLINE bool complete_short(struct thread *self, struct crucible_name *name, void *value, struct stripe *stripe,
                                  uint64_t before, const struct find *find, enum reach reach) {
  struct wide_word *own = crucible__wide_of(name->component);
  const struct candidate *candidate = find->candidate;
  struct reaction *reaction = crucible__reaction(name->component, candidate);
  _Atomic uint64_t *word = crucible__wide_home(own, name);
  uint64_t after = before + name->word.unit - candidate->need;
  bool leaves_out = reach == ACROSS && find->other;
  if (leaves_out) {
    if (UNLIKELY(candidate->need != name->word.unit) ||
        UNLIKELY(crucible__wide_reaction(reaction)->part_count != 2)) {
      return complete_across(self, name, value, stripe, reaction);
    }
    word = &own[find->other->home].word;
    before = find->word;
    after = before - find->other->need;
  }
  crucible__enter_stripe(stripe);
  // partner: the read of the word by a thread that has added to another one; WORD-3
  if (UNLIKELY(!cas_seq_cst(word, &before, after))) {
    let_others_run();
    return crucible__wide_inject_entered(name, value, stripe);
  }
  if (leaves_out && UNLIKELY(crucible__wide_undo_if_paused(self, reaction, name))) {
    return crucible__wide_inject_entered(name, value, stripe);
  }
  return run_and_leave(self, reaction, (struct unstored){name, value}, stripe);
}

static INLINE bool store_short(struct thread *self, struct crucible_name *name, void *value, struct stripe *stripe,
                               enum payload payload, enum reach reach) {
  struct component *component = name->component;
  crucible__enter_stripe(stripe);
  if (UNLIKELY(!crucible__push_short(name, value, payload))) return crucible__wide_inject_entered(name, value, stripe);
  _Atomic uint64_t *home = crucible__wide_home(crucible__wide_of(component), name);
  uint64_t word = load_relaxed(home);
  bool added = false;
  while (LIKELY(!(word & CLAIM_BUSY)) && LIKELY((word & name->word.mask) < name->word.limit)) {
    // partner: the read of the word by a thread that has added to another one, and the load before a firing's pops
    if (UNLIKELY(!cas_seq_cst(home, &word, word + name->word.unit))) continue;
    added = true;
    if (UNLIKELY(load_seq_cst(&component->attention) != 0)) break;
    if (LIKELY(is_disabled(name, word + name->word.unit, reach)) && LIKELY(load_relaxed(&self->deferred) == 0)) {
      crucible__leave(stripe, component->soup);
      return true;
    }
    return settle_and_leave(self, name, stripe);
  }
  return attend_and_leave(self, name, value, added, stripe);
}

/// Injects when there are other molecules with which this one might react.
static INLINE bool react_short(struct thread *self, struct crucible_name *name, void *value, struct stripe *stripe,
                               uint64_t word, enum payload payload, enum reach reach) {
  struct find find = find_first(name, word + name->word.unit, reach);
  if (find.candidate == name->word.candidates_end) return store_short(self, name, value, stripe, payload, reach);
  if ((UNLIKELY(find.candidate + 1 != name->word.candidates_end) &&
       (reach == WITHIN ? another_within(name, find.candidate, word + name->word.unit)
                        : another_across(name, find.candidate, word + name->word.unit))) ||
      (payload != NONE &&
       (UNLIKELY(!crucible__bag_is_empty(&name->bag)) ||
        UNLIKELY(!crucible__runs_here(self, crucible__reaction(name->component, find.candidate)))))) {
    return inject_generally(name, value);
  }
  return complete_short(self, name, value, stripe, word, &find, reach);
}

/// Injects a molecule that may complete a reaction over several words. One function serves payloads of all sizes.
static NOINLINE bool react_across(struct thread *self, struct crucible_name *name, void *value, struct stripe *stripe,
                                  uint64_t word) {
  if (name->has_payload) return react_short(self, name, value, stripe, word, SIZED, ACROSS);
  return react_short(self, name, value, stripe, word, NONE, ACROSS);
}

static INLINE bool inject_short(struct thread *self, struct crucible_name *name, void *value, struct stripe *stripe,
                                enum payload payload, enum reach reach) {
  uint64_t word = load_acquire(crucible__wide_home(crucible__wide_of(name->component), name));
  if (is_alone(name, word + name->word.unit, reach)) {
    return store_short(self, name, value, stripe, payload, reach);
  }
  if (reach == WITHIN) return react_short(self, name, value, stripe, word, payload, reach);
  return react_across(self, name, value, stripe, word);
}

/// Injects for a thread with a stripe in a further block, or without one so far.
static NOINLINE bool inject_further(struct crucible_name *name, void *value) {
  struct thread *self = crucible__self;
  struct stripe *stripe = self ? crucible__make_stripe(name->component->soup, self->index) : NULL;
  if (UNLIKELY(!stripe)) return inject_generally(name, value);
  if (name->has_payload) return inject_short(self, name, value, stripe, SIZED, ACROSS);
  return inject_short(self, name, value, stripe, NONE, ACROSS);
}

static INLINE bool inject_here(struct crucible_name *name, void *value, enum payload payload, enum reach reach) {
  struct thread *self = crucible__self;
  struct stripe *stripe = LIKELY(self != NULL) ? crucible__stripe(self, name->component->soup, STRIPES) : NULL;
  if (UNLIKELY(!stripe)) return inject_further(name, value);
  return inject_short(self, name, value, stripe, payload, reach);
}

static bool within_nothing(struct crucible_name *name, void *value) { return inject_here(name, value, NONE, WITHIN); }
static bool within_word(struct crucible_name *name, void *value) { return inject_here(name, value, WORD, WITHIN); }
static bool within_sized(struct crucible_name *name, void *value) { return inject_here(name, value, SIZED, WITHIN); }
static bool across_nothing(struct crucible_name *name, void *value) { return inject_here(name, value, NONE, ACROSS); }
static bool across_word(struct crucible_name *name, void *value) { return inject_here(name, value, WORD, ACROSS); }
static bool across_sized(struct crucible_name *name, void *value) { return inject_here(name, value, SIZED, ACROSS); }

// ---------------------------------------------------------------------------------------------------------------------
// Plain injections
// ---------------------------------------------------------------------------------------------------------------------

/// Ends a plain injection that has more to do after the state is back. The injection is counted only from here on,
/// because a state that is away shows it before, and then what is enabled.
static NOINLINE bool end_plain_slowly(struct thread *self, struct reaction *reaction) {
  struct component *component = reaction->component;
  struct stripe *stripe = crucible__enter(self, component->soup);
  give_back_slowly(self, reaction, true);
  crucible__leave(stripe, component->soup);
  return crucible__end_plain(self);
}

/// Injects by the shortest path of all, like inject_plain in matcher/word/word_plain.c. It is not counted as entered
/// and left, because the word shows it. Everything that it takes, and everything that the state may meet, lies in that
/// one word.
static bool within_plain(struct crucible_name *name, void *value) {
  struct thread *self = crucible__self;
  if (UNLIKELY(!self) || UNLIKELY(self->depth != 0)) return within_nothing(name, value);
  struct component *component = name->component;
  _Atomic uint64_t *home = crucible__wide_home(crucible__wide_of(component), name);
  uint64_t word = load_acquire(home);  // partner: the additions of the molecules that are taken
  const struct candidate *candidate = find_first(name, word + name->word.unit, WITHIN).candidate;
  if (UNLIKELY(candidate == name->word.candidates_end) ||
      (UNLIKELY(candidate + 1 != name->word.candidates_end) &&
       another_within(name, candidate, word + name->word.unit))) {
    return within_nothing(name, value);
  }
  if (UNLIKELY(!cas_seq_cst(home, &word, word + name->word.unit - candidate->need))) {
    let_others_run();
    return within_nothing(name, value);
  }
  struct reaction *reaction = crucible__reaction(component, candidate);
  crucible__begin_first(self, reaction);
  if (UNLIKELY(load_seq_cst(&component->attention) != 0)) crucible__word_make_room_rarely(self, component, reaction);
  crucible__call(reaction, reaction->at);
  if (LIKELY(give_back_quickly(component, crucible__wide_state(reaction), WITHIN))) {
    return crucible__end_plain(self);
  }
  return end_plain_slowly(self, reaction);
}

/// Whether everything that meets the name lies in its word.
static bool is_within(const struct crucible_name *name) {
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    if (crucible__wide_reaction(crucible__reaction(name->component, c))->part_count > 1) return false;
  }
  return true;
}

/// Whether every reaction over the name takes one state, otherwise only names without payload, and is inline. Also,
/// nothing that meets the state may lie in another word.
static bool is_plain(const struct crucible_name *name) {
  if (name->has_payload || !name->word.under_state) return false;
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    const struct reaction *reaction = crucible__reaction(name->component, c);
    const struct crucible_name *state = crucible__wide_state(reaction);
    if (reaction->rule->has_stored || reaction->rule->placement != CRUCIBLE_INLINE) return false;
    if (!state || !is_within(state)) return false;
  }
  return true;
}

inject_function crucible__wide_inject_for(const struct crucible_name *name) {
  bool within = is_within(name);
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    const struct rule *rule = crucible__reaction(name->component, c)->rule;
    if (rule->width > rule->input_count) return inject_generally;  // that function checks the facts
  }
  if (is_plain(name)) return within_plain;
  // A state has no bag, and nothing injects it.
  if (!name->has_payload || name->kind == CRUCIBLE_STATE) return within ? within_nothing : across_nothing;
  if (name->bag.has_words) return within ? within_word : across_word;
  return within ? within_sized : across_sized;
}
