// Errors. The caller gets them, or, where no caller can, the process ends with a message.

#ifndef CRUCIBLE_ERRORS_H
#define CRUCIBLE_ERRORS_H

#include "CCrucible.h"

/// Ends the process with a message: for what can neither be refused nor reported, as memory for a firing already
/// reserved.
_Noreturn void crucible__die(const char *what);

/// Why this thread's last injection was refused: set by the refusing code, because a soup that was stopped then may run
/// again by the time that a caller asks.
extern _Thread_local crucible_status crucible__refusal __attribute__((tls_model("initial-exec")));
static inline bool crucible__refuse(crucible_status why) {
  crucible__refusal = why;
  return false;
}

#endif
