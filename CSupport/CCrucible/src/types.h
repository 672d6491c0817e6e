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
struct image;
struct matcher;
struct site;

/// Adds one molecule of the name, and fires what it completes. If it returns false, nothing was added, and
/// crucible_last_refusal says why.
typedef bool (*inject_function)(struct crucible_name *name, void *value);

/// What matchers with words keep of a name beside its count. `word`, its wide form and `claim` share it. Threads that
/// spill, make room or give up a call write to it, and never for a state.
struct name_aside {
  _Atomic uint64_t overflow;              ///< molecules in the bag that the name's word does not count; not of `claim`
  _Atomic(struct abandoned *) abandoned;  ///< calls whose withdrawal is to be tried again (matcher/abandoned.h)
};

struct crucible_name {
  // Read by every injection; written only while the soup is being defined.
  _Atomic(inject_function) inject;  ///< of its component's matcher; must be first: crucible_inject reads it
  struct crucible_soup *soup;
  struct component *component;
  struct word_name word;
  union {
    void *cell;      ///< the value of a state or a fact
    /// Of a name with a bag, `word`'s alone: the bit that says whether the bag's cell has a molecule; or 0. It is no
    /// part of `word` above because it shares the room of the cell: this is the line that every injection reads.
    uint64_t front;
  };
  uint32_t size;
  uint32_t alignment;
  uint8_t index;       ///< in its soup
  uint8_t bit;         ///< in its component
  uint8_t kind;        ///< crucible_kind
  bool has_payload;    ///< ⇔ size > 0
  bool carries;        ///< it has `carry`, and not `shared`
  bool completes_here;  ///< its matcher may complete a reaction with a value that is not stored (`complete_here`)
  _Atomic bool special;  ///< of the binding alone
  _Atomic uint8_t origins;  ///< enum origins
  crucible_destroy destroy;
  void (*release)(void *context);
  void *context;

  _Alignas(64) struct name_aside aside;
  const char *label;
  const char *file;
  union {
    inject_function carry;  ///< of a slow name with waiting callers: injects in the binding's way
    const void *shared;     ///< of others: what tells of which names the context may be shared; null: it may not
  };
  uint32_t line;
  bool is_retried : 1;  ///< some reaction that consumes it may fail and put it back
  bool puts_back : 1;   ///< bodies may put its calls back (matcher/waitlist.c)
  union {
    _Atomic bool selects;   ///< it has been in a select, and the binding knows (soup/select.c)
    _Atomic uint8_t fact;   ///< of a fact: enum fact
  };
  _Atomic bool weak;    ///< of the binding alone
  _Atomic bool paused;  ///< no reaction over it fires; written with the soup's lock
  union {
    _Alignas(16) char room[16];  ///< for the cell of a state or a fact whose value is so small
    struct {
      struct crucible_name *other;  ///< of one without payload, its double; of a double, the name (soup/origins.c)
      uint32_t value_size;          ///< without the origin
      uint32_t origin_at;           ///< where the origin lies behind a value
    };  ///< of a name whose molecules have an origin
  };

  struct bag bag;  ///< of a slow or fast name with payload, for matchers that use bags; the others end before it
};

_Static_assert(offsetof(struct crucible_name, inject) == 0, "crucible_inject reads the first member");
_Static_assert(offsetof(struct crucible_name, cell) == 80 && offsetof(struct crucible_name, aside) == 128,
               "what every injection reads lies in one line and the lists behind it");

enum origins {
  NO_ORIGINS,
  WANTS_ORIGINS,  ///< some reaction wants them; before the definition has ended
  HAS_ORIGINS,    ///< each of its molecules has one
};

static inline bool crucible__has_origins(const struct crucible_name *name) {
  return load_relaxed(&name->origins) == HAS_ORIGINS;
}
/// The name that has the bag: the double of one without payload whose molecules have origins; else the name itself.
static inline struct crucible_name *crucible__stored(struct crucible_name *name) {
  return crucible__has_origins(name) && !name->has_payload ? name->other : name;
}
/// The name that the binding knows.
static inline struct crucible_name *crucible__shown(struct crucible_name *name) {
  return crucible__has_origins(name) && name->has_payload && name->other ? name->other : name;
}
/// Bytes of a value, as the binding sees it.
static inline size_t crucible__value_size(const struct crucible_name *name) {
  return crucible__has_origins(name) && name->has_payload ? name->value_size : name->size;
}

/// Whether its value lies in a cell of the soup: that of a state or a fact.
static inline bool crucible__has_cell(const struct crucible_name *name) { return name->kind >= CRUCIBLE_STATE; }

/// Whether callers wait for its molecules, so that each can be withdrawn.
static inline bool crucible__has_callers(const struct crucible_name *name) {
  return name->kind == CRUCIBLE_FAST || name->carries;
}

struct input {
  struct crucible_name *name;
  bool is_stored;   ///< its value comes from a bag or queue; else the body's pointer is always `fixed`
  uint8_t need;     ///< how often its name stands in the pattern
  union {
    uint32_t offset;    ///< of a stored input: where its value lies in a firing's storage
    uint32_t fact_bit;  ///< of a fact, `word`'s alone: the number of its bit
  };
  union {
    void *fixed;     ///< the cell of a state or a fact; for a name without payload something that is not null
    uint64_t front;  ///< of a stored input, `word`'s alone: its name's front bit; 0: that has none
  };
};

struct reaction {
  struct component *component;
  struct crucible_soup *soup;
  crucible_placement placement;
  uint8_t away;            ///< 0: inline, 1: on the pool, 2: external; it stays on threads of at least that (firing.h)
  uint8_t width;           ///< inputs, and behind them the facts that it reads (matcher/fact.h)
  _Atomic uint8_t missing;  ///< of those facts, how many are not known; from the end of the definition on
  uint32_t depth_limit;    ///< below so many nested firings it runs without a look at the stack; 0 unless it is inline
  uint32_t input_count;    ///< of what it consumes
  uint32_t state_count;
  bool repeats;            ///< `bits` do not tell all: it reads facts, a name stands there twice, or they are 0
  bool has_stored;         ///< some input is stored; if none is, `fixed` is what every body gets
  bool retries;            ///< it may fail, and put its inputs back
  bool takes_late;         ///< its molecules are taken when a firing begins, and not when it is reserved (firing.c)
  void **fixed;            ///< fixed[-1] is 0, as no input that is not stored knows how often it was put back
  uint64_t bits;           ///< of its names in the component; 0: that has more than MOST_MASKED
  crucible_body body;
  _Atomic(void *) context;  ///< for its body; may be exchanged
  void *owned;              ///< the first context, for `release`; in a spare block, the next soup's
  void (*release)(void *context);
  void (*empty)(void *context);  ///< instead, if the context stays with the block; null: it does not
  void (*submit)(void *context, crucible_firing *firing);
  bool (*enter)(void *context, crucible_firing *firing);
  _Atomic uint32_t placed;  ///< external firings that have not begun
  _Atomic uint32_t taken;   ///< those that have begun and go on after their thread has left them
  union {
    struct word_reaction word;  ///< of a wide component, but for its first member
    void *own;                  ///< what another matcher keeps of it, or the wide form of `word`
  };
  const char *label;
  const char *file;
  uint32_t line;
  uint32_t index;
  _Atomic bool keeps;       ///< `owned` stays with the block: it has `empty`, and nothing has changed it otherwise
  struct input inputs[];
};

struct component {
  _Alignas(64) struct crucible_soup *soup;
  const struct matcher *matcher;
  void *own;              ///< what the matcher keeps of it
  struct crucible_name **names;       ///< by bit
  struct reaction **reactions;
  uint32_t reaction_count;
  uint32_t storage;       ///< bytes for its largest firing, alignment included
  uint32_t alignment;     ///< of that storage
  uint32_t input_count;   ///< of its widest pattern, facts included
  uint16_t name_count;
  uint8_t index;
  bool is_small;          ///< its firings fit into a struct small_firing (firing.h)
  bool has_facts;         ///< some reaction reads facts
  struct word_component word;
};
_Static_assert(offsetof(struct component, word) == 64, "a component has three lines");
_Static_assert(CRUCIBLE_MAX_NAMES - 1 <= UINT8_MAX, "every name and component of a soup has a number");

/// The most names of a component that the bits of a mask tell apart.
enum { MOST_MASKED = 64 };

/// Whether the reaction's pattern has the name, as it is stored.
static inline bool crucible__consumes(const struct reaction *reaction, const struct crucible_name *name) {
  if (reaction->bits && !((reaction->bits >> name->bit % MOST_MASKED) & 1)) return false;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    if (reaction->inputs[i].name == name) return true;
  }
  return false;
}

/// Calls in progress, counted by thread index: single-writer counters, summed only by looks.
struct stripe {
  _Alignas(64) _Atomic uint64_t entered;
  _Atomic uint64_t left;
  _Atomic uint64_t random;  ///< of the choices of this thread; the crowd's may lose a step, which does no harm
};
_Static_assert(sizeof(struct stripe) == 64, "no two threads write one line");
enum { STRIPE_COUNTERS = offsetof(struct stripe, random) + sizeof(uint64_t) };
/// Beside the soup, and in further blocks; each block is made when a thread with such an index comes (stripes.c).
enum { NEAR_STRIPES = STRIPES - OWN_STRIPES, FURTHER_BLOCKS = MOST_STRIPES / STRIPES - 1 };
struct further_stripes {
  _Alignas(64) _Atomic(struct stripe *) blocks[FURTHER_BLOCKS];
};
/// The counters of all other threads.
struct crowd {
  _Atomic uint64_t entered, left, random;
};

struct held_molecule {
  struct held_molecule *next;
  struct crucible_name *name;
  void *value;         ///< behind this, aligned
  size_t size;         ///< of the whole
  uint64_t number;     ///< of a tracked one: the position in its place; 0: not tracked
  struct place place;  ///< of a tracked one that was released
  bool arrived;        ///< the place is known: the molecule is not on its way any more
  bool given_up;       ///< its caller came to withdraw it after the definition
  uint64_t times;      ///< as crucible_molecule's
  void *origin;        ///< of all of them; null: it is made when they are released
  bool together;       ///< the next one was injected with it in one step
};

struct crucible_soup {
  // holds = CRUCIBLE_OWNER × owners + CRUCIBLE_PENDING × (firings reserved or running elsewhere), and two marks.
  // 0: the contents are gone.
  _Alignas(64) _Atomic uint64_t holds;
  struct crowd crowd;  ///< by fetch-and-add; here, for on the pool they write `holds` as well
  // Hardly ever read.
  struct crucible_soup *older, *newer;  ///< of those that live, and of spares; under the registry's lock
  uint32_t line;
  uint32_t size;  ///< of the block that begins here
  uint64_t seed;

  _Alignas(64) _Atomic uint64_t shell;  ///< references to the memory of names and labels; the contents hold one
  void *kept;      ///< by the soup, or the spare, for the binding; null: nothing
  bool is_spare;   ///< the block has been one of the site's spares: what freezing makes is in it
  bool is_kept;    ///< it is one now
  bool is_listed;  ///< among those that live; with the registry's lock, or while nobody knows of the block
  bool texts_stay;              ///< what it is given outlives it
  // Members that all soups of the block have, one soup after the other.
  crucible_matcher matcher;
  const char *label;
  const struct image *image;    ///< what its definition has been like, from its first step on; null: it is private
  struct crucible_name **names;
  uint32_t name_capacity;
  uint32_t reaction_capacity;
  struct reaction **reactions;
  struct component *components;
  _Atomic(struct stripe *) near;  ///< of threads of index OWN_STRIPES … STRIPES - 1; null: none has been here
  // From here on zeroed for each soup.
  _Atomic(struct further_stripes *) further;  ///< null: only threads of index < STRIPES have been here
  _Atomic(void *) context;      ///< of the binding; null: none yet; written once, and then with the lock
  _Atomic uintptr_t definer;    ///< what stands for the thread that defines; 0: the definition has ended
  uint32_t name_count;
  uint32_t reaction_count;
  _Alignas(64) struct lock lock;  ///< of what follows `inherited`, down to `tracked`; no other code runs under it
  uint32_t component_count;
  bool may_repeat;              ///< the binding knows nothing against soups of its site like it
  bool suspends;  ///< its bodies may wait for its own reactions; written before it is frozen
  bool inherited;  ///< made by the process that forked this one; written while the child has one thread
  _Atomic bool frozen;  ///< written with the lock; read without it by looks
  bool paused, stopped, restarting, draining;
  _Atomic uint8_t closed;  ///< from a stop until its restart has forgotten the facts (matcher/fact.h)
  _Atomic bool observed;  ///< written with the lock; read without it by uncommon injections
  crucible_waiting *waiting;  ///< callers that sleep, the latest first (callers.c)
  // Behind the counters of a stripe its line has what injections neither read nor write, but for `notify`, which those
  // of an observed soup read: what other threads write there
  // belongs to definitions, control, withdrawals and the end, so it takes the line from the stripe's thread a few times
  // in the life of a soup. The rest is written before other threads know of the soup.
  union {
    struct stripe stripes[OWN_STRIPES];
    struct {
      _Alignas(64) char of_first[STRIPE_COUNTERS];
      uint64_t suspended;            ///< of the waiting callers, bodies of this soup
      uint64_t stops;                ///< calls of stop: one in the middle of a restart ends it
      struct held_molecule *held;
      struct held_molecule **held_end;
      struct held_molecule *let_go;  ///< tracked ones, after the definition
      _Alignas(64) char of_second[STRIPE_COUNTERS];
      uint64_t tracked;              ///< numbers given to held molecules
      _Atomic uint64_t dropped;      ///< molecules, by control
      _Atomic uint64_t withdrawn;
      struct crucible_soup *next_dying;
      void (*tell_unowned)(struct crucible_soup *soup);
      // From here on of all soups of the block again.
      _Alignas(64) char of_third[STRIPE_COUNTERS];
      void (*release)(void *context);
      void (*tell_inherited)(struct crucible_soup *soup);
      void (*tell_gone)(struct crucible_name *name);
      bool (*end_kept)(void *kept, bool stays);
      void (*notify)(void *context, struct crucible_name *name, uint64_t count, bool refused);
      _Alignas(64) char of_fourth[STRIPE_COUNTERS];
      struct arena arena;  ///< has the texts, names, reactions and components, with what these refer to
      struct site *site;   ///< where it is defined (site.c); null: nobody knows
      const char *file;
    };
  };
};
_Static_assert(sizeof(struct crucible_soup) == 8 * 64, "a soup has four lines, and one for each of four stripes");

/// In `holds`: the last owner's going is looked at, and so are the ends of firings after that (soup/unowned.c).
#define CRUCIBLE_WATCHED UINT64_C(1)
/// In `holds`: nobody owns the soup, and its bodies only wait for each other. It cannot be held any more.
#define CRUCIBLE_CLOSED UINT64_C(2)
#define CRUCIBLE_OWNER UINT64_C(4)
#define CRUCIBLE_PENDING (UINT64_C(1) << 32)

#endif
