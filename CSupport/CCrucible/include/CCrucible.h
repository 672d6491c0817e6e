// The C core of Crucible: a chemical machine whose default matcher is lock-free.
//
// This is the only header that other languages see: soups and names are opaque, and nothing of liburcu or of C's
// atomics shows. It is not a public interface of the package: the Swift module `Crucible` is.
//
// Order of calls for one soup, and what excludes what:
//
//   create → add_name, add_reaction, inject … → freeze → inject … → release
//
//   | call                                | with itself | with inject | thread                     |
//   | add_name, add_reaction, freeze      | no          | yes         | the one that defines       |
//   | inject, inject_…, withdraw          | yes         | yes         | any, without registration  |
//   | pause, resume, clear, stop, restart | yes         | yes         | any                        |
//   | hold, release, retain_shell, …      | yes         | yes         | any                        |
//   | is_quiet, counts, activity, waiting | yes         | yes         | any                        |
//   | select_begin                        | no          | yes         | any                        |

#ifndef CRUCIBLE_H
#define CRUCIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Words
// ---------------------------------------------------------------------------------------------------------------------

/// The most names that one soup may declare: one bit each in a 64-bit presence mask.
#define CRUCIBLE_MAX_NAMES 64
/// The most inputs that one pattern may have, repetitions counted.
#define CRUCIBLE_MAX_INPUTS 64
/// The largest value, and the largest alignment of one: 16 MB.
#define CRUCIBLE_MAX_SIZE ((size_t)1 << 24)
/// The most molecules without payload that one call injects.
#define CRUCIBLE_MAX_TIMES ((uint64_t)1 << 40)
/// From this many on that wait of such a name, further calls that inject several are refused.
#define CRUCIBLE_MAX_WAITING ((uint64_t)1 << 56)

typedef struct crucible_soup crucible_soup;
typedef struct crucible_name crucible_name;

typedef enum : uint32_t {
  CRUCIBLE_SLOW = 0,   ///< injecting it returns at once
  CRUCIBLE_FAST = 1,   ///< its payload begins with whatever the caller waits on; the core never looks inside
  CRUCIBLE_STATE = 2,  ///< exactly one copy, in a cell of the soup; never injected
} crucible_kind;

typedef enum : uint32_t {
  CRUCIBLE_POOL = 0,    ///< on a thread of the pool
  CRUCIBLE_INLINE = 1,  ///< on the thread that completed the match
  CRUCIBLE_EXTERNAL = 2,  ///< wherever `submit` brings it
} crucible_placement;

/// A matcher by its number in the registry, from 1 on. Further matchers have numbers without names here.
typedef enum : uint32_t {
  CRUCIBLE_AUTOMATIC = 0,  ///< for each component the first in the registry that fits
  CRUCIBLE_WORD = 1,       ///< one 64-bit word per component; a soup that does not fit is refused
  CRUCIBLE_LOCKED = 2,     ///< one mutex per component: the reference
  CRUCIBLE_ARRIVAL = 3,    ///< in the order of arrival: one thread at a time matches for all
} crucible_matcher;

typedef enum : uint32_t {
  CRUCIBLE_OK = 0,
  CRUCIBLE_NO_MEMORY,
  CRUCIBLE_TOO_MANY_NAMES,    ///< a 65th name
  CRUCIBLE_TOO_MANY_INPUTS,   ///< a pattern of more than 64 inputs
  CRUCIBLE_EMPTY_PATTERN,     ///< a reaction without inputs
  CRUCIBLE_FOREIGN_NAME,      ///< a pattern names another soup's molecule
  CRUCIBLE_REPEATED_STATE,    ///< a pattern takes one state twice: there is only one copy
  CRUCIBLE_ONLY_STATES,       ///< a pattern of states alone: it would fire for ever
  CRUCIBLE_FROZEN,            ///< a name or a reaction after freeze
  CRUCIBLE_UNUSED_NAME,       ///< a name that no reaction consumes
  CRUCIBLE_DOES_NOT_FIT,      ///< a matcher was chosen that cannot serve a component, because it is too wide
  CRUCIBLE_NOT_FROZEN,        ///< control before the definition has ended
  CRUCIBLE_NOT_STOPPED,       ///< restart of a soup that runs
  CRUCIBLE_NOT_QUIET,         ///< restart while bodies still run
  CRUCIBLE_NOT_RUNNING,       ///< injecting into a stopped soup
  CRUCIBLE_GONE_SOUP,         ///< injecting into a soup that is gone
  CRUCIBLE_INHERITED_SOUP,    ///< a child uses a soup of the process that forked it
  CRUCIBLE_TOO_LARGE,         ///< a value of more than 16 MB
  CRUCIBLE_TOO_MANY_MOLECULES,  ///< injecting more at once, or while more wait, than can be counted
  CRUCIBLE_UNKNOWN_MATCHER,     ///< a number that is not in the registry
  CRUCIBLE_NO_BRANCHES,         ///< a select without branches
  CRUCIBLE_SHARED_REACTION,     ///< two branches of a select whose names some reaction consumes together
  CRUCIBLE_HAS_ORIGINS,         ///< a branch of a select in a component whose molecules have origins
} crucible_status;

/// Why a value is destroyed that no reaction has consumed.
typedef enum : uint32_t {
  CRUCIBLE_GONE = 0,          ///< its soup is gone; also of a state's value
  CRUCIBLE_CLEARED,           ///< by clear
  CRUCIBLE_STOPPED_SOUP,      ///< by stop
  CRUCIBLE_WITHDRAWN,         ///< its caller had given up
  CRUCIBLE_DISCARDED,         ///< a firing had it, and was discarded
} crucible_reason;

/// The number of matchers in the registry. Their numbers are 1 to this one.
size_t crucible_matcher_count(void);
/// The name of a matcher, "automatic" for CRUCIBLE_AUTOMATIC, or null for a number that is not in the registry.
const char *_Nullable crucible_matcher_name(crucible_matcher matcher);
/// Sets `*matcher` to the number of the matcher with this name. False: there is none.
bool crucible_matcher_find(const char *name, crucible_matcher *matcher);

/// Whether a thread that stops anywhere in the matcher delays no other thread. Requires: a number in the registry.
bool crucible_matcher_is_lock_free(crucible_matcher matcher);

/// A sentence for people, without the names involved.
const char *crucible_status_text(crucible_status status);

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
  const char *_Nullable file;          ///< copied
  uint32_t line;
} crucible_name_options;

/// Runs a reaction: `inputs[i]` points at the value of the pattern's i-th input. The body takes over slow and fast
/// values (it must move them out or destroy them); a state's value it may change in place and must leave alive. An
/// input without payload has an unspecified non-null pointer. `inputs[-1]` is not a pointer but a number: how often the
/// input that was put back most often was put back, at most 63 (crucible_molecule.times); what carries no value is not
/// known to have been.
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
  void *_Nullable context;      ///< of the binding
  void (*_Nullable release)(void *_Nullable context);  ///< called once, as the last act when the contents are destroyed
  /// While the soup is observed: `count` molecules of the name are about to be injected; or, `refused`, were not.
  void (*_Nullable notify)(void *_Nullable context, crucible_name *name, uint64_t count, bool refused);
  /// A child uses the soup of the process that forked it: called before that is refused. It need not return.
  void (*_Nullable inherited)(crucible_soup *soup);
  /// Called when the last owner goes while something goes on in the soup; perhaps more than once. Null: nothing is to be done.
  void (*_Nullable unowned)(crucible_soup *soup);
  /// Called when a name that does not own the soup injects after the soup has gone; before the injection returns false.
  void (*_Nullable gone)(crucible_name *name);
} crucible_soup_options;

/// A soup with no names, held once. Null: no memory.
crucible_soup *_Nullable crucible_soup_create(const crucible_soup_options *options);

/// Declares a name. For a state, `initial`, if any, is moved (bitwise) into the soup's cell; else the caller
/// initializes `crucible_name_cell` before it freezes the soup or drops it.
crucible_status crucible_soup_add_name(crucible_soup *soup, const crucible_name_options *options,
                                       void *_Nullable initial, crucible_name *_Nullable *_Nonnull result);

/// Where a state's value lies: fixed as long as the contents live. Null for other names.
void *_Nullable crucible_name_cell(const crucible_name *name);

/// Declares a reaction. On failure nothing is taken over, and `*culprit` (if any) is the name at fault.
crucible_status crucible_soup_add_reaction(crucible_soup *soup, const crucible_reaction_options *options,
                                           crucible_name *_Nullable *_Nonnull culprit);

/// Ends the definition: checks it, chooses the matcher of each component, and releases what was injected meanwhile.
/// On failure `*culprit` (if any) is the name at fault, and the soup can only be released.
crucible_status crucible_soup_freeze(crucible_soup *soup, crucible_name *_Nullable *_Nonnull culprit);

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

/// Injects one molecule; `value` is moved from (bitwise) when the answer is true, and still the caller's when it is
/// false (no memory). The caller holds the soup, or runs in one of its bodies. Not for states. Lock-free on `word`,
/// except that a bag that grows allocates, and the first thread of each eight after the first eight, once per soup;
/// blocks on `locked`.
static inline bool crucible_inject(crucible_name *name, void *value) {
  // What injects a name is its first member, and changes once, when the definition ends.
  bool (*inject)(crucible_name *name, void *value);
  __atomic_load((bool (**)(crucible_name *, void *))name, &inject, __ATOMIC_ACQUIRE);  // partner: the release in freeze
  return inject(name, value);
}

/// The same for a caller that only holds the soup's shell: false also when the soup is gone.
bool crucible_inject_unowned(crucible_name *name, void *value);
/// Why the last injection of this thread was refused: no memory, not running, gone or inherited.
crucible_status crucible_last_refusal(void);
/// Says it again, after something else may have been refused meanwhile.
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
/// as it can be; or the soup is gone. To be called at most once at a time for a ticket. Runs no body; lock-free on
/// `word`, but for memory.
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
/// The same in two steps, for bodies that go on after this thread has left them: `load` is called at once with the
/// molecules, which it moves out; the states stay away, and the soup lives, until the firing is ended. On any thread.
/// `task`, if any, is what runs the body, and no other body meanwhile.
void crucible_firing_begin(crucible_firing *firing, crucible_body load, void *_Nullable context,
                           const void *_Nullable task);
void crucible_firing_end(crucible_firing *firing);
/// Finds the firing that the task runs. Requires: the firing does not end meanwhile. Null: the task runs none.
crucible_firing *_Nullable crucible_firing_of(const void *task);
/// Calls `visit` for each task that runs a body of the soup. No such task ends meanwhile. `visit` must not run code of
/// users.
void crucible_soup_visit_tasks(const crucible_soup *soup, void (*visit)(const void *task, void *_Nullable context),
                               void *_Nullable context);
/// What stands for the tasks that inject: molecules that a reaction inherits from have an origin, an object of the
/// binding that is as long with them as they wait.
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
/// This thread is going to wait by means of its own: others may run what was deferred to it, and another one stands in
/// for it if it is the pool's, until it has ended waiting.
void crucible_thread_begin_waiting(void);
void crucible_thread_end_waiting(void);

/// How a blocking call of this name, made now on this thread, has to be made.
typedef enum : uint32_t {
  CRUCIBLE_CALL_PLAIN = 0,
  CRUCIBLE_CALL_HOPELESS,  ///< every reaction that consumes it needs a state of the body that runs on this thread
  CRUCIBLE_CALL_SPECIAL,   ///< as the binding has said of the name
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

// ---------------------------------------------------------------------------------------------------------------------
// Lifetime
// ---------------------------------------------------------------------------------------------------------------------
// fork: a child may make and use soups, and has a pool of its own. The soups of its parent it inherits as they were, in
// the middle of what other threads did: it may only hold and release them, and ask what does not change (labels,
// places, names, patterns). All else is refused, with CRUCIBLE_INHERITED_SOUP where there is a status, and changes
// nothing: counts are 0, nothing is quiet, no wait waits. Their contents are never destroyed in the child. A child that
// is forked in a body has to end there, by exec or _exit: an inline body that returns goes on outside, but a thread of
// the pool has nowhere to go, and aborts.
//
// Threads may come and end at any time, but for pthread_exit and pthread_cancel inside the core or a body.
//
// A soup's contents live while it is held: by owners, by firings that are reserved or run. The shell (names, words,
// labels) lives while it is retained, so that a name whose soup is gone is safe to call.

/// One more hold, unless the soup is gone.
bool crucible_soup_hold(crucible_soup *soup);
/// One hold less; the last one destroys the contents: waiting values, states, bodies.
void crucible_soup_release(crucible_soup *soup);
void crucible_soup_retain_shell(crucible_soup *soup);
void crucible_soup_release_shell(crucible_soup *soup);
crucible_soup *crucible_name_soup(const crucible_name *name);

/// Something that came of a firing goes on after its body: as long, the soup lives and is not quiet. To be begun by the
/// body.
void crucible_soup_begin_pending(crucible_soup *soup);
void crucible_soup_end_pending(crucible_soup *soup);
/// Up to `capacity` of the soups that live, the newest first, each held once for the caller. Answers how many.
size_t crucible_all_soups(crucible_soup *_Nonnull *_Nonnull soups, size_t capacity);
/// Soups whose contents live, and bytes that the core has allocated and not freed, in this process.
uint64_t crucible_live_soups(void);
uint64_t crucible_live_bytes(void);
/// Of these bytes, those that are no longer used and that await a grace period.
uint64_t crucible_retired_bytes(void);
/// Waits until the memory that awaited a grace period when this was called has been freed. Blocks; not from a body.
void crucible_reclaim(void);

// ---------------------------------------------------------------------------------------------------------------------
// Control
// ---------------------------------------------------------------------------------------------------------------------
// All of these need a soup that is held. None waits for bodies; resume and restart may run one that is placed inline.

/// From now on no reaction fires, and molecules gather; firings that are reserved already still run.
crucible_status crucible_soup_pause(crucible_soup *soup);
/// What gathered reacts.
crucible_status crucible_soup_resume(crucible_soup *soup);
/// Destroys what waits, but for states. Atomic per component, except for counts on their way from or to a full field.
crucible_status crucible_soup_clear(crucible_soup *soup, uint64_t *dropped);
/// Destroys what waits of one name, at one moment, except for counts on their way. A state stays.
crucible_status crucible_name_clear(crucible_name *name, uint64_t *dropped);
/// No reaction fires, injections are refused, what waits is destroyed. Bodies that run, and firings that are reserved,
/// go on: wait until quiet, then drop the rest.
crucible_status crucible_soup_stop(crucible_soup *soup, uint64_t *dropped);
/// Destroys what has come since a soup was stopped from injections that were in progress then; nothing if it runs
/// again.
uint64_t crucible_soup_drop_rest(crucible_soup *soup);
/// From now on injections from outside are refused: those by owners, unless a body of the soup runs on their thread.
/// All others go on. Changes nothing in a stopped soup. To be followed by `crucible_soup_end_drain`.
crucible_status crucible_soup_drain(crucible_soup *soup);
/// Stops a soup that is still being drained. Nothing if it was stopped meanwhile, by whomever.
crucible_status crucible_soup_end_drain(crucible_soup *soup, uint64_t *dropped);
bool crucible_soup_is_draining(crucible_soup *soup);
/// Of a soup that is stopped and quiet: `reset` is called for every state to put a first value into its cell, then the
/// soup runs.
crucible_status crucible_soup_restart(crucible_soup *soup,
                                      void (*reset)(crucible_name *state, void *_Nullable context),
                                      void *_Nullable context);
/// Has `notify` called from now on, or not any more; injections in progress may or may not be reported. To be called of
/// a soup that is held.
void crucible_soup_observe(crucible_soup *soup, bool observe);
/// Exchanges the context of a reaction; firings in progress may still use the one before, which stays the one that is
/// released.
void crucible_soup_set_reaction_context(crucible_soup *soup, size_t reaction, void *_Nullable context);
bool crucible_soup_is_frozen(crucible_soup *soup);
bool crucible_soup_is_paused(crucible_soup *soup);
bool crucible_soup_is_stopped(crucible_soup *soup);
/// Whether anybody owns the soup. To be asked for by a body.
bool crucible_soup_is_owned(const crucible_soup *soup);
/// Whether it was ended because nobody owned it and its bodies only waited for its own reactions.
bool crucible_soup_is_closed(const crucible_soup *soup);
/// Whether this thread runs a body of the soup, or one that is nested, so that this cannot be excluded: then it would
/// wait for itself.
bool crucible_soup_is_inside(const crucible_soup *soup);

// ---------------------------------------------------------------------------------------------------------------------
// Looking
// ---------------------------------------------------------------------------------------------------------------------

/// True if of all injections that began before this call none is in progress any more, and no firing that came of them
/// is reserved or running.
bool crucible_soup_is_quiet(crucible_soup *soup);
/// Waits until quiet, or until `nanoseconds` have passed (UINT64_MAX: for ever). Looks every 20 µs to 1 ms: the hot
/// path pays nothing for it.
bool crucible_soup_wait_quiet(crucible_soup *soup, uint64_t nanoseconds);
/// Firings that are reserved for the pool or run on it.
uint64_t crucible_soup_pending(crucible_soup *soup);
/// Waiting molecules of every name, in order of declaration (a state: 1 if it is in its cell); atomic per component
/// except for counts on their way from or to a full field. All 0 when the soup is gone.
void crucible_soup_counts(crucible_soup *soup, uint64_t *counts);

/// Bodies that run, by reaction, and firings that are reserved and have not begun: read one after the other.
void crucible_soup_activity(crucible_soup *soup, uint64_t *running, uint64_t *reserved);
/// Of the reserved firings those of a reaction that is placed externally.
uint64_t crucible_soup_placed(const crucible_soup *soup, size_t reaction);
/// Molecules that clear and stop have dropped, and calls that were withdrawn, ever.
uint64_t crucible_soup_dropped(crucible_soup *soup);
uint64_t crucible_soup_withdrawn(crucible_soup *soup);

/// What the options said; to be asked for only while the soup is held.
void *_Nullable crucible_soup_context(const crucible_soup *soup);
const char *crucible_soup_label(const crucible_soup *soup);
const char *crucible_soup_file(const crucible_soup *soup);
uint32_t crucible_soup_line(const crucible_soup *soup);
size_t crucible_soup_name_count(const crucible_soup *soup);
crucible_name *crucible_soup_name(crucible_soup *soup, size_t index);
size_t crucible_soup_reaction_count(const crucible_soup *soup);

const char *crucible_name_label(const crucible_name *name);
const char *crucible_name_file(const crucible_name *name);
uint32_t crucible_name_line(const crucible_name *name);
size_t crucible_name_index(const crucible_name *name);
size_t crucible_name_component(const crucible_name *name);
crucible_kind crucible_name_kind(const crucible_name *name);
/// Whether callers wait for its molecules: a fast name, or one with `carry`.
bool crucible_name_has_callers(const crucible_name *name);
bool crucible_name_has_payload(const crucible_name *name);
/// Whether molecules of it wait for the end of the definition.
bool crucible_name_is_held(const crucible_name *name);
/// What its options said.
void *_Nullable crucible_name_context(const crucible_name *name);
/// The matcher that serves this name; automatic while the soup is not frozen.
crucible_matcher crucible_name_matcher(const crucible_name *name);
/// The most molecules of this name that the state word counts before it spills; 0 on `locked`.
uint64_t crucible_name_capacity(const crucible_name *name);

typedef struct {
  const char *label;
  const char *file;
  uint32_t line;
  crucible_placement placement;
  size_t input_count;
} crucible_reaction_info;
crucible_reaction_info crucible_soup_reaction(const crucible_soup *soup, size_t index);
crucible_name *crucible_soup_reaction_input(const crucible_soup *soup, size_t reaction, size_t input);

// ---------------------------------------------------------------------------------------------------------------------
// Selects
// ---------------------------------------------------------------------------------------------------------------------
// A select is one call on several fast names, of any soups: at most one of its branches reacts (soup/select.c). What
// waits in a bag for a branch is not a value of the name, but a mark of the core's. So a binding that makes selects
//   begins each body of a reaction that `selects` named by crucible_firing_select,
//   begins `destroy` of each fast name by crucible_branch_destroy,
//   sees to it that no value of a fast name begins with a word whose two lowest bits are set.

typedef struct crucible_select crucible_select;

/// What the core asks of a binding about its selects.
typedef struct {
  /// Says that from now on bodies of the reaction begin by crucible_firing_select. Called before the first branch on a
  /// name of the reaction is injected, by any thread, perhaps more than once. The soup is held.
  void (*selects)(crucible_soup *soup, size_t reaction);
  /// Injects a value of a name with callers again, which a firing had taken that does not take place. Takes the value
  /// over. `attempts`: as in crucible_inject_tracked. Runs no body.
  void (*put_back)(crucible_name *name, void *value, uint64_t attempts);
  /// A branch is gone, and no reaction has consumed it. CRUCIBLE_WITHDRAWN: the select was decided otherwise.
  void (*left)(void *_Nullable context, size_t branch, crucible_reason reason);
  /// The last branch has left for that reason, and none has reacted or will.
  void (*ended)(void *_Nullable context, crucible_reason reason);
  /// Nothing uses the select or its values any more.
  void (*release)(void *_Nullable context);
} crucible_select_binding;

/// One call of a select.
typedef struct {
  crucible_name *name;
  /// For the body, if this branch reacts: moved from then, and untouched otherwise. Stays until `release`.
  const void *value;
  bool owns;          ///< as in crucible_inject_tracked
} crucible_branch;

/// Why these cannot be the branches of a select: CRUCIBLE_NO_BRANCHES, CRUCIBLE_NOT_FROZEN,
/// CRUCIBLE_HAS_ORIGINS or CRUCIBLE_SHARED_REACTION. `culprits`: the two names, or the first alone.
crucible_status crucible_select_check(const crucible_branch *branches, size_t count,
                                      crucible_name *_Nullable culprits[_Nonnull 2]);
/// A select of branches that were checked. Its caller keeps the shells of all names until `release`. Null: no memory.
crucible_select *_Nullable crucible_select_create(const crucible_branch *branches, size_t count,
                                                  const crucible_select_binding *binding, void *_Nullable context);
/// Injects the branches one by one, until the select is decided. May run bodies that are placed inline. Lock-free where
/// all soups are. CRUCIBLE_NO_MEMORY: the select is given up.
crucible_status crucible_select_begin(crucible_select *select);
/// Decides that no branch reacts, and withdraws all. False: it was decided before. On any thread; runs no body.
bool crucible_select_give_up(crucible_select *select);
/// The branch that reacted. Answers the number of branches if none has, or ever will.
size_t crucible_select_winner(crucible_select *select);
/// Releases the caller's reference.
void crucible_select_release(crucible_select *select);

/// Decides the selects of all branches among the inputs of the body that begins. True: they are values now, and the
/// body goes on; also if there are none. False: some select was decided before. Nothing is left of the inputs, and the
/// body returns at once.
bool crucible_firing_select(void *_Nonnull const *_Nonnull inputs);
/// Whether the value was a branch. Then nothing is left of it.
bool crucible_branch_destroy(void *value, crucible_reason reason);

// ---------------------------------------------------------------------------------------------------------------------
// Waiting for a reply
// ---------------------------------------------------------------------------------------------------------------------

/// What a caller waits on. It lies where the caller likes, and must stay there until it is signalled.
typedef struct crucible_waiter {
  uint32_t state;    ///< of the core alone
  uint32_t outcome;  ///< what the signaller said
  /// Called by the signaller instead of waking a thread, once `crucible_waiter_suspend` has returned true.
  void (*_Nullable resume)(struct crucible_waiter *waiter);
  void *_Nullable context;
  const void *_Nullable thread;  ///< of the core alone
} crucible_waiter;

/// Does what crucible_call_kind does, for a call whose thread will wait for `waiter` without a deadline. Requires:
/// `waiter` is all zero. A signal from that very thread then takes no locked instruction.
crucible_call crucible_call_begin(crucible_name *name, crucible_waiter *waiter,
                                  crucible_name *_Nullable *_Nonnull state);
/// Says the outcome, once; after this the waiter may be gone.
void crucible_waiter_signal(crucible_waiter *waiter, uint32_t outcome);
/// The call that somebody waits for with this waiter, which was never handed to `crucible_call_begin`, was taken out of its soup: from
/// now on a reply may come from anywhere. Or it was put back.
void crucible_waiter_set_taken(crucible_waiter *waiter, bool taken);
bool crucible_waiter_is_taken(const crucible_waiter *waiter);
/// True once it has been signalled; then `outcome`, and what the signaller wrote before, may be read.
bool crucible_waiter_is_signalled(const crucible_waiter *waiter);
/// Blocks until signalled: spins a little, then parks. A thread of the pool is replaced meanwhile.
void crucible_waiter_wait(crucible_waiter *waiter);
/// The same for at most `nanoseconds`. False: not signalled yet; it may be waited for again.
bool crucible_waiter_wait_for(crucible_waiter *waiter, uint64_t nanoseconds);
/// From now on `serve` is called by every thread that is about to sleep until a waiter is signalled, and has no
/// deadline: it may wait in its own way, and returns when the waiter is signalled, or at once.
void crucible_waiter_serve_instead(void (*serve)(crucible_waiter *waiter));
/// Arranges for `resume` to be called by the signaller. False: it has been signalled already, or waited for in vain
/// before, and resume is not called.
bool crucible_waiter_suspend(crucible_waiter *waiter);

// ---------------------------------------------------------------------------------------------------------------------
// Looking at callers that wait
// ---------------------------------------------------------------------------------------------------------------------

/// What others can see of a caller that sleeps. It lies where the caller likes, and is in the list of the name's soup
/// from begin to end: as long, it stays where it is, with the waiter, and its owner keeps the soup's shell.
typedef struct crucible_waiting {
  // To be said before begin.
  crucible_name *name;
  const crucible_waiter *waiter;
  const char *_Nullable file;  ///< of the call; never freed
  uint32_t line;
  uint64_t limit;              ///< nanoseconds; UINT64_MAX: none
  const void *_Nullable task;  ///< that is suspended; null: a thread sleeps
  // Said by begin.
  uint32_t thread;             ///< the system's number of the thread that sleeps; 0: a task
  uint64_t since;              ///< nanoseconds, by the monotonic clock
  bool is_body;                ///< the task runs a body of the name's soup
  struct crucible_waiting *_Nullable next, *_Nullable previous;  ///< of the core alone
} crucible_waiting;

void crucible_waiting_begin(crucible_waiting *note, bool is_thread);
void crucible_waiting_end(crucible_waiting *note);
/// As `crucible_waiter_wait_for`; from begin to end of its sleep, if it comes to that, the note is in the list.
bool crucible_waiter_wait_noted(crucible_waiter *waiter, uint64_t nanoseconds, crucible_waiting *_Nullable note);

// ---------------------------------------------------------------------------------------------------------------------
// Alarms
// ---------------------------------------------------------------------------------------------------------------------

/// A function that is called at a moment, unless it is cancelled before. It lies where its owner likes, and must stay
/// there until it was cancelled or its function has been called.
typedef struct crucible_alarm {
  /// Called by the one thread that watches all alarms: to return soon. It may destroy the alarm, or set it again.
  void (*act)(struct crucible_alarm *alarm);
  void *_Nullable context;  ///< of its owner
  // Of the core alone.
  struct crucible_alarm *_Nullable next;
  struct crucible_alarm *_Nullable *_Nullable link;
  uint64_t time;
  uint32_t wheel, process;
} crucible_alarm;

/// Nanoseconds, by the monotonic clock.
uint64_t crucible_now(void);
/// Calls `alarm->act` at `time` or up to 16 µs later, in the order of the moments as far as they differ by more. `now`:
/// any moment from the last look at the clock on.
void crucible_alarm_set(crucible_alarm *alarm, uint64_t now, uint64_t time);
/// False: its function has been called, or is about to be, also if that was the parent of this process.
bool crucible_alarm_cancel(crucible_alarm *alarm);
/// Copies of up to `capacity` notes of callers that sleep and are not signalled, the latest first, and what the clock
/// said meanwhile. Answers how many there are. Needs the shell only; blocks for O(notes).
size_t crucible_soup_waiting(crucible_soup *soup, crucible_waiting *notes, size_t capacity, uint64_t *time);

// ---------------------------------------------------------------------------------------------------------------------
// Threads
// ---------------------------------------------------------------------------------------------------------------------

/// The most that the limit of the pool's threads may be.
#define CRUCIBLE_MAX_POOL_LIMIT 1024

/// Sets how many threads of the pool may run bodies at once; the default is the number of processors.
/// Threads beyond it end when they are idle. False: it is not from 1 to the limit.
bool crucible_pool_set_workers(size_t count);
size_t crucible_pool_workers(void);
/// Calls `run` with `job` on a thread of the pool. `job` is aligned to 2 bytes or more; `run` is the same in all calls.
void crucible_pool_run(void *job, void (*run)(void *job));
/// Sets how many threads the pool may have, those included that are blocked; the default is 256. Threads beyond it end
/// between two bodies, but for the last one that can run. False: it is not from the number of workers to the most.
bool crucible_pool_set_limit(size_t count);
size_t crucible_pool_limit(void);

/// From here to the end, which comes on the same thread, this thread may block for other reasons than the core knows
/// of: if it is the pool's, another one stands in for it. Nests; only the outermost counts. May make a thread.
void crucible_pool_begin_blocking(void);
void crucible_pool_end_blocking(void);
/// Blocks this thread for `nanoseconds` by the monotonic clock (UINT64_MAX: for ever), so marked. 0 returns at once.
void crucible_pool_sleep(uint64_t nanoseconds);

typedef struct {
  size_t workers;
  size_t limit;
  size_t threads;          ///< that there are, or that are being made
  size_t blocked;          ///< of these, that wait, or are marked as blocking
  size_t idle;             ///< of these, that sleep because there is nothing to do
  uint64_t queued;         ///< firings in the queue; none that a thread has deferred to its slot
  uint64_t limit_reached;  ///< how often a thread was needed and the limit refused it
  uint64_t wake_ups;       ///< how often a thread woke that had slept because there was nothing to do
} crucible_pool_status;
/// Of now, read one after the other.
crucible_pool_status crucible_pool_look(void);

/// The pool needed a thread and could not have it.
typedef struct {
  crucible_pool_status status;
  int error;  ///< why none could be made, as errno says it; 0: the limit
} crucible_pool_shortage;
/// What happened and what to do about it, in one line without its end. At most `capacity` bytes, the final 0 included.
void crucible_pool_shortage_text(const crucible_pool_shortage *shortage, char *text, size_t capacity);
/// Sets what is called in a shortage; null: what writes the text to standard error, which is the default. It is called
/// once, and again only after a thread of the pool has been idle, or the limit has been set. It runs on a thread made
/// for it, one at a time: it may block, inject and set the limit. While no such thread can be made either, it waits for
/// one, and the text is written at once.
void crucible_pool_on_shortage(void (*_Nullable handler)(const crucible_pool_shortage *shortage));

/// What a thread destroys.
typedef struct {
  crucible_reason reason;  ///< CRUCIBLE_DISCARDED: nothing that anybody could want to know the reason for
  uint32_t depth;
} crucible_destruction;
/// From here to the end this thread destroys a value for that reason. Answers what it was in the middle of before.
crucible_destruction crucible_thread_begin_destroying(crucible_reason reason);
void crucible_thread_end_destroying(crucible_destruction outer);
/// The reason; CRUCIBLE_DISCARDED if it destroys nothing, or runs a body that the destruction has led to.
crucible_reason crucible_thread_destroys(void);

/// Pointers that the language binding saves with a thread, for its later use: takes the one that was saved last; null:
/// there is none.
void *_Nullable crucible_thread_take_saved(void);
/// False: the thread has 16 already, or there is no memory. `destroy`, always the same, is called with each that is
/// left when the thread ends.
bool crucible_thread_save(void *value, void (*destroy)(void *value));
/// The same with one pointer more, for something else; with the same `destroy`. False: the thread has one already.
void *_Nullable crucible_thread_take_saved_call(void);
bool crucible_thread_save_call(void *call, void (*destroy)(void *call));

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
