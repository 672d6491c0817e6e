// A firing that nests too deeply stays in its thread's slot. If the thread's body waits for it, only a thief can run
// it. The thread that defined the reaction wrote what the thief needs to know, and here it is the thread that is
// robbed.

#include <sched.h>
#include <stdlib.h>

#include "storms.h"

enum { LINKS = 40 };

struct chain {
  crucible_name *link;
  _Atomic uint32_t ran;
  uint64_t secret;
};

/// Injects the next link. The first body waits for all: some ran within its injection, one is in this thread's slot.
static void run_link(void *context, void *const *inputs) {
  struct chain *chain = context;
  uint64_t left = *(uint64_t *)inputs[0];
  if (chain->secret != 42) fail("the memory of a chain is torn");
  atomic_fetch_add_explicit(&chain->ran, 1, memory_order_relaxed);
  bool is_first = left == LINKS - 1;
  if (left-- > 0 && !crucible_inject(chain->link, &left)) fail("a link is refused");
  while (is_first && atomic_load_explicit(&chain->ran, memory_order_relaxed) < LINKS) sched_yield();
}

static void end_chain(void *context) {
  struct chain *chain = context;
  chain->secret = 0;
  free(chain);
}

void be_robbed(void) {
  struct chain *chain = calloc(1, sizeof *chain);
  if (!chain) fail("no memory");
  chain->secret = 42;
  crucible_soup_options options = {.label = "chain", .matcher = CRUCIBLE_WORD, .context = chain, .release = end_chain};
  crucible_name_options link = {.label = "link", .size = 8, .alignment = 8};
  crucible_soup *soup = crucible_soup_create(&options);
  if (!soup || crucible_soup_add_name(soup, &link, NULL, &chain->link) != CRUCIBLE_OK) fail("no memory");
  crucible_reaction_options reaction = {.inputs = &chain->link, .input_count = 1, .body = run_link, .context = chain,
                                        .placement = CRUCIBLE_INLINE};
  complete(soup, &reaction);
  uint64_t left = LINKS - 1;
  if (!crucible_inject(chain->link, &left)) fail("a link is refused");
  crucible_soup_release(soup);
}
