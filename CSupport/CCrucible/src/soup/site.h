// Soups that are defined again at one place in the source: see site.c.

#ifndef CRUCIBLE_SITE_H
#define CRUCIBLE_SITE_H

#include <string.h>

#include "types.h"

/// The parts that soups of one site have in common. They never change after their publication, and are never freed.
struct image {
  struct crucible_soup *soup;  ///< frozen, never held, and in no list; its block is what a repeat's is filled from
  const void *file;            ///< the site's
  uint32_t size;               ///< of the block
  uint32_t lists, lists_size;  ///< the part of the block that the matcher made: lists of pointers and candidates
  uint32_t lines, lines_size;  ///< and its lines: components
  struct steps *steps;         ///< of a definition that repeats it (repeat.c)
  bool is_whole;               ///< all that freezing makes is copied: no matcher keeps memory of its own
  uint32_t pointer_count;
  uint32_t pointers[];         ///< where the copied parts point into the block
};

/// The site of a soup; null: its definer does not tell, or no memory.
struct site *crucible__site(const crucible_soup_options *options);
/// Returns the image that soups of this site repeat, or null if there is none yet.
const struct image *crucible__image_for(struct site *site, const crucible_soup_options *options);
/// After the soup is frozen: makes the image of its site, if it is to be made now.
void crucible__keep_image(struct crucible_soup *soup);
/// Whether all steps of the definition were those of the image.
static inline bool crucible__is_complete(const struct crucible_soup *soup) {
  return soup->image && soup->name_count == soup->image->soup->name_count &&
         soup->reaction_count == soup->image->soup->reaction_count;
}
/// Before the layout: makes the soup private if its definition has ended before the last step of the image.
void crucible__end_early(struct crucible_soup *soup);
/// Takes over what freezing the soup found, instead of finding it. False: no memory.
bool crucible__fill(struct crucible_soup *soup);

/// A block that a repeat has left, which is its own again; null: the site keeps none.
struct crucible_soup *crucible__take_spare(struct site *site);
/// Takes a spare of the site at this place, if a soup with that label repeats the image of the site.
struct crucible_soup *crucible__take_spare_like(const void *file, uintptr_t variant, uint32_t line,
                                               crucible_matcher matcher, crucible_label label);
/// Whether the block of a soup that is frozen may be kept for another one.
static inline bool crucible__may_be_spare(const struct crucible_soup *soup) {
  return soup->is_spare && soup->image && !soup->inherited;
}
/// Keeps the block of a repeat that has gone, for the next one. False: the caller frees it.
bool crucible__keep_spare(struct crucible_soup *soup);
/// Releases the contexts that are kept for reactions from this one on, in the block of a repeat.
void crucible__end_kept(struct crucible_soup *soup, uint32_t first);
/// Releases all contexts that are kept, and everything that the binding has left. Requires: nothing refers to the
/// block.
void crucible__end_all_kept(struct crucible_soup *soup);
/// Frees all that are kept.
void crucible__free_spares(void);
#if defined(CRUCIBLE_SCHEDULER)
/// So that each run of the scheduler makes its sites. No soup of any lives, and no other thread runs.
void crucible__forget_sites(void);
#endif

/// The name or reaction that is declared next, if it is the same as the image's; null: it is not, or there is no image.
const struct crucible_name *crucible__same_name(struct crucible_soup *soup, const crucible_name_options *options);
const struct reaction *crucible__same_reaction(struct crucible_soup *soup, const crucible_reaction_options *options);

/// Where a thing of the image lies in a repeat.
static inline void *crucible__in_repeat(const struct crucible_soup *soup, const void *thing) {
  return (char *)soup + ((const char *)thing - (const char *)soup->image->soup);
}

/// Whether the file of a step is that of the image's step. Most are the site's, in the program and in the image.
static inline __attribute__((always_inline)) bool crucible__is_same_file(const struct crucible_soup *soup,
                                                                         const char *file, const char *other) {
  return (file == soup->image->file && other == soup->file) || strcmp(file ? file : "", other) == 0;
}

#endif
