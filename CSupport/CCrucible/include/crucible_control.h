// A soup's lifetime, its control, and its inspection.

#ifndef CRUCIBLE_CONTROL_H
#define CRUCIBLE_CONTROL_H

#include "crucible_define.h"

#pragma clang assume_nonnull begin

// ---------------------------------------------------------------------------------------------------------------------
// Lifetime
// ---------------------------------------------------------------------------------------------------------------------
// fork
//   A child process may create and use soups, and has a pool of its own. It inherits the soups of its parent in the
//   middle of whatever other threads were doing. The child may hold and release these soups, and may read what does not
//   change: labels, places, names, patterns. All other calls are refused and change nothing. Calls with a status return
//   CRUCIBLE_INHERITED_SOUP. All counts are 0, no soup is quiet, and no call waits. The contents of inherited soups are
//   never destroyed in the child. A child that is forked inside a body must end there, by exec or _exit. An inline body
//   that returns continues in the code that called it. A thread of the pool has no such code, and aborts.
//
// Threads may start and end at any time. Requires: no pthread_exit and no pthread_cancel inside the core or a body.
//
// The contents of a soup live while it is held: by owners, or by firings that are reserved or running. The shell
// (names, words, labels) lives while it is retained. So a name is safe to call after its soup is gone.

/// Acquires a hold. False: the soup is gone.
bool crucible_soup_hold(crucible_soup *soup);
/// Releases a hold. The last release destroys the contents: waiting values, states, bodies.
void crucible_soup_release(crucible_soup *soup);
void crucible_soup_retain_shell(crucible_soup *soup);
void crucible_soup_release_shell(crucible_soup *soup);
crucible_soup *crucible_name_soup(const crucible_name *name);

/// Keeps the soup alive and not quiet while work continues that a body has started. Requires: the body makes this call.
void crucible_soup_begin_pending(crucible_soup *soup);
void crucible_soup_end_pending(crucible_soup *soup);
/// Finds up to `capacity` live soups, the newest first, and acquires a hold on each for the caller. Returns the number
/// found.
size_t crucible_all_soups(crucible_soup *_Nonnull *_Nonnull soups, size_t capacity);
/// The number of soups in this process that have not ended. Names may outlive the end of their soup.
uint64_t crucible_live_soups(void);
/// The number of bytes that the core has allocated and not freed in this process.
uint64_t crucible_live_bytes(void);
/// The part of these bytes that is no longer used and waits for a grace period.
uint64_t crucible_retired_bytes(void);
/// Blocks until the memory is freed that waited for a grace period when the call began. Also frees the memory that the
/// core keeps of soups that are gone. Requires: the caller is not a body.
void crucible_reclaim(void);

// ---------------------------------------------------------------------------------------------------------------------
// Control
// ---------------------------------------------------------------------------------------------------------------------
// Requires for all of these: the soup is held. None waits for bodies. Resume and restart may run a body that is placed
// inline.

/// Stops all reactions from firing. Molecules accumulate. Firings that are already reserved still run.
crucible_status crucible_soup_pause(crucible_soup *soup);
/// Lets reactions fire again. The molecules that accumulated react.
crucible_status crucible_soup_resume(crucible_soup *soup);
/// Lets one enabled reaction of a paused soup fire: `only`, or any reaction if `only` is CRUCIBLE_ANY. The soup stays
/// paused. Sets `*fired` to the reaction. CRUCIBLE_ANY: none is enabled, or the soup is not paused, or it is stopped.
crucible_status crucible_soup_step(crucible_soup *soup, ptrdiff_t only, ptrdiff_t *fired);
/// Sets whether the name is paused. While it is, no reaction that consumes it fires, and its molecules accumulate. A
/// firing still runs if it is reserved already, or if an injection in progress reserves it. When the pause ends, the
/// accumulated molecules react.
crucible_status crucible_name_set_paused(crucible_name *name, bool paused);
bool crucible_name_is_paused(const crucible_name *name);
/// Destroys the waiting molecules of all names except states. Atomic per component, except for counts that are moving
/// from or to a full field.
crucible_status crucible_soup_clear(crucible_soup *soup, uint64_t *dropped);
/// Destroys the waiting molecules of one name at one moment, except for counts that are moving. A state stays.
crucible_status crucible_name_clear(crucible_name *name, uint64_t *dropped);
/// Stops the soup: no reaction fires, injections are refused, and waiting molecules are destroyed. Running bodies and
/// reserved firings continue. The caller waits until the soup is quiet, then until it is sealed, and then calls
/// crucible_soup_end_stop.
crucible_status crucible_soup_stop(crucible_soup *soup, uint64_t *dropped);
/// Seals a soup that is stopped and was quiet: refuses from now on also those injections that had passed the refusal
/// before the stop. False: the soup is not quiet again yet, and the caller retries. Until a restart, or another stop.
bool crucible_soup_seal(crucible_soup *soup);
/// Ends a stop, whether the soup is quiet or not. Destroys what still waits, if the soup is stopped. Tells the
/// molecules that were dropped for a stop by any thread, and that no call has told before: adds them to `counts`, by
/// name, which may be null. Returns their sum.
uint64_t crucible_soup_end_stop(crucible_soup *soup, uint64_t *_Nullable counts);
/// Refuses injections from outside from now on. These are injections by owners, unless a body of the soup runs on the
/// same thread. All other injections continue. Changes nothing in a stopped soup. The caller must call
/// `crucible_soup_end_drain` later.
///
/// If no other drain is in progress, injects one molecule of each of the `count` names of `announced`, right after the
/// refusal has begun. The soup is not quiet before that. Requires: these names have no payload.
crucible_status crucible_soup_drain(crucible_soup *soup, crucible_name *_Nonnull const *_Nullable announced,
                                    size_t count);
/// Stops a soup that is still being drained. Does nothing if any caller has stopped it meanwhile.
crucible_status crucible_soup_end_drain(crucible_soup *soup, uint64_t *dropped);
bool crucible_soup_is_draining(crucible_soup *soup);
/// Calls `visit` for each state of a stopped soup that no body has, under the soup's lock. No restart begins meanwhile.
/// Requires: `visit` does not use the soup.
void crucible_soup_visit_states(crucible_soup *soup, void (*visit)(crucible_name *state, void *_Nullable context),
                                void *_Nullable context);
/// Restarts a soup that is stopped and quiet. First it calls `reset` for every state. `reset` writes a first value into
/// the state's cell.
crucible_status crucible_soup_restart(crucible_soup *soup,
                                      void (*reset)(crucible_name *state, void *_Nullable context),
                                      void *_Nullable context);
/// Makes the soup stay stopped once it is stopped. The binding asks before a restart. Requires: the thread defines it.
void crucible_soup_refuse_restarts(crucible_soup *soup);
bool crucible_soup_refuses_restarts(const crucible_soup *soup);
/// Starts or ends calls of `notify`. Injections in progress may or may not be reported. Requires: the soup is held.
void crucible_soup_observe(crucible_soup *soup, bool observe);
/// Exchanges the context of a reaction. Firings in progress may still use the previous one. The end of the soup
/// releases the original context.
void crucible_soup_set_reaction_context(crucible_soup *soup, size_t reaction, void *_Nullable context);
/// The original context, with which the reaction was declared.
void *_Nullable crucible_soup_reaction_owned(const crucible_soup *soup, size_t reaction);
bool crucible_soup_is_frozen(crucible_soup *soup);
bool crucible_soup_is_paused(crucible_soup *soup);
bool crucible_soup_is_stopped(crucible_soup *soup);
/// Whether the soup has an owner. Requires: the caller is a body.
bool crucible_soup_is_owned(const crucible_soup *soup);
/// Whether the core closed the soup because it had no owner and its bodies only waited for its own reactions.
bool crucible_soup_is_closed(const crucible_soup *soup);
/// Whether this thread may be inside a body of the soup, directly or through nested bodies. Then a wait for the soup
/// would be a wait for itself.
bool crucible_soup_is_inside(const crucible_soup *soup);

// ---------------------------------------------------------------------------------------------------------------------
// Inspection
// ---------------------------------------------------------------------------------------------------------------------

/// Whether the injections that began before this call are complete: none is in progress, and none of their firings is
/// reserved or running.
bool crucible_soup_is_quiet(crucible_soup *soup);
/// Blocks until the soup is quiet, or until `nanoseconds` have passed (UINT64_MAX: no limit). It polls every 20 µs to 1
/// ms, so that the fast path pays nothing for it.
bool crucible_soup_wait_quiet(crucible_soup *soup, uint64_t nanoseconds);
/// The number of firings that are reserved for the pool or running on it.
uint64_t crucible_soup_pending(crucible_soup *soup);
/// Sets `counts` to the waiting molecules of every name, in order of declaration. A state counts 1 while it is in its
/// cell. Atomic per component, except for counts that are moving from or to a full field. All counts are 0 when the
/// soup is gone. Requires: the definition has ended, or the calling thread defines.
void crucible_soup_counts(crucible_soup *soup, uint64_t *counts);
/// Sets `counts` to the waiting molecules of one key, by name. A state counts 1 unless a body has it. A name counts 0
/// if it has no keys, or keys of another type. `hash` is what `read` returns for the key.
void crucible_soup_counts_of(crucible_soup *soup, const void *type, const void *key, uint64_t hash, uint64_t *counts);
/// Calls `visit` with each key of which molecules of the name wait, and their number. Not of one moment. `visit` runs
/// under a lock: it must not use the soup.
void crucible_name_visit_keys(crucible_name *name,
                              void (*visit)(void *_Nullable context, const void *key, uint64_t count),
                              void *_Nullable context);
/// Expires the molecules of the name that are due at the time `now`. `*dropped`: how many had no name to go into, or
/// one that refused them. Of a state with keys, ends the values that have been idle for its lifetime. Returns when the
/// next one is due. 0: none waits. Requires: the caller holds the soup.
uint64_t crucible_name_expire(crucible_name *name, uint64_t now, uint64_t *dropped);
/// Ends the molecule of a ticket, as if it were due. False: its soup is still being defined. True: the molecule has
/// reacted, was dropped, or expires now. Requires: crucible_name_expiry is not null, and the caller holds the soup.
bool crucible_name_expire_one(crucible_name *name, const crucible_ticket *ticket);
/// Returns the options of the name's expiry if single molecules may expire earlier. Null: the name does not expire, its
/// values are calls, or its molecules have a common capacity.
const crucible_expiry_options *_Nullable crucible_name_expiry(const crucible_name *name);
/// How long the oldest molecule of a name that expires has waited, in nanoseconds by the clock of its expiry. 0: none
/// waits, or its molecules do not expire. Requires: the caller holds the soup.
uint64_t crucible_name_age(crucible_name *name);
/// The options of the name's keys. Null: its molecules have no key.
const crucible_key_options *_Nullable crucible_name_key(const crucible_name *name);

/// Sets, for each reaction, the numbers of running bodies and of reserved firings that have not begun. Reads them one
/// after the other. Requires: as crucible_soup_counts.
void crucible_soup_activity(crucible_soup *soup, uint64_t *running, uint64_t *reserved);
/// The number of reserved firings of a reaction that is placed externally.
uint64_t crucible_soup_placed(const crucible_soup *soup, size_t reaction);
/// The number of molecules that clear, stop, expiry and full names have dropped, including the facts that restarts have
/// forgotten. Then the number of calls that were ever withdrawn.
uint64_t crucible_soup_dropped(crucible_soup *soup);
uint64_t crucible_soup_withdrawn(crucible_soup *soup);
/// Counts one molecule as dropped. The binding calls it when a full name refuses the value of a timer.
void crucible_soup_count_dropped(crucible_soup *soup);

/// The context of the soup's options. Requires: the soup is held.
void *_Nullable crucible_soup_context(const crucible_soup *soup);
/// Sets the context of a soup that has none, like `context` of its options. Returns the context that the soup then has,
/// and whether the definition had ended. Requires: the soup is held.
void *crucible_soup_give_context(crucible_soup *soup, void *context, bool *is_frozen);
/// The matcher that the options requested.
crucible_matcher crucible_soup_matcher(const crucible_soup *soup);
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
/// Whether callers wait for molecules of the name: a fast name, or one with `carry`.
bool crucible_name_has_callers(const crucible_name *name);
bool crucible_name_has_payload(const crucible_name *name);
/// Whether the fact has been injected, and its soup has not ended or been restarted since. Requires: the shell is
/// retained.
bool crucible_fact_is_known(const crucible_name *fact);
/// Whether molecules of the name wait for the end of the definition.
bool crucible_name_is_held(const crucible_name *name);
/// Whether the core injects the name: what another name has no room for, or what expires.
bool crucible_name_is_fed(const crucible_name *name);
/// The context of the name's options.
void *_Nullable crucible_name_context(const crucible_name *name);
/// The matcher that serves this name. CRUCIBLE_AUTOMATIC: the soup is not frozen yet.
crucible_matcher crucible_name_matcher(const crucible_name *name);
/// The number of words over which the name's component lies. Sets `*home` to the index of the word that has the name,
/// from 0 on. Returns 0 on matchers without words.
uint32_t crucible_name_words(const crucible_name *name, uint32_t *home);

typedef struct {
  const char *file;
  uint32_t line;
  crucible_placement placement;
  size_t input_count;
} crucible_reaction_info;
crucible_reaction_info crucible_soup_reaction(const crucible_soup *soup, size_t index);
crucible_name *crucible_soup_reaction_input(const crucible_soup *soup, size_t reaction, size_t input);

#pragma clang assume_nonnull end

#endif
