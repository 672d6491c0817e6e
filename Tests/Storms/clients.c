// The clients of a storm, each on a thread of its own. They use everything that the core offers, at random.

#include <sched.h>
#include <stdlib.h>

#include "storms.h"

static void inject_one(struct vessel *vessel) {
  struct kind *kind = &vessel->kinds[draw(vessel->name_count)];
  if (kind->kind == CRUCIBLE_STATE) return;
  if (kind->kind == CRUCIBLE_FAST) {
    make_call(vessel, kind);
    return;
  }
  struct payload payload;
  if (!make_molecule(kind, &payload, NULL)) return;
  bool injected = one_in(4) ? crucible_inject_unowned(kind->name, payload.bytes)
                            : crucible_inject(kind->name, payload.bytes);
  if (!injected) unmake_molecule(kind, &payload);
}

static void inject_some(struct vessel *vessel) {
  for (uint32_t i = 1 + draw(6); i > 0; i--) inject_one(vessel);
}

static void inject_together(struct vessel *vessel) {
  enum { MOST = 5 };
  crucible_molecule molecules[MOST];
  struct payload payloads[MOST];
  struct kind *kinds[MOST];
  size_t count = 0;
  for (uint32_t i = 1 + draw(MOST); i > 0; i--) {
    struct kind *kind = kinds[count] = &vessel->kinds[draw(vessel->name_count)];
    if (kind->kind != CRUCIBLE_SLOW || !make_molecule(kind, &payloads[count], NULL)) continue;
    uint64_t times = kind->size > 0 ? 0 : 1 + draw(3);
    if (times > 1) atomic_fetch_add_explicit(&kind->injected, times - 1, memory_order_relaxed);
    molecules[count] = (crucible_molecule){.name = kind->name, .value = payloads[count].bytes, .times = times};
    count++;
  }
  crucible_name *culprit;
  if (crucible_inject_together(molecules, count, true, &culprit) == CRUCIBLE_OK) return;
  for (size_t i = 0; i < count; i++) {
    if (!molecules[i].value) continue;
    if (molecules[i].times > 1) {
      atomic_fetch_sub_explicit(&kinds[i]->injected, molecules[i].times - 1, memory_order_relaxed);
    }
    unmake_molecule(kinds[i], &payloads[i]);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Control
// ---------------------------------------------------------------------------------------------------------------------

/// Restarts the soup. Another thread may stop it again, or restart it first.
static void try_to_restart(struct vessel *vessel) {
  for (int tries = 0; tries < 20; tries++) {
    if (crucible_soup_is_quiet(vessel->soup)) crucible_soup_seal(vessel->soup);
    crucible_soup_end_stop(vessel->soup, NULL);
    if (crucible_soup_restart(vessel->soup, reset_cell, NULL) != CRUCIBLE_NOT_QUIET) return;
    crucible_soup_wait_quiet(vessel->soup, 200000);
  }
}

static void control(struct vessel *vessel) {
  uint64_t dropped;
  ptrdiff_t fired;
  if (vessel->calm) return;
  switch (draw(vessel->restarts ? 3 : 6)) {
    case 0:
      crucible_soup_clear(vessel->soup, &dropped);
      break;
    case 1:
      crucible_soup_stop(vessel->soup, &dropped);
      if (one_in(2)) inject_one(vessel);
      try_to_restart(vessel);
      break;
    case 2:
      try_to_restart(vessel);
      break;
    default:
      crucible_soup_pause(vessel->soup);
      for (uint32_t i = draw(4); i > 0; i--) inject_some(vessel);
      for (uint32_t i = draw(3); i > 0; i--) crucible_soup_step(vessel->soup, CRUCIBLE_ANY, &fired);
      crucible_soup_resume(vessel->soup);
      break;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Looking, and what is seldom done
// ---------------------------------------------------------------------------------------------------------------------

static void look(struct vessel *vessel) {
  uint64_t counts[MOST_NAMES + BYSTANDERS], running[MOST_RULES + 1], reserved, time;
  crucible_waiting notes[4];
  crucible_soup *soups[8];
  switch (draw(vessel->early ? 2 : 6)) {
    case 0: crucible_soup_counts(vessel->soup, counts); break;
    case 1: crucible_soup_is_quiet(vessel->soup); break;
    case 2: crucible_soup_activity(vessel->soup, running, &reserved); break;
    case 3: crucible_soup_wait_quiet(vessel->soup, 30000); break;
    case 4: crucible_soup_waiting(vessel->soup, notes, 4, &time); break;
    default:
      for (size_t i = crucible_all_soups(soups, 8); i > 0; i--) crucible_soup_release(soups[i - 1]);
      break;
  }
}

static void exchange_context(struct vessel *vessel) {
  struct rule *rule = &vessel->rules[draw(vessel->rule_count)];
  struct context *context = new_context(vessel, rule);
  if (context) crucible_soup_set_reaction_context(vessel->soup, rule->index, context);
}

/// Handlers run one at a time, and must find what was written before they were set. Nothing else orders this memory.
enum { HANDLERS = 8 };
static uint64_t told, setting[HANDLERS];
static void tell(const crucible_pool_shortage *shortage, int handler) {
  if (shortage->status.limit == 0 || shortage->error != 0) fail("a shortage for no reason that there is");
  if (setting[handler] != 7) fail("a handler does not find what was written before it was set");
  told++;
  for (uint32_t pauses = draw(30); pauses > 0; pauses--) sched_yield();
}
#define HANDLER(n) \
  static void tell_##n(const crucible_pool_shortage *shortage) { tell(shortage, n); }
HANDLER(0) HANDLER(1) HANDLER(2) HANDLER(3) HANDLER(4) HANDLER(5) HANDLER(6) HANDLER(7)

void set_handler(void) {
  static void (*const handlers[HANDLERS])(const crucible_pool_shortage *) = {tell_0, tell_1, tell_2, tell_3,
                                                                             tell_4, tell_5, tell_6, tell_7};
  static _Atomic uint32_t next;
  uint32_t mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  if (mine >= HANDLERS) return;
  setting[mine] = 7;
  crucible_pool_on_shortage(handlers[mine]);
}

static void change_pool(void) {
  switch (draw(4)) {
    case 0: crucible_pool_set_workers(1 + draw(4)); break;
    case 1: crucible_pool_set_limit(1 + draw(6)); break;
    case 2: set_handler(); break;
    default: {
      crucible_pool_status status = crucible_pool_look();
      if (status.workers == 0) fail("the pool has no workers");
      break;
    }
  }
}

static void forget(void *cache) { free(cache); }

/// Uses memory of this thread alone, which is freed when the thread ends.
static void use_cache(void) {
  uint64_t *cache = one_in(3) ? NULL : crucible_thread_take_saved();
  if (cache) {
    ++*cache;
  } else {
    cache = malloc(sizeof *cache);
    if (!cache) fail("no memory");
    *cache = 1;
  }
  if (!crucible_thread_save(cache, forget)) free(cache);
}

static void do_seldom(struct vessel *vessel) {
  switch (draw(10)) {
    case 0: crucible_soup_observe(vessel->soup, one_in(2)); break;
    case 1: change_pool(); break;
    case 2: use_cache(); break;
    case 3:
    case 8:
    case 9: live_and_die(); break;
    case 6:
      if (one_in(8)) be_robbed();
      break;
    case 4:
      if (crucible_soup_hold(vessel->soup)) crucible_soup_release(vessel->soup);
      break;
    case 5: look(vessel); break;
    default:
      if (!vessel->early) exchange_context(vessel);
      break;
  }
}

void be_client(struct vessel *vessels, uint32_t count, uint32_t operations) {
  if (one_in(2)) look(&vessels[0]);  // before anything else orders this
  while (operations-- > 0) {
    struct vessel *vessel = &vessels[draw(count)];
    uint32_t which = draw(vessel->restarts ? 48 : 32);
    if (which < 20) {
      inject_some(vessel);
    } else if (which < 25) {
      inject_together(vessel);
    } else if (which < 27 || which >= 32) {
      control(vessel);
    } else {
      do_seldom(vessel);
    }
    if (one_in(16)) sched_yield();
  }
}
