// Tracepoints of LTTng, which the package trait `LTTng` compiles in (Package.swift). Without it they compile to
// nothing.
//
//   crucible:body_begin   a synchronous body begins on this thread: its soup, and where its reaction is declared
//   crucible:body_end     the body has ended

#ifdef CRUCIBLE_LTTNG

#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER crucible

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "base/tracepoints.h"

// LTTng reads this file several times.
#if !defined(CRUCIBLE_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define CRUCIBLE_TRACEPOINTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(
    crucible, body_begin, LTTNG_UST_TP_ARGS(const char *, soup, const char *, file, uint32_t, line),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_string(soup, soup) lttng_ust_field_string(file, file)
                            lttng_ust_field_integer(uint32_t, line, line)))

LTTNG_UST_TRACEPOINT_EVENT(crucible, body_end,
                           LTTNG_UST_TP_ARGS(const char *, file, uint32_t, line),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_string(file, file)
                                                   lttng_ust_field_integer(uint32_t, line, line)))

#endif
#include <lttng/tracepoint-event.h>
#define CRUCIBLE_TRACEPOINT(...) lttng_ust_tracepoint(crucible, __VA_ARGS__)

#else
#define CRUCIBLE_TRACEPOINT(...) ((void)0)
#endif
