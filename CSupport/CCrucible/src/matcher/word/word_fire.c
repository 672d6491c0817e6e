// Running the firings of the matcher `word`: taking the molecules, the body, and giving states back. See word_fire.h; word.c tells
// how the matcher works.

#include "matcher/word/word_fire.h"

void crucible__word_take_from_input(const struct reaction *reaction, struct firing firing, uint32_t i,
                                    const struct crucible_name *own, void *value) {
  uint64_t *attempts = crucible__attempts_of(firing.inputs);
  for (; i < reaction->input_count; i++) {
    const struct input *input = &reaction->inputs[i];
    if (!input->is_stored) {
      firing.inputs[i] = input->fixed;
    } else if (input->name == own) {
      firing.inputs[i] = value;
      own = NULL;  // a second input of its name, counted since the bag was seen empty, comes out of the bag
    } else {
      firing.inputs[i] = firing.storage + input->offset;
      crucible__bag_pop_mpmc(&input->name->bag, firing.inputs[i], attempts);
    }
  }
}

static void take(const struct reaction *reaction, struct firing *firing, const struct crucible_name *own, void *value) {
  *crucible__attempts_of(firing->inputs) = 0;
  crucible__word_take_from_input(reaction, *firing, 0, own, value);
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
static inline __attribute__((always_inline)) struct reaction *give_back(struct thread *self,
                                                                        struct component *component,
                                                                        const struct reaction *reaction,
                                                                        uint32_t *more) {
  uint64_t word = load_acquire(&component->word);  // partner: the additions of the molecules that are taken
  const struct candidate *candidate;
  for (;;) {
    uint64_t whole = word + reaction->states;
    candidate = crucible__word_choose(self, component, reaction->after, reaction->after_end, whole);
    if (LIKELY(!candidate)) {
      // Released: the next to take the state sees what the body wrote into its cell.
      // unseen: this thread looks again, or has looked before
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
    // unseen: this thread looks again, or has looked before
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
                                                         struct reaction *reaction, struct firing *firing,
                                                         uint32_t more, const struct crucible_name *own, void *value) {
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

void crucible__word_run_large(struct thread *self, struct component *component, struct reaction *reaction,
                              uint32_t more, const struct crucible_name *own, void *value) {
  CRUCIBLE_FIRING(firing, component);
  run_in(self, component, reaction, &firing, more, own, value);
  CRUCIBLE_FIRING_END(firing, component);
}

static __attribute__((noinline)) void run_small(struct thread *self, struct component *component,
                                                struct reaction *reaction, uint32_t more,
                                                const struct crucible_name *own, void *value) {
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
    crucible__word_run_large(self, component, reaction, more, own, value);
  }
}

void crucible__word_run_on(struct thread *self, struct component *component, struct reaction *reaction, bool given) {
  uint32_t more = 0;
  if (given) {
    uint64_t word = load_seq_cst(&component->word);  // unseen: a later CAS confirms it, or nothing is to do
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

void crucible__word_run_with_states(struct thread *self, struct component *component, struct reaction *reaction,
                                    const struct crucible_name *own, void *value) {
  crucible__word_run_quickly(self, component, reaction, own, value, true);
}

void crucible__word_run(struct thread *self, struct reaction *reaction) {
  crucible__word_fire(self, reaction->component, reaction, NULL, NULL);
}

void crucible__word_take(struct reaction *reaction, struct firing *firing) { take(reaction, firing, NULL, NULL); }

void crucible__word_run_taken(struct thread *self, struct reaction *reaction, struct firing *firing) {
  const struct reaction *outer = crucible__begin(self, reaction);
  reaction->body(crucible__context(reaction), firing->inputs);
  if (reaction->state_count > 0) crucible__word_run_on(self, reaction->component, reaction, false);
  crucible__end(self, outer);
}

void crucible__word_end(struct thread *self, struct reaction *reaction) {
  const struct reaction *outer = crucible__begin(self, reaction);
  crucible__word_run_on(self, reaction->component, reaction, false);
  crucible__end(self, outer);
}
