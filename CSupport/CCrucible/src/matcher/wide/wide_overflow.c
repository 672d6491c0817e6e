// Full fields of a wide component. The rules are WORD-3 and WORD-4 of word.c, for each field in its own word.

#include "matcher/wide/wide.h"

bool crucible__wide_bring(struct component *component, struct crucible_name *name) {
  struct wide_word *own = crucible__wide_of(component);
  _Atomic uint64_t *word = crucible__wide_home(own, name);
  bool brought = false;
  for (;;) {
    uint64_t over = load_seq_cst(&name->aside.overflow);  // partner: the addition in spill
    uint64_t shown = crucible__wide_look(own, name);
    if (over == 0 || (shown & name->word.mask) >= name->word.limit) return brought;
    if ((shown & WIDE_CONTROL) == WIDE_CONTROL) return brought;  // STOP-3
    if (!cas_seq_cst(&name->aside.overflow, &over, over - 1)) continue;
    // One count is in hand: it goes into the word, or back.
    bool changed = false;
    uint64_t before = crucible__look_to_change(word);
    while (!changed && (before & name->word.mask) < name->word.limit) {
      changed = crucible__change(word, &before, before + name->word.unit);
    }
    if (changed) brought = true;
    // partner: the load above by a thread that makes room
    if (!changed) fetch_add_seq_cst(&name->aside.overflow, 1);
  }
}

bool crucible__wide_spill(struct component *component, struct crucible_name *name, uint64_t count) {
  fetch_or_seq_cst(&component->attention, SPILLED);  // partner: the load in attention
  fetch_add_seq_cst(&name->aside.overflow, count);  // partner: the load in bring by a thread that makes room
  return crucible__wide_bring(component, name);
}
