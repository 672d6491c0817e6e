// What the programs in C share: messages, the time, random numbers, threads, and definitions of soups.

#ifndef TESTS_PROGRAMS_H
#define TESTS_PROGRAMS_H

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "CCrucible.h"

/// Ends the program with a message. A forked child ends at once, without flushing the output that it inherited.
_Noreturn static inline void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn static inline void fail(const char *format, ...) {
  char text[400] = "FAILED ";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + 7, sizeof text - 8, format, arguments);
  va_end(arguments);
  strcat(text, "\n");
  if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(2);
  _exit(1);
}

// ---------------------------------------------------------------------------------------------------------------------
// Time, chance, threads
// ---------------------------------------------------------------------------------------------------------------------

#define SECONDS(count) ((count) * UINT64_C(1000000000))

/// The time by the monotonic clock.
static inline uint64_t nanoseconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/// Waits until the condition holds. Fails with the message after that time.
#define AWAIT(condition, seconds, ...)                                                           \
  for (uint64_t await_end = nanoseconds_now() + SECONDS(seconds); !(condition); sched_yield()) { \
    if (nanoseconds_now() > await_end) fail(__VA_ARGS__);                                        \
  }

/// The next random number of this state (Marsaglia's xorshift). Requires: the state is not 0.
static inline uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

static inline pthread_t new_thread(void *(*run)(void *), void *argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, argument) != 0) fail("no thread");
  return thread;
}

// ---------------------------------------------------------------------------------------------------------------------
// Soups
// ---------------------------------------------------------------------------------------------------------------------

static inline crucible_soup *new_soup(const char *label, crucible_matcher matcher) {
  crucible_soup *soup = crucible_soup_create(&(crucible_soup_options){.label = label, .matcher = matcher});
  if (!soup) fail("no memory for a soup");
  return soup;
}

/// A state begins with zeros.
static inline crucible_name *new_name(crucible_soup *soup, const char *label, crucible_kind kind, size_t size) {
  crucible_name *name;
  char zeros[64] = {0};
  crucible_name_options options = {.label = label, .kind = kind, .size = size, .alignment = 8};
  if (crucible_soup_add_name(soup, &options, zeros, &name) != CRUCIBLE_OK) fail("name %s is refused", label);
  return name;
}

static inline void new_reaction(crucible_soup *soup, crucible_placement placement, crucible_body body, void *context,
                                size_t count, crucible_name *const *inputs) {
  crucible_name *culprit;
  crucible_reaction_options options = {
      .inputs = inputs, .input_count = count, .placement = placement, .body = body, .context = context};
  if (crucible_soup_add_reaction(soup, &options, &culprit) != CRUCIBLE_OK) fail("a reaction is refused");
}
/// Adds a reaction of the names that follow.
#define REACTION(soup, placement, body, context, ...)                                                      \
  new_reaction(soup, placement, body, context,                                                             \
               sizeof((crucible_name *[]){__VA_ARGS__}) / sizeof(crucible_name *), (crucible_name *[]){__VA_ARGS__})

static inline void end_definition(crucible_soup *soup) {
  crucible_name *culprit;
  if (crucible_soup_freeze(soup, &culprit) != CRUCIBLE_OK) fail("the definition is refused");
}

#endif
