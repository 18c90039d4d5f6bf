#pragma once

#include <string>
#include <utility>
#include <vector>

namespace larmor::app {

/// A curve of a chart; points that the axes cannot show are omitted.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// The quantity along an axis, and its scale.
struct Axis {
  std::string title;
  bool logarithmic = false;
};

/// A drawing for html_page() that scales with the page. Curves differ by their dashes, not by colour alone;
/// their names are a legend above. Empty unless a curve has two points.
std::string chart(const std::string& title, const std::vector<Curve>& curves, const Axis& x, const Axis& y);

}  // namespace larmor::app
