#pragma once

#include <larmor/solvers/problem/problem.hpp>
#include <larmor/solvers/regularizers/proximal_kernels.hpp>

namespace larmor {

// Functions g with a proximal map in closed form. value() and apply() take vectors of any shape with the
// number of elements that the function was made for; Error (internal) for others. Scratch comes from the
// context's arena.

/// Σ ‖z_group‖₂ of values seen as [outer, joint, inner], each group running over `joint`: the l2,1 norm, and
/// with joint = 1 the l1 norm. The prox shortens a group by the weight and keeps its direction.
template <typename T>
class GroupNorm final : public ProximalMap<T> {
 public:
  using Scalar = std::complex<T>;
  explicit GroupNorm(const GroupLayout& groups) : groups_(groups) {}
  /// The l1 norm of `size` values.
  explicit GroupNorm(Index size) : groups_{1, 1, size} {}
  std::string name() const override { return groups_.joint == 1 ? "L1" : "L21"; }
  double value(View<const Scalar> z, Context& ctx) const override;
  void apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx,
             Index iteration = 0) const override;
  std::size_t scratch_bytes(const Context& ctx) const override;

 private:
  GroupLayout groups_;
};

/// Zero for real vectors (with `positive`: for those without negative values), infinity for others.
template <typename T>
class RealIndicator final : public ProximalMap<T> {
 public:
  using Scalar = std::complex<T>;
  RealIndicator(Index size, bool positive) : size_(size), positive_(positive) {}
  std::string name() const override { return positive_ ? "Positivity" : "Real"; }
  double value(View<const Scalar> z, Context& ctx) const override;
  void apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx,
             Index iteration = 0) const override;
  std::size_t scratch_bytes(const Context& ctx) const override;

 private:
  Index size_;
  bool positive_;
};

/// Σ c_i g_i(z_i) of consecutive parts z_i of a flat vector: the prox of each part separately.
template <typename T>
class SeparableSum final : public ProximalMap<T> {
 public:
  using Scalar = std::complex<T>;
  struct Part {
    Index size;
    double factor;  ///< >= 0
    std::shared_ptr<const ProximalMap<T>> function;
  };
  explicit SeparableSum(std::vector<Part> parts) : parts_(std::move(parts)) {}
  std::string name() const override { return "SeparableSum"; }
  double value(View<const Scalar> z, Context& ctx) const override;
  void apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx,
             Index iteration = 0) const override;
  std::size_t scratch_bytes(const Context& ctx) const override;

 private:
  Index size() const;
  std::vector<Part> parts_;
};

/// Throws Error (internal) if the size of a vector differs from that of the function.
void require_size(const std::string& function, Index expected, Index found);

/// A shift in [0, bound) along an axis (0, 1, 2 for z, y, x), the same for the same arguments everywhere.
/// Successive iterations are spread evenly rather than independent: for bounds 2ᵐ, any 4ᵐ iterations from a
/// multiple of 4ᵐ have each pair of shifts in the plane y, x once, and the same holds modulo smaller powers.
/// Solvers with momentum would otherwise amplify runs of similar shifts.
Index drawn(Index iteration, int axis, Index bound);

}  // namespace larmor
