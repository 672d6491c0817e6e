#define _GNU_SOURCE
#include "harness_clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t harness_thread_cpu(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
uint64_t harness_process_cpu(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

uint64_t harness_thread_waited(void) {
  // "time on a processor, time waiting for one, turns". Not by stdio, which allocates.
  int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[96];
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  char *end;
  strtoull(text, &end, 10);
  return strtoull(end, NULL, 10);
}
