#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/math/line_pass.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/toeplitz/cuda/psf.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_spectrum.hpp>

#include <cmath>
#include <numbers>

namespace larmor::nufft {
namespace {

using C = std::complex<double>;

// The PSF is needed for shifts −N < Δ < N. It is Hermitian, so the outermost axis needs Δ >= 0 only; the
// inner axes are put together from blocks of N shifts, each an adjoint NUFFT of image size with modulated
// weights: no grid of (4N)³ points is ever made.
struct Blocks {
  explicit Blocks(const ToeplitzSizes& of) : count(1 << (of.dims - 1)), sizes(of) {}
  // First shift of a block along an axis.
  Index start(int block, int axis) const {
    return axis < sizes.dims - 1 && (block >> axis & 1) ? -sizes.image[axis] : 0;
  }
  int count;
  const ToeplitzSizes& sizes;
};

// Blocks that are transformed together share the kernel weights, as far as their grids fit into this.
constexpr std::size_t together_bytes = std::size_t{400} << 20;
// Values of the lines that a GPU transforms at a time.
constexpr Index device_lines = Index{1} << 24;

Index blocks_together(const ToeplitzSizes& sizes, const Context& ctx) {
  const std::size_t one = static_cast<std::size_t>(sizes.pixels()) * 8 * sizeof(C);
  const std::size_t limit = ctx.on_gpu() ? ctx.memory_limit() / 4 : together_bytes;
  return std::min<Index>(4 * one <= limit ? 4 : 1, Index{1} << (sizes.dims - 1));
}

// Shifts of the outermost axis (>= 0) by wrapped shifts of the inner ones: [outer](padded y)(padded x).
Shape half_shape_of(const ToeplitzSizes& sizes) {
  if (sizes.dims == 1) return {sizes.image[0]};
  if (sizes.dims == 2) return {sizes.image[1], sizes.padded[0]};
  return {sizes.image[2], sizes.padded[1], sizes.padded[0]};
}

// Lines of the outermost axis that a GPU transforms at a time.
Index lines_at_once(Index inner, Index length) {
  return std::min(inner, std::max<Index>(1, device_lines / length));
}

PlanOptions plan_options(double tolerance, Index together) {
  PlanOptions options;
  options.tolerance = tolerance;
  options.batch = together;
  options.forward = false;
  return options;
}

}  // namespace

std::shared_ptr<const Plan<double>> spectrum_plan(View<const double> trajectory, const Shape& image,
                                                  double tolerance, Context& ctx) {
  const ToeplitzSizes sizes(image, ToeplitzForm::padded, ctx.device());
  return make_plan<double>(trajectory, image, plan_options(tolerance, blocks_together(sizes, ctx)), ctx);
}

std::size_t toeplitz_spectrum_setup_bytes(const Shape& image, Index samples, double tolerance, Context& ctx) {
  const ToeplitzSizes sizes(image, ToeplitzForm::padded, ctx.device());
  const Index together = blocks_together(sizes, ctx);
  PlanOptions options = plan_options(tolerance, together);
  options.samples = samples;
  const PlannedBytes plan = planned_bytes<double>(image, options, ctx);
  const auto values = [](Index count) { return static_cast<std::size_t>(count) * sizeof(C); };
  const std::size_t half = values(sizes.frequencies() / sizes.outer() * sizes.image[sizes.dims - 1]);
  const std::size_t transform = plan.tables + values((samples + sizes.pixels()) * together);
  if (!ctx.on_gpu())  // a thread has line buffers
    return half + plan.scratch + transform + static_cast<std::size_t>(ctx.threads()) * (1 << 20);
  const Index length = sizes.outer(), inner = sizes.frequencies() / length;
  const Shape lines{lines_at_once(inner, length), length};
  std::size_t work = half;  // of the FFTs, about
  if (half < ctx.memory_limit()) {
    work = FftPlan<double>(lines, 1).scratch_bytes(ctx);
    if (sizes.dims > 1)
      work = std::max(work, FftPlan<double>(half_shape_of(sizes), sizes.dims - 1).scratch_bytes(ctx));
  }
  // Scratch stays when the transform is done.
  return half + std::max(plan.scratch, work) + std::max(transform, values(lines.size()));
}

namespace {

// The same on a GPU, step by step.
template <typename T>
Array<T> device_spectrum(View<const double> trajectory, View<const double> density, const Shape& image,
                         double tolerance, double factor, Context& ctx,
                         std::shared_ptr<const Plan<double>> plan) {
  namespace device = nufft::cuda;
  const ToeplitzSizes sizes(image, ToeplitzForm::padded, ctx.device());
  const int dims = sizes.dims;
  const Blocks blocks(sizes);
  const Index together = blocks_together(sizes, ctx);
  const Index pixels = sizes.pixels(), samples = trajectory.shape()[0];
  const Shape half_shape = half_shape_of(sizes);
  Array<C> half(half_shape, ctx.device());
  fill<double>(half, 0, ctx);
  {
    if (!plan) plan = spectrum_plan(trajectory, image, tolerance, ctx);
    Array<C> weights({together, samples}, ctx.device()), psf({together, pixels}, ctx.device());
    ctx.arena().reserve(plan->scratch_bytes(ctx, together));
    for (int first = 0; first < blocks.count; first += static_cast<int>(together)) {
      for (int b = 0; b < together; ++b) {
        std::array<std::int64_t, 3> start{};
        for (int a = 0; a < dims; ++a) start[a] = blocks.start(first + b, a) + sizes.image[a] / 2;
        device::modulate(trajectory.data(), density.size() > 0 ? density.data() : nullptr, samples, dims,
                         start.data(), weights.data() + b * samples, ctx.stream());
      }
      plan->adjoint(weights.data(), psf.data(), together, nullptr, factor, ctx, false);
      for (int b = 0; b < together; ++b) {
        device::PsfBlock where{dims, {}, {}, {}};
        for (int a = 0; a < 3; ++a) {
          where.image[a] = sizes.image[a];
          where.padded[a] = sizes.padded[a];
          where.start[a] = a < dims ? blocks.start(first + b, a) : 0;
        }
        device::place_block(where, psf.data() + b * pixels, half.data(), ctx.stream());
      }
    }
  }
  plan.reset();  // its tables
  if (dims > 1) {
    const FftPlan<double> inner_transform(half_shape, dims - 1);
    ctx.arena().reserve(inner_transform.scratch_bytes(ctx));
    inner_transform.execute(half, FftSign::forward, ctx);
  }
  const Index length = sizes.outer(), inner = sizes.frequencies() / length;
  const double scale = 1 / static_cast<double>(sizes.frequencies());
  Array<T> spectrum({inner, length}, ctx.device());
  const Index at_once = lines_at_once(inner, length);
  Array<C> lines({at_once, length}, ctx.device());
  for (Index first = 0; first < inner; first += at_once) {
    const Index count = std::min(at_once, inner - first);
    const View<C> part = lines.view().slices(0, count);
    const FftPlan<double> transform(part.shape(), 1);
    ctx.arena().reserve(transform.scratch_bytes(ctx));
    device::hermitian_lines(half.data(), inner, sizes.image[dims - 1], length, first, count, part.data(),
                            ctx.stream());
    transform.execute(part, FftSign::forward, ctx);
    device::real_part<T>(part.data(), scale, spectrum.data() + first * length, count * length, ctx.stream());
  }
  return spectrum;
}

}  // namespace

template <typename T>
Array<T> toeplitz_spectrum(View<const double> trajectory, View<const double> density, const Shape& image,
                           double tolerance, double factor, Context& ctx,
                           std::shared_ptr<const Plan<double>> plan) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu())
      return device_spectrum<T>(trajectory, density, image, tolerance, factor, ctx, std::move(plan));
  const ToeplitzSizes sizes(image, ToeplitzForm::padded, ctx.device());
  const int dims = sizes.dims, outer_axis = dims - 1;
  const Blocks blocks(sizes);
  const Index together = blocks_together(sizes, ctx);
  const Index pixels = sizes.pixels();

  const Shape half_shape = half_shape_of(sizes);
  Array<C> half(half_shape);
  fill<double>(half, 0, ctx);
  const FftPlan<double> inner_transform(dims > 1 ? half_shape : Shape{1, 1}, dims > 1 ? dims - 1 : 1);
  {
    if (!plan) plan = spectrum_plan(trajectory, image, tolerance, ctx);
    const Index samples = plan->samples();
    Array<C> weights({together, samples}), psf({together, pixels});
    ctx.arena().reserve(std::max(plan->scratch_bytes(ctx, together), inner_transform.scratch_bytes(ctx)));
    for (int first = 0; first < blocks.count; first += static_cast<int>(together)) {
      parallel_for(ctx, samples, 4096, [&](Index begin, Index end, int) {
        for (Index j = begin; j < end; ++j)
          for (Index b = 0; b < together; ++b) {
            double cycles = 0;  // moves the image's first pixel to the block's first shift
            for (int a = 0; a < dims; ++a)
              cycles +=
                  trajectory[j * dims + a] *
                  static_cast<double>(blocks.start(first + static_cast<int>(b), a) + sizes.image[a] / 2);
            const double weight = density.size() > 0 ? density[j] : 1.0;
            weights[b * samples + j] =
                weight * std::polar(1.0, 2 * std::numbers::pi * (cycles - std::floor(cycles)));
          }
      });
      plan->adjoint(weights.data(), psf.data(), together, nullptr, factor, ctx, false);
      for (Index b = 0; b < together; ++b) {
        const int block = first + static_cast<int>(b);
        parallel_for(ctx, sizes.rows(), 64, [&](Index begin, Index end, int) {
          for (Index r = begin; r < end; ++r) {
            const Index outer = dims == 1 ? 0 : dims == 2 ? r : r / sizes.image[1];
            Index y = 0;
            if (dims == 3) {
              y = r % sizes.image[1] + blocks.start(block, 1);
              if (y == -sizes.image[1]) continue;  // the free entry, left zero
              y = (y + sizes.padded[1]) % sizes.padded[1];
            }
            const C* from = psf.data() + b * pixels + r * sizes.image[0];
            if (dims == 1) {
              std::copy_n(from, sizes.image[0], half.data());
              continue;
            }
            C* row = half.data() + ((dims == 3 ? outer * sizes.padded[1] + y : outer) * sizes.padded[0]);
            const Index start = blocks.start(block, 0);
            for (Index i = start < 0 ? 1 : 0; i < sizes.image[0]; ++i)
              row[(i + start + sizes.padded[0]) % sizes.padded[0]] = from[i];
          }
        });
      }
    }
  }
  plan.reset();  // its tables
  if (dims > 1) inner_transform.execute(half, FftSign::forward, ctx);

  // Along the outermost axis q(−Δ) = conj q(Δ): the mirrored half is made in the line buffer, the result is
  // real.
  const Index length = sizes.outer(), inner = sizes.frequencies() / length, shifts = sizes.image[outer_axis];
  const double scale = 1 / static_cast<double>(sizes.frequencies());
  const LinePass<double> lines(length, shifts, 0, inner);
  Array<T> spectrum({inner, length});
  Array<C> buffers({ctx.threads(), 2, lines.buffer_size()});
  parallel_for(ctx, lines.blocks(), 16, [&](Index begin, Index end, int thread) {
    C* in = buffers.data() + thread * 2 * lines.buffer_size();
    C* out = in + lines.buffer_size();
    for (Index task = begin; task < end; ++task) {
      const Index n = lines.count(task), first = lines.first(task);
      lines.gather_pruned(half.data() + first, inner, n, in);
      for (Index v = 0; v < n; ++v)
        for (Index shift = 1; shift < shifts; ++shift)
          in[(v + 1) * length - shift] = std::conj(in[v * length + shift]);
      lines.transform(in, out, n, FftSign::forward);
      for (Index v = 0; v < n; ++v)
        for (Index e = 0; e < length; ++e)
          spectrum[(first + v) * length + e] = static_cast<T>(out[v * length + e].real() * scale);
    }
  });
  return spectrum;
}

template Array<float> toeplitz_spectrum<float>(View<const double>, View<const double>, const Shape&, double,
                                               double, Context&, std::shared_ptr<const Plan<double>>);
template Array<double> toeplitz_spectrum<double>(View<const double>, View<const double>, const Shape&, double,
                                                 double, Context&, std::shared_ptr<const Plan<double>>);

}  // namespace larmor::nufft
