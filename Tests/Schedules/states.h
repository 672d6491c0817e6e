// Chemistries of states that several cases share (counters.c), wherever their bodies run.

#ifndef SCHEDULES_STATES_H
#define SCHEDULES_STATES_H

#include "trial.h"

/// A counter as a state: counter & increment, counter & look.
enum counter_names { COUNTER, INCREMENT, LOOK };
#define COUNTER_STATE .soup = "c= i l-: ci cl", .acts = {count_state}
act count_state;
/// Injects three molecules from each of three clients: five increments and four looks.
void inject_into_counter(struct trial *trial, unsigned index);
void check_counter_state(struct trial *trial);

/// Two states: s & t & x, s & y, t & z. Giving both back may enable two reactions.
enum two_names { S, T, X, Y, Z };
#define TWO_STATES .soup = "s= t= x y z-: stx sy tz", .acts = {work_on_both, count_state, count_state}
act work_on_both;
/// Injects three molecules from each of three clients.
void inject_into_two(struct trial *trial, unsigned index);
void check_two_states(struct trial *trial);

#endif
