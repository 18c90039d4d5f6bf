// Subspaces from dictionaries and given ones, and the series that is reconstructed with them.
#include "device_cases.hpp"
#include "error_of.hpp"
#include "mri/exact_samples.hpp"

#include <larmor/core/math/linalg.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/model/subspace.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using testing::HasSubstr;
using testing::Not;

std::vector<double> echo_times(Index echoes) {
  std::vector<double> times;
  for (Index e = 0; e < echoes; ++e) times.push_back(10e-3 * static_cast<double>(e + 1));
  return times;
}

std::vector<double> t2_values() {
  std::vector<double> values;
  for (int i = 0; i < 60; ++i) values.push_back(20e-3 * std::pow(15.0, i / 59.0));  // 20 … 300 ms
  return values;
}

Array<D> gram(const Array<D>& a) {
  return matrix_product(conjugate_transpose(a), a);
}

TEST(Subspace, OfADictionaryHoldsItsDecays) {
  const auto dictionary = t2_decays(echo_times(16), t2_values());
  EXPECT_EQ(dictionary.shape(), (Shape{60, 16}));
  EXPECT_NEAR(std::abs(dictionary[0] - std::exp(-0.5)), 0, 1e-15);
  double before = 1;
  for (const Index coefficients : {1, 2, 3, 4}) {
    const auto basis = subspace_from_dictionary(dictionary, coefficients);
    EXPECT_LT(relative_difference(gram(basis.vectors), identity_matrix(coefficients)), 1e-12);
    // Residual of the projection, compared with the singular values.
    double left = 0, total = 0;
    for (Index i = 0; i < 60; ++i) {
      std::vector<D> alpha(static_cast<std::size_t>(coefficients), D(0));
      for (Index l = 0; l < coefficients; ++l)
        for (Index e = 0; e < 16; ++e)
          alpha[static_cast<std::size_t>(l)] +=
              std::conj(basis.vectors[e * coefficients + l]) * dictionary[i * 16 + e];
      for (Index e = 0; e < 16; ++e) {
        D rest = dictionary[i * 16 + e];
        for (Index l = 0; l < coefficients; ++l)
          rest -= basis.vectors[e * coefficients + l] * alpha[static_cast<std::size_t>(l)];
        left += std::norm(rest);
        total += std::norm(dictionary[i * 16 + e]);
      }
    }
    EXPECT_NEAR(basis.residual, std::sqrt(left / total), 1e-9);
    EXPECT_LT(basis.residual, 0.3 * before);
    before = basis.residual;
  }
  EXPECT_LT(before, 1e-3);
}

TEST(Subspace, GivenBasesAreMadeOrthonormalAndKeepTheirSpan) {
  const auto basis = subspace_from_dictionary(t2_decays(echo_times(12), t2_values()), 3);
  const auto same = given_subspace(basis.vectors, 12);
  EXPECT_LT(relative_difference(same.vectors, basis.vectors), 1e-12);
  // The other orientation, mixed and scaled.
  const auto mixing = random_complex<double>({3, 3}, 4);
  const auto mixed = matrix_product(basis.vectors, mixing);
  Array<D> rows({3, 12});
  for (Index e = 0; e < 12; ++e)
    for (Index l = 0; l < 3; ++l) rows[l * 12 + e] = 5.0 * mixed[e * 3 + l];
  const auto found = given_subspace(rows, 12);
  EXPECT_LT(relative_difference(gram(found.vectors), identity_matrix(3)), 1e-12);
  const auto projector = [](const Array<D>& a) { return matrix_product(a, conjugate_transpose(a)); };
  EXPECT_LT(relative_difference(projector(found.vectors), projector(basis.vectors)), 1e-10);
}

TEST(Subspace, WhatCannotBeUsedIsNamed) {
  const auto dictionary = t2_decays(echo_times(8), t2_values());
  EXPECT_THAT(error_of([&] { subspace_from_dictionary(dictionary, 9); }),
              HasSubstr("9 coefficients for 8 echoes"));
  EXPECT_THAT(error_of([&] {
                subspace_from_dictionary(filled<D>({3, 8}, 0), 2);
              }),
              HasSubstr("zero everywhere"));
  EXPECT_THAT(error_of([&] { given_subspace(filled<D>({7, 2}, 1), 8); }), HasSubstr("[7, 2] for 8 echoes"));
  EXPECT_THAT(error_of([&] { given_subspace(filled<D>({8, 2}, 1), 8); }), HasSubstr("depend on each other"));
  EXPECT_THAT(error_of([&] {
                given_subspace(filled<D>({8, 1}, std::nan("")), 8);
              }),
              HasSubstr("basis: nan at [0, 0], expected finite"));
  const auto basis = subspace_from_dictionary(dictionary, 2);
  EXPECT_THAT(error_of([&] { rows_of_samples(basis, {0, 8}); }), HasSubstr("sample 1 belongs to echo 8"));
}

// Three tissues in an echo train of golden spokes.
struct T2Scan {
  static constexpr Index echoes = 12, spokes_per_echo = 7, coils = 4;
  const Shape image{40, 40};
  Array<double> k, times;
  std::vector<Index> echo;
  Array<std::complex<float>> samples, truth, maps;  // truth [echoes, image]

  explicit T2Scan(Context& ctx) {
    const auto part = [](double intensity, double x, double y, double radius) {
      return PhantomPart{
          PhantomPart::Kind::ellipsoid, intensity, {x, y, 0}, {radius, 0.8 * radius, radius}, 0.3};
    };
    const auto decay = [](double t2) { return [t2](double t) { return D(std::exp(-t / t2)); }; };
    std::vector<Tissue> tissues;
    tissues.push_back({Phantom(2, {part(1, 0, 0, 0.4), part(-1, 0.12, 0.1, 0.13), part(-1, -0.15, 0, 0.1)},
                               coil_ring(2, coils)),
                       decay(45e-3)});
    tissues.push_back({Phantom(2, {part(0.9, 0.12, 0.1, 0.13)}, coil_ring(2, coils)), decay(90e-3)});
    tissues.push_back({Phantom(2, {part(1.1, -0.15, 0, 0.1)}, coil_ring(2, coils)), decay(250e-3)});
    auto radial = radial_2d({.spokes = echoes * spokes_per_echo, .samples = 80});
    k = std::move(radial.k);
    const auto at = echo_times(echoes);
    times = Array<double>({k.shape()[0]});
    for (Index j = 0; j < times.size(); ++j) {
      echo.push_back(j / 80 % echoes);
      times[j] = at[static_cast<std::size_t>(echo.back())];
    }
    samples = converted<std::complex<float>>(tissue_samples(tissues, image, k, times, ctx).view());
    truth = tissue_truth(tissues, image, at, ctx);
    maps = tissues.front().phantom.maps(image, ctx);
  }
};

template <typename Case>
class SubspaceSeries : public OnDevice<Case> {};
TYPED_TEST_SUITE(SubspaceSeries, FloatCases, CaseNames);

TYPED_TEST(SubspaceSeries, IsBetterThanEchoByEcho) {
  using C = std::complex<float>;
  Context& ctx = this->ctx();
  Context cpu(Device::cpu(), {.threads = 2});
  const T2Scan scan(cpu);
  const CoilMaps<float> maps(this->there(clone(scan.maps)));
  const float unit = 1 / std::sqrt(static_cast<float>(scan.image.size()));
  const std::vector<Index> iterations{4, 8, 15, 30};

  const auto basis = subspace_from_dictionary(t2_decays(echo_times(scan.echoes), t2_values()), 4);
  const auto A = subspace_model(scan.k, rows_of_samples(basis, scan.echo), maps, {.tolerance = 1e-4}, ctx);
  EXPECT_EQ(A.domain(), scan.image.prepend(4));
  const auto normal = A.normal(ctx);
  EXPECT_THAT(describe(normal), HasSubstr("SenseToeplitz"));
  EXPECT_THAT(describe(normal), Not(HasSubstr("Nufft")));
  double subspace = 1e9;
  for (const Index n : iterations) {
    const auto solved =
        conjugate_gradient<float>(A, scan.samples, {}, {.iterations = n, .tolerance = 0}, ctx).x;
    auto series = echo_images(basis, fetched(solved), cpu);
    for (C& value : series) value *= unit;
    subspace = std::min(subspace, relative_difference(series, scan.truth));
  }

  double echo_by_echo = 1e9;
  const Index spoke = 80, per_echo = scan.spokes_per_echo * spoke;
  Array<C> series(scan.truth.shape());
  for (const Index n : iterations) {
    for (Index e = 0; e < scan.echoes; ++e) {
      Array<double> k({per_echo, 2});
      Array<C> y({scan.coils, per_echo});
      for (Index i = 0; i < per_echo; ++i) {
        const Index j = (i / spoke * scan.echoes + e) * spoke + i % spoke;
        k[2 * i] = scan.k[2 * j], k[2 * i + 1] = scan.k[2 * j + 1];
        for (Index c = 0; c < scan.coils; ++c) y[c * per_echo + i] = scan.samples[c * scan.times.size() + j];
      }
      const auto one =
          sense_model(Nufft<float>(k, scan.image, {.tolerance = 1e-4, .batch = scan.coils}, ctx), maps);
      auto x = fetched(conjugate_gradient<float>(one, y, {}, {.iterations = n}, ctx).x);
      for (Index p = 0; p < x.size(); ++p) series[e * x.size() + p] = unit * x[p];
    }
    echo_by_echo = std::min(echo_by_echo, relative_difference(series, scan.truth));
  }
  this->RecordProperty("subspace", std::to_string(subspace));
  this->RecordProperty("echo_by_echo", std::to_string(echo_by_echo));
  EXPECT_LE(subspace, 0.7 * echo_by_echo);
}

}  // namespace
}  // namespace larmor::test
