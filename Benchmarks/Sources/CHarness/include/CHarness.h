// Tools for the benchmarks of both layers: clock, tallies, a crew of threads, a gate, counted allocations, a word
// table. The hot loops of layer `c` and of layer `swift` use the same tools. So a difference between them is a
// difference between the core and the Swift API.

#ifndef HARNESS_H
#define HARNESS_H

#include "harness_allocations.h"
#include "harness_clock.h"
#include "harness_crew.h"
#include "harness_gate.h"
#include "harness_machine.h"
#include "harness_part.h"
#include "harness_sample.h"
#include "harness_tally.h"
#include "harness_way.h"

#endif
