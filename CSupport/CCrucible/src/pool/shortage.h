// Reporting that the pool needs a thread and cannot get one.

#ifndef CRUCIBLE_SHORTAGE_H
#define CRUCIBLE_SHORTAGE_H

#include "CCrucible.h"

/// Arranges that the handler is called, on a thread created for it. Does not wait for it.
void crucible__shortage_tell(const crucible_pool_shortage *shortage);
/// Retries, if the handler has not been called because no thread could be created for it.
void crucible__shortage_retry(void);
/// Resets the record in the child of a fork: there is nothing to report.
void crucible__shortage_after_fork(void);

#endif
