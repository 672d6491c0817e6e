// rendezvous: two threads; one sends a number and waits until the other has sent the next one back. Each way is a
// reaction, send(n) & take → reply(n), inline. A round is both ways.
//
// Verified: what comes back. Baselines: a mutex with a condition variable for each way; a word for each way, on which the
// taker spins for a while and then sleeps by futex.

#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "experiment.h"

enum { SPINS = 2000 };

typedef struct way {
  crucible_name *number, *take;
  pthread_mutex_t mutex __attribute__((aligned(64)));
  pthread_cond_t sent;
  bool is_there;  // guarded by the mutex
  int64_t value;
  uint32_t word __attribute__((aligned(64)));  // 0: empty, 1: a number is there, 2: empty, and the taker sleeps
} way;

typedef struct rendezvous {
  crucible_soup *soup;  // null: a baseline
  harness_crew *crew;
  cases_strategy strategy;
  uint64_t rounds;
  uint64_t mistakes;
  way there, back;
} rendezvous;

static void hand_over(void *context, void *const *inputs) {
  (void)context;
  cases_reply(inputs[1], *(const int64_t *)inputs[0]);
}

static void rendezvous_close(void *state) {
  rendezvous *meeting = state;
  if (meeting->soup) crucible_soup_release(meeting->soup);
  for (int i = 0; i < 2; i++) {
    way *way = i ? &meeting->back : &meeting->there;
    pthread_mutex_destroy(&way->mutex);
    pthread_cond_destroy(&way->sent);
  }
  free(meeting);
}

static void define(rendezvous *meeting, way *way, const char *number, const char *take, harness_sample *failure) {
  way->number = cases_name(meeting->soup, number, CRUCIBLE_SLOW, sizeof(int64_t), failure);
  way->take = cases_name(meeting->soup, take, CRUCIBLE_FAST, sizeof(cases_call), failure);
  crucible_name *pattern[] = {way->number, way->take};
  cases_react(meeting->soup, CRUCIBLE_INLINE, hand_over, meeting, pattern, 2, failure);
}

static void *rendezvous_open(const cases_setting *setting, size_t parameter, harness_sample *failure) {
  (void)parameter;
  rendezvous *meeting = NULL;
  if (posix_memalign((void **)&meeting, 64, sizeof *meeting) != 0) abort();
  *meeting = (rendezvous){.crew = setting->crew, .strategy = setting->strategy};
  for (int i = 0; i < 2; i++) {
    way *way = i ? &meeting->back : &meeting->there;
    pthread_mutex_init(&way->mutex, NULL);
    pthread_cond_init(&way->sent, NULL);
  }
  if (setting->strategy > CASES_LOCKED) return meeting;
  meeting->soup = cases_soup(setting, failure);
  if (meeting->soup) {
    define(meeting, &meeting->there, "there", "takeThere", failure);
    define(meeting, &meeting->back, "back", "takeBack", failure);
    if (cases_freeze(meeting->soup, setting, failure)) return meeting;
  }
  rendezvous_close(meeting);
  return NULL;
}

static void futex(uint32_t *word, int operation, uint32_t value) {
  syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static inline __attribute__((always_inline)) void send(way *way, int64_t value, cases_strategy strategy) {
  switch (strategy) {
    case CASES_PTHREAD_CONDITION:
      pthread_mutex_lock(&way->mutex);
      way->value = value;
      way->is_there = true;
      pthread_cond_signal(&way->sent);
      pthread_mutex_unlock(&way->mutex);
      return;
    case CASES_SPIN_THEN_FUTEX:
      way->value = value;
      if (__atomic_exchange_n(&way->word, 1, __ATOMIC_ACQ_REL) == 2) futex(&way->word, FUTEX_WAKE, 1);
      return;
    default: crucible_inject(way->number, &value);
  }
}

static inline __attribute__((always_inline)) int64_t take_by_condition(way *way) {
  pthread_mutex_lock(&way->mutex);
  while (!way->is_there) pthread_cond_wait(&way->sent, &way->mutex);
  way->is_there = false;
  int64_t value = way->value;
  pthread_mutex_unlock(&way->mutex);
  return value;
}

static inline __attribute__((always_inline)) int64_t take_by_futex(way *way) {
  for (int i = 0; i < SPINS && __atomic_load_n(&way->word, __ATOMIC_ACQUIRE) != 1; i++) harness_pause();
  while (__atomic_load_n(&way->word, __ATOMIC_ACQUIRE) != 1) {
    uint32_t empty = 0;
    __atomic_compare_exchange_n(&way->word, &empty, 2, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (empty != 1) futex(&way->word, FUTEX_WAIT, 2);
  }
  int64_t value = way->value;
  __atomic_store_n(&way->word, 0, __ATOMIC_RELEASE);
  return value;
}

static inline __attribute__((always_inline)) int64_t take(way *way, cases_strategy strategy) {
  switch (strategy) {
    case CASES_PTHREAD_CONDITION: return take_by_condition(way);
    case CASES_SPIN_THEN_FUTEX: return take_by_futex(way);
    default: return cases_call_and_wait(way->take);
  }
}

static inline __attribute__((always_inline)) void meet(rendezvous *meeting, const harness_share *share,
                                                       cases_strategy strategy) {
  if (share->thread != 0) {
    for (uint64_t i = 0; i < meeting->rounds; i++) {
      send(&meeting->back, take(&meeting->there, strategy) + 1, strategy);
    }
    return;
  }
  uint64_t mistakes = 0;
  for (uint64_t i = 0; i < meeting->rounds; i++) {
    send(&meeting->there, (int64_t)i, strategy);
    mistakes += take(&meeting->back, strategy) != (int64_t)i + 1;
  }
  meeting->mistakes = mistakes;
}

static void rendezvous_work(void *context, const harness_share *share) {
  rendezvous *meeting = context;
  switch (meeting->strategy) {
    case CASES_PTHREAD_CONDITION: return meet(meeting, share, CASES_PTHREAD_CONDITION);
    case CASES_SPIN_THEN_FUTEX: return meet(meeting, share, CASES_SPIN_THEN_FUTEX);
    default: return meet(meeting, share, CASES_WORD);
  }
}

static void rendezvous_measure(void *state, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  (void)recorders;
  rendezvous *meeting = state;
  meeting->rounds = rounds;
  meeting->mistakes = 0;
  if (harness_crew_threads(meeting->crew) != 2) return harness_sample_fail(sample, "needs two threads");
  harness_crew_run(meeting->crew, rounds, NULL, rendezvous_work, meeting, sample);
  if (meeting->soup) cases_settle(meeting->soup, sample);
  sample->reactions = rounds;
  harness_sample_expect(sample, "wrong numbers", 0, meeting->mistakes);
  if (meeting->soup) harness_sample_expect(sample, "molecules left over", 0, cases_waiting(meeting->soup));
}

enum { STRATEGIES = CASES_MATCHERS | 1u << CASES_PTHREAD_CONDITION | 1u << CASES_SPIN_THEN_FUTEX };

const cases_kind cases_rendezvous[] = {
    {"rendezvous", 0, STRATEGIES, rendezvous_open, rendezvous_measure, rendezvous_close},
    {0},
};
