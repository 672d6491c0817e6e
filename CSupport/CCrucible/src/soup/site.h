// Soups that are defined again at the same place in the source: see site.c.

#ifndef CRUCIBLE_SITE_H
#define CRUCIBLE_SITE_H

#include <string.h>

#include "base/tuning.h"
#include "types.h"

struct steps;
struct text;

/// The parts that soups of one site have in common. They never change after their publication, and are never freed.
struct image {
  struct crucible_soup *soup;  ///< frozen, never held, and in no list; the block of a repeat is filled from its block
  const void *file;            ///< the file of the site
  uint32_t size;               ///< the size of the block
  uint32_t lists, lists_size;  ///< the part of the block that the matcher made: lists of pointers and candidates
  uint32_t lines, lines_size;  ///< the lines that the matcher made: components
  struct steps *steps;         ///< the steps of a definition that repeats it (repeat.c)
  bool is_whole;               ///< everything that freezing makes is copied: no matcher keeps memory of its own
  uint32_t pointer_count;
  uint32_t pointers[];         ///< the offsets of pointers in the copied parts that point into the block
};

struct site {
  struct site *next;
  const void *file;
  uintptr_t variant;
  uint32_t line;
  crucible_matcher matcher;  ///< the matcher that is requested
  /// a soup of the site was frozen that could leave an image; sites with one soup keep no image
  _Atomic bool has_been;
  _Atomic bool is_taken;  ///< a thread makes the image, or has made it, or has found that there cannot be one
  _Atomic(struct image *) image;
  struct text *texts;     ///< the texts of the image; written by the thread that makes it
  _Atomic(struct crucible_soup *) spares[CRUCIBLE_SPARES];
};

// ---------------------------------------------------------------------------------------------------------------------
// Finding
// ---------------------------------------------------------------------------------------------------------------------

/// All sites, in lists by a hash of their places.
enum { CRUCIBLE_SITES = 1 << CRUCIBLE_SITE_BITS };
extern _Atomic(struct site *) crucible__sites[CRUCIBLE_SITES];

/// Finds the list that has the site of this place, if there is one.
static inline _Atomic(struct site *) *crucible__site_place(const void *file, uintptr_t variant, uint32_t line) {
  uint64_t key = ((uintptr_t)file ^ variant) + line;
  return &crucible__sites[(key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - CRUCIBLE_SITE_BITS)];
}

/// Finds the site of this place in a list. Null: the list does not have it.
static inline struct site *crucible__site_in(struct site *first, const void *file, uintptr_t variant, uint32_t line,
                                             crucible_matcher matcher) {
  struct site *site = first;
  while (site && (site->file != file || site->line != line || site->variant != variant || site->matcher != matcher)) {
    site = site->next;
  }
  return site;
}

/// Finds or makes the site of a soup. Null: the site is unknown, or no memory.
struct site *crucible__site(const crucible_soup_options *options);
/// Returns the image that soups of this site repeat, or null if there is none yet.
const struct image *crucible__image_for(struct site *site, const crucible_soup_options *options);
#if defined(CRUCIBLE_SCHEDULER)
/// Frees all sites, so that each run of the scheduler makes its own. Requires: no soup of any site lives, and no other
/// thread runs.
void crucible__forget_sites(void);
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Being a repeat
// ---------------------------------------------------------------------------------------------------------------------

/// Returns the image's name or reaction for the next declaration, if the two are the same. Null: they differ, or there
/// is no image.
const struct crucible_name *crucible__same_name(struct crucible_soup *soup, const crucible_name_options *options);
const struct reaction *crucible__same_reaction(struct crucible_soup *soup, const crucible_reaction_options *options);

/// Whether the definition has had all steps of the image.
static inline bool crucible__is_complete(const struct crucible_soup *soup) {
  return soup->image && soup->name_count == soup->image->soup->name_count &&
         soup->reaction_count == soup->image->soup->reaction_count;
}
/// Makes the soup private if its definition has ended before the last step of the image. Called before the layout.
void crucible__end_early(struct crucible_soup *soup);
/// Copies what freezing found for the image, instead of finding it. False: no memory.
bool crucible__fill(struct crucible_soup *soup);

/// The address in a repeat that corresponds to `thing` in the image.
static inline void *crucible__in_repeat(const struct crucible_soup *soup, const void *thing) {
  return (char *)soup + ((const char *)thing - (const char *)soup->image->soup);
}

/// Whether the file of a step is that of the image's step. Mostly it is the site's, in the program and in the image.
static inline __attribute__((always_inline)) bool crucible__is_same_file(const struct crucible_soup *soup,
                                                                         const char *file, const char *other) {
  return (file == soup->image->file && other == soup->file) || strcmp(file ? file : "", other) == 0;
}

#endif
