// See multicas.h: the algorithm of Harris, Fraser and Pratt, "A practical multi-word compare-and-swap operation" (DISC
// 2002).
//
//   word:  value ──install──→ installation ──while undecided──→ operation ──decided──→ desired, or the value again
//
// An operation has a status: undecided, then failed or succeeded. A thread that carries an operation out visits its
// words in the order of their ranks. In each it replaces the expected value by the operation, if the operation is still
// undecided. That is a compare-and-swap with a second condition. The thread first puts an installation into the word. A
// thread that finds the installation reads the status and replaces the installation by the operation or by the value.
// If a word has another value, the operation fails. If all words have the operation, it succeeds. One compare-and-swap
// of the status decides. Then every word gets its desired value, or its old one. A thread that finds an operation in a
// word carries it out to its end, and only then continues with its own.
//
// Invariants
//   MULTICAS-1  The status changes once. Whatever the words showed, this change is the moment of the operation.
//   MULTICAS-2  An operation is put into a word only while it is undecided, or by a thread that saw it undecided while
//       an installation was there. An installation belongs to one thread and one word. It is put there at most once,
//       and is gone when that thread has completed it. So no late thread puts a decided operation into a word for good.
//   MULTICAS-3  Each thread that carries an operation out is counted in `helpers`, and takes the operation out of all
//       words before it leaves. So it removes what its own installations have put there, unless another thread has. An
//       operation with no helper is therefore in no word, and no thread becomes its helper again. Its owners are
//       released then, and not before, because a helper accesses all words.
//   MULTICAS-4  Operations and installations are retired, and are followed only inside read sections. A thread that
//       finds one in a word finds it before it is retired.
//
// Progress: lock-free. No thread waits for another: it carries out the operations that it finds in its way. An
// operation that is undecided leads to another one only at a word of higher rank, and a decided one only leaves its
// words. So helping ends.

#include "base/multicas.h"

#include <string.h>

#include "base/errors.h"
#include "base/memory.h"
#include "base/reclamation.h"

enum { INSTALLATION = 1, OPERATION = 2 };
enum { UNDECIDED, FAILED, SUCCEEDED };

struct operation;

/// Occupies the word of a change while the operation is about to take its place.
struct installation {
  const struct change *change;
  struct operation *of;
};

struct operation {
  struct retired retired;  // must be first
  _Atomic uint64_t status;
  _Atomic uint32_t helpers;  ///< threads that may access its words
  uint32_t count;
  void (*release)(void *owner);
  struct operation *next;    ///< the list of operations of which one thread was the last helper
  struct installation *own;  ///< the installations of the thread that made it
  struct change changes[];
};

/// The installations of a thread that helps.
struct installations {
  struct retired retired;  // must be first
  struct installation all[];
};

static uint64_t kind_of(uint64_t found) { return found & CRUCIBLE_MULTICAS_BITS; }
static struct operation *operation_of(uint64_t found) { return (struct operation *)(uintptr_t)(found - OPERATION); }
static struct installation *installation_of(uint64_t found) {
  return (struct installation *)(uintptr_t)(found - INSTALLATION);
}

static void *allocate(size_t size) {
  void *memory = crucible__allocate(size, 64);
  if (!memory) crucible__die("no memory to change several words at once");
  return memory;
}

// ---------------------------------------------------------------------------------------------------------------------
// Carrying out
// ---------------------------------------------------------------------------------------------------------------------

/// Replaces the installation, which is or was in its word, according to the status.
static void resolve(struct installation *installation) {
  uint64_t found = (uintptr_t)installation + INSTALLATION;
  // partner: the compare-and-swap that decides
  bool decided = load_seq_cst(&installation->of->status) != UNDECIDED;
  uint64_t next = decided ? installation->change->expected : (uintptr_t)installation->of + OPERATION;
  // partner: the read of the word by another thread; a thread that finds the operation reads what its maker wrote
  cas_seq_cst(installation->change->word, &found, next);
}

/// Puts the operation into the word of the installation if the word has the expected value. Returns the value found
/// there.
static uint64_t install(struct installation *installation) {
  for (;;) {
    uint64_t found = installation->change->expected;
    // partner: the read of the word by another thread
    if (cas_seq_cst(installation->change->word, &found, (uintptr_t)installation + INSTALLATION)) {
      resolve(installation);
      return installation->change->expected;
    }
    if (kind_of(found) != INSTALLATION) return found;
    resolve(installation_of(found));
  }
}

static void help(struct operation *operation, struct operation **finished);

static bool is_undecided(struct operation *operation) {
  return load_seq_cst(&operation->status) == UNDECIDED;
}

/// Carries the operation out. Requires: the thread is counted as a helper. Returns whether the words have changed.
static bool carry_out(struct operation *operation, struct installation *own, struct operation **finished) {
  uint64_t outcome = SUCCEEDED;
  for (uint32_t i = 0; i < operation->count && outcome == SUCCEEDED && is_undecided(operation); i++) {
    own[i] = (struct installation){&operation->changes[i], operation};
    for (;;) {
      uint64_t found = install(&own[i]);
      if (found == operation->changes[i].expected || found == (uintptr_t)operation + OPERATION) break;
      if (kind_of(found) != OPERATION) {
        outcome = FAILED;
        break;
      }
      help(operation_of(found), finished);
    }
  }
  uint64_t status = UNDECIDED;
  // MULTICAS-1; partner: the load in resolve
  if (cas_seq_cst(&operation->status, &status, outcome)) status = outcome;
  for (uint32_t i = 0; i < operation->count; i++) {
    const struct change *change = &operation->changes[i];
    uint64_t found = (uintptr_t)operation + OPERATION;
    // partner: the read of the word by another thread; a thread that reads the value sees what came before the
    // operation
    cas_seq_cst(change->word, &found, status == SUCCEEDED ? change->desired : change->expected);
  }
  return status == SUCCEEDED;
}

/// Removes the thread from the helpers. The last one adds the operation to `*finished`.
static void stop_helping(struct operation *operation, struct operation **finished) {
  if (fetch_sub_seq_cst(&operation->helpers, 1) != 1) return;
  operation->next = *finished;
  *finished = operation;
}

/// Helps an operation. Requires: the thread is in the read section in which it found the operation in a word. When this
/// returns, the operation is no longer in that word.
static void help(struct operation *operation, struct operation **finished) {
  uint32_t helpers = load_seq_cst(&operation->helpers);
  do {
    if (helpers == 0) return;  // MULTICAS-3: it has left the word
  } while (!cas_seq_cst(&operation->helpers, &helpers, helpers + 1));
  size_t size = sizeof(struct installations) + operation->count * sizeof(struct installation);
  struct installations *own = allocate(size);
  carry_out(operation, own->all, finished);
  crucible__retire(&own->retired, size, NULL);
  stop_helping(operation, finished);
}

static size_t size_of(uint32_t count) {
  return sizeof(struct operation) + count * (sizeof(struct change) + sizeof(struct installation));
}

/// Releases the owners of finished operations. Requires: no read section, because a release may run any code.
static void finish(struct operation *finished) {
  for (struct operation *next; finished; finished = next) {
    next = finished->next;
    for (uint32_t i = 0; i < finished->count; i++) finished->release(finished->changes[i].owner);
    crucible__retire(&finished->retired, size_of(finished->count), NULL);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The calls
// ---------------------------------------------------------------------------------------------------------------------

/// Sorts by the ranks of the words.
static void sort(struct change *changes, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    struct change moved = changes[i];
    uint32_t k = i;
    for (; k > 0 && changes[k - 1].rank > moved.rank; k--) changes[k] = changes[k - 1];
    changes[k] = moved;
  }
}

bool crucible__change_all(const struct change *changes, uint32_t count, void (*release)(void *owner)) {
  struct operation *operation = allocate(size_of(count));
  operation->count = count;
  operation->release = release;
  operation->own = (struct installation *)(void *)&operation->changes[count];
  atomic_init(&operation->status, UNDECIDED);
  atomic_init(&operation->helpers, 1);
  memcpy(operation->changes, changes, count * sizeof *changes);
  sort(operation->changes, count);
  struct operation *finished = NULL;
  crucible__read_lock();
  bool changed = carry_out(operation, operation->own, &finished);
  crucible__read_unlock();
  stop_helping(operation, &finished);
  finish(finished);
  return changed;
}

/// Reads the value of the word. Requires: a read section.
static uint64_t read_in_section(_Atomic uint64_t *word, struct operation **finished) {
  for (;;) {
    uint64_t found = load_seq_cst(word);  // partner: the compare-and-swaps that change it
    if (kind_of(found) == INSTALLATION) {
      resolve(installation_of(found));
    } else if (kind_of(found) == OPERATION) {
      help(operation_of(found), finished);
    } else {
      return found;
    }
  }
}

uint64_t crucible__read_changed(_Atomic uint64_t *word) {
  struct operation *finished = NULL;
  crucible__read_lock();
  uint64_t value = read_in_section(word, &finished);
  crucible__read_unlock();
  finish(finished);
  return value;
}

bool crucible__change_one(_Atomic uint64_t *word, uint64_t expected, uint64_t desired) {
  struct operation *finished = NULL;
  bool changed = false;
  crucible__read_lock();
  while (!changed && read_in_section(word, &finished) == expected) {
    uint64_t found = expected;
    // partner: the read of the word by another thread; a thread that reads the value sees what came before the change
    changed = cas_seq_cst(word, &found, desired);
  }
  crucible__read_unlock();
  finish(finished);
  return changed;
}
