// See machine.h.
//
// Caches. Of a line is known who has a valid copy, and when it can next leave for a reader (`readable`) or a writer (`writable`).
//   A load hits if the processor has a valid copy; everything else hits if nobody else has one.
//   What misses takes the line as soon as it may leave, in the order of the requests, and has it `transfer` later. A writer keeps it
//   for `hold` at least before it leaves for the next one; until then, and until the next one takes it, the owner hits.
//   Readers fetch copies at the same time; a writer waits until they have them.
// Processors. Each announced access is preceded by `work` ns of instructions, by half of it up to half more: processors that all
// take exactly as long fall into step, as real ones never do (with glibc's mutex two of them then fail at every lock). A load that hits costs nothing more; exchanges
//   (fetch-and-add and the like) and CASes cost `exchange` and `cas`. A plain store that misses costs the processor nothing then
//   and there, for it goes on; but the next exchange, CAS or fence waits until its stores have their lines (x86's store buffer).
// The kernel. A call costs `call`, by half of it up to half more; waking somebody costs the caller `wake`, and whom it wakes runs `sleep` later.

#define _GNU_SOURCE  // dl_iterate_phdr
#include "machine.h"

#include <link.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static double work, transfer, hold, exchange, cas, pause_cost, call, wake, sleep_cost, seed;
static const struct {
  const char *name;
  double *value;
} costs[] = {{"work", &work},   {"transfer", &transfer}, {"hold", &hold}, {"exchange", &exchange},  {"cas", &cas},
             {"pause", &pause_cost}, {"call", &call},         {"wake", &wake}, {"sleep", &sleep_cost},   {"seed", &seed}};

struct line {
  uintptr_t number;  // address / MACHINE_LINE; 0: no line
  uint64_t valid;    // who has a valid copy; 0: nobody has touched it yet
  double readable, writable;
  uint64_t taken;  // how often a writer took it from another processor
};
enum { LINES = 1 << 18 };

struct processor {
  jmp_buf where;
  ucontext_t context;
  char *stack;
  char *locals;  // its image of the thread-local storage
  double now;
  double stores;  // when its stores have their lines
  const volatile void *sleeps_on;
  bool is_started, is_done;
};
enum { STACK = 1 << 18 };

static struct line lines[LINES];
static size_t lines_used;
static struct processor processors[MACHINE_PROCESSORS];
static size_t processor_count;
static struct processor *current;
static double others;  // the least clock of the other processors that could run
static jmp_buf outside;
static void (*job)(void *, size_t);
static void *job_context;

static struct {
  uint64_t accesses, exchanges, cas, failed_cas, loads_moved, stores_moved, exchanges_moved, pauses, sleeps;
} count;

static uint64_t random_state;

/// 0.5 … 1.5, from the seed: Marsaglia's xorshift64.
static double about_one(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return 0.5 + (double)(random_state >> 11) * 0x1p-53;
}

static _Noreturn void die(const char *what) {
  fprintf(stderr, "simulated machine: %s\n", what);
  exit(1);
}

bool machine_set_cost(const char *text) {
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
    size_t length = strlen(costs[i].name);
    if (strncmp(text, costs[i].name, length) != 0 || text[length] != '=') continue;
    char *end;
    *costs[i].value = strtod(text + length + 1, &end);
    return end != text + length + 1 && *end == 0 && *costs[i].value >= 0;
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Thread-local storage: the program's own block is exchanged with each switch
// ---------------------------------------------------------------------------------------------------------------------

static _Thread_local bool is_the_one;  // true on the thread of the kernel that simulates; liburcu has others
static char *locals;
static size_t locals_size;
static char *fresh;  // the block as a thread finds it that begins

static int find_locals(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
    locals = info->dlpi_tls_data;
    locals_size = info->dlpi_phdr[i].p_memsz;
  }
  return 1;  // the first is the program itself
}

static void __attribute__((constructor)) note_locals(void) {
  dl_iterate_phdr(find_locals, NULL);
  if (!locals) die("the program's thread-local storage was not found");
  is_the_one = true;
  fresh = malloc(locals_size);
  if (!fresh) die("no memory");
  memcpy(fresh, locals, locals_size);
}

bool machine_is_on(void) { return is_the_one && current != NULL; }

// ---------------------------------------------------------------------------------------------------------------------
// Taking turns
// ---------------------------------------------------------------------------------------------------------------------

static bool can_run(const struct processor *p) { return !p->is_done && !p->sleeps_on; }

static struct processor *earliest(const struct processor *except) {
  struct processor *found = NULL;
  for (size_t i = 0; i < processor_count; i++) {
    struct processor *p = &processors[i];
    if (p != except && can_run(p) && (!found || p->now < found->now)) found = p;
  }
  return found;
}

static void begin(void);

static _Noreturn void go_on(struct processor *next) {
  current = next;
  const struct processor *second = earliest(next);
  others = second ? second->now : __builtin_inf();
  memcpy(locals, next->locals, locals_size);
  if (next->is_started) _longjmp(next->where, 1);
  next->is_started = true;
  setcontext(&next->context);
  die("a processor did not start");
}

static void give_way(void) {
  struct processor *next = earliest(NULL);
  if (!next) die("everybody sleeps");
  memcpy(current->locals, locals, locals_size);
  if (_setjmp(current->where) == 0) go_on(next);
}

/// Until nobody is behind.
static void wait_turn(void) {
  while (current->now > others) give_way();
}

static void begin(void) {
  job(job_context, (size_t)(current - processors));
  current->is_done = true;
  struct processor *next = earliest(NULL);
  if (next) {
    memcpy(current->locals, locals, locals_size);
    go_on(next);
  }
  for (size_t i = 0; i < processor_count; i++) {
    if (!processors[i].is_done) die("everybody who is left sleeps");
  }
  memcpy(current->locals, locals, locals_size);
  _longjmp(outside, 1);
}

double machine_run(size_t number, void (*function)(void *, size_t), void *context) {
  static char *outer_locals;
  if (!outer_locals && !(outer_locals = malloc(locals_size))) die("no memory");
  memset(lines, 0, sizeof lines);
  memset(&count, 0, sizeof count);
  lines_used = 0;
  random_state = 0x9e3779b97f4a7c15u + (uint64_t)seed * 0xff51afd7ed558ccdu;
  processor_count = number;
  job = function;
  job_context = context;
  for (size_t i = 0; i < number; i++) {
    struct processor *p = &processors[i];
    if (!p->stack) {
      p->stack = aligned_alloc(MACHINE_LINE, STACK);
      p->locals = malloc(locals_size);
      if (!p->stack || !p->locals) die("no memory");
      memcpy(p->locals, fresh, locals_size);
    }
    getcontext(&p->context);
    p->context.uc_stack.ss_sp = p->stack;
    p->context.uc_stack.ss_size = STACK;
    p->context.uc_link = NULL;
    makecontext(&p->context, begin, 0);
    p->now = p->stores = 0;
    p->is_started = p->is_done = false;
    p->sleeps_on = NULL;
  }
  memcpy(outer_locals, locals, locals_size);
  if (_setjmp(outside) == 0) go_on(&processors[0]);
  memcpy(locals, outer_locals, locals_size);
  current = NULL;
  double end = 0;
  for (size_t i = 0; i < number; i++) {
    if (processors[i].now > end) end = processors[i].now;
  }
  return end;
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------

static double later(double a, double b) { return a > b ? a : b; }

static struct line *line_of(uintptr_t number) {
  size_t i = (number * 0x9e3779b97f4a7c15u >> 40) % LINES;
  while (lines[i].number != 0 && lines[i].number != number) i = (i + 1) % LINES;
  if (lines[i].number == 0) {
    if (++lines_used > LINES / 2) die("more lines than there is room for");
    lines[i].number = number;
  }
  return &lines[i];
}

/// Thread-local: nobody else is there, although all have it at the same address. Stacks are memory like any other: callers wait there
/// for replies.
static bool is_local(const char *address) { return (size_t)(address - locals) < locals_size; }

static void miss(struct line *line, enum access access, uint64_t self) {
  double leaves = later(current->now, line->readable);
  if (access == ACCESS_LOAD) {
    count.loads_moved++;
    line->writable = later(line->writable, leaves + transfer);
  } else {
    line->taken++;
    leaves = later(leaves, line->writable);
    line->readable = line->writable = leaves + transfer + hold;
  }
  if (access == ACCESS_STORE) {
    count.stores_moved++;
    current->stores = later(current->stores, leaves + transfer);
    line->valid = self;
    return;
  }
  if (access != ACCESS_LOAD) count.exchanges_moved++;
  current->now = leaves;
  wait_turn();  // until then whoever has it may use it
  line->valid = access == ACCESS_LOAD ? line->valid | self : self;
  current->now = leaves + transfer;
}

void machine_access(const volatile void *address, enum access access) {
  count.accesses++;
  current->now += work * about_one();
  bool is_locked = access == ACCESS_EXCHANGE || access == ACCESS_CAS;
  if (is_locked) current->now = later(current->now, current->stores);
  if (!is_local((const char *)address)) {
    struct line *line = line_of((uintptr_t)address / MACHINE_LINE);
    uint64_t self = UINT64_C(1) << (current - processors);
    wait_turn();
    if (line->valid == 0) line->valid = self;  // nobody has touched it yet: as if it had always been here
    bool hits = access == ACCESS_LOAD ? (line->valid & self) != 0 : line->valid == self;
    if (!hits) miss(line, access, self);
  }
  if (access == ACCESS_EXCHANGE) {
    count.exchanges++;
    current->now += exchange;
  } else if (access == ACCESS_CAS) {
    count.cas++;
    current->now += cas;
  }
}

void machine_note_failed_cas(void) { count.failed_cas++; }

void machine_fence(void) {
  current->now = later(current->now, current->stores) + exchange;
  count.exchanges++;
}

void machine_pause(void) {
  count.pauses++;
  current->now += pause_cost + work;
}

void machine_call(void) {
  current->now = later(current->now, current->stores) + call * about_one();
  wait_turn();
}

void machine_sleep(const volatile void *address) {
  count.sleeps++;
  current->sleeps_on = address;
  give_way();
}

void machine_wake(const volatile void *address, int limit) {
  for (size_t i = 0; i < processor_count && limit > 0; i++) {
    struct processor *p = &processors[i];
    if (p->sleeps_on != address) continue;
    p->sleeps_on = NULL;
    p->now = current->now + sleep_cost;
    others = p->now < others ? p->now : others;
    current->now += wake;
    limit--;
  }
  wait_turn();
}

void machine_print_counts(double rounds) {
  const struct line *hottest = &lines[0];
  for (size_t i = 1; i < LINES; i++) {
    if (lines[i].taken > hottest->taken) hottest = &lines[i];
  }
  printf("accesses %.4f\n", (double)count.accesses / rounds);
  printf("exchanges %.4f\n", (double)count.exchanges / rounds);
  printf("cas %.4f\n", (double)count.cas / rounds);
  printf("failed %.4f\n", (double)count.failed_cas / rounds);
  printf("pauses %.4f\n", (double)count.pauses / rounds);
  printf("sleeps %.4f\n", (double)count.sleeps / rounds);
  printf("transfers %.4f\n", (double)(count.loads_moved + count.stores_moved + count.exchanges_moved) / rounds);
  printf("hottest %.4f\n", (double)hottest->taken / rounds);
}
