// The matcher `word`: a component's available molecules are one 64-bit word, and selecting a reaction is one CAS on it.
//
// Per name the word has a field: a count, and above it a guard bit that is 0. With need[r] the counts that reaction r takes
// and G[r] the guards of its fields, ((w | G) - need) keeps a guard iff its field is at least what is needed: one
// subtraction is the mask test and the new state. So selection is atomic over all inputs, repetitions included.
//
// The rule of adding
//   A molecule is published in its bag first, then its count is added. Whoever adds may leave only after having read a word,
//   later than the addition, in which no reaction over the added names is enabled, or after having fired one itself when it
//   added one molecule only; until then it tries to fire by CAS.
//   W1  So at rest nothing is enabled: take the last step of the word that enabled r; its author cannot have left.
//   W2  One molecule added and one reaction over its name fired leaves nothing enabled that was not so before. Several
//       counts added (spilled counts brought back, two states): reserve until nothing is enabled, give all firings but one
//       to others, and only then run that one, for a body may never return.
//
// Two ways to add
//   add-first  publish, fetch-and-add (or CAS), then fire. A contended fetch-and-add costs half a contended CAS.
//   CAS-first  if the word shows that the molecule completes a reaction that runs here, CAS the others away and never store
//              this one. Only if none of its name waits in the bag, else it would overtake; `Void` molecules have no
//              identity and may always. A CAS that fails makes the thread add first for its next CRUCIBLE_HEAT additions,
//              except those that bodies make.
//
// Full fields
//   Field n holds at most `limit` molecules. Fetch-and-add is blind, so up to `blind` threads, those of the lowest indices, may exceed it
//   by one each before they take it back; the field is wide enough for them. Other threads, and all on narrow fields, add
//   by CAS. What exceeds the limit is counted in `overflow`; its payload is in the bag like any other.
//   W3  overflow(n) > 0 at rest only if field(n) is at its limit. The spiller adds to overflow, then looks at the field;
//       whoever makes room CASes the field, then looks at overflow: all seq_cst, so one of them sees the other, and brings
//       counts over one at a time. `attention` spares those who make room the look while nothing ever spilled: it is set,
//       seq_cst, before the first addition to an overflow, and takes its place in the same argument.
//
//   W4  A thread that stops between its firing and its look at overflow must not hide the spilled counts from the others. So
//       whoever leaves or gives states back without firing looks too, once anything ever spilled, and brings over. What a
//       stopped thread can hide is then the one count that it has in hand.
//
// Control is two bits above the fields: either disables every reaction, by the same mask test. Whoever clears them settles all
// (W1: he is the author of the step that enables). Withdrawal and stop: word_control.c, word_rare.c.
//
// States lie in cells of the soup and have one bit here. A state is given back by an addition or, when others are about, by one
// CAS that also reserves the next firings, up to CRUCIBLE_BATCH of one reaction (layout.c says when more than one).
//
// Progress: adding, firing and giving back are lock-free: a failed CAS is somebody else's progress. A thread that stops
// between taking a state and giving it back has that state, as in any join calculus; one that stops in `bring` hides one
// count.

#include "word.h"

// How often a body's injection tries again to complete unstored: what the others add up to meanwhile waits for this thread,
// and storing costs it four more read-modify-writes. Measured on two threads that share a counter molecule: 49 ns per
// reaction with none, 39 with 4.
#ifndef CRUCIBLE_FAILURES
#define CRUCIBLE_FAILURES 4
#endif

void crucible__word_back_off(struct thread *self, struct component *component, uint64_t *word) {
  self->heat = CRUCIBLE_HEAT;
  take_turns();
  *word = load_acquire(&component->word);
}

const struct candidate *crucible__word_choose_among(struct thread *self, struct component *component,
                                                    const struct candidate *found, const struct candidate *end,
                                                    uint64_t word) {
  uint32_t seen = 1;
  for (const struct candidate *c = found + 1; c < end; c++) {
    if (crucible__word_enabled(c, word) && crucible__choose(self, component->soup, ++seen) == 0) found = c;
  }
  return found;
}

struct reaction *crucible__word_settle_all(struct thread *self, struct component *component, struct reaction *chosen) {
  return crucible__word_settle(self, component, component->candidates, component->candidates_end,
                               load_seq_cst(&component->word), true, chosen);
}

// ---------------------------------------------------------------------------------------------------------------------
// Completing without storing
// ---------------------------------------------------------------------------------------------------------------------

/// Whether the molecule may be consumed without ever being stored. Values: only while the bag is empty, else it would
/// overtake what waits there. The counts do not tell: with x published but not yet counted, and y behind it counted, the
/// firing that takes y's count takes x, and leaves y uncounted in the bag. `Void` molecules always may: what they complete
/// consumes at least one, so the field does not grow; if it is full the sum runs into the guard, and nothing looks enabled.
static inline bool may_complete_unstored(struct crucible_name *name) {
  return !name->has_payload || crucible__bag_is_empty(&name->bag);
}

/// CAS-first: fires a reaction that the molecule completes, without storing it. Null: it has to be stored.
static inline __attribute__((always_inline)) struct reaction *complete(struct thread *self, struct component *component,
                                                                       struct crucible_name *name) {
  uint64_t word = load_acquire(&component->word);  // partner: the additions of the molecules that are taken
  for (int failures = 0;; failures++) {
    const struct candidate *candidate =
        crucible__word_choose(self, component, name->candidates, name->candidates_end, word + name->unit);
    if (!candidate) {
      if (name->under_state) self->heat = CRUCIBLE_HEAT;  // somebody has the state: a look at the word is only in the way
      return NULL;
    }
    if (!may_complete_unstored(name)) return NULL;
    if (name->has_payload && !crucible__runs_here(self, candidate->reaction)) return NULL;
    if (LIKELY(cas_seq_cst(&component->word, &word, word + name->unit - candidate->need))) return candidate->reaction;
    if (self->depth == 0 || failures == CRUCIBLE_FAILURES) {
      self->heat = CRUCIBLE_HEAT;
      return NULL;
    }
    crucible__word_back_off(self, component, &word);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Running
// ---------------------------------------------------------------------------------------------------------------------

/// Takes the molecules of a reserved firing, from input `i` on. `own`, if any, was never stored: its value is `value`.
static __attribute__((noinline)) void take_from_input(const struct reaction *reaction, struct firing *firing, uint32_t i,
                                                      const struct crucible_name *own, void *value) {
  uint64_t *attempts = crucible__attempts_of(firing->inputs);
  for (; i < reaction->input_count; i++) {
    const struct input *input = &reaction->inputs[i];
    if (!input->is_stored) {
      firing->inputs[i] = input->fixed;
    } else if (input->name == own) {
      firing->inputs[i] = value;
      own = NULL;  // a second input of its name, counted since the bag was seen empty, comes out of the bag
    } else {
      firing->inputs[i] = firing->storage + input->offset;
      crucible__bag_pop_mpmc(&input->name->bag, firing->inputs[i], attempts);
    }
  }
}

static void take(const struct reaction *reaction, struct firing *firing, const struct crucible_name *own, void *value) {
  *crucible__attempts_of(firing->inputs) = 0;
  take_from_input(reaction, firing, 0, own, value);
}

/// The same, short as long as every molecule is one machine word and lies where the hint of its bag says: calls nobody, so that nothing
/// has to be saved.
static inline __attribute__((always_inline)) void take_quickly(const struct reaction *reaction, struct firing *firing,
                                                               const struct crucible_name *own, void *value) {
  *crucible__attempts_of(firing->inputs) = 0;
  const uint32_t count = reaction->input_count;
  uint32_t i = 0;
  do {
    const struct input *input = &reaction->inputs[i];
    if (!input->is_stored) {
      firing->inputs[i] = input->fixed;
    } else if (input->name == own) {
      firing->inputs[i] = value;
      own = NULL;
    } else {
      firing->inputs[i] = firing->storage + input->offset;
      struct bag *bag = &input->name->bag;
      if (LIKELY(bag->has_words) && LIKELY(crucible__bag_pop_first(bag, WORD_SHAPE, firing->inputs[i]))) continue;
      take_from_input(reaction, firing, i, own, value);
      return;
    }
  } while (++i < count);
}

/// Answers the reserved firing if it runs on this thread; else gives it away.
static inline struct reaction *stay_or_submit(struct thread *self, struct reaction *reaction) {
  if (!reaction || crucible__stays_here(self, reaction)) return reaction;
  crucible__submit(self, reaction);
  return NULL;
}

/// After states have come back and enabled nothing (W4).
static inline struct reaction *help_and_stay(struct thread *self, struct component *component) {
  if (LIKELY(load_seq_cst(&component->attention) == 0)) return NULL;
  return stay_or_submit(self, crucible__word_attend(self, component));
}

/// How many firings of an enabled reaction can be reserved at once, at most `reaction->most`.
static uint32_t batch_of(const struct reaction *reaction, uint64_t need, uint64_t guards, uint64_t word) {
  uint32_t count = 1;
  word -= need;
  for (; count < reaction->most && (((word | guards) - need) & guards) == guards; count++) word -= need;
  return count;
}

/// Gives the states of a finished firing back. Answers the next firing that is to be run here, null: none; and in `*more` how
/// many further ones of the same reaction have been reserved with it, for which the states stay here.
static inline __attribute__((always_inline)) struct reaction *give_back(struct thread *self, struct component *component,
                                                                        const struct reaction *reaction, uint32_t *more) {
  uint64_t word = load_acquire(&component->word);  // partner: the additions of the molecules that are taken
  const struct candidate *candidate;
  for (;;) {
    uint64_t whole = word + reaction->states;
    candidate = crucible__word_choose(self, component, reaction->after, reaction->after_end, whole);
    if (LIKELY(!candidate)) {
      // Released: the next to take the state sees what the body wrote into its cell.
      if (LIKELY(cas_seq_cst(&component->word, &word, whole))) return help_and_stay(self, component);
      continue;
    }
    uint64_t left = whole - candidate->need;
    if (candidate->reaction->most > 1 && crucible__stays_here(self, candidate->reaction)) {
      // The states are not in the word now: what is left of the need are the other names'.
      uint64_t need = candidate->need - candidate->reaction->states;
      uint32_t count = batch_of(candidate->reaction, need, candidate->guards, whole);
      left = whole - candidate->reaction->states - count * need;
      *more = count - 1;
    }
    if (LIKELY(cas_seq_cst(&component->word, &word, left))) break;
    *more = 0;
    crucible__word_back_off(self, component, &word);
  }
  struct reaction *next = candidate->reaction;
  if (crucible__word_fired(self, component, next) || reaction->state_count > 1) {
    struct reaction *other = crucible__word_settle_all(self, component, NULL);
    if (other) crucible__submit(self, other);
  }
  return stay_or_submit(self, next);
}

/// Runs a reserved firing, and then what the states that it gives back enable.
static inline __attribute__((always_inline)) void run_in(struct thread *self, struct component *component,
                                                         struct reaction *reaction, struct firing *firing, uint32_t more,
                                                         const struct crucible_name *own, void *value) {
  const struct reaction *outer = crucible__begin(self, reaction);
  for (;;) {
    for (;;) {
      take(reaction, firing, own, value);
      own = NULL;
      reaction->body(crucible__context(reaction), firing->inputs);
      if (LIKELY(more == 0)) break;
      more--;
    }
    reaction = reaction->state_count ? give_back(self, component, reaction, &more) : NULL;
    if (LIKELY(!reaction)) break;
    crucible__begin_next(self, reaction);
  }
  crucible__end(self, outer);
}

static __attribute__((noinline)) void run_large(struct thread *self, struct component *component, struct reaction *reaction,
                                                uint32_t more, const struct crucible_name *own, void *value) {
  CRUCIBLE_FIRING(firing, component);
  run_in(self, component, reaction, &firing, more, own, value);
  CRUCIBLE_FIRING_END(firing, component);
}

static __attribute__((noinline)) void run_small(struct thread *self, struct component *component, struct reaction *reaction,
                                                uint32_t more, const struct crucible_name *own, void *value) {
  struct small_firing room;
  struct firing firing = {.inputs = room.inputs + 1, .storage = room.storage};
  run_in(self, component, reaction, &firing, more, own, value);
}

static __attribute__((noinline)) void run_stored(struct thread *self, struct component *component,
                                                 struct reaction *reaction, uint32_t more,
                                                 const struct crucible_name *own, void *value) {
  if (LIKELY(component->is_small)) {
    run_small(self, component, reaction, more, own, value);
  } else {
    run_large(self, component, reaction, more, own, value);
  }
}

/// After a body that needed no room for values: gives back what it had of states, unless they are `given`, and runs what that
/// enables, and what comes of it.
static __attribute__((noinline)) void run_on(struct thread *self, struct component *component, struct reaction *reaction,
                                             bool given) {
  uint32_t more = 0;
  if (given) {
    uint64_t word = load_seq_cst(&component->word);
    reaction = crucible__word_settle(self, component, reaction->after, reaction->after_end, word, false, NULL);
    reaction = reaction ? stay_or_submit(self, reaction) : help_and_stay(self, component);
  } else {
    reaction = give_back(self, component, reaction, &more);
  }
  while (reaction) {
    if (reaction->has_stored) {
      run_stored(self, component, reaction, more, NULL, NULL);
      return;
    }
    crucible__begin_next(self, reaction);
    do {
      reaction->body(crucible__context(reaction), reaction->fixed);
    } while (more-- > 0);
    more = 0;
    reaction = reaction->state_count ? give_back(self, component, reaction, &more) : NULL;
  }
}

/// Gives back what a body had of states, and runs what that enables.
static inline __attribute__((always_inline)) void give_back_and_run_on(struct thread *self, struct component *component,
                                                                       struct reaction *reaction) {
  if (reaction->state_count == 1 && LIKELY(self->heat == 0)) {
    if (UNLIKELY(crucible__word_gives_back_more(component, reaction))) run_on(self, component, reaction, true);
  } else if (reaction->state_count > 0) {
    run_on(self, component, reaction, false);
  }
}

/// Runs a reserved firing, some input of which is stored, in a component whose firings are small.
static inline __attribute__((always_inline)) void run_quickly(struct thread *self, struct component *component,
                                                              struct reaction *reaction, const struct crucible_name *own,
                                                              void *value, bool has_states) {
  struct small_firing room;
  struct firing firing = {.inputs = room.inputs + 1, .storage = room.storage};
  const struct reaction *outer = crucible__begin(self, reaction);
  take_quickly(reaction, &firing, own, value);
  reaction->body(crucible__context(reaction), firing.inputs);
  if (has_states) give_back_and_run_on(self, component, reaction);
  crucible__end(self, outer);
}

static __attribute__((noinline)) void run_with_states(struct thread *self, struct component *component,
                                                      struct reaction *reaction, const struct crucible_name *own,
                                                      void *value) {
  run_quickly(self, component, reaction, own, value, true);
}

/// Runs a reserved firing whatever its inputs are. Those of states and of names without payload alone need no room. Of those without
/// states whose inputs are small the room is in the caller's frame, and there is nothing to do after the body.
static inline __attribute__((always_inline)) void run(struct thread *self, struct component *component,
                                                      struct reaction *reaction, const struct crucible_name *own,
                                                      void *value) {
  if (LIKELY(reaction->is_quick)) {
    run_quickly(self, component, reaction, own, value, false);
  } else if (!reaction->has_stored) {
    const struct reaction *outer = crucible__begin(self, reaction);
    reaction->body(crucible__context(reaction), reaction->fixed);
    give_back_and_run_on(self, component, reaction);
    crucible__end(self, outer);
  } else if (LIKELY(component->is_small)) {
    run_with_states(self, component, reaction, own, value);
  } else {
    run_large(self, component, reaction, 0, own, value);
  }
}

static void word_run(struct thread *self, struct reaction *reaction) {
  run(self, reaction->component, reaction, NULL, NULL);
}

static void word_take(struct reaction *reaction, struct firing *firing) { take(reaction, firing, NULL, NULL); }

static void word_run_taken(struct thread *self, struct reaction *reaction, struct firing *firing) {
  const struct reaction *outer = crucible__begin(self, reaction);
  reaction->body(crucible__context(reaction), firing->inputs);
  if (reaction->state_count > 0) run_on(self, reaction->component, reaction, false);
  crucible__end(self, outer);
}

static void word_end(struct thread *self, struct reaction *reaction) {
  const struct reaction *outer = crucible__begin(self, reaction);
  run_on(self, reaction->component, reaction, false);
  crucible__end(self, outer);
}

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

void crucible__word_settle_others(struct thread *self, struct component *component) {
  struct reaction *other = crucible__word_settle_all(self, component, NULL);
  if (other) crucible__submit(self, other);
}

/// After a stored molecule was counted: reserves what that enables, in `word` or later; `several`: spilled counts came as well.
/// Answers what is to be run; null: nothing.
static inline __attribute__((always_inline)) struct reaction *settle_stored(struct thread *self, struct component *component,
                                                                            struct crucible_name *name, uint64_t word,
                                                                            bool several) {
  struct reaction *reaction = UNLIKELY(several)
                                  ? crucible__word_settle_all(self, component, NULL)
                                  : crucible__word_settle(self, component, name->candidates, name->candidates_end, word, false, NULL);
  if (!reaction && UNLIKELY(load_seq_cst(&component->attention) != 0)) {
    reaction = crucible__word_attend(self, component);
  }
  return reaction;
}

/// Publishes the molecule in its bag; `place`, if any, says where. False: no memory.
static inline __attribute__((always_inline)) bool publish_stored(struct crucible_name *name, void *value, uint64_t attempts,
                                                                 struct place *place) {
  if (place) return crucible__bag_push_placed_mpmc(&name->bag, value, attempts, place);
  return !name->has_payload || LIKELY(crucible__bag_push_mpmc(&name->bag, value));
}

/// The end of an injection: runs what was reserved, if anything, and leaves. `own` as in `take`.
static inline __attribute__((always_inline)) void run_and_leave(struct thread *self, struct component *component,
                                                                struct reaction *reaction, const struct crucible_name *own,
                                                                void *value, struct stripe *stripe) {
  if (reaction) {
    if (LIKELY(crucible__runs_here(self, reaction))) {
      run(self, component, reaction, own, value);
    } else {
      crucible__submit_last(self, reaction);
    }
  }
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
}

bool crucible__word_run_and_leave(struct thread *self, struct reaction *reaction, const struct crucible_name *own,
                                  void *value, struct stripe *stripe) {
  struct component *component = reaction->component;
  if (crucible__word_fired(self, component, reaction)) crucible__word_settle_others(self, component);
  run_and_leave(self, component, reaction, own, value, stripe);
  return true;
}

void crucible__word_submit(struct thread *self, struct component *component, struct reaction *reaction) {
  if (crucible__word_fired(self, component, reaction)) crucible__word_settle_others(self, component);
  crucible__submit_last(self, reaction);
  crucible__drain(self);
}

bool crucible__word_settle_and_leave(struct thread *self, struct crucible_name *name, uint64_t word, struct stripe *stripe) {
  struct component *component = name->component;
  bool several = crucible__word_added(component, name, &word);
  run_and_leave(self, component, settle_stored(self, component, name, word, several), NULL, NULL, stripe);
  return true;
}

/// `stripe`: where it has entered already; null: it has not.
static inline __attribute__((always_inline)) bool inject(struct crucible_name *name, void *value, uint64_t attempts,
                                                         struct place *place, struct stripe *stripe) {
  struct thread *self = crucible__thread();
  if (UNLIKELY(!self)) return crucible__refuse(CRUCIBLE_NO_MEMORY);
  struct component *component = name->component;
  if (!stripe) stripe = crucible__enter(self, component->soup);
  const struct crucible_name *own = name;
  struct reaction *reaction = NULL;
  bool injected = true;
  if (UNLIKELY(attempts > 0)) {
    // Stored whatever it completes, for its place says how often it was put back.
  } else if (LIKELY(self->heat == 0) || self->depth > 0) {
    reaction = complete(self, component, name);
  } else {
    self->heat--;
  }
  if (reaction) {
    if (crucible__word_fired(self, component, reaction)) crucible__word_settle_others(self, component);
  } else {
    own = NULL;
    injected = publish_stored(name, value, attempts, place);
    if (LIKELY(injected)) {
      uint64_t word;
      bool several = crucible__word_add(self, component, name, &word);
      reaction = settle_stored(self, component, name, word, several);
    }
  }
  run_and_leave(self, component, reaction, own, value, stripe);
  return LIKELY(injected) || crucible__refuse(CRUCIBLE_NO_MEMORY);  // last, for bodies may inject
}

bool crucible__word_inject(struct crucible_name *name, void *value) { return inject(name, value, 0, NULL, NULL); }

bool crucible__word_inject_entered(struct crucible_name *name, void *value, struct stripe *stripe) {
  return inject(name, value, 0, NULL, stripe);
}

/// What was put back goes through its bag, where it is known how often.
static bool word_inject_placed(struct crucible_name *name, void *value, uint64_t attempts, struct place *place) {
  place->serial = NOWHERE;
  return inject(name, value, attempts, place, NULL);
}

void crucible__word_run_on_counted(struct thread *self, struct component *component, struct reaction *reaction) {
  struct stripe *stripe = crucible__enter(self, component->soup);
  run_on(self, component, reaction, true);
  crucible__leave(stripe, component->soup);
}

/// All states are there and nothing is enabled: no plain injection is between its CAS and its end.
static bool word_is_at_rest(struct component *component) {
  uint64_t word = load_seq_cst(&component->word);
  if ((word & component->states) != component->states) return false;
  for (const struct candidate *c = component->candidates; c < component->candidates_end; c++) {
    if (crucible__word_enabled(c, word)) return false;
  }
  return true;
}

/// After control bits were cleared or several molecules came: fires all that is enabled.
static void word_settle(struct thread *self, struct component *component) {
  if (load_seq_cst(&component->attention) != 0) crucible__word_tend(self, component);
  struct reaction *reaction = crucible__word_settle_all(self, component, NULL);
  if (!reaction && UNLIKELY(load_seq_cst(&component->attention) != 0)) {
    reaction = crucible__word_attend(self, component);
  }
  if (!reaction) return;
  if (crucible__runs_here(self, reaction)) {
    run(self, component, reaction, NULL, NULL);
  } else {
    crucible__submit_last(self, reaction);
  }
}

static bool inject_together(struct component *component, crucible_molecule *molecules, size_t count) {
  struct thread *self = crucible__thread();
  if (!self) return crucible__refuse(CRUCIBLE_NO_MEMORY);
  struct stripe *stripe = crucible__enter(self, component->soup);
  bool published = crucible__word_publish_together(self, component, molecules, count);
  crucible_status why = crucible__refusal;
  if (published) word_settle(self, component);
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
  return published || crucible__refuse(why);  // bodies may inject
}

static bool word_create(struct component *component) {
  atomic_init(&component->word, 0);
  atomic_init(&component->attention, 0);
  atomic_init(&component->droppers, 0);
  uint64_t states = 0;
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    if (name->kind == CRUCIBLE_STATE) states += name->unit;
    if (crucible__word_is_bagged(name) &&
        !crucible__bag_prepare(&name->bag, name->size, name->alignment)) {
      while (i-- > 0) {
        name = component->names[i];
        if (crucible__word_is_bagged(name)) crucible__bag_destroy(&name->bag, NULL, NULL);
      }
      return false;
    }
  }
  component->states = states;
  atomic_init(&component->word, states);
  return true;
}

static void destroy_value(void *value, void *context) {
  const struct crucible_name *name = context;
  if (name->destroy) name->destroy(value, name->context, CRUCIBLE_GONE);
}

static void word_destroy(struct component *component) {
  crucible__word_forget_abandoned(component);
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    if (crucible__word_is_bagged(name)) crucible__bag_destroy(&name->bag, name->destroy ? destroy_value : NULL, name);
  }
}

const struct strategy crucible__word = {
    .inject_for = crucible__word_inject_for,
    .inject_placed = word_inject_placed,
    .inject_together = inject_together,
    .withdraw = crucible__word_withdraw,
    .run = word_run,
    .take = word_take,
    .run_taken = word_run_taken,
    .end = word_end,
    .counts = crucible__word_counts,
    .control = crucible__word_control,
    .is_dropping = crucible__word_is_dropping,
    .reopen = crucible__word_reopen,
    .settle = word_settle,
    .drop = crucible__word_drop,
    .is_at_rest = word_is_at_rest,
    .inherit = crucible__word_inherit,
    .create = word_create,
    .destroy = word_destroy,
    .matcher = CRUCIBLE_WORD,
};
