// Full fields: see word_overflow.h. The rules are WORD-3 and WORD-4 of word.c.

#include "matcher/word/word_overflow.h"

#include "matcher/word/word.h"

bool crucible__word_bring(struct component *component, struct crucible_name *name) {
  bool brought = false;
  for (;;) {
    uint64_t over = load_seq_cst(&name->aside.overflow);  // partner: the addition in spill
    uint64_t word = load_seq_cst(&component->word.state);
    if (over == 0 || (word & name->word.mask) >= name->word.limit) return brought;
    if ((word & WORD_CONTROL) == WORD_CONTROL) return brought;  // STOP-3
    if (!cas_seq_cst(&name->aside.overflow, &over, over - 1)) continue;
    // One count is in hand: it goes into the word, or back.
    while ((word & name->word.mask) < name->word.limit) {
      if (cas_seq_cst(&component->word.state, &word, word + name->word.unit)) {
        brought = true;
        break;
      }
    }
    if ((word & name->word.mask) >= name->word.limit) fetch_add_seq_cst(&name->aside.overflow, 1);
  }
}

bool crucible__word_bring_all(struct component *component, bring_function bring) {
  bool brought = false;
  for (uint32_t i = 0; i < component->layout->name_count; i++) {
    struct crucible_name *name = component->names[i];
    if (name->kind == CRUCIBLE_STATE || load_seq_cst(&name->aside.overflow) == 0) continue;
    if (bring(component, name)) brought = true;
  }
  return brought;
}

bool crucible__word_make_room(struct thread *self, struct component *component, const struct reaction *reaction) {
  bool brought = false;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    struct crucible_name *name = crucible__input(reaction, i);
    if (name->kind != CRUCIBLE_STATE && crucible__word_bring(component, name)) brought = true;
  }
  if (load_seq_cst(&component->attention) & ~(uint32_t)SPILLED) {
    if (crucible__word_tend(self, component)) brought = true;
  }
  return brought;
}

bool crucible__word_spill(struct component *component, struct crucible_name *name, uint64_t count) {
  fetch_or_seq_cst(&component->attention, SPILLED);  // partner: the load in fired
  fetch_add_seq_cst(&name->aside.overflow, count);         // partner: the load in bring by a thread that makes room
  return crucible__word_bring(component, name);
}

void crucible__word_begin(struct component *component) {
  atomic_init(&component->attention, 0);
  atomic_init(&component->droppers, 0);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    atomic_init(&component->names[bit]->aside.overflow, 0);
    atomic_init(&component->names[bit]->aside.abandoned, NULL);
  }
}
