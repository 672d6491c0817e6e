// The parts of the histories that need C: small thread numbers, and noise under the core.

#ifndef CHISTORIES_H
#define CHISTORIES_H

#include <stdbool.h>
#include <stdint.h>

/// Returns the calling thread's number, which it gets when it first asks.
int32_t histories_thread(void);

/// Starts noise in a core that was compiled with CRUCIBLE_NOISE. The seed decides which accesses are slow, and how
/// slow. 0 ends the noise.
void histories_noise(uint64_t seed);

/// Returns how often noise has delayed a thread. If it is 0 after some work, the core was compiled without noise.
uint64_t histories_noise_made(void);

#endif
