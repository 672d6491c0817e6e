// Replaces liburcu's bulletproof flavour while schedules are explored. The core includes it by the same name.
//
// Grace periods here are deterministic and as short as possible. The step that ends the last read section that was open
// when the memory was retired frees it (memory.c).

#ifndef SCHEDULES_URCU_BP_H
#define SCHEDULES_URCU_BP_H

void urcu_bp_read_lock(void);
void urcu_bp_read_unlock(void);

// No process forks once it has made a soup.
static inline void urcu_bp_before_fork(void) {}
static inline void urcu_bp_after_fork_parent(void) {}
static inline void urcu_bp_after_fork_child(void) {}
static inline void urcu_bp_synchronize_rcu(void) {}

#endif
