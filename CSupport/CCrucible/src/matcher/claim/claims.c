// See claims.h.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // MAP_ANONYMOUS
#endif

#include "matcher/claim/claims.h"

#include <sys/mman.h>

struct claims *crucible__claims;

bool crucible__claims_prepare(void) {
  // Not a step of a schedule, because only the first definition of a process does it.
  if (__atomic_load_n(&crucible__claims, __ATOMIC_ACQUIRE)) return true;
  size_t size = CRUCIBLE_THREAD_INDICES * sizeof *crucible__claims;
  // Without access at first: a process that locks all its memory would get every page of the range at once.
  void *room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  if (munlock(room, size) != 0 || mprotect(room, size, PROT_READ | PROT_WRITE) != 0) {
    munmap(room, size);
    return false;
  }
  struct claims *none = NULL;
  if (!__atomic_compare_exchange_n(&crucible__claims, &none, room, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    munmap(room, size);  // another definition was first
  }
  return true;
}

/// What is known of a tag that was found in a word.
struct finding {
  struct claims *claims;
  uint64_t status;
  bool is_current;  ///< the record is still in the tag's turn; else the tag has left the word
};

static struct finding find(uint64_t tag) {
  struct claims *claims = &crucible__claims[(tag >> 1) & (CRUCIBLE_THREAD_INDICES - 1)];
  // partner: the compare-and-swap that decides; unseen order: by reading alone: as in crucible__look; unseen acquire:
  // by reading alone: it hands on what the owner has done before
  uint64_t status = load_seq_cst(&claims->status);
  return (struct finding){claims, status, status >> CLAIM_OUTCOME_BITS == tag >> CLAIM_TURN_SHIFT};
}

/// CLAIM-1
static uint64_t value_of(const struct finding *finding, uint32_t bit) {
  struct claims *claims = finding->claims;
  bool done = finding->status & CLAIM_DONE;
  // partner: the releases of the owner, of this turn or of a later one, before which the tag has left the word; unseen:
  // by reading alone: what is of a later turn must not go with the tag
  return load_acquire(done ? &claims->after[bit] : &claims->before[bit]);
}

uint64_t crucible__claims_end(_Atomic uint64_t *word, uint32_t bit) {
  uint64_t waited_for = 0;
  for (uint32_t looks = 0;;) {
    // partner: the compare-and-swap that put the tag there; unseen: by reading alone: a thread that finds the tag reads
    // what its owner noted
    uint64_t found = load_acquire(word);
    if (!(found & CLAIM_TAG)) return found;
    struct finding finding = find(found);
    if (!finding.is_current) continue;
    if (finding.status & CLAIM_UNDECIDED) {
      if (found != waited_for) looks = 0;
      waited_for = found;
      if (looks++ < CRUCIBLE_CLAIM_PATIENCE) {
        spin_pause();
      } else {
        // CLAIM-1; partner: the compare-and-swap in crucible__claims_decide; unseen order: both sides modify it; the
        // later reads the earlier; unseen acquire, release: hands nothing on
        cas_seq_cst(&finding.claims->status, &finding.status, finding.status - CLAIM_UNDECIDED + CLAIM_ABORTED);
      }
      continue;
    }
    crucible__claims_remove(word, found, value_of(&finding, bit));
  }
}

uint64_t crucible__claims_look(_Atomic uint64_t *word, uint32_t bit) {
  for (;;) {
    // partner: the compare-and-swap by which a molecule is added; unseen: by reading alone: as in crucible__look
    uint64_t found = load_seq_cst(word);
    if (!(found & CLAIM_TAG)) return found;
    struct finding finding = find(found);
    uint64_t value = value_of(&finding, bit);
    // CLAIM-3; partner: the compare-and-swap that removes the tag; unseen: by reading alone: as in crucible__look
    if (finding.is_current && load_seq_cst(word) == found) return value;
  }
}
