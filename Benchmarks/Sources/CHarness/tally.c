#include "harness_tally.h"

#include <pthread.h>
#include <stdlib.h>

#include "harness_clock.h"
#include "harness_crew.h"

_Thread_local harness_tally *harness_tally_mine __attribute__((tls_model("initial-exec")));

// Lines are never freed: a thread of the pool may end while its figures still count.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static harness_tally *all;

harness_tally *harness_tally_join(void) {
  _Static_assert(sizeof(harness_tally) == 64, "one cache line");
  harness_tally *tally = NULL;
  if (posix_memalign((void **)&tally, 64, sizeof *tally) != 0) abort();
  *tally = (harness_tally){0};
  pthread_mutex_lock(&lock);
  tally->next = all;
  all = tally;
  pthread_mutex_unlock(&lock);
  harness_tally_mine = tally;
  return tally;
}

void harness_tally_stamp(harness_tally *tally) {
  tally->last = harness_now();
  if (tally->count == 0) tally->first = tally->last;
}

void harness_tally_reset(void) {
  pthread_mutex_lock(&lock);
  for (harness_tally *tally = all; tally; tally = tally->next) {
    tally->count = tally->sum = tally->first = tally->last = 0;
  }
  pthread_mutex_unlock(&lock);
}

harness_tally harness_tally_total(void) {
  harness_tally total = {0};
  pthread_mutex_lock(&lock);
  for (harness_tally *tally = all; tally; tally = tally->next) {
    total.count += tally->count;
    total.sum += tally->sum;
  }
  pthread_mutex_unlock(&lock);
  return total;
}

void harness_tally_overlap(harness_sample *sample) {
  harness_span spans[HARNESS_MAX_THREADS];
  uint32_t count = 0;
  pthread_mutex_lock(&lock);
  for (harness_tally *tally = all; tally && count < HARNESS_MAX_THREADS; tally = tally->next) {
    if (tally->count > 0) spans[count++] = (harness_span){tally->first, tally->last};
  }
  pthread_mutex_unlock(&lock);
  sample->threads = count;
  sample->overlap = count == 1 ? 1 : harness_overlap(spans, count);
}
