// The registry: the list of all matchers.

#ifndef CRUCIBLE_REGISTRY_H
#define CRUCIBLE_REGISTRY_H

#include "matcher/matcher.h"

/// All matchers, in the order in which CRUCIBLE_AUTOMATIC tries them, followed by a null. A crucible_matcher is 1 + the
/// index here.
extern const struct matcher *const crucible__matchers[];
extern const struct matcher crucible__word;
extern const struct matcher crucible__wide;
extern const struct matcher crucible__locked;
extern const struct matcher crucible__arrival;
extern const struct matcher crucible__claim;
extern const struct matcher crucible__keyed;

#endif
