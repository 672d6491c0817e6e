// How much memory awaits a grace period.
//
//   garbage [SECONDS]
//
// Threads fill and drain backlogs as fast as they can. So rings are retired all the time, each by the thread that takes
// the last value out of it. The threads keep entering and leaving read sections, which is all that grace periods need.
// The thread that frees memory looks up every 10 ms. There is no back-pressure: a thread that retires never waits, or a
// pop would not be lock-free. So the garbage is what was retired in 10 ms and a grace period. The test measures it as a
// time: the most garbage there ever was, over the rate at which it was retired. If other processes take the processors,
// that thread must wait for one, so the limit is generous. It is far below the garbage if nothing were freed, or if a
// reader never left.
//
// Then a reader does not leave: garbage grows, the others go on, and all is freed once the reader has left.

#include <stdatomic.h>
#include <stdlib.h>

#include "base/reclamation.h"
#include "lives.h"

enum { THREADS = 4, BACKLOG = 4000, MOST_MILLISECONDS = 2000 };
static atomic_bool ended;
static atomic_ulong retired, most, rounds;

void __real_crucible__retire(struct retired *memory, size_t size, void (*then)(struct retired *memory));
void __wrap_crucible__retire(struct retired *memory, size_t size, void (*then)(struct retired *memory));
void __wrap_crucible__retire(struct retired *memory, size_t size, void (*then)(struct retired *memory)) {
  __real_crucible__retire(memory, size, then);
  atomic_fetch_add(&retired, size);
  unsigned long awaits = crucible_retired_bytes(), before = atomic_load(&most);
  while (awaits > before && !atomic_compare_exchange_weak(&most, &before, awaits)) {
  }
}

static void *work(void *account) {
  while (!atomic_load(&ended)) {
    account_add(account, BACKLOG);
    atomic_fetch_add(&rounds, 1);
  }
  return NULL;
}

static unsigned long rounds_until(uint64_t end) {
  unsigned long begin = atomic_load(&rounds);
  while (nanoseconds_now() < end) sched_yield();
  return atomic_load(&rounds) - begin;
}

int main(int argc, char **argv) {
  uint64_t span = (argc > 1 ? strtoull(argv[1], NULL, 10) : 3) * UINT64_C(1000000000);
  struct account account = account_open("garbage", CRUCIBLE_WORD, CRUCIBLE_INLINE);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) threads[i] = new_thread(work, &account);
  uint64_t begin = nanoseconds_now();
  rounds_until(begin + span);
  double rate = (double)atomic_load(&retired) / (double)(nanoseconds_now() - begin) * 1e6;  // bytes in a millisecond
  unsigned long bound = atomic_load(&most);
  if (rate <= 0) fail("nothing is retired");
  double age = (double)bound / rate;
  if (age > MOST_MILLISECONDS) fail("%.1f MB await, which is what %.0f ms retire", (double)bound / 1e6, age);
  printf("passed %d threads retire %.0f MB/s, and at most %.1f MB awaited a grace period: what %.0f ms retire\n",
         THREADS, rate / 1e3, (double)bound / 1e6, age);

  crucible__read_lock();
  uint64_t before = atomic_load(&retired);
  unsigned long others = rounds_until(nanoseconds_now() + UINT64_C(1000000000));
  uint64_t since = atomic_load(&retired) - before, awaits = crucible_retired_bytes();
  crucible__read_unlock();
  if (others == 0 || since == 0) fail("the others do not go on while a reader stays");
  if (awaits < since) fail("memory is freed although a reader may see it: %lu await of %lu", awaits, since);
  AWAIT(crucible_retired_bytes() <= bound + since / 4, 30, "%lu bytes await although the reader has left",
        crucible_retired_bytes());
  atomic_store(&ended, true);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  crucible_reclaim();
  if (crucible_retired_bytes() != 0) fail("%lu bytes still await", crucible_retired_bytes());
  printf("passed while a reader stayed for a second, the others went on %lu times, and %.0f MB gathered; then all was "
         "freed\n",
         others, (double)awaits / 1e6);
  account_close(&account);
  return 0;
}
