// The decisions of freezing a soup, which the images of sites need, too.

#ifndef CRUCIBLE_DEFINITION_H
#define CRUCIBLE_DEFINITION_H

#include "types.h"

/// Chooses the matcher of a component. Requires: none has made its record yet.
crucible_status crucible__choose_matcher(struct component *component, const struct matcher **chosen,
                                         crucible_name **culprit);

#endif
