#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/matrix_convolution.hpp>
#include <larmor/operators/nufft/plan.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace larmor::nufft {
namespace {

// Coils go together on a GPU as long as the grid has no more than this many cells: enough work for a launch.
constexpr Index device_cells = Index{1} << 23;
// Frequencies that are multiplied at a time on a CPU.
constexpr Index strip = 32;
constexpr Index most_terms = 64;

MatrixGrid make_grid(const Shape& image, Index terms, Index coils, const Device& device) {
  const ToeplitzSizes sizes(image, ToeplitzForm::padded, device);
  MatrixGrid grid;
  for (int a = 0; a < 3; ++a) {
    grid.image[a] = sizes.image[a];
    grid.padded[a] = sizes.padded[a];
  }
  grid.terms = terms;
  grid.coils = coils;
  if (device.on_gpu()) {
    grid.together = std::clamp<Index>(device_cells / (terms * grid.cells()), 1, coils);
    while (coils % grid.together != 0) --grid.together;
  }
  return grid;
}

// The grid as an array [images][…], without axes of length one, unless there are no others.
Shape grid_shape(const MatrixGrid& grid) {
  std::array<Index, 4> extents{grid.together * grid.terms};
  int rank = 1;
  for (const int axis : {2, 1, 0})
    if (grid.padded[axis] > 1 || (axis == 0 && rank == 1))
      extents[static_cast<std::size_t>(rank++)] = grid.padded[axis];
  return Shape(extents.data(), rank);
}

template <typename T>
FftPlan<T> grid_transform(const MatrixGrid& grid) {
  const Shape shape = grid_shape(grid);
  return FftPlan<T>(shape, shape.rank() - 1);
}

template <typename T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <typename T>
std::complex<T> conjugate_product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() + a.imag() * b.imag(), a.real() * b.imag() - a.imag() * b.real()};
}

template <typename T>
void pad_images(const MatrixGrid& g, const std::complex<T>* x, const std::complex<T>* maps,
                std::complex<T>* grid, Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) return cuda::pad_images<T>(g, x, maps, grid, ctx.stream());
  const Index rows = g.padded[1] * g.padded[2], width = g.image[0], pixels = g.pixels();
  parallel_for(ctx, g.together * g.terms * rows, 16, [&](Index begin, Index end, int) {
    for (Index task = begin; task < end; ++task) {
      std::complex<T>* out = grid + task * g.padded[0];
      const Index line = task % rows, y = line % g.padded[1], z = line / g.padded[1];
      if (y >= g.image[1] || z >= g.image[2]) {
        std::fill_n(out, g.padded[0], std::complex<T>(0));
        continue;
      }
      const Index term = task / rows % g.terms, coil = g.first + task / rows / g.terms;
      const Index row = (z * g.image[1] + y) * width;
      if (maps == nullptr) {
        std::copy_n(x + (term * g.coils + coil) * pixels + row, width, out);
      } else {
        const std::complex<T>* m = maps + coil * pixels + row;
        const std::complex<T>* in = x + term * pixels + row;
        for (Index i = 0; i < width; ++i) out[i] = product(m[i], in[i]);
      }
      std::fill(out + width, out + g.padded[0], std::complex<T>(0));
    }
  });
}

template <typename T>
void crop_images(const MatrixGrid& g, const std::complex<T>* grid, const std::complex<T>* maps,
                 std::complex<T>* y, bool accumulate, Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) return cuda::crop_images<T>(g, grid, maps, y, accumulate, ctx.stream());
  const Index rows = g.image[1] * g.image[2], width = g.image[0], pixels = g.pixels();
  parallel_for(ctx, g.terms * rows, 16, [&](Index begin, Index end, int) {
    for (Index task = begin; task < end; ++task) {
      const Index term = task / rows, row = task % rows;
      const Index from = (row / g.image[1] * g.padded[1] + row % g.image[1]) * g.padded[0];
      for (Index c = 0; c < g.together; ++c) {
        const Index coil = g.first + c;
        const std::complex<T>* in = grid + (c * g.terms + term) * g.cells() + from;
        std::complex<T>* out = y + (maps ? term : term * g.coils + coil) * pixels + row * width;
        if (!accumulate && (maps == nullptr || c == 0)) std::fill_n(out, width, std::complex<T>(0));
        if (maps == nullptr) {
          for (Index i = 0; i < width; ++i) out[i] += in[i];
        } else {
          const std::complex<T>* m = maps + coil * pixels + row * width;
          for (Index i = 0; i < width; ++i) out[i] += conjugate_product(m[i], in[i]);
        }
      }
    }
  });
}

template <typename T>
void multiply_matrix(const MatrixGrid& g, const HermitianPairs& pairs, const T* spectra,
                     std::complex<T>* grid, Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) return cuda::multiply_matrix<T>(g, pairs, spectra, grid, ctx.stream());
  const Index cells = g.cells();
  parallel_for(ctx, g.together * cells, strip * 64, [&](Index begin, Index end, int) {
    std::array<std::complex<T>, most_terms * strip> values;
    for (Index start = begin; start < end;) {
      const Index coil = start / cells, f = start % cells;
      const Index count = std::min({strip, end - start, cells - f});
      start += count;
      std::complex<T>* at = grid + coil * g.terms * cells + f;
      for (Index m = 0; m < g.terms; ++m) std::copy_n(at + m * cells, count, values.data() + m * strip);
      for (Index l = 0; l < g.terms; ++l) {
        std::complex<T>* out = at + l * cells;
        std::fill_n(out, count, std::complex<T>(0));
        for (Index m = 0; m < g.terms; ++m) {
          const Index low = std::min(l, m), high = std::max(l, m);
          const std::complex<T>* in = values.data() + m * strip;
          const T* re = spectra + pairs.real_part(low, high) * cells + f;
          for (Index i = 0; i < count; ++i) out[i] += re[i] * in[i];
          if (pairs.real || l == m) continue;
          const T* im = spectra + pairs.imaginary_part(low, high) * cells + f;
          const T sign = l < m ? T(1) : T(-1);
          for (Index i = 0; i < count; ++i)
            out[i] += std::complex<T>(-sign * im[i] * in[i].imag(), sign * im[i] * in[i].real());
        }
      }
    }
  });
}

// A spectrum with the outermost axis fastest, put in the order of the grid.
template <typename T>
void reorder(const Array<T>& spectrum, T* out, Context& ctx) {
  const Index inner = spectrum.shape()[0], outer = spectrum.shape()[1];
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) return cuda::transpose<T>(spectrum.data(), out, inner, outer, ctx.stream());
  parallel_for(ctx, inner, 64, [&](Index begin, Index end, int) {
    for (Index e = 0; e < outer; ++e)
      for (Index i = begin; i < end; ++i) out[e * inner + i] = spectrum[i * outer + e];
  });
}

}  // namespace

template <typename T>
MatrixConvolution<T>::MatrixConvolution(const Shape& image, Index coils, const HermitianPairs& pairs,
                                        Array<T> spectra, const Context& ctx)
    : grid_(make_grid(image, pairs.size, coils, ctx.device())),
      pairs_(pairs),
      transform_(grid_transform<T>(grid_)),
      spectra_(std::move(spectra)) {
  if (spectra_.size() != pairs.count() * grid_.cells())
    throw internal_error("MatrixConvolution: {} values of spectra, expected {} of {}", spectra_.size(),
                         pairs.count(), grid_.cells());
}

template <typename T>
std::size_t MatrixConvolution<T>::scratch_bytes(const Context& ctx) const {
  return Scratch::bytes<C>(grid_shape(grid_)) + transform_.scratch_bytes(ctx);
}
template <typename T>
std::size_t MatrixConvolution<T>::scratch_bytes(const Shape& image, Index terms, Index coils,
                                                const Context& ctx) {
  const MatrixGrid grid = make_grid(image, terms, coils, ctx.device());
  return Scratch::bytes<C>(grid_shape(grid)) + grid_transform<T>(grid).scratch_bytes(ctx);
}

template <typename T>
void MatrixConvolution<T>::run(const C* x, const C* maps, C* y, bool accumulate, Context& ctx) const {
  Scratch scratch(ctx);
  const auto grid = scratch.take<C>(grid_shape(grid_));
  MatrixGrid part = grid_;
  for (part.first = 0; part.first < part.coils; part.first += part.together) {
    pad_images<T>(part, x, maps, grid.data(), ctx);
    transform_.execute(grid, FftSign::forward, ctx);
    multiply_matrix<T>(part, pairs_, spectra_.data(), grid.data(), ctx);
    transform_.execute(grid, FftSign::backward, ctx);
    crop_images<T>(part, grid.data(), maps, y, accumulate || (maps != nullptr && part.first > 0), ctx);
  }
}

template <typename T>
bool has_real_products(View<const std::complex<T>> basis) {
  constexpr double rounding = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const Index terms = basis.shape()[0], samples = basis.shape()[1];
  for (Index j = 0; j < samples; ++j) {
    // All products are real when those with the largest entry are.
    std::complex<double> largest = 0;
    for (Index l = 0; l < terms; ++l) {
      const std::complex<double> b(basis[l * samples + j]);
      if (std::norm(b) > std::norm(largest)) largest = b;
    }
    for (Index l = 0; l < terms; ++l) {
      const std::complex<double> w = std::conj(std::complex<double>(basis[l * samples + j])) * largest;
      if (std::abs(w.imag()) > rounding * std::abs(w)) return false;
    }
  }
  return true;
}

template <typename T>
MatrixSpectra<T> matrix_spectra(View<const double> trajectory, View<const std::complex<T>> basis,
                                const Shape& image, double tolerance, double factor, Context& ctx) {
  const Index terms = basis.shape()[0], samples = basis.shape()[1];
  if (terms > most_terms)
    throw internal_error("MatrixToeplitz: {} coefficient images, expected at most {}", terms, most_terms);
  const auto b = copied_to(Device::cpu(), basis);
  const Context host = ctx.host();
  // conj(b_l) b_m of one sample, in double.
  const auto of_pair = [&](Index l, Index m, Index j) {
    return std::conj(std::complex<double>(b[l * samples + j])) * std::complex<double>(b[m * samples + j]);
  };
  MatrixSpectra<T> result;
  result.pairs.size = terms;
  result.pairs.real = has_real_products<T>(b);

  const Index cells = make_grid(image, terms, 1, ctx.device()).cells();
  result.values = Array<T>({result.pairs.count(), cells}, ctx.device());
  const auto plan = spectrum_plan(trajectory, image, tolerance, ctx);
  Array<double> weights({samples});
  const auto add = [&](Index place, const auto& weight_of) {
    parallel_for(host, samples, 4096, [&](Index begin, Index end, int) {
      for (Index j = begin; j < end; ++j) weights[j] = weight_of(j);
    });
    const auto there = copied_to(ctx.device(), weights);
    reorder(toeplitz_spectrum<T>(trajectory, there, image, tolerance, factor, ctx, plan),
            result.values.data() + place * cells, ctx);
  };
  for (Index l = 0; l < terms; ++l)
    for (Index m = l; m < terms; ++m) {
      add(result.pairs.real_part(l, m), [&](Index j) { return of_pair(l, m, j).real(); });
      if (!result.pairs.real && m > l)
        add(result.pairs.imaginary_part(l, m), [&](Index j) { return of_pair(l, m, j).imag(); });
    }
  return result;
}

#define LARMOR_INSTANTIATE(T)                                                                                \
  template class MatrixConvolution<T>;                                                                       \
  template bool has_real_products<T>(View<const std::complex<T>>);                                           \
  template MatrixSpectra<T> matrix_spectra<T>(View<const double>, View<const std::complex<T>>, const Shape&, \
                                              double, double, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
