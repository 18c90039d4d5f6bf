#include <larmor/core/math/line_pass.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/nufft/toeplitz/psf_kernels.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_spectrum.hpp>

#include <algorithm>

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
constexpr std::size_t together_bytes = std::size_t{4} << 30;
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

// The shifts of `half`, see half_shape_of(), from those of blocks.
void fill_shifts(View<const double> trajectory, View<const double> density, const ToeplitzSizes& sizes,
                 const Plan<double>& plan, double factor, View<C> half, Context& ctx) {
  const Blocks blocks(sizes);
  const Index together = blocks_together(sizes, ctx), pixels = sizes.pixels(), samples = plan.samples();
  Array<C> weights({together, samples}, ctx.device()), psf({together, pixels}, ctx.device());
  ctx.arena().reserve(plan.scratch_bytes(ctx, together));
  for (int first = 0; first < blocks.count; first += static_cast<int>(together)) {
    for (int b = 0; b < together; ++b) {
      ModulateWeights body{trajectory.data(),
                           density.size() > 0 ? density.data() : nullptr,
                           sizes.dims,
                           {},
                           complex_values(weights.data() + b * samples)};
      for (int a = 0; a < sizes.dims; ++a)  // moves the image's first pixel to the block's first shift
        body.start[a] = static_cast<double>(blocks.start(first + b, a) + sizes.image[a] / 2);
      for_each(ctx, samples, body);
    }
    plan.adjoint(weights.data(), psf.data(), together, nullptr, factor, ctx, false);
    for (int b = 0; b < together; ++b) {
      PlaceShifts body{
          sizes.dims, {}, {}, {}, complex_values(psf.data() + b * pixels), complex_values(half.data())};
      for (int a = 0; a < sizes.dims; ++a) body.start[a] = blocks.start(first + b, a);
      std::copy_n(sizes.image.begin(), 3, body.image);
      std::copy_n(sizes.padded.begin(), 3, body.padded);
      for_each_in_rows(ctx, sizes.rows(), sizes.image[0], body);
    }
  }
}

// Along the outermost axis q(−Δ) = conj q(Δ): the mirrored half is made in the line buffer, the result is
// real.
template <typename T>
void transform_outer(View<const C> half, const ToeplitzSizes& sizes, View<T> spectrum, Context& ctx) {
  const Index length = sizes.outer(), inner = sizes.frequencies() / length,
              shifts = sizes.image[sizes.dims - 1];
  const double scale = 1 / static_cast<double>(sizes.frequencies());
  if (ctx.on_gpu()) {
    const Index at_once = lines_at_once(inner, length);
    Array<C> lines({at_once, length}, ctx.device());
    for (Index first = 0; first < inner; first += at_once) {
      const Index count = std::min(at_once, inner - first);
      const View<C> part = lines.view().slices(0, count);
      const FftPlan<double> transform(part.shape(), 1);
      ctx.arena().reserve(transform.scratch_bytes(ctx));
      for_each(ctx, part.size(),
               HermitianLines{complex_values(half.data()), inner, shifts, length, first, count,
                              complex_values(part.data())});
      transform.execute(part, FftSign::forward, ctx);
      for_each(ctx, part.size(),
               RealParts<T>{complex_values(part.data()), scale, spectrum.data() + first * length});
    }
    return;
  }
  const LinePass<double> lines(length, shifts, 0, inner);
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
}

}  // namespace

template <typename T>
Array<T> toeplitz_spectrum(View<const double> trajectory, View<const double> density, const Shape& image,
                           double tolerance, double factor, Context& ctx,
                           std::shared_ptr<const Plan<double>> plan) {
  const ToeplitzSizes sizes(image, ToeplitzForm::padded, ctx.device());
  const Shape half_shape = half_shape_of(sizes);
  Array<C> half(half_shape, ctx.device());
  fill<double>(half, 0, ctx);
  if (!plan) plan = spectrum_plan(trajectory, image, tolerance, ctx);
  fill_shifts(trajectory, density, sizes, *plan, factor, half, ctx);
  plan.reset();  // its tables
  if (sizes.dims > 1) {
    const FftPlan<double> inner_transform(half_shape, sizes.dims - 1);
    ctx.arena().reserve(inner_transform.scratch_bytes(ctx));
    inner_transform.execute(half, FftSign::forward, ctx);
  }
  Array<T> spectrum({sizes.frequencies() / sizes.outer(), sizes.outer()}, ctx.device());
  transform_outer<T>(half, sizes, spectrum, ctx);
  return spectrum;
}

template Array<float> toeplitz_spectrum<float>(View<const double>, View<const double>, const Shape&, double,
                                               double, Context&, std::shared_ptr<const Plan<double>>);
template Array<double> toeplitz_spectrum<double>(View<const double>, View<const double>, const Shape&, double,
                                                 double, Context&, std::shared_ptr<const Plan<double>>);

}  // namespace larmor::nufft
