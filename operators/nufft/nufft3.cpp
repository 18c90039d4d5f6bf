#include <larmor/core/fft.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/cpu_gridding.hpp>
#include <larmor/operators/nufft/nufft3.hpp>
#include <larmor/operators/nufft/plan.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

// With centres x₀, k₀ and x = x₀ + x', k = k₀ + k':
//   s_j = e^{−2πi k_j·x₀} Σ_i e^{−2πi k'_j·x'_i} (e^{−2πi k₀·x'_i} c_i).
// The sum over points becomes one over the cells n of a grid of spacing h: the kernel φ spreads each point,
//   g_n = Σ_i c'_i φ(x'_i/h − n),   Σ_n g_n e^{−2πi (k'h)·n} = φ̂(k'h) Σ_i c'_i e^{−2πi k'·x'_i} + aliases,
// which are small for |k'| h <= 1/(2σ). The left side transforms the image g to the frequencies k'h: an
// ordinary plan computes it (the idea: Lee and Greengard 2005).

namespace larmor {
namespace {

constexpr Index grain = 1 << 13;

struct Extent {
  double centre = 0, half = 0;
};

using Extents = std::array<Extent, 3>;

// Of all axes, in one pass over the coordinates.
Extents extents(View<const double> coordinates, const char* what, Context& ctx) {
  const Index count = coordinates.shape()[0], dims = coordinates.shape()[1];
  if (count == 0) return {};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Box {
    std::array<double, 3> low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
    double sum = 0;  // of zeros, unless a coordinate is not finite
  };
  std::vector<Box> boxes(static_cast<std::size_t>((count + grain - 1) / grain));
  parallel_for(ctx, count, grain, [&](Index begin, Index end, int) {
    Box box;
    for (Index i = begin; i < end; ++i)
      for (Index a = 0; a < dims; ++a) {
        const double value = coordinates[i * dims + a];
        box.low[a] = std::min(box.low[a], value);
        box.high[a] = std::max(box.high[a], value);
        box.sum += 0 * value;
      }
    boxes[static_cast<std::size_t>(begin / grain)] = box;
  });
  Box all;
  for (const Box& box : boxes) {
    all.sum += box.sum;
    for (Index a = 0; a < dims; ++a) {
      all.low[a] = std::min(all.low[a], box.low[a]);
      all.high[a] = std::max(all.high[a], box.high[a]);
    }
  }
  if (all.sum != 0)
    for (Index i = 0; i < count * dims; ++i)
      if (!std::isfinite(coordinates[i])) throw input_error("Nufft3: {} {} is not finite", what, i / dims);
  Extents result;
  for (Index a = 0; a < dims; ++a) {
    const double centre = 0.5 * all.low[a] + 0.5 * all.high[a];
    const double half = std::max(all.high[a] - centre, centre - all.low[a]);
    // A grid that is a little larger costs less than the phases of a centre beside zero.
    if (std::abs(centre) <= 0.05 * half)
      result[a] = {0, half + std::abs(centre)};
    else
      result[a] = {centre, half};
  }
  return result;
}

// a·b in cycles without whole turns; the rounding of the product is kept, so that centres may be far away.
double turns(double a, double b) {
  constexpr double rounder = 6755399441055744;  // 1.5 · 2^52: adding it rounds to an integer
  const double product = a * b;
  const double whole = std::abs(product) < 1e15 ? (product + rounder) - rounder : std::rint(product);
  return (product - whole) + std::fma(a, b, -product);
}

bool at_zero(const Extents& extents) {
  return std::all_of(extents.begin(), extents.end(), [](const Extent& e) { return e.centre == 0; });
}

// The grid between the two steps and the kernel that spreads onto it.
struct Spreading {
  std::array<double, 3> spacing{1, 1, 1};
  std::array<Index, 3> cells{1, 1, 1};
  double oversampling = 0;
  int width = 0;
  double inner_tolerance = 0;
};

template <typename T>
Spreading spreading(const Extents& x, const Extents& k, int dims, double oversampling, int width) {
  Spreading s;
  s.oversampling = oversampling;
  s.width = width;
  for (int a = 0; a < dims; ++a) {
    s.spacing[a] = k[a].half > 0 ? 1 / (2 * oversampling * k[a].half) : 2 * x[a].half;
    if (!(s.spacing[a] > 0)) s.spacing[a] = 1;
    const double needed = 2 * x[a].half / s.spacing[a] + width + 2;
    if (!(needed < 1e10))
      throw usage_error("Nufft3: points over {:.3g} and frequencies over {:.3g} need a grid of {:.1e} cells",
                        2 * x[a].half, 2 * k[a].half, needed);
    s.cells[a] =
        std::max<Index>(fast_fft_size(static_cast<Index>(std::ceil(needed))), 2 * nufft::max_width<T>);
  }
  return s;
}

// The cheapest spreading whose error leaves half of the tolerance's square to the inner transform.
// Frequencies may all lie at the edge of their box: the kernel's largest error counts.
template <typename T>
Spreading choose_spreading(const Extents& x, const Extents& k, int dims, Index points,
                           const Nufft3Options& options) {
  Spreading best;
  double best_cost = std::numeric_limits<double>::infinity(), best_error = best_cost;
  for (double oversampling = 1.25; oversampling <= 2.5; oversampling += 0.125)
    for (int width = nufft::min_width; width <= nufft::max_width<T>; ++width) {
      const auto error = nufft::gridding_error(options.kernel, width, oversampling);
      const double rounding = (sizeof(T) == 4 ? 1.5e-7 : 1e-14) * std::pow(error.amplification_at_edge, dims);
      const double total = std::sqrt(1.2 * dims * error.edge * error.edge + rounding * rounding);
      best_error = std::min(best_error, std::sqrt(2.0) * total);
      if (total > options.tolerance / std::sqrt(2.0)) continue;
      auto candidate = spreading<T>(x, k, dims, oversampling, width);
      // In the units of a plan's cost: points, and the transforms of a grid half as large again.
      double cells = 1;
      for (int a = 0; a < dims; ++a) cells *= 1.5 * static_cast<double>(candidate.cells[a]);
      const double cost = static_cast<double>(points) * (4 + 0.25 * std::pow(width, dims)) +
                          cells * (0.5 + 0.12 * std::log2(cells));
      if (cost < best_cost) {
        best = candidate;
        best.inner_tolerance =
            options.tolerance / std::sqrt(2.0) / std::pow(error.amplification_at_edge, 0.5 * dims);
        best_cost = cost;
      }
      break;
    }
  if (best.width == 0)
    throw usage_error(
        "NUFFT tolerance {:.1e} is out of reach in {} precision from points to points: the best is "
        "{:.1e}",
        options.tolerance, sizeof(T) == 4 ? "single" : "double", best_error);
  return best;
}

}  // namespace

template <typename T>
struct Nufft3<T>::State {
  Index points = 0, frequencies = 0, batch = 1, cells = 1;
  double oversampling = 0;
  nufft::CpuGridding<T> gridding;               // points to grid
  std::shared_ptr<const nufft::Plan<T>> inner;  // grid to frequencies
  Array<Scalar> before, after;                  // factors of points (none: 1) and of frequencies

  // Bytes for a block of coils, beside what gridding and the inner plan take.
  std::size_t block_bytes(int lanes) const {
    std::size_t bytes = Scratch::bytes<Scalar>({lanes, std::max(points, frequencies)}) +
                        Scratch::bytes<Scalar>({lanes, cells});
    if (lanes > 1) bytes += Scratch::bytes<Scalar>({cells, lanes});
    return bytes;
  }
};

template <typename T>
Nufft3<T>::Nufft3(View<const double> points, View<const double> frequencies, const Nufft3Options& options,
                  Context& ctx) {
  if (ctx.on_gpu()) throw usage_error("Nufft3 works on the CPU only; use a context of Device::cpu()");
  const auto is_list = [](const Shape& shape) { return shape.rank() == 2 && shape[1] >= 1 && shape[1] <= 3; };
  if (!is_list(points.shape()) || !is_list(frequencies.shape()) ||
      points.shape()[1] != frequencies.shape()[1])
    throw internal_error(
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
  if (std::max(s.points, s.frequencies) > std::numeric_limits<std::int32_t>::max())
    throw usage_error("Nufft3: {} points are more than one plan can hold; split them",
                      std::max(s.points, s.frequencies));

  const Extents x = extents(points, "point", ctx), k = extents(frequencies, "frequency", ctx);
  const Spreading spread = choose_spreading<T>(x, k, dims, s.points, options);
  for (const Index cells : spread.cells) s.cells *= cells;
  s.oversampling = spread.oversampling;
  const std::size_t grid_bytes = static_cast<std::size_t>(s.cells) * sizeof(Scalar);
  if (grid_bytes > ctx.memory_limit())
    throw resource_error(
        "Nufft3: points and frequencies so far apart need a grid of {} bytes, the limit is {}", grid_bytes,
        ctx.memory_limit());

  const auto fitted = nufft::fitted_kernel<T>(options.kernel, spread.width, spread.oversampling);
  const nufft::KernelTransform transform(fitted->kernel, 0.5 / spread.oversampling);

  // Places on the periodic grid, the centre of the points in the middle; phases from the centre of
  // frequencies.
  Array<double> places({s.points, dims}), inner_frequencies({s.frequencies, dims});
  const bool points_turn = !at_zero(k), frequencies_turn = !at_zero(x);
  if (points_turn) s.before = Array<Scalar>({s.points});
  s.after = Array<Scalar>({s.frequencies});
  std::array<double, 3> scale{}, middle{};
  for (int a = 0; a < dims; ++a) {
    const double cells = static_cast<double>(spread.cells[a]);
    scale[a] = 1 / (spread.spacing[a] * cells);
    middle[a] = static_cast<double>(spread.cells[a] / 2) / cells;
  }
  parallel_for(ctx, s.points, grain, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i)
      for (int a = 0; a < dims; ++a)
        places[i * dims + a] = (points[i * dims + a] - x[a].centre) * scale[a] + middle[a];
    for (Index i = begin; i < end && points_turn; ++i) {
      double cycles = 0;
      for (int a = 0; a < dims; ++a) cycles += turns(k[a].centre, points[i * dims + a] - x[a].centre);
      s.before[i] = Scalar(std::polar(1.0, -2 * std::numbers::pi * cycles));
    }
  });
  constexpr int together = 8;
  parallel_for(ctx, s.frequencies, grain, [&](Index begin, Index end, int) {
    for (Index first = begin; first < end; first += together) {
      const int count = static_cast<int>(std::min<Index>(together, end - first));
      double factor[together], along[together] = {}, value[together];
      std::fill_n(factor, together, 1.0);
      for (int a = 0; a < dims; ++a) {
        for (int i = 0; i < count; ++i) {
          along[i] = (frequencies[(first + i) * dims + a] - k[a].centre) * spread.spacing[a];
          inner_frequencies[(first + i) * dims + a] = along[i];
        }
        transform.evaluate<together>(along, value);
        for (int i = 0; i < count; ++i) factor[i] /= value[i];
      }
      for (int i = 0; i < count; ++i) {
        double cycles = 0;
        for (int a = 0; a < dims && frequencies_turn; ++a)
          cycles += turns(frequencies[(first + i) * dims + a], x[a].centre);
        s.after[first + i] = frequencies_turn ? Scalar(std::polar(factor[i], -2 * std::numbers::pi * cycles))
                                              : Scalar(static_cast<T>(factor[i]));
      }
    }
  });
  s.gridding = nufft::CpuGridding<T>(places, spread.cells, fitted, s.batch, ctx);
  Shape image{spread.cells[0]};
  for (int a = 1; a < dims; ++a) image = image.prepend(spread.cells[a]);
  nufft::PlanOptions inner_options;
  inner_options.tolerance = spread.inner_tolerance;
  inner_options.batch = s.batch;
  inner_options.kernel = options.kernel;
  s.inner = nufft::make_plan<T>(inner_frequencies, image, inner_options, ctx);

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
  nufft::for_coil_blocks<T>(s.batch, [&](Index, Index count, int lanes) {
    most = std::max(most, s.block_bytes(lanes) + std::max(s.gridding.scratch_bytes(ctx, lanes),
                                                          s.inner->scratch_bytes(ctx, count)));
  });
  return most;
}

template <typename T>
std::size_t Nufft3<T>::table_bytes() const {
  const State& s = *state_;
  return s.gridding.table_bytes() + s.inner->table_bytes() + s.before.view().bytes() + s.after.view().bytes();
}

namespace {

template <typename T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// out = factor · in, or conj(factor) · in, for each of `count` vectors.
template <typename T>
void multiply(const std::complex<T>* in, const Array<std::complex<T>>& factor, bool conjugate, Index count,
              std::complex<T>* out, bool accumulate, Context& ctx) {
  const Index n = factor.size();
  parallel_for(ctx, n, grain, [&](Index begin, Index end, int) {
    for (Index b = 0; b < count; ++b)
      for (Index i = begin; i < end; ++i) {
        const auto value = product(in[b * n + i], conjugate ? std::conj(factor[i]) : factor[i]);
        out[b * n + i] = accumulate ? out[b * n + i] + value : value;
      }
  });
}

// Between a grid with the lanes fastest and images one after another.
template <typename T, bool to_images>
void transpose(std::complex<T>* grid, int lanes, std::complex<T>* images, Index count, Index cells,
               Context& ctx) {
  parallel_for(ctx, cells, grain, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i)
      for (Index lane = 0; lane < lanes; ++lane) {
        if constexpr (to_images) {
          if (lane < count) images[lane * cells + i] = grid[i * lanes + lane];
        } else {
          grid[i * lanes + lane] = lane < count ? images[lane * cells + i] : std::complex<T>(0);
        }
      }
  });
}

}  // namespace

template <typename T>
void Nufft3<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  const State& s = *state_;
  nufft::for_coil_blocks<T>(s.batch, [&](Index first, Index count, int lanes) {
    Scratch scratch(ctx);
    const auto values = scratch.take<Scalar>({lanes, std::max(s.points, s.frequencies)});
    const auto images = scratch.take<Scalar>({lanes, s.cells});
    const Scalar* in = x.data() + first * s.points;
    if (s.before.size() > 0) {
      multiply(in, s.before, false, count, values.data(), false, ctx);
      in = values.data();
    }
    if (lanes == 1) {
      s.gridding.spread(in, 1, nullptr, images.data(), 1, ctx);
    } else {
      const auto grid = scratch.take<Scalar>({s.cells, lanes});
      s.gridding.spread(in, count, nullptr, grid.data(), lanes, ctx);
      transpose<T, true>(grid.data(), lanes, images.data(), count, s.cells, ctx);
    }
    s.inner->forward(images.data(), values.data(), count, nullptr, 1, ctx, false);
    multiply(values.data(), s.after, false, count, y.data() + first * s.frequencies,
             write == Write::accumulate, ctx);
  });
}

template <typename T>
void Nufft3<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  const State& s = *state_;
  nufft::for_coil_blocks<T>(s.batch, [&](Index first, Index count, int lanes) {
    Scratch scratch(ctx);
    const auto values = scratch.take<Scalar>({lanes, std::max(s.points, s.frequencies)});
    const auto images = scratch.take<Scalar>({lanes, s.cells});
    multiply(y.data() + first * s.frequencies, s.after, true, count, values.data(), false, ctx);
    s.inner->adjoint(values.data(), images.data(), count, nullptr, 1, ctx, false);
    Scalar* out = x.data() + first * s.points;
    const bool turned = s.before.size() > 0, add = write == Write::accumulate;
    Scalar* found = turned ? values.data() : out;
    if (lanes == 1) {
      s.gridding.interpolate(images.data(), found, 1, nullptr, 1, ctx, add && !turned);
    } else {
      const auto grid = scratch.take<Scalar>({s.cells, lanes});
      transpose<T, false>(grid.data(), lanes, images.data(), count, s.cells, ctx);
      s.gridding.interpolate(grid.data(), found, count, nullptr, lanes, ctx, add && !turned);
    }
    if (turned) multiply(found, s.before, true, count, out, add, ctx);
  });
}

template <typename T>
double Nufft3<T>::oversampling() const {
  return state_->oversampling;
}

template <typename T>
int Nufft3<T>::kernel_width() const {
  return state_->gridding.kernel().kernel.width();
}

template class Nufft3<float>;
template class Nufft3<double>;

}  // namespace larmor
