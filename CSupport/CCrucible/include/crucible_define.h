// Defining a soup, and injecting.

#ifndef CRUCIBLE_DEFINE_H
#define CRUCIBLE_DEFINE_H

#include "crucible_words.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Defining a soup
// ---------------------------------------------------------------------------------------------------------------------

/// Destroys a value in place. `context` is the name's. It may inject and call what it likes, but must not wait for
/// reactions of its soup: the destroying thread may have one in hand.
typedef void (*crucible_destroy)(void *value, void *_Nullable context, crucible_reason reason);

typedef struct {
  const char *label;  ///< copied
  crucible_kind kind;
  size_t size;        ///< bytes of a payload; 0: the molecule carries nothing, and its bag is a count
  size_t alignment;   ///< a power of two; ignored when size is 0
  crucible_destroy _Nullable destroy;  ///< null: nothing to destroy
  void *_Nullable context;             ///< handed to destroy
  void (*_Nullable release)(void *_Nullable context);  ///< called once when the soup is destroyed
  /// For a slow name with values that callers wait for. A single injection calls it instead of the matcher's function,
  /// unless the soup refuses it. It injects the value by crucible_inject_tracked. Each molecule of the name can be
  /// withdrawn.
  bool (*_Nullable carry)(crucible_name *name, void *value);
  /// Names with the same one may have one context in common, which then lives for ever: what tells the kind of the
  /// context. Not null: `context` is null here, and the name is given one afterwards, unless it has one by then that is
  /// shared. Behind the value of such a state is room for another one, for the binding, if it has no `destroy`. Null:
  /// names with `carry`, and those that have a context of their own.
  const void *_Nullable shared;
  bool puts_back;                      ///< of a fast name: bodies may put its calls back
  const char *_Nullable file;          ///< copied
  uint32_t line;
} crucible_name_options;

/// Runs a reaction: `inputs[i]` points at the value of the pattern's i-th input. The body takes over slow and fast
/// values (it must move them out or destroy them). It may change a state's value in place, and must leave it alive. It
/// only reads a fact's value. An input without payload has an unspecified non-null pointer. `inputs[-1]` is not a
/// pointer but a number: how often the input that was put back most often was put back, at most 63
/// (crucible_molecule.times); what carries no value is not known to have been.
typedef void (*crucible_body)(void *_Nullable context, void *_Nonnull const *_Nonnull inputs);

/// A reserved firing of a reaction that is placed externally, with its molecules.
typedef struct crucible_firing crucible_firing;

typedef struct {
  crucible_name *_Nonnull const *_Nullable inputs;
  size_t input_count;
  crucible_placement placement;
  crucible_body body;
  void *_Nullable context;
  void (*_Nullable release)(void *_Nullable context);  ///< called once when the soup is destroyed
  /// External: sees to it that the firing is run once (crucible_firing_run, or _begin and _end), wherever that is to
  /// be. Called by the thread that completed the match, in the middle of an injection: it must not run it itself, nor
  /// wait.
  void (*_Nullable submit)(void *_Nullable context, crucible_firing *firing);
  /// External: runs the firing if this very thread is where it is to run; false: it is not. Null: it never is.
  bool (*_Nullable enter)(void *_Nullable context, crucible_firing *firing);
  /// The place runs one firing at a time. If the reaction is external and has one input, each firing takes the oldest
  /// molecule when it begins, whichever thread reserved it. So bodies begin in the order of the molecules.
  bool in_order;
  /// External: its bodies run by the origin of one input: the first that is fast, or else the first that is no state.
  /// Requires: crucible_set_origins.
  bool inherits;
  bool retries;                                        ///< its body may put inputs back
  /// Empties a context at the end of the soup. The context then stays in the memory of the soup, and a soup that
  /// follows there may fill it again: it has the same core and the same number. Not null: `context` is null here, and
  /// the reaction is given one afterwards, unless it has one by then. Null: `release` ends the context.
  void (*_Nullable empty)(void *_Nullable context);
  const char *_Nullable label;                         ///< copied
  const char *_Nullable file;                          ///< copied
  uint32_t line;
} crucible_reaction_options;

typedef struct {
  const char *_Nullable label;  ///< copied
  crucible_matcher matcher;
  uint64_t seed;                ///< of the choice among enabled reactions; 0: a seed of its own
  const char *_Nullable file;   ///< copied
  uint32_t line;
  /// Tells, with `line` and `variant`, at which place in the source the soup is defined: compared as an address. Null:
  /// unknown.
  const void *_Nullable site;
  uintptr_t variant;            ///< what else tells definitions at one place apart: of the binding
  void *_Nullable context;      ///< of the binding
  void (*_Nullable release)(void *_Nullable context);  ///< called once, as the last act when the contents are destroyed
  /// While the soup is observed: `count` molecules of the name are about to be injected; or, `refused`, were not.
  void (*_Nullable notify)(void *_Nullable context, crucible_name *name, uint64_t count, bool refused);
  /// A child uses the soup of the process that forked it: called before that is refused. It need not return.
  void (*_Nullable inherited)(crucible_soup *soup);
  /// Called when the last owner goes while something goes on in the soup; perhaps more than once. Null: nothing is to
  /// be done.
  void (*_Nullable unowned)(crucible_soup *soup);
  /// Called when a name that does not own the soup injects after the soup has gone; before the injection returns false.
  void (*_Nullable gone)(crucible_name *name);
  /// Called with what crucible_soup_keep has given to the soup, when the contents have been destroyed, or the memory if
  /// it stayed there. `stays`: it may serve the next soup there. False: it does not, and has been released.
  bool (*_Nullable end_kept)(void *kept, bool stays);
} crucible_soup_options;

/// A soup with no names, held once. Null: no memory.
crucible_soup *_Nullable crucible_soup_create(const crucible_soup_options *options);

/// A label as a repeat compares it. One of up to 15 bytes, as it lies in memory, with zeros behind it:
/// a binding that has such words needs no call.
typedef struct {
  uint64_t low, high;
} crucible_label;
/// A soup like those that were defined at this place before, in memory that has had one already; with a seed of its
/// own, and without context and `unowned`. Null: nothing was made; `crucible_soup_create` tells the rest. Requires: the
/// options of all soups of this `site` have it as their `file`, and the same functions; the label is of up to 15 bytes.
crucible_soup *_Nullable crucible_soup_repeat(const void *site, uintptr_t variant, uint32_t line,
                                              crucible_matcher matcher, crucible_label label);

/// The object that an earlier soup in this memory has left to the definition (`end_kept`). Null: none.
void *_Nullable crucible_soup_kept(const crucible_soup *soup);
/// Gives the soup what it keeps. Requires: it has none; its options have `end_kept`; its definition has just begun.
void crucible_soup_keep(crucible_soup *soup, void *kept);

/// Declares a name. For a state, `initial`, if any, is moved (bitwise) into the soup's cell; else the caller
/// initializes `crucible_name_cell` before it freezes the soup or drops it.
crucible_status crucible_soup_add_name(crucible_soup *soup, const crucible_name_options *options,
                                       void *_Nullable initial, crucible_name *_Nullable *_Nonnull result);

/// Gives a name a context of which its `shared` tells the kind. Requires: it has none; the definition has not ended.
void crucible_name_give_context(crucible_name *name, void *context, void (*_Nullable release)(void *_Nullable context));

/// Where a state's value lies: fixed as long as the contents live. Null for other names.
void *_Nullable crucible_name_cell(const crucible_name *name);

/// Declares a reaction. On failure nothing is taken over, and `*culprit` (if any) is the name at fault.
crucible_status crucible_soup_add_reaction(crucible_soup *soup, const crucible_reaction_options *options,
                                           crucible_name *_Nullable *_Nonnull culprit);

/// Any label, for the name that is declared next.
crucible_label crucible_soup_next_label(const crucible_soup *soup, const char *label);

enum { CRUCIBLE_KIND_SHIFT = 62 };
/// Packs kind, size and alignment for crucible_soup_repeat_name. Requires: `size` and `alignment` are at most
/// CRUCIBLE_MAX_SIZE.
static inline uint64_t crucible_name_shape(crucible_kind kind, size_t size, size_t alignment) {
  return (uint64_t)kind << CRUCIBLE_KIND_SHIFT | (uint64_t)(size ? alignment : 1) << 32 | (uint64_t)size;
}

/// Declares a name that is the same as that of an earlier soup at this step, in memory that has had it already. Null:
/// nothing was declared; `crucible_soup_add_name` tells the rest. Names with the same `shared` have the same functions;
/// without `shared`, the name has no context and nothing to destroy. A fast name is special
/// (crucible_name_set_special). Requires: the definition has not ended; the text of `file` lies in the program.
crucible_name *_Nullable crucible_soup_repeat_name(crucible_soup *soup, crucible_label label, uint64_t shape,
                                                   const void *_Nullable shared, const char *file, uint32_t line);
/// Declares a reaction in the same way. Requires: it is placed inline or on the pool, puts nothing back and has no
/// label. The binding has one body for all of these. Returns the context that was kept. The caller fills it at once,
/// with nothing in between that may fail: from here on the end of the soup empties it. Null: nothing was declared.
void *_Nullable crucible_soup_repeat_reaction(crucible_soup *soup, crucible_name *_Nonnull const *_Nonnull inputs,
                                              size_t input_count, crucible_placement placement,
                                              void (*empty)(void *_Nullable context), const char *file, uint32_t line);

/// Gives the reaction that was declared last a context that its `empty` can empty. Requires: it has none.
void crucible_soup_give_reaction_context(crucible_soup *soup, void *context);
/// Has the context of a reaction released with the soup, although it could be emptied: it is changed. By any thread.
void crucible_soup_end_keeping(crucible_soup *soup, size_t reaction);

/// Whether the definition has had the same steps so far as an earlier one at its site, from which it takes over what
/// freezing finds. Only on the thread that defines.
bool crucible_soup_repeats(const crucible_soup *soup);
/// Whether the definition repeats an earlier one and lacks no step of it.
bool crucible_soup_has_repeated(const crucible_soup *soup);
/// Allows that later soups of the site take over what freezing this one finds. Requires: the definition has not ended.
void crucible_soup_allow_repeats(crucible_soup *soup);

/// Whether the calling thread is in the middle of the definition, or releases what was injected meanwhile.
bool crucible_soup_is_defined_here(const crucible_soup *soup);

/// Ends the definition: checks it, chooses the matcher of each component, and releases what was injected meanwhile.
/// On failure `*culprit` (if any) is the name at fault, and the soup can only be released. If the soup has no context,
/// none of its names is special from then on.
crucible_status crucible_soup_freeze(crucible_soup *soup, crucible_name *_Nullable *_Nonnull culprit);

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

/// Injects one molecule; `value` is moved from (bitwise) when the answer is true, and still the caller's when it is
/// false (no memory). The caller holds the soup, or runs in one of its bodies. Not for states. Lock-free on `word`,
/// except that a bag that grows allocates, and once per soup the first thread of the fifth to eighth, and of each eight
/// after these; blocks on `locked`.
static inline bool crucible_inject(crucible_name *name, void *value) {
  // The first member of a name is the function that injects it. It changes once, when the definition ends.
  bool (*inject)(crucible_name *name, void *value);
  __atomic_load((bool (**)(crucible_name *, void *))name, &inject, __ATOMIC_ACQUIRE);  // partner: the release in freeze
  return inject(name, value);
}

/// Injects like crucible_inject, for a caller that holds only the soup's shell. False also when the soup is gone.
bool crucible_inject_unowned(crucible_name *name, void *value);
/// Why the last injection of this thread was refused: no memory, not running, gone or inherited.
crucible_status crucible_last_refusal(void);
/// Restores the reason of a refusal after code that may have overwritten it.
void crucible_set_last_refusal(crucible_status why);

/// By what a molecule can be found again that waits.
typedef struct {
  uint64_t place[2];
} crucible_ticket;

/// Injects one molecule of a fast name, or of one with `carry`, which can be withdrawn by its ticket. False:
/// as `crucible_inject_unowned`.
/// `attempts`: how often it was put back before. `owns`: the caller owns the soup, which matters to a soup that is
/// drained.
bool crucible_inject_tracked(crucible_name *name, void *value, uint64_t attempts, bool owns, crucible_ticket *ticket);
/// Counts a molecule of a name with `carry` that nobody waits for any more as injected and withdrawn.
void crucible_inject_withdrawn(crucible_name *name);
/// Takes a molecule that still waits back, moving its value to `value`. False: a reaction or a control call has it, or,
/// where that cannot be decided yet, will have it, or else it is withdrawn and destroyed (CRUCIBLE_WITHDRAWN) as soon
/// as it can be; or the soup is gone; or the name is neither fast nor has `carry`, so that the molecule stays. To be
/// called at most once at a time for a ticket. Runs no body; lock-free on `word`, but for memory.
bool crucible_withdraw(crucible_name *name, const crucible_ticket *ticket, void *value);
/// Whether the molecule of the ticket still lies in the soup. Needs the shell only. Once false, it stays false.
bool crucible_still_waits(crucible_name *name, const crucible_ticket *ticket);

/// One of several molecules that are injected together.
typedef struct {
  crucible_name *name;
  void *_Nullable value;
  /// How often it was put back before; of a name without payload, how many there are.
  uint64_t times;
} crucible_molecule;

/// Injects molecules of one soup, in one step per component: no reaction sees some of them without the others. Values
/// are moved from, and never null. Not for states. Only names without payload cause CRUCIBLE_TOO_MANY_MOLECULES. When
/// the status is not OK, a null `value` marks a molecule that was injected all the same: its component had memory, or a
/// reaction took it before the shortage showed. The other values stay the caller's. `owns`: as in
/// `crucible_inject_tracked`.
crucible_status crucible_inject_together(crucible_molecule *molecules, size_t count, bool owns,
                                         crucible_name *_Nullable *_Nonnull culprit);

/// Runs a firing that `submit` or `enter` was given, gives its states back, and runs what that enables inline on this
/// thread.
void crucible_firing_run(crucible_firing *firing);
/// Runs a firing in two steps, for bodies that go on after this thread has left them. `load` is called at once and
/// moves the molecules out. The states stay away, and the soup lives, until the firing is ended, on any thread. `task`,
/// if any, runs the body, and no other body meanwhile.
void crucible_firing_begin(crucible_firing *firing, crucible_body load, void *_Nullable context,
                           const void *_Nullable task);
void crucible_firing_end(crucible_firing *firing);
/// Finds the firing that the task runs. Requires: the firing does not end meanwhile. Null: the task runs none.
crucible_firing *_Nullable crucible_firing_of(const void *task);
/// Calls `visit` for each task that runs a body of the soup. No such task ends meanwhile. `visit` must not run code of
/// users.
void crucible_soup_visit_tasks(const crucible_soup *soup, void (*visit)(const void *task, void *_Nullable context),
                               void *_Nullable context);
/// Functions for origins, which stand for the tasks that inject. A molecule that a reaction inherits from has an
/// origin, an object of the binding, as long as it waits.
typedef struct {
  /// Makes one for `count` molecules that this thread injects. It is taken or ended as often.
  void *_Nonnull (*_Nonnull make)(uint64_t count);
  /// Ends it for `count` molecules that no firing will use. May do what a `destroy` may.
  void (*_Nonnull end)(void *origin, uint64_t count);
} crucible_origins;
/// Sets how origins are made and ended, for the whole process. To be called before a reaction that inherits is added.
void crucible_set_origins(const crucible_origins *origins);
/// Takes the origin by which the body of the firing is to run. Requires: its reaction inherits; once for a firing,
/// before it is run, begun or discarded; where it is in order, only as it begins.
void *crucible_firing_take_origin(crucible_firing *firing);
/// Whether that origin is of the injection that this thread is in the middle of. Takes the molecules.
bool crucible_firing_has_own_origin(crucible_firing *firing);
/// Where the origin of that input lies among the inputs of a body, which takes it, or leaves null if it has been taken.
/// Null: molecules of this name have none.
void *_Nullable *_Nullable crucible_input_origin(const crucible_soup *soup, size_t reaction, size_t input,
                                                 void *_Nonnull const *_Nonnull inputs);
/// Whether molecules of the name have origins, or will have when the definition ends.
bool crucible_name_has_origins(const crucible_name *name);
/// Sets the function of a reaction. Requires: the definition has not ended; the calling thread defines.
void crucible_soup_set_reaction_body(crucible_soup *soup, size_t reaction, crucible_body body);
/// Instead of running it: destroys its molecules, and gives its states back.
void crucible_firing_discard(crucible_firing *firing);
/// Begins a wait that the binding makes. Until it ends, other threads may run what was deferred to this thread. If this
/// thread is the pool's, the pool replaces it meanwhile.
void crucible_thread_begin_waiting(void);
void crucible_thread_end_waiting(void);

/// How a blocking call of this name, made now on this thread, has to be made.
typedef enum : uint32_t {
  CRUCIBLE_CALL_PLAIN = 0,
  CRUCIBLE_CALL_HOPELESS,  ///< every reaction that consumes it needs a state of the body that runs on this thread
  CRUCIBLE_CALL_SPECIAL,   ///< as the binding has said of the name
  CRUCIBLE_CALL_AT_ONCE,   ///< it may fire a reaction on this thread
} crucible_call;
/// If it is hopeless, `*state` is that state.
crucible_call crucible_call_kind(crucible_name *name, crucible_name *_Nullable *_Nonnull state);
/// Whether a call of this name could never be answered before the firing has ended.
bool crucible_call_is_hopeless_in(crucible_name *name, const crucible_firing *firing,
                                  crucible_name *_Nullable *_Nonnull state);
/// Says that calls of this name are special from now on, or not; at any time, by any thread.
void crucible_name_set_special(crucible_name *name, bool special);
bool crucible_name_is_special(const crucible_name *name);
/// Notes that the name is known beyond its soup's end on purpose; at any time, by any thread.
void crucible_name_set_weak(crucible_name *name);
bool crucible_name_is_weak(const crucible_name *name);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
