/* A pause of one name, while a firing leaves out the word of its own molecule (matcher/wide/wide_short.c: WIDE-5;
 * matcher/claim/claim.c: HALT-3).
 *
 * Name a is in word 0, which has its count and whether it is paused. Name b is in word 1, which has its count and, on
 * the matcher `claim`, whether a name is paused. The reaction takes a and b. An injector of a that finds b fires by one
 * exchange of word 1 alone. A change of both words is one step: a claim (the models `claim` and `wide`).
 *
 * inject     Wide: look at both words, and enter. Exchange word 1, and look at word 0: if a is paused, return b, and
 *            settle. Claim: enter, and look at both words. Exchange word 1, if it shows no pause; otherwise claim both
 *            words, if a is not paused. If it has not fired, count a, and settle. Leave
 * settle     While a and b are there and a is not paused, claim both
 * pause      One step for both words. Then see whether it is quiet: read what left, then what entered. Resume, and
 *            settle
 *
 * The entry of an injector is a store. It may stay in the store buffer of its processor until its next change of a
 * word, or of what left.
 *
 * Bounds: INJECTORS (2), MOLECULES (2) of b, one pause. With GUARDS the matcher is `claim`.
 * Defaults: INJECTORS=2 MOLECULES=2
 *
 * Invariants:
 *   HUSH-M1  no body with an a begins after the pause and a look that found the soup quiet, until the resume
 *   HUSH-M2  the molecules that there were are those that were consumed and those that are left
 *   HUSH-M3  when all have left, the reaction is not enabled
 *
 * Not modelled: an order of memory weaker than that of store buffers; bags and values; a pause by the control bits of
 * all words.
 */

byte a, b = MOLECULES;
bool paused, guarded; /* of word 0; of word 1 */
byte entered, left;
/* Variables that only the proof uses. */
byte bodies;
bool quiet;

/* Changes a word: the store buffer is empty then. */
#define FLUSH if :: buffered -> entered++; buffered = false :: else fi
#define BODY assert(!quiet) /* HUSH-M1 */; bodies++

inline settle() {
  do
  :: d_step { a > 0 && b > 0 && !paused -> FLUSH; a--; b-- }; d_step { BODY }
  :: d_step { !(a > 0 && b > 0 && !paused) -> skip } -> break
  od;
  skip
}

proctype injector() {
  bool buffered, seen, fired;
#ifdef GUARDS
  buffered = true;
#endif
  d_step { seen = !paused }
  d_step { seen = seen && b > 0 }
#ifndef GUARDS
  buffered = true;
#endif
  if
  :: !seen
  :: seen ->
     d_step {
       if
#if defined(GUARDS) && !defined(MUTATE_IGNORE_GUARDED)
       :: guarded -> fired = !paused && b > 0; FLUSH
       :: !guarded -> fired = b > 0; FLUSH
#else
       :: fired = b > 0; FLUSH
#endif
       fi;
       if :: fired -> b-- :: else fi
     }
  fi;
#if !defined(GUARDS) && !defined(MUTATE_FORGET_GUARD)
  if
  :: fired && paused -> fired = false; d_step { b++ }; settle()
  :: else
  fi;
#endif
  if
  :: fired -> d_step { BODY }
  :: !fired -> d_step { FLUSH; a++ }; settle()
  fi;
  d_step { FLUSH; left++ }
}

proctype pauser() {
  byte found;
  bool buffered;
  d_step { paused = true; guarded = true }
  found = left;
  d_step { quiet = found == entered }
  d_step { paused = false; guarded = false; quiet = false }
  settle()
}

init {
  byte n;
  atomic {
    run pauser();
    for (n : 1 .. INJECTORS) { run injector() }
  }
  (_nr_pr == 1);
  d_step {
    assert(bodies + a == INJECTORS && bodies + b == MOLECULES); /* HUSH-M2 */
    assert(!(a > 0 && b > 0)) /* HUSH-M3 */
  }
}
