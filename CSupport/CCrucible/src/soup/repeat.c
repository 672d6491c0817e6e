// Declaring names and reactions that equal those of the chemistry. That covers most definitions of a program, so it is
// a few comparisons and stores.
//
// A name is compared with one line of its species, and not with all of it. Texts are compared by words: a label of up
// to 15 bytes is two words (crucible_label), and the file of a step is an address.
//
//   REPEAT-1  The line has everything that distinguishes a step from another. Equal words are equal labels. Short texts
//       are their own words. The words of a longer text are made at its step, after its characters have been compared.
//   REPEAT-2  A file lies in the program, so the text at its address does not change. An address is recorded after its
//       text has been compared. Threads that record different addresses of one text each store a correct one. A thread
//       that finds another address compares the text again.
//
// A step that is of another kind, or differs, is left to `crucible_soup_add_name` and `_add_reaction`, which compare
// all of it (SITE-3).
//
// Progress: wait-free in a spare block.

#include "soup/chemistry.h"
#include "soup/held.h"
#include "soup/soup.h"

/// Whether the definition follows a chemistry that has further names, or further reactions.
static inline bool has_next_name(const struct crucible_soup *soup) {
  return crucible__follows(soup) && soup->name_count < soup->chemistry->name_count && !soup->inherited;
}
static inline bool has_next_reaction(const struct crucible_soup *soup) {
  return soup->is_made && soup->reaction_count < soup->chemistry->reaction_count && !soup->inherited;
}

crucible_label crucible_soup_next_label(const crucible_soup *soup, const char *text) {
  crucible_label label = crucible__label_words(text);
  bool is_long = label.low == UINT64_MAX && label.high == UINT64_MAX;
  if (is_long && has_next_name(soup) && strcmp(text, soup->chemistry->names[soup->name_count]->label) != 0) {
    label.low = 0;  // no label has these words
  }
  return label;
}

/// Notes the address of a step's file. False: it is another file. It saves the registers, so that the common path need
/// not save them.
static RARELY bool learn(_Atomic(const char *) *known, const char *text, const char *file) {
  if (strcmp(file, text) != 0) return false;
  store_relaxed(known, file);
  return true;
}

crucible_name *crucible_soup_repeat_name(crucible_soup *soup, crucible_label label, uint64_t shape, const void *shared,
                                         const char *file, uint32_t line) {
  if (!has_next_name(soup)) return NULL;
  struct species *species = soup->chemistry->names[soup->name_count];
  if (species->words.low != label.low || species->words.high != label.high || species->shape != shape ||
      species->shared != shared || species->line != line) {
    return NULL;
  }
  if (UNLIKELY(load_relaxed(&species->known_file) != file) && !learn(&species->known_file, species->file, file)) {
    return NULL;
  }
  bool special = shape >> CRUCIBLE_KIND_SHIFT == CRUCIBLE_FAST;
  if (UNLIKELY(!soup->is_made)) return crucible__make_name(soup, species, special);
  struct crucible_name *name = soup->names[soup->name_count++];
  crucible__begin_name(name, special);
  name->context = species->context;
  return name;
}

void *crucible_soup_repeat_reaction(crucible_soup *soup, crucible_name *const *inputs, size_t input_count,
                                    crucible_placement placement, void (*empty)(void *context), const char *file,
                                    uint32_t line) {
  if (!has_next_reaction(soup)) return NULL;
  struct rule *rule = soup->chemistry->reactions[soup->reaction_count];
  if (rule->empty != empty || rule->placement != placement || rule->width != input_count || rule->line != line ||
      rule->retries) {
    return NULL;
  }
  if (UNLIKELY(load_relaxed(&rule->known_file) != file) && !learn(&rule->known_file, rule->file, file)) return NULL;
  for (size_t i = 0; i < input_count; i++) {
    if (soup->names[rule->inputs[i].name] != inputs[i]) return NULL;
  }
  struct reaction *reaction = soup->reactions[soup->reaction_count];
  void *owned = reaction->owned;
  if (!owned) return NULL;
  atomic_init(&reaction->context, owned);
  atomic_init(&reaction->placed, 0);
  atomic_init(&reaction->left_running, 0);
  reaction->probation = (struct probation){0};
  soup->reaction_count++;
  return owned;
}
