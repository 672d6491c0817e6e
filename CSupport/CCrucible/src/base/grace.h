// Grace periods, and the thread that frees memory after them; see grace.c.

#ifndef CRUCIBLE_GRACE_H
#define CRUCIBLE_GRACE_H

#include "base/reclamation.h"

/// Makes the thread, once in a process. If none can be made, writes a line, and memory waits.
void crucible__grace_begin(void);
/// Reclaims the memory after all current read sections have ended. Never blocks.
void crucible__grace_then_reclaim(struct retired *memory);
/// Blocks until all memory that was retired before is reclaimed.
void crucible__grace_wait(void);
/// Blocks until no memory is being reclaimed, and keeps threads from it.
void crucible__grace_before_fork(void);
void crucible__grace_after_fork(bool in_child);

#endif
