// The molecules: plain memory. The injector writes every byte of it, and the consumer reads every byte.
// Each has a number of its own (fates.h).

#include <stdlib.h>
#include <string.h>

#include "storms.h"

enum { BOX = 64 };

static unsigned char byte_of(uint64_t number, uint32_t index) { return (unsigned char)(number * 31 + index); }

static void fill(unsigned char *bytes, uint32_t begin, uint32_t end, uint64_t number) {
  for (uint32_t i = begin; i < end; i++) bytes[i] = byte_of(number, i);
}

static bool is_filled(const unsigned char *bytes, uint32_t begin, uint32_t end, uint64_t number) {
  for (uint32_t i = begin; i < end; i++) {
    if (bytes[i] != byte_of(number, i)) return false;
  }
  return true;
}

static uint32_t filled_from(const struct kind *kind) { return kind->boxed || kind->kind == CRUCIBLE_FAST ? 16 : 8; }

static void *second_word(const void *value) {
  void *word;
  memcpy(&word, (const unsigned char *)value + 8, sizeof word);
  return word;
}

static uint64_t number_of(const void *value) {
  uint64_t number;
  memcpy(&number, value, sizeof number);
  return number;
}

bool make_molecule(struct kind *kind, struct payload *payload, struct call *call) {
  if (kind->size > 0) {
    uint64_t number = fates_number(&kind->vessel->fates);
    if (number == 0) return false;
    memcpy(payload->bytes, &number, sizeof number);
    if (call) {
      call->number = number;
      memcpy(payload->bytes + 8, &call, sizeof call);
    } else if (kind->boxed) {
      unsigned char *box = malloc(BOX);
      if (!box) fail("no memory");
      fill(box, 0, BOX, number);
      memcpy(payload->bytes + 8, &box, sizeof box);
    }
    fill(payload->bytes, filled_from(kind), kind->size, number);
    fates_move(&kind->vessel->fates, number, UNBORN, ALIVE);
  }
  atomic_fetch_add_explicit(&kind->injected, 1, memory_order_relaxed);
  return true;
}

void check_molecule(struct kind *kind, const void *value) {
  if (kind->size == 0) return;
  uint64_t number = number_of(value);
  if (fates_now(&kind->vessel->fates, number) != ALIVE) {
    fail("molecule %llu of name %u is not alive", (unsigned long long)number, kind->index);
  }
  if (!is_filled(value, filled_from(kind), kind->size, number)) {
    fail("molecule %llu is torn", (unsigned long long)number);
  }
  if (kind->boxed && !is_filled(second_word(value), 0, BOX, number)) {
    fail("the box of molecule %llu is torn", (unsigned long long)number);
  }
}

/// Ends a molecule, once, whatever its fate.
static struct call *end(struct kind *kind, void *value, enum fate fate) {
  if (kind->size == 0) return NULL;
  check_molecule(kind, value);
  fates_move(&kind->vessel->fates, number_of(value), ALIVE, fate);
  if (kind->boxed) free(second_word(value));
  return kind->kind == CRUCIBLE_FAST ? second_word(value) : NULL;
}

struct call *end_molecule(struct kind *kind, void *value, enum fate fate) {
  atomic_fetch_add_explicit(&kind->consumed, 1, memory_order_relaxed);
  return end(kind, value, fate);
}

void unmake_molecule(struct kind *kind, struct payload *payload) {
  atomic_fetch_sub_explicit(&kind->injected, 1, memory_order_relaxed);
  end(kind, payload->bytes, UNBORN);
}

// ---------------------------------------------------------------------------------------------------------------------
// States
// ---------------------------------------------------------------------------------------------------------------------

void reset_cell(crucible_name *state, void *context) {
  const struct kind *kind = crucible_name_context(state);
  unsigned char *cell = crucible_name_cell(state);
  if (kind->size == 0) return;
  memset(cell, 0, 8);
  fill(cell, 8, kind->size, 0);
}

void check_cell(const struct kind *kind, const unsigned char *cell) {
  if (kind->size > 0 && !is_filled(cell, 8, kind->size, number_of(cell))) fail("state %u is torn", kind->index);
}

void change_cell(const struct kind *kind, unsigned char *cell) {
  if (kind->size == 0) return;
  check_cell(kind, cell);
  uint64_t version = number_of(cell) + 1;
  memcpy(cell, &version, sizeof version);
  fill(cell, 8, kind->size, version);
}
