#include "device_cases.hpp"
#include "error_of.hpp"
#include "solvers/dense_operator.hpp"

#include <larmor/solvers/regularizers/registry.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Dense>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const ImageLayout series{{3, 8, 9}, 2};
const ImageLayout single{{8, 9}, 2};

Regularizer<double> made(const std::string& text, const ImageLayout& image) {
  return make_regularizer<double>(parse_regularizer(text), {.image = image});
}

std::string refusal_of(const std::string& text, const ImageLayout& image = single) {
  const std::string error = error_of([&] { made(text, image); });
  EXPECT_THAT(error, StartsWith("2: "));
  return error;
}

// A specification for every row of the table.
std::vector<std::string> every_specification() {
  std::vector<std::string> all;
  for (const auto& row : regularizer_table())
    all.push_back(std::string(row.name) + (row.takes_lambda ? ":0.25" : ""));
  for (const char* more :
       {"l1:0.25:joint=1", "wavelet:0.25:joint=1:order=2:shifts=0", "tv:0.25:anisotropic=1",
        "tv:0.25:joint=1", "llr:0.25:block=3:shifts=0", "l+s:0.25:sparse=0.5:transform=differences",
        "l+s:0.25:transform=none", "tv:0.25:joint=1:anisotropic=1", "tgv:0.25:joint=1:alpha0=3"})
    all.emplace_back(more);
  return all;
}

TEST(RegularizerTable, MakesEveryRow) {
  for (const auto& text : every_specification()) {
    const auto spec = parse_regularizer(text);
    EXPECT_EQ(to_string(spec), text);
    for (const ImageLayout& image : {series, ImageLayout{{4, 8, 6, 8}, 3}, ImageLayout{{2, 8, 9}, 2}}) {
      const auto term = make_regularizer<double>(spec, {.image = image});
      EXPECT_EQ(term.name, spec.name);
      EXPECT_EQ(term.lambda, find_regularizer(spec.name).takes_lambda ? 0.25 : 1);
      if (term.quadratic) {  // specified by its name alone
        EXPECT_FALSE(term.function || term.transform);
        continue;
      }
      ASSERT_TRUE(term.function);
      if (term.auxiliary > 0) {
        ASSERT_TRUE(term.transform);
        EXPECT_EQ(term.transform.domain(), Shape{image.shape.size() + term.auxiliary});
      } else if (term.transform) {
        EXPECT_EQ(term.transform.domain(), image.shape);
      }
      const Shape size = term.transform ? term.transform.codomain() : image.shape;
      Context ctx(Device::cpu(), {.threads = 2});
      const auto z = random_complex<double>(size, 1);
      Array<D> p(size);
      term.function->apply(0.5, z, p, ctx);
      EXPECT_TRUE(std::isfinite(term.function->value(p, ctx))) << text;
      EXPECT_EQ(make_regularizer<float>(spec, {.image = image}).auxiliary, term.auxiliary);
    }
  }
}

TEST(RegularizerTable, BoundsOfTransformsHoldAndAreClose) {
  Context ctx(Device::cpu(), {.threads = 2});
  for (const auto& text : every_specification())
    for (const ImageLayout& image :
         {ImageLayout{{3, 8, 2}, 2}, ImageLayout{{2, 3, 8}, 2}, ImageLayout{{2, 8, 2, 2}, 3}}) {
      const auto term = made(text, image);
      if (!term.transform) {
        EXPECT_EQ(term.transform_norm_squared, 1) << text;
        continue;
      }
      const auto matrix = dense_matrix<double>(term.transform, ctx);
      const double norm =
          Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd>(matrix.adjoint() * matrix).eigenvalues().maxCoeff();
      EXPECT_LE(norm, term.transform_norm_squared * (1 + 1e-12)) << text << " " << image.shape.to_string();
      EXPECT_GE(norm, (term.name == "tgv" ? 0.5 : 1 - 1e-9) * term.transform_norm_squared)
          << text << " " << image.shape.to_string();
    }
}

TEST(RegularizerTable, SaysInOneLineWhatIsWrong) {
  EXPECT_THAT(refusal_of("nonsense:1"),
              AllOf(HasSubstr("unknown regularizer 'nonsense'"), HasSubstr("wavelet")));
  EXPECT_THAT(refusal_of(""), HasSubstr("unknown regularizer ''"));
  EXPECT_THAT(refusal_of("tv"), HasSubstr("needs a lambda: write tv:LAMBDA"));
  EXPECT_THAT(refusal_of("tv:anisotropic=1"), HasSubstr("needs a lambda"));
  EXPECT_THAT(refusal_of("tv:-0.1"), HasSubstr("lambda -0.1 is negative"));
  EXPECT_THAT(refusal_of("tv:0.1x"), HasSubstr("lambda '0.1x', expected a number or auto"));
  EXPECT_THAT(refusal_of("tv:nan"), HasSubstr("expected a number"));
  EXPECT_THAT(refusal_of("tv:0.1:levels=3"),
              AllOf(HasSubstr("unknown key 'levels'"), HasSubstr("anisotropic")));
  EXPECT_THAT(refusal_of("ttv:0.1:joint=1", series), HasSubstr("it has no keys"));
  EXPECT_THAT(refusal_of("tv:0.1:joint"), HasSubstr("'joint', expected key=value"));
  EXPECT_THAT(refusal_of("tv:0.1:joint=2"), HasSubstr("joint=2, expected 0 or 1"));
  EXPECT_THAT(refusal_of("tv:0.1:joint=1:joint=1"), HasSubstr("given twice"));
  EXPECT_THAT(refusal_of("wavelet:0.1:order=11"),
              HasSubstr("order=11, expected a whole number from 1 to 10"));
  EXPECT_THAT(refusal_of("wavelet:0.1:levels=1.5"), HasSubstr("expected a whole number"));
  EXPECT_THAT(refusal_of("wavelet:0.1:order=10"), HasSubstr("no axis of the image [8, 9] is as long"));
  EXPECT_THAT(refusal_of("tgv:0.1:alpha0=-1"), HasSubstr("expected a number of at least 0"));
  EXPECT_THAT(refusal_of("l+s:0.1:transform=sine", series), HasSubstr("one of fourier, differences, none"));
  EXPECT_THAT(refusal_of("llr:0.1:block=-1", series), HasSubstr("block=-1, expected a whole number"));
  for (const char* text : {"llr:0.1", "l+s:0.1"})
    EXPECT_THAT(refusal_of(text), HasSubstr("needs a series of frames"));
  EXPECT_THAT(refusal_of("ttv:0.1"), HasSubstr("needs a series of frames"));
  EXPECT_THAT(refusal_of("ttv:0.1", {{1, 8, 9}, 2}), HasSubstr("needs a series of frames"));
  EXPECT_THAT(refusal_of("l2:0.1:prior="), HasSubstr("expected a value"));
  EXPECT_THAT(refusal_of("l2:0.1:prior=x.npy"), HasSubstr("prior=x.npy cannot be read here"));
}

TEST(RegularizerTable, LambdaMayBeAutomaticOrLeftOutOfConstraints) {
  EXPECT_TRUE(parse_regularizer("wavelet:auto:levels=2").automatic);
  EXPECT_EQ(to_string(parse_regularizer("wavelet:auto:levels=2")), "wavelet:auto:levels=2");
  EXPECT_EQ(parse_regularizer("positivity").lambda, 1);
  EXPECT_EQ(parse_regularizer("positivity:0.3").lambda, 1);
  EXPECT_EQ(parse_regularizer("tv:1e-3").lambda, 1e-3);
}

TEST(RegularizerTable, SaysWhatASolverOfEachTermHasToTake) {
  Context ctx(Device::cpu(), {.threads = 1});
  for (const auto& text : every_specification()) {
    const RegularizerSpec spec = parse_regularizer(text);
    Problem<double> problem;
    problem.regularizers = {make_regularizer<double>(spec, {.image = series})};
    EXPECT_EQ(terms_of({&spec, 1}), terms_of(problem, ctx)) << text;
  }
  const auto terms = [](std::vector<const char*> texts) {
    std::vector<RegularizerSpec> specs;
    for (const char* text : texts) specs.push_back(parse_regularizer(text));
    return terms_of(specs);
  };
  EXPECT_EQ(terms({"l2:1", "l1:1"}), SolvableTerms::one_unitary);
  EXPECT_EQ(terms({"l1:1", "positivity"}), SolvableTerms::any);
  EXPECT_EQ(terms({"tv:0", "l2:1"}), SolvableTerms::quadratic);
  EXPECT_EQ(terms({"tv:auto"}), SolvableTerms::any);
}

TEST(RegularizerTable, HelpNamesEveryRowAndKey) {
  const auto help = regularizer_help();
  for (const auto& row : regularizer_table()) {
    EXPECT_THAT(help, HasSubstr(row.help));
    for (const auto& parameter : row.parameters)
      EXPECT_THAT(help, HasSubstr(std::string(parameter.key) + "=" + parameter.fallback));
  }
}

TEST(RegularizerTable, AnL2PriorIsReadAndMustFit) {
  const auto with = [](const Shape& shape) {
    RegularizerSetting<double> setting{.image = single};
    setting.read_image = [=](const std::string& path) {
      EXPECT_EQ(path, "x.npy");
      return std::make_shared<const Array<D>>(random_complex<double>(shape, 1));
    };
    return make_regularizer<double>(parse_regularizer("l2:0.5:prior=x.npy"), setting);
  };
  const auto term = with({8, 9});
  EXPECT_TRUE(term.quadratic);
  ASSERT_TRUE(term.prior);
  EXPECT_EQ(term.prior->shape(), (Shape{8, 9}));
  EXPECT_THROW(with({9, 8}), Error);
}

// Values computed by hand.
double value_of(const Regularizer<double>& term, const Array<D>& u) {
  Context ctx(Device::cpu(), {.threads = 1});
  if (!term.transform) return term.function->value(u, ctx);
  return term.function->value(term.transform.apply(u.view().reshaped(term.transform.domain()), ctx), ctx);
}

TEST(Regularizers, TotalVariationOfAStep) {
  // A corner of ones in two frames: an edge of 3 along x and of 2 along y; one pixel touches both.
  auto x = filled<D>({2, 5, 6}, 0);
  for (Index f = 0; f < 2; ++f)
    for (Index row = 0; row < 3; ++row)
      for (Index column = 0; column < 2; ++column) x[f * 30 + row * 6 + column] = f == 0 ? D(1) : D(0, 2);
  const ImageLayout image{{2, 5, 6}, 2};
  const double root2 = std::sqrt(2.0), root5 = std::sqrt(5.0);
  EXPECT_NEAR(value_of(total_variation<double>(image, {}), x), 3 * (3 + root2), 1e-12);
  EXPECT_NEAR(value_of(total_variation<double>(image, {.anisotropic = true}), x), 3 * 5, 1e-12);
  EXPECT_NEAR(value_of(total_variation<double>(image, {.joint = true}), x), root5 * (3 + root2), 1e-12);
  EXPECT_NEAR(value_of(total_variation<double>(image, {.anisotropic = true, .joint = true}), x), root5 * 5,
              1e-12);
  EXPECT_NEAR(value_of(temporal_total_variation<double>(image, 1), x), 6 * root5, 1e-12);
}

TEST(Regularizers, TotalGeneralisedVariationWithoutAFieldIsTotalVariation) {
  const ImageLayout image{{6, 7}, 2};
  const auto x = random_complex<double>({6, 7}, 1);
  auto u = filled<D>({3 * 42}, 0);
  std::copy(x.begin(), x.end(), u.begin());
  EXPECT_NEAR(value_of(total_generalised_variation<double>(image, {.first = 3}), u),
              3 * value_of(total_variation<double>(image, {}), x), 1e-10);
}

}  // namespace
}  // namespace larmor::test
