#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/density/voronoi.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace larmor {
namespace {

struct Point {
  double x = 0, y = 0;
};

Point operator-(Point a, Point b) {
  return {a.x - b.x, a.y - b.y};
}
double inner(Point a, Point b) {
  return a.x * b.x + a.y * b.y;
}
double cross(Point a, Point b) {
  return a.x * b.y - a.y * b.x;
}

/// {x : normal·x <= offset}
struct HalfPlane {
  Point normal;
  double offset = 0;
};

/// A convex polygon around a site, its vertices counter-clockwise and relative to the site, which preserves
/// the digits of small cells far from the origin.
class Cell {
 public:
  void start(const std::vector<Point>& polygon, Point site) {
    vertices_.clear();
    for (const Point& vertex : polygon) vertices_.push_back(vertex - site);
    measure();
  }

  void cut(const HalfPlane& keep) {
    const std::size_t count = vertices_.size();
    cut_.clear();
    bool changed = false;
    for (std::size_t i = 0; i < count; ++i) {
      const Point a = vertices_[i], b = vertices_[i + 1 < count ? i + 1 : 0];
      const double outside_a = inner(keep.normal, a) - keep.offset;
      const double outside_b = inner(keep.normal, b) - keep.offset;
      if (outside_a <= 0) cut_.push_back(a);
      changed = changed || outside_a > 0;
      if ((outside_a < 0 && outside_b > 0) || (outside_a > 0 && outside_b < 0)) {
        const double t = outside_a / (outside_a - outside_b);
        cut_.push_back({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
      }
    }
    if (!changed) return;
    std::swap(vertices_, cut_);
    measure();
  }

  /// Keeps the part that is nearer to the site than to its neighbour at `offset` from it.
  void cut_towards(Point offset) {
    const double square = inner(offset, offset);
    if (square < 4 * radius_squared_) cut({offset, 0.5 * square});
  }

  double area() const {
    double twice = 0;
    for (std::size_t i = 0; i < vertices_.size(); ++i)
      twice += cross(vertices_[i], vertices_[i + 1 < vertices_.size() ? i + 1 : 0]);
    return 0.5 * std::max(0.0, twice);
  }
  /// Square of the distance to the farthest vertex.
  double radius_squared() const { return radius_squared_; }

  /// Distance from the site to the cell's border along a unit vector; borders through the site do not count.
  double reach(Point direction) const {
    const double radius = std::sqrt(radius_squared_);
    double reach = radius;
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      const Point a = vertices_[i], edge = vertices_[i + 1 < vertices_.size() ? i + 1 : 0] - a;
      const Point outwards{edge.y, -edge.x};
      const double rate = inner(outwards, direction), distance = inner(outwards, a);
      if (rate > 0 && distance > 1e-9 * radius * std::sqrt(inner(edge, edge)))
        reach = std::min(reach, distance / rate);
    }
    return reach;
  }

 private:
  void measure() {
    radius_squared_ = 0;
    for (const Point& vertex : vertices_) radius_squared_ = std::max(radius_squared_, inner(vertex, vertex));
  }

  std::vector<Point> vertices_, cut_;
  double radius_squared_ = 0;
};

/// A k-d tree (Bentley 1975) in one array: the median of a range splits it. Its neighbours cut a cell from
/// near to far, range by range (Arya & Mount 1993), until the remaining ones are too far to cut. Without that
/// order, a cell next to a splitting plane would be cut by all sites on its own side before the near ones
/// beyond the plane.
class Neighbours {
 public:
  explicit Neighbours(const std::vector<Point>& sites)
      : sites_(sites), order_(sites.size()), axis_(sites.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    split(0, order_.size());
  }

  /// Ranges still to be visited; kept between calls for its memory.
  struct Range {
    double distance_squared;  // at least as far from the site
    std::size_t begin, end;
    std::size_t split;  // the site on the plane that it lies behind
    Point offset;       // to the range, along each axis
    bool operator<(const Range& other) const { return distance_squared > other.distance_squared; }
  };

  void cut(Cell& cell, std::size_t site, std::vector<Range>& ahead) const {
    ahead.assign(1, {0, 0, order_.size(), order_.size() / 2, {}});
    while (!ahead.empty()) {
      std::pop_heap(ahead.begin(), ahead.end());
      const Range nearest = ahead.back();
      ahead.pop_back();
      if (nearest.distance_squared >= 4 * cell.radius_squared()) return;
      visit(nearest, site, cell, ahead);
    }
  }

 private:
  static constexpr std::size_t leaf = 8;

  double along(std::size_t site, char axis) const { return axis == 0 ? sites_[site].x : sites_[site].y; }

  void split(std::size_t begin, std::size_t end) {
    if (end - begin <= leaf) return;
    Point low = sites_[order_[begin]], high = low;
    for (std::size_t i = begin; i < end; ++i) {
      const Point site = sites_[order_[i]];
      low = {std::min(low.x, site.x), std::min(low.y, site.y)};
      high = {std::max(high.x, site.x), std::max(high.y, site.y)};
    }
    const char axis = high.x - low.x >= high.y - low.y ? 0 : 1;
    const std::size_t middle = begin + (end - begin) / 2;
    const auto first = order_.begin();
    std::nth_element(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(middle),
                     first + static_cast<std::ptrdiff_t>(end), [&](std::size_t a, std::size_t b) {
                       return std::pair(along(a, axis), a) < std::pair(along(b, axis), b);
                     });
    axis_[middle] = axis;
    split(begin, middle);
    split(middle + 1, end);
  }

  void cut_by(std::size_t neighbour, std::size_t site, Cell& cell) const {
    if (neighbour != site) cell.cut_towards(sites_[neighbour] - sites_[site]);
  }

  // Goes down to the leaf of the range that is nearest to the site; the other halves are visited later.
  void visit(Range range, std::size_t site, Cell& cell, std::vector<Range>& ahead) const {
    cut_by(order_[range.split], site, cell);
    while (range.end - range.begin > leaf) {
      const std::size_t middle = range.begin + (range.end - range.begin) / 2;
      const char axis = axis_[middle];
      const double distance = along(site, axis) - along(order_[middle], axis);
      Range far = range;
      (axis == 0 ? far.offset.x : far.offset.y) = distance;
      far.distance_squared = inner(far.offset, far.offset);
      far.split = middle;
      if (distance < 0) {
        far.begin = middle + 1;
        range.end = middle;
      } else {
        far.end = middle;
        range.begin = middle + 1;
      }
      if (far.distance_squared < 4 * cell.radius_squared()) {
        ahead.push_back(far);
        std::push_heap(ahead.begin(), ahead.end());
      }
    }
    for (std::size_t i = range.begin; i < range.end; ++i) cut_by(order_[i], site, cell);
  }

  const std::vector<Point>& sites_;
  std::vector<std::size_t> order_;
  std::vector<char> axis_;
};

/// Sites with points closer than `same` merged, and the number of points of each.
struct Sites {
  std::vector<Point> position;
  std::vector<Index> points;
  std::vector<std::size_t> of_point;
};

Sites merged_sites(View<const double> points, double same) {
  const auto count = static_cast<std::size_t>(points.shape()[0]);
  struct Rounded {
    double x, y;
    std::size_t point;
    bool operator<(const Rounded& other) const {
      return std::tie(x, y, point) < std::tie(other.x, other.y, other.point);
    }
  };
  std::vector<Rounded> rounded(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<Index>(2 * i);
    rounded[i] = {std::round(points[at] / same), std::round(points[at + 1] / same), i};
  }
  std::sort(rounded.begin(), rounded.end());
  Sites sites;
  sites.of_point.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t point = rounded[i].point;
    const auto at = static_cast<Index>(2 * point);
    if (i == 0 || rounded[i].x != rounded[i - 1].x || rounded[i].y != rounded[i - 1].y) {
      sites.position.push_back({points[at], points[at + 1]});
      sites.points.push_back(0);
    }
    sites.of_point[point] = sites.position.size() - 1;
    ++sites.points.back();
  }
  return sites;
}

/// Vertices of the convex hull, counter-clockwise, none on the line between its neighbours (Andrew 1979).
std::vector<std::size_t> convex_hull(const std::vector<Point>& sites) {
  std::vector<std::size_t> order(sites.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(sites[a].x, sites[a].y) < std::tie(sites[b].x, sites[b].y);
  });
  std::vector<std::size_t> hull;
  const auto chain = [&](auto begin, auto end) {
    const std::size_t first = hull.size();
    for (auto it = begin; it != end; ++it) {
      while (hull.size() >= first + 2 && cross(sites[hull.back()] - sites[hull[hull.size() - 2]],
                                               sites[*it] - sites[hull[hull.size() - 2]]) <= 0)
        hull.pop_back();
      hull.push_back(*it);
    }
    hull.pop_back();
  };
  chain(order.begin(), order.end());
  chain(order.rbegin(), order.rend());
  return hull;
}

/// The region to which cells are cut: the convex hull, its edges moved outwards.
class Domain {
 public:
  Domain(const std::vector<Point>& sites, const Neighbours& neighbours) {
    const auto hull = convex_hull(sites);
    if (hull.size() < 3)
      throw input_error("Voronoi density: all samples lie on one line; use analytic or pipe")
          .about("density");
    for (std::size_t i = 0; i < hull.size(); ++i) {
      const Point from = sites[hull[i]], along = sites[hull[i + 1 < hull.size() ? i + 1 : 0]] - from;
      const double length = std::sqrt(inner(along, along));
      const Point normal{along.y / length, -along.x / length};
      edges_.push_back({normal, inner(normal, from)});
    }
    surround(sites, hull, 0);
    std::vector<double> shift;
    Cell first, second;
    std::vector<Neighbours::Range> ahead;
    cell_of(hull[0], sites, neighbours, first, ahead);
    for (std::size_t i = 0; i < hull.size(); ++i) {
      cell_of(hull[i + 1 < hull.size() ? i + 1 : 0], sites, neighbours, second, ahead);
      const Point inwards{-edges_[i].normal.x, -edges_[i].normal.y};
      shift.push_back(0.5 * (first.reach(inwards) + second.reach(inwards)));
      std::swap(first, second);
    }
    for (std::size_t i = 0; i < edges_.size(); ++i) edges_[i].offset += shift[i];
    surround(sites, hull, *std::max_element(shift.begin(), shift.end()));
  }

  /// Cuts the polygon around the domain to the cell of a site.
  void cell_of(std::size_t index, const std::vector<Point>& sites, const Neighbours& neighbours, Cell& cell,
               std::vector<Neighbours::Range>& ahead) const {
    const Point site = sites[index];
    cell.start(around_, site);
    neighbours.cut(cell, index, ahead);
    const Point from = site - centre_;
    if (std::sqrt(inner(from, from)) + std::sqrt(cell.radius_squared()) < inner_radius_) return;
    for (const HalfPlane& edge : edges_) {
      const double distance = edge.offset - inner(edge.normal, site);
      if (distance * distance < cell.radius_squared()) cell.cut({edge.normal, distance});
    }
  }

 private:
  // A polygon of few edges that contains the domain, and a circle inside it.
  void surround(const std::vector<Point>& sites, const std::vector<std::size_t>& hull, double margin) {
    constexpr int directions = 16;
    constexpr double step = 2 * std::numbers::pi / directions;
    centre_ = {};
    for (const std::size_t vertex : hull) {
      centre_.x += sites[vertex].x / static_cast<double>(hull.size());
      centre_.y += sites[vertex].y / static_cast<double>(hull.size());
    }
    inner_radius_ = std::numeric_limits<double>::infinity();
    for (const HalfPlane& edge : edges_)
      inner_radius_ = std::min(inner_radius_, edge.offset - inner(edge.normal, centre_));
    std::array<HalfPlane, directions> planes;
    for (int d = 0; d < directions; ++d) {
      HalfPlane& plane = planes[static_cast<std::size_t>(d)];
      plane.normal = {std::cos(step * d), std::sin(step * d)};
      plane.offset = -std::numeric_limits<double>::infinity();
      for (const std::size_t vertex : hull)
        plane.offset = std::max(plane.offset, inner(plane.normal, sites[vertex]));
      // Edges meet at an angle: the corner between two moved ones is farther out than either.
      plane.offset += 2 * margin;
    }
    around_.clear();
    for (std::size_t d = 0; d < directions; ++d) {
      const HalfPlane &a = planes[d], &b = planes[(d + 1) % directions];
      around_.push_back({(a.offset * b.normal.y - b.offset * a.normal.y) / std::sin(step),
                         (b.offset * a.normal.x - a.offset * b.normal.x) / std::sin(step)});
    }
  }

  std::vector<HalfPlane> edges_;  // unit normals outwards
  std::vector<Point> around_;
  Point centre_;
  double inner_radius_ = 0;
};

}  // namespace

Array<double> voronoi_areas(View<const double> points, double same, Context& ctx) {
  if (points.shape().rank() != 2 || points.shape()[1] != 2)
    throw usage_error("voronoi_areas: points of shape {}, expected [n, 2]", points.shape().to_string());
  const Sites sites = merged_sites(points, same);
  const Neighbours neighbours(sites.position);
  const Domain domain(sites.position, neighbours);
  std::vector<double> area(sites.position.size());
  parallel_for(ctx, static_cast<Index>(area.size()), 256, [&](Index begin, Index end, int) {
    Cell cell;
    std::vector<Neighbours::Range> ahead;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      domain.cell_of(i, sites.position, neighbours, cell, ahead);
      area[i] = cell.area() / static_cast<double>(sites.points[i]);
    }
  });
  Array<double> result({points.shape()[0]});
  for (Index j = 0; j < result.size(); ++j) result[j] = area[sites.of_point[static_cast<std::size_t>(j)]];
  return result;
}

}  // namespace larmor
