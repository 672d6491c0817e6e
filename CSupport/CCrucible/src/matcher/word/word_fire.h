// Running the firings of the matcher `word`: the paths that injections run inline.

#ifndef CRUCIBLE_WORD_FIRE_H
#define CRUCIBLE_WORD_FIRE_H

#include "matcher/word/word.h"

// Before a thread takes the molecules of a reserved firing, it clears the front bits of their names: by the CAS that
// reserves, or by crucible__word_clear_fronts. `word` is the word before that. A front bit that is 1 there says that
// the firing's molecule lies in the cell. The other bits do not matter.

/// Clears the front bits of a reserved firing, if the CAS that reserved it did not. Returns the bits that were 1.
static inline uint64_t crucible__word_clear_fronts(const struct reaction *reaction, struct unstored unstored) {
  uint64_t fronts = ~reaction->without_fronts;
  if (fronts == 0) return 0;
  const struct crucible_name *name = unstored.name;
  // Of the unstored molecule's name, only a pattern that repeats it has reserved a stored one.
  uint64_t need = reaction->rule->word.self.need;
  if (name && (need & name->word.mask) == name->word.unit) fronts &= ~crucible__word_front(name);
  return crucible__front_clear(reaction->component, fronts);
}

/// Takes the molecules of a reserved firing, from input `i` on.
void crucible__word_take_from_input(const struct reaction *reaction, struct firing firing, uint32_t i,
                                    struct unstored unstored, uint64_t word);
/// Runs a reserved firing of any size. The other functions serve components whose firings all fit into a struct
/// small_firing.
void crucible__word_run_large(struct thread *self, struct reaction *reaction, struct unstored unstored, uint64_t word);
/// Runs a reserved firing that takes states, and also values out of bags, into a struct small_firing.
void crucible__word_run_with_states(struct thread *self, struct reaction *reaction, struct unstored unstored,
                                    uint64_t word);
/// Continues after a body that needed no room for values: gives its states back, unless they are `given`. Then runs the
/// firings that this enables, and those that follow from them.
void crucible__word_run_on(struct thread *self, struct component *component, struct reaction *reaction, bool given);

// The calls of struct matcher that concern firings.
void crucible__word_take(struct reaction *reaction, struct firing *firing);
void crucible__word_run(struct thread *self, struct reaction *reaction, struct unstored carried);
struct reserved crucible__word_give_back(struct thread *self, struct reaction *reaction, struct firing *firing);

/// Takes all molecules of a reserved firing. It calls nothing, and so saves no registers, as long as every molecule is
/// one machine word and lies where the hint of its bag says.
static INLINE void crucible__word_take_quickly(const struct thread *self, const struct reaction *reaction,
                                               struct firing *firing, struct unstored unstored, uint64_t word) {
  *crucible__attempts_of(firing->inputs) = 0;
  const struct input *inputs = reaction->rule->inputs;
  const size_t count = reaction->rule->width;
  size_t i = 0;
  do {
    const struct input *input = &inputs[i];
    struct crucible_name *name = reaction->at[i];  // if the input is stored
    if (!input->is_stored) {
      firing->inputs[i] = name;
    } else if (name == unstored.name) {
      firing->inputs[i] = unstored.value;
      unstored.name = NULL;
    } else {
      firing->inputs[i] = firing->storage + input->offset;
      struct bag *bag = &name->bag;
      if (LIKELY(bag->has_words)) {
        if (LIKELY(word & input->front)) {
          crucible__front_take(bag, self->keeper, WORD_SHAPE.size, firing->inputs[i]);
          word ^= input->front;
          continue;
        }
        if (LIKELY(crucible__bag_pop_word(bag, firing->inputs[i]))) continue;
      }
      crucible__word_take_from_input(reaction, *firing, (uint32_t)i, unstored, word);
      return;
    }
  } while (++i != count);
}

/// Gives back the states of a body, and runs the firings that this enables.
static INLINE void crucible__word_give_back_and_run_on(struct thread *self, struct component *component,
                                                       struct reaction *reaction) {
  if (reaction->rule->state_count == 1 && LIKELY(self->heat == 0)) {
    if (UNLIKELY(crucible__word_gives_back_more(component, reaction))) {
      crucible__word_run_on(self, component, reaction, true);
    }
  } else if (reaction->rule->state_count > 0) {
    crucible__word_run_on(self, component, reaction, false);
  }
}

/// Gives back the states of a body, and runs the firings that this enables.
typedef void (*give_back_function)(struct thread *self, struct component *component, struct reaction *reaction);
/// Runs a reserved firing.
typedef void (*run_function)(struct thread *self, struct reaction *reaction, struct unstored unstored, uint64_t word);

/// Runs a reserved firing that takes values out of bags, into a struct small_firing. `give_back`: null if it takes no
/// states.
static INLINE void crucible__word_run_quickly(struct thread *self, struct reaction *reaction, struct unstored unstored,
                                              uint64_t word, give_back_function give_back) {
  struct small_firing room;
  struct firing firing = {.inputs = room.inputs + 1, .storage = room.storage};
  crucible__begin(self, reaction);
  crucible__word_take_quickly(self, reaction, &firing, unstored, word);
  crucible__call(reaction, firing.inputs);
  if (give_back) give_back(self, reaction->component, reaction);
  crucible__end(self);
}

/// Runs a reserved firing, whatever its inputs are. Firings whose inputs are all states or names without payload need
/// no room. Firings without states whose inputs are small use room in the caller's frame, and have nothing to do after
/// the body. `run_with_states` runs the other ones that are small.
static INLINE void crucible__word_fire_by(give_back_function give_back, run_function run_with_states,
                                          struct thread *self, struct component *component, struct reaction *reaction,
                                          struct unstored unstored, uint64_t word) {
  if (LIKELY(reaction->is_quick)) {
    crucible__word_run_quickly(self, reaction, unstored, word, NULL);
  } else if (!reaction->rule->has_stored) {
    crucible__begin(self, reaction);
    crucible__call(reaction, reaction->at);
    give_back(self, component, reaction);
    crucible__end(self);
  } else if (LIKELY(reaction->rule->is_small)) {
    run_with_states(self, reaction, unstored, word);
  } else {
    crucible__word_run_large(self, reaction, unstored, word);
  }
}

static INLINE void crucible__word_fire(struct thread *self, struct component *component, struct reaction *reaction,
                                       struct unstored unstored, uint64_t word) {
  crucible__word_fire_by(crucible__word_give_back_and_run_on, crucible__word_run_with_states, self, component, reaction,
                         unstored, word);
}

/// Ends an injection: runs the reserved firing, if there is one, and leaves.
static INLINE void crucible__word_end_injection(struct thread *self, struct component *component,
                                                struct reaction *reaction, struct unstored unstored,
                                                struct stripe *stripe) {
  if (reaction) {
    if (LIKELY(crucible__runs_here(self, reaction))) {
      crucible__word_fire(self, component, reaction, unstored, crucible__word_clear_fronts(reaction, unstored));
    } else {
      crucible__submit_last(self, reaction);
    }
  }
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
}

#endif
