// The process as a whole: fork, and where the layers meet.
//
// The child has only the thread that forked. liburcu is informed, so that its grace periods do not wait for missing
// threads. liburcu installs no handlers of its own. The records of the other threads are free again, and the pool is
// empty.
//
// Soups created before the fork may be in any state because of other threads: locked, with a running body, with a
// waiting call. The child inherits them as they were, and any use of one ends the child with a message. For this the
// names get the function that refuses injections, as for a stop. So injections into other soups pay nothing. All other
// calls, which are less frequent, check the soup. A thread that forked in the middle of a body finds no lock held and
// no reaction enabled.
//
// The contents of an inherited soup are held forever, because other holders, and threads in the middle of its bags, are
// missing. Its memory is the child's copy, and ends with the child.
//
// The handlers are installed before `main`, so they run inside those of the program: last before a fork, and first
// after it. A handler of the program may wait for a lock whose holder uses the library, or may use it itself.
//
// Their order: no memory may be in the middle of being freed (grace.c); by that lock, threads that fork at the same
// time take turns. Then no thread may be in a section of the binding (section.c), where it may wait for the lock of the
// registry. That lock comes next, and liburcu's readers last.

#include <pthread.h>

#include "base/above.h"
#include "base/errors.h"
#include "base/grace.h"
#include "base/reclamation.h"
#include "base/section.h"
#include "base/thread.h"
#include "firing/firing.h"
#include "firing/visits.h"
#include "pool/pool.h"
#include "soup/inject.h"
#include "soup/soup.h"

static void before(void) {
  crucible__grace_before_fork();
  crucible__sections_before_fork();
  crucible__registry_before_fork();
  urcu_bp_before_fork();
}

static void after_in_parent(void) {
  urcu_bp_after_fork_parent();
  crucible__registry_after_fork(false);
  crucible__sections_after_fork();
  crucible__grace_after_fork(false);
}

static void after_in_child(void) {
  urcu_bp_after_fork_child();
  crucible__thread_after_fork();
  crucible__pool_after_fork();
  crucible__alarms_after_fork();
  crucible__bodies_after_fork();
  crucible__registry_after_fork(true);
  crucible__sections_after_fork();
  crucible__grace_after_fork(true);
}

/// Hands down the functions of higher layers that lower layers call. Runs before any other constructor, which may use
/// soups.
__attribute__((constructor(101))) static void put_layers_together(void) {
  crucible__above = (struct above){.idle = &crucible__idle,
                                   .inject_with_origin = crucible__inject_with_origin,
                                   .feed = crucible__feed,
                                   .run_pending = crucible__run_pending,
                                   .end_visits = crucible__end_visits,
                                   .note_backlog = crucible__note_backlog,
                                   .release_advance = crucible__release_advance,
                                   .destroy_contents = crucible__soup_destroy,
                                   .leave_unowned = crucible__leave_unowned,
                                   .look_unowned = crucible__look_unowned};
  if (pthread_atfork(before, after_in_parent, after_in_child) != 0) crucible__die("no memory for fork handlers");
}
