// The bodies that continue after their thread has left them, listed by the tasks of the binding that run them.
//
// The table consists of lists with a lock each, so that bodies on different threads seldom meet. A caller of
// `crucible_firing_of` passes its own task, or one that cannot end its body meanwhile. So the result lives as long as
// the caller uses it.

#include "base/lock.h"
#include "base/tuning.h"
#include "firing/firing.h"

static struct list {
  struct lock lock;
  struct crucible_firing *first;
} lists[CRUCIBLE_BODY_LISTS] = {[0 ... CRUCIBLE_BODY_LISTS - 1] = {.lock = {PTHREAD_MUTEX_INITIALIZER}}};

/// Finds the list of a task. Tasks are aligned, and lie in memory that is used again soon, so the middle bits differ
/// most.
static struct list *list_of(const void *task) {
  return &lists[((uint64_t)(uintptr_t)task >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 32 & (CRUCIBLE_BODY_LISTS - 1)];
}

void crucible__enlist_body(crucible_firing *firing, const void *task) {
  struct list *list = list_of(task);
  firing->task = task;
  lock_acquire(&list->lock);
  firing->next = list->first;
  firing->link = &list->first;
  if (firing->next) firing->next->link = &firing->next;
  list->first = firing;
  lock_release(&list->lock);
}

void crucible__delist_body(crucible_firing *firing) {
  struct list *list = list_of(firing->task);
  lock_acquire(&list->lock);
  *firing->link = firing->next;
  if (firing->next) firing->next->link = firing->link;
  lock_release(&list->lock);
}

crucible_firing *crucible_firing_of(const void *task) {
  struct list *list = list_of(task);
  lock_acquire(&list->lock);
  struct crucible_firing *firing = list->first;
  while (firing && firing->task != task) firing = firing->next;
  lock_release(&list->lock);
  return firing;
}

void crucible_soup_visit_tasks(const crucible_soup *soup, void (*visit)(const void *task, void *context),
                               void *context) {
  for (size_t i = 0; i < CRUCIBLE_BODY_LISTS; i++) {
    lock_acquire(&lists[i].lock);
    for (const struct crucible_firing *firing = lists[i].first; firing; firing = firing->next) {
      if (firing->reaction->soup == soup) visit(firing->task, context);
    }
    lock_release(&lists[i].lock);
  }
}

void crucible__bodies_after_fork(void) {
  for (size_t i = 0; i < CRUCIBLE_BODY_LISTS; i++) {
    lock_create(&lists[i].lock);  // a thread of the parent may have held it
    lists[i].first = NULL;
  }
}
