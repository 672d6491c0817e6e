// What the wide form of the matcher `word` keeps of a component, and what its files share. wide.c tells how it works.

#ifndef CRUCIBLE_WIDE_H
#define CRUCIBLE_WIDE_H

#include "firing/firing.h"
#include "matcher/claim/claims.h"
#include "matcher/matcher.h"

/// The lowest bits of a word, which are 0 while it has counts (claims.h).
enum { WIDE_LOW_BITS = 2 };
/// The most words of a component.
enum { WIDE_WORDS = MOST_CLAIMED };

/// What a reaction takes from one word, as struct candidate says.
struct wide_part {
  uint32_t home;
  uint64_t need;
  uint64_t guards;
};

/// Behind reaction->own.
struct wide_reaction {
  uint64_t words;       ///< from which it takes something
  uint64_t states;      ///< the words that its states lie in
  uint32_t part_count;
  struct wide_part parts[];  ///< in the order of the words
};

struct wide_name {
  struct reaction **reactions;  ///< that consume the name
  struct reaction **reactions_end;
};

/// Nothing else lies in the line of a word.
struct wide_word {
  _Alignas(64) _Atomic uint64_t word;
};

struct wide {
  _Alignas(64) _Atomic uint32_t attention;  ///< enum attention
  _Atomic uint32_t droppers;  ///< threads that may have taken counts from a stopped component and not popped yet
  uint32_t word_count;
  size_t size;                ///< of this block
  struct wide_name *names;    ///< by bit
  struct wide_word words[];   ///< and behind them the names, the reactions and the lists
};

static inline struct wide *crucible__wide_of(const struct component *component) { return component->own; }

static inline _Atomic uint64_t *crucible__wide_home(const struct wide *own, const struct crucible_name *name) {
  return (_Atomic uint64_t *)&own->words[name->word.home].word;
}

/// What the word of the name counts, with its control bits.
static inline uint64_t crucible__wide_look(const struct wide *own, const struct crucible_name *name) {
  return crucible__look(crucible__wide_home(own, name), name->word.home);
}

/// Changes the words of all `words` at once, or none. False: `change` said so.
static inline __attribute__((always_inline)) bool crucible__wide_change(struct thread *self, struct wide *own,
                                                                        uint64_t words, change_function change,
                                                                        void *context) {
  return crucible__claim_words(self, (char *)&own->words[0].word, sizeof own->words[0], words, change, context);
}

static inline uint64_t crucible__wide_all(const struct wide *own) { return UINT64_MAX >> (64 - own->word_count); }

static inline bool crucible__wide_is_bagged(const struct crucible_name *name) {
  return name->has_payload && name->kind != CRUCIBLE_STATE;
}

static inline uint32_t crucible__wide_attention(struct wide *own) {
  return load_seq_cst(&own->attention);  // partner: the setting of a bit before what it announces
}

// wide.c
/// Adds one count of a name, after its molecule was published. True: counts were brought over from the overflow.
bool crucible__wide_add(struct component *component, struct crucible_name *name);
/// Reserves all that is enabled in the component. Answers one of them, to be run; the others are submitted.
struct reaction *crucible__wide_settle_all(struct thread *self, struct component *component);
/// Does what others have left to do, and what no thread may leave without. True: at least one count came.
bool crucible__wide_tend(struct thread *self, struct component *component);
/// Before leaving without having fired: tends, and settles. Answers as settle does.
struct reaction *crucible__wide_attend(struct thread *self, struct component *component);
/// Adds a count that was taken and found no molecule (CALL-1). Runs nothing.
void crucible__wide_give_count_back(struct thread *self, struct crucible_name *name);

// wide_overflow.c
/// Brings spilled counts into the word while there is room. True: at least one came.
bool crucible__wide_bring(struct component *component, struct crucible_name *name);
/// The same for all names.
bool crucible__wide_bring_all(struct component *component);
/// Counts molecules as spilled. True: counts were brought over.
bool crucible__wide_spill(struct component *component, struct crucible_name *name, uint64_t count);

// wide_layout.c
bool crucible__wide_fits(struct component *component);
bool crucible__wide_create(struct component *component);
void crucible__wide_destroy(struct component *component);

// wide_control.c
void crucible__wide_counts(struct component *component, uint64_t *counts);
void crucible__wide_control(struct component *component, bool paused, bool stopped);
void crucible__wide_pause_name(struct crucible_name *name);
uint64_t crucible__wide_drop(struct component *component, const struct crucible_name *only, crucible_reason reason);
bool crucible__wide_restart(struct component *component);
void crucible__wide_inherit(struct component *component);
/// STOP-1: drops what there is, if the component is still stopped. Answers how many.
uint64_t crucible__wide_drop_stopped(struct thread *self, struct component *component);

// wide_together.c
/// Publishes and counts those of the molecules that are of this component, in one step.
crucible_status crucible__wide_publish_together(struct thread *self, struct component *component,
                                                crucible_molecule *molecules, size_t count);

// wide_withdraw.c
enum withdrawal crucible__wide_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result);
/// Tries the abandoned calls of all names again. True: something changed by it, or meanwhile.
bool crucible__wide_retry_abandoned(struct thread *self, struct component *component);
/// When the component goes: no caller is left to retry for.
void crucible__wide_forget_abandoned(struct component *component);

#endif
