// Where a part of a program ends and the next one begins, for a tool that counts what each part executes: callgrind,
// told to write what it has counted whenever this function is entered (--dump-before=harness_part).

#ifndef HARNESS_PART_H
#define HARNESS_PART_H

void harness_part(void);

#endif
