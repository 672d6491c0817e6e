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
//              this one. Only if none of its name is counted or spilled, else it would overtake them; `Void` molecules have
//              no identity and may always. A CAS that fails makes the thread add first for its next CRUCIBLE_HEAT additions.
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
// States lie in cells of the soup and have one bit here. The CAS that gives a state back also reserves the next firing.
//
// Progress: adding, firing and giving back are lock-free: a failed CAS is somebody else's progress. A thread that stops
// between taking a state and giving it back has that state, as in any join calculus; one that stops in `bring` hides one count.

#include "firing.h"
#include "layout.h"
#include "soup.h"

// Additions after a failed CAS for which a thread does not try CAS-first again. Long enough that the failures cost little
// when contention lasts, short enough to find back within a microsecond when it ends.
#ifndef CRUCIBLE_HEAT
#define CRUCIBLE_HEAT 32
#endif

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
  for (const struct candidate *c = begin; c < end; c++) {
    if (enabled(c, word)) return LIKELY(c + 1 == end) ? c : choose_among(self, component, c, end, word);
  }
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
  store_seq_cst(&component->spilled, true);  // partner: the load in fired
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
      self->heat = CRUCIBLE_HEAT;
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

static inline bool may_complete_unstored(const struct crucible_name *name, uint64_t word) {
  return name->has_payload ? (word & name->mask) == 0 && load_seq_cst(&name->overflow) == 0
                           : (word & name->mask) < name->limit;
}

/// CAS-first: fires a reaction that the molecule completes, without storing it. Null: it has to be stored.
static inline struct reaction *complete(struct thread *self, struct component *component, struct crucible_name *name) {
  uint64_t word = load_acquire(&component->word);  // partner: the additions of the molecules that are taken
  if (!may_complete_unstored(name, word)) return NULL;
  const struct candidate *candidate =
      choose(self, component, name->candidates, name->candidates_end, word + name->unit);
  if (!candidate || (name->has_payload && !crucible__runs_here(self, candidate->reaction))) return NULL;
  if (UNLIKELY(!cas_seq_cst(&component->word, &word, word + name->unit - candidate->need))) {
    self->heat = CRUCIBLE_HEAT;
    return NULL;
  }
  return candidate->reaction;
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
      firing->inputs[i] = value;  // stands in the pattern once: complete() takes that none of it was counted
    } else {
      firing->inputs[i] = firing->storage + input->offset;
      crucible__bag_pop_mpmc(&input->name->bag, firing->inputs[i]);
    }
  }
}

/// Gives the states of a finished firing back. Answers the next firing that is to be run here; null: none.
static inline __attribute__((always_inline)) struct reaction *give_back(struct thread *self, struct component *component,
                                                                        const struct reaction *reaction) {
  uint64_t word = load_acquire(&component->word);  // partner: the additions of the molecules that are taken
  const struct candidate *candidate;
  uint64_t whole;
  do {
    whole = word + reaction->states;
    candidate = choose(self, component, reaction->after, reaction->after_end, whole);
    // Released: the next to take the state sees what the body wrote into its cell.
  } while (UNLIKELY(!cas_seq_cst(&component->word, &word, candidate ? whole - candidate->need : whole)));
  if (LIKELY(!candidate)) return NULL;
  struct reaction *next = candidate->reaction;
  if (fired(component, next) || reaction->state_count > 1) next = settle_all(self, component, next);
  if (next->placement == CRUCIBLE_INLINE || self->is_worker) return next;
  crucible__submit(self, next);
  return NULL;
}

/// Runs a reserved firing, and then what the states that it gives back enable.
static inline __attribute__((always_inline)) void run_in(struct thread *self, struct component *component,
                                                         struct reaction *reaction, struct firing *firing,
                                                         const struct crucible_name *own, void *value) {
  struct running running;
  crucible__begin(self, component->soup, &running);
  do {
    take(reaction, firing, own, value);
    own = NULL;
    reaction->body(reaction->context, firing->inputs);
    reaction = reaction->state_count ? give_back(self, component, reaction) : NULL;
  } while (UNLIKELY(reaction != NULL));
  crucible__end(self, &running);
}

static __attribute__((noinline)) void run_large(struct thread *self, struct component *component, struct reaction *reaction,
                                                const struct crucible_name *own, void *value) {
  CRUCIBLE_FIRING(firing, component);
  run_in(self, component, reaction, &firing, own, value);
  CRUCIBLE_FIRING_END(firing, component);
}

static __attribute__((noinline)) void run_small(struct thread *self, struct component *component, struct reaction *reaction,
                                                const struct crucible_name *own, void *value) {
  struct small_firing room;
  struct firing firing = {.inputs = room.inputs, .storage = room.storage};
  run_in(self, component, reaction, &firing, own, value);
}

/// Runs a reserved firing whatever its inputs are. Those of states and of names without payload alone need no room.
static inline __attribute__((always_inline)) void run(struct thread *self, struct component *component,
                                                      struct reaction *reaction, const struct crucible_name *own,
                                                      void *value) {
  if (!reaction->has_stored) {
    struct running running;
    crucible__begin(self, component->soup, &running);
    do {
      reaction->body(reaction->context, reaction->fixed);
      reaction = reaction->state_count ? give_back(self, component, reaction) : NULL;
    } while (UNLIKELY(reaction != NULL) && !reaction->has_stored);
    crucible__end(self, &running);
    if (LIKELY(!reaction)) return;
  }
  if (LIKELY(component->is_small)) {
    run_small(self, component, reaction, own, value);
  } else {
    run_large(self, component, reaction, own, value);
  }
}

static void word_run(struct thread *self, struct reaction *reaction) {
  run(self, reaction->component, reaction, NULL, NULL);
}

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

/// CAS-first, with what it may have to settle besides. Null: the molecule has to be stored.
static inline __attribute__((always_inline)) struct reaction *inject_unstored(struct thread *self, struct component *component, struct crucible_name *name) {
  struct reaction *reaction = complete(self, component, name);
  if (reaction && fired(component, reaction)) {
    // The one that was completed without being stored is the one that runs here; what else came up goes to others.
    struct reaction *other = settle_all(self, component, NULL);
    if (other) crucible__submit(self, other);
  }
  return reaction;
}

/// Add-first. Sets `*reaction` to a firing that it reserved, if any. False: no memory.
static __attribute__((noinline)) bool inject_stored(struct thread *self, struct component *component,
                                                    struct crucible_name *name, void *value, struct reaction **reaction) {
  if (name->has_payload && UNLIKELY(!crucible__bag_push_mpmc(&name->bag, value))) return false;
  uint64_t word;
  *reaction = UNLIKELY(add(self, component, name, &word))
                  ? settle_all(self, component, NULL)
                  : settle(self, component, name->candidates, name->candidates_end, word, false, NULL);
  return true;
}

static bool word_inject(struct crucible_name *name, void *value) {
  struct thread *self = crucible__thread();
  if (UNLIKELY(!self)) return false;
  struct component *component = name->component;
  struct stripe *stripe = crucible__enter(self, component->soup);
  struct reaction *reaction = NULL;
  const struct crucible_name *own = name;
  bool injected = true;
  if (LIKELY(self->heat == 0)) {
    reaction = inject_unstored(self, component, name);
  } else {
    self->heat--;
  }
  if (!reaction) {
    own = NULL;
    injected = inject_stored(self, component, name, value, &reaction);
  }
  if (reaction) {
    if (LIKELY(crucible__runs_here(self, reaction))) {
      run(self, component, reaction, own, value);
      crucible__drain(self);
    } else {
      crucible__submit(self, reaction);
    }
  }
  crucible__leave(stripe, component->soup);
  return injected;
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
    .inject = word_inject,
    .run = word_run,
    .count = word_count,
    .create = word_create,
    .destroy = word_destroy,
    .matcher = CRUCIBLE_WORD,
};
