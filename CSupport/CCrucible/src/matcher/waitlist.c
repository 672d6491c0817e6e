// The waiting list of a component: calls that bodies have put back.
//
// A bag adds molecules only at its tail, so a call that was taken cannot get its place back there. Calls of a name that
// is declared for it may be put back. The component of such a name has a list of these calls, oldest first. It also has
// a matcher of its own: a copy of the chosen one, in which wrappers replace a few functions. So every matcher is served
// in the same way, and no other component pays.
//
//            popped               body ends                an event
//   in the bag ───→ OUT ──put back──→ RETURNING ───→ PARKED ───→ OFFERED ──popped──→ OUT
//
// An event is a molecule of the component that was added, or a body that has ended and did not put back everything that
// it consumed. Such a body may have changed a state, or something else that other bodies read.
//
// A parked call is in no bag. To offer it, the list puts a token into the bag of its name. A firing that pops a token
// gets the oldest offered call. A firing that pops a call while an older one is offered gets the older one, and the
// token stands for the younger one from then on.
//
//   WAITLIST-1  A call is at one place: in its bag, in a firing, or in the list. While it is in the list (RETURNING,
//       PARKED, OFFERED), the list owns its value, and only a holder of the list's lock moves it. A caller that gives
//       up finds it there by its waiter.
//   WAITLIST-2  Each offered call has one token, in the bag or about to be pushed, and each token has one offered call.
//       So a firing that pops a token finds a call, and every count of the matcher has a molecule.
//   WAITLIST-3  No event is lost. `events` is counted under the lock, after the molecule was added. The entry of a call
//       keeps the count from the moment at which the call was taken, under the same lock. If the count has grown by the
//       time the call is parked, the call is offered at once. So a molecule that is added while the body runs offers
//       the call, or the end of the body does. A molecule is added before it is counted, so one that a firing takes in
//       between counts for its calls too. Such a call is attempted once too often. In the opposite order a call could
//       be attempted before the molecule is there, and miss it. Only the lock around each addition would make both one
//       step, and then every injection would wait for the matching of the others.
//   WAITLIST-4  No thread spins. A body that puts back everything that it consumed is no event, and neither is the
//       addition of a token. Every other event has consumed or added a molecule. So the number of attempts is at most
//       the number of events times that of the calls.
//   WAITLIST-5  A firing gets the oldest of the calls of a name that are offered or popped. The list has them in the
//       order in which the firings that popped them took the lock. That is the order of the bag, except for firings at
//       the same time. A branch of a select is known when its select is decided, and is not exchanged.
//   WAITLIST-6  A stopped component keeps no call. The list knows under the lock that it is stopped before it is
//       dropped. A call that a body puts back later is dropped at the body's end.
//
// Progress: blocks, on the list's lock, for O(calls in the list). No code of the binding runs under it except
// `crucible__waiter_of`, which only reads. Without memory the program ends, because the call has no other place.
//
// waitlist_tokens.c has the tokens, and waitlist_withdraw.c the withdrawal for a caller that gives up.

#include "matcher/waitlist.h"

#include "base/arena.h"
#include "firing/origin.h"
#include "matcher/inject.h"
#include "matcher/waitlist_tokens.h"
#include "matcher/waitlist_withdraw.h"

const crucible_waiter *(*crucible__waiter_of)(crucible_name *name, const void *value);

// ---------------------------------------------------------------------------------------------------------------------
// With the lock
// ---------------------------------------------------------------------------------------------------------------------

/// Appends a call that a firing has taken.
static struct entry *append(struct waitlist *list, struct crucible_name *name, const crucible_waiter *waiter) {
  size_t size = sizeof(struct entry) + name->size + name->alignment;
  struct entry *entry = crucible__waitlist_allocate(size);
  *entry = (struct entry){.name = name, .waiter = waiter, .link = list->end, .size = size};
  entry->value = crucible__aligned(entry + 1, name->alignment);
  *list->end = entry;
  list->end = &entry->next;
  return entry;
}

/// Exchanges an input that a firing popped for the oldest offered call of its name (WAITLIST-5).
static void take_oldest(struct waitlist *list, struct crucible_name *name, void *const *inputs, void *value) {
  struct token *token = token_of(value);
  struct entry *popped = token ? token->entry : NULL;
  if (!token) {
    if ((first_word(value) & 3) == 3) return;  // a branch of a select becomes known when its select is decided
    const crucible_waiter *waiter = crucible__waiter_of(name, value);
    if (!waiter) return;
    popped = append(list, name, waiter);
  }
  struct entry *chosen = list->first;
  while (chosen != popped && !(chosen->where == OFFERED && chosen->name == name)) chosen = chosen->next;
  if (chosen != popped) {
    if (!token) memcpy(popped->value, value, name->size);
    bind(chosen->token, popped);
    popped->is_rebound = popped->is_given_up;
  }
  if (token) leave_bag(token);
  if (token || chosen != popped) memcpy(value, chosen->value, name->size);
  chosen->token = NULL;
  chosen->where = OUT;
  chosen->seen = list->events;
  chosen->inputs = inputs;
  chosen->input = value;
}

static void take_all_oldest(struct waitlist *list, const struct reaction *reaction, const struct firing *firing) {
  for (uint32_t i = 0; reaction->has_stored && i < reaction->input_count; i++) {
    struct crucible_name *name = reaction->inputs[i].name;
    if (name->puts_back) take_oldest(list, name, firing->inputs, firing->inputs[i]);
  }
}

/// Finds the call of a waiter that the firing with these inputs has taken. Null: there is none. Of several it is the
/// one that was taken last, because a firing that does not take place has put the others back in another way.
static struct entry *find_taken(const struct waitlist *list, void *const *inputs, const crucible_waiter *waiter) {
  struct entry *found = NULL;
  for (struct entry *entry = list->first; entry; entry = entry->next) {
    if (entry->waiter == waiter && entry->inputs == inputs && entry->where == OUT) found = entry;
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------------------------
// Without the lock
// ---------------------------------------------------------------------------------------------------------------------

/// Pushes the tokens in the middle of another operation.
static void push_and_submit(struct thread *self, struct waitlist *list, struct token *tokens) {
  struct reaction *reaction = crucible__waitlist_push(self, list, tokens);
  if (reaction) crucible__submit(self, reaction);
}

/// Counts an event, and offers the parked calls. `taken`: a reserved reaction with its molecules in `firing`, or null.
/// Returns the result of crucible__waitlist_push.
static struct reaction *tell(struct thread *self, struct waitlist *list, const struct reaction *taken,
                             const struct firing *firing) {
  struct token *tokens = NULL;
  lock_acquire(&list->lock);
  list->events++;
  crucible__waitlist_offer(list, &tokens);
  if (taken) take_all_oldest(list, taken, firing);
  bool is_rebound = taken && crucible__waitlist_has_rebound(list);
  lock_release(&list->lock);
  struct reaction *reaction = crucible__waitlist_push(self, list, tokens);
  if (is_rebound) crucible__waitlist_withdraw_rebound(self, list);
  return reaction;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------------------------

static void body_ended(struct thread *self, const struct reaction *reaction, void *const *inputs) {
  struct waitlist *list = list_of(reaction->component);
  struct token *tokens = NULL;
  struct entry *over = NULL, *going = NULL;
  uint32_t back = 0;
  lock_acquire(&list->lock);
  for (struct entry *entry = list->first, *next; entry; entry = next) {
    next = entry->next;
    if (entry->inputs != inputs || entry->where > RETURNING) continue;
    entry->inputs = NULL;
    if (entry->where == OUT) {
      move_to(&over, list, entry);
      continue;
    }
    back++;
    entry->where = PARKED;
    if (list->is_stopped) move_to(&going, list, entry);  // WAITLIST-6
  }
  if (back < reaction->input_count - reaction->state_count) list->events++;
  crucible__waitlist_offer(list, &tokens);
  lock_release(&list->lock);
  for (struct entry *next; over; over = next) {
    next = over->next;
    free_entry(over);
  }
  if (going) {
    crucible_reason reason = crucible_soup_is_closed(reaction->soup) ? CRUCIBLE_GONE : CRUCIBLE_STOPPED_SOUP;
    crucible__add_dropped(reaction->soup, crucible__waitlist_destroy_all(going, reason));
  }
  push_and_submit(self, list, tokens);
}

/// Runs as the body of each reaction of the component.
static void run_body(void *context, void *const *inputs) {
  struct thread *self = crucible__self;
  const struct reaction *reaction = load_relaxed(&self->running);
  void *const *outer = self->put_back_from;
  self->put_back_from = inputs;
  list_of(reaction->component)->bodies[reaction->index](context, inputs);
  self->put_back_from = outer;
  body_ended(self, reaction, inputs);
}

struct crucible_name *crucible__waitlist_put_back(const struct component *component, void *const *inputs,
                                                  const crucible_waiter *waiter, void *value) {
  struct waitlist *list = list_of(component);
  if (!list) return NULL;
  lock_acquire(&list->lock);
  struct entry *entry = find_taken(list, inputs, waiter);
  lock_release(&list->lock);
  if (!entry) return NULL;
  // The lock is not needed: only this body can put the call back, and only the end of this body can end its entry.
  struct crucible_name *name = entry->name;
  void *origin = NULL;
  if (crucible__has_origins(name)) {
    void **place = crucible__origin_of(name, entry->input);
    // if it was taken, the body runs by it, and makes an equal one
    origin = *place ? *place : crucible__make_origin(1);
    *place = NULL;
  }
  lock_acquire(&list->lock);
  memcpy(entry->value, value, crucible__value_size(name));
  if (origin) *crucible__origin_of(name, entry->value) = origin;
  entry->where = RETURNING;
  lock_release(&list->lock);
  return name;
}

void crucible__waitlist_know(const struct reaction *reaction, void *const *inputs, void *value) {
  struct waitlist *list = list_of(reaction->component);
  for (uint32_t i = 0; list && i < reaction->input_count; i++) {
    struct crucible_name *name = reaction->inputs[i].name;
    if (inputs[i] != value || !name->puts_back) continue;
    lock_acquire(&list->lock);
    struct entry *entry = append(list, name, crucible__waiter_of(name, value));
    entry->where = OUT;
    entry->seen = list->events;
    entry->inputs = inputs;
    entry->input = value;
    lock_release(&list->lock);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The matcher of the component
// ---------------------------------------------------------------------------------------------------------------------

static void take(struct reaction *reaction, struct firing *firing);

static struct added add(struct thread *self, struct crucible_name *name, void *value, uint64_t attempts,
                        struct place *place, struct firing *firing) {
  struct waitlist *list = list_of(name->component);
  struct added added = list->base->add(self, name, value, attempts, place, firing);
  if (added.status != CRUCIBLE_OK) return added;
  bool is_taken = added.reaction && crucible__runs_here(self, added.reaction);
  struct reaction *offered = tell(self, list, is_taken ? added.reaction : NULL, firing);
  if (offered && added.reaction) crucible__submit(self, offered);
  if (offered && !added.reaction) {
    added.reaction = offered;
    if (offered->has_stored && crucible__runs_here(self, offered)) take(offered, firing);
  }
  return added;
}

static struct added add_together(struct thread *self, struct component *component, crucible_molecule *molecules,
                                 size_t count) {
  struct waitlist *list = list_of(component);
  struct added added = list->base->add_together(self, component, molecules, count);
  if (added.status != CRUCIBLE_OK) return added;
  struct reaction *offered = tell(self, list, NULL, NULL);
  if (offered && added.reaction) crucible__submit(self, offered);
  if (!added.reaction) added.reaction = offered;
  return added;
}

/// Settles. A fact that has become known is an event.
static struct reaction *settle(struct thread *self, struct component *component) {
  struct waitlist *list = list_of(component);
  struct reaction *reaction = list->base->settle(self, component);
  struct reaction *offered = tell(self, list, NULL, NULL);
  if (offered && reaction) crucible__submit(self, offered);
  return reaction ? reaction : offered;
}

static void note_taken(const struct reaction *reaction, const struct firing *firing) {
  struct waitlist *list = list_of(reaction->component);
  lock_acquire(&list->lock);
  take_all_oldest(list, reaction, firing);
  bool is_rebound = crucible__waitlist_has_rebound(list);
  lock_release(&list->lock);
  if (is_rebound) crucible__waitlist_withdraw_rebound(crucible__self, list);
}

static struct reserved give_back(struct thread *self, struct reaction *reaction, struct firing *firing) {
  struct reserved next = list_of(reaction->component)->base->give_back(self, reaction, firing);
  if (next.reaction) note_taken(next.reaction, firing);
  return next;
}

static void take(struct reaction *reaction, struct firing *firing) {
  list_of(reaction->component)->base->take(reaction, firing);
  note_taken(reaction, firing);
}

/// Acquires the lock when no token is on its way into a bag. Then each offered call is in its bag, or in a firing. A
/// body that an executor runs in the middle of a push always finds such a token, and continues after a while.
static void acquire_settled(struct waitlist *list) {
  for (int i = 0; i < CRUCIBLE_TOKEN_LOOKS; i++) {
    lock_acquire(&list->lock);
    if (list->pushing == 0) return;
    lock_release(&list->lock);
    spin_pause();
  }
  lock_acquire(&list->lock);
}

/// Counts the waiting molecules. While the lock is held no call becomes parked or offered, so each is counted once. The
/// base matcher does not take the list's lock.
static void counts(struct component *component, uint64_t *counts) {
  struct waitlist *list = list_of(component);
  acquire_settled(list);
  list->base->counts(component, counts);
  for (struct entry *entry = list->first; entry; entry = entry->next) {
    counts[entry->name->bit] += entry->where == PARKED;
  }
  lock_release(&list->lock);
}

static void control(struct component *component, bool paused, bool stopped) {
  struct waitlist *list = list_of(component);
  lock_acquire(&list->lock);
  list->is_stopped = stopped;
  lock_release(&list->lock);
  list->base->control(component, paused, stopped);
}

static uint64_t drop_parked(struct waitlist *list, const struct crucible_name *only, crucible_reason reason) {
  struct entry *going = NULL;
  acquire_settled(list);
  for (struct entry *entry = list->first, *next; entry; entry = next) {
    next = entry->next;
    if (entry->where == PARKED && crucible__drops(only, entry->name)) move_to(&going, list, entry);
  }
  lock_release(&list->lock);
  return crucible__waitlist_destroy_all(going, reason);
}

static uint64_t drop(struct component *component, const struct crucible_name *only, crucible_reason reason) {
  struct waitlist *list = list_of(component);
  uint64_t parked = drop_parked(list, only, reason);  // first: calls that were offered before lie in their bags
  return parked + list->base->drop(component, only, reason);
}

static void inherit(struct component *component) {
  struct waitlist *list = list_of(component);
  lock_create(&list->lock);  // a thread of the parent may have held it
  list->base->inherit(component);
}

/// Destroys the list. Its memory is freed with the soup's shell.
static void destroy(struct component *component) {
  struct waitlist *list = list_of(component);
  list->base->destroy(component);
  drop_parked(list, NULL, CRUCIBLE_GONE);
  for (struct entry *next; list->first; list->first = next) {
    next = list->first->next;  // taken in a process that is gone
    free_entry(list->first);
  }
  lock_destroy(&list->lock);
}

bool crucible__waitlist_begin(struct component *component) {
  bool puts_back = false;
  for (uint32_t i = 0; i < component->name_count; i++) puts_back = puts_back || component->names[i]->puts_back;
  if (!puts_back) return true;
  struct crucible_soup *soup = component->soup;
  size_t size = sizeof(struct waitlist) + soup->reaction_count * sizeof(crucible_body);
  struct waitlist *list = crucible__arena_take(&soup->arena, (size + 63) / 64 * 64, 64);
  if (!list) return false;
  list->base = component->matcher;
  list->end = &list->first;
  lock_create(&list->lock);
  list->matcher = *list->base;
  list->matcher.under = list->base;
  list->matcher.is_lock_free = false;
  list->matcher.destroy = destroy;
  list->matcher.add = add;
  list->matcher.add_together = add_together;
  list->matcher.give_back = give_back;
  list->matcher.settle = settle;
  list->matcher.take = take;
  list->matcher.run = crucible__run;
  list->matcher.body_ended = body_ended;
  list->matcher.counts = counts;
  list->matcher.control = control;
  list->matcher.drop = drop;
  list->matcher.inherit = inherit;
  list->matcher.inject = NULL;
  list->matcher.inject_for = NULL;
  list->matcher.complete_here = NULL;
  component->matcher = &list->matcher;
  for (uint32_t i = 0; i < component->name_count; i++) component->names[i]->completes_here = false;
  for (uint32_t r = 0; r < component->reaction_count; r++) {
    struct reaction *reaction = component->reactions[r];
    list->bodies[reaction->index] = reaction->body;
    reaction->body = run_body;
  }
  return true;
}
