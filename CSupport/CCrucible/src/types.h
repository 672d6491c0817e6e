// The structures of the core, and the invariants that hold between their fields.

#ifndef CRUCIBLE_TYPES_H
#define CRUCIBLE_TYPES_H

#include "CCrucible.h"
#include "bag/bag.h"
#include "base/arena.h"
#include "base/atomics.h"
#include "base/lock.h"
#include "base/thread.h"
#include "base/tuning.h"
#include "matcher/word/word_types.h"

struct abandoned;
struct component;
struct firing;
struct chemistry;
struct matcher;

/// Adds one molecule of the name, and fires what it completes. False: nothing was added. crucible_last_refusal returns
/// the reason.
typedef bool (*inject_function)(struct crucible_name *name, void *value);

/// Bytes in a name for the value of a small state or fact.
enum { CRUCIBLE_ROOM = 16 };

/// A name of one soup. What all soups have in common is in the species, except for what every injection reads.
struct crucible_name {
  // Read by every injection; written only while the soup is being defined.
  _Atomic(inject_function) inject;  ///< of its component's matcher; must be first: crucible_inject reads it
  struct crucible_soup *soup;
  struct component *component;
  struct word_name word;
  struct species *species;
  void *context;
  uint8_t kind : 2;      ///< crucible_kind
  bool has_payload : 1;  ///< ⇔ its molecules have a size
  bool carries : 1;      ///< the species has `carry`
  bool has_room : 1;     ///< the value of the state or fact lies in `room`
  uint8_t : 0;           // other threads may read the members above while freezing writes the ones below
  bool completes_here : 1;  ///< its matcher may complete a reaction with a value that is not stored (`complete_here`)
  // Written while the soup is being defined.
  bool is_room : 1;      ///< it is the `room` of a name with a capacity
  bool is_fed : 1;       ///< the core injects it, for a name with a capacity or with molecules that expire
  uint8_t bit;           ///< its index in the component
  _Atomic uint8_t origins;  ///< enum origins
  /// how the binding makes a call of it: CRUCIBLE_CALL_PLAIN, _SPECIAL, or _VISITED if a reaction visits callers
  _Atomic uint8_t call;
  _Atomic bool weak;     ///< used by the binding alone
  _Atomic bool paused;   ///< no reaction that consumes it fires; written with the soup's lock
  union {
    _Atomic bool selects;   ///< it has been in a select, and the binding knows (soup/select.c)
    _Atomic uint8_t fact;   ///< for a fact: enum fact
  };
  /// Molecules in the bag that the name's word does not count. For a name on shelves, the nodes that were made. Threads
  /// that spill, make room or grow a shelf write to it, and those that pause a state.
  _Atomic uint64_t overflow;
  union {
    char room[CRUCIBLE_ROOM];  ///< the value of a state or a fact, if it is so small
    struct {
      _Atomic(struct abandoned *) abandoned;  ///< calls that retry their withdrawal (word/word_withdraw.c)
      union {
        void *cell;  ///< the value of another state or fact
        /// The name's front bit, which says whether the bag's cell has a molecule, or 0. Only for a name with a bag,
        /// and used by `word` alone. It is not part of `word` above because it shares the room of the cell.
        uint64_t front;
        /// for a name with neither, used by `word` alone: the reaction that consumes it; null: there are several
        struct reaction *only;
      };
    };
  };

  struct bag bag;  ///< for a slow or fast name with payload; other names end here (crucible__name_size)
};

_Static_assert(offsetof(struct crucible_name, inject) == 0, "crucible_inject reads the first member");
_Static_assert(offsetof(struct crucible_name, bag) == 2 * CRUCIBLE_LINE, "other names have two lines");
_Static_assert(offsetof(struct crucible_name, room) % _Alignof(max_align_t) == 0, "a small value is aligned");

/// What a name is declared with. All soups whose definitions have the same steps so far share it. The first line has
/// what distinguishes the declaration of a name from most others (repeat.c).
struct species {
  _Alignas(CRUCIBLE_LINE) crucible_label words;    ///< the label
  uint64_t shape;                       ///< crucible_name_shape; NO_SHAPE: crucible_soup_repeat_name does not serve it
  const void *shared;                   ///< for a name without `carry`: as in crucible_name_options
  _Atomic(const char *) known_file;     ///< an address at which the text of `file` has been found
  void *context;                        ///< the context of all names that share one; null: none
  uint32_t line;
  uint32_t size;
  uint32_t alignment;
  uint8_t kind;                         ///< crucible_kind
  uint8_t index;                        ///< its index in the soup
  _Atomic bool is_long;                 ///< written by any thread (soup/backlog.c)
  const char *label;
  const char *file;
  crucible_destroy destroy;
  void (*release)(void *context);       ///< for the contexts of names; not for `context`, which lives forever
  inject_function carry;  ///< for a slow name with waiting callers: injects in the binding's way; null for others
  // For a name whose molecules have an origin. It belongs to one soup.
  uint32_t value_size;          ///< the size without the origin
  uint32_t origin_at;           ///< the offset of the origin behind a value
  struct crucible_name *other;  ///< for a name without payload, its double; for a double, the name (soup/origins.c)
  const crucible_key_options *key;  ///< null: its molecules have no key
  struct bound *bound;              ///< null: it has no capacity (firing/bounds.h)
  const crucible_expiry_options *expiry;  ///< null: its molecules do not expire
};

/// What freezing finds for the names of a chemistry: members of these names, and the function of an open one, if the
/// soup is neither observed nor drained.
struct finding {
  struct bag bag;  ///< as it is prepared, if that takes no memory; other names have zeros
  struct word_name word;
  uint64_t front;
  inject_function inject;
  uint8_t bit;
  bool completes_here;
};

enum origins {
  NO_ORIGINS,
  WANTS_ORIGINS,  ///< some reaction needs them; before the definition has ended
  HAS_ORIGINS,    ///< each of its molecules has one
};

static inline bool crucible__has_origins(const struct crucible_name *name) {
  return load_relaxed(&name->origins) == HAS_ORIGINS;
}
/// Finds the name that has the bag. It is the double of a name without payload whose molecules have origins, or the
/// name itself.
static inline struct crucible_name *crucible__stored(struct crucible_name *name) {
  return crucible__has_origins(name) && !name->has_payload ? name->species->other : name;
}
/// Finds the name that the binding knows.
static inline struct crucible_name *crucible__shown(const struct crucible_name *name) {
  bool is_double = crucible__has_origins(name) && name->has_payload && name->species->other;
  return is_double ? name->species->other : (struct crucible_name *)(uintptr_t)name;
}
/// The size of a value, as the binding sees it.
static inline size_t crucible__value_size(const struct crucible_name *name) {
  return crucible__has_origins(name) && name->has_payload ? name->species->value_size : name->species->size;
}

/// Whether its value lies in a cell of the soup, as for a state or a fact.
static inline bool crucible__has_cell(const struct crucible_name *name) { return name->kind >= CRUCIBLE_STATE; }

/// Finds the value of a state or a fact.
static inline void *crucible__cell(const struct crucible_name *name) {
  return name->has_room ? (void *)(uintptr_t)name->room : name->cell;
}

/// Whether callers wait for its molecules, so that each can be withdrawn.
static inline bool crucible__has_callers(const struct crucible_name *name) {
  return name->kind == CRUCIBLE_FAST || name->carries;
}

/// An input of a rule. Its name differs from soup to soup (crucible__input).
struct input {
  uint8_t name;     ///< the index of its name in the soup
  uint8_t bit;      ///< the index of its name in the component; not for a fact
  bool is_stored;   ///< its value comes from a bag or queue; else the body's pointer is always the same
  uint8_t need;     ///< how often its name occurs in the pattern
  union {
    uint32_t offset;    ///< for a stored input: where its value lies in a firing's storage
    uint32_t fact_bit;  ///< for a fact, used by `word` alone: the number of its bit
  };
  uint64_t front;   ///< for a stored input, used by `word` alone: its name's front bit; 0: the name has none
};

/// A molecule that completes a reaction without being stored: its value goes from its injection to the body.
struct unstored {
  const struct crucible_name *name;  ///< null: every molecule of the firing is stored
  void *value;
};
#define ALL_STORED ((struct unstored){NULL, NULL})

/// What the reactions of all soups of a chemistry have in common.
struct rule {
  crucible_body body;
  void (*release)(void *context);
  void (*empty)(void *context);  ///< called instead, if the context stays with the block; null: it does not stay
  void (*submit)(void *context, crucible_firing *firing);
  bool (*enter)(void *context, crucible_firing *firing);
  const char *file;
  uint32_t line;
  uint32_t index;
  uint32_t input_count;    ///< the number of inputs that it consumes
  uint32_t state_count;
  crucible_placement placement;
  uint8_t away;  ///< 0: inline, 1: on the pool, 2: external; a thread with at least this value runs it (firing.h)
  uint8_t width;           ///< the number of inputs, and of the facts behind them that it reads (matcher/fact.h)
  bool retries;            ///< it may fail, and put its inputs back
  bool takes_late;         ///< a firing takes its molecules when it begins, and not when it is reserved (firing.c)
  bool inherits, in_order, visits;  ///< as in crucible_reaction_options
  bool may_lack_origin;    ///< the same, unless it takes late
  // The members from here on are what freezing finds, after one that any thread may write.
  _Atomic(const char *) known_file;  ///< an address at which the text of `file` has been found (soup/repeat.c)
  /// with fewer nested firings than this it runs without a check of the stack; 0 unless it is inline
  uint32_t depth_limit;
  bool repeats;            ///< `bits` is not the whole test: it reads facts, a name occurs twice, or `bits` is 0
  bool has_stored;         ///< some input is stored; if none is, every body gets `at`
  bool is_small;           ///< the firings of its component fit into a struct small_firing (firing.h)
  uint8_t giver;           ///< the input whose origin gives the body its context, if the soup carries contexts
  uint64_t bits;           ///< its names in the component; 0: the component has more than MOST_MASKED names
  union {
    struct word_reaction word;  ///< in a wide component, `own` replaces the beginning
    void *own;                  ///< the record of a wide component
  };
  struct input inputs[];
};

/// A reaction of one soup. Its address is the name of a reserved firing. Some members of the rule are here as well,
/// because every firing reads them.
struct reaction {
  struct rule *rule;        ///< written only while the soup is being defined
  struct component *component;
  crucible_body body;
  _Atomic(void *) context;  ///< for its body; may be exchanged
  union {
    uint64_t without_fronts;  ///< the rule's, for `word` alone
    void *own;              ///< the record of another matcher
  };
  struct crucible_soup *soup;
  void *owned;              ///< the first context, for `release`; in a spare block, the next soup's
  _Atomic uint32_t placed;  ///< external firings that have not begun
  _Atomic uint32_t left_running;  ///< external firings that have begun and continue after their thread has left them
  uint32_t depth_limit;     ///< the rule's
  bool is_quick;            ///< the rule's
  bool in_context;          ///< the function of the origins runs its body (crucible_soup_run_in_context)
  _Atomic uint8_t missing;  ///< the number of its facts that are not known; valid after the definition
  _Atomic bool owned_stays;  ///< `owned` stays with the block: it has `empty`, and nothing has changed it otherwise
  /// whether its bodies run on the threads of callers that wait (firing/visits.h); each soup finds it out anew
  struct probation {
    _Atomic bool visits;
    _Atomic bool is_decided;  ///< its bodies are no longer timed
    _Atomic uint8_t short_bodies, long_bodies;
  } probation;
  void *none;               ///< 0, because inputs that are not stored do not know how often they were put back
  void *at[];               ///< for each input, the cell of a state or a fact, or the name
};

/// What the components of all soups of a chemistry have in common.
struct layout {
  uint8_t *names;         ///< by bit, their indices in the soup
  uint32_t *reactions;    ///< their indices, in the order of their declaration
  const struct matcher *matcher;
  uint32_t reaction_count;
  uint32_t storage;       ///< bytes for its largest firing, alignment included
  uint32_t alignment;     ///< of that storage
  uint32_t input_count;   ///< the inputs of its widest pattern, including facts
  uint16_t name_count;
  uint8_t index;
  bool is_small;          ///< its firings fit into a struct small_firing (firing.h)
  bool has_facts;         ///< some reaction reads facts
  uint32_t own_size;      ///< bytes of the arena, in whole lines, that the matcher takes for its record
  struct word_layout word;
};

/// Finds the name, as it is stored, of an input.
static inline struct crucible_name *crucible__input(const struct reaction *reaction, uint32_t i);

struct component {
  // The state word. It has a field per name. The top bit of a field, the guard, is 0 at rest. The rest counts the
  // available molecules of the name. Below the fields lie the front bits and the two bits for control.
  //
  //   published in bag(n) ≥ field(n) + overflow(n) + reserved(n), equal when no call is in progress
  //
  // Nothing else that injections write or read lies in its line, not even the cell of a state: sharing the line was
  // slower with two threads.
  struct word_component word;
  _Alignas(CRUCIBLE_LINE) struct crucible_soup *soup;
  struct layout *layout;            ///< written only while the soup is being defined
  const struct matcher *matcher;    ///< null until `own` is complete
  void *own;                        ///< the record of the matcher
  struct crucible_name **names;     ///< by bit
  struct reaction **reactions;      ///< in the order of their declaration
  _Atomic uint32_t attention;       ///< enum attention
  _Atomic uint32_t droppers;  ///< threads that may have taken counts from a stopped component and not popped yet
  _Atomic uint64_t hands;  ///< WORD-5: threads that may have a count in hand, and above, how many ever had
};
_Static_assert(sizeof(struct component) == 2 * CRUCIBLE_LINE, "a component has two lines");
_Static_assert(CRUCIBLE_MAX_NAMES - 1 <= UINT8_MAX, "every name and component of a soup has a number");

/// Finds the reaction that a candidate of the component stands for.
static inline struct reaction *crucible__reaction(const struct component *component,
                                                  const struct candidate *candidate) {
  return component->reactions[candidate->reaction];
}

/// The most names of a component that the bits of a mask can distinguish.
enum { MOST_MASKED = 64 };

/// Whether the name, as it is stored, occurs in the reaction's pattern.
static inline bool crucible__consumes(const struct reaction *reaction, const struct crucible_name *name) {
  const struct rule *rule = reaction->rule;
  if (rule->bits && !((rule->bits >> name->bit % MOST_MASKED) & 1)) return false;
  for (uint32_t i = 0; i < rule->input_count; i++) {
    if (rule->inputs[i].name == name->species->index) return true;
  }
  return false;
}

struct chemistry {
  struct chemistry *next;  ///< in the list of its place
  /// of its first soup, with texts that it keeps; `seed`, `context` and `unowned` are of that soup alone
  crucible_soup_options options;
  crucible_label words;  ///< the label
  /// the chemistry whose first names and reactions it has; null: it was the first with its label
  const struct chemistry *from;
  uint32_t from_names, from_reactions;
  bool is_shared;        ///< it is published, and never changes again; otherwise it belongs to one soup
  bool suspends;         ///< bodies of its soups may wait for their own reactions
  bool ends_no_name;     ///< no name has anything that ends with its soup; known once it is published
  uint32_t size;         ///< of the block that holds a soup
  uint32_t name_count, name_capacity;
  uint32_t reaction_count, reaction_capacity;
  uint32_t component_count;
  struct species **names;
  struct finding *findings;  ///< by name; null: the chemistry is not published
  struct rule **reactions;
  struct layout *components;
  struct arena arena;    ///< contains all of these
  _Atomic(struct crucible_soup *) spares[CRUCIBLE_SPARES];
};

/// Counters of calls in progress, by thread index. Each has a single writer. Only inspection sums them up.
struct stripe {
  _Alignas(CRUCIBLE_LINE) _Atomic uint64_t entered;
  _Atomic uint64_t left;
  /// for the choices of this thread; the counter of the crowd may lose a step, which does no harm
  _Atomic uint64_t random;
};
_Static_assert(sizeof(struct stripe) == CRUCIBLE_LINE, "no two threads write one line");
enum { STRIPE_COUNTERS = offsetof(struct stripe, random) + sizeof(uint64_t) };
/// The numbers of stripes beside the soup, and of further blocks. A thread with an index in a block makes that block
/// (stripes.c).
enum { NEAR_STRIPES = STRIPES - OWN_STRIPES, FURTHER_BLOCKS = MOST_STRIPES / STRIPES - 1 };
struct further_stripes {
  _Alignas(CRUCIBLE_LINE) _Atomic(struct stripe *) blocks[FURTHER_BLOCKS];
};
/// The counters of all other threads.
struct crowd {
  _Atomic uint64_t entered, left, random;
};

struct crucible_soup {
  // holds = CRUCIBLE_OWNER × owners + CRUCIBLE_PENDING × (firings reserved or running elsewhere), and two marks.
  // 0: the contents are gone.
  _Alignas(CRUCIBLE_LINE) _Atomic uint64_t holds;
  struct crowd crowd;  ///< changed by fetch-and-add; it lies here because pool threads write `holds`, too
  // Members that are rarely read, and that successive soups of the block share, except for `seed`.
  struct crucible_soup *older, *newer;  ///< the list of live soups, or of spares; under the registry's lock
  uint64_t seed;
  uint32_t size;   ///< of the block that begins here
  bool is_made;    ///< the block contains what freezing makes for its chemistry
  bool is_spare;   ///< the block is a spare now
  /// in the list of live soups; accessed with the registry's lock, or before other threads know of the block
  bool is_listed;

  // Behind the state word, its line has members that are hardly read once the soup is defined, and not written either.
  union {
    struct component single;  ///< the component, if there is only one; others lie in the arena
    struct {
      _Alignas(CRUCIBLE_LINE) char of_word[sizeof(_Atomic uint64_t)];
      /// the chemistry with which the definition began: it has the label, the place and the functions of the binding
      const struct chemistry *place;
      /// published: the definition has followed it since its first step; otherwise it belongs to this soup; written
      /// until the definition has ended
      struct chemistry *chemistry;
      struct crucible_name **names;
      struct reaction **reactions;
      uint32_t name_capacity, reaction_capacity;
      // Members from here to the end of the line are zeroed for each soup.
      uint32_t name_count, reaction_count;
      uint16_t component_count;
      // The definer writes these four before the soup is frozen.
      bool may_repeat : 1;  ///< the binding knows no reason against equal soups at its place
      bool refuses_restarts : 1;
      /// every reaction needs an origin of its molecules, or only those that inherit do (origins.c)
      bool carries_context : 1, carries_none : 1;
      bool inherited;  ///< made by the process that forked this one; written while the child has one thread
      bool sealed;     ///< the report of the stop is made (STOP-3); accessed with the lock
    };
  };

  /// of the flags of this line, the members in the line of the first stripe, `suspended` and `stops`; no other code
  /// runs under it
  _Alignas(CRUCIBLE_LINE) struct lock lock;
  /// for threads of index OWN_STRIPES … STRIPES - 1; null: no such thread has been here; stays with the block
  _Atomic(struct stripe *) near;
  // Members from here to the end of the line are zeroed for each soup.
  _Atomic bool frozen;  ///< written with the lock; inspection reads it without the lock
  _Atomic bool given_up;  ///< the definition has thrown; written with the lock
  bool paused, stopped, restarting, draining;
  _Atomic uint8_t closed;  ///< from a stop until its restart has forgotten the facts (matcher/fact.h)
  _Atomic bool observed;  ///< written with the lock; uncommon injections read it without the lock

  // Behind the counters of a stripe, its line has members that injections do not write, and hardly read: those of an
  // observed soup read `context`, and those of threads of index STRIPES and above read `further`. Other threads write
  // these members only for definitions, control, withdrawals, callers that sleep, and the end.
  union {
    struct stripe stripes[OWN_STRIPES];
    struct {
      _Alignas(CRUCIBLE_LINE) char of_first[STRIPE_COUNTERS];
      // Members from here on are zeroed for each soup.
      struct held_molecule *held;  ///< molecules that wait for the end of the definition
      struct held_molecule *released_held;  ///< tracked molecules, after the definition
      union {
        struct held_molecule **held_end;
        struct crucible_soup *next_dying;  ///< after the last hold
      };
      uint64_t tracked;           ///< the numbers given to held molecules
      crucible_waiting *waiting;  ///< callers that sleep, the latest first (waiter.c)
      _Alignas(CRUCIBLE_LINE) char of_second[STRIPE_COUNTERS];
      uint64_t suspended;            ///< the number of waiting callers that are bodies of this soup
      uint64_t stops;                ///< the number of calls of stop: a stop during a restart ends the restart
      _Atomic uint64_t dropped, withdrawn;  ///< molecules that control calls have dropped, and callers withdrawn
      void (*report_unowned)(struct crucible_soup *soup);
      _Alignas(CRUCIBLE_LINE) char of_third[STRIPE_COUNTERS];
      _Atomic(struct further_stripes *) further;  ///< null: only threads of index < STRIPES have been here
      /// by name: what a stop has dropped and no report has told (matcher/untold.c); null: there was nothing
      _Atomic(_Atomic uint64_t *) untold;
      _Atomic(void *) context;    ///< set by the binding; null: none yet; written once, and from then on with the lock
      _Atomic uintptr_t definer;  ///< identifies the thread that defines; 0: the definition has ended
      // Members from here on are shared by successive soups of the block again, except for `shell`.
      struct component *components;
      _Alignas(CRUCIBLE_LINE) char of_fourth[STRIPE_COUNTERS];
      /// References to the memory of names and labels; the contents hold one.
      _Atomic uint64_t shell;
      void *kept;  ///< kept by the soup, or the spare, for the binding; null: nothing
      struct arena arena;  ///< contains the names, reactions and components, and what these refer to
    };
  };
};
_Static_assert(sizeof(struct crucible_soup) == 8 * CRUCIBLE_LINE,
               "a soup has two lines, a component, and a line for each of four stripes");
_Static_assert(offsetof(struct crucible_soup, observed) + 1 + 48 - sizeof(struct lock) <= 4 * CRUCIBLE_LINE,
               "the lock's line has room for the mutex of aarch64, which has 48 bytes");

static inline struct crucible_name *crucible__input(const struct reaction *reaction, uint32_t i) {
  const struct input *input = &reaction->rule->inputs[i];
  return input->is_stored ? reaction->at[i] : reaction->soup->names[input->name];
}

/// A mark in `holds`: the release by the last owner, and later the ends of firings, check whether an owner is left
/// (soup/unowned.c).
#define CRUCIBLE_WATCHED UINT64_C(1)
/// A mark in `holds`: the soup has no owner, and its bodies only wait for each other. It can no longer be held.
#define CRUCIBLE_CLOSED UINT64_C(2)
#define CRUCIBLE_OWNER UINT64_C(4)
#define CRUCIBLE_PENDING (UINT64_C(1) << 32)

#endif
