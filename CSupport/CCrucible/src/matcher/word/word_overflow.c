// Full fields: counts for which the word has no room. The rules are WORD-3 and WORD-4 of word.c.

#include "matcher/word/word.h"

bool crucible__word_bring(struct component *component, struct crucible_name *name) {
  const struct word_form *form = crucible__form_of(component);
  bool brought = false;
  for (;;) {
    uint64_t over = load_seq_cst(&name->overflow);  // partner: the addition in spill
    uint64_t word = form->look(name);
    if (over == 0 || (word & name->word.mask) >= name->word.limit) return brought;
    if (crucible__form_sealed(form, word)) return brought;  // STOP-3
    crucible__word_begin_hand(component);
    bool changed = false, taken = cas_seq_cst(&name->overflow, &over, over - 1);
    // One count is in hand: it goes into the word, or back.
    while (taken && !changed && (word & name->word.mask) < name->word.limit) {
      changed = form->change(name, &word, word + name->word.unit);
    }
    if (changed) brought = true;
    // partner: the load above by a thread that makes room
    if (taken && !changed) fetch_add_seq_cst(&name->overflow, 1);
    crucible__word_end_hand(component);
  }
}

/// Moves spilled counts of all names of the component. True: at least one was moved.
static bool bring_all(struct component *component) {
  bool brought = false;
  for (uint32_t i = 0; i < component->layout->name_count; i++) {
    struct crucible_name *name = component->names[i];
    if (name->kind == CRUCIBLE_STATE || load_seq_cst(&name->overflow) == 0) continue;
    if (crucible__word_bring(component, name)) brought = true;
  }
  return brought;
}

bool crucible__word_tend(struct thread *self, struct component *component) {
  bool brought = false;
  for (;;) {
    bool brings = bring_all(component);
    brought = brought || brings;
    uint32_t attention = load_seq_cst(&component->attention);
    bool changed = (attention & REFUSING) && crucible__word_drop_stopped(component, brings) > 0;
    if ((attention & ABANDONED) && crucible__word_retry_abandoned(self, component)) changed = true;
    if (!changed) return brought;
  }
}

struct reaction *crucible__word_attend(struct thread *self, struct component *component) {
  return crucible__word_tend(self, component) ? crucible__form_of(component)->settle_all(self, component) : NULL;
}

void crucible__word_settle_others(struct thread *self, struct component *component) {
  struct reaction *other = crucible__form_of(component)->settle_all(self, component);
  if (other) crucible__submit(self, other);
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

CRUCIBLE_SELDOM void crucible__word_make_room_rarely(struct thread *self, struct component *component,
                                                     const struct reaction *reaction) {
  if (crucible__word_make_room(self, component, reaction)) crucible__word_settle_others(self, component);
}

bool crucible__word_spill(struct component *component, struct crucible_name *name, uint64_t count) {
  fetch_or_seq_cst(&component->attention, SPILLED);  // partner: the load in fired
  fetch_add_seq_cst(&name->overflow, count);               // partner: the load in bring by a thread that makes room
  return crucible__word_bring(component, name);
}

void crucible__word_begin(struct component *component) {
  atomic_init(&component->attention, 0);
  atomic_init(&component->droppers, 0);
  atomic_init(&component->hands, 0);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    atomic_init(&component->names[bit]->overflow, 0);
    if (!crucible__has_cell(component->names[bit])) atomic_init(&component->names[bit]->abandoned, NULL);
  }
}
