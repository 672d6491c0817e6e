// The parts of names, reactions and components that belong to the matcher `word`.

#ifndef CRUCIBLE_WORD_TYPES_H
#define CRUCIBLE_WORD_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tuning.h"

/// The two lowest bits of a state word. Either of them disables every reaction of the component. They lie below the
/// fields because the test for a reaction subtracts. One more molecule in a full field is the field's guard, and the
/// borrow from there goes up. Bits above the fields would be cleared by it.
#define WORD_PAUSED UINT64_C(1)
#define WORD_STOPPED UINT64_C(2)
#define WORD_CONTROL (WORD_PAUSED | WORD_STOPPED)

/// The most names of a component that lies in one word. Each needs at least a count of one bit, and a guard.
enum { WORD_NAMES = 31 };

/// The counts that a reaction takes from the state word, and the test whether they are there:
/// enabled(w) ⇔ ((w ^ guards) - need) & mask = guards, where the mask is the guards and the control bits.
struct candidate {
  uint64_t need;
  uint64_t guards;
  uint64_t mask;
  uint32_t reaction;  ///< its index in the component
};

/// The reasons why threads that leave a component must look further (word.c). Several can be set.
enum attention {
  SPILLED = 1,    ///< set before the first molecule spills, never cleared
  ABANDONED = 2,  ///< set before the first call is abandoned, never cleared
  REFUSING = 4,   ///< from before it is stopped until after it is restarted
};

/// The fields of a name that every injection reads. They are written only during the definition. The first part shares
/// a line with the first members of the name.
struct word_name {
  uint64_t unit;         ///< 1 in its field
  uint64_t mask;         ///< its field without the guard
  uint64_t limit;        ///< in place: no addition that lifts the field above it is kept; limit ≤ mask
  uint64_t others;       ///< with it there, no reaction over it is enabled unless some of these fields is not 0: all
                         ///< that those take besides; of a state, one field of each
  uint8_t blind;         ///< threads with a lower index may use fetch-and-add
  bool under_state;      ///< every reaction that consumes it takes a state
  uint8_t largest_need;  ///< the most of it that one pattern takes
  bool gives_way;        ///< it is fast; each reaction that consumes it takes no other call, and is inline
  uint8_t home;          ///< the index of its word, 0 unless the component is wide (wide/wide.c)
  uint16_t home_at;      ///< for a wide component: the offset of that word in the matcher's record
  struct candidate *candidates;  ///< the reactions that consume it
  struct candidate *candidates_end;
};

struct word_reaction {
  struct candidate self;
  uint64_t states;               ///< the units of its states
  uint64_t without_fronts;       ///< all bits except the front bits of its names
  struct candidate *after;       ///< the reactions that its states may enable when they are given back
  struct candidate *after_end;
  uint64_t after_fields;         ///< a field that each of those needs besides states; all 0: none is enabled
  uint32_t most;                 ///< the most firings in a row that may be reserved at once while its states are held
  bool is_quick;                 ///< some input is stored, it takes no state, and its firing is small
};

struct word_component {
  _Alignas(CRUCIBLE_LINE) _Atomic uint64_t state;
};

struct word_layout {
  uint64_t states;               ///< the units of all its states
  uint64_t begin;                ///< the initial state word: all states are present, and all facts are missing
  uint32_t words;                ///< the number of its words
  struct candidate *candidates;  ///< of all its reactions
  struct candidate *candidates_end;
};

#endif
