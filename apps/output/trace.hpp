#pragma once

#include <larmor/mri/reconstruct/options/report.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// The events of one thread.
struct TraceRow {
  std::string name;
  std::vector<StageSpan> spans;
};

/// The rows in Chrome's trace format, which chrome://tracing, Perfetto and bench/draw_timeline.py read:
/// complete events, microseconds from `origin`.
std::string trace_of(std::chrono::steady_clock::time_point origin, const std::vector<TraceRow>& rows);

}  // namespace larmor::app
