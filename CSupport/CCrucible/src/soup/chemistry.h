// The chemistry of a soup: what its definition declares, and what freezing finds. See chemistry.c.

#ifndef CRUCIBLE_CHEMISTRY_H
#define CRUCIBLE_CHEMISTRY_H

#include <string.h>

#include "types.h"

/// The shape of a species that crucible_soup_repeat_name does not serve.
#define NO_SHAPE UINT64_MAX
/// Packs a label for comparison. All labels of more than 15 bytes are equal.
crucible_label crucible__label_words(const char *text);
#define CRUCIBLE_LONG_LABEL ((crucible_label){UINT64_MAX, UINT64_MAX})

/// All published chemistries, in lists by a hash of their places.
enum { CRUCIBLE_PLACES = 1 << CRUCIBLE_PLACE_BITS };
extern _Atomic(struct chemistry *) crucible__places[CRUCIBLE_PLACES];

/// Finds the list that has the chemistries of this place.
static inline _Atomic(struct chemistry *) *crucible__place_of(const void *site, uintptr_t variant, uint32_t line) {
  uint64_t key = ((uintptr_t)site ^ variant) + line;
  return &crucible__places[(key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - CRUCIBLE_PLACE_BITS)];
}

/// Whether the chemistry is of this place. Others may be in its list.
static inline bool crucible__is_at(const struct chemistry *chemistry, const void *site, uintptr_t variant,
                                   uint32_t line, crucible_matcher matcher) {
  const crucible_soup_options *options = &chemistry->options;
  return options->site == site && options->line == line && options->variant == variant && options->matcher == matcher;
}

/// Finds the chemistry with which a definition begins. If there is none, makes one for the soup alone. Null: no memory.
struct chemistry *crucible__begin_chemistry(const crucible_soup_options *options);
/// Frees a chemistry that belongs to one soup, and no other one.
void crucible__release_chemistry(struct chemistry *chemistry);

/// Whether all steps of the definition so far equal those of a published chemistry. Requires: the definition has not
/// ended.
static inline bool crucible__follows(const struct crucible_soup *soup) {
  return soup->chemistry->is_shared && !soup->carries_context;
}
/// Finds or makes the species of the next name, or the rule of the next reaction. Null: no memory.
struct species *crucible__next_species(struct crucible_soup *soup, const crucible_name_options *options);
struct rule *crucible__next_rule(struct crucible_soup *soup, const crucible_reaction_options *options);
/// Whether the definition has had all steps of a published chemistry. The second function also finds others than the
/// soup's.
bool crucible__ends_elsewhere(struct crucible_soup *soup);
static inline bool crucible__is_complete(struct crucible_soup *soup) {
  return (crucible__follows(soup) && soup->name_count == soup->chemistry->name_count &&
          soup->reaction_count == soup->chemistry->reaction_count) ||
         crucible__ends_elsewhere(soup);
}
/// Gives the soup a chemistry of its own, with the steps so far. False: no memory.
bool crucible__become_private(struct crucible_soup *soup);
/// Publishes the chemistry of a soup that was just frozen, if later soups may share it.
void crucible__publish(struct crucible_soup *soup);

/// Sets the members of a name that freezing finds. Requires: the name is not open.
void crucible__set_found(struct crucible_name *name, const struct finding *finding);

/// The size of a name, which is whole lines.
size_t crucible__name_size(const struct species *species);
/// The size and alignment of a cell beside its name. 0: it lies in the name.
size_t crucible__cell_size(const struct species *species, size_t *alignment);
size_t crucible__reaction_size(const struct rule *rule, size_t *alignment);

#if defined(CRUCIBLE_SCHEDULER)
/// Frees all chemistries, so that each run of the scheduler makes its own. Requires: no soup lives, and no other thread
/// runs.
void crucible__forget_chemistries(void);
#endif

#endif
