// A soup's lifetime, its control, and looking at it.

#ifndef CRUCIBLE_CONTROL_H
#define CRUCIBLE_CONTROL_H

#include "crucible_define.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

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
/// The part of these bytes that is no longer used and awaits a grace period.
uint64_t crucible_retired_bytes(void);
/// Waits until the memory that awaited a grace period when this was called has been freed, and frees the memory of
/// soups that have gone which is kept for later ones. Blocks; not from a body.
void crucible_reclaim(void);

// ---------------------------------------------------------------------------------------------------------------------
// Control
// ---------------------------------------------------------------------------------------------------------------------
// All of these need a soup that is held. None waits for bodies; resume and restart may run one that is placed inline.

/// From now on no reaction fires, and molecules gather; firings that are reserved already still run.
crucible_status crucible_soup_pause(crucible_soup *soup);
/// Lets reactions fire again: the molecules that gathered react.
crucible_status crucible_soup_resume(crucible_soup *soup);
/// Lets one enabled reaction of a paused soup fire: `only`, or any if that is CRUCIBLE_ANY. The soup stays paused.
/// `*fired` says which. CRUCIBLE_ANY: none is enabled, or the soup is not paused, or it is stopped.
crucible_status crucible_soup_step(crucible_soup *soup, ptrdiff_t only, ptrdiff_t *fired);
/// Sets whether the name is paused: then no reaction that consumes it fires, and its molecules gather. A firing that is
/// reserved, or that an injection in progress reserves, still runs. When the name goes on, what gathered reacts.
crucible_status crucible_name_set_paused(crucible_name *name, bool paused);
bool crucible_name_is_paused(const crucible_name *name);
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
/// Runs a soup again that is stopped and quiet. First it calls `reset` for every state, which puts a first value into
/// the state's cell.
crucible_status crucible_soup_restart(crucible_soup *soup,
                                      void (*reset)(crucible_name *state, void *_Nullable context),
                                      void *_Nullable context);
/// Has `notify` called from now on, or not any more; injections in progress may or may not be reported. To be called of
/// a soup that is held.
void crucible_soup_observe(crucible_soup *soup, bool observe);
/// Exchanges the context of a reaction; firings in progress may still use the one before, which stays the one that is
/// released.
void crucible_soup_set_reaction_context(crucible_soup *soup, size_t reaction, void *_Nullable context);
/// The context that a reaction was declared with.
void *_Nullable crucible_soup_reaction_owned(const crucible_soup *soup, size_t reaction);
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
/// The number of reserved firings of a reaction that is placed externally.
uint64_t crucible_soup_placed(const crucible_soup *soup, size_t reaction);
/// Molecules that clear and stop have dropped, with the facts that restarts have forgotten; and calls that were
/// withdrawn, ever.
uint64_t crucible_soup_dropped(crucible_soup *soup);
uint64_t crucible_soup_withdrawn(crucible_soup *soup);

/// The context of the soup's options. Requires: the soup is held.
void *_Nullable crucible_soup_context(const crucible_soup *soup);
/// Gives a soup a context that has none, as in its options. Answers the one that it has then, and whether the
/// definition had ended. The caller holds the soup.
void *crucible_soup_give_context(crucible_soup *soup, void *context, bool *is_frozen);
/// The matcher that was asked for.
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
/// Whether callers wait for its molecules: a fast name, or one with `carry`.
bool crucible_name_has_callers(const crucible_name *name);
bool crucible_name_has_payload(const crucible_name *name);
/// Whether the fact has been injected, and its soup has not ended or been restarted since. Needs the shell only.
bool crucible_fact_is_known(const crucible_name *fact);
/// Whether molecules of it wait for the end of the definition.
bool crucible_name_is_held(const crucible_name *name);
/// The context of the name's options.
void *_Nullable crucible_name_context(const crucible_name *name);
/// The matcher that serves this name; automatic while the soup is not frozen.
crucible_matcher crucible_name_matcher(const crucible_name *name);
/// The most molecules of this name that the state word counts before it spills; 0 on `locked`.
uint64_t crucible_name_capacity(const crucible_name *name);
/// Over how many words `word` has laid the name's component, and in `*home` which of them has the name, from 0 on. 0 on
/// other matchers.
uint32_t crucible_name_words(const crucible_name *name, uint32_t *home);

typedef struct {
  const char *label;
  const char *file;
  uint32_t line;
  crucible_placement placement;
  size_t input_count;
} crucible_reaction_info;
crucible_reaction_info crucible_soup_reaction(const crucible_soup *soup, size_t index);
crucible_name *crucible_soup_reaction_input(const crucible_soup *soup, size_t reaction, size_t input);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
