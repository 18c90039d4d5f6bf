#include <larmor/apps/output/chart.hpp>
#include <larmor/apps/output/page.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace larmor::app {
namespace {

// Size in units of the drawing. It is about as wide as a phone, so that text is readable there.
constexpr struct { double width = 400, height = 250, left = 58, right = 12, top = 10, bottom = 46; } frame;

/// 1, 2 or 5 times a power of ten.
double round_step(double step) {
  const double decade = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (step <= factor * decade * 1.0001) return factor * decade;
  return 10 * decade;
}

/// An axis from the smallest to the largest of its values.
class Scale {
 public:
  explicit Scale(bool logarithmic) : logarithmic_(logarithmic) {}
  bool shows(double value) const { return std::isfinite(value) && (!logarithmic_ || value > 0); }
  void hold(double value) {
    low_ = std::min(low_, scaled(value));
    high_ = std::max(high_, scaled(value));
  }
  /// Position from 0 to 1.
  double place(double value) const { return high_ > low_ ? (scaled(value) - low_) / (high_ - low_) : 0.5; }
  /// Round values within the axis: for logarithmic axes powers of ten, or 1, 2 and 5 times them if there are
  /// few.
  std::vector<double> ticks() const {
    std::vector<double> found;
    if (!logarithmic_) {
      if (!(high_ > low_)) return {low_};
      const double step = round_step((high_ - low_) / 5);
      for (double at = std::ceil(low_ / step - 1e-9); at * step <= high_ + 1e-9 * step; ++at)
        found.push_back(at * step);
      return found;
    }
    const bool few = high_ - low_ < 2;
    const double by = std::max(1.0, std::ceil((high_ - low_) / 6));
    for (double power = std::floor(low_); power <= high_; power += few ? 1 : by)
      for (const double factor : {1.0, 2.0, 5.0}) {
        if (!few && factor > 1) break;
        const double at = power + std::log10(factor);
        if (at >= low_ - 1e-9 && at <= high_ + 1e-9) found.push_back(std::pow(10, at));
      }
    return found;
  }

 private:
  double scaled(double value) const { return logarithmic_ ? std::log10(value) : value; }

  bool logarithmic_;
  double low_ = 1e300, high_ = -1e300;
};

constexpr std::array<const char*, 5> dashes{"none", "7 3", "2 2", "9 3 2 3", "12 4"};

/// A legend: names with a piece of each line; if there are more curves than dash styles, only their number.
std::string legend(const std::vector<Curve>& curves) {
  if (curves.size() < 2) return {};
  if (curves.size() > dashes.size())
    return fmt::format("<p>{} curves, one for each image.</p>\n", curves.size());
  std::string text = "<p>";
  for (std::size_t i = 0; i < curves.size(); ++i)
    text += fmt::format(
        "<svg viewBox=\"0 0 36 8\" style=\"display: inline; width: 36px; vertical-align: middle\" "
        "aria-hidden=\"true\"><line class=\"curve\" x2=\"36\" y1=\"4\" y2=\"4\" "
        "stroke-dasharray=\"{}\"/></svg> {} ",
        dashes[i], as_html(curves[i].name));
  return text + "</p>\n";
}

}  // namespace

std::string chart(const std::string& title, const std::vector<Curve>& curves, const Axis& x, const Axis& y) {
  Scale across(x.logarithmic), up(y.logarithmic);
  std::vector<std::vector<std::pair<double, double>>> shown;
  std::size_t longest = 0;
  for (const Curve& curve : curves) {
    auto& points = shown.emplace_back();
    for (const auto& point : curve.points) {
      if (!across.shows(point.first) || !up.shows(point.second)) continue;
      across.hold(point.first);
      up.hold(point.second);
      points.push_back(point);
    }
    longest = std::max(longest, points.size());
  }
  if (longest < 2) return {};
  const auto x_of = [&](double value) {
    return frame.left + across.place(value) * (frame.width - frame.left - frame.right);
  };
  const auto y_of = [&](double value) {
    return frame.top + (1 - up.place(value)) * (frame.height - frame.top - frame.bottom);
  };
  std::string text = fmt::format(
      "<figure>\n<h3>{0}</h3>\n{1}<svg viewBox=\"0 0 {2} {3}\" role=\"img\" aria-label=\"{0}: {4} by "
      "{5}\">\n",
      as_html(title), legend(curves), frame.width, frame.height, as_html(y.title), as_html(x.title));
  for (const double tick : up.ticks())
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" "
        "y=\"{4:.1f}\" text-anchor=\"end\">{5:.3g}</text>\n",
        frame.left, frame.width - frame.right, y_of(tick), frame.left - 6, y_of(tick) + 4, tick);
  for (const double tick : across.ticks())
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text x=\"{0:.1f}\" "
        "y=\"{3}\" "
        "text-anchor=\"middle\">{4:.3g}</text>\n",
        x_of(tick), frame.height - frame.bottom, frame.height - frame.bottom + 4,
        frame.height - frame.bottom + 17, tick);
  text += fmt::format(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n<text transform=\"translate(12 {}) "
      "rotate(-90)\" "
      "text-anchor=\"middle\">{}</text>\n",
      (frame.left + frame.width - frame.right) / 2, frame.height - 8, as_html(x.title),
      (frame.top + frame.height - frame.bottom) / 2, as_html(y.title));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    std::string points;
    for (const auto& [at, value] : shown[i]) points += fmt::format("{:.1f},{:.1f} ", x_of(at), y_of(value));
    text += fmt::format("<polyline class=\"curve\" stroke-dasharray=\"{}\" points=\"{}\"/>\n",
                        curves.size() > dashes.size() ? "none" : dashes[i], points);
  }
  return text + "</svg>\n</figure>\n";
}

}  // namespace larmor::app
