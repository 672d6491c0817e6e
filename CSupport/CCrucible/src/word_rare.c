// The matcher `word`, what is rare: full fields, abandoned calls, and injections that meet a stop.
//
// `attention` is 0 as long as none of it ever happened, and is all that the common path looks at: after firing, and before
// leaving without having fired. Its bits are set, seq_cst, before what they announce; whoever adds to the word does so by a
// seq_cst read-modify-write and then looks: so either he sees the bit, or whoever set it sees the addition.
//
// Full fields: W3 and W4 of word.c.
//
// Abandoned calls (word_control.c says when a call is abandoned)
//   S1  At rest no abandoned call is counted. Whoever abandons one puts it on the list, sets ABANDONED, and then tries again; who
//       finds it still undecided puts it back on the list and tries again as long as something changes. A count of its name
//       that comes later is added by somebody who fires it away or looks at the list before he leaves.
//
//   S2  Bringing a count over is an addition: who does looks at the list after it, and again as long as that changes anything.
//
// Counts that meet a stop
//   S3  A stopped component holds nothing at rest. New injections are refused by the name's own function; one that was past it
//       adds its count to a word that shows STOPPED, fires nothing, and sees REFUSING, which was set before. So does whoever
//       brings a count over. They then drop whatever there is, as whoever stopped did: all counts by one CAS, only from a word
//       that still shows STOPPED, and the overflow. If there is none, somebody else has taken it. If the word does not show
//       STOPPED any more, the molecule counts as injected after the restart, and is settled like any other.
//   S4  What was injected after a restart is never dropped for the stop: droppers are counted from before they read the word until
//       they have popped, and a restart waits for them after it has cleared STOPPED. That quiet was seen before does not
//       help: an injection may begin to be counted after that, and still find the word stopped.

#include "word.h"

#include "reclamation.h"

bool crucible__word_bring(struct component *component, struct crucible_name *name) {
  bool brought = false;
  for (;;) {
    uint64_t over = load_seq_cst(&name->overflow);  // partner: the addition in spill
    uint64_t word = load_seq_cst(&component->word);
    if (over == 0 || (word & name->mask) >= name->limit) return brought;
    if (!cas_seq_cst(&name->overflow, &over, over - 1)) continue;
    // One count in hand: into the word, or back.
    while ((word & name->mask) < name->limit) {
      if (cas_seq_cst(&component->word, &word, word + name->unit)) {
        brought = true;
        break;
      }
    }
    if ((word & name->mask) >= name->limit) fetch_add_seq_cst(&name->overflow, 1);
  }
}

static bool bring_all(struct component *component) {
  bool brought = false;
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    if (name->kind == CRUCIBLE_STATE || load_seq_cst(&name->overflow) == 0) continue;
    if (crucible__word_bring(component, name)) brought = true;
  }
  return brought;
}

bool crucible__word_make_room(struct thread *self, struct component *component, const struct reaction *reaction) {
  bool brought = false;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    struct crucible_name *name = reaction->inputs[i].name;
    if (name->kind != CRUCIBLE_STATE && crucible__word_bring(component, name)) brought = true;
  }
  if (load_seq_cst(&component->attention) & ~(uint32_t)SPILLED) {
    if (crucible__word_tend(self, component)) brought = true;
  }
  return brought;
}

bool crucible__word_spill(struct component *component, struct crucible_name *name) {
  fetch_or_seq_cst(&component->attention, SPILLED);  // partner: the load in fired
  fetch_add_seq_cst(&name->overflow, 1);             // partner: the load in bring by whoever makes room
  return crucible__word_bring(component, name);
}

// ---------------------------------------------------------------------------------------------------------------------
// Abandoned calls
// ---------------------------------------------------------------------------------------------------------------------

struct abandoned {
  struct abandoned *next;
  struct place place;
};

/// Puts the calls from `first` to `last` on the list of their name.
static void push_abandoned(struct crucible_name *name, struct abandoned *first, struct abandoned *last) {
  last->next = load_relaxed(&name->abandoned);
  while (!cas_seq_cst(&name->abandoned, &last->next, first)) {
  }
}

/// Without a count of the name nothing can be withdrawn.
static bool has_counts(const struct component *component, struct crucible_name *name) {
  return (load_seq_cst(&component->word) & name->mask) || load_seq_cst(&name->overflow) != 0;
}

void crucible__word_abandon(struct thread *self, struct crucible_name *name, const struct place *place) {
  struct abandoned *call = crucible__allocate(sizeof *call, 64);
  if (!call) crucible__die("no memory to note that a call is withdrawn");
  *call = (struct abandoned){.place = *place};
  push_abandoned(name, call, call);
  fetch_or_seq_cst(&name->component->attention, ABANDONED);  // partner: the loads in fired and before leaving
  struct reaction *reaction = crucible__word_attend(self, name->component);
  if (reaction) crucible__submit_elsewhere(reaction);
}

/// Tries the calls of a name until no count of it is left. True: something changed by it, or meanwhile. What is still undecided
/// is on the list again, and what has not been tried.
static bool retry(struct thread *self, struct component *component, struct crucible_name *name) {
  struct abandoned *call = exchange_seq_cst(&name->abandoned, NULL);
  bool changed = false;
  CRUCIBLE_FIRING(room, component);
  while (call) {
    struct abandoned *next = call->next;
    bool given_back = false;
    enum withdrawal result = crucible__word_try_to_withdraw(self, name, &call->place, room.storage, &given_back);
    if (result == UNDECIDED) {
      struct abandoned *last = call;
      while (last->next) last = last->next;
      push_abandoned(name, call, last);
      // Counted meanwhile? Whoever counted it may have found the list empty, while it was in this thread's hands.
      if (has_counts(component, name)) changed = true;
      break;
    }
    if (result == WITHDRAWN) {
      if (name->destroy) name->destroy(room.storage, name->context, CRUCIBLE_WITHDRAWN);
      fetch_add_relaxed(&component->soup->withdrawn, 1);
      changed = true;  // room was made
    }
    if (given_back) changed = true;
    crucible__free(call, sizeof *call);
    call = next;
  }
  CRUCIBLE_FIRING_END(room, component);
  return changed;
}

static bool retry_all(struct thread *self, struct component *component) {
  bool changed = false;
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    if (name->kind == CRUCIBLE_STATE || !load_seq_cst(&name->abandoned) || !has_counts(component, name)) continue;
    if (retry(self, component, name)) changed = true;
  }
  return changed;
}

void crucible__word_forget_abandoned(struct component *component) {
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct abandoned *call = load_acquire(&component->names[i]->abandoned);
    while (call) {
      struct abandoned *next = call->next;
      crucible__free(call, sizeof *call);
      call = next;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// All of it
// ---------------------------------------------------------------------------------------------------------------------

bool crucible__word_tend(struct thread *self, struct component *component) {
  bool brought = false;
  for (;;) {
    if (bring_all(component)) brought = true;
    uint32_t attention = load_seq_cst(&component->attention);
    bool changed = (attention & REFUSING) && crucible__word_drop_stopped(component) > 0;
    if ((attention & ABANDONED) && retry_all(self, component)) changed = true;
    if (!changed) return brought;
  }
}

struct reaction *crucible__word_attend(struct thread *self, struct component *component) {
  return crucible__word_tend(self, component) ? crucible__word_settle_all(self, component, NULL) : NULL;
}
