#include <larmor/apps/serve/server_status.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <iterator>

namespace larmor::app {
namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string in_html(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

}  // namespace

void ServerStatus::started(const std::string& session) {
  ++started_;
  sessions_[session].began = seconds_since_1970();
}

void ServerStatus::ended(const std::string& session, bool crashed) {
  if (crashed) ++crashed_;
  sessions_.erase(session);
}

void ServerStatus::event(const std::string& session, const nlohmann::ordered_json& event) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  SessionStatus& status = found->second;
  const std::string name = event.value("event", "");
  if (name == "config" || name == "parameters") status.recipe = event.value("recipe", "");
  if (name == "error") ++errors_, ++status.errors;
  if (name == "left_out") left_out_ += event.value("repetitions", std::size_t{0});
  if (name != "images") return;
  const auto readouts = event.value("readouts", std::size_t{0}),
             images = event.value("images", std::size_t{0});
  readouts_ += readouts;
  status.readouts += readouts;
  images_ += images;
  status.images += images;
  last_seconds_ = status.seconds = event.value("seconds", 0.0);
  seconds_ += last_seconds_;
  ++timed_;
}

std::string ServerStatus::metrics() const {
  std::string text;
  const auto add = [&text](const char* name, const char* type, const char* help, double value) {
    fmt::format_to(std::back_inserter(text), "# HELP larmor_{0} {1}\n# TYPE larmor_{0} {2}\nlarmor_{0} {3}\n",
                   name, help, type, value);
  };
  const auto of = [](std::size_t count) { return static_cast<double>(count); };
  add("sessions", "gauge", "Sessions under way.", of(sessions_.size()));
  add("sessions_started_total", "counter", "Sessions that were started.", of(started_));
  add("sessions_crashed_total", "counter", "Sessions that ended by a signal.", of(crashed_));
  add("errors_total", "counter", "Errors reported to clients.", of(errors_));
  add("readouts_total", "counter", "Imaging readouts that became images.", of(readouts_));
  add("images_total", "counter", "Images that were sent.", of(images_));
  add("repetitions_left_out_total", "counter", "Repetitions that came too late in real time.", of(left_out_));
  add("last_image_seconds", "gauge", "From the last readout of an image to the image, latest image.",
      last_seconds_);
  text +=
      "# HELP larmor_image_seconds From the last readout of an image to the image.\n"
      "# TYPE larmor_image_seconds summary\n";
  text += fmt::format("larmor_image_seconds_sum {}\nlarmor_image_seconds_count {}\n", seconds_, timed_);
  return text;
}

std::string ServerStatus::page() const {
  std::string text =
      "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" "
      "content=\"1\">"
      "<title>recon serve</title><style>body{font-family:sans-serif;margin:2em}"
      "td,th{padding:.2em 1em;text-align:right}</style></head><body><h1>recon serve</h1>";
  text += fmt::format(
      "<p>{} sessions under way, {} started, {} crashed; {} images, {} errors; last image {:.3f} s.</p>",
      sessions_.size(), started_, crashed_, images_, errors_, last_seconds_);
  text +=
      "<table><tr><th>session</th><th>for</th><th>configuration</th><th>readouts</th><th>images</th>"
      "<th>errors</th><th>last image</th></tr>";
  const double now = seconds_since_1970();
  for (const auto& [name, status] : sessions_)
    text += fmt::format(
        "<tr><td>{}</td><td>{:.0f} s</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.3f} s</td></tr>",
        in_html(name), now - status.began, in_html(status.recipe), status.readouts, status.images,
        status.errors, status.seconds);
  return text + "</table></body></html>\n";
}

}  // namespace larmor::app
