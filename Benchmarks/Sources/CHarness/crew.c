#define _GNU_SOURCE
#include "harness_crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness_allocations.h"

typedef struct member {
  pthread_t thread;
  harness_crew *crew;
  size_t index;
  harness_span span;
  uint64_t cpu;
  uint64_t waited;  // for a processor, while it had work
} member;

struct harness_crew {
  size_t threads;
  pthread_mutex_t lock;
  pthread_cond_t job_posted, job_done;
  pthread_barrier_t start;
  uint64_t job;  // number of the job that is posted
  size_t done;   // members that finished it
  bool ends;
  harness_work work;
  void *context;
  harness_recorder *recorders;
  bool follows;  // the next job
  uint64_t base;
  uint64_t limit;  // ns that a job may deal out rounds for; 0: for ever
  cpu_set_t allowed;  // processors of the process
  harness_deal deal __attribute__((aligned(64)));
  uint64_t arrived __attribute__((aligned(64)));  // over all jobs
  member members[];
};

// A thread that a condition variable wakes starts some tens of microseconds late. So the crew first wakes all threads,
// and starts when all are awake. Threads wait by spinning if each has a processor, else at a barrier of the kernel. No
// thread yields, because the kernel would postpone its turns for longer than a sample takes.
static void wait_for_the_others(harness_crew *crew, uint64_t job) {
  if (crew->threads > (size_t)CPU_COUNT(&crew->allowed)) {
    pthread_barrier_wait(&crew->start);
    return;
  }
  uint64_t all = job * crew->threads;
  __atomic_fetch_add(&crew->arrived, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n(&crew->arrived, __ATOMIC_ACQUIRE) < all) harness_pause();
}

// Two threads that wake on one processor stay there for some milliseconds, even while another is idle. So each member
// first moves to its own processor, if there are enough. From then on the kernel may move it again, because threads
// that it starts must not inherit a fixed place.
static void spread_out(const member *self) {
  const cpu_set_t *allowed = &self->crew->allowed;
  size_t nth = self->index % (size_t)CPU_COUNT(allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, allowed) || nth-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    sched_setaffinity(0, sizeof *allowed, allowed);
    return;
  }
}

static void *member_main(void *argument) {
  member *self = argument;
  harness_crew *crew = self->crew;
  for (uint64_t job = 1;; job++) {
    pthread_mutex_lock(&crew->lock);
    while (crew->job < job && !crew->ends) pthread_cond_wait(&crew->job_posted, &crew->lock);
    bool ends = crew->ends;
    pthread_mutex_unlock(&crew->lock);
    if (ends) return NULL;

    harness_share share = {&crew->deal, self->index, crew->recorders ? &crew->recorders[self->index] : NULL};
    spread_out(self);
    wait_for_the_others(crew, job);
    uint64_t cpu = harness_thread_cpu(), waited = harness_thread_waited();
    self->span.start = harness_now();
    crew->work(crew->context, &share);
    self->span.end = harness_now();
    self->cpu = harness_thread_cpu() - cpu;
    self->waited = harness_thread_waited() - waited;

    pthread_mutex_lock(&crew->lock);
    if (++crew->done == crew->threads) pthread_cond_signal(&crew->job_done);
    pthread_mutex_unlock(&crew->lock);
  }
}

harness_crew *harness_crew_create(size_t threads) {
  if (threads == 0 || threads > HARNESS_MAX_THREADS) return NULL;
  harness_crew *crew = NULL;
  size_t size = sizeof *crew + threads * sizeof(member);
  if (posix_memalign((void **)&crew, 64, size) != 0) return NULL;
  memset(crew, 0, size);
  crew->threads = threads;
  sched_getaffinity(0, sizeof crew->allowed, &crew->allowed);
  pthread_mutex_init(&crew->lock, NULL);
  pthread_cond_init(&crew->job_posted, NULL);
  pthread_cond_init(&crew->job_done, NULL);
  pthread_barrier_init(&crew->start, NULL, (unsigned)threads);
  for (size_t i = 0; i < threads; i++) {
    crew->members[i] = (member){.crew = crew, .index = i};
    if (pthread_create(&crew->members[i].thread, NULL, member_main, &crew->members[i]) != 0) {
      crew->threads = i;
      harness_crew_destroy(crew);
      return NULL;
    }
  }
  return crew;
}

void harness_crew_destroy(harness_crew *crew) {
  pthread_mutex_lock(&crew->lock);
  crew->ends = true;
  pthread_cond_broadcast(&crew->job_posted);
  pthread_mutex_unlock(&crew->lock);
  for (size_t i = 0; i < crew->threads; i++) pthread_join(crew->members[i].thread, NULL);
  pthread_mutex_destroy(&crew->lock);
  pthread_cond_destroy(&crew->job_posted);
  pthread_cond_destroy(&crew->job_done);
  pthread_barrier_destroy(&crew->start);
  free(crew);
}

void harness_crew_limit(harness_crew *crew, uint64_t nanoseconds) { crew->limit = nanoseconds; }

// Portions are large enough that the cost of dealing is small (one contended addition per portion), and small enough
// that the threads end together. There are at least 32 portions a thread, if there are that many rounds. A run by time
// has small portions, because a thread finishes its own after the time is over.
static uint64_t portion(uint64_t rounds, size_t threads) {
  if (rounds == HARNESS_UNTIL_LIMIT) return 16;
  uint64_t portion = rounds / (threads * 32);
  return portion < 1 ? 1 : portion > 2048 ? 2048 : portion;
}

static struct {
  uint64_t number __attribute__((aligned(64)));
} reached;

void harness_reach_exactly(uint64_t number) { __atomic_store_n(&reached.number, number, __ATOMIC_RELAXED); }

void harness_deal_wait(const harness_deal *deal) {
  for (int i = 0;; i++) {
    uint64_t next = __atomic_load_n(&deal->next, __ATOMIC_RELAXED);
    uint64_t number = __atomic_load_n(&reached.number, __ATOMIC_RELAXED);
    if (next >= deal->rounds || next <= number - deal->base + deal->ahead) return;
    if (i % 16 == 15) sched_yield();
    for (int pause = 0; pause < 16; pause++) harness_pause();
  }
}

void harness_crew_follow(harness_crew *crew, uint64_t base) {
  harness_reach_exactly(base);
  crew->follows = true;
  crew->base = base;
}

static void wait_until_done(harness_crew *crew) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += HARNESS_PATIENCE;
  while (crew->done < crew->threads) {
    bool late = pthread_cond_timedwait(&crew->job_done, &crew->lock, &deadline) != 0;
    if (late && crew->done < crew->threads) harness_hung();
  }
}

// A thread that waits for a processor counts as overlapping, but does not run. With more threads than processors some
// threads always wait. Otherwise it means that another program keeps the machine busy.
static double overlap(const harness_crew *crew, const harness_span *spans) {
  if (crew->threads == 1) return 1;
  double overlap = harness_overlap(spans, (uint32_t)crew->threads);
  if (crew->threads > (size_t)CPU_COUNT(&crew->allowed)) return overlap;
  uint64_t waited = 0, longest = 1;
  for (size_t i = 0; i < crew->threads; i++) {
    uint64_t length = spans[i].end - spans[i].start;
    if (length > longest) longest = length;
    if (crew->members[i].waited > waited) waited = crew->members[i].waited;
  }
  overlap -= (double)waited / (double)longest;
  return overlap > 0 ? overlap : 0;
}

void harness_crew_run(harness_crew *crew, uint64_t rounds, harness_recorder *recorders, harness_work work,
                      void *context, harness_sample *sample) {
  uint64_t size = portion(rounds, crew->threads);
  crew->deal = (harness_deal){.rounds = rounds == HARNESS_UNTIL_LIMIT ? INT64_MAX : rounds,
                              .portion = size, .follows = crew->follows, .base = crew->base,
                              .ahead = size * (crew->threads + 1) + HARNESS_REACH_STEP,
                              .until = crew->limit ? harness_now() + crew->limit : 0};
  crew->follows = false;
  crew->work = work;
  crew->context = context;
  crew->recorders = recorders;
  uint64_t allocations = harness_allocations();

  pthread_mutex_lock(&crew->lock);
  crew->done = 0;
  crew->job += 1;
  pthread_cond_broadcast(&crew->job_posted);
  wait_until_done(crew);
  pthread_mutex_unlock(&crew->lock);

  sample->allocations = harness_allocations() - allocations;
  sample->rounds = harness_deal_rounds(&crew->deal);
  sample->threads = (uint32_t)crew->threads;
  harness_span spans[HARNESS_MAX_THREADS];
  uint64_t start = UINT64_MAX, end = 0, cpu = 0;
  for (size_t i = 0; i < crew->threads; i++) {
    spans[i] = crew->members[i].span;
    cpu += crew->members[i].cpu;
    if (spans[i].start < start) start = spans[i].start;
    if (spans[i].end > end) end = spans[i].end;
  }
  sample->began = start;
  sample->nanoseconds = end > start ? end - start : 1;
  sample->overlap = overlap(crew, spans);
  sample->busy = (double)cpu / (double)sample->nanoseconds;
}

static char watched[160];

void harness_watch(const char *description) { snprintf(watched, sizeof watched, "%s", description); }

void harness_hung(void) {
  fprintf(stderr, "\nbenchmark: %s: not finished after %d s, given up; what was measured before is written\n", watched,
          HARNESS_PATIENCE);
  _exit(1);
}
