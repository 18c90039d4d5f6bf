#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/cuda/for_each.hpp>
#include <larmor/operators/nufft/toeplitz/matrix_convolution.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_spectrum.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace larmor::nufft {
namespace {

// Coils are processed together on a GPU as long as the grid has no more than this many cells, which is enough
// work for a launch.
constexpr Index device_cells = Index{1} << 23;

MatrixGrid make_grid(const ToeplitzSizes& sizes, Index terms, Index coils) {
  MatrixGrid grid;
  for (int a = 0; a < 3; ++a) {
    grid.image[a] = sizes.image[a];
    grid.padded[a] = sizes.padded[a];
  }
  grid.terms = terms;
  grid.coils = coils;
  grid.together = std::clamp<Index>(device_cells / (terms * grid.cells()), 1, coils);
  while (coils % grid.together != 0) --grid.together;
  return grid;
}

// The grid as an array [images][…], without axes of length one unless there are no others.
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

/// The convolution on a GPU: all images of a few coils go through a padded grid at a time.
template <typename T>
class CudaMatrixKernel final : public ToeplitzKernel<T> {
 public:
  using C = std::complex<T>;
  CudaMatrixKernel(Index coils, SharedSpectra<T> spectra)
      : ToeplitzKernel<T>(std::move(spectra)),
        grid_(make_grid(this->sizes(), this->terms(), coils)),
        transform_(grid_transform<T>(grid_)) {}
  std::size_t scratch_bytes(const Context& ctx, Index /*coils*/) const override {
    return Scratch::bytes<C>(grid_shape(grid_)) + transform_.scratch_bytes(ctx);
  }

 private:
  void run(const C* x, const C* maps, C* y, Index /*coils*/, bool accumulate, const ImageWindow& /*window*/,
           Context& ctx) const override {
    if constexpr (larmor::cuda::built) {
      Scratch scratch(ctx);
      const auto grid = scratch.take<C>(grid_shape(grid_));
      MatrixGrid part = grid_;
      for (part.first = 0; part.first < part.coils; part.first += part.together) {
        larmor::cuda::for_each(
            PadImages<T>{part, complex_values(x), complex_values(maps), complex_values(grid.data())},
            grid.size(), ctx.stream());
        transform_.execute(grid, FftSign::forward, ctx);
        cuda::multiply_matrix<T>(part, this->spectra()->pairs, this->values(), grid.data(), ctx.stream());
        transform_.execute(grid, FftSign::backward, ctx);
        larmor::cuda::for_each(
            CropImages<T>{part, complex_values(grid.data()), complex_values(maps), complex_values(y),
                          accumulate || (maps != nullptr && part.first > 0)},
            (maps == nullptr ? part.together : 1) * part.terms * part.pixels(), ctx.stream());
      }
    }
  }

  MatrixGrid grid_;
  FftPlan<T> transform_;
};

// Stores a spectrum, which has the outermost axis fastest, in the order that the device's kernel reads.
template <typename T>
void keep(const Array<T>& spectrum, T* out, bool several, Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu() && several)
      return larmor::cuda::for_each(
          Transpose<T>{spectrum.data(), out, spectrum.shape()[0], spectrum.shape()[1]}, spectrum.size(),
          ctx.stream());
  copy_bytes(out, spectrum.device(), spectrum.data(), spectrum.device(), spectrum.view().bytes());
}

}  // namespace

template <typename T>
std::shared_ptr<const ToeplitzKernel<T>> make_cuda_matrix_kernel(SharedSpectra<T> spectra, Index coils) {
  return std::make_shared<const CudaMatrixKernel<T>>(coils, std::move(spectra));
}

template <typename T>
std::size_t cuda_matrix_scratch_bytes(const Shape& image, Index terms, Index coils, const Context& ctx) {
  const MatrixGrid grid = make_grid(ToeplitzSizes(image, ctx.device()), terms, coils);
  return Scratch::bytes<std::complex<T>>(grid_shape(grid)) + grid_transform<T>(grid).scratch_bytes(ctx);
}

template <typename T>
bool has_real_products(View<const std::complex<T>> basis) {
  constexpr double rounding = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const Index terms = basis.shape()[0], samples = basis.shape()[1];
  for (Index j = 0; j < samples; ++j) {
    // All products are real if those with the largest entry are.
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
Spectra<T> matrix_spectra(View<const double> trajectory, View<const std::complex<T>> basis,
                          const ToeplitzSizes& sizes, double tolerance, double factor, Context& ctx) {
  const Index terms = basis.shape()[0], samples = basis.shape()[1];
  const auto b = copied_to(Device::cpu(), basis);
  const Context host = ctx.host();
  // conj(b_l) b_m of one sample, in double.
  const auto of_pair = [&](Index l, Index m, Index j) {
    return std::conj(std::complex<double>(b[l * samples + j])) * std::complex<double>(b[m * samples + j]);
  };
  Spectra<T> result{sizes, {terms, has_real_products<T>(b)}, {}};

  const Index cells = sizes.frequencies();
  result.values = Array<T>({result.pairs.count(), cells}, ctx.device());
  const ToeplitzSpectra<T> spectra(trajectory, sizes, tolerance, ctx);
  Array<double> weights({samples});
  const auto add = [&](Index place, const auto& weight_of) {
    parallel_for(host, samples, 4096, [&](Index begin, Index end, int) {
      for (Index j = begin; j < end; ++j) weights[j] = weight_of(j);
    });
    const auto there = copied_to(ctx.device(), weights);
    keep(spectra.of(there, factor, ctx), result.values.data() + place * cells, terms > 1, ctx);
  };
  for (Index l = 0; l < terms; ++l)
    for (Index m = l; m < terms; ++m) {
      add(result.pairs.real_part(l, m), [&](Index j) { return of_pair(l, m, j).real(); });
      if (!result.pairs.real && m > l)
        add(result.pairs.imaginary_part(l, m), [&](Index j) { return of_pair(l, m, j).imag(); });
    }
  return result;
}

#define LARMOR_INSTANTIATE(T)                                                                            \
  template std::shared_ptr<const ToeplitzKernel<T>> make_cuda_matrix_kernel<T>(SharedSpectra<T>, Index); \
  template std::size_t cuda_matrix_scratch_bytes<T>(const Shape&, Index, Index, const Context&);         \
  template bool has_real_products<T>(View<const std::complex<T>>);                                       \
  template Spectra<T> matrix_spectra<T>(View<const double>, View<const std::complex<T>>,                 \
                                        const ToeplitzSizes&, double, double, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
