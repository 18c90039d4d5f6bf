#pragma once

#include <larmor/core/context.hpp>
#include <larmor/operators/nufft/toeplitz/cuda/matrix_convolution.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>

#include <array>
#include <complex>
#include <memory>

namespace larmor::nufft {

/// Number of pixels along x, y and z after which a point-spread function repeats; 0: it does not.
using Periods = std::array<Index, 3>;

/// The point-spread function of a trajectory [samples, dims] has the period of the image along axes on which
/// all samples lie at frequencies of the image's discrete Fourier transform, such as those of Cartesian lines
/// and of the slices of a stack. tolerance: relative accuracy of the point-spread function.
Periods periods_of(View<const double> trajectory, const Shape& image, double tolerance, const Context& ctx);

/// Sizes of a convolution, which is circular along axes with a period and zero-padded along others; axes in
/// the order x, y, z. The outermost axis is padded line by line in a buffer, the inner axes on the grid.
struct ToeplitzSizes {
  ToeplitzSizes(const Shape& image, const Device& device, const Periods& periods = {});
  /// For the planes of these volumes, convolved one by one with the same PSF.
  ToeplitzSizes by_planes() const;

  int dims;  ///< axes of the convolution; by planes 2, while `image` has three
  std::array<Index, 3> image{1, 1, 1}, padded{1, 1, 1}, grid{1, 1, 1};
  std::array<bool, 3> circular{};  ///< padded: the period

  Index pixels() const { return image[0] * image[1] * image[2]; }
  Index rows() const { return image[1] * image[2]; }
  /// Images that are convolved one by one.
  Index planes() const { return dims == 2 ? image[2] : 1; }
  Index grid_cells() const { return dims == 1 ? 0 : grid[0] * grid[1] * grid[2]; }
  Index frequencies() const { return padded[0] * padded[1] * padded[2]; }
  Index outer() const { return padded[dims - 1]; }
};

/// Position of a convolution's images within larger ones; axes in the order x, y, z.
struct ImageWindow {
  std::array<Index, 3> first{0, 0, 0}, extent{1, 1, 1};

  Index pixels() const { return extent[0] * extent[1] * extent[2]; }
};

/// The spectra of a Hermitian matrix of PSFs (1 × 1 for a single term) in device memory:
/// [pairs.count()][frequencies] times 1/ΠL. Frequency (fx, fy, fz) is at ((fy·Lx) + fx)·Lz + fz, the
/// outermost axis fastest; for several terms on a GPU in the order of the grid, x fastest.
template <typename T>
struct Spectra {
  ToeplitzSizes sizes;
  HermitianPairs pairs;
  Array<T> values;
};
template <typename T>
using SharedSpectra = std::shared_ptr<const Spectra<T>>;

/// Convolution with a matrix of PSFs on one device.
template <typename T>
class ToeplitzKernel {
 public:
  using C = std::complex<T>;
  explicit ToeplitzKernel(SharedSpectra<T> spectra) : spectra_(std::move(spectra)) {}
  virtual ~ToeplitzKernel() = default;

  const ToeplitzSizes& sizes() const { return spectra_->sizes; }
  const SharedSpectra<T>& spectra() const { return spectra_; }
  Index terms() const { return spectra_->pairs.size; }
  virtual std::size_t scratch_bytes(const Context& ctx, Index coils) const = 0;

  /// y[l][c] (+)= Σ_m T_lm x[m][c] for images [terms][coils][pixels]
  void convolve(const C* x, C* y, Index coils, bool accumulate, Context& ctx) const {
    run(x, nullptr, y, coils, accumulate, {{0, 0, 0}, sizes().image}, ctx);
  }
  /// y[l] (+)= Σ_c conj(s[c]) Σ_m T_lm (s[c] x[m]) for images [terms][pixels] and maps s [coils][pixels] that
  /// are zero outside the window, which on a GPU must be the whole image.
  void sense(const C* x, const C* maps, C* y, Index coils, bool accumulate, const ImageWindow& window,
             Context& ctx) const {
    run(x, maps, y, coils, accumulate, window, ctx);
  }

 protected:
  const T* values() const { return spectra_->values.data(); }

 private:
  virtual void run(const C* x, const C* maps, C* y, Index coils, bool accumulate, const ImageWindow& window,
                   Context& ctx) const = 0;

  SharedSpectra<T> spectra_;
};

/// A kernel for the context's device, which holds the spectra. coils: expected number of coils.
template <typename T>
std::shared_ptr<const ToeplitzKernel<T>> make_toeplitz_kernel(SharedSpectra<T> spectra, Index coils,
                                                              const Context& ctx);
/// Scratch of a kernel that has not been made yet.
template <typename T>
std::size_t toeplitz_scratch_bytes(const Shape& image, Index terms, Index coils, const Context& ctx);

}  // namespace larmor::nufft
