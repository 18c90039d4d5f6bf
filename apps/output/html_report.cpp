#include <larmor/apps/output/html_report.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace larmor::app {
namespace {

using Json = nlohmann::ordered_json;

/// Text as a browser shows it, whatever a file or an argument holds.
std::string as_html(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

/// RFC 4648.
std::string base64(const std::vector<std::uint8_t>& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j) three = three << 8 | (i + j < bytes.size() ? bytes[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j > bytes.size() ? '=' : digits[three >> (18 - 6 * j) & 63];
  }
  return text;
}

std::string list(const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = fmt::format("<h2>{}</h2>\n<ul>\n", title);
  for (const std::string& line : lines) text += "<li>" + as_html(line) + "</li>\n";
  return text + "</ul>\n";
}

constexpr double width = 640, height = 240, margin = 48;

/// The residuals of each image, on a logarithmic axis.
std::string residual_curves(const Json& images) {
  std::size_t longest = 0;
  double low = 1e300, high = 0;
  for (const Json& image : images) {
    longest = std::max(longest, image["iterations"].size());
    for (const Json& step : image["iterations"]) {
      const double residual = step["residual"].is_number() ? step["residual"].get<double>() : 0;
      if (residual > 0 && std::isfinite(residual)) low = std::min(low, residual);
      if (std::isfinite(residual)) high = std::max(high, residual);
    }
  }
  if (longest < 2 || !(high > 0)) return {};
  const double bottom = std::floor(std::log10(low)), top = std::max(bottom + 1, std::ceil(std::log10(high)));
  const auto y_of = [&](double residual) {
    return margin / 2 + (top - std::log10(residual)) / (top - bottom) * (height - margin);
  };
  std::string text = fmt::format(
      "<h2>Residual</h2>\n<svg viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" aria-label=\"residual by "
      "iteration\">\n",
      width, height, width);
  for (double power = bottom; power <= top; ++power)
    text += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ccc\"/><text x=\"{3}\" "
        "y=\"{4:.1f}\" "
        "text-anchor=\"end\">1e{5:.0f}</text>\n",
        margin, width, y_of(std::pow(10, power)), margin - 6, y_of(std::pow(10, power)) + 4, power);
  for (const Json& image : images) {
    std::string points;
    std::size_t i = 0;
    for (const Json& step : image["iterations"]) {
      const double residual = step["residual"].is_number() ? step["residual"].get<double>() : 0;
      const double x =
          margin + (width - margin) * static_cast<double>(i++) / static_cast<double>(longest - 1);
      if (residual > 0 && std::isfinite(residual)) points += fmt::format("{:.1f},{:.1f} ", x, y_of(residual));
    }
    text += "<polyline fill=\"none\" stroke=\"#06c\" stroke-width=\"1.5\" points=\"" + points + "\"/>\n";
  }
  return text + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">iteration {}</text>\n</svg>\n",
                            width, height - 4, longest);
}

/// A bar for each stage, one after the other.
std::string timeline(const Json& seconds) {
  const double total = seconds.value("total", 0.0);
  if (!(total > 0)) return {};
  constexpr double row = 20, name_width = 120;
  std::string bars;
  double begin = 0, y = 0;
  for (const auto& [stage, value] : seconds.items()) {
    if (stage == "total" || !value.is_number()) continue;
    const double duration = value.get<double>(), scale = (width - name_width - 80) / total;
    bars += fmt::format(
        "<text x=\"0\" y=\"{:.0f}\">{}</text><rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"14\" "
        "fill=\"#06c\"/><text x=\"{:.1f}\" y=\"{:.0f}\">{:.2f} s</text>\n",
        y + 12, as_html(stage), name_width + begin * scale, y, std::max(0.5, duration * scale),
        name_width + (begin + duration) * scale + 6, y + 12, duration);
    begin += duration;
    y += row;
  }
  return fmt::format("<h2>Time: {:.2f} s</h2>\n<svg viewBox=\"0 0 {} {}\" width=\"{}\">\n", total, width, y,
                     width) +
         bars + "</svg>\n";
}

}  // namespace

std::string html_report(const std::string& report, const std::vector<std::string>& notes,
                        const std::vector<std::uint8_t>& picture) {
  const Json json = Json::parse(report);
  std::string command;
  for (const Json& word : json["command"]) command += (command.empty() ? "" : " ") + word.get<std::string>();
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>recon "
      "run</title>\n<style>\n"
      "body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }\n"
      "svg text { font: 12px sans-serif; }\nimg { max-width: 100%; min-width: 240px; image-rendering: "
      "pixelated; }\n"
      "pre { overflow: auto; background: #f4f4f4; padding: 1em; }\n</style>\n</head>\n<body>\n"
      "<h1>Reconstruction</h1>\n<pre>" +
      as_html(command) + "</pre>\n";
  if (!picture.empty())
    page += "<img alt=\"what was reconstructed\" src=\"data:image/png;base64," + base64(picture) + "\">\n";
  page += list("Warnings", json["warnings"].get<std::vector<std::string>>());
  page += list("Decisions", notes);
  page += residual_curves(json["images"]);
  page += timeline(json["seconds"]);
  page += "<details><summary>Everything</summary>\n<pre>" + as_html(report) +
          "</pre>\n</details>\n</body>\n</html>\n";
  return page;
}

}  // namespace larmor::app
