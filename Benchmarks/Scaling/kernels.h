// What the machine's costs are read from: loops of one thing each, written once and run twice, on this machine and on the
// simulated one. So a cost of the simulated machine is right when its loop takes there as long as it took here.
//
//   add    fetch-and-add on one word                    1 thread: the instruction; 2: how long a core keeps a line that others want
//   cas    load, then CAS, until it succeeds            1: the instruction; 2: a check
//   turns  two threads hand a word over by plain stores, spinning; a round is one hand-over: a check
//   pause  the processor's hint in a spin loop
//   call   a futex call that has nothing to do
//   futex  two threads wake one another by turns, each when the other has slept for a while: how long the call that wakes takes, and how
//          long after its begin the sleeper runs. On this machine alone: it looks at the clock
//   visit  fetch-and-add on one word, then a hundred accesses of one's own    1: those; 2: what a transfer costs

#ifndef SCALING_KERNELS_H
#define SCALING_KERNELS_H

#include "CHarness.h"

/// Runs the kernel of this name. False: there is none, or it needs another number of threads.
bool kernel_run(const char *name, harness_crew *crew, uint64_t rounds, harness_sample *sample);

/// Of the last run of `futex`, in nanoseconds: in calls that wake, and from their begins until the sleepers ran.
uint64_t kernel_in_calls(void);
uint64_t kernel_until_awake(void);

#endif
