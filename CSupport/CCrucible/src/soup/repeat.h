// The steps of a definition, as a repeat in a spare block takes them: see repeat.c.

#ifndef CRUCIBLE_REPEAT_H
#define CRUCIBLE_REPEAT_H

#include "types.h"

/// The declaration of a name, and its place in a block, in one cache line. Only `file` changes after the image is
/// published.
struct name_step {
  _Alignas(64) crucible_label label;
  uint64_t shape;                  ///< crucible_name_shape; NO_SHAPE: not such a step
  const void *shared;
  _Atomic(const char *) file;      ///< an address at which the text of its file has been found
  void *context;                   ///< the context of the image, for all repeats; null: none
  uint32_t line;
  uint32_t name, cell;             ///< offsets; 0: there is no cell
};
_Static_assert(sizeof(struct name_step) == 64, "a step is compared within a line");

/// The declaration of a reaction, whose inputs lie in the block. Only `file` changes after the image is published.
struct reaction_step {
  void (*empty)(void *context);  ///< null: not such a step
  _Atomic(const char *) file;
  crucible_placement placement;
  uint32_t input_count;
  uint32_t line;
  uint32_t reaction;             ///< an offset
};

struct steps {
  crucible_label label;             ///< of the soup
  struct reaction_step *reactions;  ///< in their order, followed by one that is not a step
  struct name_step names[];
};

/// Makes the steps of an image, without contexts. Null: no memory.
struct steps *crucible__make_steps(const struct crucible_soup *image);

#endif
