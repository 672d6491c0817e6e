// What holds for the process as a whole: fork.

#ifndef CRUCIBLE_PROCESS_H
#define CRUCIBLE_PROCESS_H

/// Sees to it that a child that this process forks can make and use soups. To be called before the first read section.
void crucible__process_prepare(void);

#endif
