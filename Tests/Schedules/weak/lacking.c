// Sites of the core that each lack one of their guarantees, chosen when the program starts:
//
//   CRUCIBLE_LACKING="17 acquire, 31 order"   site 17 does not acquire, and 31 is in no total order; or "release"
//   CRUCIBLE_SITES=FILE                       writes to FILE which sites each case reaches
//
// Numbers are those of sites.py. A site announces itself just before its access. The access is the
// thread's next one that is not relaxed, because relaxed loads may compute the value that it stores.

#include "lacking.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../scheduler.h"
#include "sites.h"

enum { MOST = 1024, NONE = MOST };

enum lack { ACQUIRE = 1, RELEASE = 2, ORDER = 4 };

static _Thread_local unsigned next = NONE;
static uint8_t lacking[MOST];  ///< an enum lack for each site
static bool reached[MOST], told[MOST];

static enum lack lack_of(const char *word) {
  return strcmp(word, "acquire") == 0   ? ACQUIRE
         : strcmp(word, "release") == 0 ? RELEASE
         : strcmp(word, "order") == 0   ? ORDER
                                        : 0;
}

__attribute__((constructor)) static void read_environment(void) {
  const char *text = getenv("CRUCIBLE_LACKING");
  while (text && *text) {
    unsigned site;
    char word[8];
    int length = 0;
    if (sscanf(text, "%u %7[a-z] %n", &site, word, &length) != 2 || site >= MOST || !lack_of(word) ||
        (text[length] && text[length] != ',')) {
      fprintf(stderr, "CRUCIBLE_LACKING names sites and what they lack, as in \"17 acquire, 31 order\", not \"%s\"\n",
              text);
      exit(2);
    }
    lacking[site] |= lack_of(word);
    text += length + (text[length] == ',');
  }
}

void weak_site(unsigned number) { next = number; }

static int without(int order, unsigned lacks) {
  bool acquires = order != memory_order_release && !(lacks & ACQUIRE);
  bool releases = order != memory_order_acquire && !(lacks & RELEASE);
  if (lacks == ORDER && order != memory_order_seq_cst) return order;
  return acquires && releases ? memory_order_acq_rel
         : acquires           ? memory_order_acquire
         : releases           ? memory_order_release
                              : memory_order_relaxed;
}

int lacking_order(int order) {
  if (order == memory_order_relaxed || next == NONE) return order;
  unsigned site = next;
  next = NONE;
  reached[site] = true;
  return lacking[site] ? without(order, lacking[site]) : order;
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
