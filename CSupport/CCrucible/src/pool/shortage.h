// Telling that the pool needs a thread and cannot have it.

#ifndef CRUCIBLE_SHORTAGE_H
#define CRUCIBLE_SHORTAGE_H

#include "CCrucible.h"

/// Has the handler called, on a thread made for it. Does not wait for it.
void crucible__shortage_tell(const crucible_pool_shortage *shortage);
/// Tries again, if the handler is still to be called because no thread could be made for it.
void crucible__shortage_retry(void);
/// In the child: nothing is to be reported.
void crucible__shortage_after_fork(void);

#endif
