// The cost of the pool at rest: none. It works for several soups of every matcher, for bodies that block, through slots
// and through retired memory. Then the process is left alone for two seconds. In the second one no thread but the main
// one may run. There is no context switch, voluntary or not, no tick of processor time, and no wake-up of a worker.

#include <dirent.h>
#include <stdlib.h>

#include "lives.h"

enum { CHAINS = 3, ROUNDS = 20000, MOST_THREADS = 1100, BLOCKED = 8 };  // CHAINS: for each matcher

static void block(void) { crucible_pool_sleep(20000000); }

/// Makes a backlog, whose rings are retired, chains on the pool and inline, through slots, and bodies that block.
static void work(crucible_matcher matcher) {
  struct chain chains[CHAINS];
  chain_open(&chains[0], matcher, CRUCIBLE_POOL, NULL);
  chain_open(&chains[1], matcher, CRUCIBLE_INLINE, NULL);
  chain_open(&chains[2], matcher, CRUCIBLE_POOL, block);
  chain_start(&chains[0], ROUNDS);
  chain_start(&chains[1], ROUNDS);
  for (int i = 0; i < BLOCKED; i++) chain_start(&chains[2], 1);
  if (!account_works(matcher, CRUCIBLE_POOL, ROUNDS)) fail("a soup counts wrong");
  for (int i = 0; i < CHAINS; i++) {
    if (!crucible_soup_wait_quiet(chains[i].soup, SECONDS(60))) fail("the work does not end");
    crucible_soup_release(chains[i].soup);
  }
}

struct thread {
  long id;
  unsigned long switches, ticks;
};

static unsigned long number_after(const char *text, const char *word) {
  const char *found = strstr(text, word);
  if (!found) fail("the system does not say how often threads switch");
  return strtoul(found + strlen(word), NULL, 10);
}

/// Returns 0 if the thread has ended.
static int read_file(long id, const char *file, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%ld/%s", id, file);
  FILE *stream = fopen(path, "r");
  if (!stream) return 0;
  size_t length = fread(text, 1, size - 1, stream);
  fclose(stream);
  text[length] = 0;
  return length > 0;
}

/// Notes all threads but the main one.
static size_t look(struct thread *threads) {
  DIR *folder = opendir("/proc/self/task");
  if (!folder) fail("/proc cannot be read");
  size_t count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    long id = strtol(entry->d_name, NULL, 10);
    char status[4096], stat[1024];
    if (id <= 0 || id == getpid() || !read_file(id, "status", status, sizeof status) ||
        !read_file(id, "stat", stat, sizeof stat)) {
      continue;
    }
    if (count == MOST_THREADS) fail("too many threads");
    // After the name in brackets: state and ten numbers, then the ticks in user and in system mode.
    const char *field = strrchr(stat, ')') + 1;
    for (int i = 0; i < 12; i++) field = strchr(field + 1, ' ');
    char *rest;
    unsigned long ticks = strtoul(field, &rest, 10);
    threads[count++] = (struct thread){
        .id = id,
        .switches = number_after(status, "\nvoluntary_ctxt_switches:") +
                    number_after(status, "nonvoluntary_ctxt_switches:"),
        .ticks = ticks + strtoul(rest, NULL, 10)};
  }
  closedir(folder);
  return count;
}

static void wait_a_second(void) { nanosleep(&(struct timespec){.tv_sec = 1}, NULL); }

int main(void) {
  static struct thread before[MOST_THREADS], after[MOST_THREADS];
  if (!crucible_pool_set_workers(4)) fail("four workers are refused");
  for (unsigned m = 0; m < matcher_count(); m++) work(matcher_at(m));
  wait_a_second();
  size_t threads = look(before);
  uint64_t woken = crucible_pool_look().wake_ups;
  wait_a_second();
  crucible_pool_status status = crucible_pool_look();
  size_t left = look(after);
  unsigned long switches = 0, ticks = 0;
  for (size_t i = 0; i < threads && threads == left; i++) {
    if (before[i].id != after[i].id) fail("threads come and go");
    switches += after[i].switches - before[i].switches;
    ticks += after[i].ticks - before[i].ticks;
  }
  uint64_t wake_ups = status.wake_ups - woken;
  int passed = threads == left && switches == 0 && ticks == 0 && wake_ups == 0 && status.threads <= status.workers &&
               status.idle == status.threads && threads > status.threads;
  printf("%s at rest for a second, %zu threads then %zu, %zu of them workers: %lu context switches, %lu ticks of "
         "processor time, %llu wake-ups\n",
         passed ? "passed" : "FAILED", threads, left, status.threads, switches, ticks, (unsigned long long)wake_ups);
  for (size_t i = 0; i < threads && threads == left && !passed; i++) {
    printf("  thread %ld: %lu context switches\n", after[i].id, after[i].switches - before[i].switches);
  }
  return !passed;
}
