// See idle.h. Records of threads get it through base/above.h.

#include "firing/idle.h"

static struct rule rule_without_inputs;

const struct reaction crucible__idle = {.rule = &rule_without_inputs};
