// Alarms (pool/alarms.c). The cases detect an alarm that is lost, that goes off twice, or that goes off after its
// cancellation.
//
// There is no soup here. The thread that watches all alarms is a worker of the scheduler, and time passes only while it
// sleeps. Each client follows a word:
//
//   n f     sets the alarm at that place in the word to a near moment, or to one on a higher level of the wheel
//   e       sets the alarm at that place to the end of time; nothing cancels it
//   c       cancels the alarm at that place, once it was set
//   -       skips an alarm
//
//   ALARMS-1  when no thread can go on, each alarm has gone off or was cancelled, unless its time never comes;
//             otherwise the scheduler reports that work is left
//   ALARMS-2  an alarm goes off once, not before its moment, and never after its cancellation has returned true; its
//             memory is freed then

#include <stdlib.h>
#include <string.h>

#include "CCrucible.h"
#include "base/atomics.h"
#include "base/tuning.h"
#include "pool/pool.h"
#include "trial.h"

enum { MOST_ALARMS = 4, TICK = 1 << CRUCIBLE_TICK, NEAR = 2 * TICK, FAR = 200 * TICK };
static const uint64_t NEVER = UINT64_MAX;

static struct {
  crucible_alarm *alarm;  ///< freed when it was cancelled
  _Atomic uint32_t is_set;
  bool was_set, never_comes, went_off, was_cancelled;
} places[MOST_ALARMS];

static void never(crucible_alarm *alarm) {
  scheduler_fail("an alarm of no run goes off");
}

/// Makes the wheels, empty, before any thread takes its first step.
static void define(struct trial *trial) {
  crucible_alarm first = {.act = never};
  crucible_alarm_set(&first, 0, UINT64_MAX / 4);
  crucible_alarm_cancel(&first);
  crucible__alarms_after_fork();
  memset(places, 0, sizeof places);
}

static void go_off(crucible_alarm *alarm) {
  unsigned place = (unsigned)(uintptr_t)alarm->context;
  if (place >= MOST_ALARMS || places[place].alarm != alarm) scheduler_fail("an alarm that is gone goes off");
  if (places[place].was_cancelled) scheduler_fail("alarm %u goes off although it was cancelled", place);
  if (places[place].went_off) scheduler_fail("alarm %u goes off twice", place);
  if (crucible_now() < alarm->time) scheduler_fail("alarm %u goes off too early", place);
  places[place].went_off = true;
}

static void set(unsigned place, uint64_t delay) {
  crucible_alarm *alarm = aligned_alloc(_Alignof(max_align_t), sizeof *alarm);
  if (!alarm) scheduler_fail("no memory");
  *alarm = (crucible_alarm){.act = go_off, .context = (void *)(uintptr_t)place};
  places[place].alarm = alarm;
  places[place].was_set = true;
  places[place].never_comes = delay == NEVER;
  uint64_t now = crucible_now();
  crucible_alarm_set(alarm, now, delay == NEVER ? NEVER : now + delay);
  store_release(&places[place].is_set, 1);
}

static void cancel(unsigned place) {
  while (!load_acquire(&places[place].is_set)) spin_pause();
  if (!crucible_alarm_cancel(places[place].alarm)) return;
  if (places[place].went_off) scheduler_fail("alarm %u is cancelled although it went off", place);
  places[place].was_cancelled = true;
  free(places[place].alarm);
  places[place].alarm = NULL;
}

static void follow(struct trial *trial, unsigned index) {
  unsigned place = 0;
  for (const char *c = trial->chemistry->words[index]; *c; c++, place++) {
    if (*c == 'n' || *c == 'f' || *c == 'e') set(place, *c == 'n' ? NEAR : *c == 'f' ? FAR : NEVER);
    if (*c == 'c') cancel(place);
  }
}

static bool quiet(const struct trial *trial) {
  for (unsigned i = 0; i < MOST_ALARMS; i++) {
    if (places[i].was_set && !places[i].never_comes && !places[i].went_off && !places[i].was_cancelled) return false;
  }
  return true;
}

static void check(struct trial *trial) {
  if (!quiet(trial)) scheduler_fail("an alarm is lost");
  for (unsigned i = 0; i < MOST_ALARMS; i++) free(places[i].alarm);
}

#define ALARMS(text, what, count, ...)                                                                 \
  CASE(text, what, count, define, follow, .quiet = quiet, .check = check, .waits = true, .bare = true, \
       .scheduled = true, \
       .words = {__VA_ARGS__})

ALARMS("alarms", "three set near and far alarms, and cancel each other's", 3, "nf-c", "-cnf", "c-c");
ALARMS("alarms-after", "an alarm is set after another was cancelled", 2, "fn", "c");
ALARMS("alarms-two", "two set near alarms", 2, "n", "-n");
ALARMS("alarms-cancel", "an alarm is cancelled as it goes off", 2, "n", "c");
ALARMS("alarms-never", "an alarm is set whose time never comes, and another one", 2, "e", "-n");
