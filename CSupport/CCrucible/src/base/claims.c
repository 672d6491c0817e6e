// See claims.h.

#include "base/claims.h"

/// The record that a tag or an installation names.
static struct claims *claims_of(uint64_t mark) {
  return &crucible__thread_at((mark >> CLAIM_INDEX_SHIFT) & (CRUCIBLE_THREAD_INDICES - 1))->claims;
}

/// Whether the status is that of the tag's term. Otherwise the tag has left its word.
static bool is_of(uint64_t status, uint64_t tag) {
  return status >> CLAIM_STATUS_BITS == tag >> CLAIM_TERM_SHIFT;
}

static bool is_installation(uint64_t found) { return (found & CLAIM_BUSY) == CLAIM_INSTALLATION; }

/// The value of a word with this mark (CLAIM-1). Any number, if the mark has left the word meanwhile.
static uint64_t value_of(_Atomic uint64_t *word, uint64_t mark) {
  struct claims *claims = claims_of(mark);
  // partner here and below: the releases of the owner, of this term or of a later one, before which the mark has left
  // the word; what is of a later term must not go with the mark
  if (is_installation(mark)) return load_acquire(&claims->expected);
  // partner: the compare-and-swap that decides; it hands on what the owner has done before
  bool done = load_seq_cst(&claims->status) & CLAIM_DONE;
  // Behind the words of this term may be words of older ones. So the first one counts.
  for (uint32_t i = 0; i < MOST_CLAIMED; i++) {
    struct claimed *claimed = &claims->words[i];
    if (load_acquire(&claimed->word) == word) return load_acquire(done ? &claimed->after : &claimed->before);
  }
  return 0;
}

uint64_t crucible__claims_look(_Atomic uint64_t *word) {
  for (;;) {
    // partner: the compare-and-swap by which a molecule is added
    uint64_t found = load_seq_cst(word);
    if (!(found & CLAIM_BUSY)) return found;
    uint64_t value = value_of(word, found);
    // CLAIM-3; partner: the compare-and-swap that removes the mark
    if (load_seq_cst(word) == found) return value;
  }
}

/// Replaces the installation, which is or was in the word, according to the status of its claim.
static void resolve(_Atomic uint64_t *word, uint64_t installation) {
  const struct claims *claims = claims_of(installation);
  // partner: the releases in install; if these are of a later installation, this one has left the word
  uint64_t expected = load_acquire(&claims->expected), tag = load_acquire(&claims->tag);
  uint64_t status = load_seq_cst(&claims_of(tag)->status);  // CLAIM-5; partner: the compare-and-swap that decides
  bool is_undecided = is_of(status, tag) && status & CLAIM_UNDECIDED;
  // partner: the read of the word by another thread; a thread that finds the tag reads what its owner has noted
  cas_seq_cst(word, &installation, is_undecided ? tag : expected);
}

/// Puts the tag of a claim that has help into the word, if the word has the value and the claim is undecided. Returns
/// what was in the word.
static uint64_t install(_Atomic uint64_t *word, uint64_t value, uint64_t tag) {
  struct thread *self = crucible__thread_for("to look at several names at once");
  struct claims *own = &self->claims;
  own->installations = (own->installations + 1) & CLAIM_TERMS;
  store_release(&own->expected, value);  // partner: the loads in resolve and value_of
  store_release(&own->tag, tag);
  uint64_t found = value, installation = crucible__claims_mark(own->installations, self->index, CLAIM_INSTALLATION);
  // partner: the read of the word by another thread
  if (cas_seq_cst(word, &found, installation)) resolve(word, installation);
  return found;
}

/// Claims the words of a claim that has help, and decides. Returns the word where something else is in the way, or
/// null. Then the claim is decided.
static _Atomic uint64_t *carry_out(struct claims *claims, uint64_t status, uint64_t tag) {
  uint64_t outcome = CLAIM_DONE;
  // partner here and below: the releases of the owner
  uint32_t count = load_acquire(&claims->count);
  for (uint32_t i = 0; i < count && outcome == CLAIM_DONE; i++) {
    _Atomic uint64_t *word = load_acquire(&claims->words[i].word);
    uint64_t before = load_acquire(&claims->words[i].before);
    // CLAIM-3: what was read belongs to the tag; partner: the compare-and-swap that decides
    if (load_seq_cst(&claims->status) != status) return NULL;
    uint64_t found = install(word, before, tag);
    if (found == before || found == tag) continue;
    if (found & CLAIM_BUSY) return word;
    outcome = CLAIM_ABORTED;
  }
  // CLAIM-1; partner: the reads of the status
  cas_seq_cst(&claims->status, &status, status - CLAIM_UNDECIDED + outcome);
  return NULL;
}

/// The claim for which a thread waits, and how long it has.
struct delay {
  uint64_t tag;
  uint32_t looks;
};

/// Takes a step towards a value in the word. Returns the word in which something else must end first, or null.
static _Atomic uint64_t *advance(_Atomic uint64_t *word, struct delay *delay) {
  // partner: the compare-and-swap that put the mark there; a thread that finds it reads what its owner noted
  uint64_t found = load_seq_cst(word);
  if (is_installation(found)) resolve(word, found);
  if ((found & CLAIM_BUSY) != CLAIM_TAG) return NULL;
  struct claims *claims = claims_of(found);
  uint64_t status = load_seq_cst(&claims->status);  // partner: the compare-and-swap that decides
  if (!is_of(status, found)) return NULL;
  if (!(status & CLAIM_UNDECIDED)) {
    crucible__claims_remove(word, found, value_of(word, found));
    return NULL;
  }
  if (status & CLAIM_HELPED) return carry_out(claims, status, found);
  if (found != delay->tag) *delay = (struct delay){found, 0};
  if (delay->looks++ < CRUCIBLE_CLAIM_LOOKS) {
    spin_pause();
  } else {
    // CLAIM-1; partner: the compare-and-swap in crucible__claims_decide
    cas_seq_cst(&claims->status, &status, status - CLAIM_UNDECIDED + CLAIM_ABORTED);
  }
  return NULL;
}

uint64_t crucible__claims_end(_Atomic uint64_t *word) {
  struct delay delay = {0};
  uint64_t found;
  // partner: the compare-and-swap that removes the mark
  while ((found = load_acquire(word)) & CLAIM_BUSY) {
    for (_Atomic uint64_t *next = word; next; next = advance(next, &delay)) {
    }
  }
  return found;
}

bool crucible__claims_carry_out(struct claims *claims, uint64_t tag, uint32_t count) {
  struct delay delay = {0};
  store_release(&claims->count, count);  // partner: the load in carry_out
  uint64_t status = load_relaxed(&claims->status);  // no thread knows the tag yet
  _Atomic uint64_t *next;
  while ((next = carry_out(claims, status, tag))) {
    while (next) next = advance(next, &delay);
  }
  for (uint32_t i = 0; i < count; i++) {
    _Atomic uint64_t *word = load_relaxed(&claims->words[i].word);
    uint64_t found;
    // CLAIM-5; partner: the compare-and-swap in install
    while ((found = load_seq_cst(word)) == tag || is_installation(found)) advance(word, &delay);
  }
  return load_relaxed(&claims->status) & CLAIM_DONE;
}
