// The bodies of reactions. They read every byte of what they consume, and change every byte of their states. They
// answer calls at once or later, put molecules back, inject others, and sometimes declare that they block. Bodies that
// are placed externally go back to the pool, and run there in one step or two, or are discarded.

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "storms.h"

static crucible_soup *soup_of(const struct rule *rule) { return rule->vessel->soup; }

// ---------------------------------------------------------------------------------------------------------------------
// Jobs of the pool
// ---------------------------------------------------------------------------------------------------------------------

enum task { RUN, BEGIN, END, DISCARD, ANSWER };

struct job {
  enum task task;
  crucible_firing *firing;
  struct rule *rule;
  struct context *context;
  struct call *call;
  crucible_soup *soup;
};

static void run_job(void *job);

/// The reaction of the firing that was brought to this thread, and whose body begins here next.
static _Thread_local const struct rule *brought;

static void add_job(struct job job) {
  struct job *added = malloc(sizeof *added);
  if (!added) fail("no memory");
  *added = job;
  crucible_pool_run(added, run_job);
}

/// Changes the states of a firing in two steps, which are still away.
static void change_states(const struct rule *rule) {
  for (uint32_t i = 0; i < rule->count; i++) {
    const struct kind *kind = rule->inputs[i];
    if (kind->kind == CRUCIBLE_STATE) change_cell(kind, crucible_name_cell(kind->name));
  }
}

static void run_job(void *argument) {
  struct job job = *(struct job *)argument;
  free(argument);
  switch (job.task) {
    case RUN:
      brought = job.rule;
      crucible_firing_run(job.firing);
      break;
    case BEGIN:
      brought = job.rule;
      crucible_firing_begin(job.firing, react, job.context, job.firing);
      job.task = END;
      add_job(job);
      break;
    case END:
      change_states(job.rule);
      crucible_firing_end(job.firing);
      break;
    case DISCARD:
      for (uint32_t i = 0; i < job.rule->count; i++) {
        struct kind *kind = job.rule->inputs[i];
        if (kind->kind != CRUCIBLE_STATE && kind->size == 0) {
          atomic_fetch_add_explicit(&kind->consumed, 1, memory_order_relaxed);
        }
      }
      crucible_firing_discard(job.firing);
      break;
    case ANSWER:
      answer(job.call);
      crucible_soup_end_pending(job.soup);
      break;
  }
}

void submit_firing(void *argument, crucible_firing *firing) {
  struct context *context = argument;
  enum task task = one_in(2) ? RUN : one_in(8) ? DISCARD : BEGIN;
  add_job((struct job){.task = task, .firing = firing, .rule = context->rule, .context = context});
}

bool enter_firing(void *argument, crucible_firing *firing) {
  const struct context *context = argument;
  if (one_in(2)) return false;
  brought = context->rule;
  crucible_firing_run(firing);
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------------------------

static void answer_later(crucible_soup *soup, struct call *call) {
  crucible_soup_begin_pending(soup);
  add_job((struct job){.task = ANSWER, .call = call, .soup = soup});
}

/// Puts a call back. Returns true if it waits again.
static bool put_back(struct kind *kind, void *value, uint64_t times) {
  struct payload copy;
  crucible_ticket ticket;
  check_molecule(kind, value);
  memcpy(copy.bytes, value, kind->size);
  return crucible_inject_tracked(kind->name, copy.bytes, times + 1, false, &ticket);
}

static void consume(const struct rule *rule, struct kind *kind, void *value, uint64_t times) {
  if (kind->kind == CRUCIBLE_STATE) {
    change_cell(kind, value);
    return;
  }
  if (rule->retries && kind->kind == CRUCIBLE_SLOW && kind->size > 0 && times < 3 && one_in(8) &&
      put_back(kind, value, times)) {
    return;
  }
  struct call *call = end_molecule(kind, value, CONSUMED);
  if (!call) return;
  if (one_in(4)) {
    answer_later(soup_of(rule), call);
  } else {
    answer(call);
  }
}

static void inject_another(struct vessel *vessel) {
  struct kind *kind = &vessel->kinds[draw(vessel->name_count)];
  if (kind->kind != CRUCIBLE_SLOW) return;
  if (atomic_fetch_sub_explicit(&vessel->budget, 1, memory_order_relaxed) <= 0) return;
  struct payload payload;
  if (!make_molecule(kind, &payload, NULL)) return;
  if (!crucible_inject_unowned(kind->name, payload.bytes)) unmake_molecule(kind, &payload);
}

void react(void *argument, void *const *inputs) {
  const struct context *context = argument;
  if (context->twice != 2 * context->number) fail("the context of a reaction is torn");
  const struct rule *rule = context->rule;
  if (rule->placement == CRUCIBLE_EXTERNAL) {
    if (brought != rule) fail("a body that is placed externally runs where nobody brought it");
    brought = NULL;
  }
  bool blocks = one_in(64);
  if (blocks) crucible_pool_begin_blocking();
  if (one_in(8)) sched_yield();
  uint64_t times = (uint64_t)(uintptr_t)inputs[-1];
  for (uint32_t i = 0; i < rule->count; i++) consume(rule, rule->inputs[i], inputs[i], times);
  if (one_in(2)) inject_another(rule->vessel);
  if (one_in(64)) crucible_pool_sleep(1 + draw(20000));
  if (blocks) crucible_pool_end_blocking();
}

void destroy_molecule(void *value, void *context, crucible_reason reason) {
  struct kind *kind = context;
  if (kind->kind == CRUCIBLE_STATE) {
    check_cell(kind, value);
    return;
  }
  if (reason > CRUCIBLE_DISCARDED) fail("a molecule is destroyed for no known reason");
  if (kind->size == 0) return;  // the soup counts these when it drops them, and the ledger uses that count
  atomic_fetch_add_explicit(&kind->vessel->destroyed[reason], 1, memory_order_relaxed);
  struct call *call = end_molecule(kind, value, DESTROYED);
  if (call) crucible_waiter_signal(&call->waiter, ENDED + (uint32_t)reason);
}
