// The process as a whole: fork.

#ifndef CRUCIBLE_PROCESS_H
#define CRUCIBLE_PROCESS_H

struct crucible_soup;

/// Marks the soup as the parent's, in the child of a fork. All its uses are refused from now on.
void crucible__inherit(struct crucible_soup *soup);

#endif
