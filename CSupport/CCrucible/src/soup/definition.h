// Taking the memory of a name that is declared.

#ifndef CRUCIBLE_DEFINITION_H
#define CRUCIBLE_DEFINITION_H

#include "types.h"

/// Makes the next name of the soup. Its first value is not there yet. Null: no memory.
struct crucible_name *crucible__make_name(struct crucible_soup *soup, struct species *species, bool special);

#endif
