// One site of the core that lacks one of its guarantees, chosen when the program starts:
//
//   CRUCIBLE_LACKING="17 acquire"   site 17 does not acquire; or "release", or "order": it is in no total order
//   CRUCIBLE_SITES=FILE             says in FILE which sites each case reaches
//
// Numbers are those of Tests/Orderings/sites.py. A site announces itself just before its access; the access is its thread's next.

#include "lacking.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../scheduler.h"
#include "sites.h"

enum { MOST = 1024, NONE = MOST };

static _Thread_local unsigned next = NONE;
static unsigned lacking = NONE;
static char what[16];
static bool reached[MOST], told[MOST];

__attribute__((constructor)) static void read_environment(void) {
  const char *text = getenv("CRUCIBLE_LACKING");
  if (text && (sscanf(text, "%u %15s", &lacking, what) != 2 || lacking >= MOST)) {
    fprintf(stderr, "CRUCIBLE_LACKING is a site and what it lacks, not \"%s\"\n", text);
    exit(2);
  }
}

void weak_site(unsigned number) { next = number; }

static int without(int order) {
  bool acquires = order != memory_order_release, releases = order != memory_order_acquire;
  if (strcmp(what, "order") == 0) return order == memory_order_seq_cst ? memory_order_acq_rel : order;
  if (strcmp(what, "acquire") == 0) acquires = false;
  if (strcmp(what, "release") == 0) releases = false;
  return acquires && releases ? memory_order_acq_rel
         : acquires           ? memory_order_acquire
         : releases           ? memory_order_release
                              : memory_order_relaxed;
}

int lacking_order(int order) {
  unsigned site = next;
  next = NONE;
  if (site == NONE) return order;
  reached[site] = true;
  return site != lacking || order == memory_order_relaxed ? order : without(order);
}

void lacking_tell(void) {
  const char *path = getenv("CRUCIBLE_SITES");
  FILE *file = path ? fopen(path, "a") : NULL;
  for (unsigned i = 0; file && i < MOST; i++) {
    if (reached[i] && !told[i]) fprintf(file, "%u %s\n", i, scheduler_case);
    told[i] = reached[i];
  }
  if (file) fclose(file);
}
