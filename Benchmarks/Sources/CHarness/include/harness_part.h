// Calls that do nothing.

#ifndef HARNESS_PART_H
#define HARNESS_PART_H

/// Marks where a part of a program ends and the next one begins, for callgrind, which counts the instructions of each
/// part. It writes its counts whenever this function is entered (--dump-before=harness_part).
void harness_part(void);

/// Does nothing, which its callers cannot know. Between two awaits, this call needs its task's executor. Without it,
/// the compiler removes the hop back from an actor, so that tasks which use one actor run on one processor.
void harness_opaque(void);

#endif
