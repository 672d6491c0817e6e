// Selects: one call on several names, of one soup or several. One branch reacts at most.
//
// A select has a cell, which is open and later decided, once. Each branch is stored in the bag of its name like any
// call. The molecule is not the call's value but a pointer to an instance of the branch, tagged in its two lowest bits.
// A firing takes its molecules as always, and its body begins with a search for branches among them
// (crucible_firing_select). It decides the cells of all their selects, or none. With one branch that is a
// compare-and-swap, with several a claim that has help (base/claims.h). A firing that decides gets the
// values in place of the instances. A firing that does not decide runs no body. It puts its molecules back, except for
// branches that other threads have decided.
//
//   open ──firing──→ branch i        its body runs; the other branches are withdrawn
//     ├──────caller──→ given up      deadline or cancellation; all branches are withdrawn
//     └──────────────→ ended         the last branch has left, with a soup that was cleared or stopped or is gone
//
// select_firing.c has what firings do with branches.
//
// Invariants
//   SELECT-1  The cell changes once. A body runs with a branch only after its firing has decided the cell for that
//       branch, so at most one does.
//   SELECT-2  A firing decides after it has popped all of its molecules and before its body runs. It decides all cells
//       or none. So a body never runs while some of its branches are decided otherwise.
//   SELECT-3  A firing that does not decide puts back every molecule except the branches whose cells are decided, under
//       the rule of adding. At least one branch is dropped in this way. So the firing does not recur with that branch,
//       and no thread spins.
//   SELECT-4  No instance stays in a bag after its select is decided. A thread that decides visits the linked instances
//       after the cell has changed. A thread that injects an instance links it first, records its place afterwards, and
//       then reads the cell. Both are in the total order, so one of them sees the other, and `stage` gives the
//       withdrawal to one of the two. A branch that is put back is a new instance, because the place of the first may
//       not be recorded yet.
//   SELECT-5  A branch is stored before it can match. Before its own thread runs a body, which may never return, the
//       place of the branch is recorded, and the hold on its soup is released. While `depth` is raised no firing runs
//       here, so a matcher stores every molecule with a value (matcher.h).
//   SELECT-6  A reaction that a put-back enables does not run before the states of this firing are back. It is
//       submitted, because a body may never return.
//   SELECT-7  A branch has an origin like any call (soup/origins.c). A firing that decides leaves the origins of its
//       inputs where they are. A firing that does not decide passes each origin on with the molecule that it puts back,
//       and ends the origin of a branch that it drops. The origin by which its body had to run is already taken by
//       then. This thread makes another one in its place, because it represents the task of the one that was taken. No
//       origin stays among the inputs, so the binding ends none of them again.
//   SELECT-8  `references` counts the caller, and each instance that is or may be in a bag. The last reference releases
//       the select. A firing has a reference to each select until its claim has ended. Another thread that carries the
//       claim out finds it undecided in a read section, and accesses the cells only there. So the select is retired.
//
// Names that are in no select pay nothing. The binding exchanges the context of a reaction before the first branch on
// one of its names is stored. Each body that begins reads the context, with acquire. A firing that popped a branch
// reads it after the pop, and so finds the exchanged one.
//
// Progress: lock-free on a matcher that is, except for memory. A thread that stops between its pops and its decision
// hides the molecules that it took. A thread that stops in the middle of a decision hides nothing, because other
// threads complete it.

#include "soup/select.h"

#include <string.h>

#include "base/errors.h"
#include "base/memory.h"
#include "firing/firing.h"
#include "matcher/inject.h"
#include "soup/soup.h"

/// The stages of an instance. At first its place is UNKNOWN, then it is KNOWN. The thread whose exchange with LEFT
/// finds KNOWN withdraws the instance.
enum { UNKNOWN = 0, KNOWN, LEFT };

static crucible_name *name_of(const struct instance *instance) {
  return instance->select->branches[instance->index].name;
}

// ---------------------------------------------------------------------------------------------------------------------
// References
// ---------------------------------------------------------------------------------------------------------------------

static size_t size_of(size_t count) {
  return sizeof(struct crucible_select) + count * (sizeof(struct instance) + sizeof(crucible_branch));
}

void crucible_select_release(crucible_select *select) {
  // Release: what this holder did comes before the end; acquire: the end comes after all of them.
  if (fetch_sub_acq_rel(&select->references, 1) != 1) return;
  select->binding->release(select->context);
  struct instance *next;
  for (struct instance *instance = load_relaxed(&select->again); instance; instance = next) {
    next = instance->next;
    crucible__free(instance, sizeof *instance);
  }
  if (load_relaxed(&select->is_shared)) {
    crucible__retire(&select->retired, size_of(select->count), NULL);
  } else {
    crucible__free(select, size_of(select->count));
  }
}

bool crucible__decide_select(struct crucible_select *select, uint64_t cell) {
  uint64_t before = OPEN;
  bool decided = false;
  crucible__read_lock();  // SELECT-8
  while (!decided && before == OPEN) decided = crucible__change(&select->cell, &before, cell);
  crucible__read_unlock();
  return decided;
}

void crucible__branch_left(struct instance *instance, crucible_reason reason) {
  struct crucible_select *select = instance->select;
  select->binding->left(select->context, instance->index, reason);
  crucible_select_release(select);
}

/// Ends a branch whose soup no longer has it. The last of the branches ends the select.
static void drop_out(struct instance *instance, crucible_reason reason) {
  struct crucible_select *select = instance->select;
  select->binding->left(select->context, instance->index, reason);
  if (fetch_sub_acq_rel(&select->left, 1) == 1 && crucible__decide_select(select, ENDED)) {
    select->binding->ended(select->context, reason);
  }
  crucible_select_release(select);
}

// ---------------------------------------------------------------------------------------------------------------------
// Withdrawing
// ---------------------------------------------------------------------------------------------------------------------

static void withdraw(struct instance *instance) {
  crucible_name *name = name_of(instance);
  CRUCIBLE_FIRING(room, name->component);
  if (crucible_withdraw(name, &instance->ticket, room.storage)) crucible__branch_left(instance, CRUCIBLE_WITHDRAWN);
  CRUCIBLE_FIRING_END(room, name->component);
}

/// Withdraws an instance, because the select is decided (SELECT-4).
static void end_instance(struct instance *instance, const struct instance *own) {
  // partner: the compare-and-swap in note
  if (exchange_seq_cst(&instance->stage, LEFT) == KNOWN && instance != own) withdraw(instance);
}

void crucible__end_others(struct crucible_select *select, const struct instance *own) {
  struct instance *again = load_seq_cst(&select->again);  // partner: the compare-and-swap in link_in
  for (uint32_t i = 0; i < select->count; i++) end_instance(&select->instances[i], own);
  for (; again; again = again->next) end_instance(again, own);
}

/// Records that the instance was injected. Requires: its place is in its ticket.
static void note(struct instance *instance) {
  uint32_t stage = UNKNOWN;
  // partner: the exchange in end_instance
  if (cas_seq_cst(&instance->stage, &stage, KNOWN)) {
    if (crucible__select_is_open(instance->select)) return;
    if (exchange_seq_cst(&instance->stage, LEFT) != KNOWN) return;
  }
  withdraw(instance);
}

bool crucible_select_give_up(crucible_select *select) {
  if (!crucible__decide_select(select, GIVEN_UP)) return false;
  crucible__end_others(select, NULL);
  return true;
}

size_t crucible_select_winner(crucible_select *select) {
  uint64_t cell = crucible__look(&select->cell);
  return cell < 4 * DECIDED_FOR ? select->count : cell / 4 - DECIDED_FOR;
}

/// Writes the molecule of the instance. No body waits for it alone (KEY-7).
static void put_mark(struct instance *instance, void *value) {
  *(uintptr_t *)value = (uintptr_t)instance + BRANCH;
  if (crucible__self) crucible__self->asking.name = NULL;
}

const void *crucible_branch_value(const void *value) {
  uintptr_t word;
  memcpy(&word, value, sizeof word);
  if ((word & BRANCH) != BRANCH) return value;
  const struct instance *instance = (const struct instance *)(word - BRANCH);
  return instance->select->branches[instance->index].value;
}

bool crucible_branch_destroy(void *value, crucible_reason reason) {
  uintptr_t word;
  memcpy(&word, value, sizeof word);
  if ((word & BRANCH) != BRANCH) return false;
  struct instance *instance = (struct instance *)(word - BRANCH);
  if (reason == CRUCIBLE_WITHDRAWN) {
    crucible__branch_left(instance, reason);
  } else {
    drop_out(instance, reason);
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

/// Makes the binding's bodies search for branches of this name.
static void prepare(crucible_name *name, const crucible_select_binding *binding) {
  if (load_acquire(&name->selects)) return;  // partner: the release below
  for (uint32_t r = 0; r < name->component->layout->reaction_count; r++) {
    const struct reaction *reaction = name->component->reactions[r];
    if (crucible__consumes(reaction, name)) binding->selects(name->soup, reaction->rule->index);
  }
  store_release(&name->selects, true);
}

/// Injects an instance from outside. False: it was refused.
static bool inject_first(struct thread *self, struct instance *instance) {
  const crucible_branch *branch = &instance->select->branches[instance->index];
  crucible_name *name = branch->name;
  // Without the end of a definition the soup has no components.
  if (load_relaxed(&name->soup->given_up)) return crucible__refuse(CRUCIBLE_GONE_SOUP);
  if (!crucible_soup_hold(name->soup)) return crucible__refuse(CRUCIBLE_GONE_SOUP);
  prepare(name, instance->select->binding);
  CRUCIBLE_FIRING(room, name->component);
  put_mark(instance, room.storage);
  crucible__raise(self);  // SELECT-5
  bool injected = crucible_inject_tracked(name, room.storage, 0, branch->owns, &instance->ticket);
  crucible__lower(self);
  CRUCIBLE_FIRING_END(room, name->component);
  crucible_status why = crucible__refusal;
  if (injected) note(instance);
  crucible_soup_release(name->soup);
  return injected || crucible__refuse(why);
}

crucible_status crucible_select_begin(crucible_select *select) {
  struct thread *self = crucible__thread();
  for (uint32_t i = 0; i < select->count && crucible__select_is_open(select); i++) {
    struct instance *instance = &select->instances[i];
    crucible__retain_select(select);
    if (self && inject_first(self, instance)) {
      crucible__drain(self);
      continue;
    }
    crucible_status why = self ? crucible__refusal : CRUCIBLE_NO_MEMORY;
    if (why == CRUCIBLE_NO_MEMORY) {
      crucible_select_release(select);
      return crucible_select_give_up(select) ? why : CRUCIBLE_OK;
    }
    drop_out(instance, why == CRUCIBLE_NOT_RUNNING ? CRUCIBLE_STOPPED_SOUP : CRUCIBLE_GONE);
  }
  return CRUCIBLE_OK;
}

/// Links the instance, so that each thread that decides from now on finds it.
static void link_in(struct instance *instance) {
  struct crucible_select *select = instance->select;
  instance->next = load_relaxed(&select->again);
  // partner: the load in crucible__end_others
  while (!cas_seq_cst(&select->again, &instance->next, instance)) {
  }
}

void crucible__put_branch_back(struct instance *old, uint64_t attempts, void *origin) {
  struct crucible_select *select = old->select;
  struct crucible_name *name = name_of(old);
  struct instance *instance = crucible__allocate(sizeof *instance, CRUCIBLE_LINE);
  if (!instance) crucible__die("no memory to put a branch of a select back");
  *instance = (struct instance){.select = select, .index = old->index};
  link_in(instance);  // with the reference of the old instance, and a further one for this thread
  crucible__retain_select(select);
  CRUCIBLE_FIRING(room, name->component);
  put_mark(instance, room.storage);
  struct place place = {.serial = NOWHERE};
  bool injected = origin ? crucible__inject_from(name, room.storage, attempts, &place, origin)
                         : crucible__inject_placed(name, room.storage, attempts, &place);
  CRUCIBLE_FIRING_END(room, name->component);
  memcpy(&instance->ticket, &place, sizeof place);
  if (injected) {
    note(instance);
  } else {
    if (crucible__refusal != CRUCIBLE_NOT_RUNNING) crucible__die("no memory to put a branch of a select back");
    crucible__add_stopped(name, 1);
    drop_out(instance, CRUCIBLE_STOPPED_SOUP);
  }
  crucible_select_release(select);
}

// ---------------------------------------------------------------------------------------------------------------------
// Making
// ---------------------------------------------------------------------------------------------------------------------

/// Requires: the definitions of both soups have ended, or were given up.
static bool share_a_reaction(const crucible_name *a, const crucible_name *b) {
  if (a->component != b->component || load_relaxed(&a->soup->given_up)) return false;
  for (uint32_t r = 0; r < a->component->layout->reaction_count; r++) {
    const struct reaction *reaction = a->component->reactions[r];
    if (crucible__consumes(reaction, a) && crucible__consumes(reaction, b)) return true;
  }
  return false;
}

crucible_status crucible_select_check(const crucible_branch *branches, size_t count, crucible_name *culprits[2]) {
  if (count == 0) return CRUCIBLE_NO_BRANCHES;
  for (size_t i = 0; i < count; i++) {
    culprits[0] = branches[i].name;
    const crucible_soup *soup = branches[i].name->soup;
    // Partner: the release in freeze.
    if (!load_acquire(&soup->frozen) && !load_relaxed(&soup->given_up)) return CRUCIBLE_NOT_FROZEN;
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < i; k++) {
      culprits[0] = branches[k].name;
      culprits[1] = branches[i].name;
      if (share_a_reaction(culprits[0], culprits[1])) return CRUCIBLE_SHARED_REACTION;
    }
  }
  return CRUCIBLE_OK;
}

uint32_t crucible_soup_choose(crucible_soup *soup, uint32_t bound) {
  const struct thread *self = crucible__thread();
  if (!self || !crucible_soup_hold(soup)) return 0;
  uint32_t chosen = crucible__choose(self, soup, bound);
  crucible_soup_release(soup);
  return chosen;
}

crucible_select *crucible_select_create(const crucible_branch *branches, size_t count,
                                        const crucible_select_binding *binding, void *context) {
  static _Atomic uint64_t selects;
  struct crucible_select *select = crucible__allocate(size_of(count), CRUCIBLE_LINE);
  if (!select) return NULL;
  select->rank = fetch_add_relaxed(&selects, 1);
  atomic_init(&select->cell, OPEN);
  atomic_init(&select->is_shared, false);
  atomic_init(&select->references, 1);
  atomic_init(&select->left, (uint32_t)count);
  atomic_init(&select->again, NULL);
  select->count = (uint32_t)count;
  select->binding = binding;
  select->context = context;
  select->branches = (crucible_branch *)(void *)&select->instances[count];
  memcpy(select->branches, branches, count * sizeof *branches);
  for (uint32_t i = 0; i < count; i++) {
    select->instances[i] = (struct instance){.select = select, .index = i};
    atomic_init(&select->instances[i].stage, UNKNOWN);
  }
  return select;
}
