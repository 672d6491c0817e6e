// Errors. The caller gets them. Where no caller can, the process ends with a message.

#ifndef CRUCIBLE_ERRORS_H
#define CRUCIBLE_ERRORS_H

#include "CCrucible.h"

/// Ends the process with a message. For failures that can be neither refused nor reported, such as missing memory for a
/// firing that is already reserved.
_Noreturn __attribute__((format(printf, 1, 2))) void crucible__die(const char *format, ...);

/// The reason why this thread's last injection was refused. The refusing code sets it, because a soup that was stopped
/// then may run again by the time that a caller reads it.
extern _Thread_local crucible_status crucible__refusal __attribute__((tls_model("initial-exec")));
static inline bool crucible__refuse(crucible_status why) {
  crucible__refusal = why;
  return false;
}

#endif
