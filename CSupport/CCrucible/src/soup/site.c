// Sites: a soup that is defined where an equal one was defined before reuses what that definition found.
//
// A site is a place in the source: file, line, the matcher that is requested, and a number of the binding for the types
// there. The second soup of a site that is frozen leaves an image (image.c): the block of a soup with the same names
// and reactions, with everything that freezing makes. A later soup of the site is a repeat while each step of its
// definition equals the image's. Its block has the image's size, and each part lies where it lies in the image. To
// freeze it, some parts are copied, and some pointers are set. In a block that a repeat has left (spares.c), only some
// words are set.
//
//   SITE-1  A repeat shares with the image the texts of its labels and files, and the contexts of names that share one
//       (`shared`). Nothing else is shared: its names, reactions, components and counters are its own for as long as it
//       lives, and so are other contexts, first values, seed and observers.
//   SITE-2  Until it is frozen, a repeat has the same content as a private soup at the same step of its definition. A
//       step that differs, or an end that comes too early, makes it private. From then on everything is found as for
//       any other soup, and new parts lie in blocks of its arena.
//   SITE-3  Two steps are equal if everything is equal on which the layout depends, and everything that the image's
//       copied parts contain. Kinds, sizes, functions, patterns, placements and lines are compared, and texts by their
//       characters.
//   SITE-8  A matcher that has `renew` writes only to the copied parts. The others keep memory of their own. So an
//       image for such a matcher has only components that are laid out, and each repeat copies them. Its matcher makes
//       the rest as for a private soup, and destroys it at the end. In a spare block the copy reverts what the matcher
//       of the last soup has written.
//
// A soup is always private if a molecule has an origin, or a value is aligned to more than a line. So is a soup that
// needs more than CRUCIBLE_REPEAT_BYTES.
//
// Callers: any thread may find a site. Only the thread that defines a soup may declare its steps, and fill it.
//
// Progress: finding a site and its image is lock-free, making a site allocates.

#include "soup/site.h"

#include "base/memory.h"
#include "matcher/bags.h"
#include "matcher/matcher.h"
#include "soup/image.h"
#include "soup/spares.h"

_Atomic(struct site *) crucible__sites[CRUCIBLE_SITES];

// ---------------------------------------------------------------------------------------------------------------------
// Finding
// ---------------------------------------------------------------------------------------------------------------------

struct site *crucible__site(const crucible_soup_options *options) {
  if (!options->site) return NULL;
  _Atomic(struct site *) *place = crucible__site_place(options->site, options->variant, options->line);
  struct site *first = load_acquire(place), *mine = NULL;  // partner: the CAS below
  for (;;) {
    struct site *found = crucible__site_in(first, options->site, options->variant, options->line, options->matcher);
    if (found) {
      crucible__free_kept(mine);
      return found;
    }
    if (!mine) mine = crucible__allocate_kept(sizeof *mine);
    if (!mine) return NULL;
    *mine = (struct site){
        .next = first, .file = options->site, .line = options->line, .variant = options->variant,
        .matcher = options->matcher};
    if (cas_acq_rel(place, &first, mine)) return mine;  // partner: the load above
  }
}

static bool same_text(const char *text, const char *other) {
  if (!text) text = "";
  return text == other || strcmp(text, other) == 0;
}

const struct image *crucible__image_for(struct site *site, const crucible_soup_options *options) {
  const struct image *image = site ? load_acquire(&site->image) : NULL;  // partner: the release in crucible__keep_image
  if (!image || !same_text(options->label, image->soup->label) ||
      (options->file != site->file && !same_text(options->file, image->soup->file))) {
    return NULL;
  }
  return image;
}

// ---------------------------------------------------------------------------------------------------------------------
// Being a repeat
// ---------------------------------------------------------------------------------------------------------------------

static bool is_same_name(const struct crucible_soup *soup, const struct crucible_name *name,
                         const crucible_name_options *options) {
  return name->size == options->size && name->kind == options->kind &&
         (options->size == 0 || name->alignment == options->alignment) && name->destroy == options->destroy &&
         (options->shared ? name->shared == options->shared : name->release == options->release) &&
         (name->carries ? name->carry : NULL) == options->carry && crucible__is_shared(name) == !!options->shared &&
         name->line == options->line && same_text(options->label, name->label) &&
         crucible__is_same_file(soup, options->file, name->file);
}

static bool is_same_reaction(const struct crucible_soup *soup, const struct reaction *reaction,
                             const crucible_reaction_options *options) {
  if (reaction->width != options->input_count || reaction->placement != options->placement ||
      reaction->body != options->body || reaction->release != options->release ||
      reaction->submit != options->submit || reaction->enter != options->enter || options->inherits ||
      options->in_order || reaction->retries != options->retries || reaction->empty != options->empty ||
      reaction->line != options->line) {
    return false;
  }
  for (uint32_t i = 0; i < reaction->width; i++) {
    if (crucible__in_repeat(soup, reaction->inputs[i].name) != options->inputs[i]) return false;
  }
  return same_text(options->label, reaction->label) && crucible__is_same_file(soup, options->file, reaction->file);
}

static inline void zero(void *of, size_t offset, size_t size) { memset((char *)of + offset, 0, size); }

/// Clears, in a block that has been a spare, what freezing made of the declared names and reactions.
static void forget(struct crucible_soup *soup) {
  for (uint32_t i = 0; i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i];
    zero(name, OF_NAME);
    name->bit = 0;
    name->completes_here = false;
    name->is_retried = false;
    if (crucible__is_bagged(name)) {
      memset(&name->bag, 0, sizeof name->bag);
      zero(name, OF_BAGGED);
    }
  }
  for (uint32_t r = 0; r < soup->reaction_count; r++) {
    struct reaction *reaction = soup->reactions[r];
    reaction->component = NULL;
    reaction->soup = NULL;
    reaction->repeats = reaction->has_stored = false;
    reaction->bits = 0;
    zero(reaction, OF_CHOICE);
    for (uint32_t i = 0; i < reaction->width; i++) {
      reaction->inputs[i] = (struct input){.name = reaction->inputs[i].name};
      reaction->fixed[i] = NULL;
    }
  }
}

static void become_private(struct crucible_soup *soup) {
  if (soup->is_spare) {
    crucible__end_kept(soup, soup->reaction_count);
    forget(soup);
  }
  soup->image = NULL;
}

const struct crucible_name *crucible__same_name(struct crucible_soup *soup, const crucible_name_options *options) {
  if (!soup->image) return NULL;
  const struct crucible_soup *like = soup->image->soup;
  uint32_t index = soup->name_count;
  if (index < like->name_count && is_same_name(soup, like->names[index], options)) return like->names[index];
  become_private(soup);
  return NULL;
}

const struct reaction *crucible__same_reaction(struct crucible_soup *soup, const crucible_reaction_options *options) {
  if (!soup->image) return NULL;
  const struct crucible_soup *like = soup->image->soup;
  uint32_t index = soup->reaction_count;
  if (index < like->reaction_count && is_same_reaction(soup, like->reactions[index], options)) {
    return like->reactions[index];
  }
  become_private(soup);
  return NULL;
}

void crucible__end_early(struct crucible_soup *soup) {
  if (soup->image) become_private(soup);
}

static inline void copy(void *to, const void *from, size_t offset, size_t size) {
  memcpy((char *)to + offset, (const char *)from + offset, size);
}

/// Resets those parts of what freezing makes that are written while a soup runs.
static void renew(struct crucible_soup *soup, const struct crucible_soup *like) {
  for (uint32_t i = 0; i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i];
    if (crucible__is_bagged(name)) name->bag = like->names[i]->bag;
  }
  for (uint32_t c = 0; c < like->component_count; c++) {
    struct component *component = &soup->components[c];
    component->matcher->renew(component);
  }
}

static void copy_all(struct crucible_soup *soup, const struct image *image) {
  const struct crucible_soup *like = image->soup;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i], *from = like->names[i];
    copy(name, from, OF_NAME);
    name->bit = from->bit;
    name->completes_here = from->completes_here;
    name->is_retried = from->is_retried;
    if (crucible__is_bagged(name)) {
      name->bag = from->bag;
      copy(name, from, OF_BAGGED);
    }
  }
  for (uint32_t r = 0; r < soup->reaction_count; r++) {
    struct reaction *reaction = soup->reactions[r], *from = like->reactions[r];
    copy(reaction, from, OF_REACTION);
    copy(reaction, from, OF_CHOICE);
    copy(reaction, from, OF_INPUTS(reaction));
  }
  copy(soup, like, image->lines, image->lines_size);
  copy(soup, like, image->lists, image->lists_size);
  uintptr_t distance = (uintptr_t)soup - (uintptr_t)like;
  for (uint32_t i = 0; i < image->pointer_count; i++) {
    *(uintptr_t *)(void *)((char *)soup + image->pointers[i]) += distance;
  }
}

bool crucible__fill(struct crucible_soup *soup) {
  const struct crucible_soup *like = soup->image->soup;
  soup->components = crucible__in_repeat(soup, like->components);
  if (soup->is_spare && soup->image->is_whole) {
    renew(soup, like);
  } else {
    copy_all(soup, soup->image);
    soup->is_spare = true;
  }
  soup->suspends = like->suspends;
  if (soup->image->is_whole) {
    soup->component_count = like->component_count;
    return true;
  }
  // Each component is counted after it is made. So the others are not destroyed if there is no memory, and a child that
  // is forked meanwhile does not access them. `create` may be any function, so the count is not stored before it
  // returns.
  for (; soup->component_count < like->component_count; soup->component_count++) {
    struct component *component = &soup->components[soup->component_count];
    if (!component->matcher->create(component)) return false;
  }
  return true;
}

#if defined(CRUCIBLE_SCHEDULER)
void crucible__forget_sites(void) {
  crucible__free_spares();
  for (uint32_t i = 0; i < CRUCIBLE_SITES; i++) {
    for (struct site *site = load_relaxed(&crucible__sites[i]), *next; site; site = next) {
      next = site->next;
      crucible__forget_image(site);
      crucible__free_kept(site);
    }
    store_relaxed(&crucible__sites[i], NULL);
  }
}
#endif
