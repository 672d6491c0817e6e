/* A component over two words (matcher/wide/wide.c): the rule of adding, when a look is not atomic, and claims that
 * other processes may abort (base/claims.h).
 *
 * Word 0 counts the names 0 and 1, word 1 counts name 2. A word shows its counts or the tag of a claim;
 * while it shows a tag, its counts stay what they were. Reaction 0 takes 0 and 1 from word 0, by one CAS.
 * Reaction 1 takes 1 and 2 from both words.
 *
 * complete   CAS of a word that shows the other molecule of a reaction. Then the own molecule is never counted. Or the
 *            process adds it at once
 * add        CAS of a word that shows counts
 * settle     Read the words of each reaction over the name, one after the other. Fire one that seems enabled, until
 *            none is, or one was fired
 * fire 1     A claim: tag word 0, then word 1; CAS UNDECIDED → DONE; remove the tags. After one that was aborted, a
 *            claim that has help, in one step (see the model `claim`)
 * end        A process that must change a word aborts the claim whose tag is there
 * look       Reads through a tag: the counts before it, or, if its claim is done, after it
 *
 * Bounds: PROCESSES (2), which add one molecule TIMES (2) times: process p one of name p, then one of the next. With
 * STOPS process 0 may stop for good at any step of a claim.
 * Defaults: PROCESSES=2 TIMES=2
 *
 * Invariants:
 *   WIDE-M1  the molecules that were added are those that were consumed and those that are left
 *   WIDE-M2  when all have left, no reaction is enabled; if a process has stopped, at most one is
 *   WIDE-M3  no process waits for another
 *
 * Not modelled: memory orderings; full fields, control, withdrawal and
 * several at once.
 */

#define NAMES 3
#define REACTIONS 2
#define USES(x, m) ((x) == 0 && (m) < 2 || (x) == 1 && (m) > 0)
#define NAME ((me + times - 1) % NAMES)
#define HOME(m) ((m) / 2)

mtype = { undecided, done, aborted };

typedef record { byte turn; mtype status = aborted }
record records[PROCESSES];
byte count[NAMES];
byte kind[2], whose[2], turnOf[2]; /* of a word: 0 counts, 1 a tag */
/* Variables that only the proof uses. */
byte added[NAMES], consumed[NAMES];
bool stopped;

#define TAKE(w) if :: (w) == 0 -> count[1]-- :: else -> count[2]-- fi
#define CONSUME consumed[1]++; consumed[2]++
#define CLEAR_WORD(w) kind[w] = 0; whose[w] = 0; turnOf[w] = 0

#ifdef STOPS
#define MAY_STOP if :: me == 0 -> stopped = true; goto gone :: true fi
#else
#define MAY_STOP skip
#endif

/* Takes a decided tag out of the word, if it is still there. */
inline remove(w, p, at, outcome) {
  d_step {
    if
    :: kind[w] == 1 && whose[w] == p && turnOf[w] == at ->
       CLEAR_WORD(w);
       if :: outcome == done -> TAKE(w) :: else fi
    :: else
    fi
  }
}

/* Ends what is in the word, until the word shows counts. */
inline end(w) {
  do
  :: d_step { there = kind[w]; o = whose[w]; at = turnOf[w] }
     if
     :: there == 0 -> break
     :: there == 1 ->
        d_step {
          s = records[o].status; current = records[o].turn == at;
          if :: current && s == undecided -> records[o].status = aborted; s = aborted :: else fi
        }
        if :: current -> remove(w, o, at, s) :: else fi
     fi
  od;
  skip
}

#ifdef MUTATE_LOOK_BEFORE_ADDING
#define HAS(m) (count[m] + (extra == (m) + 1))
#else
#define HAS(m) count[m]
#endif

/* Whether the word has what reaction `x` needs of it: `won` stays, or becomes false. */
inline look(w) {
  d_step {
    there = kind[w]; o = whose[w];
    s = aborted;
    if :: there == 1 -> s = records[o].status :: else fi;
    taken = (there == 1 && s == done -> 1 : 0);
    if
    :: x == 0 -> won = won && HAS(0) > 0 && HAS(1) > taken
    :: x == 1 && w == 0 -> won = won && HAS(1) > taken
    :: x == 1 && w == 1 -> won = won && HAS(2) > taken
    fi;
#ifdef MUTATE_CLAIMED_IS_ABSENT
    if :: there == 1 && s == undecided -> won = false :: else fi
#endif
  }
}

inline tag(w, m) {
  do
  :: end(w);
     if
     :: d_step { kind[w] == 0 && count[m] > 0 -> kind[w] = 1; whose[w] = me; turnOf[w] = records[me].turn } -> break
     :: d_step { kind[w] == 0 && count[m] == 0 -> won = false } -> break
     :: else
     fi
  od;
  skip
}

inline claim() {
  d_step { records[me].turn++; records[me].status = undecided; won = true; tagged = 0 }
  tag(0, 1);
  if :: won -> MAY_STOP; tagged = 1; tag(1, 2); if :: won -> tagged = 2 :: else fi :: else fi;
  MAY_STOP;
  d_step {
    if
    :: won && records[me].status == undecided -> records[me].status = done; CONSUME
    :: else -> won = false; records[me].status = aborted
    fi
  }
  MAY_STOP;
  if :: tagged > 0 -> remove(0, me, records[me].turn, records[me].status) :: else fi;
  MAY_STOP;
  if :: tagged > 1 -> remove(1, me, records[me].turn, records[me].status) :: else fi
}

/* Changes the words by a claim that has help. */
inline change() {
  do
  :: end(0);
     end(1);
     if
     :: d_step { kind[0] + kind[1] == 0 && count[1] * count[2] > 0 -> count[1]--; count[2]--; CONSUME; won = true } ->
        break
     :: d_step { kind[0] + kind[1] == 0 && count[1] * count[2] == 0 -> won = false } -> break
     :: else
     fi
  od;
  skip
}

/* Fires a reaction over the process's molecule and molecule `m`: takes the latter alone. */
inline complete(m) {
  end(HOME(m));
  d_step {
    won = kind[HOME(m)] == 0 && count[m] > 0;
    if :: won -> count[m]--; added[NAME]++; consumed[NAME]++; consumed[m]++ :: else fi
  }
}

proctype process(byte me) {
  byte times, x, there, o, at, taken, tagged;
#ifdef MUTATE_LOOK_BEFORE_ADDING
  byte extra;
#endif
  mtype s;
  bool current, won, early, failed, completed;
  for (times : 1 .. TIMES) {
#ifdef MUTATE_LOOK_BEFORE_ADDING
    early = false; x = 0;
    do
    :: x == REACTIONS -> break
    :: x < REACTIONS && !USES(x, NAME) -> x++
    :: x < REACTIONS && USES(x, NAME) ->
       won = true; extra = NAME + 1; look(0); if :: x == 1 -> look(1) :: else fi;
       d_step { extra = 0; early = early || won; x++ }
    od;
#endif
    won = false;
    if
    :: true
    :: NAME < 2 -> complete(1 - NAME)
    :: NAME > 0 -> complete(3 - NAME)
    fi;
    completed = won;
    do
    :: completed -> break
    :: !completed ->
       end(HOME(NAME));
       if
       :: d_step { kind[HOME(NAME)] == 0 -> count[NAME]++; added[NAME]++ } -> break
       :: else
       fi
    od;
    x = 0;
    do
    :: completed || x == REACTIONS -> break
#ifdef MUTATE_LOOK_BEFORE_ADDING
    :: !early -> break
#endif
    :: !completed && x < REACTIONS && !USES(x, NAME) -> x++
    :: !completed && x < REACTIONS && USES(x, NAME) ->
       won = true;
       look(0);
       if :: x == 1 && won -> look(1) :: else fi;
       if
       :: !won -> x++
       :: won && x == 0 ->
          end(0);
          d_step {
            won = kind[0] == 0 && count[0] > 0 && count[1] > 0;
            if :: won -> count[0]--; count[1]--; consumed[0]++; consumed[1]++ :: else fi
          }
          if :: won -> break :: else fi
       :: won && x == 1 ->
          if :: !failed -> claim(); failed = !won :: failed -> change() fi;
          if :: won -> break :: else x = 0 fi
       fi
    od;
    skip;
    d_step { x = 0; there = 0; o = 0; at = 0; taken = 0; tagged = 0; s = undecided; current = false; won = false;
      early = false; failed = false; completed = false }
  }
gone:
  skip;
  d_step { x = 0; there = 0; o = 0; at = 0; taken = 0; tagged = 0; s = undecided; current = false; won = false;
    early = false; failed = false; completed = false }
}

init {
  byte n, left[NAMES];
  atomic { for (n : 0 .. PROCESSES - 1) { run process(n) } }
  (_nr_pr == 1);
  d_step {
    for (n : 0 .. NAMES - 1) { left[n] = count[n] }
    for (n : 0 .. 1) {
      if
      :: kind[n] == 1 && records[whose[n]].turn == turnOf[n] && records[whose[n]].status == done -> left[n + 1]--
      :: else
      fi
    }
    for (n : 0 .. NAMES - 1) { assert(added[n] == consumed[n] + left[n]) /* WIDE-M1 */ }
    for (n : 0 .. NAMES - 1) { if :: stopped && left[n] > 0 -> left[n]-- :: else fi }
    assert(!(left[1] > 0 && (left[0] > 0 || left[2] > 0))) /* WIDE-M2 */
  }
}
