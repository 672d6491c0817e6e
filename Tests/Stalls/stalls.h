// Shared by the program and the library that it freezes.

#ifndef STALLS_H
#define STALLS_H

#include <stdbool.h>

/// This thread allocates for the core.
extern _Thread_local volatile bool stalls_allocating;

#endif
