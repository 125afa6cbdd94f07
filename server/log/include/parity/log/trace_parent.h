// The header by which callers name the trace that a call belongs to (W3C Trace Context, 3.2).
#ifndef PARITY_LOG_TRACE_PARENT_H_
#define PARITY_LOG_TRACE_PARENT_H_

#include "absl/strings/string_view.h"

namespace parity::log {

// The 32 digits of the trace id in a `traceparent`, as part of it; empty if it is malformed: not of
// version 00 in lower-case hexadecimal digits, or with a trace or parent of zeros only. Later
// versions are read as far as they begin like 00, as the specification asks.
absl::string_view TraceIdOf(absl::string_view traceparent);

}  // namespace parity::log

#endif  // PARITY_LOG_TRACE_PARENT_H_
