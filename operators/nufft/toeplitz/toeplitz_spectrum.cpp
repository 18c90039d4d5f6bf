#include <larmor/core/math/line_pass.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/nufft/toeplitz/psf_kernels.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_spectrum.hpp>

#include <algorithm>

namespace larmor::nufft {
namespace {

template <typename S>
using Complex = std::complex<S>;

// Blocks that are transformed together share the kernel weights, as long as their grids fit into this limit
// on a CPU, and on any device into a quarter of the available memory.
constexpr std::size_t together_bytes = std::size_t{4} << 30;
// Largest error of a spectrum, relative to its largest value, in tolerances: the spectra of stacks were up to
// 1.8 tolerances from those of their planes.
constexpr double error_of_spectrum = 3;
// Values of the lines that a GPU transforms at a time.
constexpr Index device_lines = Index{1} << 24;

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
  return {.tolerance = tolerance, .batch = together, .forward = false};
}

// Peak bytes while a spectrum is computed in precision S, excluding the result.
template <typename S>
std::size_t bytes_in(const Shape& image, Index samples, double tolerance, Context& ctx) {
  const ToeplitzSizes sizes(image, ctx.device());
  const PsfBlocks blocks(sizes, sizeof(Complex<S>), ctx);
  PlanOptions options = plan_options(tolerance, blocks.together);
  options.samples = samples;
  const PlannedBytes plan = planned_bytes<S>(blocks.shape(), options, ctx);
  const auto values = [](Index count) { return static_cast<std::size_t>(count) * sizeof(Complex<S>); };
  const std::size_t half = values(sizes.frequencies() / sizes.outer() * sizes.image[sizes.dims - 1]);
  const std::size_t transform = values((samples + blocks.shape().size()) * blocks.together);
  if (!ctx.on_gpu())  // line buffers of each thread
    return half + plan.tables + plan.scratch + transform +
           static_cast<std::size_t>(ctx.threads()) * (1 << 20);
  const Index length = sizes.outer(), inner = sizes.frequencies() / length;
  const Shape lines{lines_at_once(inner, length), length};
  std::size_t work = half;  // approximate, of the FFTs
  if (half < ctx.memory_limit()) {
    work = FftPlan<S>(lines, 1).scratch_bytes(ctx);
    if (sizes.dims > 1)
      work = std::max(work, FftPlan<S>(half_shape_of(sizes), sizes.dims - 1).scratch_bytes(ctx));
  }
  // The transform's scratch stays allocated after it is done.
  return half + plan.tables + std::max(plan.scratch, work) + std::max(transform, values(lines.size()));
}

// The shifts of `half`, see half_shape_of(), assembled from blocks.
template <typename S>
void fill_shifts(View<const double> trajectory, View<const double> density, const ToeplitzSizes& sizes,
                 const PsfBlocks& blocks, const Plan<S>& plan, double factor, View<Complex<S>> half,
                 Context& ctx) {
  const Index together = blocks.together, shifts = blocks.shape().size(), samples = plan.samples();
  Array<Complex<S>> weights({together, samples}, ctx.device()), psf({together, shifts}, ctx.device());
  ctx.arena().reserve(plan.scratch_bytes(ctx, together));
  for (Index first = 0; first < blocks.count; first += together) {
    for (Index b = 0; b < together; ++b) {
      ModulateWeights<S> body{trajectory.data(),
                              density.size() > 0 ? density.data() : nullptr,
                              sizes.dims,
                              {},
                              complex_values(weights.data() + b * samples)};
      for (int a = 0; a < sizes.dims; ++a)  // moves the image's first pixel to the block's first shift
        body.start[a] = static_cast<double>(blocks.start(first + b, a) + blocks.extent[a] / 2);
      for_each(ctx, samples, body);
    }
    plan.adjoint(weights.data(), psf.data(), together, nullptr, factor, ctx, false);
    for (Index b = 0; b < together; ++b) {
      PlaceShifts<S> body{
          sizes.dims, {}, {}, {}, complex_values(psf.data() + b * shifts), complex_values(half.data())};
      for (int a = 0; a < sizes.dims; ++a) body.start[a] = blocks.start(first + b, a);
      std::copy_n(blocks.extent.begin(), 3, body.extent);
      std::copy_n(sizes.padded.begin(), 3, body.padded);
      for_each_in_rows(ctx, blocks.rows(), blocks.extent[0], body);
    }
  }
}

// Along the outermost axis q(−Δ) = conj q(Δ): the mirrored half is formed in the line buffer, and the result
// is real.
template <typename S, typename T>
void transform_outer(View<const Complex<S>> half, const ToeplitzSizes& sizes, View<T> spectrum,
                     Context& ctx) {
  const Index length = sizes.outer(), inner = sizes.frequencies() / length,
              shifts = sizes.image[sizes.dims - 1];
  const double scale = 1 / static_cast<double>(sizes.frequencies());
  if (ctx.on_gpu()) {
    const Index at_once = lines_at_once(inner, length);
    Array<Complex<S>> lines({at_once, length}, ctx.device());
    for (Index first = 0; first < inner; first += at_once) {
      const Index count = std::min(at_once, inner - first);
      const View<Complex<S>> part = lines.view().slices(0, count);
      const FftPlan<S> transform(part.shape(), 1);
      ctx.arena().reserve(transform.scratch_bytes(ctx));
      for_each(ctx, part.size(),
               HermitianLines<S>{complex_values(half.data()), inner, shifts, length, first, count,
                                 complex_values(part.data())});
      transform.execute(part, FftSign::forward, ctx);
      for_each(ctx, part.size(),
               RealParts<S, T>{complex_values(part.data()), scale, spectrum.data() + first * length});
    }
    return;
  }
  const LinePass<S> lines(length, shifts, 0, inner);
  Array<Complex<S>> buffers({ctx.threads(), 2, lines.buffer_size()});
  parallel_for(ctx, lines.blocks(), 16, [&](Index begin, Index end, int thread) {
    Complex<S>* in = buffers.data() + thread * 2 * lines.buffer_size();
    Complex<S>* out = in + lines.buffer_size();
    for (Index task = begin; task < end; ++task) {
      const Index n = lines.count(task), first = lines.first(task);
      lines.gather_pruned(half.data() + first, inner, n, in);
      for (Index v = 0; v < n; ++v)
        for (Index shift = 1; shift < shifts && length - shift >= shifts; ++shift)
          in[(v + 1) * length - shift] = std::conj(in[v * length + shift]);
      lines.transform(in, out, n, FftSign::forward);
      for (Index v = 0; v < n; ++v)
        for (Index e = 0; e < length; ++e)
          spectrum[(first + v) * length + e] = static_cast<T>(out[v * length + e].real() * scale);
    }
  });
}

template <typename S, typename T>
Array<T> spectrum_in(View<const double> trajectory, View<const double> density, const ToeplitzSizes& sizes,
                     const PsfBlocks& blocks, const Plan<S>& plan, double factor, Context& ctx) {
  const Shape half_shape = half_shape_of(sizes);
  Array<Complex<S>> half(half_shape, ctx.device());
  fill<S>(half, 0, ctx);
  fill_shifts<S>(trajectory, density, sizes, blocks, plan, factor, half, ctx);
  if (sizes.dims > 1) {
    const FftPlan<S> inner_transform(half_shape, sizes.dims - 1);
    ctx.arena().reserve(inner_transform.scratch_bytes(ctx));
    inner_transform.execute(half, FftSign::forward, ctx);
  }
  Array<T> spectrum({sizes.frequencies() / sizes.outer(), sizes.outer()}, ctx.device());
  transform_outer<S, T>(half, sizes, spectrum, ctx);
  return spectrum;
}

template <typename S>
std::shared_ptr<const Plan<S>> plan_in(View<const double> trajectory, const PsfBlocks& blocks,
                                       double tolerance, Context& ctx) {
  return make_plan<S>(trajectory, blocks.shape(), plan_options(tolerance, blocks.together), ctx);
}

// True if spectra of precision T may be computed in single precision: its rounding is a third of such an
// error.
template <typename T>
bool single_precision(double tolerance) {
  return sizeof(T) == sizeof(float) && tolerance >= 2e-6;
}

}  // namespace

PsfBlocks::PsfBlocks(const ToeplitzSizes& sizes, std::size_t bytes_of_value, const Context& ctx)
    : dims(sizes.dims), image(sizes.image), extent(sizes.image) {
  for (std::size_t axis = 0; axis + 1 < static_cast<std::size_t>(dims); ++axis) {
    halves[axis] = !sizes.circular[axis];
    if (halves[axis])
      count *= 2;
    else
      extent[axis] = sizes.padded[axis];
  }
  // A sixteenth: a reconstruction that fits into a limit must also fit into a larger one.
  const std::size_t one = static_cast<std::size_t>(shape().size()) * 8 * bytes_of_value,
                    part = ctx.memory_limit() / 16;
  const std::size_t limit = ctx.on_gpu() ? part : std::min(part, together_bytes);
  together = std::min<Index>(4 * one <= limit ? 4 : 1, count);
  if (ctx.on_gpu() || dims < 3 || together < count) return;
  for (std::size_t axis = 0; axis < halves.size(); ++axis)
    if (halves[axis]) extent[axis] *= 2;
  count = together = 1;
}

Index PsfBlocks::start(Index block, int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  if (!halves[a]) return 0;
  const int bit = axis == 1 && halves[0] ? 1 : 0;
  return extent[a] > image[a] || (block >> bit & 1) ? -image[a] : 0;
}

Shape PsfBlocks::shape() const {
  if (dims == 1) return {extent[0]};
  if (dims == 2) return {extent[1], extent[0]};
  return {extent[2], extent[1], extent[0]};
}

template <typename T>
std::size_t toeplitz_spectrum_setup_bytes(const Shape& image, Index samples, double tolerance, Context& ctx) {
  return single_precision<T>(tolerance) ? bytes_in<float>(image, samples, tolerance, ctx)
                                        : bytes_in<double>(image, samples, tolerance, ctx);
}

template <typename T>
ToeplitzSpectra<T>::ToeplitzSpectra(View<const double> trajectory, const ToeplitzSizes& sizes,
                                    double tolerance, Context& ctx)
    : trajectory_(trajectory),
      sizes_(sizes),
      blocks_(sizes, single_precision<T>(tolerance) ? sizeof(Complex<float>) : sizeof(Complex<double>), ctx) {
  if (single_precision<T>(tolerance))
    single_ = plan_in<float>(trajectory, blocks_, tolerance, ctx);
  else
    double_ = plan_in<double>(trajectory, blocks_, tolerance, ctx);
}

template <typename T>
Array<T> ToeplitzSpectra<T>::of(View<const double> density, double factor, Context& ctx) const {
  if constexpr (sizeof(T) == sizeof(float))
    if (single_) return spectrum_in<float, T>(trajectory_, density, sizes_, blocks_, *single_, factor, ctx);
  return spectrum_in<double, T>(trajectory_, density, sizes_, blocks_, *double_, factor, ctx);
}

template <typename T>
Spectra<T> by_planes_if_separate(Spectra<T> spectra, double tolerance, Context& ctx) {
  const ToeplitzSizes& s = spectra.sizes;
  if (s.dims < 3 || spectra.pairs.size > 1) return spectra;
  const Index lines = s.padded[0] * s.padded[1];
  Array<T> sums({lines}, ctx.device());
  Array<double> values({2, lines}, ctx.device());
  for_each(ctx, lines,
           SumLines<T>{spectra.values.data(), s.padded[0], s.padded[1], s.padded[2], sums.data(),
                       values.data(), values.data() + lines});
  const auto here = moved_to(Device::cpu(), std::move(values));
  const double* const distances = here.data() + lines;
  const double most = error_of_spectrum * tolerance * *std::max_element(here.data(), distances);
  if (!std::all_of(distances, distances + lines, [&](double distance) { return distance <= most; }))
    return spectra;
  return {s.by_planes(), spectra.pairs, std::move(sums)};
}

#define LARMOR_INSTANTIATE(T)                                                 \
  template class ToeplitzSpectra<T>;                                          \
  template Spectra<T> by_planes_if_separate<T>(Spectra<T>, double, Context&); \
  template std::size_t toeplitz_spectrum_setup_bytes<T>(const Shape&, Index, double, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
