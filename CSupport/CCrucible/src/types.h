// The structures of the core, and the invariants that hold between their fields.

#ifndef CRUCIBLE_TYPES_H
#define CRUCIBLE_TYPES_H

#include "CCrucible.h"
#include "bag/bag.h"
#include "base/arena.h"
#include "base/atomics.h"
#include "base/lock.h"
#include "base/thread.h"

struct component;
struct firing;
struct reaction;
struct strategy;
struct locked;

/// The two bits of a state word above its fields. Either of them disables every reaction of the component.
#define CRUCIBLE_PAUSED (UINT64_C(1) << 62)
#define CRUCIBLE_STOPPED (UINT64_C(1) << 63)
#define CRUCIBLE_CONTROL (CRUCIBLE_PAUSED | CRUCIBLE_STOPPED)

/// What a reaction takes from the state word, and how to see that it is there:
/// enabled(w) ⇔ ((w | guards) - need) & mask = guards, where the mask is the guards and the control bits.
struct candidate {
  uint64_t need;
  uint64_t guards;
  uint64_t mask;
  struct reaction *reaction;
};

/// Why those who leave a component have to look further (word.c); any number of them.
enum attention {
  SPILLED = 1,    ///< set before the first molecule spills, never cleared
  ABANDONED = 2,  ///< set before the first call is abandoned, never cleared
  REFUSING = 4,   ///< from before it is stopped until after it is restarted
};

/// What injects a name: adds one molecule and fires what it completes. False: it did not, and crucible_last_refusal says why.
typedef bool (*inject_function)(struct crucible_name *name, void *value);

struct crucible_name {
  // Read by every injection; written only while the soup is being defined.
  _Atomic(inject_function) inject;  ///< of its component's strategy; must be first: crucible_inject reads it
  struct crucible_soup *soup;
  struct component *component;
  uint64_t unit;      ///< word: 1 in its field
  uint64_t mask;      ///< word: its field without the guard
  uint64_t limit;     ///< word, in place: no addition is kept that would lift the field above it; limit ≤ mask
  uint64_t others;    ///< word: with it there, no reaction over it is enabled unless some of these fields is not 0
  uint8_t blind;      ///< word: fetch-and-add allowed to threads of a lower index
  bool has_payload;   ///< ⇔ size > 0
  bool under_state;   ///< every reaction that consumes it takes a state
  crucible_kind kind;
  struct candidate *candidates;  ///< the reactions that consume it
  struct candidate *candidates_end;
  void *cell;                    ///< a state's value
  uint32_t size;
  uint32_t alignment;
  uint8_t index;                 ///< in its soup
  uint8_t bit;                   ///< in its component
  uint8_t largest_need;          ///< the most of it that one pattern takes
  bool is_retried;               ///< some reaction that consumes it may fail and put it back
  _Atomic bool special;          ///< of the binding alone
  crucible_destroy destroy;
  void (*release)(void *context);
  void *context;

  // Written by spillers and by those who make room; none of them comes to a state.
  _Alignas(64) _Atomic uint64_t overflow;  ///< molecules in the bag that the word does not count
  _Atomic(struct abandoned *) abandoned;   ///< word: calls whose withdrawal is to be tried again (word_withdraw.c)
  const char *label;
  const char *file;
  uint32_t line;
  _Alignas(16) char room[16];              ///< for the cell of a state whose value is so small

  struct bag bag;  ///< word, with payload: the others end before it
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
  struct crucible_soup *soup;
  crucible_placement placement;
  uint32_t away;           ///< 0: inline, 1: on the pool, 2: external; it stays on threads of at least that (firing.h)
  uint32_t depth_limit;    ///< it may run where fewer firings are nested: 0 unless it is inline
  uint32_t input_count;
  uint32_t state_count;
  bool repeats;            ///< some name stands in its pattern more than once
  bool has_stored;         ///< some input is stored; if none is, `fixed` is what every body gets
  struct crucible_soup *covers;  ///< what its bodies inject there needs no count of its own (quiet.c); null: it does
  bool is_quick;           ///< some input is stored, it takes no state, and its firing fits into a struct small_firing
  bool retries;            ///< it may fail, and put its inputs back
  void **fixed;            ///< fixed[-1] is 0, as no input that is not stored knows how often it was put back
  uint64_t states;         ///< word: the units of its states
  uint64_t bits;           ///< of its names in the component
  crucible_body body;
  _Atomic(void *) context;  ///< for its body; may be exchanged
  void *owned;              ///< the first context, for `release`
  void (*release)(void *context);
  void (*submit)(void *context, crucible_firing *firing);
  bool (*enter)(void *context, crucible_firing *firing);
  _Atomic uint32_t placed;  ///< external firings that have not begun
  _Atomic uint32_t taken;   ///< those that have begun and go on after their thread has left them
  uint32_t most;            ///< firings in a row that may be reserved at once while its states are held (word.c)
  struct candidate *after;  ///< the reactions that its states may enable when they come back
  struct candidate *after_end;
  uint64_t after_fields;    ///< word: the fields of what those need besides states; all 0: none is enabled
  struct candidate self;               ///< word
  const char *label;
  const char *file;
  uint32_t line;
  uint32_t index;
  struct input inputs[];
};

struct component {
  // The state word: per name a field whose top bit, the guard, is 0 at rest; the rest counts its available molecules.
  //   published in bag(n) ≥ field(n) + overflow(n) + reserved(n), equal when no call is in progress
  // Nothing else lies in its line: with the cell of a state beside it, a counter's state took 12.2, 12.1, 13.1 ns on one thread instead of
  // 12.9, 12.7, 11.5, and 13.7, 14.4, 14.2 on two instead of 12.3, 13.2, 14.2 (alternating, medians of five).
  _Alignas(64) _Atomic uint64_t word;
  _Alignas(64) struct crucible_soup *soup;
  const struct strategy *strategy;
  struct locked *locked;
  uint64_t states;        ///< word: all its states, there
  _Atomic uint32_t attention;              ///< word: enum attention
  _Atomic uint32_t droppers;               ///< word: that may have taken counts from a stopped component and not popped yet
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
_Static_assert(sizeof(struct stripe) == 64, "no two threads write one line");
enum { STRIPES = 8 };
/// Of threads of index STRIPES … MOST_STRIPES - 1, STRIPES of them a block, made when such a thread comes (stripes.c).
enum { MOST_STRIPES = 64, FURTHER_BLOCKS = MOST_STRIPES / STRIPES - 1 };
struct further_stripes {
  _Alignas(64) _Atomic(struct stripe *) blocks[FURTHER_BLOCKS];
};
/// Of all other threads.
struct crowd {
  _Atomic uint64_t entered, left, random;
};

struct held_molecule {
  struct held_molecule *next;
  struct crucible_name *name;
  void *value;         ///< behind this, aligned
  size_t size;         ///< of the whole
  uint64_t number;     ///< of a tracked one: the position in its place; 0: not tracked
  struct place place;  ///< of a tracked one that was let go
  bool given_up;       ///< its caller came to withdraw it after the definition
  uint64_t times;      ///< as crucible_molecule's
  bool together;       ///< the next one was injected with it in one step
};

struct crucible_soup {
  // holds = owners + 2^32 × (firings reserved for the pool or running on it). 0: the contents are gone.
  _Alignas(64) _Atomic uint64_t holds;
  struct crowd crowd;  ///< by fetch-and-add; here, for on the pool they write `holds` as well
  // Hardly ever read.
  const char *label;
  const char *file;
  uint32_t line;
  crucible_matcher matcher;
  uint64_t seed;

  _Alignas(64) _Atomic uint64_t shell;  ///< references to the memory of names and labels; the contents hold one
  void (*release)(void *context);
  void (*tell_inherited)(struct crucible_soup *soup);
  void (*tell_gone)(struct crucible_name *name);
  struct crucible_soup *next_dying;
  struct crucible_soup *older, *newer;  ///< of those that live, under the registry's lock
  struct arena arena;  ///< has the texts, and all that is named from here to `context`, with what that refers to
  struct crucible_name **names;
  uint32_t name_count;
  uint32_t name_capacity;
  struct reaction **reactions;
  uint32_t reaction_count;
  uint32_t reaction_capacity;
  struct component *components;
  void *context;
  _Atomic(struct further_stripes *) further;  ///< null: only threads of index < STRIPES have been here
  void (*notify)(void *context, struct crucible_name *name, uint64_t count, bool refused);
  struct lock lock;  ///< of what follows `inherited`, down to the stripes; no other code runs under it
  uint32_t component_count;
  bool inherited;  ///< made by the process that forked this one; written while the child has one thread
  _Atomic bool frozen;  ///< written with the lock; read without it by those who look
  bool paused, stopped, restarting;
  _Atomic bool observed;  ///< written with the lock; read without it by those who inject in uncommon ways
  uint64_t stops;  ///< calls of stop: one in the middle of a restart ends it
  struct held_molecule *held;
  struct held_molecule **held_end;
  struct held_molecule *let_go;  ///< tracked ones, after the definition
  uint64_t tracked;              ///< numbers given to held molecules
  _Atomic uint64_t dropped;      ///< molecules, by control
  _Atomic uint64_t withdrawn;
  crucible_waiting *waiting;  ///< callers that sleep, the latest first (callers.c)
  struct stripe stripes[STRIPES];
};

#define CRUCIBLE_PENDING (UINT64_C(1) << 32)

#endif
