// The plug: what a matcher does for the components that it serves.

#ifndef CRUCIBLE_MATCHER_H
#define CRUCIBLE_MATCHER_H

#include "types.h"

enum withdrawal {
  WITHDRAWN,  ///< the molecule is back in the caller's hands
  CONSUMED,   ///< a reaction or a control call has it
  UNDECIDED,  ///< a firing that is reserved will take it, or it is going to be withdrawn as soon as that is seen
};

/// The serial number in the place of a molecule that was never stored.
#define NOWHERE UINT64_MAX
/// The serial number in the place of a molecule that waits for the end of its soup's definition.
#define HELD (UINT64_MAX - 1)

/// A way to decide which reaction fires. Any thread may make any of these calls.
struct strategy {
  /// What injects this name: adds one molecule and fires what it completes. False: no memory, nothing happened.
  inject_function (*inject_for)(const struct crucible_name *name);
  /// As injecting, and notes the place of what has to wait.
  bool (*inject_placed)(struct crucible_name *name, void *value, uint64_t attempts, struct place *place);
  /// Adds all of the molecules that are of this component, in one step. False: no memory; those whose `value` is null now
  /// were injected all the same, the others are the caller's.
  bool (*inject_together)(struct component *component, crucible_molecule *molecules, size_t count);
  /// Takes a molecule that still waits back to `result`.
  enum withdrawal (*withdraw)(struct thread *self, struct crucible_name *name, const struct place *place, void *result);
  /// Takes the molecules of a firing that was reserved earlier, runs it, and then what its states enable.
  void (*run)(struct thread *self, struct reaction *reaction);
  /// Takes the molecules of such a firing to `firing`, which has room for any of the component.
  void (*take)(struct reaction *reaction, struct firing *firing);
  /// Runs it then, and what its states enable, for which `firing` may serve as room.
  void (*run_taken)(struct thread *self, struct reaction *reaction, struct firing *firing);
  /// Instead of that: its body has ended; gives its states back, and runs what they enable.
  void (*end)(struct thread *self, struct reaction *reaction);
  /// The waiting molecules of every name, by bit, at one moment.
  void (*counts)(struct component *component, uint64_t *counts);
  /// Sets and clears bits of CRUCIBLE_CONTROL.
  void (*control)(struct component *component, uint64_t set, uint64_t clear);
  /// After STOPPED was cleared: whether somebody may still drop something for the stop.
  bool (*is_dropping)(struct component *component);
  /// When nobody does any more: the component is as if it had never been stopped.
  void (*reopen)(struct component *component);
  /// Fires what is enabled, after control bits were cleared.
  void (*settle)(struct thread *self, struct component *component);
  /// Destroys all molecules that wait, but for states. Answers how many.
  uint64_t (*drop)(struct component *component, crucible_reason reason);
  /// False while an injection that counts itself nowhere else is in progress (quiet.c).
  bool (*is_at_rest)(struct component *component);
  /// In the child of a fork: no reaction of it fires, and nothing that it locks is locked.
  void (*inherit)(struct component *component);
  bool (*create)(struct component *component);
  void (*destroy)(struct component *component);
  crucible_matcher matcher;
};

extern const struct strategy crucible__word;
extern const struct strategy crucible__locked;

#endif
