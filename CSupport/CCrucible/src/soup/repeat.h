// The steps of a definition, as a repeat takes them: see repeat.c.

#ifndef CRUCIBLE_REPEAT_H
#define CRUCIBLE_REPEAT_H

#include "types.h"

/// The shape of a species that crucible_soup_repeat_name does not serve.
#define NO_SHAPE UINT64_MAX

/// Packs a label for comparison. All labels of more than 15 bytes are equal.
crucible_label crucible__label_words(const char *text);

#endif
