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
//   Field n holds at most `limit` molecules. Fetch-and-add is blind, so up to CRUCIBLE_BLIND_THREADS threads may exceed it by
//   one each before they take it back; the field is wide enough for them. Other threads, and all on narrow fields, add by
//   CAS. What exceeds the limit is counted in `overflow`; its payload is in the bag like any other.
//   W3  overflow(n) > 0 at rest only if field(n) is at its limit. The spiller adds to overflow, then looks at the field;
//       whoever makes room CASes the field, then looks at overflow: all seq_cst, so one of them sees the other, and brings
//       counts over one at a time. `spilled` spares those who make room the look while nothing ever spilled: it is set,
//       seq_cst, before the first addition to an overflow, and takes its place in the same argument.
//
//   W4  A thread that stops between its firing and its look at overflow must not hide the spilled counts from the others. So
//       whoever leaves or gives states back without firing looks too, once anything ever spilled, and brings over. What a
//       stopped thread can hide is then the one count that it has in hand.
//
// States lie in cells of the soup and have one bit here. A state is given back by an addition or, when others are about, by one
// CAS that also reserves the next firings, up to CRUCIBLE_BATCH of one reaction (layout.c says when more than one).
//
// Progress: adding, firing and giving back are lock-free: a failed CAS is somebody else's progress. A thread that stops
// between taking a state and giving it back has that state, as in any join calculus; one that stops in `bring` hides one
// count.

#include "firing.h"
#include "layout.h"
#include "soup.h"

// Additions after a failed CAS for which a thread does not try CAS-first again. Long enough that the failures cost little
// when contention lasts, short enough to find back within a microsecond when it ends.
#ifndef CRUCIBLE_HEAT
#define CRUCIBLE_HEAT 32
#endif

// Pauses after a failed CAS of a firing: the thread that won goes on undisturbed, and more gathers for the next firing.
// Measured on two threads that share a state, ns per reaction, where a bare mutex takes 27: 16 pauses 19, 32 17, 64 15.
#ifndef CRUCIBLE_PAUSES
#define CRUCIBLE_PAUSES 64
#endif

// How often a body's injection tries again to complete unstored: what the others add up to meanwhile waits for this thread,
// and storing costs it four more read-modify-writes. Measured on two threads that share a counter molecule: 49 ns per
// reaction with none, 39 with 4.
#ifndef CRUCIBLE_FAILURES
#define CRUCIBLE_FAILURES 4
#endif

/// After a failed CAS: lets the others finish theirs, and remembers.
static __attribute__((noinline)) void back_off(struct thread *self, struct component *component, uint64_t *word) {
  self->heat = CRUCIBLE_HEAT;
  for (int i = 0; i < CRUCIBLE_PAUSES; i++) spin_pause();
  *word = load_acquire(&component->word);
}

static inline bool enabled(const struct candidate *candidate, uint64_t word) {
  return (((word | candidate->guards) - candidate->need) & candidate->guards) == candidate->guards;
}

/// One of the enabled reactions, each with the same probability, given that `found` is the first of them.
static __attribute__((noinline)) const struct candidate *choose_among(struct thread *self, struct component *component,
                                                                      const struct candidate *found,
                                                                      const struct candidate *end, uint64_t word) {
  uint32_t seen = 1;
  for (const struct candidate *c = found + 1; c < end; c++) {
    if (enabled(c, word) && crucible__choose(self, component->soup, ++seen) == 0) found = c;
  }
  return found;
}

/// One of the enabled reactions, each with the same probability; null: none.
static inline const struct candidate *choose(struct thread *self, struct component *component,
                                             const struct candidate *begin, const struct candidate *end, uint64_t word) {
  const struct candidate *c = begin;  // every list has at least one: a name that no reaction consumes is refused
  do {
    if (enabled(c, word)) return LIKELY(c + 1 == end) ? c : choose_among(self, component, c, end, word);
  } while (UNLIKELY(++c < end));
  return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Full fields
// ---------------------------------------------------------------------------------------------------------------------

/// Brings spilled counts into the word while there is room. True: at least one came.
static bool bring(struct component *component, struct crucible_name *name) {
  bool brought = false;
  for (;;) {
    uint64_t over = load_seq_cst(&name->overflow);  // partner: the addition in spill
    uint64_t word = load_seq_cst(&component->word);
    if (over == 0 || (word & name->mask) >= name->limit) return brought;
    if (!cas_seq_cst(&name->overflow, &over, over - 1)) continue;
    // One count in hand: into the word, or back.
    while ((word & name->mask) < name->limit) {
      if (cas_seq_cst(&component->word, &word, word + name->unit)) {
        brought = true;
        break;
      }
    }
    if ((word & name->mask) >= name->limit) fetch_add_seq_cst(&name->overflow, 1);
  }
}

/// After a reaction has made room: brings over for each of its names. True: at least one count came.
static __attribute__((noinline)) bool make_room(struct component *component, const struct reaction *reaction) {
  bool brought = false;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    struct crucible_name *name = reaction->inputs[i].name;
    if (name->kind != CRUCIBLE_STATE && bring(component, name)) brought = true;
  }
  return brought;
}

/// Counts one molecule as spilled. True: counts were brought over, maybe more than one.
static __attribute__((noinline)) bool spill(struct component *component, struct crucible_name *name) {
  if (!load_seq_cst(&component->spilled)) store_seq_cst(&component->spilled, true);  // partner: the load in fired
  fetch_add_seq_cst(&name->overflow, 1);     // partner: the load in bring by whoever makes room
  return bring(component, name);
}

// ---------------------------------------------------------------------------------------------------------------------
// Adding and firing
// ---------------------------------------------------------------------------------------------------------------------

/// To be called after every CAS that fires `reaction`. True: counts were brought over, so several may be enabled now.
static inline bool fired(struct component *component, const struct reaction *reaction) {
  return UNLIKELY(load_seq_cst(&component->spilled)) && make_room(component, reaction);
}

/// Reserves what is enabled among `candidates`. Without `several` one is enough (W2). Answers one reserved firing, or
/// null; further ones have been given to others. `chosen`, if any, is one that is reserved already.
static inline struct reaction *settle(struct thread *self, struct component *component, const struct candidate *begin,
                                      const struct candidate *end, uint64_t word, bool several, struct reaction *chosen) {
  for (;;) {
    const struct candidate *candidate = choose(self, component, begin, end, word);
    if (!candidate) return chosen;
    if (UNLIKELY(!cas_seq_cst(&component->word, &word, word - candidate->need))) {
      back_off(self, component, &word);
      continue;
    }
    if (chosen) crucible__submit(self, chosen);
    chosen = candidate->reaction;
    if (fired(component, chosen)) several = true;
    if (LIKELY(!several)) return chosen;
    begin = component->candidates;
    end = component->candidates_end;
    word = load_seq_cst(&component->word);
  }
}

/// Settles all of the component, after counts of several names may have come.
static struct reaction *settle_all(struct thread *self, struct component *component, struct reaction *chosen) {
  return settle(self, component, component->candidates, component->candidates_end, load_seq_cst(&component->word), true,
                chosen);
}

/// Brings over what others have made room for and not yet brought (W4), and settles. Answers as settle does.
static __attribute__((noinline)) struct reaction *help(struct thread *self, struct component *component) {
  bool brought = false;
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    if (name->kind != CRUCIBLE_STATE && load_seq_cst(&name->overflow) != 0 && bring(component, name)) brought = true;
  }
  return brought ? settle_all(self, component, NULL) : NULL;
}

/// Adds one count of a name whose molecule is published. Sets `*word` to a word that came after it. True: counts were
/// brought over from the overflow.
static inline bool add(const struct thread *self, struct component *component, struct crucible_name *name, uint64_t *word) {
  if (LIKELY(name->blind && self->index < CRUCIBLE_BLIND_THREADS)) {
    *word = fetch_add_seq_cst(&component->word, name->unit) + name->unit;  // partner: the load before a firing's pops
    while (UNLIKELY((*word & name->mask) > name->limit)) {
      if (!cas_seq_cst(&component->word, word, *word - name->unit)) continue;
      bool brought = spill(component, name);
      *word = load_seq_cst(&component->word);
      return brought;
    }
    return false;
  }
  *word = load_acquire(&component->word);
  while ((*word & name->mask) < name->limit) {
    if (cas_seq_cst(&component->word, word, *word + name->unit)) {
      *word += name->unit;
      return false;
    }
  }
  bool brought = spill(component, name);
  *word = load_seq_cst(&component->word);
  return brought;
}

/// Whether the molecule may be consumed without ever being stored. Values: only while the bag is empty, else it would
/// overtake what waits there. The counts do not tell: with x published but not yet counted, and y behind it counted, the
/// firing that takes y's count takes x, and leaves y uncounted in the bag. `Void` molecules always may: what they complete
/// consumes at least one, so the field does not grow; if it is full the sum runs into the guard, and nothing looks enabled.
static inline bool may_complete_unstored(struct crucible_name *name) {
  return !name->has_payload || crucible__bag_is_empty(&name->bag);
}

/// CAS-first: fires a reaction that the molecule completes, without storing it. Null: it has to be stored.
static inline struct reaction *complete(struct thread *self, struct component *component, struct crucible_name *name) {
  if (!may_complete_unstored(name)) return NULL;
  uint64_t word = load_acquire(&component->word);  // partner: the additions of the molecules that are taken
  for (int failures = 0;; failures++) {
    const struct candidate *candidate =
        choose(self, component, name->candidates, name->candidates_end, word + name->unit);
    if (!candidate) {
      if (name->under_state) self->heat = CRUCIBLE_HEAT;  // somebody has the state: a look at the word is only in the way
      return NULL;
    }
    if (name->has_payload && !crucible__runs_here(self, candidate->reaction)) return NULL;
    if (LIKELY(cas_seq_cst(&component->word, &word, word + name->unit - candidate->need))) return candidate->reaction;
    if (self->depth == 0 || failures == CRUCIBLE_FAILURES) {
      self->heat = CRUCIBLE_HEAT;
      return NULL;
    }
    back_off(self, component, &word);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Running
// ---------------------------------------------------------------------------------------------------------------------

/// Takes the molecules of a reserved firing. `own`, if any, was never stored: its value is `value`.
static inline void take(const struct reaction *reaction, struct firing *firing, const struct crucible_name *own, void *value) {
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct input *input = &reaction->inputs[i];
    if (!input->is_stored) {
      firing->inputs[i] = input->fixed;
    } else if (input->name == own) {
      firing->inputs[i] = value;
      own = NULL;  // a second input of its name, counted since the bag was seen empty, comes out of the bag
    } else {
      firing->inputs[i] = firing->storage + input->offset;
      crucible__bag_pop_mpmc(&input->name->bag, firing->inputs[i]);
    }
  }
}

/// Whether a firing that this thread reserves after a body runs on it.
static inline bool stays(const struct thread *self, const struct reaction *reaction) {
  return reaction->placement == CRUCIBLE_INLINE || self->is_worker;
}

/// Answers the reserved firing if it runs on this thread; else gives it away.
static inline struct reaction *stay_or_submit(struct thread *self, struct reaction *reaction) {
  if (!reaction || stays(self, reaction)) return reaction;
  crucible__submit(self, reaction);
  return NULL;
}

/// After states have come back and enabled nothing (W4).
static inline struct reaction *help_and_stay(struct thread *self, struct component *component) {
  return UNLIKELY(load_seq_cst(&component->spilled)) ? stay_or_submit(self, help(self, component)) : NULL;
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
    candidate = choose(self, component, reaction->after, reaction->after_end, whole);
    if (LIKELY(!candidate)) {
      // Released: the next to take the state sees what the body wrote into its cell.
      if (LIKELY(cas_seq_cst(&component->word, &word, whole))) return help_and_stay(self, component);
      continue;
    }
    uint64_t left = whole - candidate->need;
    if (candidate->reaction->most > 1 && stays(self, candidate->reaction)) {
      // The states are not in the word now: what is left of the need are the other names'.
      uint64_t need = candidate->need - candidate->reaction->states;
      uint32_t count = batch_of(candidate->reaction, need, candidate->guards, whole);
      left = whole - candidate->reaction->states - count * need;
      *more = count - 1;
    }
    if (LIKELY(cas_seq_cst(&component->word, &word, left))) break;
    *more = 0;
    back_off(self, component, &word);
  }
  struct reaction *next = candidate->reaction;
  if (fired(component, next) || reaction->state_count > 1) {
    struct reaction *other = settle_all(self, component, NULL);
    if (other) crucible__submit(self, other);
  }
  return stay_or_submit(self, next);
}

/// Runs a reserved firing, and then what the states that it gives back enable.
static inline __attribute__((always_inline)) void run_in(struct thread *self, struct component *component,
                                                         struct reaction *reaction, struct firing *firing, uint32_t more,
                                                         const struct crucible_name *own, void *value) {
  struct crucible_soup *outer = crucible__begin(self, component->soup);
  do {
    for (;;) {
      take(reaction, firing, own, value);
      own = NULL;
      reaction->body(reaction->context, firing->inputs);
      if (LIKELY(more == 0)) break;
      more--;
    }
    reaction = reaction->state_count ? give_back(self, component, reaction, &more) : NULL;
  } while (UNLIKELY(reaction != NULL));
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
  struct firing firing = {.inputs = room.inputs, .storage = room.storage};
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
    reaction = settle(self, component, reaction->after, reaction->after_end, word, false, NULL);
    reaction = reaction ? stay_or_submit(self, reaction) : help_and_stay(self, component);
  } else {
    reaction = give_back(self, component, reaction, &more);
  }
  while (reaction) {
    if (reaction->has_stored) {
      run_stored(self, component, reaction, more, NULL, NULL);
      return;
    }
    do {
      reaction->body(reaction->context, reaction->fixed);
    } while (more-- > 0);
    more = 0;
    reaction = reaction->state_count ? give_back(self, component, reaction, &more) : NULL;
  }
}

/// Gives the only state of a body that needed no room back, and runs what that enables. While nobody else is about, adding it
/// and then looking costs less than one CAS that does both (5.3 ns against 6.0 for taking and giving back).
static inline void add_back_and_run_on(struct thread *self, struct component *component, struct reaction *reaction) {
  // Released: the next to take the state sees what the body wrote into its cell.
  uint64_t before = fetch_add_seq_cst(&component->word, reaction->states);
  if (UNLIKELY((before & reaction->after_fields) != 0) || UNLIKELY(load_seq_cst(&component->spilled))) {
    run_on(self, component, reaction, true);
  }
}

/// Runs a reserved firing whatever its inputs are. Those of states and of names without payload alone need no room.
static inline __attribute__((always_inline)) void run(struct thread *self, struct component *component,
                                                      struct reaction *reaction, const struct crucible_name *own,
                                                      void *value) {
  if (reaction->has_stored) {
    run_stored(self, component, reaction, 0, own, value);
    return;
  }
  struct crucible_soup *outer = crucible__begin(self, component->soup);
  reaction->body(reaction->context, reaction->fixed);
  if (reaction->state_count == 1 && LIKELY(self->heat == 0)) {
    add_back_and_run_on(self, component, reaction);
  } else if (reaction->state_count > 0) {
    run_on(self, component, reaction, false);
  }
  crucible__end(self, outer);
}

static void word_run(struct thread *self, struct reaction *reaction) {
  run(self, reaction->component, reaction, NULL, NULL);
}

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

/// After a firing that was completed without being stored made room: what else came up goes to others, for the value of the
/// one is only here.
static __attribute__((noinline)) void settle_others(struct thread *self, struct component *component) {
  struct reaction *other = settle_all(self, component, NULL);
  if (other) crucible__submit(self, other);
}

/// Add-first.
static __attribute__((noinline)) bool inject_stored(struct thread *self, struct component *component,
                                                    struct crucible_name *name, void *value) {
  if (name->has_payload && UNLIKELY(!crucible__bag_push_mpmc(&name->bag, value))) return false;
  uint64_t word;
  struct reaction *reaction = UNLIKELY(add(self, component, name, &word))
                                  ? settle_all(self, component, NULL)
                                  : settle(self, component, name->candidates, name->candidates_end, word, false, NULL);
  if (!reaction && UNLIKELY(load_seq_cst(&component->spilled))) reaction = help(self, component);
  if (!reaction) return true;
  if (LIKELY(crucible__runs_here(self, reaction))) {
    run(self, component, reaction, NULL, NULL);
  } else {
    crucible__submit(self, reaction);
  }
  return true;
}

static bool word_inject(struct crucible_name *name, void *value) {
  struct thread *self = crucible__thread();
  if (UNLIKELY(!self)) return false;
  struct component *component = name->component;
  struct stripe *stripe = crucible__enter(self, component->soup);
  struct reaction *reaction = NULL;
  bool injected = true;
  if (LIKELY(self->heat == 0) || self->depth > 0) {
    reaction = complete(self, component, name);
  } else {
    self->heat--;
  }
  if (LIKELY(reaction != NULL)) {
    if (fired(component, reaction)) settle_others(self, component);
    if (LIKELY(crucible__runs_here(self, reaction))) {
      run(self, component, reaction, name, value);
    } else {
      crucible__submit(self, reaction);
    }
  } else {
    injected = inject_stored(self, component, name, value);
  }
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
  return injected;
}

/// The shortest path, for names without payload that only meet states and other such names, inline. It keeps to few
/// registers and stores, for each store has to reach the cache before the next locked instruction can. It is not counted as
/// entered and left, because it shows in the word as long as it lasts: a state is away, or a reaction is enabled. Nested in a
/// body it would not be the only thing in progress (looking.c); that, and all that is not the common case, is word_inject's.
static bool inject_plain(struct crucible_name *name, void *value) {
  struct thread *self = crucible__self;
  if (UNLIKELY(!self) || UNLIKELY(self->heat != 0) || UNLIKELY(self->depth != 0)) return word_inject(name, value);
  struct component *component = name->component;
  uint64_t word = load_acquire(&component->word);  // partner: the additions of the molecules that are taken
  const struct candidate *candidate =
      choose(self, component, name->candidates, name->candidates_end, word + name->unit);
  if (UNLIKELY(!candidate)) return word_inject(name, value);
  if (UNLIKELY(!cas_seq_cst(&component->word, &word, word + name->unit - candidate->need))) {
    self->heat = CRUCIBLE_HEAT;
    return word_inject(name, value);
  }
  struct reaction *reaction = candidate->reaction;
  self->running = component->soup;
  self->depth = 1;
  if (UNLIKELY(fired(component, reaction))) settle_others(self, component);
  reaction->body(reaction->context, reaction->fixed);
  add_back_and_run_on(self, component, reaction);
  self->running = NULL;
  self->depth = 0;
  crucible__drain(self);
  return true;
}

/// All states are there and nothing is enabled: no plain injection is between its CAS and its end.
static bool word_is_at_rest(struct component *component) {
  uint64_t word = load_seq_cst(&component->word);
  if ((word & component->states) != component->states) return false;
  for (const struct candidate *c = component->candidates; c < component->candidates_end; c++) {
    if (enabled(c, word)) return false;
  }
  return true;
}

static inject_function inject_for(const struct crucible_name *name) {
  bool plain = !name->has_payload && name->under_state;
  for (const struct candidate *c = name->candidates; c < name->candidates_end; c++) {
    const struct reaction *reaction = c->reaction;
    if (reaction->has_stored || reaction->state_count != 1 || reaction->placement != CRUCIBLE_INLINE) plain = false;
  }
  return plain ? inject_plain : word_inject;
}

static uint64_t word_count(const struct crucible_name *name) {
  uint64_t word = load_acquire(&name->component->word);
  return (word & name->mask) / name->unit + load_acquire(&name->overflow);
}

static bool word_create(struct component *component) {
  atomic_init(&component->word, 0);
  atomic_init(&component->spilled, false);
  uint64_t states = 0;
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    if (name->kind == CRUCIBLE_STATE) states += name->unit;
    if (name->has_payload && name->kind != CRUCIBLE_STATE &&
        !crucible__bag_create(&name->bag, name->size, name->alignment)) {
      while (i-- > 0) {
        name = component->names[i];
        if (name->has_payload && name->kind != CRUCIBLE_STATE) crucible__bag_destroy(&name->bag, NULL, NULL);
      }
      return false;
    }
  }
  component->states = states;
  atomic_init(&component->word, states);
  return true;
}

static void word_destroy(struct component *component) {
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    if (name->has_payload && name->kind != CRUCIBLE_STATE) {
      crucible__bag_destroy(&name->bag, name->destroy, name->context);
    }
  }
}

const struct strategy crucible__word = {
    .inject_for = inject_for,
    .run = word_run,
    .count = word_count,
    .is_at_rest = word_is_at_rest,
    .create = word_create,
    .destroy = word_destroy,
    .matcher = CRUCIBLE_WORD,
};
