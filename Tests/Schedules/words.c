// Chemistries and clients of cases, as text. A soup is its names, each with a mark, and then its reactions:
//
//   "a! b- s=: as bs"   the names a, b and s, and the reactions a & s and b & s
//
//   a  a!  a-       a name that carries a value, that can be called, that carries nothing
//   a1  s=  f*      a name that carries one machine word; a state; a fact
//   ab>  ab~        the body injects the other one of the first two names (step_on); it waits for another body
//
// Other bodies are in `acts`. If the parameter of the case is larger than the number of names, the soup gets more
// names, up to that number, so that fields are narrow (fields.c).
//
// Each client follows a word, one letter a step:
//
//   a b c x y z   injects the name, or makes the fact known       (ab)   injects these names together
//   A B C         calls it                                        W X    gives up the last of its calls, the first one
//   P R N         pauses, resumes, lets one reaction fire         E      pauses; what comes from now on waits for the R
//   Ma Ha Ua      pauses a, waits until all is quiet, resumes a   Z      waits until all is quiet: no body may run
//   K La Oa       clears all, clears a, expires a                 V      ends the definition
//   Q             stops, and drops the rest when all is quiet     S T    stops; restarts when all is quiet
//   N! f!         the step must find a reaction; the fact must be known
//   Y             from now on passes the refusal before the stop, and injects after its report

#include <ctype.h>
#include <string.h>

#include "trial.h"

// ---------------------------------------------------------------------------------------------------------------------
// Soups
// ---------------------------------------------------------------------------------------------------------------------

static enum form form_of(char mark) {
  switch (mark) {
    case '!': return CALL_NAME;
    case '-': return VOID_NAME;
    case '1': return SMALL_NAME;
    case '=': return STATE_NAME;
    case '*': return FACT_NAME;
    default: return CARRIES;
  }
}

void define_soup(struct trial *trial) {
  const char *c = trial->chemistry->soup;
  for (; *c != ':'; c++) {
    if (isalpha(*c)) declare(trial, (const char[]){*c, 0}, form_of(c[1]));
  }
  for (c++; *c; c++) {  // each reaction begins with a space
    unsigned inputs[MOST_NAMES], count = 0;
    while (isalpha(c[1])) inputs[count++] = named(trial, *++c);
    bool goes_on = c[1] == '>', waits = c[1] == '~';
    act *act = trial->chemistry->acts[trial->rule_count];
    react(trial, inputs, count, goes_on ? step_on : waits ? wait_for_partner : act);
    if (goes_on || waits) c++;
  }
  if (trial->chemistry->parameter > trial->name_count) fill_up(trial, trial->chemistry->parameter);
}

// ---------------------------------------------------------------------------------------------------------------------
// Clients
// ---------------------------------------------------------------------------------------------------------------------

/// The calls of a client, which gives them up from either end. A null is a call that was refused.
struct calls {
  struct molecule *made[MOST_MOLECULES];
  unsigned first, end;
};

static void give_up(struct trial *trial, struct molecule *call) {
  if (call) withdraw(trial, call);
}

/// Injects the names up to a closing parenthesis.
static const char *inject_group(struct trial *trial, const char *names) {
  char initials[MOST_NAMES] = {0};
  size_t count = strcspn(names, ")");
  memcpy(initials, names, count);
  inject_together(trial, initials);
  return names + count;
}

static void inject_or_learn(struct trial *trial, unsigned name, bool must_be_known) {
  if (trial->names[name].form != FACT_NAME) {
    try_to_inject(trial, name);
  } else if (learn(trial, name) && must_be_known) {
    scheduler_fail("a fact is injected twice");
  }
}

static void let_one_react(struct trial *trial, bool must_be_there) {
  POKE(trial->paused, 0);
  if (!step_once(trial) && must_be_there) scheduler_fail("a step finds no reaction, and all molecules of one wait");
}

static void pause_and_hold(struct trial *trial) {
  pause_all(trial);
  POKE(trial->paused, scheduler_tick());
}

void follow_word(struct trial *trial, unsigned index) {
  struct calls calls = {0};
  for (const char *c = trial->chemistry->words[index]; *c; c++) {
    switch (*c) {
      case '(': c = inject_group(trial, c + 1); break;
      case '!': break;
      case 'W': give_up(trial, calls.made[--calls.end]); break;
      case 'X': give_up(trial, calls.made[calls.first++]); break;
      case 'P': pause_all(trial); break;
      case 'E': pause_and_hold(trial); break;
      case 'R': resume_all(trial); break;
      case 'N': let_one_react(trial, c[1] == '!'); break;
      case 'M': pause_name(trial, named(trial, *++c)); break;
      case 'H': wait_for_hush(trial, named(trial, *++c)); break;
      case 'U': resume_name(trial, named(trial, *++c)); break;
      case 'Z': wait_for_silence(trial); break;
      case 'V': freeze_soup(trial->soup); break;
      case 'K': clear_all(trial); break;
      case 'L': clear_name(trial, named(trial, *++c)); break;
      case 'O': expire_name(trial, named(trial, *++c)); break;
      case 'Q': stop_and_empty(trial); break;
      case 'S': stop_all(trial); break;
      case 'T': restart_all(trial); break;
      case 'Y': trial->late[scheduler_self()] = true; break;
      default:
        if (islower(*c)) inject_or_learn(trial, named(trial, *c), c[1] == '!');
        else calls.made[calls.end++] = call(trial, named(trial, (char)tolower(*c)));
    }
  }
}
