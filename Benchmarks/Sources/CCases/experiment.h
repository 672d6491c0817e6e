// Declarations for the case files: the description of a case, and shorthands for defining a soup that note the first
// failure.

#ifndef CASES_EXPERIMENT_H
#define CASES_EXPERIMENT_H

#include "CCases.h"
#include "CCrucible.h"

#pragma clang assume_nonnull begin

/// One case, or several that differ by a number.
typedef struct cases_kind {
  const char *_Nullable name;
  size_t parameter;
  bool has_mutex;  ///< the baseline pthread-mutex exists
  /// Defines the chemistry. Returns null on failure, and describes it in `failure`.
  void *_Nullable (*_Nullable open)(const cases_setting *setting, size_t parameter, harness_sample *failure);
  void (*_Nullable measure)(void *state, uint64_t rounds, harness_recorder *_Nullable recorders,
                            harness_sample *sample);
  void (*_Nullable close)(void *state);
} cases_kind;

/// Each file's cases; a kind without a name ends the list.
extern const cases_kind cases_joins[], cases_counters[];

/// Returns false if a baseline is requested.
bool cases_has_matcher(const cases_setting *setting);
/// Returns a soup for the matcher, or null without memory.
crucible_soup *_Nullable cases_soup(const cases_setting *setting, harness_sample *failure);
/// Declares a slow or fast name with a payload of `size` bytes (0: none), aligned like a pointer.
crucible_name *_Nullable cases_name(crucible_soup *soup, const char *label, crucible_kind kind, size_t size,
                                    harness_sample *failure);
/// Declares a state with a 64-bit value.
crucible_name *_Nullable cases_state(crucible_soup *soup, const char *label, int64_t initial, harness_sample *failure);
void cases_react(crucible_soup *soup, crucible_placement placement, crucible_body body, void *context,
                 crucible_name *_Nonnull const *_Nonnull inputs, size_t count, harness_sample *failure);
/// Freezes the soup, and checks that it has the requested matcher. Returns false after any failure so far.
bool cases_freeze(crucible_soup *soup, const cases_setting *setting, harness_sample *failure);

/// Waits until no firing is in progress. If some still were when the crew ended, the time of the sample ends now.
void cases_settle(crucible_soup *soup, harness_sample *sample);
/// Waits until the soup is quiet. Does not change the time, for runs that end at a gate.
void cases_rest(crucible_soup *soup, harness_sample *sample);
/// Returns the number of waiting molecules of a quiet soup, without states.
uint64_t cases_waiting(crucible_soup *soup);

/// Makes one injection, and times it on request. The function is inlined, and `timed` is a constant, so the untimed
/// loop has no code for clocks.
static inline __attribute__((always_inline)) void cases_inject(crucible_name *name, void *value, bool timed,
                                                               harness_recorder *_Nullable recorder) {
  if (!timed) {
    crucible_inject(name, value);
    return;
  }
  uint64_t start = harness_now();
  crucible_inject(name, value);
  harness_recorder_add(recorder, harness_now() - start);
}

#pragma clang assume_nonnull end

#endif
