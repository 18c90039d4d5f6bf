#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/solvers/regularizers/proximal_maps.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>

#include <cmath>
#include <iterator>

namespace LARMOR_API larmor {
namespace {

// Rows along x of an array of `batch` images.
Index rows_of(const DetailBands& bands, Index batch) {
  return batch * bands.extent[0] * bands.extent[1];
}

RingShifts rings_of(const DetailBands& bands, Index batch) {
  RingShifts rings{{bands.extent[0], bands.extent[1], bands.extent[2]}, rows_of(bands, batch), {}};
  return rings;
}

template <typename T>
void roll(const DetailBands& bands, Index batch, const std::array<Index, 3>& shift, const std::complex<T>* in,
          std::complex<T>* out, Context& ctx) {
  Roll<T> body{rings_of(bands, batch), 1, complex_values(in), complex_values(out)};
  std::copy(shift.begin(), shift.end(), body.rings.shift[0]);
  for_each_in_rows(ctx, body.rings.rows, bands.extent[2], body);
}

// Fixed shifts along the axes (z, y, x), which differ from each other in the finest two levels.
constexpr Index fixed_shifts[][3] = {{0, 0, 0}, {1, 3, 2}, {2, 1, 3}, {3, 2, 1}};
constexpr Index turns = std::size(fixed_shifts);
static_assert(turns <= RingShifts::most);
// Images this small are transformed in all shifts at once: on a GPU their kernels are shorter than their
// launches.
constexpr Index small_image = Index{1} << 18;

// W = (Ψ R_s)_s / √S
template <typename T>
class ShiftedWavelets final : public TwoWayOperator<ShiftedWavelets<T>, T> {
 public:
  using Scalar = std::complex<T>;
  ShiftedWavelets(const Wavelet<T>& wavelet)
      : TwoWayOperator<ShiftedWavelets<T>, T>(wavelet.domain(), wavelet.domain().prepend(turns)),
        together_(wavelet.domain().size() <= small_image ? turns : 1),
        rings_(rings_of(wavelet.details(), wavelet.batch())),
        wavelets_(wavelet.repeated(together_)) {}
  std::string name() const override { return "ShiftedWavelets"; }
  std::size_t scratch_bytes(const Context& ctx) const override {
    return Scratch::bytes<Scalar>(wavelets_.domain()) + wavelets_.scratch_bytes(ctx);
  }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override {
    const auto factor = static_cast<T>(1 / std::sqrt(static_cast<double>(turns)));
    const Shape& shape = wavelets_.domain();
    const bool forward = way == Direction::forward;
    Scratch scratch(ctx);
    auto rolled = scratch.template take<Scalar>(shape);
    for (Index first = 0; first < turns; first += together_) {
      const RingShifts rings = shifts(first, forward);
      const Index at = first * rings.rows * rings.extent[2];
      if (forward) {
        for_each_in_rows(ctx, together_ * rings.rows, rings.extent[2],
                         Roll<T>{rings, factor, complex_values(in.data()), complex_values(rolled.data())});
        wavelets_.apply(rolled, View(out.data() + at, shape, out.device()), ctx, write);
      } else {
        wavelets_.adjoint(View(in.data() + at, shape, in.device()), rolled, ctx);
        const bool accumulate = first > 0 || write == Write::accumulate;
        for_each_in_rows(ctx, rings.rows, rings.extent[2],
                         SumOfRolled<T>{rings, static_cast<int>(together_), factor, accumulate,
                                        complex_values<T>(rolled.data()), complex_values(out.data())});
      }
    }
  }
  /// The identity.
  OperatorPtr<T> do_normal(const NormalOptions&, Context&) const override {
    return Identity<T>(this->domain()).share();
  }

 private:
  // For this many turns from `first`, forward or backward.
  RingShifts shifts(Index first, bool there) const {
    RingShifts rings = rings_;
    const DetailBands& bands = wavelets_.details();
    for (Index turn = 0; turn < together_; ++turn)
      for (int axis = 0; axis < 3; ++axis) {
        const Index extent = bands.extent[axis];
        const Index shift = bands.low[axis] == extent ? 0 : fixed_shifts[first + turn][axis] % extent;
        rings.shift[turn][axis] = there ? shift : (extent - shift) % extent;
      }
    return rings;
  }

  Index together_;  // turns
  RingShifts rings_;
  Wavelet<T> wavelets_;  // of this many images
};

// Σ |details| / √S of the coefficients of all shifts
template <typename T>
class ShiftedWaveletNorm final : public ProximalMap<T> {
 public:
  using Scalar = std::complex<T>;
  ShiftedWaveletNorm(const Wavelet<T>& wavelet, Index joint) : wavelet_(wavelet), joint_(joint) {}
  std::string name() const override { return "ShiftedWaveletNorm"; }
  double value(View<const Scalar> z, Context& ctx) const override {
    require_size(name(), turns * wavelet_.domain().size(), z.size());
    ctx.arena().reserve(scratch_bytes(ctx));
    Scratch scratch(ctx);
    auto roots = scratch.template take<Scalar>({wavelet_.domain().size() / joint_});
    const DetailBands& bands = wavelet_.details();
    double sum = 0;
    for (Index turn = 0; turn < turns; ++turn) {
      const auto* first = complex_values<T>(z.data() + turn * wavelet_.domain().size());
      for_each_in_rows(ctx, rows_of(bands, wavelet_.batch() / joint_), bands.extent[2],
                       RootsOfDetailNorms<T>{{bands, joint_}, first, complex_values<T>(roots.data())});
      sum += squared_norm<T>(roots, ctx);
    }
    return sum / std::sqrt(static_cast<double>(turns));
  }
  void apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx, Index) const override {
    require_size(name(), turns * wavelet_.domain().size(), z.size());
    require_size(name(), z.size(), out.size());
    if (out.data() != z.data()) copy<T>(z, out, ctx);
    const DetailBands& bands = wavelet_.details();
    const auto threshold = static_cast<T>(weight / std::sqrt(static_cast<double>(turns)));
    for_each_in_rows(ctx, rows_of(bands, turns * wavelet_.batch() / joint_), bands.extent[2],
                     ShrinkDetails<T>{{bands, joint_}, threshold, complex_values(out.data())});
  }
  std::size_t scratch_bytes(const Context&) const override {
    return Scratch::bytes<Scalar>({wavelet_.domain().size() / joint_});
  }

 private:
  Wavelet<T> wavelet_;
  Index joint_;
};

}  // namespace

template <typename T>
WaveletNorm<T>::WaveletNorm(const ImageLayout& image, const WaveletL1Options& options)
    : wavelet_(image.shape, image.space,
               {.vanishing_moments = options.vanishing_moments, .levels = options.levels}),
      joint_(options.joint ? image.frames() : 1),
      shifts_(options.shifts) {}

// Shifts beyond the period of the coarsest level would give the same grid again.
template <typename T>
auto WaveletNorm<T>::shift_in(Index iteration) const -> Shift {
  const DetailBands& bands = wavelet_.details();
  Shift shift{};
  for (int axis = 0; axis < 3; ++axis)
    if (shifts_ && bands.low[axis] != bands.extent[axis])
      shift[axis] = drawn(iteration, axis, std::min(bands.extent[axis], Index{1} << wavelet_.levels()));
  return shift;
}

template <typename T>
double WaveletNorm<T>::value_of_shifted(const Shift& shift, View<const Scalar> z, Context& ctx) const {
  const Shape& shape = wavelet_.domain();
  require_size(name(), shape.size(), z.size());
  ctx.arena().reserve(scratch_bytes(ctx));
  Scratch scratch(ctx);
  auto coefficients = scratch.take<Scalar>(shape), image = scratch.take<Scalar>(shape);
  const DetailBands& bands = wavelet_.details();
  View<const Scalar> start = z.reshaped(shape);
  if (shift != Shift{}) {
    roll<T>(bands, wavelet_.batch(), shift, z.data(), image.data(), ctx);
    start = image;
  }
  wavelet_.apply(start, coefficients, ctx);
  const View<Scalar> roots(image.data(), Shape{shape.size() / joint_}, image.device());
  for_each_in_rows(
      ctx, rows_of(bands, wavelet_.batch() / joint_), bands.extent[2],
      RootsOfDetailNorms<T>{
          {bands, joint_}, complex_values<T>(coefficients.data()), complex_values<T>(roots.data())});
  return squared_norm<T>(roots, ctx);
}

template <typename T>
double WaveletNorm<T>::value(View<const Scalar> z, Context& ctx) const {
  return value_of_shifted({}, z, ctx);
}

template <typename T>
double WaveletNorm<T>::value_in(Index iteration, View<const Scalar> z, Context& ctx) const {
  return value_of_shifted(shift_in(iteration), z, ctx);
}

template <typename T>
void WaveletNorm<T>::apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx,
                           Index iteration) const {
  const Shape& shape = wavelet_.domain();
  require_size(name(), shape.size(), z.size());
  require_size(name(), shape.size(), out.size());
  ctx.arena().reserve(scratch_bytes(ctx));
  Scratch scratch(ctx);
  auto coefficients = scratch.take<Scalar>(shape), image = scratch.take<Scalar>(shape);
  const DetailBands& bands = wavelet_.details();

  const Shift shift = shift_in(iteration);
  Shift back;
  for (int axis = 0; axis < 3; ++axis) back[axis] = (bands.extent[axis] - shift[axis]) % bands.extent[axis];
  const bool shifted = shift != Shift{};
  View<const Scalar> start = z.reshaped(shape);
  if (shifted) {
    roll<T>(bands, wavelet_.batch(), shift, z.data(), image.data(), ctx);
    start = image;
  }
  wavelet_.apply(start, coefficients, ctx);
  for_each_in_rows(
      ctx, rows_of(bands, wavelet_.batch() / joint_), bands.extent[2],
      ShrinkDetails<T>{{bands, joint_}, static_cast<T>(weight), complex_values<T>(coefficients.data())});
  if (!shifted) return wavelet_.adjoint(coefficients, out.reshaped(shape), ctx);
  wavelet_.adjoint(coefficients, image, ctx);
  roll<T>(bands, wavelet_.batch(), back, image.data(), out.data(), ctx);
}

template <typename T>
std::size_t WaveletNorm<T>::scratch_bytes(const Context& ctx) const {
  return 2 * Scratch::bytes<Scalar>(wavelet_.domain()) + wavelet_.scratch_bytes(ctx);
}

template <typename T>
Regularizer<T> wavelet_l1(const ImageLayout& image, const WaveletL1Options& options) {
  auto function = std::make_shared<const WaveletNorm<T>>(image, options);
  if (function->transform().levels() == 0)
    throw usage_error(
        "regularizer wavelet: no axis of the image {} is as long as the filter of {} taps; use a smaller "
        "order",
        image.shape.to_string(), 2 * options.vanishing_moments);
  return {.name = "wavelet", .lambda = options.lambda, .function = std::move(function)};
}

template <typename T>
std::optional<Regularizer<T>> with_fixed_shifts(const Regularizer<T>& term) {
  const auto* norm = dynamic_cast<const WaveletNorm<T>*>(term.function.get());
  if (!norm || !norm->varies() || term.transform) return {};
  Regularizer<T> fixed = term;
  fixed.transform = ShiftedWavelets<T>(norm->transform());
  fixed.function = std::make_shared<const ShiftedWaveletNorm<T>>(norm->transform(), norm->joint());
  return fixed;
}

#define LARMOR_INSTANTIATE(T)                                                      \
  template class WaveletNorm<T>;                                                   \
  template std::optional<Regularizer<T>> with_fixed_shifts(const Regularizer<T>&); \
  template Regularizer<T> wavelet_l1(const ImageLayout&, const WaveletL1Options&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
