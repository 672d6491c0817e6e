// A gate: the last body of a run opens it, and whoever started the run waits behind it.
//
// The time is taken where the gate is opened: how long the waiting thread needs to wake is not part of the run.

#ifndef HARNESS_GATE_H
#define HARNESS_GATE_H

#include <stdint.h>

#include "harness_sample.h"

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef struct harness_gate harness_gate;

harness_gate *harness_gate_create(void);
void harness_gate_destroy(harness_gate *gate);

/// Starts the clock of a run on the pool, and forgets tallies and allocations so far. Only while no body runs.
void harness_gate_begin(harness_gate *gate, harness_sample *sample);
/// Stops the clock, and lets the waiting thread go on. Once a run.
void harness_gate_open(harness_gate *gate);
/// Waits for that, and writes the time between into the sample.
void harness_gate_wait(harness_gate *gate, harness_sample *sample);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
