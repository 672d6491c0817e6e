// Deciding which names belong together, and where each lies in the state word.

#ifndef CRUCIBLE_LAYOUT_H
#define CRUCIBLE_LAYOUT_H

#include "types.h"

/// Threads that may add to the word by fetch-and-add: a blind field has room above its limit for one addition of each. Wide
/// fields have room for those that have a stripe.
#ifndef CRUCIBLE_BLIND_THREADS
#define CRUCIBLE_BLIND_THREADS 16
#endif

/// Bits of the word for counts; the others are for control.
#define CRUCIBLE_FIELD_BITS 62

/// The most firings that are reserved at once while a state is held.
#ifndef CRUCIBLE_BATCH
#define CRUCIBLE_BATCH 16
#endif

/// Makes the soup's components, with the candidates of every name. False: no memory; what was made is found in the soup.
bool crucible__layout_components(struct crucible_soup *soup);
/// Gives every name of the component a field of the state word. False: they do not fit.
bool crucible__layout_word(struct component *component);
/// Fills the lists of candidates, after the fields were given out if there are any.
void crucible__layout_lists(struct component *component);

#endif
