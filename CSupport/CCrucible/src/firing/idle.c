// See idle.h. Records of threads get it through base/above.h.

#include "firing/idle.h"

const struct reaction crucible__idle;
