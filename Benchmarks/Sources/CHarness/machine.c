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

static double median_of(void (*loop)(void)) {
  double times[REPEATS];
  loop();
  for (int i = 0; i < REPEATS; i++) {
    uint64_t start = harness_now();
    loop();
    times[i] = (double)(harness_now() - start) / LOOPS;
  }
  qsort(times, REPEATS, sizeof times[0], by_size);
  return times[REPEATS / 2];
}

static void cas_loop(void) {
  static uint64_t word __attribute__((aligned(64)));
  uint64_t seen = __atomic_load_n(&word, __ATOMIC_RELAXED);
  for (int i = 0; i < LOOPS; i++) {
    if (__atomic_compare_exchange_n(&word, &seen, seen + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) seen += 1;
  }
}

static void mutex_loop(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < LOOPS; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}

static void clock_loop(void) {
  for (int i = 0; i < LOOPS; i++) harness_now();
}

double harness_cas_ns(void) { return median_of(cas_loop); }
double harness_mutex_ns(void) { return median_of(mutex_loop); }
double harness_clock_ns(void) { return median_of(clock_loop); }

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
