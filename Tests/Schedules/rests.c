// Soups that are not at rest although no thread injects: a look at a soup retries an abandoned call, a definition
// releases held molecules, a worker ends and a soup ends with it.

#include "matcher/registry.h"
#include "trial.h"
#include "types.h"
#include "weak/weak.h"

enum { A, B };

// ---------------------------------------------------------------------------------------------------------------------
// Quiet, while a look at the counts retries a withdrawal
// ---------------------------------------------------------------------------------------------------------------------

static _Atomic bool given_up, called;

static void define_call(struct trial *trial) {
  given_up = called = false;
  define_soup(trial);
}

/// Returns the count of waiting molecules, without a retry of abandoned calls.
static uint64_t waiting(struct trial *trial, unsigned index) {
  const struct crucible_name *name = trial->names[index].core;
  uint64_t counts[MOST_NAMES];
  if (name->component->matcher == &crucible__word) {
    return (load_acquire(&name->component->word.state) & name->word.mask) / name->word.unit +
           load_acquire(&name->overflow);
  }
  crucible_soup_counts(trial->soup, counts);
  return counts[index];
}

/// Client 0 gives up a call that a firing has reserved and not taken, and reads the counts. Meanwhile it may hold what
/// client 1 has injected, which is then not counted anywhere.
static void look_or_wait(struct trial *trial, unsigned index) {
  if (index == 0) {
    inject(trial, B, 0);
    withdraw(trial, call(trial, A));
    given_up = true;
    // Few schedules look while the other client is in the middle of it.
    while (!called && waiting(trial, A) == 0) spin_pause();
    crucible_soup_counts(trial->soup, (uint64_t[MOST_NAMES]){0});
    return;
  }
  inject(trial, A, 0);
  called = true;
  while (!given_up || !crucible_soup_is_quiet(trial->soup)) spin_pause();
  const struct name *name = &trial->names[A];
  unsigned expected = name->injected - name->consumed - name->withdrawn - name->destroyed;
  if (waiting(trial, A) != expected) scheduler_fail("all is quiet, and a call is neither consumed nor counted");
}

CASE("rest-look", "quiet, while a look at the counts retries a withdrawal", 2, define_call, look_or_wait,
     .soup = "a! b-: ab", .placement = CRUCIBLE_POOL, .waits = true, .unordered = true);

// ---------------------------------------------------------------------------------------------------------------------
// A snapshot, while calls are withdrawn
// ---------------------------------------------------------------------------------------------------------------------

static struct molecule *early;
static uint64_t seen;

static void define_two_calls(struct trial *trial) {
  define_soup(trial);
  early = call(trial, A);
  call(trial, A);
}

static void withdraw_or_look(struct trial *trial, unsigned index) {
  uint64_t counts[MOST_NAMES];
  switch (index) {
    case 0: withdraw(trial, early); return;
    case 1: inject(trial, B, 0); return;
    default:
      crucible_soup_counts(trial->soup, counts);
      seen = counts[A];
  }
}

/// No call comes after the snapshot.
static void check_seen(struct trial *trial) {
  if (seen < waiting(trial, A)) scheduler_fail("a snapshot has missed a call that is still there");
}

INLINE_CASE("rest-count", "a snapshot while a caller gives up and another one is answered", 3, define_two_calls,
            withdraw_or_look, .soup = "a! b: ab", .check = check_seen);

// ---------------------------------------------------------------------------------------------------------------------
// Quiet, while a definition releases held molecules
// ---------------------------------------------------------------------------------------------------------------------

static void freeze_or_wait(struct trial *trial, unsigned index) {
  if (index == 0) {
    freeze_soup(trial->soup);
    return;
  }
  inject(trial, A, 0);
  while (!crucible_soup_is_frozen(trial->soup)) spin_pause();
  wait_for_silence(trial);
}

INLINE_CASE("rest-freeze", "quiet, while a definition releases held molecules", 2, define_soup, freeze_or_wait,
            .soup = "a: a", .waits = true, .unfrozen = true);

// ---------------------------------------------------------------------------------------------------------------------
// A worker that ends releases a soup whose waiting values inject when they are destroyed
// ---------------------------------------------------------------------------------------------------------------------

/// This soup goes while the trial's own soup stays.
static struct {
  crucible_soup *soup;
  crucible_name *waits, *never, *fires;
} other;

static void inject_into_the_other(void *value, void *context, crucible_reason reason) {
  inject(context, B, 0);
  hand_over(&other);  // what the injection has read is written anew for the next trial
}

static void do_nothing(void *context, void *const *inputs) {}

static crucible_name *name_of_other(const char *label, size_t size, struct trial *trial) {
  crucible_name *name = NULL;
  crucible_name_options options = {.label = label, .size = size, .alignment = 8, .context = trial};
  if (size > 0) options.destroy = inject_into_the_other;
  if (crucible_soup_add_name(other.soup, &options, NULL, &name) != CRUCIBLE_OK) {
    scheduler_fail("name %s is refused", label);
  }
  return name;
}

static void react_in_other(crucible_name **inputs, size_t count) {
  crucible_reaction_options options = {.inputs = inputs, .input_count = count, .placement = CRUCIBLE_POOL,
                                       .body = do_nothing};
  crucible_name *culprit = NULL;
  if (crucible_soup_add_reaction(other.soup, &options, &culprit) != CRUCIBLE_OK) {
    scheduler_fail("a reaction is refused");
  }
}

static void define_both(struct trial *trial) {
  define_soup(trial);
  crucible_soup_options options = {.label = "other", .matcher = trial->matcher, .seed = 1};
  other.soup = crucible_soup_create(&options);
  if (!other.soup) scheduler_fail("no memory");
  other.waits = name_of_other("waits", 8, trial);
  other.never = name_of_other("never", 0, trial);
  other.fires = name_of_other("fires", 0, trial);
  react_in_other((crucible_name *[]){other.waits, other.never}, 2);
  react_in_other((crucible_name *[]){other.fires}, 1);
  freeze_soup(other.soup);
}

static void release_or_want_fewer(struct trial *trial, unsigned index) {
  if (index == 1) {
    if (!crucible_pool_set_workers(1)) scheduler_fail("one worker is refused");
    return;
  }
  uint64_t value = 0;
  inject(trial, A, 0);
  if (!crucible_inject(other.waits, &value)) scheduler_fail("an injection is refused");
  for (int i = 0; i < 2; i++) {
    if (!crucible_inject(other.fires, &value)) scheduler_fail("an injection is refused");
  }
  crucible_soup_release(other.soup);
}

static bool both_at_rest(const struct trial *trial) {
  bool is_at_rest = crucible_live_soups() == trial->soups + 1 && crucible_soup_is_quiet(trial->soup);
  taken_over(&other);
  return is_at_rest;
}

static void check_reacted(struct trial *trial) {
  if (trial->rules[0].fired != 1) scheduler_fail("what a soup injected as it went has not reacted");
}

CASE("rest-fewer", "a worker that is one too many ends, and with it a soup whose values inject", 2, define_both,
     release_or_want_fewer, AB, .workers = 2, .placement = CRUCIBLE_POOL, .check = check_reacted, .quiet = both_at_rest,
     .waits = true);
