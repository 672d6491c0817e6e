// Running the firings of the matcher `word`: the paths that injections run inline.

#ifndef CRUCIBLE_WORD_FIRE_H
#define CRUCIBLE_WORD_FIRE_H

#include "matcher/word/word.h"

/// Passed in place of the word that a reservation has replaced, if the reservation left the front bits unchanged.
/// Nothing fires in this word.
enum { UNSEEN = WORD_PAUSED };

// `seen`: the word that the reservation has replaced. In it the reservation has cleared the front bits of the
// reaction's names. UNSEEN: it has cleared none. `own`: a name whose molecule was never stored, with its value in
// `value`, or null.

/// Takes the molecules of a reserved firing, from input `i` on.
void crucible__word_take_from_input(const struct reaction *reaction, struct firing firing, uint32_t i,
                                    const struct crucible_name *own, void *value, uint64_t seen);
/// Runs a reserved firing in a component whose largest firing does not fit into a struct small_firing.
void crucible__word_run_large(struct thread *self, struct reaction *reaction, const struct crucible_name *own,
                              void *value, uint64_t seen);
/// Runs a reserved firing that takes states, and also values out of bags, into a struct small_firing.
void crucible__word_run_with_states(struct thread *self, struct reaction *reaction, const struct crucible_name *own,
                                    void *value, uint64_t seen);
/// Continues after a body that needed no room for values: gives its states back, unless they are `given`. Then runs the
/// firings that this enables, and those that follow from them.
void crucible__word_run_on(struct thread *self, struct component *component, struct reaction *reaction, bool given);

// The calls of struct matcher that concern firings.
void crucible__word_take(struct reaction *reaction, struct firing *firing);
void crucible__word_run(struct thread *self, struct reaction *reaction, const struct crucible_name *own, void *value);
struct reserved crucible__word_give_back(struct thread *self, struct reaction *reaction, struct firing *firing);

/// Takes all molecules of a reserved firing. It calls nothing, and so saves no registers, as long as every molecule is
/// one machine word and lies where the hint of its bag says.
static inline __attribute__((always_inline)) void crucible__word_take_quickly(const struct thread *self,
                                                                              const struct reaction *reaction,
                                                                              struct firing *firing,
                                                                              const struct crucible_name *own,
                                                                              void *value, uint64_t seen) {
  *crucible__attempts_of(firing->inputs) = 0;
  const bool has_seen = seen != UNSEEN;
  const uint32_t count = reaction->width;
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
      if (LIKELY(bag->has_words)) {
        if (LIKELY(seen & input->front)) {
          crucible__front_take(bag, crucible__keeper(self), WORD_SHAPE.size, firing->inputs[i]);
          seen ^= input->front;
          continue;
        }
        if ((has_seen || input->front == 0) && LIKELY(crucible__bag_pop_word(bag, firing->inputs[i]))) continue;
      }
      crucible__word_take_from_input(reaction, *firing, i, own, value, seen);
      return;
    }
  } while (++i != count);
}

/// Gives back the states of a body, and runs the firings that this enables.
static inline __attribute__((always_inline)) void crucible__word_give_back_and_run_on(struct thread *self,
                                                                                      struct component *component,
                                                                                      struct reaction *reaction) {
  if (reaction->state_count == 1 && LIKELY(self->heat == 0)) {
    if (UNLIKELY(crucible__word_gives_back_more(component, reaction))) {
      crucible__word_run_on(self, component, reaction, true);
    }
  } else if (reaction->state_count > 0) {
    crucible__word_run_on(self, component, reaction, false);
  }
}

/// Runs a reserved firing that takes values out of bags, into a struct small_firing.
static inline __attribute__((always_inline)) void crucible__word_run_quickly(struct thread *self,
                                                                             struct component *component,
                                                                             struct reaction *reaction,
                                                                             const struct crucible_name *own,
                                                                             void *value, uint64_t seen,
                                                                             bool has_states) {
  struct small_firing room;
  struct firing firing = {.inputs = room.inputs + 1, .storage = room.storage};
  const struct reaction *outer = crucible__begin(self, reaction);
  crucible__word_take_quickly(self, reaction, &firing, own, value, seen);
  crucible__call(reaction, firing.inputs);
  if (has_states) crucible__word_give_back_and_run_on(self, component, reaction);
  crucible__end(self, outer);
}

/// Runs a reserved firing, whatever its inputs are. Firings whose inputs are all states or names without payload need
/// no room. Firings without states whose inputs are small use room in the caller's frame, and have nothing to do after
/// the body.
static inline __attribute__((always_inline)) void crucible__word_fire(struct thread *self, struct component *component,
                                                                      struct reaction *reaction,
                                                                      const struct crucible_name *own, void *value,
                                                                      uint64_t seen) {
  if (LIKELY(reaction->word.is_quick)) {
    crucible__word_run_quickly(self, component, reaction, own, value, seen, false);
  } else if (!reaction->has_stored) {
    const struct reaction *outer = crucible__begin(self, reaction);
    crucible__call(reaction, reaction->fixed);
    crucible__word_give_back_and_run_on(self, component, reaction);
    crucible__end(self, outer);
  } else if (LIKELY(component->is_small)) {
    crucible__word_run_with_states(self, reaction, own, value, seen);
  } else {
    crucible__word_run_large(self, reaction, own, value, seen);
  }
}

/// Ends an injection: runs the reserved firing, if there is one, and leaves. `own`: as for `take`.
static inline __attribute__((always_inline)) void crucible__word_end_injection(struct thread *self,
                                                                               struct component *component,
                                                                               struct reaction *reaction,
                                                                               const struct crucible_name *own,
                                                                               void *value, struct stripe *stripe) {
  if (reaction) {
    if (LIKELY(crucible__runs_here(self, reaction))) {
      crucible__word_fire(self, component, reaction, own, value, UNSEEN);
    } else {
      crucible__submit_last(self, reaction);
    }
  }
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
}

#endif
