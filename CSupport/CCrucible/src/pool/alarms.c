// Alarms: functions that are called at a time of the monotonic clock, all by one thread.
//
// Most alarms are cancelled long before they are due, so the costs of setting and cancelling matter. Each takes one
// lock that few threads share, and no memory, because the alarm itself is the node of the lists. An alarm that was
// cancelled leaves nothing behind.
//
// Wheels. Time is counted in ticks of 2^14 ns. The time of an alarm is rounded up to a tick, so no alarm goes off too
// early. A wheel has levels of 64 slots. A slot of level k holds the alarms of 64^k ticks in a row (Varghese and Lauck,
// SOSP 1987, scheme 7). The level of an alarm is that of the highest digit, base 64, in which its tick differs from the
// wheel's:
//   ALARM-1  An alarm in slot s of level k has the digits of the wheel's tick above k, and s as its digit k. s is not
//       below the wheel's digit k. It is equal to that digit only on level 0, or while the slot is being emptied.
//   ALARM-2  No alarm of the wheel is due before its `earliest`, the first tick of the first slot that may hold any. So
//       the wheel's tick may advance up to `earliest` without a check of the slots. ALARM-1 still holds, because those
//       ticks share the digits.
// When the tick reaches a slot of a higher level, its alarms move to lower levels, one at a time. Each moves at most
// LEVELS times. There are several wheels, so that threads share less. The thread advances the wheel with the least
// `earliest` first, so that alarms go off in the order of their ticks.
//
// Sleeping. `until` is the tick up to which the thread sleeps, or 0 while it is awake.
//   ALARM-3  The thread never sleeps past an alarm. It reads `epoch`, stores "for ever" in `until`, reads `earliest` of
//       each wheel under its lock, stores the least in `until`, and sleeps while the epoch is the same. A thread that
//       sets an alarm reads `until` after it has held the lock. So either the sleeping thread saw the alarm, or the
//       setter sees what the thread stored before it read. If the alarm comes first, the setter sets `until` to 0,
//       advances the epoch and wakes the thread. A second setter may find that 0, and leaves the waking to the first.
//       So the thread reads the epoch before it stores "for ever". If it read the epoch later, that could include the
//       step of the first setter, whose alarm may have gone off. Then the thread would sleep past the alarm of the
//       second.
//
// Cancelling. Under the lock an alarm is in a list or in none. If it is in none, it has gone off, or the thread is
// about to call it. One lock decides, so exactly one of cancelling and going off happens.
//
// Progress. Setting and cancelling block for a moment, like any lock. A thread that is stopped while it holds a lock
// delays the alarms of its wheel's threads and those that are due after them. So does a function that does not return.
//
// fork. The child has no alarms: those of its parent belong to calls that have no waiting caller in the child. They
// bear the number of the process that set them, and an attempt to cancel them in the child answers that they have gone
// off.

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/errors.h"
#include "base/futex.h"
#include "base/lock.h"
#include "base/thread.h"
#include "base/tuning.h"
#include "pool/pool.h"

enum { DIGIT = 6, SLOTS = 1 << DIGIT, LEVELS = 9 };

#define FOR_EVER UINT64_MAX

struct wheel {
  _Alignas(CRUCIBLE_LINE) struct lock lock;
  uint64_t tick;
  _Atomic uint64_t earliest;  ///< written with the lock
  uint64_t used[LEVELS];      ///< a bit for each slot that may hold alarms
  crucible_alarm *slots[LEVELS][SLOTS];
};

static struct wheel wheels[CRUCIBLE_WHEELS];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t process;  ///< 0 before the first alarm; incremented in each child
static struct {
  _Atomic uint64_t until;
  _Atomic uint32_t epoch;
  _Atomic uint32_t begun;
} sleeper;

static void create(void) {
  for (int i = 0; i < CRUCIBLE_WHEELS; i++) {
    memset(&wheels[i], 0, sizeof wheels[i]);
    lock_create(&wheels[i].lock);
    store_relaxed(&wheels[i].earliest, FOR_EVER);
  }
  process++;
}

void crucible__alarms_after_fork(void) {
  if (process == 0) return;
  create();
  store_relaxed(&sleeper.until, 0);
  store_relaxed(&sleeper.begun, 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Wheels. All of these require the lock.
// ---------------------------------------------------------------------------------------------------------------------

/// The tick whose digits from `level` on are those of `tick`, and whose other digits are 0.
static uint64_t beginning(uint64_t tick, int level) { return tick >> (DIGIT * level) << (DIGIT * level); }

/// Puts an alarm into its slot. Returns the first tick of that slot.
static uint64_t put(struct wheel *wheel, crucible_alarm *alarm) {
  uint64_t tick = (alarm->time >> CRUCIBLE_TICK) + ((alarm->time & ((1 << CRUCIBLE_TICK) - 1)) != 0);
  if (tick < wheel->tick) tick = wheel->tick;
  uint64_t differs = tick ^ wheel->tick;
  int level = differs ? (63 - __builtin_clzll(differs)) / DIGIT : 0;
  int slot = (int)(tick >> (DIGIT * level)) & (SLOTS - 1);
  crucible_alarm **head = &wheel->slots[level][slot];
  alarm->next = *head;
  if (*head) (*head)->link = &alarm->next;
  *head = alarm;
  alarm->link = head;
  wheel->used[level] |= UINT64_C(1) << slot;
  return beginning(tick, level);
}

static void take_out(crucible_alarm *alarm) {
  *alarm->link = alarm->next;
  if (alarm->next) alarm->next->link = alarm->link;
  alarm->link = NULL;
}

/// Finds the first slot that holds alarms. Of slots with the same first tick it is that of the highest level, which may
/// hold the earlier alarms. Null: there is none.
static crucible_alarm **first_slot(struct wheel *wheel, int *level, uint64_t *tick) {
  crucible_alarm **first = NULL;
  *tick = FOR_EVER;
  for (int k = LEVELS - 1; k >= 0; k--) {
    while (wheel->used[k]) {
      int slot = __builtin_ctzll(wheel->used[k]);
      if (!wheel->slots[k][slot]) {  // its alarms were cancelled
        wheel->used[k] &= ~(UINT64_C(1) << slot);
        continue;
      }
      uint64_t begins = beginning(wheel->tick, k + 1) | (uint64_t)slot << (DIGIT * k);
      if (begins < *tick) {
        *tick = begins;
        *level = k;
        first = &wheel->slots[k][slot];
      }
      break;
    }
  }
  return first;
}

// ---------------------------------------------------------------------------------------------------------------------
// The thread
// ---------------------------------------------------------------------------------------------------------------------

/// Advances to the wheel's `earliest`, which is due, and no further, because another wheel may be due next. Does not
/// hold the lock for long, and not while it calls a function.
static void advance(struct wheel *wheel) {
  lock_acquire(&wheel->lock);
  uint64_t due = load_relaxed(&wheel->earliest);
  for (int i = 0; i < CRUCIBLE_WHEEL_STEPS; i++) {
    int level;
    uint64_t tick;
    crucible_alarm **slot = first_slot(wheel, &level, &tick);
    store_relaxed(&wheel->earliest, tick);
    if (!slot || tick > due) break;
    if (wheel->tick < tick) wheel->tick = tick;
    crucible_alarm *alarm = *slot;
    take_out(alarm);
    if (level > 0) {
      put(wheel, alarm);
      continue;
    }
    lock_release(&wheel->lock);
    alarm->act(alarm);
    return;
  }
  lock_release(&wheel->lock);
}

static struct wheel *first_wheel(void) {
  struct wheel *first = &wheels[0];
  for (int i = 1; i < CRUCIBLE_WHEELS; i++) {
    if (load_relaxed(&wheels[i].earliest) < load_relaxed(&first->earliest)) first = &wheels[i];
  }
  return first;
}

static void sleep_until_first(void) {
  uint32_t epoch = load_seq_cst(&sleeper.epoch);
  store_seq_cst(&sleeper.until, FOR_EVER);
  uint64_t first = FOR_EVER;
  for (int i = 0; i < CRUCIBLE_WHEELS; i++) {
    lock_acquire(&wheels[i].lock);
    uint64_t earliest = load_relaxed(&wheels[i].earliest);
    lock_release(&wheels[i].lock);
    if (earliest < first) first = earliest;
  }
  store_seq_cst(&sleeper.until, first);
  uint64_t now = crucible_now();
  if (first > UINT64_MAX >> CRUCIBLE_TICK) {  // there is none, or only some that the clock never reaches
    crucible__park(&sleeper.epoch, epoch, UINT64_MAX);
  } else if (first << CRUCIBLE_TICK > now) {
    crucible__park(&sleeper.epoch, epoch, (first << CRUCIBLE_TICK) - now);
  }
  store_seq_cst(&sleeper.until, 0);
}

static void *run(void *unused) {
  (void)unused;
  for (;;) {
    uint64_t now = crucible_now() >> CRUCIBLE_TICK;
    struct wheel *first = first_wheel();
    if (load_relaxed(&first->earliest) <= now) {
      advance(first);
    } else {
      sleep_until_first();
    }
  }
  return NULL;
}

static void begin(void) {
  if (exchange_acq_rel(&sleeper.begun, 1) != 0) return;
  int error = crucible__start_thread(run, NULL);
  if (error != 0) crucible__die("no thread can be created that watches deadlines: %s", strerror(error));
}

// ---------------------------------------------------------------------------------------------------------------------
// Setting and cancelling
// ---------------------------------------------------------------------------------------------------------------------

void crucible_alarm_set(crucible_alarm *alarm, uint64_t now, uint64_t time) {
  pthread_once(&once, create);
  struct thread *self = crucible__thread();
  struct wheel *wheel = &wheels[self ? self->index % CRUCIBLE_WHEELS : 0];
  alarm->wheel = (uint32_t)(wheel - wheels);
  alarm->process = process;
  alarm->time = time;
  now >>= CRUCIBLE_TICK;
  lock_acquire(&wheel->lock);
  uint64_t earliest = load_relaxed(&wheel->earliest);
  if (wheel->tick < now && now < earliest) wheel->tick = now;
  uint64_t tick = put(wheel, alarm);
  if (tick < earliest) store_relaxed(&wheel->earliest, tick);
  lock_release(&wheel->lock);
  if (UNLIKELY(load_relaxed(&sleeper.begun) == 0)) begin();
  // Partner: the stores in sleep_until_first. 0: the thread is awake, and checks again before it sleeps.
  if (tick < load_seq_cst(&sleeper.until) && exchange_seq_cst(&sleeper.until, 0) != 0) {
    fetch_add_seq_cst(&sleeper.epoch, 1);
    crucible__unpark(&sleeper.epoch, 1);
  }
}

bool crucible_alarm_cancel(crucible_alarm *alarm) {
  if (UNLIKELY(alarm->process != process)) return false;
  struct wheel *wheel = &wheels[alarm->wheel];
  lock_acquire(&wheel->lock);
  bool is_set = alarm->link != NULL;
  if (is_set) take_out(alarm);
  lock_release(&wheel->lock);
  return is_set;
}

uint64_t crucible_now(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_MONOTONIC, &time) != 0) crucible__die("the system has no monotonic clock");
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}
