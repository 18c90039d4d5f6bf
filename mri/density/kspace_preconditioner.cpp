#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/density/kspace_preconditioner.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <algorithm>
#include <cmath>

namespace larmor {
namespace {

Shape doubled(Shape shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) shape[axis] *= 2;
  return shape;
}

}  // namespace

template <typename T>
Array<std::complex<T>> kspace_preconditioner(View<const double> trajectory,
                                             std::type_identity_t<View<const std::complex<T>>> maps,
                                             const KspacePreconditionerOptions& options, Context& ctx) {
  using C = std::complex<T>;
  if (!(options.lambda >= 0) || (options.lambda > 0 && !(options.norm_squared > 0)))
    throw usage_error(
        "k-space preconditioner: lambda {} with a squared norm of {}; expected 0 or more, and above 0",
        options.lambda, options.norm_squared);
  const Shape image = maps.shape().drop_front(1), grid = doubled(image);
  const Index coils = maps.shape()[0], samples = trajectory.shape()[0];
  const double pixels = static_cast<double>(image.size()), cells = static_cast<double>(grid.size());

  // |F(m_c m̄_d)(k_i − k_j)|² is the transform of the autocorrelation of m_c m̄_d; its sum over j is that of
  // the autocorrelation times the point-spread function, both on the grid of differences of pixels.
  NufftOptions nufft;
  nufft.tolerance = options.nufft_tolerance;
  const Nufft<T> transform(trajectory, grid, nufft, ctx);
  const Array<C> psf = transform.adjoint(copied_to(ctx.device(), filled(Shape{samples}, C(1))), ctx);
  const Diagonal<T> spread(psf.view());
  const Fft<T> fft(grid, grid.rank());
  const Pad<T> pad(image, grid);
  Array<C> product(image, ctx.device()), padded(grid, ctx.device()), spectrum(grid, ctx.device());
  Array<C> power(grid, ctx.device()), row({samples}, ctx.device());
  Array<C> result({coils, samples});
  const double shift = options.lambda * options.norm_squared;
  for (Index c = 0; c < coils; ++c) {
    ctx.throw_if_cancelled();
    const Diagonal<T> map(maps.slice(c));
    fill<T>(power, 0, ctx);
    for (Index d = 0; d < coils; ++d) {
      map.adjoint(maps.slice(d), product, ctx);
      pad.apply(product, padded, ctx);
      fft.apply(padded, spectrum, ctx);
      // |spectrum|², added up
      Diagonal<T>(spectrum.view()).adjoint(spectrum, power, ctx, Write::accumulate);
    }
    fft.adjoint(power, padded, ctx);
    spread.apply(padded, spectrum, ctx);
    transform.apply(spectrum, row, ctx);
    // Unitary transforms: the autocorrelation is √cells times what came back, and so are the point-spread
    // function and the transform; A has 1/√pixels.
    const double unit = cells * std::sqrt(cells) / (pixels * pixels);
    const double diagonal = squared_norm<T>(maps.slice(c), ctx) / pixels;  // of AAᴴ
    const Array<C> sums = copied_to(Device::cpu(), row);
    for (Index j = 0; j < samples; ++j) {
      // No sum is below its own term.
      const double squares = std::max(unit * static_cast<double>(sums[j].real()), diagonal * diagonal);
      const double all = squares + 2 * shift * diagonal + shift * shift;
      result[c * samples + j] = all > 0 ? static_cast<T>((diagonal + shift) / all) : T(0);
    }
  }
  if (std::all_of(result.begin(), result.end(), [](const C& value) { return value == C(0); }))
    throw input_error("k-space preconditioner: the coil maps are 0 everywhere");
  return moved_to(ctx.device(), std::move(result));
}

template Array<std::complex<float>> kspace_preconditioner<float>(View<const double>,
                                                                 View<const std::complex<float>>,
                                                                 const KspacePreconditionerOptions&,
                                                                 Context&);
template Array<std::complex<double>> kspace_preconditioner<double>(View<const double>,
                                                                   View<const std::complex<double>>,
                                                                   const KspacePreconditionerOptions&,
                                                                   Context&);

}  // namespace larmor
