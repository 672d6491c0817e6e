// The plug: what a matcher does for the components that it serves.
//
// A matcher decides which reaction fires, and holds the waiting molecules of a component. It sees counts and places. It
// never reads a value, and never runs a body. matcher/inject.c enters, drains, leaves and refuses for all matchers, and
// firing/ runs the firings. `locked` is the example to copy, and ../../README.md explains how to begin.
//
// The state of the thread in these calls
//   Any thread may make any of these calls, many at once, unless a call states otherwise. The caller holds the soup.
//   `self` is the calling thread's record. A call with `self` is counted as in progress (firing/stripes.h), so that the
//   soup is not quiet.
// Duties of a matcher
//   While it holds a lock, it must not run a body, and must not call `submit`, `destroy` or other code of the binding.
//   That code may inject into the same component. It must not return from `add`, `add_together`, `give_back` or
//   `settle` while a reaction that the call enabled is still enabled, unless the component is paused or stopped.
//
// The choice
//   crucible__replaces decides among the enabled reactions, alike for each. If the matcher `is_ordered`,
//   an order decides. It must not let one reaction starve another, because programs rely on that: a reaction may be
//   enabled again by each of its bodies until another one ends the loop. So the order of declaration does not suffice.
//   The reactions of a component and the lists of crucible__list_reactions are in that order.
//
// A reserved firing
//   One call may reserve several firings. The matcher passes all but one to crucible__submit before it returns, because
//   the body of the one may never return. A call that returns no reaction has submitted nothing.

#ifndef CRUCIBLE_MATCHER_H
#define CRUCIBLE_MATCHER_H

#include "types.h"

enum withdrawal {
  WITHDRAWN,  ///< the molecule is back in the caller's hands
  CONSUMED,   ///< a reaction or a control call has it
  UNDECIDED,  ///< a reserved firing will take the molecule, or a later attempt will withdraw it
};

/// The serial number in the place of a molecule that was never stored.
#define NOWHERE UINT64_MAX
/// The serial number in the place of a molecule that waits for the end of its soup's definition.
#define HELD (UINT64_MAX - 1)

/// The result of adding molecules: a reserved firing or null, and CRUCIBLE_OK or the reason why nothing was added.
struct added {
  struct reaction *reaction;
  crucible_status status;
};

/// A reserved firing, or null, and the number of further firings of the same reaction that are reserved with it. The
/// states stay with the thread for these.
struct reserved {
  struct reaction *reaction;
  uint32_t more;
};

struct word_form;

typedef struct added (*add_function)(struct thread *self, struct crucible_name *name, void *value, uint64_t attempts,
                                     struct place *place, struct firing *firing);

/// A member must not be null, unless its comment says what null means.
struct matcher {
  /// The name that messages, tests and benchmarks use for the matcher.
  const char *name;
  /// Whether a thread that stops anywhere in these calls delays no other thread.
  bool is_lock_free;
  /// For a form of `word`: the parts in which the forms differ (word/word.h).
  const struct word_form *form;
  /// Whether an order decides among enabled reactions, and not crucible__replaces.
  bool is_ordered;

  // The members of this group are called during the definition, on the one thread that defines. `fits` and `list` are
  // called only for the first soup of a chemistry (SITE-5).

  /// The most names of a component that the matcher serves. 0: any number.
  uint32_t most_names;
  /// Whether the matcher can serve the component in all other respects. Null: it serves all.
  bool (*fits)(struct component *component);
  /// The form of the matcher for components that do not fit. Null: there is none.
  const struct matcher *wider;
  /// The form of the matcher for components whose names have keys. Null: there is none.
  const struct matcher *keyed;
  /// Finds the rest of what all soups of the chemistry share, in its arena. False: no memory. Null: there is nothing.
  bool (*list)(struct component *component);
  /// Creates the matcher's record of a component, with every state present. It may be called again for the next soup of
  /// a block, with what it has made in the arena of the soup. Writes nothing that soups share. False: no memory, and
  /// nothing was made.
  bool (*create)(struct component *component);
  /// Destroys the record, with all waiting molecules (CRUCIBLE_GONE). No other thread uses the soup any more.
  void (*destroy)(struct component *component);

  // The decision.

  /// Adds one molecule. `attempts`: how often it was put back before. `place`, if not null, is set to where the
  /// molecule waits. It stays unchanged if the molecule was not stored. A molecule with a value is stored, unless the
  /// firing that it completes runs here (SELECT-5) or carries it. If the returned firing runs here
  /// (crucible__runs_here), its molecules are already in `firing`, which has room for any firing of the component. A
  /// firing without stored inputs needs no room.
  add_function add;
  /// Adds all of the molecules that belong to this component, in one step: no reaction sees some of them without the
  /// others. When it fails, molecules whose `value` is null now were injected all the same. The call does not take the
  /// molecules of the firing yet.
  struct added (*add_together)(struct thread *self, struct component *component, crucible_molecule *molecules,
                               size_t count);
  /// Gives back the states of a firing whose body has ended. Returns the firing that runs next on this thread, with its
  /// molecules taken to `firing`. It is a firing that crucible__stays_here. All others are submitted.
  struct reserved (*give_back)(struct thread *self, struct reaction *reaction, struct firing *firing);
  /// Reserves all enabled reactions, after the component was paused or stopped. The call does not take the molecules of
  /// the firing yet.
  struct reaction *(*settle)(struct thread *self, struct component *component);
  /// Reserves one enabled reaction of a component that is paused and not stopped: `only`, or any reaction if `only` is
  /// null. Null: none is enabled, or the component is in another state. The call does not take the molecules of the
  /// firing yet.
  struct reaction *(*step)(struct thread *self, struct component *component, struct reaction *only);
  /// Takes the molecules of a reserved firing with stored inputs to `firing`. The caller calls it once per firing.
  void (*take)(struct reaction *reaction, struct firing *firing);
  /// Makes ready what the body of a firing that is placed externally needs, on its thread. Null: all is ready.
  void (*prepare)(struct reaction *reaction, struct firing *firing);
  /// Takes the molecules of a reserved firing, runs it, and runs the firings that follow from it. Requires: no lock is
  /// held. A matcher whose firings carry no value can use crucible__run, which calls `take` and `give_back`.
  void (*run)(struct thread *self, struct reaction *reaction, struct unstored carried);
  /// Takes a molecule that still waits at `place` back to `result`. Submits the firings that this enables, to run
  /// elsewhere. If `place` is null, it takes the oldest one that waits, of a name without a key. CONSUMED: none waits.
  enum withdrawal (*withdraw)(struct thread *self, struct crucible_name *name, const struct place *place, void *result);

  // Inspection and control.

  /// Ends the molecules of the name that wait and are due at `now`. Adds those that no name has got to `*dropped`. Of a
  /// state with keys, it forgets the values that no body has used since, and the caller settles.
  /// Returns when the next one is due, 0 if none waits. Called only for names with an expiry. Null: it serves none.
  uint64_t (*expire)(struct crucible_name *name, uint64_t now, uint64_t *dropped);
  /// Whether the molecule that was stored at `place` is still there, reserved or not. Called only for names whose
  /// molecules can be withdrawn.
  bool (*holds)(struct crucible_name *name, const struct place *place);
  /// Sets `counts`, by bit, to the waiting molecules of every name at one moment.
  void (*counts)(struct component *component, uint64_t *counts);
  /// Sets whether the component is paused and stopped. Either disables all reactions. Called with the soup's lock, so
  /// it must not acquire that lock.
  void (*control)(struct component *component, bool paused, bool stopped);
  /// Notes that `paused` of the name has been written. The caller settles afterwards. Called with the soup's lock.
  void (*pause_name)(struct crucible_name *name);
  /// Destroys the waiting molecules of all names that crucible__drops, at one moment. Returns their number.
  uint64_t (*drop)(struct component *component, const struct crucible_name *only, crucible_reason reason);
  /// Ends a stop, after `control` has cleared it. False: some thread may still drop a molecule for the stop, and the
  /// caller retries. Called with the soup's lock. Null: no thread ever does this.
  bool (*restart)(struct component *component);
  /// Disables all reactions, and releases all locks, in the child of a fork. Called on its only thread.
  void (*inherit)(struct component *component);

  // Optional.

  /// Injects any name of the component with less work than crucible__inject_placed. Null: there is no such function.
  inject_function inject;
  /// Returns a function that injects this name with still less work. Null: `inject` does.
  inject_function (*inject_for)(const struct crucible_name *name);
  /// Injects a value, including entering and leaving, if that fires a reaction that runs here and gets the value
  /// without storing it. False: the value was not injected. Called only for names that `create` has marked by
  /// `completes_here`. Null: it marks none.
  bool (*complete_here)(struct crucible_name *name, void *value);
  /// Injects a call like complete_here, on a thread that will wait for the reply. The reaction may also be placed
  /// elsewhere, if its bodies may run on the threads of callers (firing/visits.h). Null: no body of this matcher may.
  bool (*visit)(struct crucible_name *name, void *value);
  /// Does what complete_here does, for a name that has origins. The value has one, or null. Null: there is no such
  /// function.
  bool (*complete_own)(struct crucible_name *name, void *value);
  /// Whether no injection is in progress that is counted nowhere else (soup/quiet.c). Null: all are counted.
  bool (*is_at_rest)(struct component *component);
  /// The number of words over which the component of the name lies. Sets `home`, which is 0, to the index of the word
  /// that counts the name. Null: it lies in none.
  uint32_t (*words)(const struct crucible_name *name, uint32_t *home);
  /// Notes that the fact at `inputs[input]` of a reaction has become known, or that it is forgotten. The caller settles
  /// afterwards. Null: the matcher calls crucible__knows_facts.
  void (*set_fact)(struct reaction *reaction, uint32_t input, bool known);
};

// component.c
/// Finds the components of a chemistry that has none, and makes those of its soup. False: no memory.
bool crucible__layout_components(struct crucible_soup *soup);
/// Whether one component has all names and reactions of the soup, in their order. If none is a double, it has the lists
/// of the soup.
static inline bool crucible__is_whole(const struct chemistry *chemistry) {
  return chemistry->component_count == 1 && chemistry->components->name_count == chemistry->name_count;
}
/// Makes the soup's components, as its chemistry has them, without their matchers. False: no memory.
bool crucible__make_components(struct crucible_soup *soup);

/// The size of the lists of reactions of all names of a component. Each lists the reactions that consume the name.
size_t crucible__size_of_lists(const struct component *component);
/// Makes the list of one name, in the order of declaration. Returns the end of the list.
struct reaction **crucible__list_reactions(const struct crucible_name *name, struct reaction **list);

// untold.c: the molecules that a stop has dropped, and that no report has told yet, by name
/// Counts molecules of the name that were dropped for a stop, in the total of the soup too. `name`: as it is stored.
void crucible__add_stopped(const struct crucible_name *name, uint64_t count);
/// Notes molecules that were dropped for a stop and are counted in the total elsewhere.
void crucible__note_stopped(const struct crucible_name *name, uint64_t count);
/// Tells the molecules that no report has told. Adds them to `counts`, which has an element for each name of the soup,
/// or may be null. Returns their sum.
uint64_t crucible__tell_stopped(struct crucible_soup *soup, uint64_t *counts);
/// Frees the notes. Requires: no other thread uses the soup.
void crucible__free_untold(struct crucible_soup *soup);

// bags.c: the bags of a component, of `word` and its wide form
/// Whether the molecules of the name lie in its bag. Those of other names are counts, or states.
static inline bool crucible__is_bagged(const struct crucible_name *name) {
  return name->has_payload && !crucible__has_cell(name);
}

/// Prepares all bags of a component. `has_cell`: whether the name's bag has a cell, or null if no bag has one. False:
/// no memory, and no bag is prepared.
bool crucible__bags_prepare(struct component *component, bool (*has_cell)(const struct crucible_name *name));
/// Destroys all bags, with all waiting molecules (CRUCIBLE_GONE).
void crucible__bags_destroy(struct component *component);
/// Implements `holds` of struct matcher.
bool crucible__bags_hold(struct crucible_name *name, const struct place *place);

#endif
