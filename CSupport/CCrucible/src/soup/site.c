// Sites: a soup that is defined where one like it was defined before takes over what that one's definition found.
//
// A site is a place in the source: file, line, the matcher that is asked for, and a number of the binding for the
// types there. The second soup of a site that is frozen leaves an image: the block of a soup with the same names and
// reactions, with all that freezing makes. A later soup of the site is a repeat while each step of its definition is
// the image's. Its block has the image's size, and each thing lies where it lies in the image. Freezing it is some
// copies, and some pointers that are set; in a block that a repeat has left, some words.
//
//   SITE-1  A repeat shares the texts of its labels and files with the image, and the contexts of names that are said
//       to be alike. Nothing else: its names, reactions, components and counters are its own, and so are other
//       contexts, first values, seed and observers, for as long as it lives.
//   SITE-2  Until it is frozen, a repeat has what a private soup has at the same step, and at the same time in its
//       definition. A step that differs, or an end that comes too early, makes it private: from then on all is found as
//       for any other soup, and new things lie in blocks of its arena.
//   SITE-3  A step is the same if all is that the layout depends on, and all that the image's copied parts contain:
//       kinds, sizes, functions, patterns, placements and lines are compared, and texts by their characters.
//   SITE-4  The image is made by one thread, which has taken the right to by one exchange, from a soup that it has
//       frozen. It is published by one store, complete. It is never changed and never freed, and neither is its site:
//       the places of a program are limited.
//   SITE-5  Copied parts contain no pointers but to static memory and into the block. Two images are made and compared:
//       words that differ have to point to the same place of both blocks. Otherwise the site gets no image.
//   SITE-6  A site keeps a few blocks of repeats that have gone. A place for one is taken and filled by one step each,
//       so a block has one owner. What freezing has made in it stays: nothing writes to it while a soup runs, but to
//       the words, bags and counts that `renew` sets. If a step of the next definition differs, `forget` takes it back.
//       A block that has been a spare stays in the list of living soups, where nobody can hold it. So defining and
//       releasing a repeat take no lock that soups share. A fork takes spares off that list in the child. A walk of
//       that list finds a soup in it only from the store of `holds` on, the last of its creation.
//   SITE-7  The context of a reaction stays with the block if the definer can empty it (`empty`), and nothing has
//       changed it. It is emptied at the end of its soup, once, by the thread that destroys the contents: what it holds
//       lives no longer than the soup. It serves the reaction of the same number in the next soup of the block. Its
//       definer fills it, with a body of any type, before that soup is frozen. So a body that captures is a step like
//       any other. A definition that ends half-way empties the contexts of the reactions that it has declared; the
//       others are empty. Contexts that no soup takes over any more are released: with the block, and by
//       `become_private` from the step that differs on. What bodies capture is not compared. So a repeat whose bodies
//       capture fewer names gets no warning that nothing injects a name.
//   SITE-8  A matcher that has `renew` writes to the copied parts alone. The others keep memory of their own. So an
//       image that they serve has components that are laid out, and no more: each repeat copies them. Its matcher makes
//       the rest as it does for a private soup, and destroys it at the end. In a spare block the copy takes back what
//       the matcher of the last soup has written.
//   SITE-9  What the binding has given to a soup (`kept`) stays with the block if nothing but the soup refers to it
//       when the contents have been destroyed. The binding tells, once, by `end_kept`, on the thread that destroyed
//       them. From then on only the owner of the block can reach it: the definition of the next soup. If something else
//       refers to it, the binding has it hold the shell: the block cannot become a spare while it lives.
//
// Soups are always private if the matcher of a component says so (`is_private`); if a molecule has an origin, or a
// value that is aligned to more than a line; if they need more than CRUCIBLE_REPEAT_BYTES.
//
// Progress: finding a site and an image is lock-free, making them allocates.

#include "soup/site.h"

#include "base/memory.h"
#include "matcher/bags.h"
#include "matcher/component.h"
#include "matcher/matcher.h"
#include "soup/inject.h"
#include "soup/repeat.h"
#include "soup/soup.h"

enum { SITES = 1 << CRUCIBLE_SITE_BITS };

struct site {
  struct site *next;
  const void *file;
  uintptr_t variant;
  uint32_t line;
  crucible_matcher matcher;  ///< that is asked for
  _Atomic bool has_been;  ///< a soup of it was frozen that could leave an image; sites with one soup keep none
  _Atomic bool is_taken;  ///< a thread makes the image, or has made it, or has found that there cannot be one
  _Atomic(struct image *) image;
  struct text *texts;     ///< of the image; written by the thread that makes it
  _Atomic(struct crucible_soup *) spares[CRUCIBLE_SPARES];
};

struct text {
  struct text *next;
  char characters[];
};

static _Atomic(struct site *) sites[SITES];

// ---------------------------------------------------------------------------------------------------------------------
// Finding
// ---------------------------------------------------------------------------------------------------------------------

static struct site *find(struct site *first, const void *file, uintptr_t variant, uint32_t line,
                         crucible_matcher matcher) {
  struct site *site = first;
  while (site && (site->file != file || site->line != line || site->variant != variant || site->matcher != matcher)) {
    site = site->next;
  }
  return site;
}

static inline _Atomic(struct site *) *place_of(const void *file, uintptr_t variant, uint32_t line) {
  uint64_t key = ((uintptr_t)file ^ variant) + line;
  return &sites[(key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - CRUCIBLE_SITE_BITS)];
}

struct site *crucible__site(const crucible_soup_options *options) {
  if (!options->site) return NULL;
  _Atomic(struct site *) *place = place_of(options->site, options->variant, options->line);
  // unseen: no run under the weak memory makes a site
  struct site *first = load_acquire(place), *mine = NULL;  // partner: the CAS below
  for (;;) {
    struct site *found = find(first, options->site, options->variant, options->line, options->matcher);
    if (found) {
      crucible__free_kept(mine);
      return found;
    }
    if (!mine) mine = crucible__allocate_kept(sizeof *mine);
    if (!mine) return NULL;
    *mine = (struct site){
        .next = first, .file = options->site, .line = options->line, .variant = options->variant,
        .matcher = options->matcher};
    // unseen: no run under the weak memory makes a site
    if (cas_acq_rel(place, &first, mine)) return mine;  // partner: the load above
  }
}

static bool same_text(const char *text, const char *other) {
  if (!text) text = "";
  return text == other || strcmp(text, other) == 0;
}

const struct image *crucible__image_for(struct site *site, const crucible_soup_options *options) {
  // unseen: no run under the weak memory makes a site
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

static bool is_shared(const struct crucible_name *name) { return !name->carries && name->shared; }

static bool is_same_name(const struct crucible_soup *soup, const struct crucible_name *name,
                         const crucible_name_options *options) {
  return name->size == options->size && name->kind == options->kind &&
         (options->size == 0 || name->alignment == options->alignment) && name->destroy == options->destroy &&
         (options->shared ? name->shared == options->shared : name->release == options->release) &&
         (name->carries ? name->carry : NULL) == options->carry && is_shared(name) == !!options->shared &&
         name->line == options->line && name->puts_back == options->puts_back &&
         same_text(options->label, name->label) && crucible__is_same_file(soup, options->file, name->file);
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

// The parts of a name and of a reaction that freezing makes. What other threads may read meanwhile, because they inject
// what is held, is in none of them.
#define PART(structure, first, end) offsetof(structure, first), offsetof(structure, end) - offsetof(structure, first)
#define OF_NAME PART(struct crucible_name, component, cell)
#define OF_REACTION PART(struct reaction, component, body)
#define OF_CHOICE PART(struct reaction, word, label)
#define OF_INPUTS(reaction) \
  offsetof(struct reaction, inputs), crucible__reaction_size((reaction)->width) - offsetof(struct reaction, inputs)

static inline void zero(void *of, size_t offset, size_t size) { memset((char *)of + offset, 0, size); }

/// In a block that has been a spare, what freezing made of the names and reactions that are declared.
static void forget(struct crucible_soup *soup) {
  for (uint32_t i = 0; i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i];
    zero(name, OF_NAME);
    name->bit = 0;
    name->completes_here = false;
    name->is_retried = false;
    if (crucible__is_bagged(name)) {
      memset(&name->bag, 0, sizeof name->bag);
      name->front = 0;
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

void crucible__end_kept(struct crucible_soup *soup, uint32_t first) {
  const struct crucible_soup *like = soup->image->soup;
  for (uint32_t r = first; r < like->reaction_count; r++) {
    struct reaction *reaction = crucible__in_repeat(soup, like->reactions[r]);
    if (reaction->owned) like->reactions[r]->release(reaction->owned);
    reaction->owned = NULL;
  }
}

void crucible__end_all_kept(struct crucible_soup *soup) {
  if (soup->image) crucible__end_kept(soup, 0);
  if (soup->kept) soup->end_kept(soup->kept, false);
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

/// Whether the component has a matcher, and that keeps nothing but what a repeat copies (SITE-8).
static bool is_copied(const struct component *component) { return component->matcher && component->matcher->renew; }

void crucible__end_early(struct crucible_soup *soup) {
  if (soup->image) become_private(soup);
}

static inline void copy(void *to, const void *from, size_t offset, size_t size) {
  memcpy((char *)to + offset, (const char *)from + offset, size);
}

/// Sets what is written while a soup runs, of what freezing makes.
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
      name->front = from->front;
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
  // Counted when it is made: the others are not destroyed if there is no memory, and a child that is forked meanwhile
  // does not touch them. `create` may be any function, so the count is not stored before it returns.
  for (; soup->component_count < like->component_count; soup->component_count++) {
    struct component *component = &soup->components[soup->component_count];
    if (!component->matcher->create(component)) return false;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Spares
// ---------------------------------------------------------------------------------------------------------------------

struct crucible_soup *crucible__take_spare(struct site *site) {
  for (uint32_t i = 0; i < CRUCIBLE_SPARES; i++) {
    struct crucible_soup *spare = load_relaxed(&site->spares[i]);
    // partner: the CAS in crucible__keep_spare; unseen acquire: by reading alone: the taker writes the block again;
    // unseen release: hands nothing on
    if (spare && (spare = exchange_acq_rel(&site->spares[i], NULL))) {
      spare->is_kept = false;
      return spare;
    }
  }
  return NULL;
}

struct crucible_soup *crucible__take_spare_like(const void *file, uintptr_t variant, uint32_t line,
                                               crucible_matcher matcher, crucible_label label) {
  // unseen: no run under the weak memory makes a site
  struct site *first = load_acquire(place_of(file, variant, line));  // partner: the CAS in crucible__site
  struct site *site = find(first, file, variant, line, matcher);
  // unseen: no run under the weak memory makes a site
  const struct image *image = site ? load_acquire(&site->image) : NULL;  // partner: the release in crucible__keep_image
  if (!image || image->steps->label.low != label.low || image->steps->label.high != label.high) return NULL;
  return crucible__take_spare(site);
}

bool crucible__keep_spare(struct crucible_soup *soup) {
  if (!crucible__may_be_spare(soup)) return false;
  soup->is_kept = true;
  for (uint32_t i = 0; i < CRUCIBLE_SPARES; i++) {
    struct crucible_soup *none = NULL;
    // partner: the exchange in crucible__take_spare; unseen acquire: hands nothing on; unseen release: by reading
    // alone: the taker writes the block after what was written here
    if (!load_relaxed(&soup->site->spares[i]) && cas_acq_rel(&soup->site->spares[i], &none, soup)) return true;
  }
  soup->is_kept = false;
  return false;
}

void crucible__free_spares(void) {
  for (uint32_t i = 0; i < SITES; i++) {
    // unseen: no run under the weak memory makes a site
    for (struct site *site = load_acquire(&sites[i]); site; site = site->next) {  // partner: the CAS in crucible__site
      for (struct crucible_soup *spare; (spare = crucible__take_spare(site));) {
        crucible__delist(spare);
        crucible__end_all_kept(spare);
        crucible__free_soup(spare);
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Making an image
// ---------------------------------------------------------------------------------------------------------------------

/// Keeps a text for as long as the site, or, if there is no site, leaves it where it is. False: no memory.
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

/// Most files are the soup's own.
static bool keep_file(struct site *site, const struct crucible_soup *soup, const char **file) {
  if (strcmp(*file, soup->file) != 0) return keep_text(site, file);
  *file = soup->file;
  return true;
}

/// Declares what `like` has, in the same order for each kind.
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

/// Does the part of freezing that repeats copy. Each repeat does the rest itself.
static bool lay_out(struct crucible_soup *soup) {
  if (!crucible__layout_components(soup)) return false;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    crucible_name *culprit;
    if (crucible__choose_matcher(component, &component->matcher, &culprit) != CRUCIBLE_OK) return false;
    if (component->matcher->is_private) return false;
    if (is_copied(component) && !component->matcher->create(component)) {
      component->matcher = NULL;
      return false;
    }
  }
  return true;
}

struct attempt {
  struct crucible_soup *soup;
  size_t lines, lists;  ///< what is used of the block, the soup included, and where its lists begin
  size_t lines_made;    ///< where the lines begin that freezing made
  size_t lists_made;    ///< where those lists end
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

/// A soup like that one, in a block of that size, its texts kept by `site`, if any. False: it needs more than that, or
/// there is no memory.
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

/// Notes the pointers of a part that a repeat copies. False: it contains other addresses (SITE-5).
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

/// An image of what `kept` and `twin` are both. Null: they contain other addresses, or no memory.
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

/// Null: there cannot be one, or no memory. The first attempt tells how large the others are.
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

/// The image's from now on, for all repeats.
static void share_contexts(struct crucible_soup *soup, const struct image *image) {
  for (uint32_t i = 0; i < soup->name_count; i++) {
    struct crucible_name *name = soup->names[i];
    if (!is_shared(name)) continue;
    image->soup->names[i]->context = image->steps->names[i].context = name->context;
    name->release = NULL;
  }
}

void crucible__keep_image(struct crucible_soup *soup) {
  struct site *site = soup->site;
  if (!site || !soup->may_repeat || crucible__is_complete(soup)) return;
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (soup->names[i]->puts_back) return;  // its component has a matcher of its own
  }
  if (!load_relaxed(&site->has_been)) {
    store_relaxed(&site->has_been, true);
    return;
  }
  if (load_relaxed(&site->is_taken) || exchange_acq_rel(&site->is_taken, true)) return;  // unseen: SITE-4
  struct image *image = can_have_image(soup) ? make_image(soup, site) : NULL;
  if (image) share_contexts(soup, image);
  for (uint32_t i = 0; image && image->is_whole && i < image->soup->name_count; i++) {
    crucible__open_name(image->soup->names[i]);
  }
  // unseen: no run under the weak memory makes a site
  if (image) store_release(&site->image, image);  // partner: the acquire in crucible__image_for
}

#if defined(CRUCIBLE_SCHEDULER)
void crucible__forget_sites(void) {
  crucible__free_spares();
  for (uint32_t i = 0; i < SITES; i++) {
    for (struct site *site = load_relaxed(&sites[i]), *next; site; site = next) {
      next = site->next;
      struct image *image = load_relaxed(&site->image);
      if (image) end(&(struct attempt){.soup = image->soup});
      if (image) crucible__free_kept(image->steps);
      crucible__free_kept(image);
      for (struct text *text = site->texts, *more; text; text = more) {
        more = text->next;
        crucible__free_kept(text);
      }
      crucible__free_kept(site);
    }
    store_relaxed(&sites[i], NULL);
  }
}
#endif
