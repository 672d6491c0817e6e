// Cases in which two rare things meet: quiet and clearing, freezing and stopping, two stops and a restart.

#include "trial.h"

enum { A };

// ---------------------------------------------------------------------------------------------------------------------
// The molecules that a clear has dropped are counted when the soup is quiet
// ---------------------------------------------------------------------------------------------------------------------

static void clear_or_look(struct trial *trial, unsigned index) {
  if (index == 0) {
    clear_all(trial);
    return;
  }
  inject(trial, A, 0);
  while (!crucible_soup_is_quiet(trial->soup)) spin_pause();
  uint64_t counts[MOST_NAMES];
  crucible_soup_counts(trial->soup, counts);
  if (counts[A] == 1) return;  // the clear ran before this count, or will run later
  // It was cleared before the next question to the soup. So it has been dropped by the time that the soup says it is
  // quiet.
  while (!crucible_soup_is_quiet(trial->soup)) spin_pause();
  if (crucible_soup_dropped(trial->soup) != 1) scheduler_fail("quiet, nothing waits, and nothing was dropped");
}
INLINE_CASE("corner-dropped", "a soup at rest has counted what a clear dropped", 2, define_soup, clear_or_look, AB,
            .waits = true);

// ---------------------------------------------------------------------------------------------------------------------
// A stop in the middle of a restart drops nothing that was injected after it
// ---------------------------------------------------------------------------------------------------------------------

static bool after_restart_accepted;
static void reset(crucible_name *state, void *context) {}
static void restart_or_stop(struct trial *trial, unsigned index) {
  POKE(trial->stop_begun, 1);
  if (index == 1) {
    crucible_soup_stop(trial->soup, &(uint64_t){0});
    return;
  }
  after_restart_accepted = false;
  crucible_soup_stop(trial->soup, &(uint64_t){0});
  crucible_status status;
  while ((status = crucible_soup_restart(trial->soup, reset, NULL)) == CRUCIBLE_NOT_QUIET) spin_pause();
  if (crucible_soup_is_stopped(trial->soup)) return;  // the other stop came after the restart
  if (inject_unowned(trial, A, 0)) after_restart_accepted = true;
}
static void check_restart(struct trial *trial) {
  if (!crucible_soup_is_stopped(trial->soup) && after_restart_accepted && trial->by_reason[CRUCIBLE_STOPPED_SOUP]) {
    scheduler_fail("injected after the restart, dropped for a stop, and the soup runs");
  }
}
INLINE_CASE("corner-restart", "a stop in the middle of a restart", 2, define_soup, restart_or_stop, AB,
            .check = check_restart, .waits = true, .unordered = true);

// ---------------------------------------------------------------------------------------------------------------------
// Freezing while another thread stops and restarts the soup
// ---------------------------------------------------------------------------------------------------------------------

static void freeze_or_stop(struct trial *trial, unsigned index) {
  if (index == 0) {
    for (int i = 0; i < 3; i++) inject(trial, A, 0);
    freeze_soup(trial->soup);
    return;
  }
  while (!crucible_soup_is_frozen(trial->soup)) spin_pause();
  stop_all(trial);
  if (index == 1) restart_all(trial);
}
INLINE_CASE("corner-freeze", "a soup is stopped and restarted while it is frozen", 2, define_soup, freeze_or_stop, AB,
            .waits = true, .unfrozen = true, .unordered = true);
