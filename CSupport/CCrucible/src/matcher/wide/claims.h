// Claiming: how several words of a component change at once. Each is claimed by a compare-and-swap of its own.
//
// A word has counts. While a thread changes several words at once, each of them has the tag of the thread's claim in
// place of its counts. The tag names the thread, and the turn of the record (struct claims) in which the thread notes
// its changes.
//
//   counts ──claim──→ tag ──claimed all: DONE──→ counts after
//                      └────ended by another: ABORTED──→ counts before
//
// A thread claims the words in their order. Then one compare-and-swap of the record's status decides. Another thread
// that must change a word with a tag waits a little while for the owner of the claim. After that it aborts the claim,
// by a compare-and-swap of the same status, and puts the counts back in place of the tag. The owner then retries.
//
//   CLAIM-1  The status of a turn changes once. That change is the moment at which all words change, or at which it is
//       decided that none does. A word with a tag counts what its status says: `after` when it is done, else `before`.
//   CLAIM-2  A word with a tag changes only by the removal of the tag. So what the owner saw in each word holds until
//       the status changes.
//   CLAIM-3  Only the owner puts a tag into a word, and it begins a turn only when the tag of the last one is in no
//       word. A tag never occurs again, because its turn never does. So a thread that reads the record of a tag, and
//       then finds the tag still there, has read what belongs to it. No memory is allocated, and none must be
//       reclaimed.
//   CLAIM-4  A thread that only reads words with tags changes nothing, and aborts nothing.
//
// Four mistakes would break it. A late thread removes a tag without a turn from a later claim. An owner begins a turn
// while a tag of the last one is left. A status is stored and not compared. A read takes a claimed molecule for a
// missing one.
//
// Helping
//   Running threads may abort one another's claims forever. So after CRUCIBLE_CLAIM_TURNS claims a thread changes its
//   words by one operation of base/multicas.c. No thread aborts that: a thread that finds it in a word carries it out.
//   CLAIM-5  The two protocols do not interfere. Neither replaces what the other has put into a word, except by the
//       other's own steps. A claim begins from a count, and an operation that finds a tag fails.
//
// Progress: lock-free, except for the memory of operations. If a thread stops, its claim is aborted, or is done
// already, and its operation is carried out. If no call ends, each thread soon has no claims left to begin. Then
// operations fail only because others succeed (base/multicas.c).
//
// The order and the compare-and-swap for each molecule are those of Turon and Russo, "Scalable join patterns" (OOPSLA
// 2011). There a thread that is preempted with claims makes the others spin. The decision by one status, which others
// may set, is that of obstruction-free transactional memory (Herlihy, Luchangco, Moir and Scherer, PODC 2003). The
// reuse of records with turns, in place of reclamation, is that of Arbel-Raviv and Brown, "Reuse, don't recycle" (DISC
// 2017).

#ifndef CRUCIBLE_CLAIMS_H
#define CRUCIBLE_CLAIMS_H

#include "base/multicas.h"
#include "base/thread.h"

/// The lowest bits of a word. 0: it has counts. Both: it has a tag. Otherwise base/multicas.c is changing it.
#define CLAIM_BUSY CRUCIBLE_MULTICAS_BITS
/// The lowest bits of a tag. Above them lie the index of the owner, and the turn.
#define CLAIM_TAG UINT64_C(3)
#define CLAIM_INDEX_SHIFT 2
#define CLAIM_TURN_SHIFT 24
/// The number of turns, which wrap. A tag can occur again only after 2^40 turns, when no read that began before is
/// left.
#define CLAIM_TURNS (UINT64_MAX >> CLAIM_TURN_SHIFT)
_Static_assert(CRUCIBLE_THREAD_INDICES <= UINT64_C(1) << (CLAIM_TURN_SHIFT - CLAIM_INDEX_SHIFT),
               "a tag has room for every index");

/// The outcome of a turn. The turn lies above it in the status.
enum { CLAIM_ABORTED = 0, CLAIM_UNDECIDED = 1, CLAIM_DONE = 2 };
#define CLAIM_OUTCOME_BITS 2

/// A word, alone in its line.
struct wide_word {
  _Alignas(64) _Atomic uint64_t word;
};

/// The most words of a component.
enum { WIDE_WORDS = MOST_CLAIMED };

/// Computes the new counts of the word with the index `home`. False: no word of the claim may change.
typedef bool (*change_function)(void *context, uint32_t home, uint64_t before, uint64_t *after);

/// Returns the record of this thread, for a claim of all words by a call that cannot be refused. Aborts with a message
/// when there is no memory.
struct thread *crucible__claiming_thread(void);

/// Ends the claims in the word, if there are any, until it has counts. Returns these.
uint64_t crucible__claims_end(_Atomic uint64_t *word, uint32_t home);
/// Returns the counts of a word that had a tag at the last read.
uint64_t crucible__claims_look(_Atomic uint64_t *word, uint32_t home);

/// Changes the words like crucible__wide_change, but without claims: by an operation that no thread aborts, and that
/// others carry out (base/multicas.c).
bool crucible__change_words(struct wide_word *words, uint64_t homes, change_function change, void *context);

/// Returns the counts of the word.
static inline uint64_t crucible__look(_Atomic uint64_t *word, uint32_t home) {
  // partner: the compare-and-swap by which a molecule is added
  uint64_t found = load_seq_cst(word);
  return LIKELY(!(found & CLAIM_BUSY)) ? found : crucible__claims_look(word, home);
}

/// Returns the counts of a word that the caller will change. The word has no tag at that moment.
static inline uint64_t crucible__look_to_change(_Atomic uint64_t *word, uint32_t home) {
  uint64_t found = load_acquire(word);
  return LIKELY(!(found & CLAIM_BUSY)) ? found : crucible__claims_end(word, home);
}

/// Changes the word from `*before`, which has no tag. False: `*before` is set to its current value, without a tag.
static inline bool crucible__change(_Atomic uint64_t *word, uint32_t home, uint64_t *before, uint64_t after) {
  // partner: the read of the word by a thread that has added to another one, or has taken a molecule for this count
  if (LIKELY(cas_seq_cst(word, before, after))) return true;
  if (*before & CLAIM_BUSY) *before = crucible__claims_end(word, home);
  return false;
}

/// Begins a turn of the record of the thread with this index. Returns its tag.
static inline uint64_t crucible__claims_begin(struct claims *claims, uint32_t index) {
  uint64_t turn = ((load_relaxed(&claims->status) >> CLAIM_OUTCOME_BITS) + 1) & CLAIM_TURNS;
  // partner: the read of the status by a thread that finds the tag
  store_release(&claims->status, turn << CLAIM_OUTCOME_BITS | CLAIM_UNDECIDED);
  return turn << CLAIM_TURN_SHIFT | (uint64_t)index << CLAIM_INDEX_SHIFT | CLAIM_TAG;
}

/// Decides the turn, unless another thread has aborted it. Returns whether it is done.
static inline bool crucible__claims_decide(struct claims *claims, uint64_t outcome) {
  uint64_t status = load_relaxed(&claims->status);
  uint64_t turn = status & ~(uint64_t)((1 << CLAIM_OUTCOME_BITS) - 1);
  // CLAIM-1; partner: the read of the status by a thread that finds the tag; a thread that has added a molecule looks
  // after that; a thread that ends the claim hands on what the owner has done before
  return (status & CLAIM_UNDECIDED) && cas_seq_cst(&claims->status, &status, turn | outcome) && outcome == CLAIM_DONE;
}

/// Removes the tag from the word, if it is still there.
static inline void crucible__claims_remove(_Atomic uint64_t *word, uint64_t tag, uint64_t value) {
  // partner: the compare-and-swap that changes the word next; the thread that changes it next sees what came before the
  // claim
  cas_seq_cst(word, &tag, value);
}

/// Changes the words of all `homes` at once, or none. `change` is known where this is compiled. False: `change` has
/// refused.
static inline __attribute__((always_inline)) bool crucible__wide_change(struct thread *self, struct wide_word *words,
                                                                        uint64_t homes, change_function change,
                                                                        void *context) {
  struct claims *claims = &self->claims;
  for (int turns = 0; turns < CRUCIBLE_CLAIM_TURNS; turns++) {
    uint64_t tag = crucible__claims_begin(claims, self->index), claimed = 0;
    bool agreed = true;
    for (uint64_t rest = homes; agreed && rest; rest &= rest - 1) {
      uint32_t home = (uint32_t)__builtin_ctzll(rest);
      _Atomic uint64_t *word = &words[home].word;
      uint64_t before = crucible__look_to_change(word, home), after;
      while ((agreed = change(context, home, before, &after))) {
        // CLAIM-3; partner: the load in value_of; a thread that reads this for an older tag finds that tag gone
        store_release(&claims->before[home], before);
        store_release(&claims->after[home], after);  // partner: the load in value_of
        if (LIKELY(crucible__change(word, home, &before, tag))) break;
      }
      if (agreed) claimed |= rest & -rest;
    }
    bool done = crucible__claims_decide(claims, agreed ? CLAIM_DONE : CLAIM_ABORTED);
    for (; claimed; claimed &= claimed - 1) {
      uint32_t home = (uint32_t)__builtin_ctzll(claimed);
      crucible__claims_remove(&words[home].word, tag,
                              load_relaxed(done ? &claims->after[home] : &claims->before[home]));
    }
    if (LIKELY(done) || !agreed) return done;
    take_turns();
  }
  return crucible__change_words(words, homes, change, context);
}

#endif
