// Locks of the binding, and forks (base/section.c). The cases detect two threads under one lock, a thread that is never
// woken, and a fork in the middle of a section.
//
// There is no soup here. Each client follows a word:
//
//   l   changes the data under the lock
//   n   does that in a section of another lock
//   f   forks: checks the data while no section is open, changes it, and lets the sections go on
//
//   SECTIONS-1  one thread at a time changes the data
//   SECTIONS-2  while a thread forks, the data is whole, and no lock is held
//   SECTIONS-3  no thread waits for ever (the scheduler reports it)

#include "base/section.h"

#include <string.h>

#include "CCrucible.h"
#include "base/atomics.h"
#include "trial.h"
#include "weak/weak.h"

static struct {
  crucible_lock outer, lock;
  _Atomic uint32_t inside;
  uint64_t first, second;  ///< equal, except while a thread changes them
  unsigned changes;
} data;

static void define(struct trial *trial) { memset(&data, 0, sizeof data); }

static void change(void) {
  crucible_lock_acquire(&data.lock);
  if (exchange_acq_rel(&data.inside, 1)) scheduler_fail("two threads have a lock");
  uses(&data.first, 2 * sizeof data.first);
  data.first++;
  store_relaxed(&data.inside, 0);
  data.second++;
  data.changes++;
  crucible_lock_release(&data.lock);
}

static void fork_now(void) {
  crucible__sections_before_fork();
  uses(&data.first, 2 * sizeof data.first);
  if (data.first != data.second) scheduler_fail("a fork comes in the middle of a section");
  if (data.lock.state != 0 || data.outer.state != 0) scheduler_fail("a lock is held in the middle of a fork");
  change();
  crucible__sections_after_fork();
}

static void follow(struct trial *trial, unsigned index) {
  for (const char *c = trial->chemistry->words[index]; *c; c++) {
    if (*c == 'l') change();
    if (*c == 'f') fork_now();
    if (*c == 'n') {
      crucible_lock_acquire(&data.outer);
      change();
      crucible_lock_release(&data.outer);
    }
  }
}

static void check(struct trial *trial) {
  unsigned expected = 0;
  for (unsigned i = 0; i < trial->chemistry->clients; i++) expected += (unsigned)strlen(trial->chemistry->words[i]);
  if (data.changes != expected || data.first != expected) scheduler_fail("a change is lost");
}

#define SECTIONS(text, what, count, ...)                                                                     \
  CASE(text, what, count, define, follow, .check = check, .waits = true, .bare = true, .words = {__VA_ARGS__})

SECTIONS("sections", "three threads change data under locks", 3, "lnl", "nln", "ll");
SECTIONS("sections-fork", "a thread forks while others change data", 3, "fl", "nl", "ll");
SECTIONS("tiny-sections", "two threads change data", 2, "l", "l");
SECTIONS("tiny-sections-fork", "a thread forks while another changes data", 2, "f", "n");
