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

#include "base/tuning.h"
#include "pool/carried.h"
#include "pool/pool.h"

/// Publishes the molecule of a name whose field is large enough for blind additions. Returns the number to add to the
/// word. 0: no memory.
static INLINE uint64_t push(const struct thread *self, struct crucible_name *name, const void *value,
                            enum payload payload) {
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
static INLINE bool complete(struct thread *self, struct crucible_name *name, void *value, struct stripe *stripe,
                            uint64_t word, const struct candidate *candidate, struct reaction *reaction,
                            enum payload payload) {
  // Everything is loaded before the thread enters, so that nothing must be loaded again after that store.
  struct component *component = name->component;
  // A value gets here only if the firing runs here.
  bool runs_here = payload != NONE || LIKELY(crucible__runs_here(self, reaction));
  uint64_t left = word + name->word.unit - candidate->need;
  if (runs_here) left &= reaction->without_fronts;
  if (payload == NONE ? UNLIKELY(!crucible__word_enter_and_take(component, stripe, word, left))
                      : UNLIKELY(!crucible__word_enter_and_reserve(component, stripe, word, left))) {
    if (self->depth == 0) self->heat = CRUCIBLE_HEAT;
    return crucible__word_inject_entered(name, value, stripe);
  }
  if (runs_here) return crucible__word_run_and_leave(self, reaction, (struct unstored){name, value}, stripe, word);
  return crucible__word_submit_and_leave(self, reaction, stripe);
}

/// Adds first.
static INLINE bool store(struct thread *self, struct component *component, struct crucible_name *name, void *value,
                         struct stripe *stripe, enum payload payload) {
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
static INLINE bool store_narrow(struct thread *self, struct component *component, struct crucible_name *name,
                                void *value, uint64_t word, struct stripe *stripe, enum payload payload) {
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
static NOINLINE bool store_and_fire(struct crucible_name *name, void *value, uint64_t word,
                                    const struct candidate *candidate, struct stripe *stripe) {
  struct thread *self = crucible__self;
  struct component *component = name->component;
  struct reaction *reaction = crucible__reaction(component, candidate);
  if (crucible__nests_here(self, reaction)) {
    return complete(self, name, value, stripe, word, candidate, reaction, SIZED);
  }
  if (reaction->rule->away == 1 && crucible__is_carried(name)) {
    return carry(self, name, value, word, candidate, stripe);
  }
  crucible__enter_stripe(stripe);
  uint64_t unit = crucible__word_publish(self, name, value, 0, NULL);
  if (UNLIKELY(!unit)) return crucible__word_inject_entered(name, value, stripe);
  if (LIKELY(cas_seq_cst(&component->word.state, &word, word + unit - candidate->need))) {
    return crucible__word_submit_and_leave(self, reaction, stripe);
  }
  if (self->depth == 0) self->heat = CRUCIBLE_HEAT;
  return crucible__word_add_and_leave(self, name, value, unit, stripe);
}

/// Injects a call that would join a queue of stored calls, or wait for a state that another body has. First the thread
/// pauses and lets other threads run, for a moment.
///
/// Once calls are stored, each release serves the thread that has waited longest, which mostly sleeps. With more
/// threads than processors that queue would last: each thread that is served returns before the next one has woken.
/// While callers wait here instead, the queue is served, and ends. A call that waits here is not a molecule yet, so it
/// has no place in any order, and fires only while no call is stored. No other waiting thread can need it: `gives_way`
/// rules this out, and no body of this thread waits.
static NOINLINE bool inject_giving_way(struct crucible_name *name, void *value) {
  uint64_t begin = crucible_now(), seen = 0;
  let_others_run();
  for (int look = 0; look < CRUCIBLE_LOOKS && crucible_now() - begin < CRUCIBLE_GIVING_WAY; look++) {
    // partner: the additions of the molecules that are taken
    uint64_t word = load_acquire(&name->component->word.state);
    if (!(word & name->word.mask) &&
        crucible__word_first_enabled(name, word + name->word.unit) != name->word.candidates_end) {
      break;
    }
    if (word != seen) look = 0;  // the queue is being served
    seen = word;
    give_way();
  }
  return crucible__word_inject(name, value);
}

static INLINE bool inject(struct thread *self, struct crucible_name *name, void *value, struct stripe *stripe,
                          enum payload payload, bool is_narrow, bool gives_way) {
  struct component *component = name->component;
  if (LIKELY(self->heat == 0) || self->depth > 0) {
    uint64_t word = load_acquire(&component->word.state);  // partner: the additions of the molecules that are taken
    const struct candidate *candidate = crucible__word_first_enabled(name, word + name->word.unit);
    if (candidate == name->word.candidates_end) {
      bool lacks_state = crucible__word_lacks_state(self, name, word);
      if (gives_way && self->depth == 0 && (lacks_state || word & name->word.mask)) {
        return inject_giving_way(name, value);
      }
      if (lacks_state) self->heat = CRUCIBLE_HEAT;
      if (is_narrow) return store_narrow(self, component, name, value, word, stripe, payload);
    } else if (payload == NONE ||
               (is_narrow ? crucible__bag_is_empty(&name->bag) : crucible__front_is_empty(name, word))) {
      if (UNLIKELY(candidate + 1 != name->word.candidates_end) &&
          crucible__word_another_enabled(name, candidate, word + name->word.unit)) {
        return crucible__word_inject(name, value);  // this function chooses
      }
      // The component is loaded again, to save one register less.
      struct reaction *reaction = crucible__reaction(name->component, candidate);
      if (payload == NONE || LIKELY(crucible__runs_here(self, reaction))) {
        return complete(self, name, value, stripe, word, candidate, reaction, payload);
      }
      return store_and_fire(name, value, word, candidate, stripe);
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
static NOINLINE bool inject_further(struct crucible_name *name, void *value) {
  struct thread *self = crucible__self;
  struct stripe *stripe =
      self && self->index < name->word.blind ? crucible__make_stripe(name->component->soup, self->index) : NULL;
  if (UNLIKELY(!stripe)) return crucible__word_inject(name, value);
  return name->has_payload ? inject(self, name, value, stripe, SIZED, false, name->word.gives_way)
                           : inject(self, name, value, stripe, NONE, false, false);
}

/// Injects. `is_narrow`: the name has a field too narrow for blind additions.
static INLINE bool inject_here(struct crucible_name *name, void *value, enum payload payload, bool is_narrow,
                               bool gives_way) {
  struct thread *self = crucible__self;
  struct stripe *stripe = LIKELY(self != NULL) ? crucible__stripe(self, name->component->soup, SHORT_THREADS) : NULL;
  if (UNLIKELY(!stripe)) return is_narrow ? crucible__word_inject(name, value) : inject_further(name, value);
  return inject(self, name, value, stripe, payload, is_narrow, gives_way);
}

bool crucible__word_inject_nothing(struct crucible_name *name, void *value) {
  return inject_here(name, value, NONE, false, false);
}
bool crucible__word_inject_word(struct crucible_name *name, void *value) {
  return inject_here(name, value, WORD, false, false);
}
bool crucible__word_inject_sized(struct crucible_name *name, void *value) {
  return inject_here(name, value, SIZED, false, false);
}
static bool call_word(struct crucible_name *name, void *value) { return inject_here(name, value, WORD, false, true); }
bool crucible__word_call_sized(struct crucible_name *name, void *value) {
  return inject_here(name, value, SIZED, false, true);
}
static bool narrow_nothing(struct crucible_name *name, void *value) {
  return inject_here(name, value, NONE, true, false);
}
static bool narrow_sized(struct crucible_name *name, void *value) {
  return inject_here(name, value, SIZED, true, name->word.gives_way);
}

bool crucible__word_is_short(inject_function inject) {
  return inject == call_word || inject == crucible__word_inject_word || inject == narrow_sized;
}

inject_function crucible__word_inject_for(const struct crucible_name *name) {
  inject_function plain = crucible__word_plain_for(name);
  if (plain) return plain;
  if (name->kind == CRUCIBLE_STATE) return crucible__word_inject;
  if (!name->word.blind) return name->has_payload ? narrow_sized : narrow_nothing;
  if (!name->has_payload) return crucible__word_inject_nothing;
  inject_function follow = crucible__word_follow_for(name);
  if (follow) return follow;
  if (name->word.gives_way) return name->bag.has_words ? call_word : crucible__word_call_sized;
  return name->bag.has_words ? crucible__word_inject_word : crucible__word_inject_sized;
}
