// Threads that take part in every round. The core has its shortest paths for the threads that came first (word_short.c:
// the first eight, or the first two in the build with tiny rings). A new thread takes over the newest of the free
// records. So clients that begin and end with their round would hardly ever be among the first. Regulars register
// before all other threads, and never end.
//
// For them a round begins and ends as if they were made and joined, each by a semaphore of its own. Nothing else orders
// them.

#include <pthread.h>
#include <stdint.h>

#include "base/thread.h"
#include "storms.h"

static struct regular {
  sem_t begin, end;
  void *(*work)(void *number);
} regulars[REGULARS];

static void wait_on(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0) {
  }
}

static void *come_again(void *argument) {
  struct regular *self = argument;
  if (!crucible__thread()) fail("no memory for a thread");
  for (;;) {
    sem_post(&self->end);
    wait_on(&self->begin);
    self->work((void *)(uintptr_t)(self - regulars + 1));
  }
  return NULL;
}

void begin_regulars(void) {
  for (int i = 0; i < REGULARS; i++) {
    pthread_t thread;
    if (sem_init(&regulars[i].begin, 0, 0) != 0 || sem_init(&regulars[i].end, 0, 0) != 0) fail("no semaphore");
    if (pthread_create(&thread, NULL, come_again, &regulars[i]) != 0) fail("no thread");
    pthread_detach(thread);
    wait_on(&regulars[i].end);  // one after the other, so that the core numbers them in this order
  }
}

void call_regulars(uint32_t count, void *(*work)(void *number)) {
  for (uint32_t i = 0; i < count; i++) {
    regulars[i].work = work;
    sem_post(&regulars[i].begin);
  }
}

void join_regulars(uint32_t count) {
  for (uint32_t i = 0; i < count; i++) wait_on(&regulars[i].end);
}
