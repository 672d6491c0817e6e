// Runs a program under a kernel that refuses it system calls.
//
//   deny WHAT PROGRAM ARGUMENT…
//
//   membarrier-missing    membarrier answers ENOSYS, as kernels before 4.3 do, and some sandboxes
//   membarrier-forbidden  membarrier answers EPERM
//   membarrier-late       membarrier says that it is available, and then answers EPERM, as in a sandbox that closes
//                         later
//   futex-interrupted     every futex wait of the kind that the core uses answers EINTR at once
//   futex-changed         every futex wait of the kind that the core uses answers EAGAIN at once
//
// The filter (seccomp) is checked to be in force before the program begins, because the program asks about membarrier
// when it is loaded.

#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct refusal {
  const char *what;
  long call;
  int argument;  ///< its lower half decides; -1: none
  unsigned value;
  int error;
} refusals[] = {
    {"membarrier-missing", SYS_membarrier, -1, 0, ENOSYS},
    {"membarrier-forbidden", SYS_membarrier, -1, 0, EPERM},
    {"membarrier-late", SYS_membarrier, 0, MEMBARRIER_CMD_PRIVATE_EXPEDITED, EPERM},
    {"futex-interrupted", SYS_futex, 1, FUTEX_WAIT_PRIVATE, EINTR},
    {"futex-changed", SYS_futex, 1, FUTEX_WAIT_PRIVATE, EAGAIN},
};

/// Refuses the call to this process, and to the program that it executes.
static int refuse(const struct refusal *refusal) {
  unsigned argument = refusal->argument < 0 ? offsetof(struct seccomp_data, nr)
                                            : offsetof(struct seccomp_data, args) + 8 * (unsigned)refusal->argument;
  unsigned value = refusal->argument < 0 ? (unsigned)refusal->call : refusal->value;
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refusal->call, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)refusal->error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/// Whether the kernel answers as the filter demands.
static int is_in_force(const struct refusal *refusal) {
  unsigned word = 0;
  long answer = refusal->call == SYS_futex
                    ? syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0)
                    : syscall(SYS_membarrier, refusal->argument < 0 ? 0 : (int)refusal->value, 0);
  return answer == -1 && errno == refusal->error;
}

int main(int argc, char **argv) {
  const struct refusal *refusal = NULL;
  for (size_t i = 0; argc > 2 && i < sizeof refusals / sizeof *refusals; i++) {
    if (strcmp(argv[1], refusals[i].what) == 0) refusal = &refusals[i];
  }
  if (!refusal) {
    fprintf(stderr, "usage: see deny.c\n");
    return 2;
  }
  if (refuse(refusal) != 0 || !is_in_force(refusal)) {
    printf("FAILED the kernel does not let %s be tested: %s\n", refusal->what, strerror(errno));
    return 1;
  }
  execv(argv[2], argv + 2);
  perror(argv[2]);
  return 1;
}
