#pragma once

#include <larmor/core/line_pass.hpp>
#include <larmor/operators/nufft/plan.hpp>
#include <larmor/operators/nufft/toeplitz.hpp>

#include <array>

namespace larmor::nufft {

/// Sizes of a zero-padded convolution; axes in the order x, y, z. The outermost axis is padded line by line
/// in a buffer; the inner ones are padded on the grid, or (low memory) transformed once for the even and once
/// for the odd frequencies of the padded length, the odd ones being the even ones of the image times
/// half-pixel phases.
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
  /// Complex values of one line buffer; each thread has two.
  Index buffer_size(int lanes, std::size_t value_bytes) const;
};

/// The spectrum of a PSF and the passes that convolve with it.
template <typename T>
class ToeplitzKernel {
 public:
  using C = std::complex<T>;
  using Spectrum = std::shared_ptr<const Array<T>>;

  ToeplitzKernel(const Shape& image, ToeplitzForm form, Spectrum spectrum, Index batch);

  const ToeplitzSizes& sizes() const { return sizes_; }
  ToeplitzForm form() const { return form_; }
  const Spectrum& spectrum() const { return spectrum_; }
  std::size_t scratch_bytes(const Context& ctx, Index batch) const;

  /// Convolves a block of coils. load(row, lines, pitch) writes an image row of each lane, pixel x of lane c
  /// at lines[c·pitch + x]; store(row, lines, pitch, first) takes the result, `first` telling overwrite from
  /// accumulate.
  template <typename Load, typename Store>
  void run(int lanes, const Load& load, const Store& store, Context& ctx) const;

 private:
  struct Passes {
    LinePass<T> x, y, outer;
  };
  const Passes& passes(int lanes) const { return passes_[lanes == 1 ? 0 : lanes == 4 ? 1 : 2]; }
  void multiply(C* lines, Index first, Index count, int lanes, int parity_x, int parity_y) const;

  ToeplitzSizes sizes_;
  ToeplitzForm form_;
  Spectrum
      spectrum_;  // frequency (fx, fy, fz) at ((fy·Lx) + fx)·Lz + fz, the outermost axis fastest; times 1/ΠL
  std::array<Passes, 3> passes_;
  std::array<std::vector<C>, 2> phase_;  // exp(−πi n/H) of the inner axes, low memory only
};

/// The spectrum of the PSF of a trajectory with density weights (empty: 1), in the order of ToeplitzKernel,
/// scaled so that convolution gives factor · Σ_j d_j exp(2πi k_j·Δ).
template <typename T>
Array<T> toeplitz_spectrum(View<const double> trajectory, View<const double> density, const Shape& image,
                           double tolerance, double factor, Context& ctx);
std::size_t toeplitz_spectrum_setup_bytes(const Shape& image, Index samples, double tolerance,
                                          const Context& ctx);

template <typename T>
template <typename Load, typename Store>
void ToeplitzKernel<T>::run(int lanes, const Load& load, const Store& store, Context& ctx) const {
  const auto& s = sizes_;
  const Passes& p = passes(lanes);
  Scratch scratch(ctx);
  C* grid = scratch.take<C>({s.grid_cells() * lanes}).data();
  const Index buffer_size = s.buffer_size(lanes, sizeof(C));
  const View<C> buffers = scratch.take<C>({ctx.threads(), 2, buffer_size});
  const Index row = s.grid[0] * lanes, plane = s.grid[1] * row, pitch = s.dims == 1 ? s.padded[0] : s.grid[0];
  const auto pad = [&](C* lines) {
    for (Index c = 0; c < lanes; ++c)
      std::fill(lines + c * pitch + s.image[0], lines + (c + 1) * pitch, C(0));
  };

  if (s.dims == 1) {
    C* in = buffers.data();
    C* out = in + buffer_size;
    load(0, in, pitch);
    pad(in);
    p.x.transform(in, out, lanes, FftSign::forward);
    multiply(out, 0, lanes, lanes, 0, 0);
    p.x.transform(out, in, lanes, FftSign::backward);
    store(0, in, pitch, true);
    return;
  }

  // y is the outermost axis in 2D and not padded on the grid.
  const auto grid_row = [&](Index r) {
    return s.dims == 2 ? grid + r * row : grid + r / s.image[1] * plane + r % s.image[1] * row;
  };
  const auto multiplied = [](C a, C b) {
    return C(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  };
  const auto twist = [&](C* lines, Index r, int parity_x, int parity_y, bool conjugate) {
    if (parity_x == 0 && parity_y == 0) return;
    const C of_row = parity_y ? phase_[1][r % s.image[1]] : C(1);
    for (Index i = 0; i < s.image[0]; ++i) {
      C factor = parity_x ? multiplied(phase_[0][i], of_row) : of_row;
      if (conjugate) factor = std::conj(factor);
      for (Index c = 0; c < lanes; ++c) lines[c * pitch + i] = multiplied(lines[c * pitch + i], factor);
    }
  };
  const auto y_pass = [&](bool to_grid) {
    const Index blocks = p.y.blocks();
    parallel_for(ctx, s.image[2] * blocks, 4, [&](Index begin, Index end, int thread) {
      C* in = buffers.slice(thread).data();
      C* out = in + buffer_size;
      for (Index task = begin; task < end; ++task) {
        const Index block = task % blocks, n = p.y.count(block);
        C* array = grid + task / blocks * plane + p.y.first(block);
        if (to_grid) {
          p.y.gather_pruned(array, row, n, in);
          p.y.transform(in, out, n, FftSign::forward);
          p.y.scatter(out, row, n, array);
        } else {
          p.y.gather(array, row, n, in);
          p.y.transform(in, out, n, FftSign::backward);
          p.y.scatter_pruned(out, row, n, array);
        }
      }
    });
  };

  // An axis of length one has only its even frequency.
  const int parities_x = s.padded[0] > 1 ? s.parities : 1;
  const int parities_y = s.dims == 3 && s.padded[1] > 1 ? s.parities : 1;
  const Index outer_stride = s.dims == 2 ? row : plane;
  for (int parity_y = 0; parity_y < parities_y; ++parity_y)
    for (int parity_x = 0; parity_x < parities_x; ++parity_x) {
      parallel_for(ctx, s.rows(), 8, [&](Index begin, Index end, int thread) {
        C* in = buffers.slice(thread).data();
        C* out = in + buffer_size;
        for (Index r = begin; r < end; ++r) {
          load(r, in, pitch);
          pad(in);
          twist(in, r, parity_x, parity_y, false);
          p.x.transform(in, out, lanes, FftSign::forward);
          p.x.scatter(out, lanes, lanes, grid_row(r));
        }
      });
      if (s.dims == 3) y_pass(true);
      parallel_for(ctx, p.outer.blocks(), 4, [&](Index begin, Index end, int thread) {
        C* in = buffers.slice(thread).data();
        C* out = in + buffer_size;
        for (Index block = begin; block < end; ++block) {
          const Index n = p.outer.count(block), first = p.outer.first(block);
          p.outer.gather_pruned(grid + first, outer_stride, n, in);
          p.outer.transform(in, out, n, FftSign::forward);
          multiply(out, first, n, lanes, parity_x, parity_y);
          p.outer.transform(out, in, n, FftSign::backward);
          p.outer.scatter_pruned(in, outer_stride, n, grid + first);
        }
      });
      if (s.dims == 3) y_pass(false);
      parallel_for(ctx, s.rows(), 8, [&](Index begin, Index end, int thread) {
        C* in = buffers.slice(thread).data();
        C* out = in + buffer_size;
        for (Index r = begin; r < end; ++r) {
          p.x.gather(grid_row(r), lanes, lanes, in);
          p.x.transform(in, out, lanes, FftSign::backward);
          twist(out, r, parity_x, parity_y, true);
          store(r, out, pitch, parity_x == 0 && parity_y == 0);
        }
      });
    }
}

}  // namespace larmor::nufft
