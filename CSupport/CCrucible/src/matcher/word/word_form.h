// The matcher `word` has two forms: narrow components, in one word, and wide ones, in several (wide/wide.c). What is
// rare is written once for both. These are the parts in which they differ.

#ifndef CRUCIBLE_WORD_FORM_H
#define CRUCIBLE_WORD_FORM_H

#include "base/thread.h"
#include "matcher/matcher.h"
#include "matcher/word/word_lists.h"

/// The most words of a component.
enum { WIDE_WORDS = MOST_CLAIMED };

/// Computes the new counts of the word with the index `home`. False: no word may change.
typedef bool (*change_function)(void *context, uint32_t home, uint64_t before, uint64_t *after);

struct word_form {
  uint64_t paused, stopped;  ///< the control bits of each word
  bool fills_paused;         ///< a paused name has a full field, and its counts are in the overflow (HUSH-1)
  /// Reads the word that counts the name.
  uint64_t (*look)(const struct crucible_name *name);
  /// Changes that word by a compare-and-swap. False: `*before` is set to a current value.
  bool (*change)(const struct crucible_name *name, uint64_t *before, uint64_t after);
  /// Changes the words of all `homes` at one moment, or none. False: `change` has refused.
  bool (*change_all)(struct component *component, uint64_t homes, change_function change, void *context);
  /// CALL-1: gives a reserved count back under the rule of adding, but does not run the firings that this enables.
  void (*give_count_back)(struct thread *self, struct crucible_name *name);
  /// Reserves all enabled reactions of the component. Returns one of them, to run here. The others are submitted.
  struct reaction *(*settle_all)(struct thread *self, struct component *component);
};

static inline const struct word_form *crucible__form_of(const struct component *component) {
  return component->matcher->form;
}

/// Returns the count of the name in its word, in place, or 0 while it is hidden because the name is paused (HUSH-1).
static inline uint64_t crucible__form_counted(const struct word_form *form, const struct crucible_name *name,
                                              uint64_t word) {
  return form->fills_paused && UNLIKELY(word & crucible__word_guard(name)) ? 0 : word & name->word.mask;
}

/// Whether the word is sealed (STOP-3).
static inline bool crucible__form_sealed(const struct word_form *form, uint64_t word) {
  return (word & (form->paused | form->stopped)) == (form->paused | form->stopped);
}

/// All words of a component.
static inline uint64_t crucible__all_words(const struct component *component) {
  return UINT64_MAX >> (64 - component->layout->word.words);
}

#endif
