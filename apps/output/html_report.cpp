#include <larmor/apps/output/html_report.hpp>
#include <larmor/core/error.hpp>
#include <larmor/io/images/png.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

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

constexpr double width = 640, height = 240, margin = 56;

/// A curve of a chart; points that the axes cannot show are left out.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// An axis from the least to the largest of its values, logarithmic or not.
struct Axis {
  bool logarithmic = false;
  double low = 1e300, high = -1e300;
  bool shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }
  double scaled(double value) const { return logarithmic ? std::log10(value) : value; }
  void hold(double value) {
    low = std::min(low, scaled(value));
    high = std::max(high, scaled(value));
  }
  /// From 0 to 1.
  double place(double value) const { return high > low ? (scaled(value) - low) / (high - low) : 0.5; }
  std::string text(double part) const {
    const double value = low + part * (high - low);
    return fmt::format("{:.3g}", logarithmic ? std::pow(10, value) : value);
  }
};

std::string chart(const std::string& title, const std::string& x_name, const std::vector<Curve>& curves,
                  Axis x, Axis y) {
  std::size_t longest = 0;
  for (const Curve& curve : curves) {
    std::size_t count = 0;
    for (const auto& [at, value] : curve.points) {
      if (!x.shows(at) || !y.shows(value)) continue;
      x.hold(at);
      y.hold(value);
      ++count;
    }
    longest = std::max(longest, count);
  }
  if (longest < 2) return {};
  const auto x_of = [&](double part) { return margin + part * (width - margin - 8); };
  const auto y_of = [&](double part) { return margin / 4 + (1 - part) * (height - 0.75 * margin - 8); };
  std::string text = fmt::format(
      "<h2>{0}</h2>\n<svg viewBox=\"0 0 {1} {2}\" width=\"{1}\" role=\"img\" aria-label=\"{0} by {3}\">\n",
      as_html(title), width, height, as_html(x_name));
  for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0})
    text += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ccc\"/><text x=\"{3}\" "
        "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        margin, width - 8, y_of(part), margin - 6, y_of(part) + 4, y.text(part));
  for (const double part : {0.0, 0.5, 1.0})
    text +=
        fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\">{}{}</text>\n", x_of(part), height - 4,
                    part == 0   ? "start"
                    : part == 1 ? "end"
                                : "middle",
                    part == 1 ? as_html(x_name) + " " : "", x.text(part));
  static constexpr const char* colours[] = {"#06c", "#c40", "#080", "#808", "#860"};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const char* colour = colours[i % std::size(colours)];
    std::string points;
    for (const auto& [at, value] : curves[i].points)
      if (x.shows(at) && y.shows(value))
        points += fmt::format("{:.1f},{:.1f} ", x_of(x.place(at)), y_of(y.place(value)));
    text += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" points=\"{}\"/>\n",
                        colour, points);
    if (!curves[i].name.empty())
      text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"{}\">{}</text>\n", width - 12,
                          margin / 4 + 14 * static_cast<double>(i + 1), colour, as_html(curves[i].name));
  }
  return text + "</svg>\n";
}

double number_of(const Json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

/// The residuals of each image.
std::string residual_curves(const Json& images) {
  std::vector<Curve> curves;
  for (const Json& image : images) {
    Curve curve;
    for (const Json& step : image["iterations"])
      curve.points.emplace_back(static_cast<double>(curve.points.size() + 1), number_of(step["residual"]));
    curves.push_back(std::move(curve));
  }
  return chart("Residual", "iteration", curves, {}, {.logarithmic = true});
}

/// What was expected of each weight of the regulariser that was tried.
std::string weight_curves(const Json& report) {
  std::string text;
  if (const Json& search = report["lambda_search"]; search.is_object()) {
    Curve curve;
    for (const Json& trial : search["trials"])
      curve.points.emplace_back(number_of(trial["lambda"]), number_of(trial["risk"]));
    std::sort(curve.points.begin(), curve.points.end());
    text += chart("Weight: " + search["rule"].get<std::string>(), "λ", {curve}, {.logarithmic = true}, {});
  }
  return text;
}

/// Readouts as lines, seen along z, and along y where there is a kz.
std::string trajectory_plot(const FirstModel& model) {
  if (model.readouts.empty()) return {};
  bool deep = false;
  for (const auto& readout : model.readouts)
    for (const Vec3& k : readout) deep = deep || k[2] != 0;
  constexpr double side = 300, half = side / 2;
  std::string text = "<h2>Trajectory</h2>\n";
  text += fmt::format("<p>{} of {} readouts of the first image, in cycles/pixel from -0.5 to 0.5.</p>\n",
                      model.readouts.size(), model.all_readouts);
  for (const std::size_t up : {std::size_t{1}, std::size_t{2}}) {
    if (up == 2 && !deep) break;
    text += fmt::format(
        "<svg viewBox=\"0 0 {0} {0}\" width=\"{0}\" role=\"img\" aria-label=\"trajectory, kx and "
        "{1}\">\n<rect "
        "width=\"{0}\" height=\"{0}\" fill=\"none\" stroke=\"#ccc\"/>\n<text x=\"6\" y=\"16\">kx, "
        "{1}</text>\n",
        side, up == 1 ? "ky" : "kz");
    for (const auto& readout : model.readouts) {
      std::string points;
      for (const Vec3& k : readout)
        points += fmt::format("{:.1f},{:.1f} ", half + k[0] * side, half - k[up] * side);
      text += "<polyline fill=\"none\" stroke=\"#06c\" stroke-width=\"0.5\" points=\"" + points + "\"/>\n";
    }
    text += "</svg>\n";
  }
  return text;
}

/// The images of a series, or nothing and a line in `lost`.
std::string picture(const char* title, const char* what, const ImageSeries& series,
                    std::vector<std::string>& lost) {
  if (series.images.empty()) return {};
  try {
    return fmt::format("<h2>{}</h2>\n<img alt=\"{}\" src=\"data:image/png;base64,{}\">\n", title, what,
                       base64(png_of(series)));
  } catch (const Error& error) {
    lost.push_back(fmt::format("no picture of {} in the report: {}", what, error.what()));
    return {};
  }
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
                        const Reconstruction& result, std::vector<std::string>& lost) {
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
  page += picture("Images", "what was reconstructed", result.series, lost);
  page += list("Warnings", json["warnings"].get<std::vector<std::string>>());
  page += list("Decisions", notes);
  page += residual_curves(json["images"]) + weight_curves(json);
  page += picture("Coil maps", "the coil maps", result.first_model.maps, lost);
  page += trajectory_plot(result.first_model);
  page += timeline(json["seconds"]);
  page += "<details><summary>Everything</summary>\n<pre>" + as_html(report) +
          "</pre>\n</details>\n</body>\n</html>\n";
  return page;
}

}  // namespace larmor::app
