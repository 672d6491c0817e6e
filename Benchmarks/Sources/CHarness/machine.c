#define _GNU_SOURCE
#include "harness_machine.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "harness_clock.h"

enum { LOOPS = 200000, REPEATS = 11 };

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of(void (*loop)(int), int rounds) {
  double times[REPEATS];
  loop(rounds);
  for (int i = 0; i < REPEATS; i++) {
    uint64_t start = harness_now();
    loop(rounds);
    times[i] = (double)(harness_now() - start) / rounds;
  }
  qsort(times, REPEATS, sizeof times[0], by_size);
  return times[REPEATS / 2];
}

static void cas_loop(int rounds) {
  static uint64_t word __attribute__((aligned(64)));
  uint64_t seen = __atomic_load_n(&word, __ATOMIC_RELAXED);
  for (int i = 0; i < rounds; i++) {
    if (__atomic_compare_exchange_n(&word, &seen, seen + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) seen += 1;
  }
}

static void mutex_loop(int rounds) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < rounds; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}

static void clock_loop(int rounds) {
  for (int i = 0; i < rounds; i++) harness_now();
}

enum { PASSES = 400, TURNS = 9, TOO_LONG = 2000000 };

static struct {
  uint64_t number __attribute__((aligned(64)));  // odd: it is the second thread's turn
  uint64_t stopped __attribute__((aligned(64)));
} line;

static uint64_t line_number(void) { return __atomic_load_n(&line.number, __ATOMIC_ACQUIRE); }
static void pass_line(uint64_t number) { __atomic_store_n(&line.number, number, __ATOMIC_RELEASE); }

static void *pass_back(void *unused) {
  for (uint64_t next = 1;; next += 2) {
    while (line_number() != next) {
      if (__atomic_load_n(&line.stopped, __ATOMIC_ACQUIRE)) return unused;
    }
    pass_line(next + 1);
  }
}

double harness_transfer_ns(void) {
  line.number = line.stopped = 0;
  pthread_t other;
  if (pthread_create(&other, NULL, pass_back, NULL) != 0) return 0;
  double times[TURNS];
  int count = 0;
  uint64_t number = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    uint64_t start = harness_now();
    for (int pass = 0; pass < PASSES; pass++) {
      pass_line(number + 1);
      number += 2;
      while (line_number() != number) {
      }
    }
    uint64_t took = harness_now() - start;
    if (took < TOO_LONG && turn > 0) times[count++] = (double)took / (2 * PASSES);
  }
  __atomic_store_n(&line.stopped, 1, __ATOMIC_RELEASE);
  pthread_join(other, NULL);
  if (count == 0) return 0;
  qsort(times, (size_t)count, sizeof times[0], by_size);
  return times[count / 2];
}

double harness_cas_ns(void) { return median_of(cas_loop, LOOPS); }
double harness_mutex_ns(void) { return median_of(mutex_loop, LOOPS); }
double harness_clock_ns(void) { return median_of(clock_loop, LOOPS); }

static void pace_loop(int rounds) {
  uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
  for (int i = 0; i < rounds; i++) {
    // 96 additions to six registers. The loop itself makes up for the other four.
    for (int k = 0; k < 16; k++) {
      a++, b++, c++, d++, e++, f++;
      __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    }
  }
}

double harness_pace_ns(void) { return median_of(pace_loop, LOOPS / 256); }

const char *harness_cpu_model(void) {
  static char model[128];
  if (model[0]) return model;
  snprintf(model, sizeof model, "unknown");
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (!file) return model;
  char line[256];
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, "model name", 10) != 0) continue;
    char *value = strchr(line, ':');
    if (!value) continue;
    value += strspn(value, ": \t");
    value[strcspn(value, "\n")] = 0;
    snprintf(model, sizeof model, "%s", value);
    break;
  }
  fclose(file);
  return model;
}

const char *harness_kernel(void) {
  static char kernel[256];
  struct utsname name;
  if (uname(&name) != 0) return "unknown";
  snprintf(kernel, sizeof kernel, "%s %s %s", name.sysname, name.release, name.machine);
  return kernel;
}

size_t harness_cores(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 ? (size_t)cores : 1;
}

size_t harness_free_memory(void) {
  FILE *file = fopen("/proc/meminfo", "r");
  size_t kibibytes = SIZE_MAX >> 10;
  char line[128];
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "MemAvailable: %zu kB", &kibibytes) == 1) break;
  }
  if (file) fclose(file);
  return kibibytes << 10;
}

const char *harness_date(void) {
  static char date[32];
  time_t now = time(NULL);
  struct tm parts;
  gmtime_r(&now, &parts);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return date;
}
