#include "harness_part.h"

// A call that is always made, to a function that has a name at run time.
__attribute__((noinline, used)) void harness_part(void) { __asm__ volatile(""); }

__attribute__((noinline)) void harness_opaque(void) { __asm__ volatile(""); }
