// The beginning and the end of a soup: injections while it is frozen, and while its last owner releases it.

#include "trial.h"

enum { A, B };

/// Injects into the body's own soup, by a name that does not own it.
static void inject_again(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  if (molecules[0]->value == 0) return;
  if (!inject_unowned(trial, A, molecules[0]->value - 1)) scheduler_fail("the soup is gone while its body runs");
}

static void release_or_inject(struct trial *trial, unsigned index) {
  if (index == 0) {
    inject(trial, A, 1);
    inject(trial, B, 0);
    crucible_soup_release(trial->soup);
    return;
  }
  for (unsigned i = 0; i < 2; i++) inject_unowned(trial, index == 1 ? A : B, 1);
}

static void hold_and_release(struct trial *trial, unsigned index) {
  if (index == 0) {
    inject(trial, A, 0);
    crucible_soup_release(trial->soup);
  } else if (index == 1) {
    if (!crucible_soup_hold(trial->soup)) return;
    inject(trial, B, 0);
    if (!inject_unowned(trial, A, 1)) scheduler_fail("the soup is gone although it is held");
    crucible_soup_release(trial->soup);
  } else {
    bool before = inject_unowned(trial, B, 0) != NULL;
    bool after = inject_unowned(trial, B, 0) != NULL;
    if (after && !before) scheduler_fail("the soup came back");
  }
}

/// Makes two firings of another soup on a worker, one of which is deferred, and waits until that soup is quiet.
static void wait_for_other(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  inject_together(trial, "xx");
  while (!crucible_soup_is_quiet(trial->other)) spin_pause();
}

static void define_other(struct trial *trial) {
  declare(trial, "a", SMALL_NAME);
  REACT(trial, wait_for_other, A);
  declare_in_other(trial);
  unsigned x = declare(trial, "x", SMALL_NAME);
  REACT(trial, NULL, x);
  freeze_soup(trial->other);
}

CASE("quiet-other", "a body waits until another soup is quiet whose firings its thread had deferred", 1, define_other,
     follow_word, .words = {"a"}, .workers = 2, .placement = CRUCIBLE_POOL, .mixed = true, .waits = true);
INLINE_AND_POOL("freeze", "two threads inject while a third freezes the soup", define_soup, follow_word, AB,
                .waits = true, .unfrozen = true, .unordered = true, .words = {"aVb", "aab", "bba"});
INLINE_AND_POOL("last-release", "the owner releases the soup while others inject without owning", define_soup,
                release_or_inject, AB, .acts = {inject_again}, .gone = true);
INLINE_CASE("hold-release", "one takes a hold while the other releases its own", 3, define_soup, hold_and_release,
            AB, .acts = {inject_again}, .gone = true);
