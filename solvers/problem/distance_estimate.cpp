#include <larmor/solvers/problem/distance_estimate.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace larmor::detail {
namespace {

// Minimum number of iterations, and fraction of all iterations, that are needed to estimate an earlier one.
constexpr Index least_delay = 4, part = 4;

}  // namespace

void DistanceEstimate::add(double step, double residual, double quotient) {
  steps_.push_back({step * residual, quotient});
  numbers_.insert(numbers_.end(), {step, residual, quotient});
}

double DistanceEstimate::squared_from(Index k) const {
  double following = 0, squared = 0;  // ‖u* − u_{j+1}‖²_M
  for (Index j = iterations() - 1; j >= k; --j) {
    const Step& step = steps_[static_cast<std::size_t>(j)];
    const double present = following + step.decrease;
    squared += (present + following) / step.quotient;
    following = present;
  }
  return squared;
}

Index DistanceEstimate::looking_back() const {
  return std::max(least_delay, iterations() / part);
}

double DistanceEstimate::squared() const {
  if (iterations() < 2 * least_delay) return std::numeric_limits<double>::infinity();
  return squared_from(iterations() - looking_back());
}

double DistanceEstimate::energy() const {
  const Index back = std::max<Index>(2, iterations() / part);
  double recent = 0;
  for (Index j = std::max<Index>(0, iterations() - back); j < iterations(); ++j)
    recent += steps_[static_cast<std::size_t>(j)].decrease;
  return recent;
}

Index DistanceEstimate::missing(double squared_goal) const {
  const double now = squared();
  if (now <= squared_goal) return 0;
  const Index back = looking_back(), earlier = iterations() - 2 * back;
  const double before = earlier >= 0 ? squared_from(earlier) : now;
  // Convergence is too slow for an estimate from so few iterations.
  const double rate =
      std::isfinite(now) && before > now ? std::log(before / now) / static_cast<double>(back) : 0;
  if (!(rate > 0) || !(squared_goal > 0)) return std::max<Index>(iterations(), 1);
  return static_cast<Index>(std::ceil(std::log(now / squared_goal) / rate));
}

}  // namespace larmor::detail
