// The order of arrival. The matcher `arrival` is `locked` (locked.c) with this choice instead of a random one.
//
//   ARRIVAL-1  Numbers are given under the lock, and rise. Molecules that are injected in one step arrive in the order
//       in which they were listed. A molecule that is put back arrives anew.
//   ARRIVAL-2  The enabled reaction whose youngest input arrived first fires. States do not count. If two
//       reactions share this input, the next youngest decides. If one reaction has no further input to compare, the
//       other fires first, because its additional input is older than all that they share. If all inputs are shared,
//       the order of declaration decides. Each input is the oldest of its name.
//   ARRIVAL-3  Whenever the lock is free, no reaction is enabled, unless the component is paused or stopped, or
//       `unsettled` says that some thread is going to settle. Until it has, all reactions of the component are
//       candidates at every arrival, so that no younger match is made before an older one.
//   ARRIVAL-4  A reserved firing has its molecules. Those that no thread takes at once wait in a list of the reaction,
//       oldest match first. So the molecules that react together do not depend on the threads that run the firings. A
//       call that is in a match can no longer be withdrawn.
//
// So the order in which threads acquire the lock decides alone which molecules react together. It does not decide the
// order in which bodies run or end.
//
// JErlang (Plociniczak and Eisenbach, COORDINATION 2010) calls the rule first match.

#include "matcher/locked/locked.h"

/// The number of the molecule that has `index` older ones before it.
static uint64_t number_of(const struct crucible_name *name, const struct shelf *shelf, uint64_t index) {
  const struct node *node = shelf->first;
  while (index > 0 && (name->has_payload || index >= node->times)) {
    index -= name->has_payload ? 1 : node->times;
    node = node->next;
  }
  return node->number + index;
}

/// Lists the numbers of the molecules that an enabled reaction would take, except states, the youngest first. Returns
/// their number.
static uint32_t list_numbers(const struct shelf *shelves, const struct reaction *reaction, uint64_t *numbers) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct crucible_name *name = crucible__input(reaction, i);
    if (name->kind == CRUCIBLE_STATE) continue;
    uint64_t older = 0;
    for (uint32_t k = 0; reaction->rule->repeats && k < i; k++) older += crucible__input(reaction, k) == name;
    uint64_t number = number_of(name, &shelves[name->bit], older);
    uint32_t at = count++;
    for (; at > 0 && numbers[at - 1] < number; at--) numbers[at] = numbers[at - 1];
    numbers[at] = number;
  }
  return count;
}

bool crucible__fires_before(const struct shelf *shelves, const struct reaction *one, const struct reaction *other) {
  uint64_t mine[CRUCIBLE_MAX_INPUTS], others[CRUCIBLE_MAX_INPUTS];
  uint32_t count = list_numbers(shelves, one, mine), other_count = list_numbers(shelves, other, others);
  for (uint32_t i = 0; i < count && i < other_count; i++) {
    if (mine[i] != others[i]) return mine[i] < others[i];
  }
  return count > other_count;
}
