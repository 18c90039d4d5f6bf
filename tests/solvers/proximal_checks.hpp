#pragma once

// The checks that every proximal map must pass.

#include "device_cases.hpp"

#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/solvers/problem/problem.hpp>

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace larmor::test {

/// A function, written separately from its implementation, in double on the CPU.
struct ProximalReference {
  using Value = std::function<double(View<const std::complex<double>>)>;
  Value value;
  /// The dual norm, if the function is a (semi)norm: its conjugate is the indicator of the dual norm's ball.
  Value dual_norm = nullptr;
};

template <typename T>
class ProximalChecker {
 public:
  using C = std::complex<T>;
  using D = std::complex<double>;

  ProximalChecker(const ProximalMap<T>& function, ProximalReference reference, const Shape& shape,
                  Context& ctx, double rounding)
      : function_(function),
        reference_(std::move(reference)),
        shape_(shape),
        ctx_(ctx),
        rounding_(rounding) {}

  void run() {
    for (const double weight : {0.0, 0.3, 1.5}) {
      SCOPED_TRACE(fmt::format("{} of {}, weight {}", function_.name(), shape_.to_string(), weight));
      values(weight);
      in_place_and_again(weight);
      non_expansive(weight);
      if (reference_.dual_norm) moreau(weight);
      minimal(weight);
    }
    allocates_nothing();
  }

 private:
  Array<C> random(unsigned seed) const { return moved_to(ctx_.device(), random_complex<T>(shape_, seed)); }
  Array<C> prox(double weight, const Array<C>& z) const {
    auto out = moved_to(ctx_.device(), filled<C>(shape_, C(std::nanf(""), 0)));
    function_.apply(weight, z, out, ctx_);
    return out;
  }
  static Array<D> exact(const Array<C>& z) { return converted<D>(fetched(z).view()); }

  void values(double weight) {
    const auto z = random(1), p = prox(weight, z);
    for (const auto* point : {&z, &p}) {
      const double expected = reference_.value(exact(*point).view()), found = function_.value(*point, ctx_);
      if (std::isinf(expected))
        EXPECT_EQ(found, expected);
      else
        EXPECT_NEAR(found, expected, rounding_ * (std::abs(expected) + 1));
    }
  }

  void in_place_and_again(double weight) {
    auto z = random(2);
    const auto p = prox(weight, z);
    EXPECT_TRUE(same_bits(p, prox(weight, z)));
    function_.apply(weight, z, z, ctx_);
    EXPECT_TRUE(same_bits(p, z));
  }

  // ‖prox(a) − prox(b)‖² <= Re ⟨prox(a) − prox(b), a − b⟩
  void non_expansive(double weight) {
    for (unsigned seed = 3; seed < 6; ++seed) {
      auto a = random(seed), b = random(seed + 100);
      auto p = prox(weight, a);
      axpy<T>(-1, prox(weight, b), p, ctx_);
      axpy<T>(-1, b, a, ctx_);
      EXPECT_LE(squared_norm<T>(p, ctx_),
                dot<T>(p, a, ctx_).real() + 10 * rounding_ * squared_norm<T>(a, ctx_));
    }
  }

  // z = prox_{w g}(z) + the projection of z onto w times the dual ball: the remainder is in that ball, and
  // aligned.
  void moreau(double weight) {
    const auto z = random(7);
    const auto p = exact(prox(weight, z));
    auto rest = exact(z);
    double inner = 0, size = 0;
    for (Index i = 0; i < rest.size(); ++i) {
      size += std::norm(rest[i]);
      rest[i] -= p[i];
      inner += (std::conj(p[i]) * rest[i]).real();
    }
    EXPECT_LE(reference_.dual_norm(rest.view()), weight + 10 * rounding_ * std::sqrt(size));
    EXPECT_NEAR(inner, weight * reference_.value(p.view()), 10 * rounding_ * size);
  }

  // Random search around the prox, and on the lines to z and zero, finds no better point.
  void minimal(double weight) {
    const auto z = exact(random(8));
    const auto p = exact(prox(weight, random(8)));
    const auto objective = [&](const Array<D>& u) {
      double distance = 0;
      for (Index i = 0; i < u.size(); ++i) distance += std::norm(u[i] - z[i]);
      const double value = reference_.value(u.view());
      return std::isinf(value) ? value : weight * value + distance / 2;
    };
    double size = 1;
    for (const auto& value : z) size += std::norm(value);
    // The reference's value at p may depend on rounding: points are on the boundary of an indicator's domain.
    const double least = objective(p) - 20 * rounding_ * size;
    for (unsigned trial = 0; trial < 60; ++trial) {
      const auto direction = random_complex<double>(shape_, 1000 + trial);
      const double step = std::pow(10.0, -static_cast<double>(trial % 6));
      auto u = clone(p);
      for (Index i = 0; i < u.size(); ++i)
        u[i] += step * (trial % 3 == 0 ? direction[i] : trial % 3 == 1 ? z[i] - p[i] : -p[i]);
      EXPECT_GE(objective(u), least);
    }
  }

  void allocates_nothing() {
    const auto z = random(9);
    auto out = random(10);
    ctx_.arena().reserve(function_.scratch_bytes(ctx_));
    function_.apply(0.5, z, out, ctx_);
    [[maybe_unused]] const auto before = memory_use(ctx_.device().kind).allocations;
    const auto capacity = ctx_.arena().capacity();
    function_.apply(0.5, z, out, ctx_, 1);
    function_.value(out, ctx_);
#ifndef LARMOR_SEPARATE_SCRATCH
    EXPECT_EQ(memory_use(ctx_.device().kind).allocations, before);
#endif
    EXPECT_EQ(ctx_.arena().capacity(), capacity);
    Array<C> wrong({shape_.size() + 1}, ctx_.device());
    EXPECT_THROW(function_.value(wrong, ctx_), Error);
    EXPECT_THROW(function_.apply(1, wrong, wrong, ctx_), Error);
  }

  const ProximalMap<T>& function_;
  ProximalReference reference_;
  Shape shape_;
  Context& ctx_;
  double rounding_;
};

template <typename T>
void check_proximal_map(const ProximalMap<T>& function, ProximalReference reference, const Shape& shape,
                        Context& ctx, double rounding = sizeof(T) == 4 ? 5e-6 : 1e-12) {
  ProximalChecker<T>(function, std::move(reference), shape, ctx, rounding).run();
}

/// The minimiser of ½‖u − z‖² + weight·value(u) by a search that uses only function values: steps in random
/// directions, kept if they reduce it, otherwise shortened.
inline Array<std::complex<double>> searched_minimiser(const ProximalReference::Value& value, double weight,
                                                      const Array<std::complex<double>>& z) {
  const auto objective = [&](const Array<std::complex<double>>& u) {
    double distance = 0;
    for (Index i = 0; i < u.size(); ++i) distance += std::norm(u[i] - z[i]);
    return weight * value(u.view()) + distance / 2;
  };
  auto best = clone(z);
  double least = objective(best), step = 1;
  int misses = 0;
  for (unsigned trial = 0; step > 1e-6; ++trial) {
    const auto direction = random_complex<double>(z.shape(), trial);
    auto u = clone(best);
    for (Index i = 0; i < u.size(); ++i) u[i] += step * direction[i];
    const double found = objective(u);
    if (found < least) {
      least = found;
      best = std::move(u);
      misses = 0;
      step *= 1.3;
    } else if (++misses == 40) {
      misses = 0;
      step /= 2;
    }
  }
  return best;
}

}  // namespace larmor::test
