// Lets a reaction fire as often as the argument says, on the thread that injects and on the pool in turns.

#include <stdlib.h>

#include "../programs.h"

enum { LINE = 7 };

static void nothing(void *context, void *const *inputs) {}

static void fire(crucible_placement placement, int times) {
  crucible_soup *soup = new_soup("traced", CRUCIBLE_WORD);
  crucible_name *name = new_name(soup, "a", CRUCIBLE_SLOW, 0), *culprit;
  crucible_reaction_options reaction = {
      .inputs = &name, .input_count = 1, .placement = placement, .body = nothing, .file = "bodies.c", .line = LINE};
  if (crucible_soup_add_reaction(soup, &reaction, &culprit) != CRUCIBLE_OK) fail("a reaction is refused");
  end_definition(soup);
  for (int i = 0; i < times; i++) {
    if (!crucible_inject(name, &times)) fail("a molecule is refused");  // of no size: not read
  }
  if (!crucible_soup_wait_quiet(soup, SECONDS(60))) fail("the bodies do not end");
  crucible_soup_release(soup);
}

int main(int count, char **arguments) {
  int times = count > 1 ? atoi(arguments[1]) : 1;
  fire(CRUCIBLE_INLINE, times / 2);
  fire(CRUCIBLE_POOL, times - times / 2);
}
