#include <larmor/core/format_error.hpp>
#include <larmor/solvers/regularizers/constraints.hpp>
#include <larmor/solvers/regularizers/l1.hpp>
#include <larmor/solvers/regularizers/l2.hpp>
#include <larmor/solvers/regularizers/low_rank.hpp>
#include <larmor/solvers/regularizers/parameters.hpp>
#include <larmor/solvers/regularizers/registry.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>

namespace larmor {
namespace {

using Kind = RegularizerParameter::Kind;

const RegularizerParameter joint = {"joint", Kind::flag, "0",
                                    "1: sparse at the same places in all frames or contrasts"};

template <typename T>
Regularizer<T> make_l2(const RegularizerSpec& spec, const RegularizerSetting<T>& setting) {
  const std::string path = parameter_text(spec, "prior");
  if (path.empty()) return l2<T>(spec.lambda);
  if (!setting.read_image)
    throw usage_error("regularizer l2: prior={} cannot be read here; do not give a prior", path);
  auto prior = setting.read_image(path);
  if (!(prior->shape() == setting.image.shape))
    throw usage_error(
        "regularizer l2: the prior has shape {}, the image {}; give a prior of the image's shape",
        prior->shape().to_string(), setting.image.shape.to_string());
  return l2<T>(spec.lambda, std::move(prior));
}

template <typename T>
Regularizer<T> make_l1(const RegularizerSpec& spec, const RegularizerSetting<T>& setting) {
  return l1<T>(setting.image, {.lambda = spec.lambda, .joint = parameter_flag(spec, "joint")});
}

template <typename T>
Regularizer<T> make_wavelet(const RegularizerSpec& spec, const RegularizerSetting<T>& setting) {
  return wavelet_l1<T>(setting.image, {.lambda = spec.lambda,
                                       .vanishing_moments = parameter_integer(spec, "order"),
                                       .levels = parameter_integer(spec, "levels"),
                                       .shifts = parameter_flag(spec, "shifts"),
                                       .joint = parameter_flag(spec, "joint")});
}

template <typename T>
Regularizer<T> make_tv(const RegularizerSpec& spec, const RegularizerSetting<T>& setting) {
  return total_variation<T>(setting.image, {.lambda = spec.lambda,
                                            .anisotropic = parameter_flag(spec, "anisotropic"),
                                            .joint = parameter_flag(spec, "joint")});
}

template <typename T>
Regularizer<T> make_ttv(const RegularizerSpec& spec, const RegularizerSetting<T>& setting) {
  return temporal_total_variation<T>(setting.image, spec.lambda);
}

template <typename T>
Regularizer<T> make_tgv(const RegularizerSpec& spec, const RegularizerSetting<T>& setting) {
  return total_generalised_variation<T>(setting.image, {.lambda = spec.lambda,
                                                        .first = parameter_number(spec, "alpha1"),
                                                        .second = parameter_number(spec, "alpha0"),
                                                        .joint = parameter_flag(spec, "joint")});
}

template <typename T>
Regularizer<T> make_llr(const RegularizerSpec& spec, const RegularizerSetting<T>& setting) {
  return locally_low_rank<T>(setting.image, {.lambda = spec.lambda,
                                             .block = parameter_integer(spec, "block"),
                                             .shifts = parameter_flag(spec, "shifts")});
}

template <typename T>
Regularizer<T> make_low_rank_sparse(const RegularizerSpec& spec, const RegularizerSetting<T>& setting) {
  const std::string transform = parameter_text(spec, "transform");
  return low_rank_sparse<T>(setting.image,
                            {.lambda = spec.lambda,
                             .sparse = parameter_number(spec, "sparse"),
                             .transform = transform == "fourier"       ? SparseTransform::fourier
                                          : transform == "differences" ? SparseTransform::differences
                                                                       : SparseTransform::none},
                            setting.device);
}

template <typename T>
Regularizer<T> make_positivity(const RegularizerSpec&, const RegularizerSetting<T>& setting) {
  return positivity<T>(setting.image);
}

template <typename T>
Regularizer<T> make_real(const RegularizerSpec&, const RegularizerSetting<T>& setting) {
  return real_valued<T>(setting.image);
}

}  // namespace

std::span<const RegularizerRow> regularizer_table() {
  static const std::vector<RegularizerRow> table = {
      {.name = "l2",
       .help = "Tikhonov: ½‖x − prior‖²",
       .kind = SolvableTerms::quadratic,
       .make_float = make_l2<float>,
       .make_double = make_l2<double>,
       .parameters = {{"prior", Kind::text, "",
                       "image file towards which the result is drawn (default: zero)"}}},
      {.name = "l1",
       .help = "‖x‖₁, for sparse images",
       .kind = SolvableTerms::one_unitary,
       .make_float = make_l1<float>,
       .make_double = make_l1<double>,
       .parameters = {joint}},
      {.name = "wavelet",
       .help = "l1 norm of Daubechies wavelet details",
       .kind = SolvableTerms::one_unitary,
       .make_float = make_wavelet<float>,
       .make_double = make_wavelet<double>,
       .parameters = {{"order", Kind::integer, "2", "vanishing moments", 1, 10},
                      {"levels", Kind::integer, "3", "maximum number of levels", 1, 24},
                      {"shifts", Kind::flag, "1", "0: no shifts, one convex function"},
                      joint}},
      {.name = "tv",
       .help = "total variation in space",
       .kind = SolvableTerms::any,
       .make_float = make_tv<float>,
       .make_double = make_tv<double>,
       .parameters = {{"anisotropic", Kind::flag, "0", "1: penalise each direction separately"}, joint}},
      {.name = "ttv",
       .help = "total variation in time",
       .kind = SolvableTerms::any,
       .make_float = make_ttv<float>,
       .make_double = make_ttv<double>,
       .needs_frames = true},
      {.name = "tgv",
       .help = "total generalised variation in space, second order",
       .kind = SolvableTerms::any,
       .make_float = make_tgv<float>,
       .make_double = make_tgv<double>,
       .parameters = {{"alpha1", Kind::number, "1", "weight of the first-order part"},
                      {"alpha0", Kind::number, "2", "weight of the second-order part"},
                      joint}},
      {.name = "llr",
       .help = "locally low rank: nuclear norm of blocks of a series",
       .kind = SolvableTerms::one_unitary,
       .make_float = make_llr<float>,
       .make_double = make_llr<double>,
       .needs_frames = true,
       .parameters = {{"block", Kind::integer, "8", "pixels along each axis of a block; 0: the whole image",
                       0, 1e6},
                      {"shifts", Kind::flag, "1", "0: no shifts, one convex function"}}},
      {.name = "l+s",
       .help = "low rank + sparse: nuclear norm of the series less its sparse part",
       .kind = SolvableTerms::any,
       .make_float = make_low_rank_sparse<float>,
       .make_double = make_low_rank_sparse<double>,
       .needs_frames = true,
       .parameters = {{"sparse", Kind::number, "1", "weight of the sparse part"},
                      {.key = "transform",
                       .kind = Kind::choice,
                       .fallback = "fourier",
                       .help =
                           "temporal transform in which that part is sparse: fourier, differences or none",
                       .choices = {"fourier", "differences", "none"}}}},
      {.name = "positivity",
       .help = "real and nonnegative",
       .kind = SolvableTerms::one_unitary,
       .make_float = make_positivity<float>,
       .make_double = make_positivity<double>,
       .takes_lambda = false},
      {.name = "real",
       .help = "real",
       .kind = SolvableTerms::one_unitary,
       .make_float = make_real<float>,
       .make_double = make_real<double>,
       .takes_lambda = false},
  };
  return table;
}

template <>
Regularizer<float> make_regularizer(const RegularizerSpec& spec, const RegularizerSetting<float>& setting) {
  return checked_row(spec, setting.image).make_float(spec, setting);
}
template <>
Regularizer<double> make_regularizer(const RegularizerSpec& spec, const RegularizerSetting<double>& setting) {
  return checked_row(spec, setting.image).make_double(spec, setting);
}

}  // namespace larmor
