/* Claims that have help (base/claims.h): two words change at one moment, whichever process puts the tags there, and a
 * late process does no harm.
 *
 * A word shows a value, the tag of a claim, or the installation by which a process puts a tag there. Tags and
 * installations name a process, and the turn of its record.
 *
 * claim    Owners add 1 to both words. Read both, note them, and carry the claim out. After the decision, visit both
 *          words: resolve installations, and remove the tag
 * carry    Of each word in turn: read what its owner noted; check that the claim is undecided; replace the value by an
 *          installation, and resolve that. If there is another value, the claim fails. Then decide by a CAS
 * resolve  Read the installation's record, then the claim's status; replace the installation by the tag or the value
 * advance  Resolve an installation that is in the way, remove a decided tag, carry out an undecided claim
 * single   The other processes change word 0, or word 1 and back, by a CAS each
 *
 * Bounds: OWNERS (1 or 2) of the processes 0 and 1 change both words TIMES times each, process 2 a word BACK (2) times.
 * Defaults: OWNERS=1 TIMES=1 BACK=2
 *
 * Invariants:
 *   CLAIM-M1  a claim is done while both words show its tag, and a word has the value that its tag hides
 *   CLAIM-M2  a tag comes into a word only in its own turn
 *   CLAIM-M3  at rest both words show values, and these are what the claims that were done have made
 *
 * Not modelled: memory orderings, claims that others abort, reads that change nothing, the end of memory.
 */

#define NONE 2

mtype = { undecided, done, aborted };

typedef record { byte turn; mtype status = aborted; byte before[2]; byte installed, expected, target, since }
record records[3];
byte value[2], kind[2], whose[2], turnOf[2]; /* kind: 0 value, 1 tag, 2 installation */
/* A variable that only the proof uses. */
byte sum[2];

#define SHOWS(w, k, p, t) (kind[w] == (k) && whose[w] == (p) && turnOf[w] == (t))
#define SHOW(w, k, p, t) kind[w] = k; whose[w] = p; turnOf[w] = t

/* Reads the record of the installation, and replaces it. */
inline resolve(w, p, t) {
  d_step { expected = records[p].expected; target = records[p].target; late = records[p].since }
  d_step { yes = records[target].turn == late && records[target].status == undecided }
  d_step {
    if
    :: SHOWS(w, 2, p, t) && yes ->
       assert(records[target].turn == late); /* CLAIM-M2 */
       SHOW(w, 1, target, late)
    :: SHOWS(w, 2, p, t) && !yes -> assert(value[w] == expected); SHOW(w, 0, 0, 0) /* CLAIM-M1 */
    :: else
    fi;
    expected = 0; target = 0; late = 0; yes = false
  }
}

/* Carries out the claim of turn `t` of process `p`; `next`: the word in which something is in the way. */
inline carry(own, its) {
  i = 0; outcome = done; next = NONE;
  do
  :: i == 2 -> break
  :: i < 2 ->
     note = records[own].before[i];
     if :: records[own].turn != its || records[own].status != undecided -> i = 3; break :: else fi;
     d_step {
       found = (kind[i] > 0 && !SHOWS(i, 1, own, its) -> 2 : (kind[i] == 0 && value[i] != note -> 1 : 0));
       put = kind[i] == 0 && value[i] == note;
       if
       :: put ->
          records[me].installed++;
          records[me].expected = note; records[me].target = own; records[me].since = its;
          SHOW(i, 2, me, records[me].installed)
       :: else
       fi
     }
     if :: put -> resolve(i, me, records[me].installed) :: else fi;
     if
     :: found == 0 -> i++
     :: found == 1 -> outcome = aborted; break
     :: found == 2 -> next = i; i = 3; break
     fi
  od;
  skip;
  d_step {
    if
    :: i < 3 && records[own].turn == its && records[own].status == undecided ->
       records[own].status = outcome;
       if
       :: outcome == done ->
          assert(SHOWS(0, 1, own, its) && SHOWS(1, 1, own, its)); /* CLAIM-M1 */
          sum[0]++; sum[1]++
       :: else
       fi
    :: else
    fi;
    i = 0; note = 0; found = 0; put = false; outcome = undecided
  }
}

/* A step towards a value in the word; `next` as in carry. */
inline advance(w) {
  d_step { here = w; shown = kind[here]; other = whose[here]; turn = turnOf[here]; next = NONE }
  if
  :: shown == 0
  :: shown == 2 -> resolve(here, other, turn)
  :: shown == 1 ->
     status = records[other].status;
     if
     :: records[other].turn != turn
     :: records[other].turn == turn && status == undecided -> carry(other, turn)
     :: records[other].turn == turn && status != undecided ->
        note = records[other].before[here];
        d_step {
          if
          :: SHOWS(here, 1, other, turn) ->
             assert(value[here] == note && records[other].turn == turn); /* CLAIM-M1 */
             value[here] = (status == done -> note + 1 : note);
             SHOW(here, 0, 0, 0)
          :: else
          fi
        }
     fi
  fi;
  d_step { here = 0; shown = 0; other = 0; turn = 0; status = undecided; note = 0 }
}

inline end(w) {
  do
  :: kind[w] == 0 -> break
  :: else -> next = w; do :: next == NONE -> break :: next < NONE -> advance(next) od
  od;
  skip
}

#define LOCALS \
  byte i, next, note, found, expected, target, late, here, shown, other, turn; bool yes, put; mtype status, outcome

proctype Owner(byte me) {
  LOCALS;
  byte times, w;
  for (times : 1 .. TIMES) {
    do
    :: d_step { records[me].turn++; records[me].status = undecided }
       for (w : 0 .. 1) {
         do
         :: end(w); if :: d_step { kind[w] == 0 -> records[me].before[w] = value[w] } -> break :: else fi
         od;
         skip
       }
       w = 0;
       do
       :: records[me].status != undecided -> break
       :: else -> carry(me, records[me].turn); do :: next == NONE -> break :: next < NONE -> advance(next) od
       od;
       for (w : 0 .. 1) {
         do
#ifndef MUTATE_INSTALLATION_LEFT
         :: SHOWS(w, 1, me, records[me].turn) || kind[w] == 2 -> advance(w)
#else
         :: SHOWS(w, 1, me, records[me].turn) -> advance(w)
#endif
         :: else -> break
         od;
         skip
       }
       w = 0;
       if :: records[me].status == done -> break :: else fi
    od;
    skip
  }
}

/* Changes a word alone, and back again with `times` 2. */
proctype Single(byte me, word, times) {
  LOCALS;
  byte n;
  for (n : 1 .. times) {
    do
    :: end(word);
       d_step {
         yes = kind[word] == 0;
         if
         :: yes && n == 1 -> value[word]++; sum[word]++
         :: yes && n == 2 -> value[word]--; sum[word]--
         :: else
         fi
       }
       if :: yes -> yes = false; break :: else fi
    od;
    skip
  }
}

init {
  atomic {
    run Owner(0);
    if :: OWNERS > 1 -> run Owner(1) :: else -> run Single(1, 0, 1) fi;
    run Single(2, 1, BACK)
  }
  (_nr_pr == 1);
  assert(kind[0] == 0 && kind[1] == 0 && value[0] == sum[0] && value[1] == sum[1]) /* CLAIM-M3 */
}
