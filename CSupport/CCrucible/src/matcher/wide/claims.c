// See claims.h.

#include "matcher/wide/claims.h"

#include "base/errors.h"

struct thread *crucible__claiming_thread(void) {
  struct thread *self = crucible__thread();
  if (!self) crucible__die("no memory to look at all names of a soup at once");
  return self;
}

static bool is_tag(uint64_t found) { return (found & CLAIM_BUSY) == CLAIM_TAG; }

/// The record that a tag in a word names, as a thread found it.
struct finding {
  struct claims *claims;
  uint64_t status;
  bool is_current;  ///< the record is still in the tag's turn; otherwise the tag has left the word
};

static struct finding find(uint64_t tag) {
  struct claims *claims = &crucible__thread_at((tag >> CLAIM_INDEX_SHIFT) & (CRUCIBLE_THREAD_INDICES - 1))->claims;
  // partner: the compare-and-swap that decides; it hands on what the owner has done before
  uint64_t status = load_seq_cst(&claims->status);
  return (struct finding){claims, status, status >> CLAIM_OUTCOME_BITS == tag >> CLAIM_TURN_SHIFT};
}

/// The value of a word with a tag (CLAIM-1).
static uint64_t value_of(const struct finding *finding, uint32_t home) {
  struct claims *claims = finding->claims;
  bool done = finding->status & CLAIM_DONE;
  // partner: the releases of the owner, of this turn or of a later one, before which the tag has left the word; what is
  // of a later turn must not go with the tag
  return load_acquire(done ? &claims->after[home] : &claims->before[home]);
}

uint64_t crucible__claims_end(_Atomic uint64_t *word, uint32_t home) {
  uint64_t waited_for = 0;
  for (uint32_t looks = 0;;) {
    // partner: the compare-and-swap that put the tag there; a thread that finds the tag reads what its owner noted
    uint64_t found = load_acquire(word);
    if (!is_tag(found)) found = crucible__read_changed(word);
    if (!is_tag(found)) return found;
    struct finding finding = find(found);
    if (!finding.is_current) continue;
    if (finding.status & CLAIM_UNDECIDED) {
      if (found != waited_for) looks = 0;
      waited_for = found;
      if (looks++ < CRUCIBLE_CLAIM_PATIENCE) {
        spin_pause();
      } else {
        // CLAIM-1; partner: the compare-and-swap in crucible__claims_decide
        cas_seq_cst(&finding.claims->status, &finding.status, finding.status - CLAIM_UNDECIDED + CLAIM_ABORTED);
      }
      continue;
    }
    crucible__claims_remove(word, found, value_of(&finding, home));
  }
}

uint64_t crucible__claims_look(_Atomic uint64_t *word, uint32_t home) {
  for (;;) {
    // partner: the compare-and-swap by which a molecule is added
    uint64_t found = load_seq_cst(word);
    if (!is_tag(found)) found = crucible__read_changed(word);
    if (!is_tag(found)) return found;
    struct finding finding = find(found);
    uint64_t value = value_of(&finding, home);
    // CLAIM-3; partner: the compare-and-swap that removes the tag
    if (finding.is_current && load_seq_cst(word) == found) return value;
  }
}

/// Keeps nothing. The words belong to the component, and each thread that helps holds the soup.
static void keep(void *owner) { (void)owner; }

bool crucible__change_words(struct wide_word *words, uint64_t homes, change_function change, void *context) {
  for (;;) {
    struct change changes[WIDE_WORDS];
    uint32_t count = 0;
    for (uint64_t rest = homes; rest; rest &= rest - 1) {
      uint32_t home = (uint32_t)__builtin_ctzll(rest);
      _Atomic uint64_t *word = &words[home].word;
      struct change *next = &changes[count++];
      *next = (struct change){.word = word, .rank = home, .expected = crucible__look_to_change(word, home)};
      // The words are read one after the other. If one lacks what is needed, that need not be a snapshot (WIDE-2).
      if (!change(context, home, next->expected, &next->desired)) return false;
    }
    if (crucible__change_all(changes, count, keep)) return true;
  }
}
