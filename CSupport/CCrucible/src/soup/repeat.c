// Declaring names and reactions that a spare block has had before. That covers most definitions of a program, so it is
// a few comparisons and stores.
//
// A step is compared with a record of one line, and not with the name or reaction itself, which lies over several
// lines. Texts are compared by words: a label of up to 15 bytes is two words (crucible_label), and the file of a step
// is an address.
//
//   REPEAT-1  A record has everything that distinguishes a step from another. Equal words are equal labels. Short texts
//       are their own words. The words of a longer text are made at its step, after its characters have been compared.
//   REPEAT-2  A file lies in the program, so the text at its address does not change. An address is recorded after its
//       text has been compared. Threads that record different addresses of one text each store a correct one. A thread
//       that finds another address compares the text again.
//   REPEAT-3  The last step is followed by one that equals nothing, so steps need not be counted.
//
// A step that is of another kind, or differs, is left to `crucible_soup_add_name` and `_add_reaction`, which compare
// all of it (SITE-3).
//
// Progress: wait-free.

#include "soup/repeat.h"

#include <string.h>

#include "base/memory.h"
#include "soup/held.h"
#include "soup/site.h"

enum { SHORT = 15 };
static const uint64_t NO_SHAPE = UINT64_MAX;

static crucible_label short_label(const char *text, size_t length) {
  crucible_label label = {0, 0};
  memcpy(&label, text, length);
  return label;
}
static const crucible_label long_label = {UINT64_MAX, UINT64_MAX};
static const crucible_label other_label = {0, UINT64_MAX};

static inline struct steps *next_steps(const struct crucible_soup *soup) {
  return !soup->is_spare || !soup->image || soup->inherited ? NULL : soup->image->steps;
}

crucible_label crucible_soup_next_label(const crucible_soup *soup, const char *text) {
  size_t length = strlen(text);
  if (length <= SHORT) return short_label(text, length);
  const struct crucible_soup *like = soup->image ? soup->image->soup : NULL;
  bool is_next = like && soup->name_count < like->name_count && strcmp(text, like->names[soup->name_count]->label) == 0;
  return is_next ? long_label : other_label;
}

static inline __attribute__((always_inline)) crucible_name *take_name(struct crucible_soup *soup,
                                                                      const struct name_step *step) {
  struct crucible_name *name = (void *)((char *)soup + step->name);
  if (step->cell) name->cell = (char *)soup + step->cell;
  crucible__begin_name(name, step->shape >> CRUCIBLE_KIND_SHIFT == CRUCIBLE_FAST);
  name->context = step->context;
  soup->name_count++;  // the list already contains it
  return name;
}

static __attribute__((noinline)) crucible_name *take_name_in(struct crucible_soup *soup, struct name_step *step,
                                                             const char *file) {
  const struct crucible_name *name = (const void *)((const char *)soup + step->name);
  if (strcmp(file, name->file) != 0) return NULL;
  store_relaxed(&step->file, file);
  return take_name(soup, step);
}

crucible_name *crucible_soup_repeat_name(crucible_soup *soup, crucible_label label, uint64_t shape, const void *shared,
                                         const char *file, uint32_t line) {
  struct steps *steps = next_steps(soup);
  if (!steps) return NULL;
  struct name_step *step = &steps->names[soup->name_count];
  if (step->label.low != label.low || step->label.high != label.high || step->shape != shape ||
      step->shared != shared || step->line != line) {
    return NULL;
  }
  if (UNLIKELY(load_relaxed(&step->file) != file)) return take_name_in(soup, step, file);
  return take_name(soup, step);
}

static inline __attribute__((always_inline)) void *take_reaction(struct crucible_soup *soup,
                                                                 const struct reaction_step *step,
                                                                 crucible_name *const *inputs) {
  struct reaction *reaction = (void *)((char *)soup + step->reaction);
  void *owned = reaction->owned;
  if (!owned) return NULL;
  for (uint32_t i = 0; i < step->input_count; i++) {
    if (reaction->inputs[i].name != inputs[i]) return NULL;
  }
  atomic_init(&reaction->context, owned);
  atomic_init(&reaction->placed, 0);
  atomic_init(&reaction->taken, 0);
  soup->reaction_count++;
  return owned;
}

static __attribute__((noinline)) void *take_reaction_in(struct crucible_soup *soup, struct reaction_step *step,
                                                        crucible_name *const *inputs, const char *file) {
  const struct reaction *reaction = (const void *)((const char *)soup + step->reaction);
  if (strcmp(file, reaction->file) != 0) return NULL;
  store_relaxed(&step->file, file);
  return take_reaction(soup, step, inputs);
}

void *crucible_soup_repeat_reaction(crucible_soup *soup, crucible_name *const *inputs, size_t input_count,
                                    crucible_placement placement, void (*empty)(void *context), const char *file,
                                    uint32_t line) {
  struct steps *steps = next_steps(soup);
  if (!steps) return NULL;
  struct reaction_step *step = &steps->reactions[soup->reaction_count];
  if (step->empty != empty || step->placement != placement || step->input_count != input_count || step->line != line) {
    return NULL;
  }
  if (UNLIKELY(load_relaxed(&step->file) != file)) return take_reaction_in(soup, step, inputs, file);
  return take_reaction(soup, step, inputs);
}

// ---------------------------------------------------------------------------------------------------------------------
// With the image
// ---------------------------------------------------------------------------------------------------------------------

static uint32_t offset_of(const struct crucible_soup *image, const void *thing) {
  return thing ? (uint32_t)((const char *)thing - (const char *)image) : 0;
}

static crucible_label label_of(const char *text) {
  size_t length = strlen(text);
  return length <= SHORT ? short_label(text, length) : long_label;
}

static struct name_step name_step(const struct crucible_soup *image, const struct crucible_name *name) {
  bool is_plain = !name->carries && (name->shared || !name->destroy);
  return (struct name_step){
      .label = label_of(name->label),
      .shape = is_plain ? crucible_name_shape((crucible_kind)name->kind, name->size, name->alignment) : NO_SHAPE,
      .shared = is_plain ? name->shared : NULL, .line = name->line, .name = offset_of(image, name),
      .cell = offset_of(image, crucible__has_cell(name) ? name->cell : NULL)};
}

static struct reaction_step reaction_step(const struct crucible_soup *image, const struct reaction *reaction) {
  return (struct reaction_step){
      .empty = reaction->retries || *reaction->label ? NULL : reaction->empty, .placement = reaction->placement,
      .input_count = reaction->width, .line = reaction->line, .reaction = offset_of(image, reaction)};
}

struct steps *crucible__make_steps(const struct crucible_soup *image) {
  size_t size = offsetof(struct steps, names) + (image->name_count + 1) * sizeof(struct name_step);
  struct steps *steps = crucible__allocate_kept(size + (image->reaction_count + 1) * sizeof(struct reaction_step));
  if (!steps) return NULL;
  steps->label = label_of(image->label);
  steps->reactions = (void *)((char *)steps + size);
  for (uint32_t i = 0; i < image->name_count; i++) steps->names[i] = name_step(image, image->names[i]);
  for (uint32_t r = 0; r < image->reaction_count; r++) {
    steps->reactions[r] = reaction_step(image, image->reactions[r]);
  }
  steps->names[image->name_count] = (struct name_step){.shape = NO_SHAPE};
  steps->reactions[image->reaction_count] = (struct reaction_step){0};
  return steps;
}
