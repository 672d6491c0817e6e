// Soups that have no owner any more, and that bodies keep alive.
//
// A body that waits for a reply of its own soup keeps the soup. The soup keeps it waiting if the consumer of its call
// is gone. So a soup without owners is closed when nothing is in progress in it except bodies that wait for calls that
// wait in its bags. From then on it can no longer be held (holds.c), every injection is refused, and waiting molecules
// are destroyed, the calls with CRUCIBLE_GONE. The bodies continue with that answer. The last of them to end destroys
// the contents.
//
//   UNOWNED-1  A soup is closed only if all its holds are firings, and each of these is a body whose call waits. The
//       holds are compared and marked by one step. The lock guards the list of waiting bodies. A body stays in it until
//       it has acquired the lock. Its call stays in the bag as long as the soup has no other holds, because a thread
//       that takes the call out holds the soup, as an owner or by a firing.
//   UNOWNED-2  A soup for which the condition of UNOWNED-1 holds is closed. The condition can become true by the end of
//       a hold, or by a body that begins to wait. A hold ends under the lock if it leaves no owner. A body is counted
//       under the lock, and afterwards checks whether there is an owner. The later one of the two sees the other. The
//       check comes after the end of the hold. Otherwise a call could appear to be taken that another thread puts back,
//       while the hold of that thread ends but this one is still there.
//   UNOWNED-3  No thread accesses the soup after its end. A thread that releases its hold under the lock keeps the
//       shell until it has released the lock. As long as it finds only waiting bodies, these cannot end, because that
//       requires the lock. To close the soup the thread acquires a further hold.
//   UNOWNED-4  Of each body, `report_unowned` finds the task in the lists, or the body finds the soup without an owner.
//       The last owner first exchanges its hold for that of a firing, and then reports. A body first enters its task
//       into a list (crucible_firing_begin), and then checks whether there is an owner. Both use the list's lock, so
//       the second of the two sees the step of the first. An owner that comes later, such as a weak name's injection,
//       reports again when it leaves.
//
// A call that gives up counts as waiting until its caller is signalled. The soup may be closed meanwhile. The caller
// then gets the outcome for which the call gave up, and finds the soup gone, as if it had been closed the moment after.
//
// Progress: blocks, on the soup's lock. Only watched soups without owners use it.

#include "base/above.h"
#include "base/lock.h"
#include "firing/firing.h"
#include "soup/soup.h"

/// Whether this number of firings are all bodies whose calls wait in the bags. Requires: the lock.
static bool only_wait(const struct crucible_soup *soup, uint64_t firings) {
  if (soup->suspended != firings) return false;
  for (const crucible_waiting *note = soup->waiting; note; note = note->next) {
    if (!note->is_body) continue;
    if (crucible_waiter_is_signalled(note->waiter) || crucible__waiter_is_taken(note->waiter)) return false;
  }
  return true;
}

/// Marks a soup as closed if all its holds are waiting bodies, and acquires a further hold for this thread. Requires:
/// the lock.
static bool mark_closed(struct crucible_soup *soup) {
  uint64_t holds = load_acquire(&soup->holds);  // partner: the compare-and-swap that took a hold back
  while (crucible__is_unowned(holds) && !(holds & CRUCIBLE_CLOSED) && only_wait(soup, holds / CRUCIBLE_PENDING)) {
    if (cas_acq_rel(&soup->holds, &holds, (holds | CRUCIBLE_CLOSED) + CRUCIBLE_PENDING)) return true;
  }
  return false;
}

/// Completes a close that `mark_closed` has begun.
static void close_marked(struct crucible_soup *soup) {
  crucible__close(soup);
  crucible__soup_release_holds(soup, CRUCIBLE_PENDING);
}

void crucible__look_unowned(struct crucible_soup *soup) {
  lock_acquire(&soup->lock);
  bool closes = mark_closed(soup);
  lock_release(&soup->lock);
  if (closes) close_marked(soup);
}

void crucible__leave_unowned(struct crucible_soup *soup, uint64_t units) {
  crucible_soup_retain_shell(soup);  // UNOWNED-3
  if (units == CRUCIBLE_OWNER && soup->report_unowned) {
    // hands nothing on; the lock of the list orders it with the check of a body (UNOWNED-4)
    uint64_t before = fetch_add_acq_rel(&soup->holds, CRUCIBLE_PENDING - CRUCIBLE_OWNER);
    units = CRUCIBLE_PENDING;
    if (crucible__is_unowned(before - CRUCIBLE_OWNER)) soup->report_unowned(soup);
  }
  lock_acquire(&soup->lock);
  uint64_t holds = load_relaxed(&soup->holds), rest;
  do {
    rest = crucible__remaining(holds - units);
  } while (!cas_acq_rel(&soup->holds, &holds, rest));
  bool closes = soup->suspended > 0 && mark_closed(soup);
  lock_release(&soup->lock);
  if (closes) close_marked(soup);
  if (rest == 0) crucible__above.destroy_contents(soup);
  crucible_soup_release_shell(soup);
}
