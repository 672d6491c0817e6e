/* Claiming: the counts of several names change at once, each claimed by its own compare-and-swap
 * (matcher/claim/claims.h).
 *
 * The word of a name has a count, or the tag of a claim: the number of its record, and the record's turn. A process has
 * one record, which it uses again and again.
 *
 * add        CAS count → count + 1. Then settle
 * settle     Look at the names of each reaction, and claim one that seems enabled, until none is, or one was fired
 * claim      Next turn, UNDECIDED. For each name, in order: note its count before and after in the record, CAS count →
 *            tag. Then CAS UNDECIDED → DONE. Then CAS each tag → the count after, or, if the claim was aborted, the
 *            count before
 * end        A process that must change a word with a tag ends that claim: CAS UNDECIDED → ABORTED; then CAS tag → the
 *            count that the status selects
 * look       Read the count; where there is a tag, the count that its status selects, if the tag is still there
 *            afterwards
 *
 * Bounds: PROCESSES (3), which add one molecule TIMES (1) times. Process p adds one of name p (mod 3) first, and one of
 * the next name each time. Names 0, 1, 2; reactions 0 & 1, 1 & 2 and 0 & 1 & 2. With STOPS process 0 may stop for good
 * at any step of a claim. ABORTS (2) claims are aborted by others, apart from the claim of a process that has stopped.
 * Defaults: PROCESSES=3 TIMES=1 ABORTS=2
 *
 * Invariants:
 *   CLAIM-M1  a claim takes effect as a whole, or not at all: what was added is what was consumed and what is left
 *   CLAIM-M2  when all have left, no reaction is enabled; if a process has stopped, at most one is
 *   CLAIM-M3  no process waits for another
 *   CLAIM-M4  a record is used again only when its tag is in no word
 *
 * Not modelled: memory orderings; how long a process waits before it ends the claim of another one; values, and
 * molecules that are not stored; control, withdrawal and several at once; repeated inputs; turns that wrap; how quiet
 * is detected.
 */

#define NAMES 3
#define REACTIONS 3
#define USES(x, n) ((x == 0 && n < 2) || (x == 1 && n > 0) || x == 2)

mtype = { undecided, done, aborted };

typedef record { byte turn; mtype status = aborted; byte before[NAMES]; byte after[NAMES] }
record records[PROCESSES];
byte count[NAMES], tag[NAMES], turnOf[NAMES]; /* a word: tag 0: the count; else 1 + whose record, and its turn */
/* Variables that only the proof uses. */
byte added[NAMES], consumed[NAMES];
bool stopped;
byte aborts = ABORTS; /* the number left, so that processes do not abort one another for ever */

#define MAY_ABORT(p) (aborts > 0 || (p == 0 && stopped))

#ifdef MUTATE_TAG_WITHOUT_TURN
#define TURN 0
#define IS_CURRENT true
#else
#define TURN records[me].turn
#define IS_CURRENT (records[t - 1].turn == q)
#endif

/* Replaces the tag of a claim that is over. */
inline remove(n, whose, at, value) {
  d_step { if :: tag[n] == whose && turnOf[n] == at -> tag[n] = 0; turnOf[n] = 0; count[n] = value :: else fi }
}

/* Ends what is claimed there, until the word has a count: `k`. */
inline end(n) {
  do
  :: d_step { t = tag[n]; q = turnOf[n]; k = count[n] }
     if
     :: t == 0 -> break
     :: else ->
        d_step {
          s = records[t - 1].status; current = IS_CURRENT;
          assert(current || tag[n] != t || turnOf[n] != q) /* CLAIM-M4 */
        }
        if
        :: !current
        :: current && s == undecided ->
           if
           :: MAY_ABORT(t - 1) ->
#ifdef MUTATE_ABORT_BY_STORE
              d_step { records[t - 1].status = aborted; aborts = aborts - (aborts > 0) }
#else
              d_step {
                if
                :: IS_CURRENT && records[t - 1].status == undecided ->
                   records[t - 1].status = aborted; aborts = aborts - (aborts > 0)
                :: else
                fi
              }
#endif
           :: tag[n] != t || turnOf[n] != q || records[t - 1].status != undecided
           fi
        :: current && s == done -> k = records[t - 1].after[n]; remove(n, t, q, k)
        :: current && s == aborted -> k = records[t - 1].before[n]; remove(n, t, q, k)
        fi
     fi
  od
}

/* Reads the count of the word into `k`. */
inline look(n) {
  do
  :: d_step { t = tag[n]; q = turnOf[n]; k = count[n] }
     if
     :: t == 0 -> break
     :: else ->
        d_step { s = records[t - 1].status; current = IS_CURRENT }
#ifdef MUTATE_CLAIMED_IS_ABSENT
        if :: s == undecided -> k = 0; break :: else fi;
#endif
        k = (s == done -> records[t - 1].after[n] : records[t - 1].before[n]);
        if
        :: d_step { current && tag[n] == t && turnOf[n] == q } -> break
        :: else
        fi
     fi
  od
}

#ifdef STOPS
#define MAY_STOP if :: me == 0 -> stopped = true; goto gone :: true fi
#else
#define MAY_STOP skip
#endif

#define CONSUME consumed[0] = consumed[0] + (USES(x, 0) -> 1 : 0); consumed[1]++; \
  consumed[2] = consumed[2] + (USES(x, 2) -> 1 : 0)

/* Claims one of each name of reaction `x`; `won` says whether. */
inline claim() {
  d_step { records[me].turn++; records[me].status = undecided; mine = 0; won = true; n = 0 }
  do
  :: n == NAMES || !won -> break
  :: n < NAMES && won && !USES(x, n) -> n++
  :: n < NAMES && won && USES(x, n) ->
     end(n);
     if
     :: k == 0 -> won = false
     :: k > 0 ->
        records[me].before[n] = k;
        records[me].after[n] = k - 1;
        MAY_STOP;
        if
        :: d_step {
             tag[n] == 0 && count[n] == k -> tag[n] = me + 1; turnOf[n] = TURN; count[n] = 0; mine = mine | (1 << n)
           } -> n++
        :: else
        fi
     fi
  od;
  MAY_STOP;
#ifdef MUTATE_DECIDE_BY_STORE
  if :: won -> d_step { records[me].status = done; CONSUME } :: else -> records[me].status = aborted fi;
#else
  d_step {
    if
    :: won && records[me].status == undecided ->
       records[me].status = done;
       CONSUME
    :: else -> won = false; records[me].status = aborted
    fi
  }
#endif
  n = 0;
  do
  :: n == NAMES -> break
  :: n < NAMES && (mine >> n & 1) ->
     MAY_STOP;
     k = (won -> records[me].after[n] : records[me].before[n]);
#ifdef MUTATE_LEAVE_TAGS
     if :: n == 0 || !won -> remove(n, me + 1, TURN, k) :: else fi;
#else
     remove(n, me + 1, TURN, k);
#endif
     n++
  :: else -> n++
  od
}

proctype process(byte me) {
  byte times, x, n, k, t, q, mine;
  mtype s;
  bool current, won;
  for (times : 1 .. TIMES) {
    do
    :: end((me + times - 1) % NAMES);
       if
       :: d_step {
            tag[(me + times - 1) % NAMES] == 0 && count[(me + times - 1) % NAMES] == k ->
            count[(me + times - 1) % NAMES] = k + 1; added[(me + times - 1) % NAMES]++
          } -> break
       :: else
       fi
    od;
    x = 0;
    do
    :: x == REACTIONS -> break
    :: x < REACTIONS && !USES(x, ((me + times - 1) % NAMES)) -> x++
    :: x < REACTIONS && USES(x, ((me + times - 1) % NAMES)) ->
       n = 0; won = true;
       do
       :: n == NAMES || !won -> break
       :: n < NAMES && won && !USES(x, n) -> n++
       :: n < NAMES && won && USES(x, n) ->
          look(n);
          if :: k == 0 -> won = false :: else n++ fi
       od;
       if
       :: won ->
          claim();
          if :: won -> break :: else x = 0 fi
       :: else -> x++
       fi
    od;
    skip;
    d_step { x = 0; n = 0; k = 0; t = 0; q = 0; mine = 0; s = undecided; current = false; won = false }
  }
gone:
  skip;
  d_step { x = 0; n = 0; k = 0; t = 0; q = 0; mine = 0; s = undecided; current = false; won = false }
}

init {
  byte n, t, q, k, left[NAMES];
  mtype s;
  bool current;
  atomic { for (n : 0 .. PROCESSES - 1) { run process(n) } }
  (_nr_pr == 1);
  for (n : 0 .. NAMES - 1) {
    look(n);
    left[n] = k;
    assert(added[n] == consumed[n] + k) /* CLAIM-M1 */
  }
  skip;
  for (n : 0 .. NAMES - 1) { if :: stopped && left[n] > 0 -> left[n]-- :: else fi }
  assert(!(left[1] > 0 && (left[0] > 0 || left[2] > 0))) /* CLAIM-M2 */
}
