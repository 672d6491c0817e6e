// The limits of a name with keys: of the molecules of one key, and of the keys. The capacity of all keys together is
// that of any name (firing/bounds.c).
//
//   KEY-8  If a name has limits, its queues have at most `capacity` molecules each, and at most `keys` of them are not
//       empty, apart from molecules that are put back. `filled` counts these queues: a thread counts an empty queue
//       before it stores a molecule there, and the last molecule that leaves is counted off. Both happen under the lock
//       of the shard. Other shards may change the count meanwhile, so it is counted by compare and swap.
//
// Progress: as keyed.c. A name without limits pays for none of this.

#include "matcher/inject.h"
#include "matcher/keyed/keyed.h"

bool crucible__keyed_admit(struct keyed *keyed, struct part *part, const struct crucible_name *name, bool anyway) {
  const crucible_key_options *option = name->species->key;
  uint64_t waiting = crucible__queue(keyed, part, name->bit)->count;
  if (option->capacity && waiting >= option->capacity && !anyway) return false;
  if (waiting > 0) return true;
  uint64_t filled = load_relaxed(&keyed->filled[name->bit]);
  do {
    if (option->keys && filled >= option->keys && !anyway) return false;
  } while (!cas_relaxed(&keyed->filled[name->bit], &filled, filled + 1));
  return true;
}

crucible_status crucible__store_limited(struct shard *shard, struct part *part, struct unstored molecule,
                                        uint64_t attempts, uint64_t due, bool anyway, struct entry **entry,
                                        void **dropped) {
  const struct crucible_name *name = molecule.name;
  struct keyed *keyed = name->component->own;
  crucible_when_full when_full = name->species->key->when_full;
  struct node *oldest = NULL;
  if (!crucible__keyed_admit(keyed, part, name, attempts > 0 || anyway)) {
    if (when_full == CRUCIBLE_REFUSE) return CRUCIBLE_FULL;
    if (when_full == CRUCIBLE_DROP_OLDEST) oldest = crucible__queue(keyed, part, name->bit)->first;
    if (!oldest) {  // `.dropNewest`, or there is one key too many
      *dropped = (void *)molecule.value;
      return CRUCIBLE_OK;
    }
  }
  *entry = crucible__keyed_arrive(keyed, shard, part, name, molecule.value, attempts, due);
  if (!*entry) return CRUCIBLE_NO_MEMORY;
  if (!oldest) return CRUCIBLE_OK;
  crucible__keyed_leave(keyed, shard, oldest, name->bit);
  *dropped = crucible__shelf_value(&shard->shelves[name->bit], oldest);
  return CRUCIBLE_OK;
}

void crucible__end_dropped(struct shard *shard, const struct crucible_name *name, const void *value, void *dropped) {
  struct shelf *shelf = &shard->shelves[name->bit];
  struct bound *bound = crucible__bound_of(name);
  if (bound) crucible__release_bound(bound, 1);
  crucible__end_unconsumed(name, dropped, CRUCIBLE_DISPLACED, name->species->key->full_into);
  if (dropped == value) return;
  struct node *node = (struct node *)(void *)((char *)dropped - shelf->payload);
  struct part *ended = NULL;
  node->next = NULL;
  lock_acquire(&shard->lock);
  crucible__keyed_give_all(name->component->own, shard, node, name->bit, &ended);
  lock_release(&shard->lock);
  crucible__end_parts(name->component, shard, ended, CRUCIBLE_GONE);
}
