// The process as a whole: fork.

#ifndef CRUCIBLE_PROCESS_H
#define CRUCIBLE_PROCESS_H

struct crucible_soup;

/// Sees to it that a child that this process forks can make and use soups. To be called before the first read section.
void crucible__process_prepare(void);
/// In the child: the soup is of the parent, and everything that would use it is refused from now on.
void crucible__inherit(struct crucible_soup *soup);

#endif
