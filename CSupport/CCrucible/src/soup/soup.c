// The life of a soup.
//
// The contents (bags, states, bodies) live while the soup is held (firing/holds.h). The shell (the soup's memory,
// names, labels, words) lives as long as `shell` is not 0. So a name can still be read after its soup is gone. The
// contents hold one reference.
//
// Destroying the contents destroys values and bodies, which may own other soups. A soup that dies while the same thread
// destroys another one waits in a list. So a long chain of owners needs no stack.

#include "soup/soup.h"

#include <string.h>

#include "base/errors.h"
#include "base/grace.h"
#include "base/memory.h"
#include "firing/stripes.h"
#include "matcher/fact.h"
#include "matcher/matcher.h"
#include "soup/chemistry.h"
#include "soup/held.h"
#include "soup/inject.h"

// The count for threads without a record. Every other thread counts the soups that it creates and ends in its record,
// so that threads which define soups share no counter.
static _Atomic uint64_t live_soups;
static struct lock registry_lock = {PTHREAD_MUTEX_INITIALIZER};  // protects the list of live soups
static struct crucible_soup *newest;
static _Thread_local uint64_t last_seed __attribute__((tls_model("initial-exec")));
static _Thread_local struct crucible_soup *dying __attribute__((tls_model("initial-exec")));
static _Thread_local struct crucible_soup *destroying __attribute__((tls_model("initial-exec")));

uint64_t crucible_live_soups(void) {
  uint64_t count = load_relaxed(&live_soups);
  for (const struct thread *t = crucible__thread_list(); t; t = t->next) count += load_relaxed(&t->soups);
  return (int64_t)count < 0 ? 0 : count;  // the end of a soup may be seen without its beginning
}

static inline void count_live(uint64_t change) {
  struct thread *self = crucible__self;
  if (LIKELY(self != NULL)) {
    store_relaxed(&self->soups, load_relaxed(&self->soups) + change);
  } else {
    fetch_add_relaxed(&live_soups, change);
  }
}

static void enlist(struct crucible_soup *soup) {
  lock_acquire(&registry_lock);
  soup->older = newest;
  soup->newer = NULL;
  if (newest) newest->newer = soup;
  newest = soup;
  soup->is_listed = true;
  lock_release(&registry_lock);
}

void crucible__delist(struct crucible_soup *soup) {
  if (!soup->is_listed) return;
  lock_acquire(&registry_lock);
  if (soup->older) soup->older->newer = soup->newer;
  if (soup->newer) soup->newer->older = soup->older;
  if (newest == soup) newest = soup->older;
  soup->is_listed = false;
  lock_release(&registry_lock);
}

size_t crucible_all_soups(crucible_soup **soups, size_t capacity) {
  size_t count = 0;
  lock_acquire(&registry_lock);
  // A soup that is about to go is in the list until it has been removed under this lock. Spares cannot be held.
  for (struct crucible_soup *soup = newest; soup && count < capacity; soup = soup->older) {
    if (crucible_soup_hold(soup)) soups[count++] = soup;
  }
  lock_release(&registry_lock);
  return count;
}

void crucible_soup_hide(crucible_soup *soup) { crucible__delist(soup); }

/// Marks the soup as the parent's, in the child of a fork. All its uses are refused from now on.
static void inherit(struct crucible_soup *soup) {
  soup->inherited = true;
  // The contents are gone, or are being destroyed, or a spare is being reused. The records of its components may be
  // freed. The soup can no longer be held.
  if (load_relaxed(&soup->holds) == 0) return;
  lock_create(&soup->lock);  // a thread of the parent may have held it
  fetch_add_relaxed(&soup->holds, CRUCIBLE_OWNER);
  // A definition may be in the middle of adding a name, or of making a component.
  for (uint32_t i = 0; i < soup->name_count; i++) {
    if (soup->names[i]) store_relaxed(&soup->names[i]->inject, crucible__refusing_inject);
  }
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    if (component->matcher) component->matcher->inherit(component);
  }
}

void crucible__registry_before_fork(void) { lock_acquire(&registry_lock); }
void crucible__registry_after_fork(bool in_child) {
  if (in_child) {
    for (struct crucible_soup *soup = newest; soup; soup = soup->older) {
      soup->is_listed = false;
      if (!soup->is_spare && soup != destroying) inherit(soup);
    }
    last_seed = 0;
    if (destroying) destroying->inherited = true;
    newest = NULL;
    store_relaxed(&live_soups, 0);
    for (struct thread *t = crucible__thread_list(); t; t = t->next) store_relaxed(&t->soups, 0);
  }
  lock_release(&registry_lock);
}

// The first block has room for three names and a reaction.
enum { SOUP_SIZE = sizeof(struct crucible_soup) + 960 };

/// Makes a seed. Soups of one thread get different seeds. Seeds of different threads differ by the time and the
/// address.
static uint64_t own_seed(const struct crucible_soup *soup) {
  if (UNLIKELY(last_seed == 0)) last_seed = crucible_now() << 32 ^ (uintptr_t)&last_seed;
  last_seed += UINT64_C(0xD1B54A32D192ED03);
  return (last_seed ^ (uintptr_t)soup) | 1;
}

void crucible_soup_set_seed(crucible_soup *soup, uint64_t seed) {
  soup->seed = seed;
  // Every thread begins with the same stream, so the choices of a soup that one thread drives depend only on the seed.
  // A multiplication spreads the seed, because xorshift starts slowly from small seeds.
  uint64_t spread = soup->seed * UINT64_C(0x9E3779B97F4A7C15);
  crucible__begin_stripes(soup->stripes, OWN_STRIPES, spread);
  struct stripe *near = load_relaxed(&soup->near);
  if (UNLIKELY(near != NULL)) crucible__begin_stripes(near, NEAR_STRIPES, spread);
  atomic_init(&soup->crowd.random, spread);
}

/// Sets the members with which each soup of a block begins. All others are zero.
static inline void begin_again(struct crucible_soup *soup, uint64_t seed) {
  lock_create(&soup->lock);
  atomic_init(&soup->definer, (uintptr_t)&crucible__self);
  soup->held_end = &soup->held;
  soup->crowd = (struct crowd){};
  crucible_soup_set_seed(soup, seed ? seed : own_seed(soup));
  atomic_init(&soup->shell, 1);
}

static inline void zero(struct crucible_soup *soup) {
  char *first = (char *)&soup->name_count, *second = (char *)(void *)&soup->frozen;
  memset(first, 0, (size_t)((char *)&soup->single.soup - first));
  memset(second, 0, (size_t)((char *)&soup->components - second));
}

/// Acquires the first hold of the soup.
static inline void come_alive(struct crucible_soup *soup) {
  count_live(1);
  // A spare is in the list: from here on a walk of the list finds the soup. partner: the compare-and-swap in
  // crucible_soup_hold
  store_release(&soup->holds, CRUCIBLE_OWNER | CRUCIBLE_WATCHED);
  // It is not a spare, or a fork has removed it from the list, or the last soup of the block was hidden.
  if (UNLIKELY(!soup->is_listed)) enlist(soup);
}

crucible_soup *crucible_soup_create(const crucible_soup_options *options) {
  crucible__grace_begin();
  struct chemistry *chemistry = crucible__begin_chemistry(options);
  if (!chemistry) return NULL;
  struct crucible_soup *soup = chemistry->is_shared ? crucible__take_spare(chemistry) : NULL;
  if (soup) {
    zero(soup);
  } else {
    size_t size = chemistry->is_shared ? chemistry->size : SOUP_SIZE;
    soup = crucible__allocate(size, CRUCIBLE_LINE);
    if (!soup) {
      crucible__release_chemistry(chemistry);
      return NULL;
    }
    memset((void *)soup, 0, sizeof *soup);  // the other parts are zeroed one by one
    soup->size = (uint32_t)size;
    soup->place = soup->chemistry = chemistry;
    crucible__arena_begin(&soup->arena, soup + 1, size - sizeof *soup);
  }
  begin_again(soup, options->seed);
  atomic_init(&soup->context, options->context);
  soup->report_unowned = options->unowned;
  come_alive(soup);
  return soup;
}

crucible_soup *crucible_soup_repeat(const void *site, uintptr_t variant, uint32_t line, crucible_matcher matcher,
                                    crucible_label label) {
  struct crucible_soup *soup = crucible__take_spare_like(site, variant, line, matcher, label);
  if (!soup) return NULL;
  zero(soup);
  begin_again(soup, 0);
  come_alive(soup);
  return soup;
}

void *crucible_soup_kept(const crucible_soup *soup) { return soup->kept; }
void crucible_soup_keep(crucible_soup *soup, void *kept) { soup->kept = kept; }

// ---------------------------------------------------------------------------------------------------------------------
// The end
// ---------------------------------------------------------------------------------------------------------------------

static void destroy_contents(struct crucible_soup *soup) {
  if (!crucible__may_be_spare(soup)) crucible__delist(soup);
  crucible__destroy_held(soup);
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    if (component->matcher) component->matcher->destroy(component);
  }
  for (uint32_t i = 0; i < soup->name_count && !soup->chemistry->ends_no_name; i++) {
    struct crucible_name *name = soup->names[i];
    const struct species *species = name->species;
    const crucible_key_options *key = species->key;
    if (key) key->release(key->context);
    const crucible_expiry_options *expiry = species->expiry;
    if (expiry) expiry->release(expiry->context);
    if (crucible__has_cell(name) && !key) {
      bool has_value = name->kind == CRUCIBLE_STATE || crucible__is_known(name);
      if (name->kind == CRUCIBLE_FACT) store_relaxed(&name->fact, UNKNOWN);  // seen late, it does no harm
      if (species->destroy && has_value) species->destroy(crucible__cell(name), name->context, CRUCIBLE_GONE);
    }
    if (species->release && !species->context) species->release(name->context);
  }
  for (size_t r = 0; r < soup->reaction_count; r++) {
    struct reaction *reaction = soup->reactions[r];
    if (crucible__may_be_spare(soup) && load_relaxed(&reaction->owned_stays)) {
      if (reaction->owned) reaction->rule->empty(reaction->owned);
    } else {
      if (reaction->rule->release) reaction->rule->release(reaction->owned);
      reaction->owned = NULL;
    }
  }
  void *context = crucible_soup_context(soup);
  if (context && soup->place->options.release) soup->place->options.release(context);
  if (soup->kept && !soup->place->options.end_kept(soup->kept, crucible__may_be_spare(soup))) soup->kept = NULL;
  if (!soup->inherited) count_live(UINT64_MAX);
  crucible_soup_release_shell(soup);
}

void crucible__free_soup(struct crucible_soup *soup) {
  crucible__free(load_relaxed(&soup->near), NEAR_STRIPES * sizeof(struct stripe));
  crucible__arena_free(&soup->arena);
  crucible__release_chemistry(soup->chemistry);
  crucible__free(soup, soup->size);
}

static void free_shell(struct crucible_soup *soup) {
  lock_destroy(&soup->lock);
  crucible__free_further_stripes(soup);
  crucible__free_untold(soup);
  if (crucible__keep_spare(soup)) return;
  crucible__delist(soup);
  crucible__end_all_kept(soup);
  crucible__free_soup(soup);
}

void crucible__soup_destroy(struct crucible_soup *soup) {
  soup->next_dying = dying;
  dying = soup;
  if (destroying) return;
  while ((soup = dying)) {
    dying = soup->next_dying;
    destroying = soup;
    destroy_contents(soup);
  }
  destroying = NULL;
}

void *crucible_soup_give_context(crucible_soup *soup, void *context, bool *is_frozen) {
  lock_acquire(&soup->lock);
  void *first = load_relaxed(&soup->context);
  if (!first) store_release(&soup->context, first = context);  // partner: the acquire in crucible_soup_context
  *is_frozen = load_relaxed(&soup->frozen);
  lock_release(&soup->lock);
  return first;
}

void crucible_soup_retain_shell(crucible_soup *soup) { fetch_add_relaxed(&soup->shell, 1); }

void crucible_soup_release_shell(crucible_soup *soup) {
  // The last reference needs no locked instruction, because no other thread has one to copy. partner: the subtraction
  // below; the memory is freed after its last use
  if (load_acquire(&soup->shell) == 1 || fetch_sub_acq_rel(&soup->shell, 1) == 1) free_shell(soup);
}
