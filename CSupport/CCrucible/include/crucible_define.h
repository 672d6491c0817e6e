// Defining a soup, and injecting molecules.

#ifndef CRUCIBLE_DEFINE_H
#define CRUCIBLE_DEFINE_H

#include "crucible_words.h"

#pragma clang assume_nonnull begin

// ---------------------------------------------------------------------------------------------------------------------
// Defining a soup
// ---------------------------------------------------------------------------------------------------------------------

/// Destroys a value in place. `context` is the context of the name. The function may inject and make any call, but must
/// not wait for reactions of its soup. The destroying thread may have reserved one of them.
typedef void (*crucible_destroy)(void *value, void *_Nullable context, crucible_reason reason);

/// What an injection does while its name is full.
typedef enum : uint32_t {
  CRUCIBLE_REFUSE,       ///< it is refused (CRUCIBLE_FULL)
  CRUCIBLE_DROP_NEWEST,  ///< its own molecule is dropped
  CRUCIBLE_DROP_OLDEST,  ///< the oldest waiting molecule is dropped, or its own if none waits
} crucible_when_full;

/// How the molecules of a name get their key. Names of one reaction have keys of one type, or none has. Each key has a
/// component of its own, which exists while a molecule or a state of that key does. The functions get `context`, and
/// must not use the soup. `equal` runs under a lock.
typedef struct {
  const void *type;             ///< identifies the type of the key, compared as an address
  size_t size, alignment;       ///< of a key; the alignment is at most CRUCIBLE_KEY_ALIGNMENT
  void *context;
  void (*release)(void *context);  ///< called once when the soup is destroyed
  /// Writes the key of a value to `key`, and returns a hash of it. Null for a state.
  uint64_t (*_Nullable read)(void *context, const void *value, void *key);
  bool (*_Nullable equal)(void *context, const void *key, const void *other);  ///< null: as their bytes are
  void (*_Nullable destroy)(void *context, void *key);                         ///< null: nothing to destroy
  /// Makes the value of a state, before the first body of its key. It may use the soup. Null for other names.
  void (*_Nullable make)(void *context, const void *key, void *cell);
  /// Whether a state's value may go, so that `make` makes it again. Asked after each body. Null: it stays.
  bool (*_Nullable forgets)(void *context, const void *key, const void *cell);
  // The members below are for slow names with limits.
  uint64_t capacity;  ///< the most molecules of a key that wait; 0: any number
  uint64_t keys;      ///< the most keys of which molecules wait; 0: any number
  crucible_when_full when_full;
  /// The slow name of the soup that gets the value of a dropped molecule. Null: as for crucible_bound_options.
  crucible_name *_Nullable full_into;
} crucible_key_options;

/// How long the molecules of a slow name with values wait. For a state with keys, how long a value stays that no body
/// uses. See crucible_name_expire.
typedef struct {
  void *context;
  void (*release)(void *context);  ///< called once when the soup is destroyed
  uint64_t lifetime;               ///< the nanoseconds after which a molecule expires, at least 1
  uint64_t (*now)(void *context);  ///< returns the time; called under a lock, and must not use the soup
  /// Called after an injection, if its molecule may be the only one that waits. The binding then sets an alarm.
  void (*waits)(void *context);
  /// A slow name of the soup, with values of the same type. It gets the values that have expired. Null: these are
  /// destroyed as by a clear.
  crucible_name *_Nullable into;
} crucible_expiry_options;
/// The most bytes of a key, and its largest alignment.
enum { CRUCIBLE_MAX_KEY = 1024, CRUCIBLE_KEY_ALIGNMENT = 16 };

/// The capacity of a slow name: the most molecules that may wait, or be reserved for a body that has not begun. All
/// keys count together. Either `capacity` is positive, or `room` is not null.
typedef struct {
  uint64_t capacity;
  crucible_when_full when_full;
  /// The name of the same soup that gets the value of a dropped molecule. Null: the value is destroyed, and counted as
  /// by a clear.
  crucible_name *_Nullable into;
  /// A slow name without payload of the same soup, of which the core injects one molecule for each one of this name
  /// that ends. So a reaction that consumes `room` may inject this name. Control calls do not drop `room`.
  crucible_name *_Nullable room;
  /// The molecules of `room` that the soup has after a restart.
  uint64_t rooms;
} crucible_bound_options;

typedef struct {
  const char *label;  ///< copied
  crucible_kind kind;
  size_t size;        ///< bytes of a payload; 0: the molecule has no payload, and its bag is a count
  size_t alignment;   ///< a power of two; ignored when size is 0
  crucible_destroy _Nullable destroy;  ///< null: nothing to destroy
  void *_Nullable context;             ///< passed to destroy
  void (*_Nullable release)(void *_Nullable context);  ///< called once when the soup is destroyed
  /// Injects one value of a slow name whose values are calls. The core calls this function instead of the matcher's
  /// one, for each single injection that the soup accepts. It must call crucible_inject_tracked, so that a caller can
  /// withdraw its molecule.
  bool (*_Nullable carry)(crucible_name *name, void *value);
  /// Identifies the kind of the context. Names with the same `shared` may have one context in common, which then lives
  /// forever. Not null: `context` is null here, and the binding gives the name a context afterwards, unless the name
  /// has a shared one by then. If such a name is a state without `destroy`, its cell has room for a second value behind
  /// the first, for the binding. Null: names with `carry`, and names with a context of their own.
  const void *_Nullable shared;
  /// Copied. Requires: the molecules have a value, and the name is not a fact. A state with keys has no first value
  /// here. Null: the name has no keys.
  const crucible_key_options *_Nullable key;
  /// Copied. Requires: a slow name without `carry`. Null: the name has no capacity, or only those of its key.
  const crucible_bound_options *_Nullable bound;
  /// Copied. Requires: a slow name with values, or a state with keys. Null: it does not expire.
  const crucible_expiry_options *_Nullable expiry;
  const char *_Nullable file;          ///< copied
  uint32_t line;
} crucible_name_options;

/// Runs a reaction: `inputs[i]` points at the value of the pattern's i-th input. The body takes over slow and fast
/// values: it must move them out or destroy them. It may change a state's value in place, and must leave a valid value
/// there. It only reads a fact's value. An input without payload has an unspecified non-null pointer. `inputs[-1]` is
/// not a pointer but a number: the largest number of times that any input was put back, at most 63
/// (crucible_molecule.times). Inputs without payload do not contribute to it.
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
  /// Ensures, for external placement, that the firing is run once, by crucible_firing_run, or by _begin and _end. The
  /// thread that completed the match calls it in the middle of an injection. It must not run the firing itself, and
  /// must not wait.
  void (*_Nullable submit)(void *_Nullable context, crucible_firing *firing);
  /// Runs the firing, for external placement, if this thread is the place where it must run. False: it is not. Null: it
  /// never is.
  bool (*_Nullable enter)(void *_Nullable context, crucible_firing *firing);
  /// Whether `enter` serves only bodies that visit their callers, as those of CRUCIBLE_POOL_OR_CALLER do.
  bool visits;
  /// Whether a firing may have no origin, because the injection that gives it its context is in progress on the thread
  /// that calls `submit` or `enter`.
  bool may_lack_origin;
  /// Whether the place runs one firing at a time. If the reaction is external and has one input, each firing takes the
  /// oldest molecule when it begins, whichever thread reserved it. So bodies begin in the order of the molecules.
  bool in_order;
  /// Whether, for external placement, bodies run by the origin of one input. It is the first fast input, or else the
  /// first input with a value, or else the first that is not a state. Then the whole soup carries contexts: each of its
  /// reactions has such an input. Requires: crucible_set_origins.
  bool inherits;
  bool retries;                                        ///< its body may put inputs back
  /// Empties a context at the end of the soup. The context then stays in the memory of the soup. A later soup in that
  /// memory may fill it again: it has the same core and the same number. Not null: `context` is null here, and the
  /// binding gives the reaction a context afterwards, unless it has one by then. Null: `release` ends the context.
  void (*_Nullable empty)(void *_Nullable context);
  const char *_Nullable file;                          ///< copied
  uint32_t line;
} crucible_reaction_options;

/// The events of molecules for observers: the stages of an injection, and the ends of those that no reaction gets.
typedef enum {
  CRUCIBLE_BEGINS,     ///< the molecules are about to be injected
  CRUCIBLE_REFUSED,    ///< they were not injected after all
  CRUCIBLE_ENDED,      ///< the injection returns: the molecules are in the soup, or were consumed
  CRUCIBLE_EXPIRED,    ///< one has expired
  CRUCIBLE_DISPLACED,  ///< one was dropped for lack of room: this one, or an older one
} crucible_stage;

typedef struct {
  const char *_Nullable label;  ///< copied
  crucible_matcher matcher;
  uint64_t seed;                ///< seeds the choice among enabled reactions; 0: the soup chooses a seed
  const char *_Nullable file;   ///< copied
  uint32_t line;
  /// Identifies, with `line` and `variant`, the place in the source that defines the soup. It is compared as an
  /// address. Null: unknown. All soups of a site have the same functions below, except for `unowned`.
  const void *_Nullable site;
  uintptr_t variant;            ///< distinguishes definitions at one place; set by the binding
  void *_Nullable context;      ///< set by the binding
  void (*_Nullable release)(void *_Nullable context);  ///< called once, as the last act when the contents are destroyed
  /// Called while the soup is observed, with the stage of an injection of `count` molecules of the name. `value`: that
  /// of the one molecule. Null: it has none, or the molecules are injected.
  void (*_Nullable notify)(void *_Nullable context, crucible_name *name, const void *_Nullable value, uint64_t count,
                           crucible_stage stage);
  /// Called when a child uses the soup of the process that forked it, before the use is refused. It need not return.
  void (*_Nullable inherited)(crucible_soup *soup);
  /// Called after the last owner has released the soup while work continues in it, perhaps more than once. A task that
  /// a visit does not find then finds the soup without an owner (crucible_soup_is_owned). Null: nothing is to be done.
  void (*_Nullable unowned)(crucible_soup *soup);
  /// Called once for a name without a capacity when `waiting` molecules or more wait, on a thread made for the call,
  /// which holds the soup. With 0: called when a name that does not own the soup injects after the soup is gone, before
  /// the injection returns false.
  void (*_Nullable warn)(crucible_name *name, uint64_t waiting);
  /// Called with the object that crucible_soup_keep gave to the soup, after the contents have been destroyed. `stays`:
  /// the object may serve the next soup in this memory. An object that stays is passed once more when the memory is
  /// destroyed, with `stays` false. Returns false if the object does not stay, and then has released it.
  bool (*_Nullable end_kept)(void *kept, bool stays);
} crucible_soup_options;

/// Creates a soup with no names, held once. Null: no memory.
crucible_soup *_Nullable crucible_soup_create(const crucible_soup_options *options);

/// A label in the form in which repeats compare it. A label of up to 15 bytes is its bytes in memory, with zeros
/// behind. A binding that has such words needs no call.
typedef struct {
  uint64_t low, high;
} crucible_label;
/// Creates a soup like earlier ones that were defined at this place, in memory that such a soup has used. It has a seed
/// of its own, and neither context nor `unowned`. Null: nothing was made, and the caller uses `crucible_soup_create`.
/// Requires: all soups of this `site` have it as their `file` and have the same functions. The label has at most 15
/// bytes.
crucible_soup *_Nullable crucible_soup_repeat(const void *site, uintptr_t variant, uint32_t line,
                                              crucible_matcher matcher, crucible_label label);

/// The object that an earlier soup in this memory has left for the definition (`end_kept`). Null: none.
void *_Nullable crucible_soup_kept(const crucible_soup *soup);
/// Gives the soup an object to keep. Requires: it has none, its options have `end_kept`, and its definition has just
/// begun.
void crucible_soup_keep(crucible_soup *soup, void *kept);

/// Declares a name. For a state, `initial`, if not null, is moved (bitwise) into the soup's cell. Otherwise the caller
/// initializes `crucible_name_cell` before it freezes or drops the soup.
crucible_status crucible_soup_add_name(crucible_soup *soup, const crucible_name_options *options,
                                       void *_Nullable initial, crucible_name *_Nullable *_Nonnull result);

/// Gives a name a context of the kind that its `shared` identifies. Requires: it has none, and the definition has not
/// ended.
void crucible_name_give_context(crucible_name *name, void *context, void (*_Nullable release)(void *_Nullable context));

/// The address of a state's value, which is fixed while the contents live. Null for other names.
void *_Nullable crucible_name_cell(const crucible_name *name);

/// Declares a reaction. On failure nothing is taken over, and `*culprit` is the name at fault, if there is one.
crucible_status crucible_soup_add_reaction(crucible_soup *soup, const crucible_reaction_options *options,
                                           crucible_name *_Nullable *_Nonnull culprit);

/// Packs any label, for the name that is declared next.
crucible_label crucible_soup_next_label(const crucible_soup *soup, const char *label);

enum { CRUCIBLE_KIND_SHIFT = 62 };
/// Packs kind, size and alignment for crucible_soup_repeat_name. Requires: `size` and `alignment` are at most
/// CRUCIBLE_MAX_SIZE.
static inline uint64_t crucible_name_shape(crucible_kind kind, size_t size, size_t alignment) {
  return (uint64_t)kind << CRUCIBLE_KIND_SHIFT | (uint64_t)(size ? alignment : 1) << 32 | (uint64_t)size;
}

/// Declares a name equal to the one of an earlier soup at this step. Null: nothing was declared, and the caller uses
/// `crucible_soup_add_name`. Names with the same `shared` have the same functions.
/// Without `shared`, the name has no context and nothing to destroy. A fast name is special
/// (crucible_name_set_special). Requires: the definition has not ended, and the text of `file` lies in the program.
crucible_name *_Nullable crucible_soup_repeat_name(crucible_soup *soup, crucible_label label, uint64_t shape,
                                                   const void *_Nullable shared, const char *file, uint32_t line);
/// Declares a reaction in the same way, in memory that such a soup has used. Requires: it is placed inline or on the
/// pool, puts nothing back and has no label. The binding has one body for all these reactions. Returns the context that
/// was kept. The caller must fill it at once, with nothing in between that may fail, because from here on the end of
/// the soup empties it. Null: nothing was declared.
void *_Nullable crucible_soup_repeat_reaction(crucible_soup *soup, crucible_name *_Nonnull const *_Nonnull inputs,
                                              size_t input_count, crucible_placement placement,
                                              void (*empty)(void *_Nullable context), const char *file, uint32_t line);

/// Gives the last declared reaction a context that its `empty` can empty. Requires: it has none.
void crucible_soup_give_reaction_context(crucible_soup *soup, void *context);
/// Makes the end of the soup release the context of a reaction instead of emptying it, because the context has changed.
/// Callable by any thread.
void crucible_soup_end_keeping(crucible_soup *soup, size_t reaction);

/// Whether all steps of the definition so far equal those of an earlier one at its site. Then the soup reuses what
/// freezing found for that one. Requires: the calling thread defines.
bool crucible_soup_repeats(const crucible_soup *soup);
/// Whether the definition repeats an earlier one and lacks no step of it.
bool crucible_soup_has_repeated(crucible_soup *soup);
/// Allows later soups of the site to reuse what freezing finds for this one. Requires: the definition has not ended.
void crucible_soup_allow_repeats(crucible_soup *soup);

/// Whether the calling thread is in the middle of the definition, or releases the molecules that were injected during
/// it.
bool crucible_soup_is_defined_here(const crucible_soup *soup);

/// Ends the definition: checks it, chooses the matcher of each component, and releases the molecules that were injected
/// meanwhile. On failure `*culprit` is the name at fault, if there is one, and the caller can only release the soup. If
/// the soup has no context, none of its names is special from then on.
crucible_status crucible_soup_freeze(crucible_soup *soup, crucible_name *_Nullable *_Nonnull culprit);
/// Sets the seed of the soup's random choices. 0: the function of crucible_choose_instead makes them. Requires: the
/// calling thread defines, and the definition has not ended.
void crucible_soup_set_seed(crucible_soup *soup, uint64_t seed);
/// Sets the function that chooses for soups of seed 0: a number below `bound`. `replaces`: 0 chooses candidate number
/// `bound` ≥ 2, any other number the one that was chosen before.
void crucible_choose_instead(uint32_t (*choose)(uint32_t bound, bool replaces));
/// Leaves the soup out of crucible_all_soups from now on.
void crucible_soup_hide(crucible_soup *soup);
/// Gives the definition up: destroys the molecules that were injected meanwhile. The soup refuses all later ones as if
/// it was gone. Requires: the calling thread defines, and the definition has not ended.
void crucible_soup_give_up(crucible_soup *soup);

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

/// Injects one molecule. True: `value` has been moved from (bitwise). False: refused, and the caller owns what is at
/// `value`: its own value, or, if the injection came too late for a stop, another refused one of the name. Requires:
/// the caller holds the soup or is one of its bodies, and the name is not a state. On `word` it is lock-free, with two
/// exceptions that allocate: a bag that grows, and the first thread of the fifth to eighth in a soup, and of each eight
/// after these. On `locked` it blocks.
static inline bool crucible_inject(crucible_name *name, void *value) {
  // The first member of a name is the function that injects it. It changes once, when the definition ends.
  bool (*inject)(crucible_name *name, void *value);
  __atomic_load((bool (**)(crucible_name *, void *))name, &inject, __ATOMIC_ACQUIRE);  // partner: the release in freeze
  return inject(name, value);
}

/// Injects like crucible_inject, for a caller that retains only the soup's shell. Also returns false when the soup is
/// gone.
bool crucible_inject_unowned(crucible_name *name, void *value);
/// The reason why the last injection of this thread was refused: no memory, not running, gone or inherited.
crucible_status crucible_last_refusal(void);
/// Restores the reason of a refusal after code that may have overwritten it.
void crucible_set_last_refusal(crucible_status why);

/// A ticket by which a waiting molecule can be found again.
typedef struct {
  uint64_t place[2];
} crucible_ticket;

/// Injects one molecule, which its ticket can find. The name is fast, has `carry`, or has a crucible_name_expiry.
/// False: as for `crucible_inject_unowned`. `attempts`: how often it was put back before. `owns`: the caller owns the
/// soup, which matters while the soup is drained.
bool crucible_inject_tracked(crucible_name *name, void *value, uint64_t attempts, bool owns, crucible_ticket *ticket);
/// Counts a molecule of a name with `carry` as injected and withdrawn, because no caller waits for it any more.
void crucible_inject_withdrawn(crucible_name *name);
/// Takes a waiting molecule back and moves its value to `value`. False: a reaction or a control call has the molecule,
/// or the soup is gone. The answer is also false while this cannot be decided yet. Then a reaction will take the
/// molecule, or it is destroyed as soon as possible (CRUCIBLE_WITHDRAWN). If the name is neither fast nor has `carry`,
/// the answer is false, and the molecule stays. Requires: at most one call at a time for a ticket. Runs no body.
/// Lock-free on `word`, except for memory.
bool crucible_withdraw(crucible_name *name, const crucible_ticket *ticket, void *value);
/// Whether the molecule of the ticket still lies in the soup. Once false, it stays false. Requires: the shell is
/// retained.
bool crucible_still_waits(crucible_name *name, const crucible_ticket *ticket);

/// One of several molecules that are injected together.
typedef struct {
  crucible_name *name;
  void *_Nullable value;
  /// How often it was put back before. For a name without payload, the number of molecules.
  uint64_t times;
  bool is_put_back;  ///< it is injected even if its name is full
} crucible_molecule;

/// Injects molecules of one soup, in one step per component: no reaction sees some of them without the others. Values
/// are not null, and are moved from. Only names without payload cause CRUCIBLE_TOO_MANY_MOLECULES. If the status is not
/// OK, a null `value` marks a molecule that was injected all the same: its component had memory, or a reaction took it
/// before the shortage appeared. The other values remain the caller's. `owns`: as for `crucible_inject_tracked`.
/// Requires: no name is a state.
crucible_status crucible_inject_together(crucible_molecule *molecules, size_t count, bool owns,
                                         crucible_name *_Nullable *_Nonnull culprit);

/// Runs a firing that was passed to `submit` or `enter`, gives its states back, and runs on this thread the inline
/// firings that this enables.
void crucible_firing_run(crucible_firing *firing);
/// Begins a firing that runs in two steps, for bodies that continue after this thread has left them. The call runs
/// `load` at once, which moves the molecules out. Until any thread ends the firing, the states stay away, and the soup
/// lives. `task`, if not null, runs the body, and no other body meanwhile.
void crucible_firing_begin(crucible_firing *firing, crucible_body load, void *_Nullable context,
                           const void *_Nullable task);
void crucible_firing_end(crucible_firing *firing);
/// Finds the firing that the task runs. Requires: the firing does not end meanwhile. Null: the task runs none.
crucible_firing *_Nullable crucible_firing_of(const void *task);
/// Calls `visit` for each task that runs a body of the soup. No such task ends meanwhile. `visit` must not run user
/// code.
void crucible_soup_visit_tasks(const crucible_soup *soup, void (*visit)(const void *task, void *_Nullable context),
                               void *_Nullable context);
/// Functions for origins, which represent the tasks that inject. If a soup carries contexts, each waiting molecule that
/// gives some body its context has an origin, which is an object of the binding.
typedef struct {
  /// Makes an origin for `count` molecules that this thread injects. It will be taken or ended as often.
  void *_Nonnull (*_Nonnull make)(uint64_t count);
  /// Ends the origin for `count` molecules that no firing will use. It may do whatever a `destroy` may.
  void (*_Nonnull end)(void *origin, uint64_t count);
  /// Runs a body in the context of its giver, and ends the other origins (crucible_soup_run_in_context).
  crucible_body run;
} crucible_origins;
/// Sets how origins are made and ended, for the whole process. Requires: no reaction that inherits has been added.
void crucible_set_origins(const crucible_origins *origins);
/// Takes the origin by which the body of the firing must run. Requires: its reaction inherits. The caller makes this
/// call once per firing, before it runs, begins or discards the firing. If the reaction is in order, it makes the call
/// only as the firing begins. Null: the context is that of the thread that calls `submit` or `enter`
/// (`may_lack_origin`).
void *_Nullable crucible_firing_take_origin(crucible_firing *firing);
/// Whether that origin belongs to the injection that this thread is in the middle of. Takes the molecules.
bool crucible_firing_has_own_origin(crucible_firing *firing);
/// The address of the input's origin among the inputs of a body, which takes the origin. The pointer there is null if
/// the origin has been taken. Null: molecules of this name have no origins.
void *_Nullable *_Nullable crucible_input_origin(const crucible_soup *soup, size_t reaction, size_t input,
                                                 void *_Nonnull const *_Nonnull inputs);
/// The address of the origin by which the body with these inputs must run, like crucible_input_origin. The pointer
/// there is also null if the thread's own task is the context. Null: the soup carries no contexts.
void *_Nullable *_Nullable crucible_body_origin(const crucible_soup *soup, size_t reaction,
                                                void *_Nonnull const *_Nonnull inputs);
/// Whether this origin of the body that this thread runs belongs to the injection that the thread is inside.
bool crucible_body_has_own_origin(const void *origin);
/// Whether this thread runs a body that has no context, in a soup that carries none. Then an origin that is made for an
/// injection or a timer must have no values, because the thread's task may be that of a stranger.
bool crucible_lacks_context(void);
/// Says whether the next molecules that this thread injects may have another origin than its own task, because `make`
/// returns one that the binding has kept. Returns the earlier value. While true, no molecule goes without its origin.
bool crucible_set_given(bool given);
/// Makes the soup carry contexts even if none of its reactions inherits, or none even if some do. Requires: its
/// definition has just begun.
void crucible_soup_carry_context(crucible_soup *soup, bool carry);
/// Whether molecules of the name have origins, or will have them when the definition ends.
bool crucible_name_has_origins(const crucible_name *name);
/// Runs the bodies of a reaction by the function `run` of the origins. Requires: the definition has not ended; the
/// calling thread defines.
void crucible_soup_run_in_context(crucible_soup *soup, size_t reaction);
/// Discards a firing instead of running it: destroys its molecules, and gives its states back.
void crucible_firing_discard(crucible_firing *firing);

/// How to make a blocking call of this name on this thread now.
typedef enum : uint32_t {
  CRUCIBLE_CALL_PLAIN = 0,
  CRUCIBLE_CALL_HOPELESS,  ///< every reaction that consumes it needs a state of a body on the stack of this thread
  CRUCIBLE_CALL_SPECIAL,   ///< the binding has declared the name special
  CRUCIBLE_CALL_AT_ONCE,   ///< it may fire a reaction on this thread
  CRUCIBLE_CALL_VISITED,   ///< it may fire a reaction on this thread, also one that is placed elsewhere and is short
} crucible_call;
/// Classifies a call. If it is hopeless, sets `*state` to one of those states.
crucible_call crucible_call_kind(crucible_name *name, crucible_name *_Nullable *_Nonnull state);
/// Whether a call of this name could never be answered before the firing has ended, or, if `blocks`, before the firing
/// and all bodies on this thread have ended. If so, sets `*state`. Requires: the firing's body runs on this thread.
bool crucible_call_is_hopeless_in(crucible_name *name, const crucible_firing *firing, bool blocks,
                                  crucible_name *_Nullable *_Nonnull state);
/// Returns the name of the last call that was refused as CRUCIBLE_HOPELESS on this thread, and sets `*state`.
crucible_name *crucible_last_hopeless(crucible_name *_Nullable *_Nonnull state);
/// A body on the stack of this thread.
typedef struct {
  crucible_soup *soup;
  size_t reaction;
} crucible_body_here;
/// Finds the bodies on this thread, from the innermost to the one that has the state. Returns their number, and fills
/// `bodies` up to `capacity`. 0: no body on this thread has the state.
size_t crucible_thread_bodies(const crucible_name *state, crucible_body_here *bodies, size_t capacity);
/// Returns a random number below `bound`, from the soup's seed. Returns 0 if the soup is gone.
uint32_t crucible_soup_choose(crucible_soup *soup, uint32_t bound);
/// Sets whether calls of this name are special from now on. Callable at any time, by any thread.
void crucible_name_set_special(crucible_name *name, bool special);
bool crucible_name_is_special(const crucible_name *name);
/// Notes that the name intentionally outlives its soup. Callable at any time, by any thread.
void crucible_name_set_weak(crucible_name *name);
bool crucible_name_is_weak(const crucible_name *name);

#pragma clang assume_nonnull end

#endif
