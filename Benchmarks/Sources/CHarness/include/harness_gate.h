// A gate that the last body of a run opens. The thread that started the run waits for it.
//
// The body that opens the gate reads the clock. So the time that the waiting thread needs to wake is not part of the
// run.

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

/// Starts the clock of a run on the pool, and clears tallies and allocations. Requires: no body runs.
void harness_gate_begin(harness_gate *gate, harness_sample *sample);
/// Stops the clock, and wakes the waiting thread. Called once a run.
void harness_gate_open(harness_gate *gate);
/// Waits for the gate, and writes the time between into the sample.
void harness_gate_wait(harness_gate *gate, harness_sample *sample);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
