// The findings of one sample of one contender.

#ifndef HARNESS_SAMPLE_H
#define HARNESS_SAMPLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef struct harness_sample {
  uint64_t began;        ///< when the first thread started
  uint64_t nanoseconds;  ///< wall time from then to the end of the last thread, or of the last firing if that is later
  uint64_t rounds;       ///< those of a crew that were dealt out before the time was over
  uint64_t reactions;    ///< that had to happen, and did
  double overlap;        ///< measured time in which all threads ran, over the longest thread's
  uint32_t threads;      ///< that took part
  double busy;           ///< processor time over wall time
  uint64_t allocations;  ///< counted during the sample, if counting was on

  uint64_t backlog;            ///< molecules that waited meanwhile
  uint64_t fill_nanoseconds;   ///< to inject them
  uint64_t drain_nanoseconds;  ///< to consume them

  uint64_t bytes;     ///< that the heap grew by
  uint64_t bytes_of;  ///< for so many things; 0: not counted

  char failure[240];  ///< the mistake in the result; empty if it was verified
} harness_sample;

/// Notes a failure; the first note stays.
void harness_sample_fail(harness_sample *sample, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Notes a failure unless the two are equal.
void harness_sample_expect(harness_sample *sample, const char *what, uint64_t expected, uint64_t found);

static inline bool harness_sample_failed(const harness_sample *sample) { return sample->failure[0] != 0; }
static inline const char *harness_sample_failure(const harness_sample *sample) { return sample->failure; }

typedef struct harness_span {
  uint64_t start, end;
} harness_span;

/// The overlap of threads: (first end - last start) / longest span. 0 if one ended before another began.
double harness_overlap(const harness_span *spans, uint32_t count);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
