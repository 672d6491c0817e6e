// Short injections (word_short.c), where the state word alone orders two bodies.
//
// A baton without payload lets one body run at a time. Each body works on plain memory, the ledger, and injects the
// baton again. Only the word hands the ledger on from one body to the next: the body that ends adds the baton, and a
// CAS takes it. In some rounds it is a state instead of a baton. The molecules that meet it are called turns. They have
// no payload, or the address of plain memory that their injector wrote, in one machine word or in more. So the rounds
// take each of the short paths: stored and counted, completed without being stored, stored and fired for the pool,
// plain.
//
// The clients are regulars (regulars.c), so the core gives them the short paths.

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "storms.h"

enum { MOST_TURNS = 400, SIZED = 24 };

struct box {
  uint64_t number, again;
};

static struct {
  crucible_name *turn, *baton;
  bool is_state, carries;
  uint32_t clients, turns;
  uint64_t seed;
  struct box *boxes;  ///< one for each turn of each client
  uint64_t ledger[2];
} shorts;

static void take_turn(void *context, void *const *inputs) {
  uint64_t *ledger = shorts.is_state ? inputs[1] : shorts.ledger;
  if (ledger[0] != ledger[1]) fail("two bodies have the baton");
  ledger[0]++;
  if (shorts.carries) {
    const struct box *box;
    memcpy(&box, inputs[0], sizeof box);
    if (box->number != box->again) fail("a turn is torn");
  }
  if (one_in(16)) sched_yield();
  ledger[1]++;
  if (!shorts.is_state && !crucible_inject(shorts.baton, shorts.ledger)) fail("the baton is refused");
}

/// Takes turns. Some clients rest now and then until no other thread is active, so that the next one finds the word as
/// it is when one thread is alone.
static void *take_turns(void *number) {
  seed_thread(shorts.seed, (uintptr_t)number);
  struct box *boxes = shorts.boxes + ((uintptr_t)number - 1) * MOST_TURNS;
  uint32_t rests = 1 + draw(40);
  for (uint64_t i = 0; i < shorts.turns; i++) {
    struct payload payload = {0};
    struct box *box = &boxes[i];
    box->number = box->again = i;
    memcpy(payload.bytes, &box, sizeof box);
    if (!crucible_inject(shorts.turn, payload.bytes)) fail("a turn is refused");
    if (one_in(rests)) {
      for (uint32_t pauses = draw(8); pauses > 0; pauses--) sched_yield();
    }
  }
  return NULL;
}

uint64_t storm_shorts(uint64_t seed) {
  static const uint32_t sizes[] = {0, 0, 8, 8, SIZED};
  uint32_t size = sizes[draw(sizeof sizes / sizeof *sizes)];
  shorts.seed = seed;
  shorts.is_state = one_in(4);
  shorts.carries = size > 0;
  shorts.clients = 2 + draw(REGULARS - 1);
  shorts.turns = 1 + draw(MOST_TURNS);
  shorts.boxes = calloc((size_t)shorts.clients * MOST_TURNS, sizeof *shorts.boxes);
  memset(shorts.ledger, 0, sizeof shorts.ledger);
  crucible_soup_options options = {.label = "shorts", .matcher = CRUCIBLE_WORD, .seed = seed + 1};
  crucible_name_options turn = {.label = "turn", .size = size, .alignment = 8};
  crucible_name_options baton = {.label = "baton"};
  if (shorts.is_state) {
    baton = (crucible_name_options){.label = "baton", .kind = CRUCIBLE_STATE, .size = 16, .alignment = 8};
  }
  crucible_soup *soup = crucible_soup_create(&options);
  if (!soup || !shorts.boxes || crucible_soup_add_name(soup, &turn, NULL, &shorts.turn) != CRUCIBLE_OK ||
      crucible_soup_add_name(soup, &baton, shorts.ledger, &shorts.baton) != CRUCIBLE_OK) {
    fail("no memory");
  }
  crucible_name *inputs[] = {shorts.turn, shorts.baton};
  crucible_reaction_options reaction = {.inputs = inputs, .input_count = 2, .body = take_turn,
                                        .placement = one_in(3) ? CRUCIBLE_POOL : CRUCIBLE_INLINE};
  complete(soup, &reaction);
  if (!shorts.is_state && !crucible_inject(shorts.baton, shorts.ledger)) fail("the baton is refused");
  call_regulars(shorts.clients, take_turns);
  join_regulars(shorts.clients);
  if (!crucible_soup_wait_quiet(soup, UINT64_C(60000000000))) fail("the soup does not become quiet");
  const uint64_t *ledger = shorts.is_state ? crucible_name_cell(shorts.baton) : shorts.ledger;
  if (ledger[0] != (uint64_t)shorts.clients * shorts.turns) {
    fail("there were %llu turns", (unsigned long long)ledger[0]);
  }
  crucible_soup_release(soup);
  free(shorts.boxes);
  return (uint64_t)shorts.clients * shorts.turns;
}
