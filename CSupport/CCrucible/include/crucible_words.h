// The words of the interface: types, kinds, statuses and limits.

#ifndef CRUCIBLE_WORDS_H
#define CRUCIBLE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// ---------------------------------------------------------------------------------------------------------------------
// Words
// ---------------------------------------------------------------------------------------------------------------------

/// The most names that one soup may declare: their numbers have eight bits.
#define CRUCIBLE_MAX_NAMES 256
/// The most inputs that one pattern may have, repetitions counted.
#define CRUCIBLE_MAX_INPUTS 64
/// The largest value, and the largest alignment of one: 16 MB.
#define CRUCIBLE_MAX_SIZE ((size_t)1 << 24)
/// The most molecules without payload that one call can inject.
#define CRUCIBLE_MAX_TIMES ((uint64_t)1 << 40)
/// The number of waiting molecules of a name without payload from which calls that inject several at once are refused.
#define CRUCIBLE_MAX_WAITING ((uint64_t)1 << 56)
/// Stands for the number of a reaction: any reaction, or none.
enum { CRUCIBLE_ANY = -1 };

typedef struct crucible_soup crucible_soup;
typedef struct crucible_name crucible_name;

typedef enum : uint32_t {
  CRUCIBLE_SLOW = 0,   ///< injecting it returns at once
  CRUCIBLE_FAST = 1,   ///< its payload begins with whatever the caller waits on; the core never looks inside
  CRUCIBLE_STATE = 2,  ///< exactly one copy, in a cell of the soup; never injected
  CRUCIBLE_FACT = 3,   ///< injected once, into a cell of the soup; reactions read it, and none consumes it
} crucible_kind;

typedef enum : uint32_t {
  CRUCIBLE_POOL = 0,    ///< on a thread of the pool
  CRUCIBLE_INLINE = 1,  ///< on the thread that completed the match
  CRUCIBLE_EXTERNAL = 2,  ///< wherever `submit` places it
  /// on a thread of the pool; if its bodies are short and do not wait, on the threads of callers that wait for them
  CRUCIBLE_POOL_OR_CALLER = 3,
} crucible_placement;

/// The number of a matcher in the registry, from 1 on. Further matchers have numbers without names here.
typedef enum : uint32_t {
  CRUCIBLE_AUTOMATIC = 0,  ///< for each component the first in the registry that can serve it
  CRUCIBLE_WORD = 1,       ///< 64-bit words: one per component, or several per wide one
  CRUCIBLE_LOCKED = 2,     ///< one mutex per component: the reference
  CRUCIBLE_ARRIVAL = 3,    ///< in the order of arrival: one thread at a time matches for all
  CRUCIBLE_CLAIM = 4,      ///< decentralised: one word per name, and a reaction claims each word that it changes
} crucible_matcher;

typedef enum : uint32_t {
  CRUCIBLE_OK = 0,
  CRUCIBLE_NO_MEMORY,
  CRUCIBLE_TOO_MANY_NAMES,    ///< more than 256 names
  CRUCIBLE_TOO_MANY_INPUTS,   ///< a pattern of more than 64 inputs
  CRUCIBLE_EMPTY_PATTERN,     ///< a reaction without inputs
  CRUCIBLE_FOREIGN_NAME,      ///< a pattern names another soup's molecule
  CRUCIBLE_REPEATED_STATE,    ///< a pattern names one state or fact twice: there is only one copy
  CRUCIBLE_ONLY_STATES,       ///< a pattern of states and facts alone, which would fire forever
  CRUCIBLE_FACT_BEFORE_INPUT,  ///< a pattern names a fact before what it consumes
  CRUCIBLE_KNOWN_FACT,        ///< the fact was injected before
  CRUCIBLE_FROZEN,            ///< a name or a reaction was added after freeze
  CRUCIBLE_UNUSED_NAME,       ///< a name that no reaction consumes
  CRUCIBLE_DOES_NOT_FIT,      ///< reactions connect more names than the chosen matcher serves
  CRUCIBLE_NOT_FROZEN,        ///< a control call before the definition has ended
  CRUCIBLE_NOT_STOPPED,       ///< restart of a soup that is not stopped
  CRUCIBLE_NOT_QUIET,         ///< restart while bodies still run
  CRUCIBLE_NOT_RUNNING,       ///< an injection into a stopped soup
  CRUCIBLE_GONE_SOUP,         ///< an injection into a soup that is gone
  CRUCIBLE_INHERITED_SOUP,    ///< a child uses a soup of the process that forked it
  CRUCIBLE_TOO_LARGE,         ///< a value of more than 16 MB
  CRUCIBLE_TOO_MANY_MOLECULES,  ///< more molecules than can be counted, at once or waiting
  CRUCIBLE_UNKNOWN_MATCHER,     ///< a number that is not in the registry
  CRUCIBLE_NO_BRANCHES,         ///< a select without branches
  CRUCIBLE_KEY_WITHOUT_VALUE,   ///< a fact with keys, or a name with keys or an expiry and without values
  CRUCIBLE_OTHER_KEY,           ///< a pattern of names with and without keys, or with keys of several types
  CRUCIBLE_NO_KEYS,             ///< the chosen matcher does not serve names with keys
  CRUCIBLE_NO_EXPIRY,           ///< the chosen matcher does not serve names whose molecules expire
  CRUCIBLE_BAD_BOUND,           ///< a capacity of a name that cannot have one, or with names of another soup
  CRUCIBLE_TOO_NARROW,          ///< a reaction consumes more molecules of a name than its capacity
  CRUCIBLE_FULL,                ///< an injection into a name that has as many molecules as it may have
  CRUCIBLE_HOPELESS,            ///< a call that only the body which waits for it could let a reaction answer
  CRUCIBLE_SHARED_REACTION,     ///< two branches of a select whose names some reaction consumes together
} crucible_status;

/// The reason why a value is destroyed that no reaction has consumed.
typedef enum : uint32_t {
  CRUCIBLE_GONE = 0,          ///< the soup is gone; this reason covers the values of states, too
  CRUCIBLE_CLEARED,           ///< by clear
  CRUCIBLE_STOPPED_SOUP,      ///< by stop
  CRUCIBLE_WITHDRAWN,         ///< the caller gave up
  CRUCIBLE_DISCARDED,         ///< the firing that reserved it was discarded
} crucible_reason;

/// The number of matchers in the registry, which is also the highest number of one. Numbers begin at 1.
size_t crucible_matcher_count(void);
/// The name of a matcher, "automatic" for CRUCIBLE_AUTOMATIC, or null for a number that is not in the registry.
const char *_Nullable crucible_matcher_name(crucible_matcher matcher);
/// Sets `*matcher` to the number of the matcher with this name. False: there is none.
bool crucible_matcher_find(const char *name, crucible_matcher *matcher);

/// The most names that reactions may connect on this matcher: CRUCIBLE_MAX_NAMES if it serves all soups. Requires: a
/// number in the registry, or CRUCIBLE_AUTOMATIC.
uint32_t crucible_matcher_most_names(crucible_matcher matcher);
/// Whether a thread that stops anywhere in the matcher delays no other thread. Requires: a number in the registry.
bool crucible_matcher_is_lock_free(crucible_matcher matcher);
/// Whether an order decides among enabled reactions, and not a random choice. Requires: a number in the registry.
bool crucible_matcher_is_ordered(crucible_matcher matcher);

/// A sentence for users that describes the status. It does not contain the names involved.
const char *crucible_status_text(crucible_status status);

#pragma clang assume_nonnull end

#endif
