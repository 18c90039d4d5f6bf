#include <larmor/apps/serve/session_log.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>

namespace larmor::app {

void SessionLog::event(const std::string& name, const nlohmann::ordered_json& facts) const {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  nlohmann::ordered_json line{{"time", now.count()}, {"event", name}};
  if (!session_.empty()) line["session"] = session_;
  if (facts.is_object()) line.update(facts);
  const std::string text = line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void SessionLog::event(const std::string& name) const {
  event(name, nlohmann::ordered_json());
}

}  // namespace larmor::app
