// See above.h.

#include "base/above.h"

struct above crucible__above;
