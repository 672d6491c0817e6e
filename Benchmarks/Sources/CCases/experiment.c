#include "experiment.h"

#include <stdlib.h>
#include <string.h>

struct cases_experiment {
  const cases_kind *kind;
  void *state;
};

static const cases_kind *const lists[] = {cases_joins, cases_counters};

// Returns false if no matcher has this name.
static bool find_matcher(const char *name, crucible_matcher *found) {
  return crucible_matcher_find(name, found) && *found != CRUCIBLE_AUTOMATIC;
}

bool cases_has_matcher(const cases_setting *setting) {
  crucible_matcher matcher;
  return find_matcher(setting->by, &matcher);
}

size_t cases_most_names(const char *name) {
  crucible_matcher matcher;
  return crucible_matcher_find(name, &matcher) ? crucible_matcher_most_names(matcher) : 0;
}

static const cases_kind *find(const char *name) {
  for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++) {
    for (const cases_kind *kind = lists[list]; kind->name; kind++) {
      if (strcmp(kind->name, name) == 0) return kind;
    }
  }
  return NULL;
}

bool cases_exists(const char *name, const char *by) {
  const cases_kind *kind = find(name);
  crucible_matcher matcher;
  return kind && (find_matcher(by, &matcher) || (kind->has_mutex && strcmp(by, "pthread-mutex") == 0));
}

cases_experiment *cases_open(const cases_setting *setting, harness_sample *failure) {
  if (!cases_exists(setting->name, setting->by)) {
    harness_sample_fail(failure, "layer c has no case %s by %s", setting->name, setting->by);
    return NULL;
  }
  const cases_kind *kind = find(setting->name);
  void *state = kind->open(setting, kind->parameter, failure);
  if (!state) return NULL;
  cases_experiment *experiment = malloc(sizeof *experiment);
  if (!experiment) abort();
  *experiment = (cases_experiment){kind, state};
  return experiment;
}

void cases_measure(cases_experiment *experiment, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  experiment->kind->measure(experiment->state, rounds, recorders, sample);
}

void cases_close(cases_experiment *experiment) {
  experiment->kind->close(experiment->state);
  free(experiment);
}

// ---------------------------------------------------------------------------------------------------------------------

static void note(crucible_status status, const char *step, const char *label, harness_sample *failure) {
  if (status != CRUCIBLE_OK) harness_sample_fail(failure, "%s %s: %s", step, label, crucible_status_text(status));
}

crucible_soup *cases_soup(const cases_setting *setting, harness_sample *failure) {
  crucible_soup_options options = {.label = setting->name, .file = __FILE__};
  if (!find_matcher(setting->by, &options.matcher)) {
    harness_sample_fail(failure, "there is no matcher %s", setting->by);
    return NULL;
  }
  crucible_soup *soup = crucible_soup_create(&options);
  if (!soup) note(CRUCIBLE_NO_MEMORY, "soup", setting->name, failure);
  return soup;
}

crucible_name *cases_name(crucible_soup *soup, const char *label, crucible_kind kind, size_t size,
                          harness_sample *failure) {
  crucible_name_options options = {
      .label = label, .kind = kind, .size = size, .alignment = _Alignof(void *), .file = __FILE__};
  crucible_name *name = NULL;
  note(crucible_soup_add_name(soup, &options, NULL, &name), "name", label, failure);
  return name;
}

crucible_name *cases_state(crucible_soup *soup, const char *label, int64_t initial, harness_sample *failure) {
  crucible_name_options options = {.label = label,
                                   .kind = CRUCIBLE_STATE,
                                   .size = sizeof initial,
                                   .alignment = _Alignof(int64_t),
                                   .file = __FILE__};
  crucible_name *name = NULL;
  note(crucible_soup_add_name(soup, &options, &initial, &name), "state", label, failure);
  return name;
}

void cases_react(crucible_soup *soup, crucible_placement placement, crucible_body body, void *context,
                 crucible_name *const *inputs, size_t count, harness_sample *failure) {
  if (harness_sample_failed(failure)) return;  // a name may be missing
  crucible_reaction_options options = {.inputs = inputs,
                                       .input_count = count,
                                       .placement = placement,
                                       .body = body,
                                       .context = context,
                                       .file = __FILE__};
  crucible_name *culprit = NULL;
  crucible_status status = crucible_soup_add_reaction(soup, &options, &culprit);
  note(status, "reaction of", crucible_name_label(inputs[0]), failure);
}

bool cases_freeze(crucible_soup *soup, const cases_setting *setting, harness_sample *failure) {
  if (harness_sample_failed(failure)) return false;
  crucible_name *culprit = NULL;
  note(crucible_soup_freeze(soup, &culprit), "freeze", culprit ? crucible_name_label(culprit) : setting->name, failure);
  if (harness_sample_failed(failure)) return false;
  crucible_matcher wanted;
  for (size_t i = 0; i < crucible_soup_name_count(soup); i++) {
    if (find_matcher(setting->by, &wanted) && crucible_name_matcher(crucible_soup_name(soup, i)) == wanted) continue;
    harness_sample_fail(failure, "%s is served by another matcher", crucible_name_label(crucible_soup_name(soup, i)));
  }
  return !harness_sample_failed(failure);
}

void cases_rest(crucible_soup *soup, harness_sample *sample) {
  if (!crucible_soup_wait_quiet(soup, 60000000000u)) harness_sample_fail(sample, "not quiet after 60 s");
}

void cases_settle(crucible_soup *soup, harness_sample *sample) {
  if (crucible_soup_is_quiet(soup)) return;
  cases_rest(soup, sample);
  sample->nanoseconds = harness_now() - sample->began;
}

uint64_t cases_waiting(crucible_soup *soup) {
  uint64_t counts[CRUCIBLE_MAX_NAMES] = {0}, waiting = 0;
  crucible_soup_counts(soup, counts);
  for (size_t i = 0; i < crucible_soup_name_count(soup); i++) {
    if (crucible_name_kind(crucible_soup_name(soup, i)) != CRUCIBLE_STATE) waiting += counts[i];
  }
  return waiting;
}
