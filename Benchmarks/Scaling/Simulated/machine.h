// The simulated machine: up to 64 processors with private caches that hold one another's lines, and a clock for each.
//
// It executes the real program. The threads of a crew are coroutines on one thread of the kernel, each with the thread-local storage of a
// thread of its own; every access to memory is announced before it happens (accesses.c), lasts as long as the states of the caches say,
// and happens when no other processor is behind in time. So what a CAS finds, who fails and who waits comes out of the program itself;
// only the times are a model. ../README.md says what it is and where it is wrong.

#ifndef SCALING_MACHINE_H
#define SCALING_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MACHINE_PROCESSORS = 64, MACHINE_LINE = 64 };

enum access { ACCESS_LOAD, ACCESS_STORE, ACCESS_EXCHANGE, ACCESS_CAS };

/// "name=nanoseconds". False: there is no such cost, or it is not a number that is not negative.
bool machine_set_cost(const char *text);

/// Runs `work` on so many processors until all have returned. Answers how many nanoseconds that took.
double machine_run(size_t processors, void (*work)(void *context, size_t processor), void *context);

/// True on a simulated processor. All else in this header is to be called there alone.
bool machine_is_on(void);
/// The access that the caller is about to make. When this returns it has to happen before anything else is announced.
void machine_access(const volatile void *address, enum access access);
void machine_note_failed_cas(void);
/// A full fence: stores are in the cache.
void machine_fence(void);
/// The hint of a spin loop.
void machine_pause(void);
/// A call of the kernel.
void machine_call(void);
/// Waits until somebody wakes those who sleep on this address.
void machine_sleep(const volatile void *address);
/// Wakes up to `count` who sleep on this address.
void machine_wake(const volatile void *address, int count);

/// Prints what was counted in the last run, per round: a line each, with a name and a number.
void machine_print_counts(double rounds);

#endif
