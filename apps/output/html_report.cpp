#include <larmor/apps/output/chart.hpp>
#include <larmor/apps/output/html_report.hpp>
#include <larmor/apps/output/page.hpp>
#include <larmor/core/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

namespace larmor::app {
namespace {

using Json = nlohmann::ordered_json;

/// The text without the folders of files given by absolute paths, because pages are passed on.
std::string without_folders(std::string text, const Json& report) {
  std::set<std::string, std::greater<>> folders;
  for (const char* list : {"command", "outputs"})
    for (const Json& word : report[list]) {
      const std::string path = word.get<std::string>();
      const std::size_t begin = path.starts_with('/') ? 0 : path.find("=/");
      const std::size_t end = path.rfind('/');
      if (begin == std::string::npos || end == std::string::npos) continue;
      const std::size_t first = begin == 0 ? 0 : begin + 1;
      folders.insert(path.substr(first, end + 1 - first));
    }
  for (const std::string& folder : folders)
    for (std::size_t at = 0; folder.size() > 1 && (at = text.find(folder, at)) != std::string::npos;)
      text.erase(at, folder.size());
  return text;
}

std::string folded(const char* title, const std::string& content) {
  if (content.empty()) return {};
  return fmt::format("<details>\n<summary><h2>{}</h2></summary>\n{}</details>\n", title, content);
}

std::string list(const char* name, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = fmt::format("<ul class=\"{}\">\n", name);
  for (const std::string& line : lines) text += "<li>" + as_html(line) + "</li>\n";
  return text + "</ul>\n";
}

double number_of(const Json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

/// "192 × 192" for axes with more than one entry.
std::string product(const Json& axes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{}{:.4g}", i > 0 ? " × " : "", axes[i].get<double>());
  return text;
}

std::string bytes(double count) {
  return count < 1e9 ? fmt::format("{:.0f} MB", count / 1e6) : fmt::format("{:.3g} GB", count / 1e9);
}

std::string solver_of(const Json& report) {
  const std::string name = report["solver"];
  if (report["images"].empty() || report["images"][0]["iterations"].empty()) return name;
  const std::string reason = report["stop_reason"];
  const bool converged = reason == "distance" || reason == "tolerance" || reason == "residual";
  return fmt::format("{}, {} iterations, {}", name, report["images"][0]["iterations"].size(),
                     converged                ? "converged"
                     : reason == "iterations" ? "all that were allowed"
                                              : "stopped: " + reason);
}

/// The expected error, or why there is none, and the resolution in pixels and millimetres.
std::pair<std::string, std::string> error_and_resolution(const Json& report) {
  const Json& expected = report["expected"];
  const double pixels = expected.is_object() ? number_of(expected["resolution_pixels"]) : std::nan("");
  const Json& grid = report["sizes"]["recon"];
  const double pixel = grid["fov_mm"][0].get<double>() / grid["matrix"][0].get<double>();
  const std::string resolution = std::isfinite(pixels)
                                     ? fmt::format("{:.2f} pixels, {:.3g} mm", pixels, pixels * pixel)
                                     : "not estimated";
  if (!report["expected"].is_object()) return {"not estimated", resolution};
  if (expected["noise_alone"].get<bool>()) return {"the data contain only noise", resolution};
  return {fmt::format("{:.2g} % of the magnitude", 100 * number_of(expected["error"])), resolution};
}

std::string card(const Json& report, std::size_t images) {
  std::string rows;
  const auto row = [&](const char* name, const std::string& value) {
    if (!value.empty()) rows += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, as_html(value));
  };
  const Json& sizes = report["sizes"];
  const std::size_t axes = sizes["dimensions"].get<std::size_t>();
  const Json& grid = sizes["recon"];
  row("Scan", report["scan"].is_string() ? report["scan"].get<std::string>() : "");
  std::string date = report["date"];
  if (date.size() > 16) date = date.substr(0, 10) + " " + date.substr(11, 5) + " UTC";
  row("Date", date);
  row("Version", "Larmor " + report["version"].get<std::string>());
  row("Matrix", product(grid["matrix"], axes) + (images > 1 ? fmt::format(", {} images", images) : ""));
  row("Field of view", product(grid["fov_mm"], axes) + " mm");
  row("Readouts",
      fmt::format("{}, {} samples", sizes["imaging_readouts"].get<Index>(), sizes["samples"].get<Index>()));
  const auto channels = sizes["channels"].get<Index>(), coils = sizes["coils"].get<Index>();
  const std::string maps = report["calibration"];
  row("Coils",
      (coils == channels ? fmt::format("{}", coils) : fmt::format("{} of {} channels", coils, channels)) +
          (maps == "none" ? ", no maps" : ", maps: " + maps));
  row("Solver", solver_of(report));
  if (report["solver"] != "gridding") {
    std::string terms;
    for (const Json& term : report["regularizers"])
      terms += (terms.empty() ? "" : " + ") + term["name"].get<std::string>();
    const std::string none = report["expected"].is_object()
                                 ? "default: each spatial frequency is weighted by its signal and noise, for "
                                   "the least expected error"
                                 : "none";
    row("Regulariser", terms.empty() ? none : terms);
    if (const double lambda = number_of(report["lambda"]); lambda > 0)
      row("λ", fmt::format("{:.3g}", lambda));
  }
  const auto [error, resolution] = error_and_resolution(report);
  row("Expected error", error);
  row("Resolution", resolution);
  row("Time", fmt::format("{:.3g} s, {}, {} threads", number_of(report["seconds"]["total"]),
                          report["device"].get<std::string>(), report["threads"].get<int>()));
  row("Memory", bytes(number_of(report["peak_bytes"]["host"])));
  return "<dl>\n" + rows + "</dl>\n";
}

/// The residuals of each image.
std::string residual_curves(const Json& images) {
  std::vector<Curve> curves;
  for (const Json& image : images) {
    Curve curve{fmt::format("image {}", curves.size() + 1), {}};
    for (const Json& step : image["iterations"])
      curve.points.emplace_back(static_cast<double>(curve.points.size() + 1), number_of(step["residual"]));
    curves.push_back(std::move(curve));
  }
  return chart("Residual", curves, {"iteration"}, {"norm of the gradient, relative", true});
}

/// The expected error for each tried weight of the regulariser.
std::string weight_curves(const Json& report) {
  const Json& search = report["lambda_search"];
  if (!search.is_object()) return {};
  Curve curve;
  for (const Json& trial : search["trials"])
    curve.points.emplace_back(number_of(trial["lambda"]), number_of(trial["risk"]));
  std::sort(curve.points.begin(), curve.points.end());
  return chart("Weights that were tried", {curve}, {"λ", true},
               {"estimated error (" + search["rule"].get<std::string>() + ")"});
}

/// Readouts as lines, seen along z, and along y if there is a kz.
std::string trajectory_plot(const FirstModel& model) {
  if (model.readouts.empty()) return {};
  bool deep = false;
  for (const auto& readout : model.readouts)
    for (const Vec3& k : readout) deep = deep || k[2] != 0;
  constexpr double side = 300, edge = 34, half = edge + side / 2;
  std::string text = fmt::format("<p>{} of {} readouts of the first image.</p>\n<div class=\"charts\">\n",
                                 model.readouts.size(), model.all_readouts);
  for (const std::size_t up : {std::size_t{1}, std::size_t{2}}) {
    if (up == 2 && !deep) break;
    const char* name = up == 1 ? "ky" : "kz";
    text += fmt::format(
        "<figure>\n<svg viewBox=\"0 0 {0} {0}\" role=\"img\" aria-label=\"trajectory, kx and {1}\">\n<rect "
        "class=\"grid\" "
        "x=\"{2}\" width=\"{3}\" height=\"{3}\" fill=\"none\"/>\n<text x=\"{4}\" y=\"{5}\" "
        "text-anchor=\"middle\">kx, "
        "−0.5 to 0.5 cycles/pixel</text>\n<text transform=\"translate(20 {6}) rotate(-90)\" "
        "text-anchor=\"middle\">{1}, "
        "−0.5 to 0.5 cycles/pixel</text>\n",
        side + edge, name, edge, side, half, side + 20, side / 2);
    for (const auto& readout : model.readouts) {
      std::string points;
      for (const Vec3& k : readout)
        points += fmt::format("{:.1f},{:.1f} ", half + k[0] * side, side / 2 - k[up] * side);
      text += "<polyline class=\"thin\" points=\"" + points + "\"/>\n";
    }
    text += "</svg>\n</figure>\n";
  }
  return text + "</div>\n";
}

/// A bar for each stage, one after the other.
std::string timeline(const Json& seconds) {
  const double total = seconds.value("total", 0.0);
  if (!(total > 0)) return {};
  std::string bars;
  double begin = 0;
  for (const auto& [stage, value] : seconds.items()) {
    if (stage == "total" || !value.is_number()) continue;
    const double part = 100 * value.get<double>() / total;
    bars += fmt::format(
        "<span>{}</span><span><i style=\"width: {:.2f}%; margin-left: {:.2f}%\"></i></span><span>{:.2f} "
        "s</span>\n",
        as_html(stage), part, std::min(99.0, begin), value.get<double>());
    begin += part;
  }
  return "<div class=\"times\">\n" + bars + "</div>\n";
}

/// The result of `draw`; if it throws, an empty text and a line in `lost`.
std::string drawn(const char* what, const std::function<std::string()>& draw,
                  std::vector<std::string>& lost) {
  try {
    return draw();
  } catch (const Error& error) {
    lost.push_back(fmt::format("no picture of {} in the report: {}", what, error.what()));
    return {};
  }
}

}  // namespace

std::string html_report(const std::string& report, const std::vector<std::string>& notes,
                        const Reconstruction& result, std::vector<std::string>& lost) {
  const std::string text = without_folders(report, Json::parse(report));
  const Json json = Json::parse(text);
  std::vector<std::string> decisions;
  for (const std::string& note : notes) decisions.push_back(without_folders(note, Json::parse(report)));
  const std::string scan = json["scan"].is_string() ? json["scan"].get<std::string>() : "Reconstruction";
  std::string command;
  for (const Json& word : json["command"]) command += (command.empty() ? "" : " ") + word.get<std::string>();

  std::string body = "<h1>" + as_html(scan) +
                     "</h1>\n<p class=\"subtitle\">Reconstruction by Larmor</p>\n<div class=\"first\">\n";
  const ImageSeries& series = result.series;
  const std::string images = drawn(
      "the images", [&] { return series.images.empty() ? "" : image_viewer(series); }, lost);
  body += images.empty() ? "<p>There is no picture of the images.</p>\n" : images;
  const std::string warnings = list("warnings", json["warnings"].get<std::vector<std::string>>());
  body += "<div class=\"card\">\n" + card(json, series.images.size()) +
          (warnings.empty() ? "" : "<h3 class=\"above\">Warnings</h3>\n") + warnings + "</div>\n</div>\n";
  const std::string curves = residual_curves(json["images"]) + weight_curves(json);
  body += folded("Convergence", curves.empty() ? "" : "<div class=\"charts\">\n" + curves + "</div>\n");
  body += folded("Decisions", list("decisions", decisions));
  const ImageSeries& maps = result.first_model.maps;
  body += folded(
      "Coil maps",
      drawn(
          "the coil maps",
          [&] { return maps.images.empty() ? "" : image_tag("magnitudes of the coil maps", maps); }, lost));
  body += folded("Trajectory", trajectory_plot(result.first_model));
  body += folded("Time", timeline(json["seconds"]));
  body += folded("Command", "<pre class=\"words\">" + as_html(command) + "</pre>\n");
  body += folded("Full report", "<pre>" + as_html(text) + "</pre>\n");
  return html_page(scan, body);
}

}  // namespace larmor::app
