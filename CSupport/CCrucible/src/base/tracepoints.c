// See tracepoints.h.

#ifdef CRUCIBLE_LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "base/tracepoints.h"
#else
typedef int crucible__no_tracepoints;  // a file of C is not empty
#endif
