#pragma once

#include <larmor/operators/nufft/line_pass.hpp>
#include <larmor/operators/nufft/plan.hpp>
#include <larmor/operators/nufft/toeplitz.hpp>

#include <array>

namespace larmor::nufft {

/// Sizes of a zero-padded convolution; axes in the order x, y, z. The outermost axis is padded line by line in a
/// buffer; the inner ones are padded on the grid, or (low memory) transformed once for the even and once for the odd
/// frequencies of the padded length, the odd ones being the even ones of the image times half-pixel phases.
struct ToeplitzSizes {
  ToeplitzSizes(const Shape& image, ToeplitzForm form);

  int dims;
  int parities;  ///< passes per inner axis: 1 padded, 2 low memory
  std::array<Index, 3> image{1, 1, 1}, padded{1, 1, 1}, grid{1, 1, 1};

  Index pixels() const { return image[0] * image[1] * image[2]; }
  Index rows() const { return image[1] * image[2]; }
  Index grid_cells() const { return dims == 1 ? 0 : grid[0] * grid[1] * grid[2]; }
  Index frequencies() const { return padded[0] * padded[1] * padded[2]; }
  Index outer() const { return padded[dims - 1]; }
  std::size_t scratch_bytes(int lanes, int threads, std::size_t value_bytes) const;
  Index thread_buffer_size(int lanes, std::size_t value_bytes) const;
};

/// The spectrum of a PSF and the passes that convolve with it.
template <typename T>
class ToeplitzKernel {
 public:
  using C = std::complex<T>;
  using Spectrum = std::shared_ptr<const Array<T>>;

  ToeplitzKernel(const Shape& image, ToeplitzForm form, Spectrum spectrum, Index batch, const Context& ctx);

  const ToeplitzSizes& sizes() const { return sizes_; }
  ToeplitzForm form() const { return form_; }
  const Spectrum& spectrum() const { return spectrum_; }
  std::size_t scratch_bytes(const Context& ctx, Index batch) const;

  /// Convolves a block of coils. load(row, line, lanes) writes the image row (pixel x of coil c at line[x·lanes + c],
  /// all lanes); store(row, line, lanes, first) takes the result, first telling overwrite from accumulate.
  template <typename Load, typename Store>
  void run(int lanes, const Load& load, const Store& store, Context& ctx) const;

 private:
  struct Passes {
    LinePass<T> x, y, outer;
  };
  const Passes& passes(int lanes) const { return passes_[lanes == 1 ? 0 : lanes == 4 ? 1 : 2]; }
  void multiply(C* buffer, Index first, Index count, int lanes, int parity_x, int parity_y) const;

  ToeplitzSizes sizes_;
  ToeplitzForm form_;
  Spectrum spectrum_;  // frequency (fx, fy, fz) at ((fy·Lx) + fx)·Lz + fz, the outermost axis fastest; times 1/ΠL
  std::array<Passes, 3> passes_;
  std::array<std::vector<C>, 2> phase_;  // exp(−πi n/H) of the inner axes, low memory only
};

/// The spectrum of the PSF of a trajectory with density weights (empty: 1), in the order of ToeplitzKernel, scaled so
/// that convolution gives factor · Σ_j d_j exp(2πi k_j·Δ).
template <typename T>
Array<T> toeplitz_spectrum(View<const double> trajectory, View<const double> density, const Shape& image,
                           double tolerance, double factor, Context& ctx);
std::size_t toeplitz_spectrum_setup_bytes(const Shape& image, Index samples, double tolerance, const Context& ctx);

template <typename T>
template <typename Load, typename Store>
void ToeplitzKernel<T>::run(int lanes, const Load& load, const Store& store, Context& ctx) const {
  const auto& s = sizes_;
  const Passes& p = passes(lanes);
  Scratch scratch(ctx);
  const View<C> whole = scratch.take<C>({s.grid_cells() * lanes});
  const View<C> buffers = scratch.take<C>({ctx.threads(), s.thread_buffer_size(lanes, sizeof(C))});
  C* grid = whole.data();
  const Index row = s.grid[0] * lanes, plane = s.grid[1] * row;
  const Index row_length = s.image[0] * lanes;

  if (s.dims == 1) {
    parallel_for(ctx, 1, 1, [&](Index, Index, int thread) {
      C* line = buffers.slice(thread).data();
      load(0, line, lanes);
      std::fill(line + row_length, line + s.padded[0] * lanes, C(0));
      p.x.transform(line, lanes, FftSign::forward);
      multiply(line, 0, lanes, lanes, 0, 0);
      p.x.transform(line, lanes, FftSign::backward);
      store(0, line, lanes, true);
    });
    return;
  }

  // The grid row of an image row: y fastest among rows; in 2D y is the outermost axis and not padded on the grid.
  const auto grid_row = [&](Index r) {
    return s.dims == 2 ? grid + r * row : grid + r / s.image[1] * plane + r % s.image[1] * row;
  };
  const auto twist = [&](C* line, Index r, int parity_x, int parity_y, bool conjugate) {
    if (parity_x == 0 && parity_y == 0) return;
    const C of_row = parity_y ? phase_[1][r % s.image[1]] : C(1);
    for (Index i = 0; i < s.image[0]; ++i) {
      C factor = parity_x ? C(phase_[0][i].real() * of_row.real() - phase_[0][i].imag() * of_row.imag(),
                              phase_[0][i].real() * of_row.imag() + phase_[0][i].imag() * of_row.real())
                          : of_row;
      if (conjugate) factor = std::conj(factor);
      for (Index l = i * lanes; l < (i + 1) * lanes; ++l)
        line[l] = C(line[l].real() * factor.real() - line[l].imag() * factor.imag(),
                    line[l].real() * factor.imag() + line[l].imag() * factor.real());
    }
  };

  // An axis of length one has only its even frequency.
  const int parities_x = s.padded[0] > 1 ? s.parities : 1;
  const int parities_y = s.dims == 3 && s.padded[1] > 1 ? s.parities : 1;
  const Index outer_stride = s.dims == 2 ? row : plane;
  for (int parity_y = 0; parity_y < parities_y; ++parity_y)
    for (int parity_x = 0; parity_x < parities_x; ++parity_x) {
      parallel_for(ctx, s.rows(), 8, [&](Index begin, Index end, int) {
        for (Index r = begin; r < end; ++r) {
          C* line = grid_row(r);
          load(r, line, lanes);
          twist(line, r, parity_x, parity_y, false);
          std::fill(line + row_length, line + row, C(0));
          p.x.transform(line, lanes, FftSign::forward);
        }
      });
      const auto y_pass = [&](FftSign sign) {
        const Index blocks = p.y.blocks();
        parallel_for(ctx, s.image[2] * blocks, 4, [&](Index begin, Index end, int thread) {
          C* buffer = buffers.slice(thread).data();
          for (Index task = begin; task < end; ++task) {
            const Index block = task % blocks, n = p.y.count(block);
            C* line = grid + task / blocks * plane + p.y.first(block);
            if (sign == FftSign::forward) {
              p.y.gather_pruned(line, row, n, buffer);
              p.y.transform(buffer, n, sign);
              p.y.scatter(buffer, row, n, line);
            } else {
              p.y.gather(line, row, n, buffer);
              p.y.transform(buffer, n, sign);
              p.y.scatter_pruned(buffer, row, n, line);
            }
          }
        });
      };
      if (s.dims == 3) y_pass(FftSign::forward);
      parallel_for(ctx, p.outer.blocks(), 4, [&](Index begin, Index end, int thread) {
        C* buffer = buffers.slice(thread).data();
        for (Index block = begin; block < end; ++block) {
          const Index n = p.outer.count(block), first = p.outer.first(block);
          p.outer.gather_pruned(grid + first, outer_stride, n, buffer);
          p.outer.transform(buffer, n, FftSign::forward);
          multiply(buffer, first, n, lanes, parity_x, parity_y);
          p.outer.transform(buffer, n, FftSign::backward);
          p.outer.scatter_pruned(buffer, outer_stride, n, grid + first);
        }
      });
      if (s.dims == 3) y_pass(FftSign::backward);
      parallel_for(ctx, s.rows(), 8, [&](Index begin, Index end, int) {
        for (Index r = begin; r < end; ++r) {
          C* line = grid_row(r);
          p.x.transform(line, lanes, FftSign::backward);
          twist(line, r, parity_x, parity_y, true);
          store(r, line, lanes, parity_x == 0 && parity_y == 0);
        }
      });
    }
}

}  // namespace larmor::nufft
