// Images: the results of freezing a soup of a site, made once for all soups that repeat it.
//
// An image is made in three attempts. The first attempt finds the required size of the block. The second makes the
// image, and the third a twin of it. A comparison of these two shows where the block has pointers.
//
//   SITE-4  One thread makes the image, from a soup that it has frozen. It has acquired the right to do so by one
//       exchange. The image is published by one store, complete. It is never changed and never freed, and neither is
//       its site, because the places of a program are limited.
//   SITE-5  The pointers in copied parts lead only to static memory and into the block. Two images are made and
//       compared. Words that differ must point to the same place of both blocks. Otherwise the site gets no image.
//
// Callers: the thread that has frozen a soup, once for that soup.
//
// Progress: making an image allocates. Other threads continue, and their soups stay private.

#include "soup/image.h"

#include "base/memory.h"
#include "matcher/bags.h"
#include "matcher/component.h"
#include "matcher/matcher.h"
#include "soup/definition.h"
#include "soup/inject.h"
#include "soup/repeat.h"
#include "soup/soup.h"

struct text {
  struct text *next;
  char characters[];
};

/// Keeps a text for as long as the site. Without a site, leaves it where it is. False: no memory.
static bool keep_text(struct site *site, const char **text) {
  if (!site) return true;
  size_t size = strlen(*text) + 1;
  struct text *kept = crucible__allocate_kept(sizeof *kept + size);
  if (!kept) return false;
  kept->next = site->texts;
  site->texts = kept;
  *text = memcpy(kept->characters, *text, size);
  return true;
}

/// Keeps the name of a file. Most files are the soup's own.
static bool keep_file(struct site *site, const struct crucible_soup *soup, const char **file) {
  if (strcmp(*file, soup->file) != 0) return keep_text(site, file);
  *file = soup->file;
  return true;
}

/// Declares the names and reactions of `like`, in the same order for each kind.
static bool declare_all(struct crucible_soup *soup, const struct crucible_soup *like, struct site *site) {
  for (uint32_t i = 0; i < like->name_count; i++) {
    const struct crucible_name *name = like->names[i];
    crucible_name_options options = {
        .label = name->label, .kind = name->kind, .size = name->size, .alignment = name->alignment,
        .destroy = name->destroy, .release = name->release, .file = name->file, .line = name->line};
    if (name->carries) {
      options.carry = name->carry;
    } else {
      options.shared = name->shared;
    }
    crucible_name *made;
    if (!keep_text(site, &options.label) || !keep_file(site, soup, &options.file)) return false;
    if (crucible_soup_add_name(soup, &options, NULL, &made) != CRUCIBLE_OK) return false;
  }
  for (uint32_t r = 0; r < like->reaction_count; r++) {
    const struct reaction *reaction = like->reactions[r];
    crucible_name *inputs[CRUCIBLE_MAX_INPUTS], *culprit;
    for (uint32_t i = 0; i < reaction->width; i++) inputs[i] = soup->names[reaction->inputs[i].name->index];
    crucible_reaction_options options = {
        .inputs = inputs, .input_count = reaction->width, .placement = reaction->placement,
        .body = reaction->body, .release = reaction->release, .submit = reaction->submit, .enter = reaction->enter,
        .empty = reaction->empty, .retries = reaction->retries, .label = reaction->label, .file = reaction->file,
        .line = reaction->line};
    if (!keep_text(site, &options.label) || !keep_file(site, soup, &options.file)) return false;
    if (crucible_soup_add_reaction(soup, &options, &culprit) != CRUCIBLE_OK) return false;
  }
  return true;
}

/// Whether the component has a matcher that keeps nothing except what a repeat copies (SITE-8).
static bool is_copied(const struct component *component) { return component->matcher && component->matcher->renew; }

/// Does the part of freezing that repeats copy. Each repeat does the rest itself.
static bool lay_out(struct crucible_soup *soup) {
  if (!crucible__layout_components(soup)) return false;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    crucible_name *culprit;
    if (crucible__choose_matcher(component, &component->matcher, &culprit) != CRUCIBLE_OK) return false;
    if (is_copied(component) && !component->matcher->create(component)) {
      component->matcher = NULL;
      return false;
    }
  }
  return true;
}

struct attempt {
  struct crucible_soup *soup;
  size_t lines, lists;  ///< the used part of the block, the soup included, and the offset of its lists
  size_t lines_made;    ///< the offset of the lines that freezing made
  size_t lists_made;    ///< the end of the lists that freezing made
  size_t size;
};

static void end(struct attempt *attempt) {
  struct crucible_soup *soup = attempt->soup;
  if (!soup) return;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    if (is_copied(&soup->components[c])) soup->components[c].matcher->destroy(&soup->components[c]);
  }
  crucible__end_block(soup);
}

/// Makes a soup like `like`, in a block of this size. `site`, if not null, keeps its texts. False: it needs more room,
/// or there is no memory.
static bool try(struct attempt *attempt, const struct crucible_soup *like, size_t size, struct site *site) {
  crucible_soup_options options = {.label = like->label, .file = like->file, .line = like->line,
                                   .matcher = like->matcher, .seed = 1};
  *attempt = (struct attempt){.size = size};
  if (!keep_text(site, &options.label) || !keep_text(site, &options.file)) return false;
  struct crucible_soup *soup = attempt->soup = crucible__begin_block(&options, size);
  if (!soup || !declare_all(soup, like, site)) return false;
  attempt->lines_made = (size_t)(soup->arena.low - (char *)soup);
  attempt->lists_made = (size_t)(soup->arena.high - (char *)soup);
  if (!lay_out(soup)) return false;
  attempt->lines = (size_t)(soup->arena.low - (char *)soup);
  attempt->lists = (size_t)(soup->arena.high - (char *)soup);
  return !soup->arena.blocks;
}

/// Records the pointers of a part that a repeat copies. False: the part contains other addresses (SITE-5).
static bool note(struct image *image, const struct attempt *twin, const void *thing, size_t offset, size_t size) {
  const char *block = (const char *)image->soup, *part = (const char *)thing + offset;
  const char *other = (const char *)twin->soup + (part - block);
  for (size_t at = 0; at < size; at += sizeof(uintptr_t)) {
    uintptr_t here, there;
    memcpy(&here, part + at, sizeof here);
    memcpy(&there, other + at, sizeof there);
    if (here == there) continue;
    uintptr_t place = here - (uintptr_t)block;
    if (place > image->size || place != there - (uintptr_t)twin->soup) return false;
    image->pointers[image->pointer_count++] = (uint32_t)(part + at - block);
  }
  return true;
}

static bool note_all(struct image *image, const struct attempt *twin) {
  const struct crucible_soup *soup = image->soup;
  bool regular = note(image, twin, soup, image->lines, image->lines_size) &&
                 note(image, twin, soup, image->lists, image->lists_size);
  for (uint32_t i = 0; regular && i < soup->name_count; i++) {
    const struct crucible_name *name = soup->names[i];
    regular = note(image, twin, name, OF_NAME) &&
              (!crucible__is_bagged(name) || note(image, twin, &name->bag, 0, sizeof name->bag));
  }
  for (uint32_t r = 0; regular && r < soup->reaction_count; r++) {
    const struct reaction *reaction = soup->reactions[r];
    regular = note(image, twin, reaction, OF_REACTION) && note(image, twin, reaction, OF_CHOICE) &&
              note(image, twin, reaction, OF_INPUTS(reaction));
  }
  return regular;
}

/// Makes an image from `kept`, which equals `twin`. Null: they contain other addresses, or no memory.
static struct image *compare(const struct attempt *kept, const struct attempt *twin, const struct site *site) {
  struct image *image =
      crucible__allocate_kept(sizeof *image + kept->size / sizeof(uintptr_t) * sizeof *image->pointers);
  if (!image) return NULL;
  *image = (struct image){
      .soup = kept->soup, .file = site->file, .size = (uint32_t)kept->size,
      .lines = (uint32_t)kept->lines_made, .lines_size = (uint32_t)(kept->lines - kept->lines_made),
      .lists = (uint32_t)kept->lists, .lists_size = (uint32_t)(kept->lists_made - kept->lists), .is_whole = true};
  for (uint32_t c = 0; c < kept->soup->component_count; c++) image->is_whole &= is_copied(&kept->soup->components[c]);
  if (note_all(image, twin) && (image->steps = crucible__make_steps(image->soup))) return image;
  crucible__free_kept(image);
  return NULL;
}

/// Makes an image. Null: it is impossible, or no memory. The first attempt finds the size of the others.
static struct image *make_image(const struct crucible_soup *like, struct site *site) {
  struct attempt first = {0}, kept = {0}, twin = {0};
  struct image *image = NULL;
  if (try(&first, like, CRUCIBLE_REPEAT_BYTES, site)) {
    size_t size = (first.lines + 63) / 64 * 64 + (first.size - first.lists + 63) / 64 * 64;
    if (try(&kept, first.soup, size, NULL) && try(&twin, first.soup, size, NULL)) image = compare(&kept, &twin, site);
  }
  end(&first);
  end(&twin);
  if (!image) end(&kept);
  return image;
}

static bool can_have_image(const struct crucible_soup *soup) {
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (crucible__has_origins(soup->names[i]) || soup->names[i]->alignment > 64) return false;
  }
  for (uint32_t r = 0; r < soup->reaction_count; r++) {
    if (soup->reactions[r]->takes_late) return false;
  }
  return true;
}

/// Gives the contexts to the image, which keeps them for all repeats.
static void share_contexts(struct crucible_soup *soup, const struct image *image) {
  for (uint32_t i = 0; i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i];
    if (!crucible__is_shared(name)) continue;
    image->soup->names[i]->context = image->steps->names[i].context = name->context;
    name->release = NULL;
  }
}

void crucible__keep_image(struct crucible_soup *soup) {
  struct site *site = soup->site;
  if (!site || !soup->may_repeat || crucible__is_complete(soup)) return;
  if (!load_relaxed(&site->has_been)) {
    store_relaxed(&site->has_been, true);
    return;
  }
  if (load_relaxed(&site->is_taken) || exchange_acq_rel(&site->is_taken, true)) return;
  struct image *image = can_have_image(soup) ? make_image(soup, site) : NULL;
  if (image) share_contexts(soup, image);
  for (uint32_t i = 0; image && image->is_whole && i < image->soup->name_count; i++) {
    crucible__open_name(image->soup->names[i]);
  }
  if (image) store_release(&site->image, image);  // partner: the acquire in crucible__image_for
}

#if defined(CRUCIBLE_SCHEDULER)
void crucible__forget_image(struct site *site) {
  struct image *image = load_relaxed(&site->image);
  if (image) end(&(struct attempt){.soup = image->soup});
  if (image) crucible__free_kept(image->steps);
  crucible__free_kept(image);
  for (struct text *text = site->texts, *more; text; text = more) {
    more = text->next;
    crucible__free_kept(text);
  }
}
#endif
