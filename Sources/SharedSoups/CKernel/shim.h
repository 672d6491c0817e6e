// Calls of the Linux kernel for shared soups: futexes in shared memory, locks of open files, and watching a process.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline uint32_t shared_word_read(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

/// Changes the word and wakes at most `count` threads that wait with one of the bits of `mask`.
static inline void shared_word_ring(uint32_t *word, uint32_t mask, int count) {
  __atomic_fetch_add(word, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, word, FUTEX_WAKE_BITSET, count, NULL, NULL, mask);
}

/// Waits while the word is `seen`, at most until `deadline` on the monotonic clock, for a ring with one of the bits.
static inline void shared_word_wait(uint32_t *word, uint32_t seen, uint32_t mask, int64_t deadline) {
  struct timespec until = {.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000};
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, &until, NULL, mask);
}

/// Opens a file that is no link. Creates it if `like` is not null: with the mode and, as root, with the owner of that
/// file, as SQLite does for its log. Returns -1 and sets errno if there is an error.
static inline int shared_open(const char *path, const char *like) {
  struct stat status;
  int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file >= 0 || errno != ENOENT || like == NULL) return file;
  if (stat(like, &status) != 0) return -1;
  file = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, status.st_mode & 0777);
  if (file < 0) return errno == EEXIST ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
  // The umask does not count. If the change is refused, the file may be too private, never too open.
  if (fchmod(file, status.st_mode & 0777) == 0 && geteuid() == 0) (void)!fchown(file, status.st_uid, status.st_gid);
  return file;
}

/// Waits for the lock of a whole file. Returns -1 and sets errno if there is an error.
static inline int shared_file_lock(int file) {
  int status;
  do status = flock(file, LOCK_EX);
  while (status != 0 && errno == EINTR);
  return status;
}

static inline int shared_file_unlock(int file) { return flock(file, LOCK_UN); }

/// Locks one byte for this open file, without waiting. Returns -1 if another open file has it.
static inline int shared_byte_lock(int file, int64_t byte) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  return fcntl(file, F_OFD_SETLK, &lock);
}

/// Whether another open file has locked the byte: 1 or 0, or -1 if there is an error.
static inline int shared_byte_is_locked(int file, int64_t byte) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  if (fcntl(file, F_OFD_GETLK, &lock) != 0) return -1;
  return lock.l_type != F_UNLCK;
}

/// A descriptor that becomes readable when the process ends, or -1.
static inline int shared_process_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/// A counter whose change makes it readable, or -1.
static inline int shared_event_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
