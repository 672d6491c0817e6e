// Pausing a name of a wide component, and what the rest of matcher/word/word_control.c needs of one. A call that
// concerns several words is one claim of them, so it takes effect at one moment.

#include "matcher/wide/wide.h"

/// Changes the words by one claim of a thread that may have no record yet.
static bool change_all(struct component *component, uint64_t homes, change_function change, void *context) {
  struct thread *self = crucible__thread_for("to look at several names at once");
  return crucible__wide_change(self, crucible__wide_of(component), homes, change, context);
}

static bool set_guard(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  const struct crucible_name *name = context;
  uint64_t guard = home == name->word.home ? crucible__word_guard(name) : 0;
  *after = load_relaxed(&name->paused) ? before | guard : before & ~guard;
  return true;
}

/// Pauses a name, or ends its pause. A thread that read the word before fails when it changes it, so nothing that the
/// pause forbids fires later. The other words of the reactions over the name are claimed as well, without a change
/// (WIDE-5).
void crucible__wide_pause_name(struct crucible_name *name) {
  uint64_t words = 0;
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    words |= crucible__wide_reaction(crucible__reaction(name->component, c))->words;
  }
  change_all(name->component, words, set_guard, name);
}

void crucible__wide_inherit(struct component *component) {
  struct wide_word *own = crucible__wide_of(component);
  for (uint32_t home = 0; home < component->layout->word.words; home++) {
    _Atomic uint64_t *word = &own[home].word;
    store_relaxed(word, crucible__look(word) | WIDE_PAUSED);  // the claiming threads are not in the child
  }
  store_relaxed(&component->droppers, 0);
  store_relaxed(&component->hands, 0);
}

static uint64_t look(const struct crucible_name *name) {
  return crucible__wide_look(crucible__wide_of(name->component), name);
}

static bool change(const struct crucible_name *name, uint64_t *before, uint64_t after) {
  return crucible__change(crucible__wide_home(crucible__wide_of(name->component), name), before, after);
}

const struct word_form crucible__wide_form = {
    .paused = WIDE_PAUSED,
    .stopped = WIDE_STOPPED,
    .look = look,
    .change = change,
    .change_all = change_all,
    .settle_all = crucible__wide_settle_all,
};
