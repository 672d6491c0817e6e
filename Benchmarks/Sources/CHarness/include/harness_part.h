// Marks where a part of a program ends and the next one begins, for callgrind, which counts the instructions of each
// part. It writes its counts whenever this function is entered (--dump-before=harness_part).

#ifndef HARNESS_PART_H
#define HARNESS_PART_H

void harness_part(void);

#endif
