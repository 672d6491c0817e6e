// fork.
//
// The child has only the thread that forked. liburcu is told, so that its grace periods do not wait for threads that are not
// there and its reclaiming thread is made anew (it installs no handlers of its own; preparing may take the 10 ms after which
// that thread looks up). Thread records of the others are free again, and the pool is empty.
//
// Soups made before the fork may have been in the middle of anything on other threads: the child must not use them, and lets
// them be. Their memory is the child's copy, and ends with it.

#include "process.h"

#include <pthread.h>

#include "pool.h"
#include "reclamation.h"
#include "soup.h"
#include "thread.h"

static void before(void) {
  crucible__registry_before_fork();
  urcu_bp_call_rcu_before_fork();
  urcu_bp_before_fork();
}

static void after_in_parent(void) {
  urcu_bp_after_fork_parent();
  urcu_bp_call_rcu_after_fork_parent();
  crucible__registry_after_fork(false);
}

static void after_in_child(void) {
  urcu_bp_after_fork_child();
  urcu_bp_call_rcu_after_fork_child();
  crucible__thread_after_fork();
  crucible__pool_after_fork();
  crucible__registry_after_fork(true);
}

static void install(void) { pthread_atfork(before, after_in_parent, after_in_child); }

void crucible__process_prepare(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
}
