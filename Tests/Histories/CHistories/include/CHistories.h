// Parts of the histories that need C: small thread numbers, and noise under the core.

#ifndef CHISTORIES_H
#define CHISTORIES_H

#include <stdbool.h>
#include <stdint.h>

/// The calling thread's number, given when it first asks.
int32_t histories_thread(void);

/// Noise from now on, in a core that was compiled with CRUCIBLE_NOISE: which accesses are slow, and how slow, comes
/// from the seed; 0: none.
void histories_noise(uint64_t seed);

/// How often noise has held a thread up. 0 after some work: the core was compiled without.
uint64_t histories_noise_made(void);

#endif
