/* Steps that several models share. This is no model by itself.
 *
 * The full field is the lowest of the state word. A model that uses it defines FIELD(w), its count. The model defines
 * the other names, too: the variables, LOCALS, and `attempt`.
 */

/* Takes the first one out of a queue, in a d_step. */
#define SHIFT(queue, length) \
  i = 1; \
  do \
  :: i < length -> queue[i - 1] = queue[i]; i++ \
  :: else -> break \
  od; \
  length--; \
  queue[length] = 0

/* Moves counts from the overflow to the field; `added`: a count was added. */
inline bringOver(added) {
  do
  :: FIELD(word) >= LIMIT -> break
  :: else ->
     d_step { if :: overflow > 0 -> overflow--; ok = true :: else fi }
     if
     :: !ok -> break
     :: else
     fi;
     d_step { if :: FIELD(word) < LIMIT -> word++; added = true; ok = false :: else fi }
     if
     :: ok -> d_step { overflow++; ok = false }
     :: else
     fi
  od;
  skip
}

/* Adds one count below the limit, or spills it. */
inline addNarrow(added) {
  d_step { added = true; if :: FIELD(word) < LIMIT -> word++ :: else -> ok = true fi }
  if
  :: ok -> d_step { overflow++; ok = false } bringOver(any)
  :: else
  fi
}

/* Takes one count out of the word, or out of the overflow if the word has none. `ok`: it did. */
inline takeCount() {
  d_step { if :: FIELD(word) > 0 -> word--; ok = true :: else fi }
  if
  :: ok
  :: else -> d_step { if :: overflow > 0 -> overflow--; ok = true :: else fi }
  fi
}

/* The second half of an attempt to withdraw call x, in a d_step: the CAS of its own slot, which succeeds if it is FULL.
   Sets `found`. */
inline takeOwn(isFull) {
  ok = false;
  if
  :: isFull -> slot[place[x]] = TAKEN; takes++; withdrawn++; found = WITHDRAWN
  :: else -> found = CONSUMED
  fi
}

/* Takes the oldest published molecule, for which there is a reservation, and passes over unpublished ones. x is its
   number. A scan in vain means that another molecule was taken meanwhile (WITHDRAW-M2). */
inline takeOldest() {
  before = takes;
  do
  :: d_step {
       p < tail ->
       if
       :: slot[p] == FULL -> slot[p] = TAKEN; takes++; x = molecule[p]; ok = true
       :: else -> p++
       fi
     }
     if
     :: ok -> break
     :: else
     fi
  :: d_step { p == tail -> assert(takes > before); before = takes; p = 0 }
  od;
  skip;
  d_step { ok = false; before = 0; p = 0 }
}
