// What freezing a soup decides, for the images of sites too.

#ifndef CRUCIBLE_DEFINITION_H
#define CRUCIBLE_DEFINITION_H

#include "types.h"

/// Chooses the matcher of a component, which has made nothing yet.
crucible_status crucible__choose_matcher(struct component *component, const struct matcher **chosen,
                                         crucible_name **culprit);

#endif
