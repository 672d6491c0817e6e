// Spares: blocks of repeats that are gone, kept for the next soups of their chemistry.
//
//   SITE-6  A chemistry keeps a few blocks of repeats that are gone. A place for one is taken and filled by one step
//       each, so a block has one owner. What freezing has made in it stays, and `create` sets anew what a running soup
//       writes. Only the first chemistry of a place and label keeps spares. A block that has been a spare stays in the
//       list of live soups, where it cannot be held. So defining and releasing a repeat take no lock that soups share.
//       A fork removes spares from that list in the child. A walk of that list finds a soup in such a block only from
//       the store of `holds` on, the last step of its creation.
//   SITE-7  The context of a reaction stays with the block if the definer can empty it (`empty`), and nothing has
//       changed it. The thread that destroys the contents empties it once, at the end of its soup. So what it holds
//       lives no longer than the soup. It serves the reaction of the same number in the next soup of the block. The
//       definer of that soup fills it, with a body of any type, before the soup is frozen. So a body that captures is a
//       step like any other. A definition that ends half-way empties the contexts of the reactions that it has
//       declared, and the others are empty. Contexts that no further soup can reuse are released: with the block, or by
//       `change_to` from the step that differs on. The captures of bodies are not compared. So a repeat whose
//       bodies capture fewer names gets no warning that nothing injects a name.
//   SITE-9  The object that the binding has given to a soup (`kept`) stays with the block if only the soup refers to it
//       after the contents have been destroyed. The binding answers this once, by `end_kept`, on the thread that
//       destroyed them. From then on only the owner of the block can reach the object: the definition of the next soup.
//       If anything else refers to the object, the binding makes it hold the shell. Then the block cannot become a
//       spare while the object lives.
//
// Callers: the thread that defines a soup takes a spare. The thread that releases the last reference to a shell keeps
// one. Any thread may free all of them (`crucible_reclaim`).
//
// Progress: taking and keeping a spare are wait-free, because each visits every place of the chemistry once. Freeing
// them blocks, on the lock of the list of live soups.

#include "base/grace.h"
#include "soup/chemistry.h"
#include "soup/soup.h"

struct crucible_soup *crucible__take_spare(struct chemistry *chemistry) {
  for (uint32_t i = 0; i < CRUCIBLE_SPARES; i++) {
    struct crucible_soup *spare = load_relaxed(&chemistry->spares[i]);
    // partner: the CAS in crucible__keep_spare; the taker writes the block again
    if (spare && (spare = exchange_acq_rel(&chemistry->spares[i], NULL))) {
      spare->is_spare = false;
      return spare;
    }
  }
  return NULL;
}

struct crucible_soup *crucible__take_spare_like(const void *file, uintptr_t variant, uint32_t line,
                                               crucible_matcher matcher, crucible_label label) {
  struct chemistry *found = load_acquire(crucible__place_of(file, variant, line));  // partner: the CAS in publish
  while (found && (found->from || !crucible__is_at(found, file, variant, line, matcher) ||
                   found->words.low != label.low || found->words.high != label.high)) {
    found = found->next;
  }
  return found ? crucible__take_spare(found) : NULL;
}

bool crucible__keep_spare(struct crucible_soup *soup) {
  if (!crucible__may_be_spare(soup)) return false;
  soup->is_spare = true;
  for (uint32_t i = 0; i < CRUCIBLE_SPARES; i++) {
    _Atomic(struct crucible_soup *) *place = &soup->chemistry->spares[i];
    struct crucible_soup *none = NULL;
    // partner: the exchange in crucible__take_spare; the taker writes the block after what was written here
    if (!load_relaxed(place) && cas_acq_rel(place, &none, soup)) return true;
  }
  soup->is_spare = false;
  return false;
}

void crucible__free_spares(void) {
  for (uint32_t i = 0; i < CRUCIBLE_PLACES; i++) {
    struct chemistry *chemistry = load_acquire(&crucible__places[i]);  // partner: the CAS in crucible__publish
    for (; chemistry; chemistry = chemistry->next) {
      for (struct crucible_soup *spare; (spare = crucible__take_spare(chemistry));) {
        crucible__delist(spare);
        crucible__end_all_kept(spare);
        crucible__free_soup(spare);
      }
    }
  }
}

void crucible_reclaim(void) {
  crucible__free_spares();
  crucible__grace_wait();
}

void crucible__end_kept(struct crucible_soup *soup, uint32_t first) {
  for (uint32_t r = first; r < soup->chemistry->reaction_count; r++) {
    struct reaction *reaction = soup->reactions[r];
    if (reaction->owned) reaction->rule->release(reaction->owned);
    reaction->owned = NULL;
  }
}

void crucible__end_all_kept(struct crucible_soup *soup) {
  if (soup->is_made) crucible__end_kept(soup, 0);
  if (soup->kept) soup->place->options.end_kept(soup->kept, false);
}
