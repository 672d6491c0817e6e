// Sections: what threads do under locks of the language binding; see section.c.

#ifndef CRUCIBLE_SECTION_H
#define CRUCIBLE_SECTION_H

/// Blocks until no other thread is in a section, and keeps threads out of new ones. Requires: no other thread forks.
void crucible__sections_before_fork(void);
/// Lets threads enter sections again, in the parent and in the child.
void crucible__sections_after_fork(void);

#endif
