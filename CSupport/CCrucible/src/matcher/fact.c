// See fact.h.

#include "matcher/fact.h"

#include <string.h>

#include "firing/firing.h"
#include "matcher/inject.h"

/// Informs a reaction whether the fact is known, if the reaction reads it. True: it does.
static bool tell(struct reaction *reaction, const struct crucible_name *fact, bool known) {
  const struct matcher *matcher = reaction->component->matcher;
  bool reads = false;
  for (uint32_t i = reaction->rule->input_count; i < reaction->rule->width; i++) {
    if (crucible__input(reaction, i) != fact) continue;
    reads = true;
    if (matcher->set_fact) {
      matcher->set_fact(reaction, i, known);
    } else {
      fetch_add_seq_cst(&reaction->missing, known ? -1 : 1);  // partner: the load in crucible__knows_facts
    }
  }
  return reads;
}

/// Informs all reactions of the component. True: some of them read the fact.
static bool tell_all(struct component *component, const struct crucible_name *fact, bool known) {
  bool reads = false;
  for (uint32_t r = 0; component->layout->has_facts && r < component->layout->reaction_count; r++) {
    if (tell(component->reactions[r], fact, known)) reads = true;
  }
  return reads;
}

bool crucible__store_fact(struct crucible_name *fact, const void *value) {
  uint8_t unknown = UNKNOWN;
  if (!cas_relaxed(&fact->fact, &unknown, BEING_STORED)) return false;
  if (fact->species->size > 0) memcpy(crucible__cell(fact), value, fact->species->size);
  store_release(&fact->fact, KNOWN);  // partner: the load in crucible__is_known
  return true;
}

bool crucible__inject_fact(struct crucible_name *fact, void *value) {
  struct crucible_soup *soup = fact->soup;
  struct thread *self = crucible__thread();
  if (!self) return crucible__refuse(CRUCIBLE_NO_MEMORY);
  struct stripe *stripe = crucible__enter(self, soup);  // the soup is not quiet before everything is settled
  crucible_status status = CRUCIBLE_OK;
  // FACT-3; partner: the exchange in a stop
  if (fetch_add_acq_rel(&soup->closed, 0) != 0) {
    status = CRUCIBLE_NOT_RUNNING;
  } else if (!crucible__store_fact(fact, value)) {
    status = CRUCIBLE_KNOWN_FACT;
  }
  if (status == CRUCIBLE_OK) {
    bool reads[soup->component_count];
    for (uint32_t c = 0; c < soup->component_count; c++) reads[c] = tell_all(&soup->components[c], fact, true);
    crucible__settle_several(self, soup, reads);
  }
  crucible__leave(stripe, soup);
  return status == CRUCIBLE_OK || crucible__refuse(status);
}

void crucible__begin_facts(struct component *component) {
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    struct reaction *reaction = component->reactions[r];
    atomic_init(&reaction->missing, reaction->rule->width - reaction->rule->input_count);
    for (uint32_t i = reaction->rule->input_count; i < reaction->rule->width; i++) {
      if (crucible__is_known(crucible__input(reaction, i))) tell(reaction, crucible__input(reaction, i), true);
    }
  }
}

void crucible__forget_fact(struct crucible_name *fact) {
  struct crucible_soup *soup = fact->soup;
  if (!crucible__is_known(fact)) return;
  for (uint32_t c = 0; c < soup->component_count; c++) tell_all(&soup->components[c], fact, false);
  if (fact->species->destroy) fact->species->destroy(crucible__cell(fact), fact->context, CRUCIBLE_STOPPED_SOUP);
  crucible__add_dropped(soup, 1);
  store_relaxed(&fact->fact, UNKNOWN);  // released by the end of the restart
}
