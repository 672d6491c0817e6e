// Replaces liburcu's bulletproof flavour while schedules are explored. The core includes it by the same name.
//
// Grace periods here are deterministic and as short as possible. The step that ends the last read section that was open
// when the memory was retired frees it (memory.c).

#ifndef SCHEDULES_URCU_BP_H
#define SCHEDULES_URCU_BP_H

struct rcu_head {
  struct rcu_head *next;
  void (*function)(struct rcu_head *head);
};

void urcu_bp_read_lock(void);
void urcu_bp_read_unlock(void);
void urcu_bp_call_rcu(struct rcu_head *head, void (*function)(struct rcu_head *head));
void urcu_bp_barrier(void);

// No process forks once it has made a soup.
static inline void urcu_bp_before_fork(void) {}
static inline void urcu_bp_after_fork_parent(void) {}
static inline void urcu_bp_after_fork_child(void) {}
static inline void urcu_bp_call_rcu_before_fork(void) {}
static inline void urcu_bp_call_rcu_after_fork_parent(void) {}
static inline void urcu_bp_call_rcu_after_fork_child(void) {}

#endif
