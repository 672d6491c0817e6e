// Freezing a thread: it stays in a signal handler if the signal met it inside the core. The program counter must be in
// the core's code, which is a library of its own for this. The thread must not be allocating a bag's next ring, the
// only thing that the core may wait for. One thread is frozen at a time, and only the main thread freezes.

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "stalls.h"

enum state { RUNNING, SIGNALLED, MISSED, FROZEN, RELEASED };

static atomic_uint state;
static enum operation frozen;  // written before the state is FROZEN
static uintptr_t core_begin, core_end;

static int find_core(struct dl_phdr_info *info, size_t size, void *unused) {
  if (!strstr(info->dlpi_name, "libstalled.so")) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
    core_begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    core_end = core_begin + info->dlpi_phdr[i].p_memsz;
  }
  return 1;
}

static uintptr_t counter_of(const ucontext_t *context) {
#if defined(__x86_64__)
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)context->uc_mcontext.pc;
#endif
}

static void freeze(int signal, siginfo_t *info, void *context) {
  uintptr_t at = counter_of(context);
  if (at < core_begin || at >= core_end || stalls_allocating || operation == ELSEWHERE) {
    atomic_store(&state, MISSED);
    return;
  }
  int before = errno;
  frozen = operation;
  atomic_store(&state, FROZEN);
  while (atomic_load(&state) != RELEASED) pause_shortly();
  atomic_store(&state, RUNNING);
  errno = before;
}

void prepare_freezing(void) {
  dl_iterate_phdr(find_core, NULL);
  if (core_begin == 0) fail("the core's code is not found");
  struct sigaction action = {.sa_sigaction = freeze, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
}

enum operation try_to_freeze(pthread_t victim) {
  atomic_store(&state, SIGNALLED);
  if (pthread_kill(victim, SIGUSR1) != 0) fail("no signal can be sent");
  unsigned seen;
  while ((seen = atomic_load(&state)) == SIGNALLED) pause_shortly();
  return seen == FROZEN ? frozen : ELSEWHERE;
}

void release_frozen(void) {
  atomic_store(&state, RELEASED);
  while (atomic_load(&state) != RUNNING) pause_shortly();
}
