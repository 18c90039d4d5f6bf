#include <larmor/mri/reconstruct/options/report.hpp>

namespace larmor {

void StageClock::charge(const char* stage) {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  if (!report_.times.timeline.empty() && report_.times.timeline.back().stage == stage)
    report_.times.timeline.back().end = now;
  else
    report_.times.timeline.push_back({stage, last_, now});
  last_ = now;
  for (auto& [name, sum] : report_.times.seconds) {
    if (name != stage) continue;
    sum += seconds;
    return;
  }
  report_.times.seconds.emplace_back(stage, seconds);
}

void tell(const std::vector<std::string>& notes, const std::vector<std::string>& warnings, Context& ctx) {
  for (const std::string& note : notes) ctx.reporter().note(note);
  for (const std::string& warning : warnings) ctx.reporter().warning(warning);
}

}  // namespace larmor
