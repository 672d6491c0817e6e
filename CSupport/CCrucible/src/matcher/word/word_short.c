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

#include "matcher/word/word_short.h"

#include "base/clock.h"
#include "base/tuning.h"
#include "matcher/word/word.h"
#include "matcher/word/word_chain.h"
#include "matcher/word/word_fire.h"
#include "matcher/word/word_inject.h"
#include "pool/carried.h"
#include "pool/pool.h"

enum payload { NONE, WORD, SIZED };

/// The threads that have a stripe in the soup or near it. Every field has room for their blind additions.
enum { SHORT_THREADS = STRIPES < CRUCIBLE_BLIND_THREADS ? STRIPES : CRUCIBLE_BLIND_THREADS };

/// Publishes the molecule. Returns the number to add to the word. 0: no memory.
static inline __attribute__((always_inline)) uint64_t push(
    const struct thread *self, struct crucible_name *name, const void *value, enum payload payload) {
  if (payload == NONE) return name->word.unit;
  return crucible__front_push(self, name, payload == WORD ? WORD_SHAPE : shape_of(&name->bag), value);
}

/// Publishes the molecule of a name with a narrow field. False: no memory.
static inline __attribute__((always_inline)) bool push_narrow(
    struct crucible_name *name, const void *value, enum payload payload) {
  return payload == NONE || crucible__bag_push_shaped_mpmc(&name->bag, shape_of(&name->bag), value);
}

/// Finds the first enabled reaction of the name, in a word that counts one of its molecules. If none is enabled,
/// returns the end of the candidates. Mostly all other inputs are missing, which one read shows.
static inline const struct candidate *first_enabled(const struct crucible_name *name, uint64_t word) {
  if (!(word & name->word.others)) return name->word.candidates_end;
  const struct candidate *c = name->word.candidates;
  while (!crucible__word_enabled(c, word) && ++c < name->word.candidates_end) {
  }
  return c;
}

/// Whether a reaction after `candidate` is enabled as well. Usually none is. Without this test, threads that share a
/// counter molecule that another reaction also takes were slower in most runs.
static __attribute__((noinline, preserve_most)) bool another_enabled(const struct crucible_name *name,
                                                                     const struct candidate *candidate, uint64_t word) {
  while (++candidate < name->word.candidates_end) {
    if (crucible__word_enabled(candidate, word)) return true;
  }
  return false;
}

/// Fires CAS-first, like `complete` in word_inject.c.
static inline __attribute__((always_inline)) bool complete(struct thread *self, struct crucible_name *name, void *value,
                                                           struct stripe *stripe, uint64_t word,
                                                           const struct candidate *candidate, enum payload payload,
                                                           bool is_alone) {
  // Everything is loaded before the thread enters, so that nothing must be loaded again after that store.
  struct component *component = name->component;
  struct reaction *reaction = candidate->reaction;
  // A value gets here only if the firing runs here.
  bool runs_here = payload != NONE || LIKELY(crucible__runs_here(self, reaction));
  uint64_t left = word + name->word.unit - candidate->need;
  if (runs_here) left &= reaction->word.kept;
  if (is_alone ? UNLIKELY(!crucible__word_enter_and_reserve(component, stripe, word, left))
               : UNLIKELY(!crucible__word_enter_and_take(component, stripe, word, left))) {
    if (self->depth == 0) self->heat = CRUCIBLE_HEAT;
    return crucible__word_inject_entered(name, value, stripe);
  }
  if (runs_here) return crucible__word_run_and_leave(self, reaction, name, value, stripe, word);
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
      LIKELY(first_enabled(name, word) == name->word.candidates_end) &&
      LIKELY(load_seq_cst(&component->word.attention) == 0) && LIKELY(load_relaxed(&self->deferred) == 0)) {
    crucible__leave(stripe, component->soup);
    return true;
  }
  return crucible__word_settle_and_leave(self, name, word, stripe);
}

/// Adds first, by a CAS from a word in which the molecule completes nothing. So the thread need not read the word after
/// the addition. For fields that are too narrow for blind additions.
static inline __attribute__((always_inline)) bool store_narrow(struct thread *self, struct component *component,
                                                               struct crucible_name *name, void *value, uint64_t word,
                                                               struct stripe *stripe, enum payload payload) {
  crucible__enter_stripe(stripe);
  if (UNLIKELY(!push_narrow(name, value, payload))) return crucible__word_inject_entered(name, value, stripe);
  bool has_room = LIKELY((word & name->word.mask) < name->word.limit);
  // unseen order, acquire: found by `narrow-beside`, but in thousands of schedules over the weak memory
  // partner: the load before a firing's pops
  bool counted = has_room && LIKELY(cas_seq_cst(&component->word.state, &word, word + name->word.unit));
  // unseen order, acquire: the same
  if (LIKELY(counted) && LIKELY(load_seq_cst(&component->word.attention) == 0) &&
      LIKELY(load_relaxed(&self->deferred) == 0)) {
    crucible__leave(stripe, component->soup);
    return true;
  }
  return counted ? crucible__word_settle_and_leave(self, name, word + name->word.unit, stripe)
                 : crucible__word_add_and_leave(self, name, name->word.unit, stripe);
}

/// Fires CAS-first, deep inside other firings.
static __attribute__((noinline)) bool nest(struct thread *self, struct crucible_name *name, void *value, uint64_t word,
                                           const struct candidate *candidate, struct stripe *stripe) {
  struct component *component = name->component;
  struct reaction *reaction = candidate->reaction;
  crucible__enter_stripe(stripe);
  // unseen: the CAS in `complete` is the same, and is found; fewer schedules come here
  if (UNLIKELY(!cas_seq_cst(&component->word.state, &word, word + name->word.unit - candidate->need))) {
    return crucible__word_inject_entered(name, value, stripe);
  }
  if (crucible__word_fired(self, component, reaction)) crucible__word_settle_others(self, component);
  crucible__word_fire(self, component, reaction, name, value, UNSEEN);
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
  return true;
}

/// Fires CAS-first a reaction of the pool whose firing carries the value.
static inline bool carry(struct thread *self, struct crucible_name *name, void *value, uint64_t word,
                         const struct candidate *candidate, struct stripe *stripe) {
  struct component *component = name->component;
  crucible__enter_stripe(stripe);
  // unseen: the CAS in `complete` is the same, and is found; fewer schedules come here
  if (UNLIKELY(!cas_seq_cst(&component->word.state, &word, word + name->word.unit - candidate->need))) {
    return crucible__word_inject_entered(name, value, stripe);
  }
  crucible__submit_carried(self, candidate->reaction, name, value);
  if (crucible__word_fired(self, component, candidate->reaction)) crucible__word_settle_others(self, component);
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
  if (crucible__nests_here(self, candidate->reaction)) return nest(self, name, value, word, candidate, stripe);
  if (candidate->reaction->placement == CRUCIBLE_POOL && crucible__is_carried(name)) {
    return carry(self, name, value, word, candidate, stripe);
  }
  crucible__enter_stripe(stripe);
  uint64_t unit = name->front ? push(self, name, value, SIZED) : push_narrow(name, value, SIZED) ? name->word.unit : 0;
  if (UNLIKELY(!unit)) return crucible__word_inject_entered(name, value, stripe);
  if (LIKELY(cas_seq_cst(&component->word.state, &word, word + unit - candidate->need))) {
    crucible__word_submit(self, component, candidate->reaction);
    crucible__leave(stripe, component->soup);
    return true;
  }
  if (self->depth == 0) self->heat = CRUCIBLE_HEAT;
  return crucible__word_add_and_leave(self, name, unit, stripe);
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
    // unseen: the CAS orders it again
    uint64_t word = load_acquire(&component->word.state);  // partner: the additions of the molecules that are taken
    if (!(word & name->word.mask) && first_enabled(name, word + name->word.unit) != name->word.candidates_end) {
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
    const struct candidate *candidate = first_enabled(name, word + name->word.unit);
    if (candidate == name->word.candidates_end) {
      bool lacks_state = crucible__word_lacks_state(self, name, word);
      if (in_turn && self->depth == 0 && (lacks_state || word & name->word.mask)) {
        return inject_in_turn(self, name, value);
      }
      if (lacks_state) self->heat = CRUCIBLE_HEAT;
    } else if (payload == NONE ||
               (is_narrow ? crucible__bag_is_empty(&name->bag) : crucible__front_is_empty(name, word))) {
      if (UNLIKELY(candidate + 1 != name->word.candidates_end) &&
          another_enabled(name, candidate, word + name->word.unit)) {
        return crucible__word_inject(name, value);  // this function chooses
      }
      if (payload == NONE || LIKELY(crucible__runs_here(self, candidate->reaction))) {
        return complete(self, name, value, stripe, word, candidate, payload, is_alone);
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
  return store(self, component, name, value, stripe, payload);
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

static bool inject_nothing(struct crucible_name *name, void *value) {
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
static bool call_sized(struct crucible_name *name, void *value) { return inject_here(name, value, SIZED, true, false); }
static bool narrow_call(struct crucible_name *name, void *value) { return inject_narrow(name, value, SIZED, true); }

// ---------------------------------------------------------------------------------------------------------------------
// Injections that fire at once
// ---------------------------------------------------------------------------------------------------------------------

/// Returns the candidate that the value completes in `word`, if this thread may fire it by one CAS and run it, and no
/// choice is needed. Otherwise returns null.
static inline const struct candidate *completed_here(const struct thread *self, struct crucible_name *name,
                                                     uint64_t word) {
  const struct candidate *candidate = first_enabled(name, word);
  if (candidate == name->word.candidates_end || !crucible__front_is_empty(name, word)) return NULL;
  bool is_choice = candidate + 1 != name->word.candidates_end && another_enabled(name, candidate, word);
  return !is_choice && crucible__runs_here(self, candidate->reaction) ? candidate : NULL;
}

static __attribute__((noinline, preserve_most)) bool is_short(inject_function inject) {
  return inject == call_word || inject == narrow_call || inject == inject_word || inject == inject_sized ||
         inject == narrow_sized || inject == crucible__word_inject_alone_word;
}

/// Fires the reaction that the value completes, if it completes one here and now. False: it does not. Then `*lacks`
/// says whether the value would complete a reaction after other threads' bodies have returned their states, or in a
/// word that another thread has changed. `near` is the thread's stripe, if it does not lie in the soup.
static inline __attribute__((always_inline)) bool complete_now(struct thread *self, struct crucible_name *name,
                                                               void *value, struct stripe *near, bool *lacks) {
  struct component *component = name->component;
  *lacks = false;
  // Any other function has further duties, or refuses.
  inject_function inject = load_acquire(&name->inject);  // unseen: as in crucible_inject
  if (UNLIKELY(inject != call_sized) && UNLIKELY(inject != crucible__word_inject_alone_sized) && !is_short(inject)) {
    return false;
  }
  // unseen: the CAS orders it again
  uint64_t word = load_acquire(&component->word.state);  // partner: the additions of the molecules that are taken
  const struct candidate *candidate = completed_here(self, name, word + name->word.unit);
  if (!candidate) {
    *lacks = crucible__word_lacks_state(self, name, word) &&
             completed_here(self, name, (word | component->word.states) + name->word.unit);
    return false;
  }
  struct stripe *stripe = near ? near : &component->soup->stripes[self->index];
  uint64_t left = (word + name->word.unit - candidate->need) & candidate->reaction->word.kept;
  if (UNLIKELY(!crucible__word_enter_and_reserve(component, stripe, word, left))) {
    crucible__leave(stripe, component->soup);
    *lacks = self->depth == 0;
    return false;
  }
  return crucible__word_run_and_leave(self, candidate->reaction, name, value, stripe, word);
}

/// Takes turns with the threads that are in the way, for a limited time. While this thread waits, they continue with
/// all lines in their caches. A call that is stored instead costs more, and its reply comes from another thread. After
/// a wait without success the next calls of this thread do not wait. The call is not a molecule yet, so it has no place
/// in any order, and no thread waits for this thread. In 4 of every 1,049 microseconds a call is stored without a wait,
/// and its task suspends. Otherwise tasks that take turns would keep the threads of Swift's pool from all other tasks.
static __attribute__((noinline)) bool complete_in_turn(struct thread *self, struct crucible_name *name, void *value,
                                                       struct stripe *near) {
  if ((crucible__now() & ((1 << 20) - 1)) < 1 << 12) return false;
  take_turns();
  bool lacks;
  for (int look = 0; look < CRUCIBLE_LOOKS; look++) {
    if (complete_now(self, name, value, near, &lacks)) return true;
    if (!lacks) return false;
    for (int i = 0; i < CRUCIBLE_LOOK_PAUSES; i++) spin_pause();
  }
  self->heat = CRUCIBLE_HEAT;
  return false;
}

/// Completes at once for threads whose stripe does not lie in the soup.
static __attribute__((noinline)) bool complete_near(struct thread *self, struct crucible_name *name, void *value) {
  struct stripe *near = self->index < SHORT_THREADS ? crucible__make_stripe(name->component->soup, self->index) : NULL;
  bool lacks;
  if (UNLIKELY(!near)) return false;
  if (complete_now(self, name, value, near, &lacks)) return true;
  return UNLIKELY(lacks) && complete_in_turn(self, name, value, near);
}

bool crucible__word_complete_here(struct crucible_name *name, void *value) {
  struct thread *self = crucible__self;
  if (!self || (self->heat != 0 && self->depth == 0)) return false;
  if (UNLIKELY(self->index >= OWN_STRIPES)) return complete_near(self, name, value);
  bool lacks;
  if (complete_now(self, name, value, NULL, &lacks)) return true;
  return UNLIKELY(lacks) && complete_in_turn(self, name, value, NULL);
}

// ---------------------------------------------------------------------------------------------------------------------
// Plain injections
// ---------------------------------------------------------------------------------------------------------------------

static __attribute__((noinline, preserve_most)) void make_room_rarely(struct thread *self, struct component *component,
                                                                      const struct reaction *reaction) {
  if (crucible__word_make_room(self, component, reaction)) crucible__word_settle_others(self, component);
}

/// Ends a plain injection. Returns true, because it has succeeded.
static inline bool end_plain(struct thread *self) {
  crucible__begin_next(self, &crucible__idle);
  self->depth = 0;
  crucible__drain(self);
  return true;
}

static __attribute__((noinline)) bool run_on_and_end_plain(struct thread *self, struct component *component,
                                                           struct reaction *reaction) {
  crucible__word_run_on_counted(self, component, reaction);
  return end_plain(self);
}

static __attribute__((noinline, preserve_most)) const struct candidate *choose_plain(struct thread *self,
                                                                                     const struct crucible_name *name,
                                                                                     uint64_t word) {
  return crucible__word_choose(self, name->component, name->word.candidates, name->word.candidates_end, word);
}

/// Injects by the shortest path of all. It serves names without payload that only meet states and other such names,
/// inline. It uses few registers and stores, because each store must reach the cache before the next locked instruction
/// can. Rare work lies in functions that it ends with, or that save the registers themselves. The injection is not
/// counted as entered and left, because the word shows it as long as it lasts: a state is away, or a reaction is
/// enabled. Nested in a body it would not be the only work in progress (quiet.c). inject_nothing handles that case and
/// all other uncommon ones. `chooses`: more than one reaction consumes the name.
static inline __attribute__((always_inline)) bool inject_plain(struct crucible_name *name, void *value, bool chooses) {
  struct thread *self = crucible__self;
  if (UNLIKELY(!self) || UNLIKELY(!crucible__is_fresh(self))) return inject_nothing(name, value);
  struct component *component = name->component;
  // unseen: the same path orders it again
  uint64_t word = load_acquire(&component->word.state);  // partner: the additions of the molecules that are taken
  const struct candidate *candidate = name->word.candidates;
  if (chooses) {
    candidate = choose_plain(self, name, word + name->word.unit);
    if (UNLIKELY(!candidate)) return inject_nothing(name, value);
  } else if (UNLIKELY(!crucible__word_enabled(candidate, word + name->word.unit))) {
    return inject_nothing(name, value);
  }
  if (UNLIKELY(!cas_seq_cst(&component->word.state, &word, word + name->word.unit - candidate->need))) {
    self->heat = CRUCIBLE_HEAT;
    return inject_nothing(name, value);
  }
  struct reaction *reaction = candidate->reaction;
  crucible__begin_next(self, reaction);
  self->depth = 1;
  if (UNLIKELY(load_seq_cst(&component->word.attention) != 0)) make_room_rarely(self, component, reaction);
  crucible__call(reaction, reaction->fixed);
  component = reaction->component;  // loaded again, to save one register less
  if (UNLIKELY(crucible__word_gives_back_more(component, reaction))) {
    return run_on_and_end_plain(self, component, reaction);
  }
  return end_plain(self);
}

static bool plain_of_one(struct crucible_name *name, void *value) { return inject_plain(name, value, false); }
static bool plain_of_several(struct crucible_name *name, void *value) { return inject_plain(name, value, true); }

/// Whether every reaction that consumes the name takes one state, otherwise only names without payload, and is inline.
static bool is_plain(const struct crucible_name *name) {
  if (name->has_payload || !name->word.under_state || !name->word.blind) return false;
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    const struct reaction *reaction = c->reaction;
    if (reaction->has_stored || reaction->state_count != 1 || reaction->placement != CRUCIBLE_INLINE) return false;
  }
  return true;
}

/// Whether every reaction that consumes the name takes one molecule of it, and nothing else.
static bool is_alone(const struct crucible_name *name) {
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    if (c->need != name->word.unit) return false;
  }
  return true;
}

inject_function crucible__word_inject_for(const struct crucible_name *name) {
  bool has_one = name->word.candidates_end == name->word.candidates + 1;
  if (is_plain(name)) return has_one ? plain_of_one : plain_of_several;
  if (name->kind == CRUCIBLE_STATE) return crucible__word_inject;
  if (!name->has_payload) return name->word.blind ? inject_nothing : narrow_nothing;
  if (name->word.blind && is_alone(name)) {
    inject_function follow = crucible__word_follow_for(name);
    if (follow) return follow;
    return name->bag.has_words ? crucible__word_inject_alone_word : crucible__word_inject_alone_sized;
  }
  if (gives_way(name)) return !name->word.blind ? narrow_call : name->bag.has_words ? call_word : call_sized;
  return !name->word.blind ? narrow_sized : name->bag.has_words ? inject_word : inject_sized;
}
