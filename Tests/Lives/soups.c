// Very many soups: one after the other, and all at once.
//
//   soups NUMBER
//
// The program makes, uses and drops NUMBER soups on the matchers in turn. One in thirty-two runs on the pool, the
// others inline. One in sixteen has a backlog, so that rings come and go as well. Then the bytes of the core, the
// number of live soups and the memory of the process must be what they were. After that NUMBER small soups live at the
// same time (one name, one reaction), and each of them works. The program measures the cost of one. When they are gone,
// the core's bytes must be what they were.

#include <stdlib.h>

#include "lives.h"

/// A backlog of three rings, so that one of them is left, and retired.
enum { BACKLOG = 2500, SMALLEST = 3 };
/// The bytes that a small soup may cost.
enum { MOST_BYTES = 3500 };

static void use(const struct account *account, uint64_t count) {
  account_add(account, count);
  if (account_ask(account) != count * (count + 1) / 2) fail("a soup counts wrong");
}

static void one_after_the_other(unsigned long number) {
  for (unsigned long i = 0; i < number; i++) {
    crucible_matcher matcher = matcher_at(i);
    unsigned long kind = i / matcher_count() % 64;  // so each matcher comes to each kind of soup
    uint64_t count = kind < 4 ? BACKLOG : SMALLEST;
    if (kind < 2) {
      if (!account_works(matcher, CRUCIBLE_POOL, count)) fail("a soup counts wrong on the pool");
      continue;
    }
    struct account account = account_open("one of many", matcher, CRUCIBLE_INLINE);
    use(&account, count);
    account_close(&account);
  }
  wait_until_asleep();
  crucible_reclaim();
}

static unsigned long reactions;

static void count(void *context, void *const *inputs) {
  reactions++;
}

/// Makes a soup of one name and one reaction, which fires once.
static crucible_soup *small_soup(crucible_matcher matcher) {
  uint64_t nothing = 0;
  crucible_soup *soup = crucible_soup_create(&(crucible_soup_options){.matcher = matcher, .site = &reactions});
  if (!soup) fail("no small soup");
  crucible_name *name = new_name(soup, "name", CRUCIBLE_SLOW, 0);
  REACTION(soup, CRUCIBLE_INLINE, count, NULL, name);
  crucible_soup_allow_repeats(soup);
  end_definition(soup);
  if (!crucible_inject(name, &nothing)) fail("a small soup does not work");
  return soup;
}

static void at_once(unsigned long number) {
  crucible_soup **soups = malloc(number * sizeof *soups);
  if (!soups) fail("no memory");
  uint64_t live = crucible_live_bytes(), resident = resident_bytes();
  for (unsigned long i = 0; i < number; i++) soups[i] = small_soup(matcher_at(i));
  live = (crucible_live_bytes() - live) / number;
  resident = (resident_bytes() - resident) / number;
  if (crucible_live_soups() != number || reactions != number) {
    fail("%lu of %lu soups live", crucible_live_soups(), number);
  }
  for (unsigned long i = 0; i < number; i++) crucible_soup_release(soups[i]);
  free(soups);
  crucible_reclaim();
  if (live > MOST_BYTES) fail("a small soup takes %lu bytes", live);
  printf("passed %lu soups at once: %lu bytes each, %lu of the process\n", number, live, resident);
}

int main(int argc, char **argv) {
  unsigned long number = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
  if (!crucible_pool_set_workers(1)) fail("one worker is refused");  // the first soups then allocate all of its memory
  one_after_the_other(1000);
  uint64_t live = crucible_live_bytes(), resident = resident_bytes(), begin = nanoseconds_now();
  one_after_the_other(number);
  if (crucible_live_soups() != 0) fail("%lu soups live", crucible_live_soups());
  if (crucible_live_bytes() != live) fail("%lu bytes after the soups, %lu before", crucible_live_bytes(), live);
  if (resident_bytes() > resident + (4 << 20)) {
    fail("the process has grown from %lu to %lu bytes", resident, resident_bytes());
  }
  printf("passed %lu soups, one after the other in %.1f s: %lu bytes of the core before and after, the process %+ld "
         "KB\n",
         number, (double)(nanoseconds_now() - begin) / 1e9, live, ((long)resident_bytes() - (long)resident) / 1024);
  at_once(number);
  if (crucible_live_soups() != 0) fail("%lu soups live", crucible_live_soups());
  if (crucible_live_bytes() != live) fail("%lu bytes after soups at once, %lu before", crucible_live_bytes(), live);
  return 0;
}
