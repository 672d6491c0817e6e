// Trials. See trial.h. The parent reads the child's standard error to its end, under a deadline. The child's numbers
// are in shared memory.

#include "trial.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "failing.h"
#include "ledger.h"

enum { PATIENCE = 60 };

struct numbers {
  uint64_t failures, refusals;
};

static struct numbers *numbers;

static void note_numbers(void) {
  *numbers = (struct numbers){failing_failures(), ledger_refusals()};
}

static void note_and_die(int signal_number) {
  note_numbers();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static _Noreturn void be_child(int error_pipe, void (*function)(const void *), const void *argument) {
  dup2(error_pipe, STDERR_FILENO);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  signal(SIGABRT, note_and_die);
  function(argument);
  note_numbers();
  _exit(0);
}

/// Reads until the child has closed the pipe. Returns false if it has not in time.
static bool read_all(int file, char *text, size_t capacity) {
  time_t end = time(NULL) + PATIENCE;
  size_t length = 0;
  for (;;) {
    struct pollfd poller = {.fd = file, .events = POLLIN};
    time_t left = end - time(NULL);
    if (left <= 0 || poll(&poller, 1, (int)left * 1000) <= 0) return false;
    char ignored[4096];
    bool fits = length + 1 < capacity;
    ssize_t count = read(file, fits ? text + length : ignored, fits ? capacity - 1 - length : sizeof ignored);
    if (count <= 0) return true;
    if (fits) text[length += (size_t)count] = 0;
  }
}

/// Returns the last line of the message that the core or liburcu wrote before it aborted, or null if there is none.
static char *message_in(char *text) {
  static const char *const beginnings[] = {"Crucible: ", "Unrecoverable error"};
  char *own = NULL;
  for (int i = 0; i < 2; i++) {
    for (char *next = text; (next = strstr(next, beginnings[i])); next++) {
      if (!own || own < next) own = next;
    }
  }
  if (!own) return NULL;
  char *end = strchr(own, '\n');
  if (end) *end = 0;
  return own;
}

struct outcome trial_run(void (*function)(const void *), const void *argument) {
  if (!numbers) {
    numbers = mmap(NULL, sizeof *numbers, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (numbers == MAP_FAILED) fail("no shared memory");
  }
  *numbers = (struct numbers){0};
  int ends[2];
  fflush(stdout);
  pid_t child = pipe(ends) == 0 ? fork() : -1;
  if (child < 0) fail("no process for a trial");
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], function, argument);
  }
  close(ends[1]);
  char text[4000] = "";
  bool ended = read_all(ends[0], text, sizeof text);
  close(ends[0]);
  if (!ended) kill(child, SIGKILL);
  int status;
  waitpid(child, &status, 0);
  struct outcome outcome = {.verdict = WRONG, .failures = numbers->failures, .refusals = numbers->refusals};
  if (!ended) {
    snprintf(outcome.message, sizeof outcome.message, "hangs");
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    outcome.verdict = WELL;
  } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && message_in(text)) {
    outcome.verdict = ABORTED;
    snprintf(outcome.message, sizeof outcome.message, "%s", message_in(text));
  } else if (WIFSIGNALED(status)) {
    snprintf(outcome.message, sizeof outcome.message, "%s without a message. %.300s", strsignal(WTERMSIG(status)),
             text);
  } else {
    snprintf(outcome.message, sizeof outcome.message, "%.390s", text);
  }
  return outcome;
}
