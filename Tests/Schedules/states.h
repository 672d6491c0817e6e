// Chemistries of states that several cases share (counters.c), wherever their bodies run.

#ifndef SCHEDULES_STATES_H
#define SCHEDULES_STATES_H

#include "trial.h"

/// A counter as a state: counter & increment, counter & look.
enum counter_names { COUNTER, INCREMENT, LOOK };
void define_counter_state(struct trial *trial);
/// Injects three molecules from each of three clients: five increments and four looks.
void inject_into_counter(struct trial *trial, unsigned index);
void check_counter_state(struct trial *trial);

/// Two states: s & t & x, s & y, t & z. Giving both back may enable two reactions.
enum two_names { S, T, X, Y, Z };
void define_two_states(struct trial *trial);
/// Injects three molecules from each of three clients.
void inject_into_two(struct trial *trial, unsigned index);
void check_two_states(struct trial *trial);

#endif
