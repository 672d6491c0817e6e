// Calls of the Linux kernel for shared soups: futexes in shared memory, locks of open files, and watching a process.

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// The C library declares these for _GNU_SOURCE alone. With that macro its types would differ from those that Swift
// imports, and a program could not use both.
#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

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

static const short shared_socket_input = POLLIN;

/// Waits until a socket is ready for one of the events, at most until `deadline` on the monotonic clock. Returns -1 and
/// sets errno if it is not, or if there is an error.
static inline int shared_socket_wait(int socket, short events, int64_t deadline) {
  struct pollfd polled = {.fd = socket, .events = events};
  for (;;) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left = (deadline - now.tv_sec * 1000000000 - now.tv_nsec) / 1000000 + 1;
    int count = left < 1 ? 0 : poll(&polled, 1, left < 1000 ? (int)left : 1000);
    if (count > 0) return 0;
    if (count < 0 && errno != EINTR) return -1;
    if (left < 1) return errno = ETIMEDOUT, -1;
  }
}

/// Connects to the address by the deadline. Returns -1 and sets errno if there is an error.
static inline int shared_socket_connect(const struct sockaddr *address, socklen_t size, int64_t deadline) {
  int file = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1, error = 0;
  if (file < 0) return -1;
  if (address->sa_family != AF_UNIX) setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  socklen_t length = sizeof error;
  if (connect(file, address, size) != 0 &&
      (errno != EINPROGRESS || shared_socket_wait(file, POLLOUT, deadline) != 0 ||
       getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0)) {
    error = error != 0 ? error : errno;
    close(file);
    return errno = error, -1;
  }
  return file;
}

/// Opens a connection to a host, or to the path of a socket if `port` is null. The lookup of the host's name has a
/// time limit of its own, that of the system.
static inline int shared_socket_open(const char *host, const char *port, int64_t deadline) {
  if (port == NULL) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(host) >= sizeof address.sun_path) return errno = ENAMETOOLONG, -1;
    strcpy(address.sun_path, host);
    return shared_socket_connect((struct sockaddr *)&address, sizeof address, deadline);
  }
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  if (getaddrinfo(host, port, &hints, &found) != 0) return errno = EADDRNOTAVAIL, -1;
  int file = -1;
  for (struct addrinfo *each = found; each != NULL && file < 0; each = each->ai_next)
    file = shared_socket_connect(each->ai_addr, each->ai_addrlen, deadline);
  int error = errno;
  freeaddrinfo(found);
  return errno = error, file;
}

/// Sends or receives bytes: as many as fit now, after a wait for at least one. Returns -1 and sets errno if there is an
/// error, also if the other side has closed the connection.
static inline ssize_t shared_socket_move(int socket, void *bytes, size_t size, int must_send, int64_t deadline) {
  for (;;) {
    ssize_t count = must_send ? send(socket, bytes, size, MSG_NOSIGNAL) : recv(socket, bytes, size, 0);
    if (count > 0) return count;
    if (count == 0) return errno = ECONNRESET, -1;
    if (errno != EAGAIN && errno != EINTR) return -1;
    if (errno == EAGAIN && shared_socket_wait(socket, must_send ? POLLOUT : POLLIN, deadline) != 0) return -1;
  }
}
