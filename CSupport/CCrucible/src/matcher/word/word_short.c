// Short injections of the matcher `word`, for the case that nothing is in the way.
//
// These functions take the same steps as crucible__word_inject, for threads with a stripe of their own
// (firing/stripes.c). They use hardly any register that must be saved. While nothing else is to be done they call
// nothing. In every other case their last step is a call of the function that continues. Names without payload, and
// names whose payload is one machine word, have functions of their own, in which all sizes are constants. One function
// that reads the sizes from the name took clearly more instructions (`Benchmarks/costs`). Names with a field too narrow
// for blind additions have functions that count by CAS.
//
// Locked instructions are the same in both, and are not the bottleneck: plain stores in their place, which would be
// wrong, gained next to nothing. A prefetch of the word's line for writing gained little on two threads.
//
// word_at_once.c has the injections that fire at once or not at all, and word_plain.c the shortest of all.

#include "matcher/word/word_short.h"

#include "base/clock.h"
#include "base/tuning.h"
#include "matcher/word/word_chain.h"
#include "matcher/word/word_inject.h"
#include "matcher/word/word_plain.h"
#include "pool/carried.h"
#include "pool/pool.h"

/// Publishes the molecule of a name whose field is not narrow. Returns the number to add to the word. 0: no memory.
static inline __attribute__((always_inline)) uint64_t push(
    const struct thread *self, struct crucible_name *name, const void *value, enum payload payload) {
  if (payload == NONE) return name->word.unit;
  return crucible__front_push(self, name, payload == WORD ? WORD_SHAPE : shape_of(&name->bag), value);
}

bool crucible__word_another_enabled(const struct crucible_name *name, const struct candidate *candidate,
                                    uint64_t word) {
  while (++candidate < name->word.candidates_end) {
    if (crucible__word_enabled(candidate, word)) return true;
  }
  return false;
}

/// Fires CAS-first, like `complete` in word_inject.c.
static inline __attribute__((always_inline)) bool complete(struct thread *self, struct crucible_name *name, void *value,
                                                           struct stripe *stripe, uint64_t word,
                                                           const struct candidate *candidate,
                                                           struct reaction *reaction, enum payload payload,
                                                           bool is_alone) {
  // Everything is loaded before the thread enters, so that nothing must be loaded again after that store.
  struct component *component = name->component;
  // A value gets here only if the firing runs here.
  bool runs_here = payload != NONE || LIKELY(crucible__runs_here(self, reaction));
  uint64_t left = word + name->word.unit - candidate->need;
  if (runs_here) left &= reaction->kept;
  if (is_alone ? UNLIKELY(!crucible__word_enter_and_reserve(component, stripe, word, left))
               : UNLIKELY(!crucible__word_enter_and_take(component, stripe, word, left))) {
    if (self->depth == 0) self->heat = CRUCIBLE_HEAT;
    return crucible__word_inject_entered(name, value, stripe);
  }
  if (runs_here) return crucible__word_run_and_leave(self, reaction, (struct unstored){name, value}, stripe, word);
  return crucible__word_submit_and_leave(self, reaction, stripe);
}

/// Adds first.
static inline __attribute__((always_inline)) bool store(struct thread *self, struct component *component,
                                                        struct crucible_name *name, void *value, struct stripe *stripe,
                                                        enum payload payload) {
  crucible__enter_stripe(stripe);
  uint64_t unit = push(self, name, value, payload);
  if (UNLIKELY(!unit)) return crucible__word_inject_entered(name, value, stripe);
  // partner: the load before a firing's pops
  uint64_t word = fetch_add_seq_cst(&component->word.state, unit) + unit;
  if (LIKELY((word & name->word.mask) <= name->word.limit) &&
      LIKELY(crucible__word_first_enabled(name, word) == name->word.candidates_end) &&
      LIKELY(load_seq_cst(&component->attention) == 0) && LIKELY(load_relaxed(&self->deferred) == 0)) {
    crucible__leave(stripe, component->soup);
    return true;
  }
  return crucible__word_settle_and_leave(self, name, value, word, stripe);
}

/// Adds first, by a CAS from a word in which the molecule completes nothing. So the thread need not read the word after
/// the addition. For fields that are too narrow for blind additions.
static inline __attribute__((always_inline)) bool store_narrow(struct thread *self, struct component *component,
                                                               struct crucible_name *name, void *value, uint64_t word,
                                                               struct stripe *stripe, enum payload payload) {
  crucible__enter_stripe(stripe);
  if (UNLIKELY(!crucible__push_short(name, value, payload))) return crucible__word_inject_entered(name, value, stripe);
  bool has_room = LIKELY((word & name->word.mask) < name->word.limit);
  bool counted = has_room && LIKELY(cas_seq_cst(&component->word.state, &word, word + name->word.unit));
  if (LIKELY(counted) && LIKELY(load_seq_cst(&component->attention) == 0) &&
      LIKELY(load_relaxed(&self->deferred) == 0)) {
    crucible__leave(stripe, component->soup);
    return true;
  }
  return counted ? crucible__word_settle_and_leave(self, name, value, word + name->word.unit, stripe)
                 : crucible__word_add_and_leave(self, name, value, name->word.unit, stripe);
}

/// Fires CAS-first a reaction of the pool whose firing carries the value.
static inline bool carry(struct thread *self, struct crucible_name *name, void *value, uint64_t word,
                         const struct candidate *candidate, struct stripe *stripe) {
  struct component *component = name->component;
  uint64_t left = word + name->word.unit - candidate->need;
  if (UNLIKELY(!crucible__word_enter_and_take(component, stripe, word, left))) {
    return crucible__word_inject_entered(name, value, stripe);
  }
  struct reaction *reaction = crucible__reaction(component, candidate);
  crucible__submit_carried(self, reaction, name, value);
  if (crucible__word_fired(self, component, reaction)) crucible__word_settle_others(self, component);
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
  return true;
}

/// Stores the molecule, and then counts it and fires by one CAS. No other thread sees a state between the two steps.
/// For reactions that do not run here, or not without a check of the stack.
static __attribute__((noinline)) bool store_and_fire(struct crucible_name *name, void *value, uint64_t word,
                                                     const struct candidate *candidate, struct stripe *stripe) {
  struct thread *self = crucible__self;
  struct component *component = name->component;
  struct reaction *reaction = crucible__reaction(component, candidate);
  if (crucible__nests_here(self, reaction)) {
    return complete(self, name, value, stripe, word, candidate, reaction, SIZED, false);
  }
  if (reaction->rule->away == 1 && crucible__is_carried(name)) {
    return carry(self, name, value, word, candidate, stripe);
  }
  crucible__enter_stripe(stripe);
  uint64_t unit = name->front                                 ? push(self, name, value, SIZED)
                  : crucible__push_short(name, value, SIZED) ? name->word.unit
                                                             : 0;
  if (UNLIKELY(!unit)) return crucible__word_inject_entered(name, value, stripe);
  if (LIKELY(cas_seq_cst(&component->word.state, &word, word + unit - candidate->need))) {
    return crucible__word_submit_and_leave(self, reaction, stripe);
  }
  if (self->depth == 0) self->heat = CRUCIBLE_HEAT;
  return crucible__word_add_and_leave(self, name, value, unit, stripe);
}

/// Whether a caller that blocks may wait in `inject_in_turn` before its call is stored.
static inline bool gives_way(const struct crucible_name *name) {
  return name->kind == CRUCIBLE_FAST && !name->word.meets;
}

/// Injects the call of a thread that would block behind stored calls, or while another body has a state. First the
/// thread lets other threads continue, for a limited time. Then it fires at once, if it can.
///
/// Once calls are stored, each release serves the thread that has waited longest, which mostly sleeps. With more
/// threads than processors that queue would last: each thread that is served returns before the next one has woken.
/// While callers wait here instead, the stored calls are served, and the queue ends. Without stored calls a caller is
/// stored at once, because a thread that is about to answer finds it sooner.
///
/// The word shows whether calls are stored. The bag's own lines belong to the threads that take from it. A read of them
/// before each call was slower between two threads that answer each other.
///
/// A caller continues to give way while the word changes. Then the calls ahead are being served, and a call that is
/// stored now would keep their queue alive. The time limit bounds that, because a thread that gives way may repeatedly
/// find the lock taken again.
///
/// No order is affected. A call that waits here is not a molecule yet, and fires only while no call is stored. So it
/// overtakes no stored call. Later calls can overtake it only while it waits here.
///
/// Two things could break this. Another waiting thread could need the call that waits here: `meets` rules this out. The
/// call could overtake a stored one: `complete` in word_inject.c reads the bag before its CAS.
static __attribute__((noinline)) bool inject_in_turn(struct thread *self, struct crucible_name *name, void *value) {
  struct component *component = name->component;
  uint64_t begin = crucible__now();
  uint64_t seen = 0;
  take_turns();
  for (int look = 0; look < CRUCIBLE_LOOKS && crucible__now() - begin < CRUCIBLE_GIVING_WAY; look++) {
    uint64_t word = load_acquire(&component->word.state);  // partner: the additions of the molecules that are taken
    if (!(word & name->word.mask) &&
        crucible__word_first_enabled(name, word + name->word.unit) != name->word.candidates_end) {
      return crucible__word_inject(name, value);
    }
    if (word != seen) look = 0;
    seen = word;
    give_way();
  }
  self->heat = CRUCIBLE_HEAT;
  return crucible__word_inject(name, value);
}

static inline __attribute__((always_inline)) bool inject(struct thread *self, struct crucible_name *name, void *value,
                                                         struct stripe *stripe, enum payload payload,
                                                         bool is_narrow, bool in_turn, bool is_alone) {
  struct component *component = name->component;
  if (LIKELY(self->heat == 0) || self->depth > 0) {
    uint64_t word = load_acquire(&component->word.state);  // partner: the additions of the molecules that are taken
    const struct candidate *candidate = crucible__word_first_enabled(name, word + name->word.unit);
    if (candidate == name->word.candidates_end) {
      bool lacks_state = crucible__word_lacks_state(self, name, word);
      if (in_turn && self->depth == 0 && (lacks_state || word & name->word.mask)) {
        return inject_in_turn(self, name, value);
      }
      if (lacks_state) self->heat = CRUCIBLE_HEAT;
    } else if (payload == NONE ||
               (is_narrow ? crucible__bag_is_empty(&name->bag) : crucible__front_is_empty(name, word))) {
      if (UNLIKELY(candidate + 1 != name->word.candidates_end) &&
          crucible__word_another_enabled(name, candidate, word + name->word.unit)) {
        return crucible__word_inject(name, value);  // this function chooses
      }
      // The component is loaded again, to save one register less.
      struct reaction *reaction = crucible__reaction(name->component, candidate);
      if (payload == NONE || LIKELY(crucible__runs_here(self, reaction))) {
        return complete(self, name, value, stripe, word, candidate, reaction, payload, is_alone);
      }
      return store_and_fire(name, value, word, candidate, stripe);
    }
    if (is_narrow && candidate == name->word.candidates_end) {
      return store_narrow(self, component, name, value, word, stripe, payload);
    }
  } else if (!is_narrow) {
    self->heat--;
  }
  if (is_narrow) return crucible__word_inject(name, value);
  if (payload == NONE) return store(self, component, name, NULL, stripe, payload);
  // The component is loaded again, to save one register less.
  return store(self, name->component, name, value, stripe, payload);
}

/// Injects for a thread with a stripe in a further block, or without one so far.
static inline __attribute__((always_inline)) bool inject_further(
    struct crucible_name *name, void *value, enum payload payload) {
  struct thread *self = crucible__self;
  struct stripe *stripe =
      self && self->index < name->word.blind ? crucible__make_stripe(name->component->soup, self->index) : NULL;
  if (UNLIKELY(!stripe)) return crucible__word_inject(name, value);
  return inject(self, name, value, stripe, payload, false, gives_way(name), false);
}

static __attribute__((noinline)) bool further_nothing(struct crucible_name *name, void *value) {
  return inject_further(name, value, NONE);
}
static __attribute__((noinline)) bool further_sized(struct crucible_name *name, void *value) {
  return inject_further(name, value, SIZED);
}

static inline __attribute__((always_inline)) bool inject_here(
    struct crucible_name *name, void *value, enum payload payload, bool in_turn, bool is_alone) {
  struct thread *self = crucible__self;
  struct stripe *stripe = LIKELY(self != NULL) ? crucible__stripe(self, name->component->soup, SHORT_THREADS) : NULL;
  if (UNLIKELY(!stripe)) return payload == NONE ? further_nothing(name, value) : further_sized(name, value);
  return inject(self, name, value, stripe, payload, false, in_turn, is_alone);
}

/// Injects into a name with a field too narrow for blind additions.
static inline __attribute__((always_inline)) bool inject_narrow(
    struct crucible_name *name, void *value, enum payload payload, bool in_turn) {
  struct thread *self = crucible__self;
  struct stripe *stripe = LIKELY(self != NULL) ? crucible__stripe(self, name->component->soup, SHORT_THREADS) : NULL;
  if (UNLIKELY(!stripe)) return crucible__word_inject(name, value);
  return inject(self, name, value, stripe, payload, true, in_turn, false);
}

bool crucible__word_inject_nothing(struct crucible_name *name, void *value) {
  return inject_here(name, value, NONE, false, false);
}
static bool inject_word(struct crucible_name *name, void *value) {
  return inject_here(name, value, WORD, false, false);
}
static bool inject_sized(struct crucible_name *name, void *value) {
  return inject_here(name, value, SIZED, false, false);
}
// Inject names that meet only facts. No other name pays for this test.
bool crucible__word_inject_alone_word(struct crucible_name *name, void *value) {
  return inject_here(name, value, WORD, false, true);
}
bool crucible__word_inject_alone_sized(struct crucible_name *name, void *value) {
  return inject_here(name, value, SIZED, false, true);
}
static bool narrow_nothing(struct crucible_name *name, void *value) { return inject_narrow(name, value, NONE, false); }
static bool narrow_sized(struct crucible_name *name, void *value) { return inject_narrow(name, value, SIZED, false); }
// Inject calls that may give way. No other name pays for this test.
static bool call_word(struct crucible_name *name, void *value) { return inject_here(name, value, WORD, true, false); }
bool crucible__word_call_sized(struct crucible_name *name, void *value) {
  return inject_here(name, value, SIZED, true, false);
}
static bool narrow_call(struct crucible_name *name, void *value) { return inject_narrow(name, value, SIZED, true); }

// ---------------------------------------------------------------------------------------------------------------------
// The variants
// ---------------------------------------------------------------------------------------------------------------------

/// The ways to inject a name with payload. No thread may use fetch-and-add on a NARROW field.
enum way {
  IN_TURN,  ///< a caller that blocks may give way
  ALONE,    ///< the name meets only facts
  USUAL,
  NARROW_IN_TURN,
  NARROW,
};

/// For each way the function that injects a machine word, and the one that injects a value of any size. Every function
/// in this table, and no other one, may complete a reaction at once (word_at_once.c).
static const struct variant {
  inject_function word;
  inject_function sized;
} variants[] = {
    [IN_TURN] = {call_word, crucible__word_call_sized},
    [ALONE] = {crucible__word_inject_alone_word, crucible__word_inject_alone_sized},
    [USUAL] = {inject_word, inject_sized},
    [NARROW_IN_TURN] = {narrow_call, narrow_call},
    [NARROW] = {narrow_sized, narrow_sized},
};

bool crucible__word_is_short(inject_function inject) {
  // Unrolled, it would compare all functions before it returns. Mostly the first is the right one.
#pragma clang loop unroll(disable)
  for (const struct variant *variant = variants; variant <= &variants[NARROW]; variant++) {
    if (variant->word == inject || variant->sized == inject) return true;
  }
  return false;
}

/// Whether every reaction that consumes the name takes one molecule of it, and nothing else.
static bool is_alone(const struct crucible_name *name) {
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    if (c->need != name->word.unit) return false;
  }
  return true;
}

static enum way way_of(const struct crucible_name *name) {
  if (!name->word.blind) return gives_way(name) ? NARROW_IN_TURN : NARROW;
  if (is_alone(name)) return ALONE;
  return gives_way(name) ? IN_TURN : USUAL;
}

inject_function crucible__word_inject_for(const struct crucible_name *name) {
  inject_function plain = crucible__word_plain_for(name);
  if (plain) return plain;
  if (name->kind == CRUCIBLE_STATE) return crucible__word_inject;
  if (!name->has_payload) return name->word.blind ? crucible__word_inject_nothing : narrow_nothing;
  enum way way = way_of(name);
  inject_function follow = way == ALONE ? crucible__word_follow_for(name) : NULL;
  if (follow) return follow;
  return name->bag.has_words ? variants[way].word : variants[way].sized;
}
