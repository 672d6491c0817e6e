// The C core of Crucible: a chemical machine whose default matcher is lock-free.
//
// With the headers that it includes, this is the whole interface to other languages. Soups and names are opaque, and no
// type of liburcu or of C's atomics appears. It is not a public interface of the package. The Swift module `Crucible`
// is.
//
// Order of calls for one soup, and which calls exclude each other:
//
//   create → add_name, add_reaction, inject … → freeze → inject … → release
//
//   | call                                | with itself | with inject | thread                     |
//   | add_name, add_reaction, freeze      | no          | yes         | the one that defines       |
//   | inject, inject_…, withdraw          | yes         | yes         | any, without registration  |
//   | pause, resume, clear, stop, restart | yes         | yes         | any                        |
//   | hold, release, retain_shell, …      | yes         | yes         | any                        |
//   | is_quiet, counts, activity, waiting | yes         | yes         | any                        |
//   | select_begin                        | no          | yes         | any                        |

#ifndef CRUCIBLE_H
#define CRUCIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#include "crucible_words.h"
#include "crucible_define.h"
#include "crucible_control.h"
#include "crucible_calls.h"
#include "crucible_threads.h"
#ifdef __cplusplus
}
#endif

#endif
