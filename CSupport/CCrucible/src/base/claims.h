// Claiming: how several words change at once. Each is claimed by a compare-and-swap of its own.
//
// A word has a value, for example the counts of a component. While a thread changes several words at once, each of them
// has the tag of the thread's claim in place of its value. The tag names the thread, and the term of the record (struct
// claims) in which the thread notes its changes.
//
//   value ──claim──→ tag ──claimed all: DONE──→ value after
//                     └──────otherwise: ABORTED──→ value before
//
// A thread claims the words in their order. Then one compare-and-swap of the record's status decides. Another thread
// that must change a word with a tag waits a little while for the owner of the claim. After that it aborts the claim,
// by a compare-and-swap of the same status, and puts the value back in place of the tag. The owner then retries.
//
// Running threads may abort one another's claims forever. So after CRUCIBLE_CLAIM_TRIES claims a thread makes a claim
// that has help. No thread aborts that one only because it is in the way. A thread that finds its tag claims the other
// words for it, and decides.
//
//   value ──→ installation ──while undecided──→ tag
//                  └─────────once decided─────→ value
//
// A thread that helps may be late, and must not put the tag of a decided claim into a word. So the tag comes into a
// word by a compare-and-swap with a second condition, even if the owner puts it there. The thread first puts an
// installation into the word. It names the thread's record, which has the value and the tag. Every thread that finds an
// installation then reads the status of the claim, and replaces the installation by the tag or by the value.
//
//   CLAIM-1  The status of a term is decided once. That change is the moment at which all words change, or at which it
//       is decided that none does. A word with a tag has the value that the status says: `after` when it is done, else
//       `before`. A word with an installation has the value that the installation has replaced.
//   CLAIM-2  A word with a tag changes only by the removal of the tag, after the decision. So each word has its tag
//       until then, and what was seen there holds.
//   CLAIM-3  A tag never occurs again, because its term never does, and neither does an installation. The owner begins
//       a term only when the tag of the last one is in no word, and can come into none. So a thread that reads the
//       record of a tag, and then finds the tag still there, has read what belongs to it. A thread that helps finds the
//       term undecided instead. A compare-and-swap of a late thread finds neither tag nor installation. No memory is
//       allocated, and none must be reclaimed.
//   CLAIM-4  A thread that only reads words changes nothing, and aborts nothing.
//   CLAIM-5  No tag comes back. A thread that replaces an installation by the tag has read the status after the
//       installation came, and before the decision. So the installation was there at the decision. The owner visits all
//       words after the decision, and removes tags and installations. A later installation finds the claim decided.
//
// Five mistakes would break it. A late thread removes a tag without a term from a later claim. An owner begins a term
// while a tag of the last one is left, or may come back. A status is stored and not compared. A read takes a claimed
// molecule for a missing one.
//
// Progress: lock-free. If a thread stops, its claim is aborted, or is done already, or the others carry it out. If no
// call ends, each thread soon has no claims left that others abort. A claim with help is undecided only until its words
// are claimed. It may wait for another one there, but only at a word of higher order, so helping ends. It aborts only
// because a word has changed, which is the progress of another thread.
//
// The order and the compare-and-swap for each molecule are those of Turon and Russo, "Scalable join patterns" (OOPSLA
// 2011). There a thread that is preempted with claims makes the others spin. The decision by one status, which others
// may set, is that of obstruction-free transactional memory (Herlihy, Luchangco, Moir and Scherer, PODC 2003). Claims
// that have help are the multi-word compare-and-swap of Harris, Fraser and Pratt (DISC 2002). The reuse of records with
// terms, in place of reclamation, is that of Arbel-Raviv and Brown, "Reuse, don't recycle" (DISC 2017).

#ifndef CRUCIBLE_CLAIMS_H
#define CRUCIBLE_CLAIMS_H

#include "base/thread.h"

/// The lowest bits of a word. 0: it has a value. All set: it has a tag. Otherwise it has an installation.
#define CLAIM_BUSY UINT64_C(3)
enum { CLAIM_INSTALLATION = 1, CLAIM_TAG = 3 };
/// Above them lie the index of the owner, and the term.
#define CLAIM_INDEX_SHIFT 2
#define CLAIM_TERM_SHIFT 24
/// The number of terms, which wrap. A tag can occur again only after 2^40 terms, when no read that began before is
/// left.
#define CLAIM_TERMS (UINT64_MAX >> CLAIM_TERM_SHIFT)
_Static_assert(CRUCIBLE_THREAD_INDICES <= UINT64_C(1) << (CLAIM_TERM_SHIFT - CLAIM_INDEX_SHIFT),
               "a tag has room for every index");

/// The status of a term, below the term: undecided, then DONE or ABORTED. A claim may have help.
enum { CLAIM_ABORTED = 0, CLAIM_UNDECIDED = 1, CLAIM_DONE = 2, CLAIM_HELPED = 4 };
#define CLAIM_STATUS_BITS 3

/// Ends the claims in the word, if there are any, until it has a value. Returns that. Requires: the words of each claim
/// in the way remain memory until the call ends.
uint64_t crucible__claims_end(_Atomic uint64_t *word);
/// Returns the value of a word that had none at the last read.
uint64_t crucible__claims_look(_Atomic uint64_t *word);
/// Carries out a claim of this thread that has help: claims the `count` words that are noted, and decides. Returns
/// whether it is done. On return its tag is in no word. Requires: what crucible__claims_end requires; all threads have
/// the same order of words.
bool crucible__claims_carry_out(struct claims *claims, uint64_t tag, uint32_t count);

/// Returns the value of the word.
static inline uint64_t crucible__look(_Atomic uint64_t *word) {
  // partner: the compare-and-swap by which a molecule is added
  uint64_t found = load_seq_cst(word);
  return LIKELY(!(found & CLAIM_BUSY)) ? found : crucible__claims_look(word);
}

/// Returns the value of a word that the caller will change. The word has no tag at that moment.
static inline uint64_t crucible__look_to_change(_Atomic uint64_t *word) {
  uint64_t found = load_acquire(word);
  return LIKELY(!(found & CLAIM_BUSY)) ? found : crucible__claims_end(word);
}

/// Changes the word from the value `*before`. False: `*before` is set to a current value.
static inline bool crucible__change(_Atomic uint64_t *word, uint64_t *before, uint64_t after) {
  // partner: the read of the word by a thread that has added to another one, or has taken a molecule for this count
  if (LIKELY(cas_seq_cst(word, before, after))) return true;
  if (*before & CLAIM_BUSY) *before = crucible__claims_end(word);
  return false;
}

static inline uint64_t crucible__claims_mark(uint64_t term, uint32_t index, uint64_t kind) {
  return term << CLAIM_TERM_SHIFT | (uint64_t)index << CLAIM_INDEX_SHIFT | kind;
}

/// Begins a term of the thread's record. `help`: CLAIM_HELPED, or 0. Returns its tag.
static inline uint64_t crucible__claims_begin(struct thread *self, uint64_t help) {
  uint64_t term = ((load_relaxed(&self->claims.status) >> CLAIM_STATUS_BITS) + 1) & CLAIM_TERMS;
  // partner: the read of the status by a thread that finds the tag
  store_release(&self->claims.status, term << CLAIM_STATUS_BITS | help | CLAIM_UNDECIDED);
  return crucible__claims_mark(term, self->index, CLAIM_TAG);
}

/// Notes the change of a word, before its tag comes there. No word occurs twice.
static inline void crucible__claims_note(struct claims *claims, uint32_t i, _Atomic uint64_t *word, uint64_t before,
                                         uint64_t after) {
  // CLAIM-3; partner: the loads by a thread that finds the tag; one that reads these for an older tag finds that tag
  // gone, or its term over
  store_release(&claims->words[i].word, word);
  store_release(&claims->words[i].before, before);
  store_release(&claims->words[i].after, after);
}

/// Decides the term, unless it is decided. Returns whether it is done.
static inline bool crucible__claims_decide(struct claims *claims, uint64_t outcome) {
  uint64_t status = load_relaxed(&claims->status);
  if (UNLIKELY(!(status & CLAIM_UNDECIDED))) return status & CLAIM_DONE;
  // CLAIM-1; partner: the read of the status by a thread that finds the tag; a thread that has added a molecule looks
  // after that; a thread that ends the claim hands on what the owner has done before
  return cas_seq_cst(&claims->status, &status, status - CLAIM_UNDECIDED + outcome) && outcome == CLAIM_DONE;
}

/// Removes the tag from the word, if it is still there.
static inline void crucible__claims_remove(_Atomic uint64_t *word, uint64_t tag, uint64_t value) {
  // partner: the compare-and-swap that changes the word next; the thread that changes it next sees what came before the
  // claim
  cas_seq_cst(word, &tag, value);
}

#endif
