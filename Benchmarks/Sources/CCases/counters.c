// counter: a plain molecule that every increment consumes and injects again. counter-state: a state in its place.
// counter-value: a state, and a fast call that counts and replies with the new value. All are inline, and every
// reaction serves one injection.
//
// Verified by the final value. For counter-value also by the sum of the replies, because each of 1, 2, … occurs once.
// Baseline: a pthread mutex around the same body.

#include <pthread.h>
#include <stdlib.h>

#include "call.h"
#include "experiment.h"

typedef enum form { PLAIN, STATE, VALUE } form;

typedef struct counter {
  crucible_soup *soup;  // null: the mutex below
  harness_crew *crew;
  form form;
  crucible_name *counter, *increment, *value;
  uint64_t replies __attribute__((aligned(64)));  // their sum, in this sample
  pthread_mutex_t mutex __attribute__((aligned(64)));
  int64_t count;  // protected by the mutex
} counter;

static void plain_increment(void *context, void *const *inputs) {
  int64_t next = *(const int64_t *)inputs[0] + 1;
  harness_reach((uint64_t)next);
  crucible_inject(((counter *)context)->counter, &next);
}

static void plain_value(void *context, void *const *inputs) {
  int64_t count = *(const int64_t *)inputs[0];
  cases_call call = *(const cases_call *)inputs[1];
  crucible_inject(((counter *)context)->counter, &count);
  cases_reply(&call, count);
}

static void state_increment(void *context, void *const *inputs) {
  (void)context;
  *(int64_t *)inputs[0] += 1;
}

static void state_value(void *context, void *const *inputs) {
  (void)context;
  cases_reply(inputs[1], *(const int64_t *)inputs[0]);
}

static void state_next_value(void *context, void *const *inputs) {
  (void)context;
  cases_reply(inputs[1], *(int64_t *)inputs[0] += 1);
}

static void counter_close(void *state) {
  counter *counter = state;
  if (counter->soup) crucible_soup_release(counter->soup);
  pthread_mutex_destroy(&counter->mutex);
  free(counter);
}

static bool define(counter *counter, const cases_setting *setting, harness_sample *failure) {
  crucible_soup *soup = counter->soup = cases_soup(setting, failure);
  if (!soup) return false;
  counter->counter = counter->form == PLAIN ? cases_name(soup, "counter", CRUCIBLE_SLOW, sizeof(int64_t), failure)
                                            : cases_state(soup, "counter", 0, failure);
  counter->value = cases_name(soup, "value", CRUCIBLE_FAST, sizeof(cases_call), failure);
  crucible_name *asking[] = {counter->counter, counter->value};
  if (counter->form == VALUE) {
    cases_react(soup, CRUCIBLE_INLINE, state_next_value, counter, asking, 2, failure);
    return cases_freeze(soup, setting, failure);
  }
  counter->increment = cases_name(soup, "increment", CRUCIBLE_SLOW, 0, failure);
  crucible_name *counting[] = {counter->counter, counter->increment};
  bool plain = counter->form == PLAIN;
  cases_react(soup, CRUCIBLE_INLINE, plain ? plain_increment : state_increment, counter, counting, 2, failure);
  cases_react(soup, CRUCIBLE_INLINE, plain ? plain_value : state_value, counter, asking, 2, failure);
  if (!cases_freeze(soup, setting, failure)) return false;
  int64_t zero = 0;
  return !plain || crucible_inject(counter->counter, &zero);
}

static void *counter_open(const cases_setting *setting, size_t number, harness_sample *failure) {
  counter *counter = NULL;
  if (posix_memalign((void **)&counter, 64, sizeof *counter) != 0) abort();
  *counter = (struct counter){.crew = setting->crew, .form = (enum form)number};
  pthread_mutex_init(&counter->mutex, NULL);
  if (!cases_has_matcher(setting) || define(counter, setting, failure)) return counter;
  counter_close(counter);
  return NULL;
}

static inline __attribute__((always_inline)) int64_t next_by_call(counter *counter) {
  return cases_call_and_wait(counter->value);
}

static inline __attribute__((always_inline)) int64_t next_under_mutex(counter *counter) {
  pthread_mutex_lock(&counter->mutex);
  int64_t next = counter->count += 1;
  pthread_mutex_unlock(&counter->mutex);
  return next;
}

static inline __attribute__((always_inline)) void increments(counter *counter, const harness_share *share, bool timed) {
  uint64_t round, end, nothing = 0;
  while (harness_deal_take(share->deal, &round, &end)) {
    for (; round < end; round++) cases_inject(counter->increment, &nothing, timed, share->recorder);
  }
}

static void increment_work(void *context, const harness_share *share) {
  if (share->recorder) return increments(context, share, true);
  increments(context, share, false);
}

// `timed` and `next` are constants, so the loop is compiled for them.
static inline __attribute__((always_inline)) void counts(counter *counter, const harness_share *share, bool timed,
                                                         int64_t (*next)(struct counter *)) {
  uint64_t round, end, sum = 0;
  while (harness_deal_take(share->deal, &round, &end)) {
    for (; round < end; round++) {
      uint64_t start = timed ? harness_now() : 0;
      sum += (uint64_t)next(counter);
      if (timed) harness_recorder_add(share->recorder, harness_now() - start);
    }
  }
  __atomic_fetch_add(&counter->replies, sum, __ATOMIC_RELAXED);
}

static void call_work(void *context, const harness_share *share) {
  if (share->recorder) return counts(context, share, true, next_by_call);
  counts(context, share, false, next_by_call);
}

static void lock_work(void *context, const harness_share *share) {
  if (share->recorder) return counts(context, share, true, next_under_mutex);
  counts(context, share, false, next_under_mutex);
}

// Returns the value of the counter. counter-value counts this call too.
static uint64_t value_of(counter *counter) {
  if (!counter->soup) return (uint64_t)counter->count;
  return (uint64_t)next_by_call(counter);
}

static void counter_measure(void *state, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  counter *counter = state;
  harness_work work = !counter->soup ? lock_work : counter->form == VALUE ? call_work : increment_work;
  uint64_t asked = counter->soup && counter->form == VALUE;
  uint64_t before = value_of(counter);
  counter->replies = 0;
  if (counter->soup && counter->form == PLAIN) harness_crew_follow(counter->crew, before);
  harness_crew_run(counter->crew, rounds, recorders, work, counter, sample);
  if (counter->soup) cases_settle(counter->soup, sample);
  sample->reactions = rounds = sample->rounds;
  harness_sample_expect(sample, "end value", before + rounds + asked, value_of(counter));
  if (work != increment_work) {
    harness_sample_expect(sample, "sum of the replies", rounds * before + rounds * (rounds + 1) / 2, counter->replies);
  }
  if (counter->soup) {
    uint64_t left = counter->form == PLAIN ? 1 : 0;  // the counter itself
    harness_sample_expect(sample, "molecules left over", left, cases_waiting(counter->soup));
  }
}

const cases_kind cases_counters[] = {
    {"counter", PLAIN, true, counter_open, counter_measure, counter_close},
    {"counter-state", STATE, true, counter_open, counter_measure, counter_close},
    {"counter-value", VALUE, true, counter_open, counter_measure, counter_close},
    {0},
};
