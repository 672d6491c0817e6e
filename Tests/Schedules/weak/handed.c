// Order that does not come from the core's own atomics: mutexes, the making of threads, grace periods, and what the
// tests hand over themselves. Replaced at link time (--wrap), so that neither the core nor the scheduler needs hooks.
//
// Grace periods: whatever came before memory was retired comes before every read section that begins later, because the
// grace period does not wait for those. liburcu promises just that, so a reader may rely on nothing more.

#include "handed.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "../scheduler.h"
#include "../urcu/urcu-bp.h"
#include "runtime.h"
#include "views.h"
#include "weak.h"

enum { MOST = 256, STARTS = 64 };

static struct handed {
  const void *object;
  struct view view;
} handed[MOST];
static unsigned count;

void handed_reset(void) { count = 0; }

static struct view *handed_by(const void *object) {
  for (unsigned i = 0; i < count; i++) {
    if (handed[i].object == object) return &handed[i].view;
  }
  if (count == MOST) scheduler_fail("more than %d objects handed over in one run", MOST);
  memset(&handed[count].view, 0, sizeof handed[count].view);
  handed[count].object = object;
  return &handed[count++].view;
}

void weak_release(const void *object) {
  if (!runtime_counts()) return;
  views_join(handed_by(object), views_mine());
  views_tick();
}

void weak_acquire(const void *object) {
  if (runtime_counts()) views_join(views_mine(), handed_by(object));
}

// ---------------------------------------------------------------------------------------------------------------------
// Mutexes
// ---------------------------------------------------------------------------------------------------------------------

int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex) {
  int error = __real_pthread_mutex_trylock(mutex);
  if (error == 0) weak_acquire(mutex);
  return error;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
  weak_release(mutex);
  return __real_pthread_mutex_unlock(mutex);
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads
// ---------------------------------------------------------------------------------------------------------------------

bool __real_scheduler_spawn(void *(*function)(void *), void *argument);
bool __wrap_scheduler_spawn(void *(*function)(void *), void *argument);

static struct start {
  void *(*function)(void *);
  void *argument;
} starts[STARTS];
static unsigned next_start;

static void *begin(void *context) {
  const struct start *start = context;
  weak_acquire(start);
  return start->function(start->argument);
}

bool __wrap_scheduler_spawn(void *(*function)(void *), void *argument) {
  struct start *start = &starts[next_start++ % STARTS];
  *start = (struct start){function, argument};
  weak_release(start);
  return __real_scheduler_spawn(begin, start);
}

// ---------------------------------------------------------------------------------------------------------------------
// Grace periods
// ---------------------------------------------------------------------------------------------------------------------

void __real_urcu_bp_read_lock(void);
void __wrap_urcu_bp_read_lock(void);
void __real_urcu_bp_read_unlock(void);
void __wrap_urcu_bp_read_unlock(void);

static unsigned nesting[ACTORS + 1];
static const char retirement;

void __wrap_urcu_bp_read_lock(void) {
  __real_urcu_bp_read_lock();
  if (nesting[scheduler_self()]++ == 0) weak_acquire(&retirement);
}

void __wrap_urcu_bp_read_unlock(void) {
  nesting[scheduler_self()]--;
  __real_urcu_bp_read_unlock();
}

void weak_retires(void) { weak_release(&retirement); }

// ---------------------------------------------------------------------------------------------------------------------
// Points in time
// ---------------------------------------------------------------------------------------------------------------------

enum { MOMENTS = 4096 };

static struct moment {
  bool outside;  ///< outside a run, where every thread has heard of it
  unsigned thread;
  uint32_t clock[ACTORS];
} moments[MOMENTS];

void weak_moment(uint64_t tick) {
  if (tick >= MOMENTS) scheduler_fail("more than %d points in time in one run", MOMENTS);
  struct moment *moment = &moments[tick];
  moment->outside = !runtime_counts();
  if (moment->outside) return;
  moment->thread = scheduler_self();
  memcpy(moment->clock, views_mine()->clock, sizeof moment->clock);
}

bool weak_is_known(uint64_t earlier, uint64_t later) {
  const struct moment *a = &moments[earlier], *b = &moments[later];
  return a->outside || b->outside || b->clock[a->thread] >= a->clock[a->thread];
}
