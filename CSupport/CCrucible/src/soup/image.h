// Making the image of a site, and the parts of a soup that a repeat copies from it: see image.c and site.c.

#ifndef CRUCIBLE_IMAGE_H
#define CRUCIBLE_IMAGE_H

#include "soup/site.h"
#include "soup/soup.h"

/// Makes the image of the soup's site, if it is to be made now. Called after the soup is frozen.
void crucible__keep_image(struct crucible_soup *soup);
#if defined(CRUCIBLE_SCHEDULER)
/// Frees the image of a site. Requires: as crucible__forget_sites.
void crucible__forget_image(struct site *site);
#endif

// The parts of a name and of a reaction that freezing makes. Other threads may inject held molecules meanwhile, but
// read none of these parts.
#define PART(structure, first, end) offsetof(structure, first), offsetof(structure, end) - offsetof(structure, first)
#define OF_NAME PART(struct crucible_name, component, cell)
// the matcher's, for a name with a bag; other names have a cell
#define OF_BAGGED PART(struct crucible_name, cell, size)
#define OF_REACTION PART(struct reaction, component, body)
#define OF_CHOICE PART(struct reaction, word, label)
#define OF_INPUTS(reaction) \
  offsetof(struct reaction, inputs), crucible__reaction_size((reaction)->width) - offsetof(struct reaction, inputs)

/// Whether all repeats have the context of the image's name.
static inline bool crucible__is_shared(const struct crucible_name *name) { return !name->carries && name->shared; }

#endif
