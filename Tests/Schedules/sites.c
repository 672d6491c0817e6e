// Soups of one place in the program: the threads define the first ones at the same time.

#include <string.h>

#include "soup/site.h"
#include "trial.h"

static _Atomic unsigned fired;
static unsigned trials;
static bool seen;  ///< some soup was a repeat

static void begin_place(struct trial *trial) {
  (void)trial;
  crucible__forget_sites();  // so that each trial makes an image
  atomic_init(&fired, 0);
}

static void count(void *context, void *const *inputs) {
  (void)context;
  if (*(const uint64_t *)inputs[1] != 7) scheduler_fail("a value is torn");
  *(uint64_t *)inputs[0] += 1;
  atomic_fetch_add_explicit(&fired, 1, memory_order_relaxed);
}

/// A soup of a state and `others` more names, which is used once. The odd ones have a step that differs.
static void define_and_use(unsigned others, bool differs) {
  static const char site;
  crucible_soup *soup = crucible_soup_create(&(crucible_soup_options){
      .label = "place", .file = "sites.c", .line = 1, .seed = 1, .matcher = CRUCIBLE_WORD, .site = &site});
  if (!soup) scheduler_fail("no memory");
  crucible_name *names[2], *inputs[2], *culprit;
  uint64_t none = 0, value = 7;
  crucible_name_options state = {.label = "state", .kind = CRUCIBLE_STATE, .size = sizeof none, .alignment = 8};
  crucible_name_options name = {.label = "name", .kind = CRUCIBLE_SLOW, .size = sizeof value, .alignment = 8};
  crucible_status status = crucible_soup_add_name(soup, &state, &none, &inputs[0]);
  for (unsigned i = 0; i < others && status == CRUCIBLE_OK; i++) {
    name.line = differs && i + 1 == others;
    status = crucible_soup_add_name(soup, &name, NULL, &names[i]);
    inputs[1] = names[i];
    crucible_reaction_options reaction = {
        .inputs = inputs, .input_count = 2, .placement = CRUCIBLE_INLINE, .body = count};
    if (status == CRUCIBLE_OK) status = crucible_soup_add_reaction(soup, &reaction, &culprit);
  }
  crucible_soup_allow_repeats(soup);
  if (status == CRUCIBLE_OK) status = crucible_soup_freeze(soup, &culprit);
  if (status != CRUCIBLE_OK) scheduler_fail("a definition is refused");
  if (crucible_soup_has_repeated(soup)) {
    if (differs) scheduler_fail("a definition that differs is a repeat");
    seen = true;
  }
  for (unsigned i = 0; i < others; i++) {
    if (!crucible_inject(names[i], &value)) scheduler_fail("an injection is refused");
  }
  crucible_soup_pause(soup);
  if (!crucible_inject(names[0], &value)) scheduler_fail("an injection is refused");  // and goes with the soup
  crucible_soup_release(soup);
}

static void define_some(struct trial *trial, unsigned index) {
  (void)trial;
  for (unsigned i = 0; i < 3; i++) define_and_use(2, index == 2 && i == 2);
}

static void check_uses(struct trial *trial) {
  (void)trial;
  if (atomic_load_explicit(&fired, memory_order_relaxed) != 18) scheduler_fail("a reaction did not fire");
  if (++trials > 20 && !seen) scheduler_fail("no soup has been a repeat");
}

const struct chemistry sites_first = {.name = "sites",
                                      .sentence = "three threads define the first soups of one place",
                                      .clients = 3,
                                      .define = begin_place,
                                      .client = define_some,
                                      .check = check_uses,
                                      .bare = true,
                                      .waits = true};  // for a thread that has the lock of all soups
