#include <larmor/apps/output/trace.hpp>

#include <nlohmann/json.hpp>

namespace larmor::app {

std::string trace_of(std::chrono::steady_clock::time_point origin, const std::vector<TraceRow>& rows) {
  using Json = nlohmann::ordered_json;
  const auto microseconds = [](auto duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
  };
  Json events = Json::array();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    events.push_back({{"name", "thread_name"},
                      {"ph", "M"},
                      {"pid", 1},
                      {"tid", row},
                      {"args", {{"name", rows[row].name}}}});
    for (const StageSpan& span : rows[row].spans)
      if (span.end > span.begin)
        events.push_back({{"name", span.stage},
                          {"ph", "X"},
                          {"pid", 1},
                          {"tid", row},
                          {"ts", microseconds(span.begin - origin)},
                          {"dur", microseconds(span.end - span.begin)}});
  }
  return Json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump(1) + "\n";
}

}  // namespace larmor::app
