// Reactions over plain molecules, in fields with plenty of room.

#include "base/thread.h"
#include "pool/carried.h"
#include "trial.h"

enum { A, B, C };

// ---------------------------------------------------------------------------------------------------------------------
// a(n) → b(n - 1) → a(n - 2) …: nests too deeply to stay on the stack
// ---------------------------------------------------------------------------------------------------------------------

static void to_b(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  if (molecules[0]->value > 0) inject(trial, B, molecules[0]->value - 1);
}

static void to_a(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  if (molecules[0]->value > 0) inject(trial, A, molecules[0]->value - 1);
}

static void define_chain(struct trial *trial) {
  declare(trial, "a", CARRIES);
  declare(trial, "b", CARRIES);
  REACT(trial, to_b, A);
  REACT(trial, to_a, B);
}

static void define_narrow_chain(struct trial *trial) {
  define_chain(trial);
  fill_up(trial, 31);
}

static void begin_chain(struct trial *trial, unsigned index) {
  inject(trial, index % 2 ? B : A, trial->chemistry->parameter);
}

static void check_chain(struct trial *trial) {
  if (trial->molecule_count != trial->chemistry->clients * (trial->chemistry->parameter + 1)) {
    scheduler_fail("a chain broke off: %u molecules in all", trial->molecule_count);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// a(n) → a(n - 1), a(n - 1): most firings nest too deeply, and the pool runs none of them as long as no body blocks
// ---------------------------------------------------------------------------------------------------------------------

static void check_nothing_waits(void) {
  if (crucible_pool_look().queued > 0) scheduler_fail("an inline firing was given to the pool, and no body blocks");
  if (load_acquire(&crucible__self->deferred) > 0) scheduler_fail("an outermost injection leaves what it deferred");
}

static void inject_twice(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  for (unsigned i = 0; i < 2 && molecules[0]->value > 0; i++) inject(trial, A, molecules[0]->value - 1);
}

static void define_tree(struct trial *trial) {
  declare(trial, "a", CARRIES);
  REACT(trial, inject_twice, A);
}

static void grow_tree(struct trial *trial, unsigned index) {
  inject(trial, A, trial->chemistry->parameter);
  check_nothing_waits();
}

/// b, on the pool, grows the tree; its injections are outermost.
static void grow_on_pool(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  grow_tree(trial, 0);
}

/// Places the first reaction on the pool, the other one inline.
static void define_tree_pool(struct trial *trial) {
  declare(trial, "a", CARRIES);
  declare(trial, "b", VOID_NAME);
  REACT(trial, grow_on_pool, B);
  REACT(trial, inject_twice, A);
}

static void check_tree(struct trial *trial) {
  uint64_t nodes = (2u << trial->chemistry->parameter) - 1;
  if (trial->names[A].consumed != trial->chemistry->clients * nodes) scheduler_fail("a tree lacks nodes");
}

// ---------------------------------------------------------------------------------------------------------------------
// a → b → c: the body of b waits for c, whose firing nests too deeply for its thread
// ---------------------------------------------------------------------------------------------------------------------

static void inject_b(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  inject(trial, B, 0);
}

static void wait_for_c(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  const struct molecule *last = inject(trial, C, 0);
  while (!PEEK(last->consumed)) spin_pause();
}

// ---------------------------------------------------------------------------------------------------------------------
// a → b: the body of a blocks, and declares it, until b has been consumed; other threads than its own must do that
// ---------------------------------------------------------------------------------------------------------------------

static void block_for_b(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  const struct molecule *last = inject(trial, B, 0);
  crucible_pool_begin_blocking();
  while (!PEEK(last->consumed)) spin_pause();
  crucible_pool_end_blocking();
}

// ---------------------------------------------------------------------------------------------------------------------
// a → b: the body of a waits until a thief takes b, which its own worker carries, with its value; then the worker
// carries the next b in the same record
// ---------------------------------------------------------------------------------------------------------------------

static void wait_for_thieves(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  for (int i = 0; i < 2; i++) {
    inject(trial, B, 0);
    while (load_relaxed(&crucible__self->slot)) spin_pause();
  }
  inject(trial, B, 0);
  inject(trial, B, 0);  // into the queue, because the slot is full
  inject(trial, C, 0);  // into the queue as well, without a value
  // The body may end after this, while a thief is in the middle.
  while (crucible__mark(load_acquire(&crucible__self->slot)) == CARRIED) spin_pause();
}

// ---------------------------------------------------------------------------------------------------------------------
// s & t & x → y, z and p → r on the pool; s & y and t & z inline. When s and t return, both of these are enabled, and
// one is deferred. It must run before the next body of the worker begins, because that body may go on with a chain.
// ---------------------------------------------------------------------------------------------------------------------

enum { S, T, X, Y, Z, P, R };

static void inject_y_z(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  inject(trial, Y, 0);
  inject(trial, Z, 0);
}

static void inject_r(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  inject(trial, R, 0);
}

static void check_unblocked(struct trial *trial) {
  crucible_pool_status status = crucible_pool_look();
  if (status.blocked != 0) scheduler_fail("%zu threads are counted as blocked at rest", status.blocked);
}

INLINE_WORDS("join2", "a & b: one thread injects a, one injects b", 2, "a b: ab", .words = {"aaaa", "bbb"});
INLINE_WORDS("join2-void", "a & b, and b carries nothing", 3, "a b-: ab", .words = {"aba", "baa", "abb"});
CASE("join2-pool", "a & b on a pool of two", 2, define_soup, follow_word, .workers = 2, .placement = CRUCIBLE_POOL,
     .soup = "a b: ab", .words = {"aaaa", "bbb"});
INLINE_WORDS("repeat", "a & a & b: a name stands in the pattern twice", 3, "a b-: aab", .words = {"aab", "aba", "baa"});
INLINE_AND_POOL("share", "two reactions share a name", define_soup, follow_word, .soup = "x y z-: xy xz",
                .words = {"xxxy", "yzyx", "zxyz"});
INLINE_CASE("chain", "inline firings that nest too deeply are deferred, and may be stolen", 2, define_chain,
            begin_chain, .parameter = 6, .check = check_chain);
INLINE_CASE("chain-narrow", "bodies inject into narrow fields", 2, define_narrow_chain, begin_chain, .parameter = 6,
            .check = check_chain);
INLINE_CASE("tree", "what most firings of an inline tree are deferred to is their own thread", 2, define_tree,
            grow_tree, .parameter = 3, .check = check_tree);
CASE("tree-pool", "the same, and a body on the pool injects the root", 1, define_tree_pool, follow_word, .words = {"b"},
     .placement = CRUCIBLE_POOL, .mixed = true, .parameter = 3, .check = check_tree);
// They share one word, because a third reaction joins them, which is never enabled.
INLINE_WORDS("neighbours", "two reactions of one component share no name", 2, "a b- c d n-: ab cd bdn",
             .words = {"ab", "dccd"});
INLINE_CASE("hidden", "a body waits for a firing that its own thread has deferred", 2, define_soup, follow_word,
            .workers = 1, .waits = true, .scheduled = true, .soup = "a- b- c: a b c", .acts = {inject_b, wait_for_c},
            .words = {"aa", "aa"});
CASE("pairs", "two bodies on a pool of two wait for each other", 2, define_soup, follow_word, .workers = 2,
     .placement = CRUCIBLE_POOL, .waits = true, .soup = "a: a~", .words = {"aa", "aa"});
CASE("carried", "a body on a pool of two waits for the theft of what its own worker carries", 1, define_soup,
     follow_word, .workers = 2, .placement = CRUCIBLE_POOL, .waits = true, .soup = "a- b c-: a b c",
     .acts = {wait_for_thieves}, .words = {"a"});
CASE("step-deferred", "a body goes on with a chain, and the end of the body before it has deferred a firing", 2,
     define_soup, follow_word, .workers = 1, .placement = CRUCIBLE_POOL, .mixed = true, .first = 3,
     .soup = "s= t= x1 y1 z1 p1 r1: stx p r sy tz", .acts = {inject_y_z, inject_r}, .words = {"xx", "pp"});
CASE("blocking", "two bodies on a pool of one block for others", 2, define_soup, follow_word, .workers = 1,
     .placement = CRUCIBLE_POOL, .check = check_unblocked, .waits = true, .soup = "a- b: a b",
     .acts = {block_for_b}, .words = {"a", "a"});
