/* Facts: matcher/fact.h, on the matcher `word`.
 *
 * The reaction takes a call and reads the fact. The word counts the calls, and shows whether the fact is missing and
 * whether the soup is stopped.
 *
 * reader   Looks at the word. If the reaction is enabled with its call: enter by a read-modify-write, look again, and
 *          if the word is the same, run the body. Otherwise: enter, count the call, and settle. Leave
 * teller   Enter. Read whether the soup is closed, by a read-modify-write. If the fact is unknown, claim the cell,
 *          write the value, and clear the bit. Settle. Leave
 * stopper  Close and stop. Drop the calls. See whether it is quiet: read what left, then what entered. If it is quiet:
 *          set the bit, destroy the value, free the cell. Open and restart, and settle
 *
 * An entry that is a store may stay in the store buffer of its processor until its next change of a word, or of what
 * left.
 *
 * Bounds: READERS (2), TELLERS (2), one stop.
 * Defaults: READERS=2 TELLERS=2
 *
 * Invariants:
 *   FACT-M1  a body finds the value
 *   FACT-M2  when all have ended, the reaction is not enabled
 *   FACT-M3  no body begins after a look that found the stopped soup quiet, until the restart
 *   FACT-M4  of the injections of the fact between two restarts, exactly one is the first
 *
 * Not modelled: an order of memory weaker than that of store buffers; bags; states; several facts.
 */

byte calls;
bool missing = true, stopped;
bool value, claimed, closed;
byte entered, left, done;
/* Variables that only the proof uses. */
bool quiet;
byte firsts;

#ifdef MUTATE_IGNORE_MISSING
#define KNOWN true
#else
#define KNOWN (!missing)
#endif
#define ENABLED (calls > 0 && KNOWN && !stopped)
#define BODY assert(value) /* FACT-M1 */; assert(!quiet) /* FACT-M3 */
#define FLUSH if :: buffered -> entered++; buffered = false :: else fi

inline settle() {
  do
  :: d_step { ENABLED -> FLUSH; calls-- }; d_step { BODY }
  :: d_step { !ENABLED -> skip } -> break
  od;
  skip
}

proctype reader() {
  bool buffered, fired;
  d_step { fired = KNOWN && !stopped };
  if
  :: fired ->
#ifdef MUTATE_ENTER_BY_STORE
     buffered = true;
#else
     d_step { entered++ };
#endif
#ifndef MUTATE_LOOK_ONCE
     d_step { fired = KNOWN && !stopped };
#endif
     if
     :: fired -> d_step { BODY }
     :: !fired
     fi
  :: !fired -> buffered = true
  fi;
  if
  :: !fired ->
     d_step { FLUSH; if :: !stopped -> calls++ :: else fi };
     settle()
  :: else
  fi;
  d_step { FLUSH; left++; done++ }
}

proctype teller() {
  bool buffered = true, first;
#ifdef MUTATE_TELL_CLOSED
  d_step { FLUSH; first = true };
#else
  d_step { FLUSH; first = !closed };
#endif
  if
  :: first ->
     d_step {
#ifndef MUTATE_TELL_TWICE
       first = !claimed;
#endif
       claimed = true
     }
  :: else
  fi;
  if
  :: first ->
     d_step { firsts++; assert(firsts == 1) /* FACT-M4 */ };
#ifdef MUTATE_TELL_EARLY
     d_step { missing = false };
     d_step { value = true };
#else
     d_step { value = true };
     d_step { missing = false };
#endif
#ifndef MUTATE_NO_SETTLE
     settle()
#endif
  :: else
  fi;
  d_step { left++; done++ }
}

proctype stopper() {
  bool buffered;
  byte was_left;
  d_step { closed = true };
  d_step { stopped = true };
  d_step { calls = 0 };
  d_step { was_left = left };
  d_step { quiet = (entered == was_left) };
  if
  :: quiet ->
#ifndef MUTATE_FORGET_UNTOLD
     d_step { missing = true };
#endif
     d_step { value = false; firsts = 0 };
     d_step { claimed = false; quiet = false }
  :: else
  fi;
  d_step { closed = false };
  d_step { stopped = false };
  settle();
  d_step { done++ }
}

init {
  byte i;
  atomic {
    i = 0;
    do :: i < READERS -> run reader(); i++ :: else -> break od;
    i = 0;
    do :: i < TELLERS -> run teller(); i++ :: else -> break od;
    run stopper()
  };
  done == READERS + TELLERS + 1;
  assert(!ENABLED) /* FACT-M2 */
}
