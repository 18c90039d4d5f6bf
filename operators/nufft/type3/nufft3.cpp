#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/elementwise_kernels.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>
#include <larmor/operators/nufft/spread/cuda/cost_model.hpp>
#include <larmor/operators/nufft/type3/nufft3.hpp>
#include <larmor/operators/nufft/type3/point_images.hpp>
#include <larmor/operators/nufft/type3/type3_geometry.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

// With centres x₀, k₀ and x = x₀ + x', k = k₀ + k':
//     s_j = e^{−2πi k_j·x₀} Σ_i e^{−2πi k'_j·x'_i} (e^{−2πi k₀·x'_i} c_i).
// The sum over points becomes one over the cells n of a grid of spacing h: the kernel φ spreads each point,
//     g_n = Σ_i c'_i φ(x'_i/h − n),   Σ_n g_n e^{−2πi (k'h)·n} = φ̂(k'h) Σ_i c'_i e^{−2πi k'·x'_i} + aliases,
// which are small for |k'| h <= 1/(2σ). The left side transforms the image g to the frequencies k'h, which an
// ordinary plan computes (idea: Lee and Greengard 2005).

namespace larmor {
namespace {

// The grid between the two steps and the kernel that spreads onto it.
struct Spreading {
  nufft::Type3Frame frame;
  double oversampling = 0;
  int width = 0;
  double inner_tolerance = 0;
};

template <typename T>
Spreading spreading(const nufft::Type3Frame& boxes, int dims, double oversampling, int width) {
  Spreading s{boxes, oversampling, width};
  for (int a = 0; a < dims; ++a) {
    const auto &x = boxes.points[a], &k = boxes.frequencies[a];
    double& spacing = s.frame.spacing[a];
    spacing = k.half > 0 ? 1 / (2 * oversampling * k.half) : 2 * x.half;
    if (!(spacing > 0)) spacing = 1;
    const double needed = 2 * x.half / spacing + width + 2;
    if (!(needed < 1e10))
      throw usage_error("Nufft3: points over {:.3g} and frequencies over {:.3g} need a grid of {:.1e} cells",
                        2 * x.half, 2 * k.half, needed);
    s.frame.cells[a] =
        std::max<Index>(fast_fft_size(static_cast<Index>(std::ceil(needed))), 2 * nufft::max_width<T>);
  }
  return s;
}

// Cost of gridding the points, and of a plan from the cells to the frequencies whose grid is 1.5 times as
// large; only ratios matter.
template <typename T>
double cost_of(const Spreading& spread, int dims, Index points, Index frequencies,
               const Nufft3Options& options, const Context& ctx) {
  const auto& cells = spread.frame.cells;
  if constexpr (cuda::built)
    if (ctx.on_gpu()) {
      nufft::cuda::GriddingSizes sizes{dims,
                                       points,
                                       {1, 1, 1},
                                       spread.width,
                                       nufft::next_lanes<T>(options.batch),
                                       std::max<Index>(1, options.batch)};
      std::copy_n(cells.begin(), dims, sizes.grid.begin());
      double cost = 0;
      for (const bool adding : {true, false})
        if (adding ? options.forward : options.adjoint)
          cost += nufft::cuda::gridding_cost<T>(nufft::cuda::best_way<T>(adding, sizes), adding, sizes);
      Shape image{cells[0]};
      for (int a = 1; a < dims; ++a) image = image.prepend(cells[a]);
      for (int a = 0; a < dims; ++a)
        sizes.grid[a] = cuda::fast_line_length(static_cast<int>(cells[a] + cells[a] / 2));
      sizes.samples = frequencies;
      return cost + nufft::cuda::transform_cost<T>(sizes, image, options.adjoint, options.forward);
    }
  double all = 1;
  for (int a = 0; a < dims; ++a) all *= 1.5 * static_cast<double>(cells[a]);
  return static_cast<double>(points) * (4 + 0.25 * std::pow(spread.width, dims)) +
         all * (0.5 + 0.12 * std::log2(all));
}

// The cheapest spreading whose squared error leaves half of the squared tolerance to the inner transform.
// Frequencies may all be at the edge of their box, so the kernel's largest error counts.
template <typename T>
Spreading choose_spreading(const nufft::Type3Frame& boxes, int dims, Index points, Index frequencies,
                           const Nufft3Options& options, const Context& ctx) {
  Spreading best;
  double best_cost = std::numeric_limits<double>::infinity(), best_error = best_cost;
  for (double oversampling = 1.25; oversampling <= 2.5; oversampling += 0.125)
    for (int width = nufft::min_width; width <= nufft::max_width<T>; ++width) {
      const auto error = nufft::gridding_error(width, oversampling);
      const double rounding = (sizeof(T) == 4 ? 1.5e-7 : 1e-14) * std::pow(error.amplification_at_edge, dims);
      const double total = std::sqrt(1.2 * dims * error.edge * error.edge + rounding * rounding);
      best_error = std::min(best_error, std::sqrt(2.0) * total);
      if (total > options.tolerance / std::sqrt(2.0)) continue;
      auto candidate = spreading<T>(boxes, dims, oversampling, width);
      const double cost = cost_of<T>(candidate, dims, points, frequencies, options, ctx);
      if (cost < best_cost) {
        best = candidate;
        best.inner_tolerance =
            options.tolerance / std::sqrt(2.0) / std::pow(error.amplification_at_edge, 0.5 * dims);
        best_cost = cost;
      }
      break;
    }
  if (best.width == 0)
    throw usage_error("NUFFT tolerance {:.1e} is out of reach for type 3 in {} precision: the best is {:.1e}",
                      options.tolerance, sizeof(T) == 4 ? "single" : "double", best_error);
  return best;
}

}  // namespace

template <typename T>
struct Nufft3<T>::State {
  Index points = 0, frequencies = 0, batch = 1, cells = 1;
  double oversampling = 0;
  int width = 0;
  bool forward = true, adjoint = true;
  std::unique_ptr<const nufft::PointImages<T>> grid;  // between points and images
  std::unique_ptr<const nufft::Plan<T>> inner;        // between images and frequencies
  // Factors of points (none: 1), and of frequencies: complex ones, or else real ones.
  Array<Scalar> before, after;
  Array<T> sizes;

  // Number of values in a block of vectors that are kept between two steps.
  Index kept_values(Index count) const {
    return count * std::max(!before.empty() ? points : 0, !after.empty() ? frequencies : 0);
  }
  // Bytes for a block of vectors, in addition to those of the steps.
  std::size_t block_bytes(Index count) const {
    return Scratch::bytes<Scalar>({kept_values(count)}) + Scratch::bytes<Scalar>({count, cells});
  }
};

template <typename T>
Nufft3<T>::Nufft3(View<const double> points, View<const double> frequencies, const Nufft3Options& options,
                  Context& ctx, Array<double> points_array, Array<double> frequencies_array) {
  const auto is_list = [](const Shape& shape) { return shape.rank() == 2 && shape[1] >= 1 && shape[1] <= 3; };
  if (!is_list(points.shape()) || !is_list(frequencies.shape()) ||
      points.shape()[1] != frequencies.shape()[1])
    throw usage_error(
        "Nufft3: points of shape {} and frequencies of shape {}, expected [n, dims] and [m, dims], dims 1 to "
        "3",
        points.shape().to_string(), frequencies.shape().to_string());
  if (!(options.tolerance > 0) || !(options.tolerance < 1))
    throw usage_error("NUFFT tolerance must lie between 0 and 1, got {}", options.tolerance);
  const int dims = static_cast<int>(points.shape()[1]);
  auto state = std::make_shared<State>();
  State& s = *state;
  s.points = points.shape()[0];
  s.frequencies = frequencies.shape()[0];
  s.batch = std::max<Index>(1, options.batch);
  s.forward = options.forward;
  s.adjoint = options.adjoint;
  if (std::max(s.points, s.frequencies) > std::numeric_limits<std::int32_t>::max())
    throw usage_error("Nufft3: {} points are more than one plan can hold; split them",
                      std::max(s.points, s.frequencies));
  // Copies coordinates to the device if they are elsewhere.
  const auto here = [&](View<const double>& coordinates, Array<double>& copy) {
    if (coordinates.device() == ctx.device()) return;
    copy = copied_to(ctx.device(), coordinates);
    coordinates = copy;
  };
  here(points, points_array);
  here(frequencies, frequencies_array);

  nufft::Type3Frame boxes;
  boxes.points = nufft::extents(points, "point", ctx);
  boxes.frequencies = nufft::extents(frequencies, "frequency", ctx);
  const Spreading spread = choose_spreading<T>(boxes, dims, s.points, s.frequencies, options, ctx);
  for (const Index cells : spread.frame.cells) s.cells *= cells;
  s.oversampling = spread.oversampling;
  s.width = spread.width;
  const std::size_t grid_bytes = static_cast<std::size_t>(s.cells) * sizeof(Scalar);
  if (grid_bytes > ctx.memory_limit())
    throw resource_error(
        "Nufft3: these ranges of points and frequencies need a grid of {} bytes, the limit is {}", grid_bytes,
        ctx.memory_limit());

  const auto fitted = nufft::fitted_kernel<T>(spread.width, spread.oversampling);
  const auto transform = nufft::kernel_transform(fitted->kernel, 0.5 / spread.oversampling);
  auto placed_points = nufft::place_points_of<T>(spread.frame, points, std::move(points_array), ctx);
  s.before = std::move(placed_points.factors);
  s.grid = std::make_unique<const nufft::PointImages<T>>(
      placed_points.places, spread.frame.cells, fitted,
      nufft::PointImagesOptions{s.batch, options.forward, options.adjoint}, ctx);
  auto placed =
      nufft::place_frequencies_of<T>(spread.frame, transform, frequencies, std::move(frequencies_array), ctx);
  s.after = std::move(placed.factors);
  s.sizes = std::move(placed.sizes);
  Shape image{spread.frame.cells[0]};
  for (int a = 1; a < dims; ++a) image = image.prepend(spread.frame.cells[a]);
  const nufft::PlanOptions inner{.tolerance = spread.inner_tolerance,
                                 .batch = s.batch,
                                 .forward = options.forward,
                                 .adjoint = options.adjoint};
  s.inner = std::make_unique<const nufft::Plan<T>>(placed.places, image, inner, ctx);

  const Shape in{s.points}, out{s.frequencies};
  if (options.batch > 0)
    this->set_shapes(in.prepend(options.batch), out.prepend(options.batch));
  else
    this->set_shapes(in, out);
  state_ = std::move(state);
}

template <typename T>
std::size_t Nufft3<T>::scratch_bytes(const Context& ctx) const {
  const State& s = *state_;
  std::size_t most = 0;
  nufft::for_coil_blocks<T>(s.batch, [&](Index, Index count, int) {
    most = std::max(most, s.block_bytes(count) + std::max(s.grid->scratch_bytes(ctx, count),
                                                          s.inner->scratch_bytes(ctx, count)));
  });
  return most;
}

template <typename T>
std::size_t Nufft3<T>::table_bytes() const {
  const State& s = *state_;
  return s.grid->table_bytes() + s.inner->table_bytes() + s.before.view().bytes() + s.after.view().bytes() +
         s.sizes.view().bytes();
}

namespace {

// out = factor · in, or conj(factor) · in, for each of `count` vectors.
template <typename T>
void multiply(const std::complex<T>* in, const Array<std::complex<T>>& factor, Direction way, Index count,
              std::complex<T>* out, bool accumulate, Context& ctx) {
  const Index n = factor.size();
  for (Index b = 0; b < count; ++b)
    for_each(ctx, n,
             Multiply<T>{complex_values(factor.data()), complex_values(in + b * n),
                         complex_values(out + b * n), way == Direction::adjoint, accumulate});
}

}  // namespace

template <typename T>
void Nufft3<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const {
  const State& s = *state_;
  const bool forward = way == Direction::forward;
  if (!(forward ? s.forward : s.adjoint))
    throw usage_error("Nufft3: made for the {} only", forward ? "adjoint" : "forward transform");
  const auto &first_factor = forward ? s.before : s.after, &last_factor = forward ? s.after : s.before;
  const Index from = forward ? s.points : s.frequencies, to = forward ? s.frequencies : s.points;
  // The real factors of frequencies, used if there are no complex ones.
  const T* sizes = s.after.size() > 0 ? nullptr : s.sizes.data();
  const bool accumulate = write == Write::accumulate;
  nufft::for_coil_blocks<T>(s.batch, [&](Index first, Index count, int) {
    Scratch scratch(ctx);
    const auto values = scratch.take<Scalar>({s.kept_values(count)});
    const auto images = scratch.take<Scalar>({count, s.cells});
    const Scalar* given = in.data() + first * from;
    if (first_factor.size() > 0) {
      multiply(given, first_factor, way, count, values.data(), false, ctx);
      given = values.data();
    }
    Scalar* wanted = out.data() + first * to;
    const bool factors = last_factor.size() > 0, add = accumulate && !factors;
    Scalar* result = factors ? values.data() : wanted;
    if (forward) {
      s.grid->spread(given, images.data(), count, ctx);
      s.inner->forward(images.data(), result, count, sizes, 1, ctx, add);
    } else {
      s.inner->adjoint(given, images.data(), count, sizes, 1, ctx, false);
      s.grid->interpolate(images.data(), result, count, ctx, add);
    }
    if (factors) multiply(result, last_factor, way, count, wanted, accumulate, ctx);
  });
}

template <typename T>
double Nufft3<T>::oversampling() const {
  return state_->oversampling;
}

template <typename T>
int Nufft3<T>::kernel_width() const {
  return state_->width;
}

template class Nufft3<float>;
template class Nufft3<double>;

}  // namespace larmor
