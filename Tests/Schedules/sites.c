// Soups of one place in the source. The threads define the first ones at the same time.

#include <stdlib.h>
#include <string.h>

#include "soup/chemistry.h"
#include "trial.h"

/// The context of a reaction, which one soup has at a time.
struct context {
  _Atomic bool is_taken, is_changed, is_filled;
  unsigned uses;
};

static _Atomic unsigned fired, made, ended, fills;
static unsigned trials;
static crucible_matcher matcher;
static bool seen;  ///< some soup was a repeat

static void begin_place(struct trial *trial) {
  matcher = CRUCIBLE_WORD;
  crucible__forget_chemistries();  // so that each trial makes a chemistry
  atomic_init(&fired, 0);
  atomic_init(&made, 0);
  atomic_init(&ended, 0);
  atomic_init(&fills, 0);
}

static void begin_claimed_place(struct trial *trial) {
  begin_place(trial);
  matcher = CRUCIBLE_CLAIM;
}

static void begin_locked_place(struct trial *trial) {
  begin_place(trial);
  matcher = CRUCIBLE_LOCKED;
}

static void *make_context(void) {
  atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
  void *context = calloc(1, sizeof(struct context));
  if (!context) scheduler_fail("no memory");
  return context;
}

static void end_context(void *context) {
  if (!context) scheduler_fail("a reaction had no context");
  struct context *mine = context;
  if (atomic_load_explicit(&mine->is_filled, memory_order_relaxed)) {
    atomic_fetch_sub_explicit(&fills, 1, memory_order_relaxed);
  }
  atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed);
  free(context);
}

/// Empties a context, as a binding does with the closure of a body. The context lives as long as the soup.
static void empty_context(void *context) {
  struct context *mine = context;
  if (!atomic_exchange_explicit(&mine->is_filled, false, memory_order_relaxed)) {
    scheduler_fail("a context is emptied twice");
  }
  atomic_fetch_sub_explicit(&fills, 1, memory_order_relaxed);
}

static void count(void *context, void *const *inputs) {
  struct context *mine = context;
  if (!atomic_load_explicit(&mine->is_filled, memory_order_relaxed)) {
    scheduler_fail("a body runs without what it holds");
  }
  mine->uses++;
  if (*(const uint64_t *)inputs[1] != 7) scheduler_fail("a value is torn");
  *(uint64_t *)inputs[0] += 1;
  atomic_fetch_add_explicit(&fired, 1, memory_order_relaxed);
}

/// The part that a binding keeps with a soup. Something else refers to some of these parts, so they do not stay.
struct kept {
  _Atomic bool is_taken;
  bool is_shared;
};

static bool end_kept(void *kept, bool stays) {
  struct kept *mine = kept;
  // False already if the soup that had it has gone.
  atomic_store_explicit(&mine->is_taken, false, memory_order_relaxed);
  if (stays && !mine->is_shared) return true;
  atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed);
  free(mine);
  return false;
}

static void take_kept(crucible_soup *soup, bool is_shared) {
  struct kept *kept = crucible_soup_kept(soup);
  if (!kept) {
    atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
    if (!(kept = calloc(1, sizeof *kept))) scheduler_fail("no memory");
    crucible_soup_keep(soup, kept);
  }
  if (kept->is_shared) scheduler_fail("what something else refers to is taken over");
  if (atomic_exchange_explicit(&kept->is_taken, true, memory_order_relaxed)) scheduler_fail("two soups keep one thing");
  kept->is_shared = is_shared;
}

static crucible_name *declare_name(crucible_soup *soup, const crucible_name_options *options, void *initial) {
  crucible_name *name = crucible_soup_repeat_name(
      soup, crucible_soup_next_label(soup, options->label),
      crucible_name_shape(options->kind, options->size, options->alignment), NULL, options->file, options->line);
  if (name) {
    if (initial) memcpy(crucible_name_cell(name), initial, options->size);
  } else if (crucible_soup_add_name(soup, options, initial, &name) != CRUCIBLE_OK) {
    scheduler_fail("a name is refused");
  }
  return name;
}

/// Declares a reaction, and fills the context that the place has kept, if any.
static struct context *declare_reaction(crucible_soup *soup, crucible_name **inputs, const char *file) {
  crucible_name *culprit;
  struct context *context =
      crucible_soup_repeat_reaction(soup, inputs, 2, CRUCIBLE_INLINE, empty_context, file, 0);
  if (!context) {
    crucible_reaction_options options = {.inputs = inputs, .input_count = 2, .placement = CRUCIBLE_INLINE,
                                         .body = count, .release = end_context, .empty = empty_context, .file = file};
    if (crucible_soup_add_reaction(soup, &options, &culprit) != CRUCIBLE_OK) scheduler_fail("a reaction is refused");
    size_t index = crucible_soup_reaction_count(soup) - 1;
    if (!crucible_soup_reaction_owned(soup, index)) crucible_soup_give_reaction_context(soup, make_context());
    context = crucible_soup_reaction_owned(soup, index);
  }
  if (atomic_exchange_explicit(&context->is_filled, true, memory_order_relaxed)) {
    scheduler_fail("a context is filled that was not emptied");
  }
  atomic_fetch_add_explicit(&fills, 1, memory_order_relaxed);
  if (atomic_exchange_explicit(&context->is_taken, true, memory_order_relaxed)) {
    scheduler_fail("two soups have one context");
  }
  if (atomic_load_explicit(&context->is_changed, memory_order_relaxed)) {
    scheduler_fail("a context that was changed is taken over");
  }
  return context;
}

/// Defines and uses once a soup of a state and `others` more names. The odd ones have a step that differs, end early,
/// or have a context that may not be kept.
static void define_and_use(unsigned others, bool differs, bool keeps) {
  static const char site[] = "sites.c";
  crucible_label label = {0, 0};
  memcpy(&label, "place", 5);
  crucible_soup *soup = keeps ? crucible_soup_repeat(site, 0, 1, matcher, label) : NULL;
  if (!soup) {
    soup = crucible_soup_create(&(crucible_soup_options){.label = "place", .file = site, .line = 1, .seed = 1,
                                                         .matcher = matcher, .site = site, .end_kept = end_kept});
  }
  if (!soup) scheduler_fail("no memory");
  take_kept(soup, differs);
  crucible_name *names[2], *inputs[2], *culprit;
  struct context *contexts[2];
  uint64_t none = 0, value = 7;
  crucible_name_options state = {
      .label = "state", .kind = CRUCIBLE_STATE, .size = sizeof none, .alignment = 8, .file = site};
  crucible_name_options name = {
      .label = "name", .kind = CRUCIBLE_SLOW, .size = sizeof value, .alignment = 8, .file = site};
  inputs[0] = declare_name(soup, &state, &none);
  for (unsigned i = 0; i < others; i++) {
    name.line = differs && i + 1 == others;
    inputs[1] = names[i] = declare_name(soup, &name, NULL);
    contexts[i] = declare_reaction(soup, inputs, site);
  }
  if (!keeps) {
    atomic_store_explicit(&contexts[0]->is_changed, true, memory_order_relaxed);
    crucible_soup_end_keeping(soup, 0);
  }
  crucible_soup_allow_repeats(soup);
  if (crucible_soup_freeze(soup, &culprit) != CRUCIBLE_OK) scheduler_fail("a definition is refused");
  if (crucible_soup_has_repeated(soup)) {
    if (differs) scheduler_fail("a definition that differs is a repeat");
    seen = true;
  }
  for (unsigned i = 0; i < others; i++) {
    if (!crucible_inject(names[i], &value)) scheduler_fail("an injection is refused");
  }
  crucible_soup_pause(soup);
  if (!crucible_inject(names[0], &value)) scheduler_fail("an injection is refused");  // freed with the soup
  for (unsigned i = 0; i < others; i++) atomic_store_explicit(&contexts[i]->is_taken, false, memory_order_relaxed);
  crucible_soup_release(soup);
}

/// Holds each living soup for a moment.
static void walk(void) {
  crucible_soup *soups[4];
  for (size_t i = crucible_all_soups(soups, 4); i > 0; i--) {
    if (strcmp(crucible_soup_label(soups[i - 1]), "place") != 0) scheduler_fail("a soup is not what it was");
    crucible_soup_release(soups[i - 1]);
  }
}

static void define_some(struct trial *trial, unsigned index) {
  for (unsigned i = 0; i < 3; i++) {
    for (unsigned w = 0; index == 0 && w < 3; w++) walk();
    define_and_use(index == 0 && i == 1 ? 1 : 2, index == 2 && i == 2, index != 1 || i != 1);
  }
}

static void check_uses(struct trial *trial) {
  if (atomic_load_explicit(&fired, memory_order_relaxed) != 17) scheduler_fail("a reaction did not fire");
  crucible__forget_chemistries();
  if (fills != 0) scheduler_fail("a context was not emptied");
  if (made != ended) scheduler_fail("a context was not released, or what a soup kept");
  if (++trials > 20 && !seen) scheduler_fail("no soup has been a repeat");
}

// They wait for a thread that has the lock of all soups.
CASE("sites", "three threads define the first soups of one place", 3, begin_place, define_some, .check = check_uses,
     .bare = true, .waits = true);
CASE("sites-claim", "the same, in several words", 3, begin_claimed_place, define_some,
     .check = check_uses, .bare = true, .waits = true);
CASE("sites-locked", "the same, where the matcher keeps memory of its own", 3, begin_locked_place, define_some,
     .check = check_uses, .bare = true, .waits = true);
