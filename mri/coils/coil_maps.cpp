#include <larmor/core/format_error.hpp>
#include <larmor/core/math/dominant_eigenvectors.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/mri/coils/channel_kernels.hpp>
#include <larmor/mri/coils/coil_compression.hpp>
#include <larmor/mri/coils/coil_maps.hpp>
#include <larmor/mri/coils/noise.hpp>

#include <cmath>
#include <vector>

namespace larmor {

using Complex = std::complex<float>;

Array<Complex> walsh_maps(View<const Complex> coil_images, const WalshOptions& options, Context& ctx) {
  const int dims = coil_images.shape().rank() - 1;
  if (dims != 2 && dims != 3)
    throw usage_error("walsh_maps: coil images of shape {}, expected [coils, (z,) y, x]",
                      coil_images.shape().to_string());
  if (options.radius < 0) throw usage_error("Walsh maps with radius {}, expected 0 or more", options.radius);
  const Shape shape = coil_images.shape();
  const Index channels = shape[0], nz = dims == 3 ? shape[1] : 1, ny = shape[dims - 1], nx = shape[dims];
  const Index radius = options.radius, pixels = nz * ny * nx;
  const auto reference = compression_matrix(coil_images.reshaped({channels, pixels}), 1, ctx);

  auto maps = filled<Complex>(shape, 0);
  std::vector<float> energy(static_cast<std::size_t>(pixels), 0.0F);
  parallel_for(ctx, nz * ny, 1, [&](Index begin, Index end, int) {
    HermitianRow columns(channels, nx), row(channels, nx);
    std::vector<float> vectors, eigenvalues;
    for (Index task = begin; task < end; ++task) {
      const Index z = task / ny, y = task % ny;
      // Products of channels summed over the neighbouring rows, then over the neighbours along the row.
      columns.clear();
      row.clear();
      for (Index a = 0; a < channels; ++a)
        for (Index b = 0; b <= a; ++b) {
          float *re = columns.real(a, b), *im = columns.imag(a, b);
          for (Index zz = std::max<Index>(0, z - radius); zz <= std::min(nz - 1, z + radius); ++zz)
            for (Index yy = std::max<Index>(0, y - radius); yy <= std::min(ny - 1, y + radius); ++yy) {
              const Complex* ia = coil_images.data() + ((a * nz + zz) * ny + yy) * nx;
              const Complex* ib = coil_images.data() + ((b * nz + zz) * ny + yy) * nx;
              for (Index x = 0; x < nx; ++x) {
                re[x] += ia[x].real() * ib[x].real() + ia[x].imag() * ib[x].imag();
                im[x] += ia[x].imag() * ib[x].real() - ia[x].real() * ib[x].imag();
              }
            }
          float *sum_re = row.real(a, b), *sum_im = row.imag(a, b);
          for (Index x = 0; x < nx; ++x)
            for (Index xx = std::max<Index>(0, x - radius); xx <= std::min(nx - 1, x + radius); ++xx) {
              sum_re[x] += re[xx];
              sum_im[x] += im[xx];
            }
        }
      dominant_eigenvectors(row, vectors, eigenvalues);
      for (Index x = 0; x < nx; ++x) {
        if (!(eigenvalues[static_cast<std::size_t>(x)] > 0)) continue;
        const Index pixel = task * nx + x;
        energy[static_cast<std::size_t>(pixel)] = eigenvalues[static_cast<std::size_t>(x)];
        std::complex<double> seen = 0;
        for (Index c = 0; c < channels; ++c) {
          const Complex value(vectors[static_cast<std::size_t>(2 * c * nx + x)],
                              vectors[static_cast<std::size_t>((2 * c + 1) * nx + x)]);
          seen += reference[c] * std::complex<double>(value);
          maps[c * pixels + pixel] = value;
        }
        const double magnitude = std::abs(seen);
        const auto turn = Complex(magnitude > 0 ? std::conj(seen) / magnitude : std::complex<double>(1));
        for (Index c = 0; c < channels; ++c) maps[c * pixels + pixel] *= turn;
      }
    }
  });
  // The eigenvalue is the local energy: the square of the signal.
  const float largest = *std::max_element(energy.begin(), energy.end());
  const auto threshold = static_cast<float>(options.crop * options.crop) * largest;
  for (Index p = 0; p < pixels; ++p)
    if (energy[static_cast<std::size_t>(p)] < threshold)
      for (Index c = 0; c < channels; ++c) maps[c * pixels + p] = 0;
  return maps;
}

void original_channel_maps(View<const Complex> maps, View<const std::complex<double>> inverse,
                           View<Complex> original, Context& ctx) {
  const Index channels = original.shape()[0], pixels = original.size() / std::max<Index>(1, channels);
  apply_channel_matrix(inverse, maps, original, ctx);
  Context host = ctx.host();
  for_each(maps.device().on_gpu() ? ctx : host, pixels,
           NormaliseMaps{complex_values(original.data()), channels, pixels});
}

Array<Complex> original_channel_maps(View<const Complex> maps, View<const std::complex<double>> inverse,
                                     Context& ctx) {
  Array<Complex> original(maps.shape().drop_front(1).prepend(inverse.shape()[0]), maps.device());
  original_channel_maps(maps, inverse, original, ctx);
  return original;
}

}  // namespace larmor
