// producer-consumer: an unbounded buffer, put(item) & take → reply(item), inline. One thread puts, another takes with a
// call that blocks. A producer that ran away would measure two separate jobs and fill the memory, so it waits, outside
// the chemistry, while it is `LEAD` items ahead of what the consumer has made known.
//
// Verified: the consumer gets every item, in the order in which they were put. Baseline: a ring under a mutex with a condition
// variable.

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "call.h"
#include "experiment.h"

enum { LEAD = 4096, NEWS = 64 };

// The producer is at most LEAD ahead of the last multiple of NEWS that was taken, so the ring is never full.
enum { RING = 2 * LEAD };

typedef struct buffer {
  crucible_soup *soup;  // null: the ring
  harness_crew *crew;
  crucible_name *put, *take;
  uint64_t items;
  uint64_t taken __attribute__((aligned(64)));  // as of the last multiple of NEWS
  uint64_t out_of_order __attribute__((aligned(64)));
  pthread_mutex_t mutex __attribute__((aligned(64)));
  pthread_cond_t filled;
  uint64_t first, end;  // of what is in the ring; guarded by the mutex
  int64_t ring[RING];
} buffer;

static void hand_over(void *context, void *const *inputs) {
  (void)context;
  cases_reply(inputs[1], *(const int64_t *)inputs[0]);
}

static void buffer_close(void *state) {
  buffer *buffer = state;
  if (buffer->soup) crucible_soup_release(buffer->soup);
  pthread_mutex_destroy(&buffer->mutex);
  pthread_cond_destroy(&buffer->filled);
  free(buffer);
}

static void *buffer_open(const cases_setting *setting, size_t parameter, harness_sample *failure) {
  (void)parameter;
  buffer *buffer = NULL;
  if (posix_memalign((void **)&buffer, 64, sizeof *buffer) != 0) abort();
  *buffer = (struct buffer){.crew = setting->crew};
  pthread_mutex_init(&buffer->mutex, NULL);
  pthread_cond_init(&buffer->filled, NULL);
  if (setting->strategy == CASES_PTHREAD_CONDITION) return buffer;
  buffer->soup = cases_soup(setting, failure);
  if (buffer->soup) {
    buffer->put = cases_name(buffer->soup, "put", CRUCIBLE_SLOW, sizeof(int64_t), failure);
    buffer->take = cases_name(buffer->soup, "take", CRUCIBLE_FAST, sizeof(cases_call), failure);
    crucible_name *pattern[] = {buffer->put, buffer->take};
    cases_react(buffer->soup, CRUCIBLE_INLINE, hand_over, buffer, pattern, 2, failure);
    if (cases_freeze(buffer->soup, setting, failure)) return buffer;
  }
  buffer_close(buffer);
  return NULL;
}

static inline __attribute__((always_inline)) void put(buffer *buffer, int64_t value) {
  if (buffer->soup) {
    crucible_inject(buffer->put, &value);
    return;
  }
  pthread_mutex_lock(&buffer->mutex);
  buffer->ring[buffer->end++ % RING] = value;
  pthread_cond_signal(&buffer->filled);
  pthread_mutex_unlock(&buffer->mutex);
}

static inline __attribute__((always_inline)) int64_t take(buffer *buffer) {
  if (buffer->soup) return cases_call_and_wait(buffer->take);
  pthread_mutex_lock(&buffer->mutex);
  while (buffer->first == buffer->end) pthread_cond_wait(&buffer->filled, &buffer->mutex);
  int64_t value = buffer->ring[buffer->first++ % RING];
  pthread_mutex_unlock(&buffer->mutex);
  return value;
}

static void produce(buffer *buffer) {
  uint64_t known = 0;
  for (uint64_t item = 0; item < buffer->items; item++) {
    while (item >= known + LEAD) {
      known = __atomic_load_n(&buffer->taken, __ATOMIC_RELAXED);
      if (item >= known + LEAD) usleep(20);
    }
    put(buffer, (int64_t)item);
  }
}

static void consume(buffer *buffer) {
  for (uint64_t item = 0; item < buffer->items; item++) {
    if (take(buffer) != (int64_t)item) buffer->out_of_order += 1;
    if (item % NEWS == 0) __atomic_store_n(&buffer->taken, item, __ATOMIC_RELAXED);
  }
}

static void buffer_work(void *context, const harness_share *share) {
  if (share->thread == 0) {
    produce(context);
  } else {
    consume(context);
  }
}

static void buffer_measure(void *state, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  (void)recorders;
  buffer *buffer = state;
  buffer->items = rounds;
  buffer->taken = buffer->out_of_order = 0;
  if (harness_crew_threads(buffer->crew) != 2) return harness_sample_fail(sample, "needs two threads");
  harness_crew_run(buffer->crew, rounds, NULL, buffer_work, buffer, sample);
  if (buffer->soup) cases_settle(buffer->soup, sample);
  sample->reactions = rounds;
  harness_sample_expect(sample, "items out of order", 0, buffer->out_of_order);
  uint64_t left = buffer->soup ? cases_waiting(buffer->soup) : buffer->end - buffer->first;
  harness_sample_expect(sample, "molecules left over", 0, left);
}

const cases_kind cases_buffers[] = {
    {"producer-consumer", 0, CASES_MATCHERS | 1u << CASES_PTHREAD_CONDITION, buffer_open, buffer_measure, buffer_close},
    {0},
};
