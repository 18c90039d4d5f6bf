#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/transforms/daubechies.hpp>
#include <larmor/operators/transforms/wavelet.hpp>

namespace larmor {

template <typename T>
Wavelet<T>::Wavelet(const Shape& shape, int space, const WaveletOptions& options)
    : TwoWayOperator<Wavelet<T>, T>(shape, shape), space_(space), options_(options) {
  if (space < 1 || space > 3 || shape.rank() < space)
    throw usage_error("Wavelet: {} axes of an array of shape {}, expected 1 to 3 of them", space,
                      shape.to_string());
  if (options.levels < 0 || options.levels > DetailBands::most_levels)
    throw usage_error("Wavelet: {} levels, expected 0 to {}", options.levels, DetailBands::most_levels);
  const auto filter = daubechies_filter(options.vanishing_moments);
  filter_.taps = static_cast<int>(filter.size());
  for (std::size_t j = 0; j < filter.size(); ++j) {
    filter_.low[j] = static_cast<T>(filter[j]);
    // The high-pass filter that makes the pair orthogonal.
    filter_.high[j] = static_cast<T>(j % 2 == 0 ? 1 : -1) * static_cast<T>(filter[filter.size() - 1 - j]);
  }

  extent_[0] = 1;
  for (int axis = 0; axis < shape.rank() - space; ++axis) extent_[0] *= shape[axis];
  for (int a = 1; a < 4; ++a) extent_[a] = a > 3 - space ? shape[shape.rank() - 4 + a] : 1;
  stride_[3] = 1;
  for (int a = 2; a >= 0; --a) stride_[a] = stride_[a + 1] * extent_[a + 1];

  Level level{{extent_[0], extent_[1], extent_[2], extent_[3]}, {}};
  for (int a = 0; a < 3; ++a) details_.extent[a] = details_.low[a] = extent_[a + 1];
  for (int l = 0; l < options.levels; ++l) {
    level.axes.clear();
    for (int a = 3; a >= 1; --a)
      if (level.extent[a] >= filter_.taps) level.axes.push_back(a);
    if (level.axes.empty()) break;
    passes_.push_back(level);
    for (const int a : level.axes) {
      if (level.extent[a] % 2 == 1) details_.single[a - 1][details_.singles[a - 1]++] = level.extent[a] - 1;
      level.extent[a] /= 2;
      details_.low[a - 1] = level.extent[a];
    }
  }
}

template <typename T>
OperatorPtr<T> Wavelet<T>::do_normal(const NormalOptions&, Context&) const {
  return Identity<T>(this->domain()).share();
}

template <typename T>
std::size_t Wavelet<T>::scratch_bytes(const Context&) const {
  return 2 * Scratch::bytes<Scalar>(this->domain());
}

// The passes of one level alternate between two arrays and end in `out`.
template <typename T>
template <typename Body>
void Wavelet<T>::run_level(const Level& level, const Scalar* from, Scalar* out, Scalar* other,
                           Context& ctx) const {
  Body body{filter_};
  std::copy(level.extent, level.extent + 4, body.pass.extent);
  std::copy(stride_, stride_ + 4, body.pass.stride);
  Scalar* to = level.axes.size() % 2 == 1 && from != out ? out : other;
  for (const int axis : level.axes) {
    body.pass.axis = axis;
    body.pass.in = complex_values(from);
    body.pass.out = complex_values(to);
    for_each_in_rows(ctx, body.pass.rows(), body.pass.width(), body);
    from = to;
    to = to == out ? other : out;
  }
  if (from == out) return;
  CopyBox<T> box{complex_values(from), complex_values(out), {}, {}};
  std::copy(level.extent, level.extent + 4, box.extent);
  std::copy(stride_, stride_ + 4, box.stride);
  for_each_in_rows(ctx, box.extent[0] * box.extent[1] * box.extent[2], box.extent[3], box);
}

template <typename T>
void Wavelet<T>::forward(const Scalar* x, Scalar* y, Context& ctx) const {
  Scratch scratch(ctx);
  Scalar* other = scratch.take<Scalar>(this->domain()).data();
  for (const Level& level : passes_) {
    run_level<WaveletAnalysis<T>>(level, x, y, other, ctx);
    x = y;
  }
}

template <typename T>
void Wavelet<T>::inverse(const Scalar* y, Scalar* x, Context& ctx) const {
  Scratch scratch(ctx);
  Scalar* other = scratch.take<Scalar>(this->domain()).data();
  const auto view = [&](auto* data) { return View(data, this->domain(), ctx.device()); };
  copy<T>(view(y), view(x), ctx);
  for (auto level = passes_.rbegin(); level != passes_.rend(); ++level)
    run_level<WaveletSynthesis<T>>(*level, x, x, other, ctx);
}

template <typename T>
void Wavelet<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                     Write write) const {
  if (passes_.empty()) return Identity<T>(this->domain()).apply(in, out, ctx, write);
  Scratch scratch(ctx);
  const auto result = write == Write::overwrite ? out : scratch.take<Scalar>(this->domain());
  if (way == Direction::forward)
    forward(in.data(), result.data(), ctx);
  else
    inverse(in.data(), result.data(), ctx);
  if (write == Write::accumulate) axpy<T>(1, result, out, ctx);
}

template class Wavelet<float>;
template class Wavelet<double>;

}  // namespace larmor
