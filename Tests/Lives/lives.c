// The parts that the programs share. See lives.h.

#include "lives.h"

#include <stdatomic.h>

_Atomic uint64_t told;

struct question {
  crucible_waiter *waiter;
  uint64_t *answer;
};

static void add(void *context, void *const *inputs) {
  *(uint64_t *)inputs[0] += *(uint64_t *)inputs[1];
}

static void answer(void *context, void *const *inputs) {
  struct question question = *(struct question *)inputs[1];
  *question.answer = *(uint64_t *)inputs[0];
  crucible_waiter_signal(question.waiter, 1);
}

_Thread_local int split_off = -1;

void (*before_split)(void);

static void split(void *context, void *const *inputs) {
  if (before_split) before_split();
  split_off = fork();
  if (split_off < 0) fail("no process");
}

/// Checks that a soup's contents go only in the process that made them.
static void check_process(void *made_by) {
  if (getpid() != (pid_t)(uintptr_t)made_by) fail("child: a soup of the parent is destroyed");
}

static void impossible(void *context, void *const *inputs) {
  fail("what nobody injects has reacted");
}

void be_told(crucible_soup *soup) {
  atomic_fetch_add(&told, 1);
}

unsigned matcher_count(void) {
  if (crucible_matcher_count() > MOST_MATCHERS) fail("there are more than %u matchers", MOST_MATCHERS);
  return (unsigned)crucible_matcher_count();
}

crucible_matcher matcher_at(uint64_t index) { return (crucible_matcher)(1 + index % matcher_count()); }

struct account account_open(const char *label, crucible_matcher matcher, crucible_placement placement) {
  crucible_soup_options options = {.label = label,
                                   .matcher = matcher,
                                   .context = (void *)(uintptr_t)getpid(),
                                   .release = check_process,
                                   .inherited = be_told};
  crucible_soup *soup = crucible_soup_create(&options);
  if (!soup) fail("no memory for a soup");
  struct account account = {.soup = soup,
                            .sum = new_name(soup, "sum", CRUCIBLE_STATE, sizeof(uint64_t)),
                            .add = new_name(soup, "add", CRUCIBLE_SLOW, sizeof(uint64_t)),
                            .go = new_name(soup, "go", CRUCIBLE_SLOW, 0),
                            .ask = new_name(soup, "ask", CRUCIBLE_FAST, sizeof(struct question)),
                            .split = new_name(soup, "split", CRUCIBLE_SLOW, 0),
                            .stuck = new_name(soup, "stuck", CRUCIBLE_FAST, sizeof(struct question)),
                            .never = new_name(soup, "never", CRUCIBLE_SLOW, 0)};
  REACTION(soup, placement, add, NULL, account.sum, account.add, account.go);
  REACTION(soup, placement, answer, NULL, account.sum, account.ask);
  REACTION(soup, placement, split, NULL, account.sum, account.split);
  REACTION(soup, placement, impossible, NULL, account.stuck, account.never);
  end_definition(soup);
  return account;
}

void account_close(struct account *account) { crucible_soup_release(account->soup); }

/// Injects. Returns false if this is a child now, and the account is its parent's.
static bool inject(crucible_name *name, void *value) {
  if (crucible_inject(name, value)) return true;
  if (split_off != 0 || crucible_last_refusal() != CRUCIBLE_INHERITED_SOUP) {
    fail("%s is refused", crucible_name_label(name));
  }
  return false;
}

void account_add(const struct account *account, uint64_t count) {
  uint64_t nothing = 0;
  for (uint64_t i = 1; i <= count; i++) {
    if (!inject(account->add, &i)) return;
  }
  for (uint64_t i = 0; i < count; i++) {
    if (!inject(account->go, &nothing)) return;
  }
}

uint64_t account_ask(const struct account *account) {
  crucible_waiter waiter = {0};
  uint64_t sum = 0;
  struct question question = {&waiter, &sum};
  if (!inject(account->ask, &question)) return 0;
  crucible_waiting note = {.name = account->ask, .waiter = &waiter, .limit = UINT64_MAX};
  if (!crucible_waiter_wait_noted(&waiter, UINT64_MAX, &note) && split_off != 0) fail("asking is not answered");
  return sum;
}

void *account_wait_for_ever(void *of) {
  const struct account *account = of;
  crucible_waiter waiter = {0};
  uint64_t sum = 0;
  struct question question = {&waiter, &sum};
  if (!crucible_inject(account->stuck, &question)) fail("a call is refused");
  crucible_waiting note = {.name = account->stuck, .waiter = &waiter, .limit = UINT64_MAX};
  crucible_waiter_wait_noted(&waiter, UINT64_MAX, &note);
  fail("what nobody answers is answered");
}

static void go_on(void *context, void *const *inputs) {
  const struct chain *chain = context;
  uint64_t left = *(uint64_t *)inputs[0] - 1;
  if (chain->each) chain->each();
  if (left > 0 && !crucible_inject_unowned(chain->link, &left)) fail("a chain is refused");
}

void chain_open(struct chain *chain, crucible_matcher matcher, crucible_placement placement, void (*each)(void)) {
  chain->soup = new_soup("chain", matcher);
  chain->link = new_name(chain->soup, "link", CRUCIBLE_SLOW, 8);
  chain->each = each;
  REACTION(chain->soup, placement, go_on, chain, chain->link);
  end_definition(chain->soup);
}

void chain_start(const struct chain *chain, uint64_t length) {
  if (!crucible_inject(chain->link, &length)) fail("a chain does not start");
}

bool account_works(crucible_matcher matcher, crucible_placement placement, uint64_t count) {
  struct account account = account_open("work", matcher, placement);
  account_add(&account, count);
  bool works = crucible_soup_wait_quiet(account.soup, UINT64_C(20000000000)) &&
               account_ask(&account) == count * (count + 1) / 2;
  account_close(&account);
  return works;
}

void wait_until_asleep(void) {
  crucible_pool_status status;
  AWAIT((status = crucible_pool_look(), status.queued == 0 && status.idle == status.threads), 60,
        "the pool does not come to rest");
}

uint64_t resident_bytes(void) {
  unsigned long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu %lu", &pages, &resident) != 2) fail("/proc/self/statm cannot be read");
  fclose(file);
  return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

void start_thread(void *(*run)(void *), void *argument) {
  if (pthread_detach(new_thread(run, argument)) != 0) fail("no thread");
}
