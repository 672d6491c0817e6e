// The books of soups at rest: what every program in C checks when all is quiet. Each molecule that was injected is
// consumed, present, withdrawn or dropped, and no reaction is enabled (sentences 1 and 2 of Guarantees).
//
// A program keeps account of each name in its own way: by sums, by molecule, or by what a body reads. It hands over the
// sums, and gets the first sentence that does not hold.

#ifndef TESTS_BOOKS_H
#define TESTS_BOOKS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "CCrucible.h"

enum { BOOKS_SOUPS = 2, BOOKS_NAMES = 96, BOOKS_REACTIONS = 40, BOOKS_INPUTS = 72 };

struct books {
  size_t soup_count, name_count, reaction_count;
  crucible_soup *soups[BOOKS_SOUPS];
  struct {
    crucible_name *name;       ///< in the order of their declaration, the names of the first soup first
    uint64_t injected;         ///< net of what was refused
    uint64_t gone;             ///< consumed, withdrawn or destroyed, as far as the program sees it
    bool drops_unseen;         ///< its molecules have no value, so that only the soup counts those that it drops
  } names[BOOKS_NAMES];
  struct {
    size_t count;
    uint32_t inputs[BOOKS_INPUTS];  ///< the numbers of names; once for each molecule that the reaction takes
  } reactions[BOOKS_REACTIONS];
  size_t keys;                   ///< the keys of all its names are the numbers below; 0: they have none
  const void *key_type;
  uint64_t dropped, withdrawn;  ///< by clear and stop, and by callers, as far as the program sees it
  char wrong[256];              ///< the first sentence that does not hold
};

static inline bool books__wrong(struct books *books, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline bool books__wrong(struct books *books, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(books->wrong, sizeof books->wrong, format, list);
  va_end(list);
  return false;
}

static inline bool books__is_enabled(const struct books *books, size_t reaction, const uint64_t *counts) {
  crucible_soup *soup = crucible_name_soup(books->names[books->reactions[reaction].inputs[0]].name);
  if (crucible_soup_is_paused(soup) || crucible_soup_is_stopped(soup)) return false;
  uint64_t needs[BOOKS_NAMES] = {0};
  for (size_t i = 0; i < books->reactions[reaction].count; i++) {
    uint32_t input = books->reactions[reaction].inputs[i];
    if (++needs[input] > counts[input] || crucible_name_is_paused(books->names[input].name)) return false;
  }
  return true;
}

/// Whether the books are in order. Requires: the soups are quiet.
static inline bool books_balance(struct books *books) {
  uint64_t counts[BOOKS_NAMES], unseen = 0, dropped = 0, withdrawn = 0;
  for (size_t s = 0, first = 0; s < books->soup_count; s++) {
    crucible_soup_counts(books->soups[s], counts + first);
    while (first < books->name_count && crucible_name_soup(books->names[first].name) == books->soups[s]) first++;
    dropped += crucible_soup_dropped(books->soups[s]);
    withdrawn += crucible_soup_withdrawn(books->soups[s]);
  }
  for (size_t i = 0; i < books->name_count; i++) {
    crucible_name *name = books->names[i].name;
    crucible_kind kind = crucible_name_kind(name);
    bool is_state = kind == CRUCIBLE_STATE;
    uint64_t expected = is_state ? 1 : books->names[i].injected - books->names[i].gone, found = counts[i];
    if (is_state && books->keys) expected = found;  // the number of keys that have a value of it
    if (books->names[i].drops_unseen && found < expected) {
      unseen += expected - found;
    } else if (found != expected) {
      return books__wrong(books, "%s: %llu injected, %llu consumed, withdrawn or destroyed, but %llu present",
                          crucible_name_label(name), (unsigned long long)books->names[i].injected,
                          (unsigned long long)books->names[i].gone, (unsigned long long)found);
    }
    if (kind == CRUCIBLE_FACT && found > 1) return books__wrong(books, "%s is known twice", crucible_name_label(name));
    if (!is_state && kind != CRUCIBLE_FACT && found > 0 && crucible_soup_is_stopped(crucible_name_soup(name))) {
      return books__wrong(books, "%s: %llu wait, and the soup is stopped", crucible_name_label(name),
                          (unsigned long long)found);
    }
  }
  if (books->dropped + unseen != dropped) {
    return books__wrong(books, "%llu molecules are dropped, and the soup says %llu",
                        (unsigned long long)(books->dropped + unseen), (unsigned long long)dropped);
  }
  if (books->withdrawn != withdrawn) {
    return books__wrong(books, "%llu calls are withdrawn, and the soup says %llu", (unsigned long long)books->withdrawn,
                        (unsigned long long)withdrawn);
  }
  uint64_t all[BOOKS_NAMES] = {0}, sums[BOOKS_NAMES];
  memcpy(sums, counts, sizeof sums);
  for (unsigned key = 0; key == 0 || key < books->keys; key++) {
    if (books->keys) crucible_soup_counts_of(books->soups[0], books->key_type, &key, key % 2, counts);
    for (size_t i = 0; i < books->name_count; i++) all[i] += counts[i];
    for (size_t r = 0; r < books->reaction_count; r++) {
      if (books__is_enabled(books, r, counts)) return books__wrong(books, "reaction %zu is enabled at rest", r);
    }
  }
  for (size_t i = 0; books->keys && i < books->name_count; i++) {
    if (crucible_name_kind(books->names[i].name) >= CRUCIBLE_STATE || all[i] == sums[i]) continue;
    return books__wrong(books, "%s: the keys have %llu molecules, and there are %llu",
                        crucible_name_label(books->names[i].name), (unsigned long long)all[i],
                        (unsigned long long)sums[i]);
  }
  return true;
}

#endif
