// Reporting that the pool needs a thread and cannot get one.
//
// A thread that needs another one may be anywhere: in an injection under locks of its caller, or in a body. The handler
// is foreign code. So it runs on a thread of its own, which does not belong to the pool, holds nothing, and ends when
// nothing is left to report. No thread waits for the handler. There is one such thread at a time, so handlers do not
// overlap or recurse. A shortage that occurs meanwhile, perhaps because of the handler, is reported after it.
//
// If that thread cannot be created either, the text is written at once by one write(2). The call of the handler is
// delayed until a thread can be created.
//
//   NOTHING → WRITING → TO_TELL → NOTHING    of `state`: the thread that moves it to WRITING writes the record, and the
//                                            one that moves it to NOTHING has read it
// A shortage that occurs before the last one was read is skipped, because it would say the same.

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pool/pool.h"

enum { NOTHING = 0, WRITING = 1, TO_TELL = 2 };

static struct {
  _Atomic uint32_t state;
  _Atomic uint32_t telling;  ///< a thread that reports exists
  crucible_pool_shortage shortage;
  _Atomic(void (*)(const crucible_pool_shortage *)) handler;
} record;

void crucible_pool_on_shortage(void (*handler)(const crucible_pool_shortage *shortage)) {
  store_release(&record.handler, handler);  // partner: the load in tell_all
}

void crucible_pool_shortage_text(const crucible_pool_shortage *shortage, char *text, size_t capacity) {
  const crucible_pool_status *status = &shortage->status;
  if (shortage->error == 0) {
    snprintf(text, capacity,
             "Crucible: the pool has reached its limit of %zu threads, %zu of which are blocked (queued firings: "
             "%llu): await calls instead of blocking in bodies, or raise Pool.limit",
             status->limit, status->blocked, (unsigned long long)status->queued);
  } else {
    snprintf(text, capacity,
             "Crucible: the pool can get no more threads (%s) than its %zu, %zu of which are blocked (queued firings: "
             "%llu): await calls instead of blocking in bodies, or allow the process more threads and memory",
             strerror(shortage->error), status->threads, status->blocked, (unsigned long long)status->queued);
  }
}

static void write_line(const crucible_pool_shortage *shortage) {
  char text[400];
  crucible_pool_shortage_text(shortage, text, sizeof text - 1);
  size_t length = strlen(text);
  text[length++] = '\n';
  // Standard error may be closed, and there is no other place to report to.
  if (write(STDERR_FILENO, text, length) < 0) return;
}

/// Takes the shortage to report.
static bool take(crucible_pool_shortage *shortage) {
  if (load_acquire(&record.state) != TO_TELL) return false;  // partner: the release in crucible__shortage_tell
  *shortage = record.shortage;
  store_release(&record.state, NOTHING);  // partner: the CAS of the next one that writes
  return true;
}

static void *tell_all(void *unused) {
  (void)unused;
  do {
    crucible_pool_shortage shortage;
    while (take(&shortage)) {
      void (*handler)(const crucible_pool_shortage *) = load_acquire(&record.handler);
      (handler ? handler : write_line)(&shortage);
    }
    store_seq_cst(&record.telling, 0);
    // A shortage that occurred since the last check found a thread that reports. partner: the exchange in start.
  } while (load_seq_cst(&record.state) == TO_TELL && exchange_seq_cst(&record.telling, 1) == 0);
  return NULL;
}

/// Starts the thread that reports. False: no thread can be created.
static bool start(void) {
  if (exchange_seq_cst(&record.telling, 1) != 0) return true;  // partner: the look after `telling` is taken back
  if (crucible__start_thread(tell_all, NULL) == 0) return true;
  store_seq_cst(&record.telling, 0);
  return false;
}

void crucible__shortage_tell(const crucible_pool_shortage *shortage) {
  uint32_t state = NOTHING;
  if (!cas_acquire(&record.state, &state, WRITING)) return;
  record.shortage = *shortage;
  store_seq_cst(&record.state, TO_TELL);
  if (start()) return;
  write_line(shortage);
  crucible_pool_shortage written;
  // The default handler would say the same again. Only the reporting thread takes, so this thread must become it.
  if (load_acquire(&record.handler) == NULL && exchange_seq_cst(&record.telling, 1) == 0) {
    take(&written);
    store_seq_cst(&record.telling, 0);
  }
}

void crucible__shortage_retry(void) {
  if (UNLIKELY(load_acquire(&record.state) == TO_TELL)) start();
}

void crucible__shortage_after_fork(void) {
  store_relaxed(&record.state, NOTHING);
  store_relaxed(&record.telling, 0);
}
