// See errors.h.

#include "base/errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void crucible__die(const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  fprintf(stderr, "Crucible: %s\n", text);
  abort();
}

_Thread_local crucible_status crucible__refusal __attribute__((tls_model("initial-exec")));

crucible_status crucible_last_refusal(void) { return crucible__refusal; }
void crucible_set_last_refusal(crucible_status why) { crucible__refusal = why; }

const char *crucible_status_text(crucible_status status) {
  switch (status) {
    case CRUCIBLE_OK: return "no error";
    case CRUCIBLE_NO_MEMORY: return "no memory";
    case CRUCIBLE_TOO_MANY_NAMES: return "a soup has at most 256 names";
    case CRUCIBLE_TOO_MANY_INPUTS: return "a pattern has at most 64 inputs";
    case CRUCIBLE_EMPTY_PATTERN: return "a reaction needs at least one input";
    case CRUCIBLE_FOREIGN_NAME: return "a pattern names a molecule of another soup";
    case CRUCIBLE_REPEATED_STATE: return "a pattern names the same state or fact twice, and there is only one of it";
    case CRUCIBLE_ONLY_STATES: return "a reaction over states and facts alone would fire for ever";
    case CRUCIBLE_FACT_BEFORE_INPUT: return "a fact comes last in a pattern, behind what the reaction consumes";
    case CRUCIBLE_KNOWN_FACT: return "the fact is known already";
    case CRUCIBLE_FROZEN: return "the definition has ended: no name and no reaction can be added";
    case CRUCIBLE_UNUSED_NAME: return "no reaction consumes this molecule";
    case CRUCIBLE_NOT_FROZEN: return "the definition has not ended yet";
    case CRUCIBLE_NOT_STOPPED: return "only a stopped soup can be restarted";
    case CRUCIBLE_NOT_QUIET: return "bodies of the stopped soup still run";
    case CRUCIBLE_GONE_SOUP: return "the soup is gone";
    case CRUCIBLE_INHERITED_SOUP:
      return "the soup belongs to the parent process: after fork a child may use only soups that it made itself";
    case CRUCIBLE_NOT_RUNNING: return "the soup is stopped";
    case CRUCIBLE_TOO_LARGE: return "a value has at most 16 MB";
    case CRUCIBLE_TOO_MANY_MOLECULES: return "more molecules than 2^40 at once, or while 2^56 of a name wait";
    case CRUCIBLE_UNKNOWN_MATCHER: return "there is no matcher of this number";
    case CRUCIBLE_NO_BRANCHES: return "a select needs at least one branch";
    case CRUCIBLE_KEY_WITHOUT_VALUE: return "a molecule with a key, or one that expires, carries a value";
    case CRUCIBLE_OTHER_KEY:
      return "all inputs of a reaction have keys of one type, or none has a key: let a body inject what a reaction of "
             "other keys consumes";
    case CRUCIBLE_NO_KEYS: return "it has a key, which the chosen matcher does not serve; 'automatic' and 'locked' do";
    case CRUCIBLE_NO_EXPIRY:
      return "its molecules expire, which the chosen matcher does not serve; 'automatic', 'locked' and 'arrival' do";
    case CRUCIBLE_BAD_BOUND: return "only a slow molecule whose values are not calls has a capacity";
    case CRUCIBLE_TOO_NARROW: return "a reaction consumes more molecules of it than its capacity";
    case CRUCIBLE_FULL: return "as many molecules or keys wait as the name allows";
    case CRUCIBLE_HOPELESS: return "each reaction that could answer needs a state of the body that calls";
    case CRUCIBLE_SHARED_REACTION: return "some reaction consumes the names of two branches of a select";
    case CRUCIBLE_DOES_NOT_FIT: return "reactions connect more names than the chosen matcher serves";
  }
  return "unknown status";
}
