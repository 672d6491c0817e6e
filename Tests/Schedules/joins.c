// Reactions over plain molecules, in fields with plenty of room.

#include "base/thread.h"
#include "pool/carried.h"
#include "trial.h"

enum { A, B, C };

// ---------------------------------------------------------------------------------------------------------------------
// a & b
// ---------------------------------------------------------------------------------------------------------------------

static void define_join(struct trial *trial) {
  declare(trial, "a", CARRIES);
  declare(trial, "b", trial->chemistry->parameter ? VOID_NAME : CARRIES);
  REACT(trial, NULL, A, B);
}

static void one_each(struct trial *trial, unsigned index) { inject_some(trial, index, index == A ? 4 : 3); }

static void both(struct trial *trial, unsigned index) {
  inject(trial, index == 1 ? B : A, 0);
  inject(trial, index == 1 ? A : B, 0);
  inject(trial, index == 2 ? B : A, 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// a & a & b
// ---------------------------------------------------------------------------------------------------------------------

static void define_repeat(struct trial *trial) {
  declare(trial, "a", CARRIES);
  declare(trial, "b", VOID_NAME);
  REACT(trial, NULL, A, A, B);
}

static void use_repeat(struct trial *trial, unsigned index) {
  static const unsigned order[3][3] = {{A, A, B}, {A, B, A}, {B, A, A}};
  for (unsigned i = 0; i < 3; i++) inject(trial, order[index][i], 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// x & y, x & z
// ---------------------------------------------------------------------------------------------------------------------

static void define_share(struct trial *trial) {
  declare(trial, "x", CARRIES);
  declare(trial, "y", CARRIES);
  declare(trial, "z", VOID_NAME);
  REACT(trial, NULL, A, B);
  REACT(trial, NULL, A, C);
}

static void inject_shared(struct trial *trial, unsigned index) {
  static const unsigned order[3][4] = {{A, A, A, B}, {B, C, B, A}, {C, A, B, C}};
  for (unsigned i = 0; i < 4; i++) inject(trial, order[index][i], 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// a(n) → b(n - 1) → a(n - 2) …: nests too deeply to stay on the stack
// ---------------------------------------------------------------------------------------------------------------------

static void to_b(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)inputs;
  if (molecules[0]->value > 0) inject(trial, B, molecules[0]->value - 1);
}

static void to_a(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)inputs;
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
  (void)inputs;
  for (unsigned i = 0; i < 2 && molecules[0]->value > 0; i++) inject(trial, A, molecules[0]->value - 1);
}

static void define_tree(struct trial *trial) {
  declare(trial, "a", CARRIES);
  REACT(trial, inject_twice, A);
}

static void grow_tree(struct trial *trial, unsigned index) {
  (void)index;
  inject(trial, A, trial->chemistry->parameter);
  check_nothing_waits();
}

/// b, on the pool, grows the tree; its injections are outermost.
static void grow_on_pool(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)molecules, (void)inputs;
  grow_tree(trial, 0);
}

/// Places the first reaction on the pool, the other one inline.
static void define_tree_pool(struct trial *trial) {
  declare(trial, "a", CARRIES);
  declare(trial, "b", VOID_NAME);
  REACT(trial, grow_on_pool, B);
  REACT(trial, inject_twice, A);
}

static void plant_tree(struct trial *trial, unsigned index) {
  (void)index;
  inject_some(trial, B, 1);
}

static void check_tree(struct trial *trial) {
  uint64_t nodes = (2u << trial->chemistry->parameter) - 1;
  if (trial->names[A].consumed != trial->chemistry->clients * nodes) scheduler_fail("a tree lacks nodes");
}

// ---------------------------------------------------------------------------------------------------------------------
// a & b, c & d: they share no name, but one word, because a third reaction joins them, which is never enabled
// ---------------------------------------------------------------------------------------------------------------------

enum { D = C + 1, NEVER };

static void define_neighbours(struct trial *trial) {
  declare(trial, "a", CARRIES);
  declare(trial, "b", VOID_NAME);
  declare(trial, "c", CARRIES);
  declare(trial, "d", CARRIES);
  declare(trial, "never", VOID_NAME);
  REACT(trial, NULL, A, B);
  REACT(trial, NULL, C, D);
  REACT(trial, NULL, B, D, NEVER);
}

static void keep_apart(struct trial *trial, unsigned index) {
  static const unsigned order[2][4] = {{A, B}, {D, C, C, D}};
  for (unsigned i = 0; i < (index == 0 ? 2 : 4); i++) inject(trial, order[index][i], 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// a → b → c: the body of b waits for c, whose firing nests too deeply for its thread
// ---------------------------------------------------------------------------------------------------------------------

static void inject_b(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)molecules, (void)inputs;
  inject(trial, B, 0);
}

static void wait_for_c(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)molecules, (void)inputs;
  const struct molecule *last = inject(trial, C, 0);
  while (!last->consumed) spin_pause();
}

static void define_hidden(struct trial *trial) {
  declare(trial, "a", VOID_NAME);
  declare(trial, "b", VOID_NAME);
  declare(trial, "c", CARRIES);
  REACT(trial, inject_b, A);
  REACT(trial, wait_for_c, B);
  REACT(trial, NULL, C);
}

static void inject_one(struct trial *trial, unsigned index) {
  (void)index;
  inject_some(trial, A, 1);
}

static void inject_two(struct trial *trial, unsigned index) {
  (void)index;
  inject_some(trial, A, 2);
}

// ---------------------------------------------------------------------------------------------------------------------
// a: two bodies at a time wait for each other, so both workers must be awake
// ---------------------------------------------------------------------------------------------------------------------

static void define_pairs(struct trial *trial) {
  declare(trial, "a", CARRIES);
  REACT(trial, wait_for_partner, A);
}

// ---------------------------------------------------------------------------------------------------------------------
// a → b: the body of a blocks, and declares it, until b has been consumed; other threads than its own must do that
// ---------------------------------------------------------------------------------------------------------------------

static void block_for_b(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)molecules, (void)inputs;
  const struct molecule *last = inject(trial, B, 0);
  crucible_pool_begin_blocking();
  while (!last->consumed) spin_pause();
  crucible_pool_end_blocking();
}

static void define_blocking(struct trial *trial) {
  declare(trial, "a", VOID_NAME);
  declare(trial, "b", CARRIES);
  REACT(trial, block_for_b, A);
  REACT(trial, NULL, B);
}

// ---------------------------------------------------------------------------------------------------------------------
// a → b: the body of a waits until a thief takes b, which its own worker carries, with its value; then the worker
// carries the next b in the same record
// ---------------------------------------------------------------------------------------------------------------------

static void wait_for_thieves(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)molecules, (void)inputs;
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

static void define_carried(struct trial *trial) {
  declare(trial, "a", VOID_NAME);
  declare(trial, "b", CARRIES);
  declare(trial, "c", VOID_NAME);
  REACT(trial, wait_for_thieves, A);
  REACT(trial, NULL, B);
  REACT(trial, NULL, C);
}

// ---------------------------------------------------------------------------------------------------------------------
// s & t & x → y, z and p → r on the pool; s & y and t & z inline. When s and t return, both of these are enabled, and
// one is deferred. It must run before the next body of the worker begins, because that body may go on with a chain.
// ---------------------------------------------------------------------------------------------------------------------

enum { S, T, X, Y, Z, P, R };

static void inject_y_z(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)molecules, (void)inputs;
  inject(trial, Y, 0);
  inject(trial, Z, 0);
}

static void inject_r(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  (void)molecules, (void)inputs;
  inject(trial, R, 0);
}

static void define_deferred(struct trial *trial) {
  declare(trial, "s", STATE_NAME);
  declare(trial, "t", STATE_NAME);
  for (unsigned i = X; i <= R; i++) declare(trial, (const char *[]){"x", "y", "z", "p", "r"}[i - X], SMALL_NAME);
  REACT(trial, inject_y_z, S, T, X);
  REACT(trial, inject_r, P);
  REACT(trial, NULL, R);
  REACT(trial, NULL, S, Y);
  REACT(trial, NULL, T, Z);
}

static void inject_x_or_p(struct trial *trial, unsigned index) { inject_some(trial, index == 0 ? X : P, 2); }

static void check_unblocked(struct trial *trial) {
  (void)trial;
  crucible_pool_status status = crucible_pool_look();
  if (status.blocked != 0) scheduler_fail("%zu threads are counted as blocked at rest", status.blocked);
}

INLINE_CASE("join2", "a & b: one thread injects a, one injects b", 2, define_join, one_each);
INLINE_CASE("join2-crowd", "a & b: three threads inject both", 3, define_join, both);
INLINE_CASE("join2-void", "a & b, and b carries nothing", 3, define_join, both, .parameter = 1);
CASE("join2-pool", "a & b on a pool of two", 2, define_join, one_each, .workers = 2, .placement = CRUCIBLE_POOL);
INLINE_CASE("repeat", "a & a & b: a name stands in the pattern twice", 3, define_repeat, use_repeat);
INLINE_AND_POOL("share", "two reactions share a name", define_share, inject_shared);
INLINE_CASE("chain", "inline firings that nest too deeply are deferred, and may be stolen", 2, define_chain,
            begin_chain, .parameter = 6, .check = check_chain);
INLINE_CASE("chain-narrow", "bodies inject into narrow fields", 2, define_narrow_chain, begin_chain, .parameter = 6,
            .check = check_chain);
CASE("chain-pool", "a chain of firings on a pool of two", 2, define_chain, begin_chain, .workers = 2,
     .placement = CRUCIBLE_POOL, .parameter = 5, .check = check_chain);
INLINE_CASE("tree", "what most firings of an inline tree are deferred to is their own thread", 2, define_tree,
            grow_tree, .parameter = 3, .check = check_tree);
CASE("tree-pool", "the same, and a body on the pool injects the root", 1, define_tree_pool, plant_tree,
     .placement = CRUCIBLE_POOL, .mixed = true, .parameter = 3, .check = check_tree);
INLINE_CASE("neighbours", "two reactions of one component share no name", 2, define_neighbours, keep_apart);
INLINE_CASE("hidden", "a body waits for a firing that its own thread has deferred", 2, define_hidden, inject_two,
            .workers = 1, .waits = true);
CASE("pairs", "two bodies on a pool of two wait for each other", 2, define_pairs, inject_two, .workers = 2,
     .placement = CRUCIBLE_POOL, .waits = true);
CASE("carried", "a body on a pool of two waits for the theft of what its own worker carries", 1, define_carried,
     inject_one, .workers = 2, .placement = CRUCIBLE_POOL, .waits = true);
CASE("step-deferred", "a body goes on with a chain, and the end of the body before it has deferred a firing", 2,
     define_deferred, inject_x_or_p, .workers = 1, .placement = CRUCIBLE_POOL, .mixed = true, .first = 3);
CASE("blocking", "two bodies on a pool of one block for others", 2, define_blocking, inject_one, .workers = 1,
     .placement = CRUCIBLE_POOL, .check = check_unblocked, .waits = true);
