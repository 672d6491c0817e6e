// An open-addressing table of words: linear probing, a power of two of places, at most half of them taken.

#define _GNU_SOURCE
#include "harness_words.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
  const char *text;
  uint32_t length;
  uint32_t hash;
  uint64_t count;  // 0: the place is free
} entry;

struct harness_words {
  size_t capacity, used;
  uint64_t total;
  entry *entries;
};

static entry *allocate_entries(size_t capacity) {
  entry *entries = calloc(capacity, sizeof *entries);
  if (!entries) abort();
  return entries;
}

harness_words *harness_words_create(void) {
  harness_words *words = malloc(sizeof *words);
  if (!words) abort();
  *words = (harness_words){.capacity = 512, .entries = allocate_entries(512)};
  return words;
}

void harness_words_free(harness_words *words) {
  free(words->entries);
  free(words);
}

static inline unsigned char folded(char c) {
  unsigned char byte = (unsigned char)c;
  return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;
}

static inline bool in_word(char c) {
  unsigned char byte = folded(c);
  return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte > 127;
}

static bool same(const entry *place, const char *text, uint32_t length, uint32_t hash) {
  if (place->hash != hash || place->length != length) return false;
  for (uint32_t i = 0; i < length; i++) {
    if (folded(place->text[i]) != folded(text[i])) return false;
  }
  return true;
}

static entry *find(const harness_words *words, const char *text, uint32_t length, uint32_t hash) {
  size_t mask = words->capacity - 1;
  size_t index = hash & mask;
  while (words->entries[index].count != 0 && !same(&words->entries[index], text, length, hash)) {
    index = (index + 1) & mask;
  }
  return &words->entries[index];
}

static void add(harness_words *words, const char *text, uint32_t length, uint32_t hash, uint64_t count);

static void grow(harness_words *words) {
  harness_words larger = {.capacity = words->capacity * 2, .entries = allocate_entries(words->capacity * 2)};
  for (size_t i = 0; i < words->capacity; i++) {
    entry old = words->entries[i];
    if (old.count != 0) add(&larger, old.text, old.length, old.hash, old.count);
  }
  free(words->entries);
  *words = larger;
}

static void add(harness_words *words, const char *text, uint32_t length, uint32_t hash, uint64_t count) {
  entry *place = find(words, text, length, hash);
  if (place->count == 0) {
    if ((words->used + 1) * 2 > words->capacity) {
      grow(words);
      place = find(words, text, length, hash);
    }
    *place = (entry){.text = text, .length = length, .hash = hash};
    words->used += 1;
  }
  place->count += count;
  words->total += count;
}

void harness_words_count(harness_words *words, harness_piece piece) {
  size_t i = 0;
  while (i < piece.length) {
    if (!in_word(piece.text[i])) {
      i += 1;
      continue;
    }
    size_t start = i;
    uint32_t hash = 2166136261u;  // FNV-1a
    for (; i < piece.length && in_word(piece.text[i]); i++) hash = (hash ^ folded(piece.text[i])) * 16777619u;
    add(words, piece.text + start, (uint32_t)(i - start), hash, 1);
  }
}

void harness_words_merge(harness_words *into, harness_words *from) {
  for (size_t i = 0; i < from->capacity; i++) {
    entry *old = &from->entries[i];
    if (old->count != 0) add(into, old->text, old->length, old->hash, old->count);
  }
  harness_words_free(from);
}

bool harness_words_equal(const harness_words *words, const harness_words *reference, uint64_t times) {
  if (words->used != reference->used || words->total != reference->total * times) return false;
  for (size_t i = 0; i < reference->capacity; i++) {
    const entry *expected = &reference->entries[i];
    if (expected->count == 0) continue;
    if (find(words, expected->text, expected->length, expected->hash)->count != expected->count * times) return false;
  }
  return true;
}

uint64_t harness_words_total(const harness_words *words) { return words->total; }
size_t harness_words_distinct(const harness_words *words) { return words->used; }
