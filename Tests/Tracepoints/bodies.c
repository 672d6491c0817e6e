// Lets a reaction fire as often as the argument says, on the thread that injects and on the pool in turns.

#include <stdio.h>
#include <stdlib.h>

#include "CCrucible.h"

enum { LINE = 7 };

static void nothing(void *context, void *const *inputs) {}

static void fire(crucible_placement placement, int times) {
  crucible_soup *soup = crucible_soup_create(&(crucible_soup_options){.label = "traced", .matcher = CRUCIBLE_WORD});
  crucible_name *name, *culprit;
  if (!soup || crucible_soup_add_name(soup, &(crucible_name_options){.label = "a"}, NULL, &name) != CRUCIBLE_OK ||
      crucible_soup_add_reaction(soup,
                                 &(crucible_reaction_options){.inputs = (crucible_name *[]){name},
                                                              .input_count = 1,
                                                              .placement = placement,
                                                              .body = nothing,
                                                              .file = "bodies.c",
                                                              .line = LINE},
                                 &culprit) != CRUCIBLE_OK ||
      crucible_soup_freeze(soup, &culprit) != CRUCIBLE_OK) {
    fputs("the definition is refused\n", stderr);
    exit(1);
  }
  for (int i = 0; i < times; i++) {
    if (!crucible_inject(name, &times)) exit(1);  // of no size: not read
  }
  if (!crucible_soup_wait_quiet(soup, UINT64_C(60000000000))) exit(1);
  crucible_soup_release(soup);
}

int main(int count, char **arguments) {
  int times = count > 1 ? atoi(arguments[1]) : 1;
  fire(CRUCIBLE_INLINE, times / 2);
  fire(CRUCIBLE_POOL, times - times / 2);
}
