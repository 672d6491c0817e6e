// The structures of the core, and the invariants that hold between their fields.

#ifndef CRUCIBLE_TYPES_H
#define CRUCIBLE_TYPES_H

#include "CCrucible.h"
#include "atomics.h"
#include "bag.h"
#include "lock.h"
#include "thread.h"

struct component;
struct reaction;
struct locked;

/// What a reaction takes from the state word, and how to see that it is there:
/// enabled(w) ⇔ ((w | guards) - need) & guards = guards.
struct candidate {
  uint64_t need;
  uint64_t guards;
  struct reaction *reaction;
};

/// A way to decide which reaction fires. Every call may be made by any thread.
typedef bool (*inject_function)(struct crucible_name *name, void *value);
struct strategy {
  /// What injects this name: adds one molecule and fires what it completes. False: no memory, nothing happened.
  inject_function (*inject_for)(const struct crucible_name *name);
  /// Takes the molecules of a firing that was reserved earlier, runs it, and then what its states enable.
  void (*run)(struct thread *self, struct reaction *reaction);
  uint64_t (*count)(const struct crucible_name *name);
  /// False while an injection that counts itself nowhere else is in progress (looking.c).
  bool (*is_at_rest)(struct component *component);
  bool (*create)(struct component *component);
  void (*destroy)(struct component *component);
  crucible_matcher matcher;
};

struct crucible_name {
  // Read by every injection; written only while the soup is being defined.
  _Atomic(inject_function) inject;  ///< of its component's strategy; must be first: crucible_inject reads it
  struct crucible_soup *soup;
  struct component *component;
  uint64_t unit;      ///< word: 1 in its field
  uint64_t mask;      ///< word: its field without the guard
  uint64_t limit;     ///< word, in place: no addition is kept that would lift the field above it; limit ≤ mask
  bool blind;         ///< word: fetch-and-add allowed to threads of index < CRUCIBLE_BLIND_THREADS
  bool has_payload;   ///< ⇔ size > 0
  bool under_state;   ///< every reaction that consumes it takes a state
  crucible_kind kind;
  uint32_t index;     ///< in its soup
  uint32_t bit;       ///< in its component
  uint32_t size;
  uint32_t alignment;
  struct candidate *candidates;  ///< the reactions that consume it
  struct candidate *candidates_end;
  uint32_t largest_need;         ///< the most of it that one pattern takes
  void *cell;                    ///< a state's value
  struct bag bag;                ///< word, with payload
  crucible_destroy destroy;
  crucible_destroy release;
  void *context;
  char *label;
  char *file;
  uint32_t line;

  // Written by spillers and by those who make room.
  _Alignas(64) _Atomic uint64_t overflow;  ///< molecules in the bag that the word does not count
};

_Static_assert(offsetof(struct crucible_name, inject) == 0, "crucible_inject reads the first member");

struct input {
  struct crucible_name *name;
  bool is_stored;   ///< its value comes from a bag or queue; else the body's pointer is always `fixed`
  uint32_t offset;  ///< in a firing's storage
  void *fixed;      ///< a state's cell; for a name without payload something that is not null
};

struct reaction {
  struct component *component;
  crucible_placement placement;
  uint32_t depth_limit;    ///< it may run where fewer firings are nested: 0 unless it is inline
  uint32_t input_count;
  uint32_t state_count;
  bool repeats;            ///< some name stands in its pattern more than once
  bool has_stored;         ///< some input is stored; if none is, `fixed` is what every body gets
  void **fixed;
  uint64_t states;         ///< word: the units of its states
  uint64_t bits;           ///< of its names in the component
  crucible_body body;
  void *context;
  void (*release)(void *context);
  uint32_t most;            ///< firings in a row that may be reserved at once while its states are held (word.c)
  struct candidate *after;  ///< the reactions that its states may enable when they come back
  struct candidate *after_end;
  uint64_t after_fields;    ///< word: the fields of what those need besides states; all 0: none is enabled
  struct candidate self;               ///< word
  char *label;
  char *file;
  uint32_t line;
  uint32_t index;
  struct input inputs[];
};

struct component {
  // The state word: per name a field whose top bit, the guard, is 0 at rest; the rest counts its available molecules.
  //   published in bag(n) ≥ field(n) + overflow(n) + reserved(n), equal when no call is in progress
  _Alignas(64) _Atomic uint64_t word;
  _Alignas(64) struct crucible_soup *soup;
  const struct strategy *strategy;
  struct locked *locked;
  uint64_t states;        ///< word: all its states, there
  _Atomic bool spilled;   ///< word: set before the first molecule spills, never cleared
  uint32_t index;
  uint32_t name_count;
  uint32_t reaction_count;
  uint32_t storage;       ///< bytes for its largest firing, alignment included
  uint32_t alignment;     ///< of that storage
  uint32_t input_count;   ///< of its widest pattern
  bool is_small;          ///< its firings fit into a struct small_firing (firing.h)
  struct crucible_name **names;       ///< by bit
  struct candidate *candidates;       ///< of all its reactions
  struct candidate *candidates_end;
  struct reaction **reactions;
};

/// Calls in progress, counted by thread index: single-writer counters, summed only by those who ask.
struct stripe {
  _Alignas(64) _Atomic uint64_t entered;
  _Atomic uint64_t left;
  _Atomic uint64_t random;  ///< of the choices of this thread; the crowd's may lose a step, which does no harm
};
enum { STRIPES = 8 };

struct held_molecule {
  struct held_molecule *next;
  struct crucible_name *name;
  void *value;   ///< behind this, aligned
  size_t size;   ///< of the whole
};

struct crucible_soup {
  // holds = owners + 2^32 × (firings reserved for the pool or running on it). 0: the contents are gone.
  _Alignas(64) _Atomic uint64_t holds;
  _Alignas(64) _Atomic uint64_t shell;  ///< references to the memory of names and labels; the contents hold one
  struct crucible_soup *next_dying;
  uint64_t seed;
  crucible_matcher matcher;
  struct crucible_name *names[CRUCIBLE_MAX_NAMES];
  uint32_t name_count;
  struct reaction **reactions;
  size_t reaction_count;
  size_t reaction_capacity;
  struct component *components;
  uint32_t component_count;
  char *label;
  char *file;
  uint32_t line;
  struct lock define_lock;  ///< of `held` and `frozen`
  bool frozen;
  struct held_molecule *held;
  struct held_molecule **held_end;
  struct stripe stripes[STRIPES];
  struct stripe crowd;  ///< of all threads of index ≥ STRIPES, by fetch-and-add
};

#define CRUCIBLE_PENDING (UINT64_C(1) << 32)

extern const struct strategy crucible__word;
extern const struct strategy crucible__locked;

#endif
