#include "harness_sample.h"

#include <inttypes.h>
#include <stdio.h>

void harness_sample_fail(harness_sample *sample, const char *format, ...) {
  if (harness_sample_failed(sample)) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sample->failure, sizeof sample->failure, format, arguments);
  va_end(arguments);
}

void harness_sample_expect(harness_sample *sample, const char *what, uint64_t expected, uint64_t found) {
  if (expected == found) return;
  harness_sample_fail(sample, "%s: expected %" PRIu64 ", found %" PRIu64, what, expected, found);
}

double harness_overlap(const harness_span *spans, uint32_t count) {
  if (count == 0) return 0;
  uint64_t last_start = 0, first_end = UINT64_MAX, longest = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (spans[i].start > last_start) last_start = spans[i].start;
    if (spans[i].end < first_end) first_end = spans[i].end;
    if (spans[i].end - spans[i].start > longest) longest = spans[i].end - spans[i].start;
  }
  if (first_end <= last_start || longest == 0) return 0;
  return (double)(first_end - last_start) / (double)longest;
}
