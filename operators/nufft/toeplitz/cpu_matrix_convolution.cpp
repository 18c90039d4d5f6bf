#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/operators/nufft/grid/padded_lines.hpp>
#include <larmor/operators/nufft/toeplitz/cpu_matrix_convolution.hpp>

#include <algorithm>

namespace larmor::nufft {
namespace {

// Cells of one term's grid: the outermost axis is not padded there. In one dimension the image itself is that
// axis.
Index term_cells(const ToeplitzSizes& s) {
  return s.dims == 1 ? s.image[0] : s.grid_cells();
}

// Values of a thread's buffers: lines of every term, before and after a transform.
template <typename T>
Index buffer_values(const ToeplitzSizes& s, Index terms) {
  const Index longest = std::max({s.padded[0], s.padded[1], s.padded[2]});
  return 2 * terms * ((longest * LinePass<T>::block + 7) / 8 * 8);
}

}  // namespace

template <typename T>
CpuMatrixKernel<T>::CpuMatrixKernel(const Shape& image, SharedSpectra<T> spectra)
    : ToeplitzKernel<T>(image, ToeplitzForm::padded, std::move(spectra), Device::cpu()),
      terms_(this->terms()) {
  const auto& s = this->sizes();
  if (s.dims > 1) x_ = LinePass<T>(s.grid[0], s.image[0], 0, 1);
  if (s.dims == 3) y_ = LinePass<T>(s.grid[1], s.image[1], 0, s.grid[0]);
  outer_ = LinePass<T>(s.outer(), s.image[s.dims - 1], 0, s.frequencies() / s.outer());
}

template <typename T>
std::size_t CpuMatrixKernel<T>::scratch_bytes(const Shape& image, Index terms, int threads) {
  const ToeplitzSizes sizes(image, ToeplitzForm::padded, Device::cpu());
  return Scratch::bytes<C>({terms * term_cells(sizes)}) +
         Scratch::bytes<C>({threads, buffer_values<T>(sizes, terms)});
}
template <typename T>
std::size_t CpuMatrixKernel<T>::scratch_bytes(const Context& ctx, Index /*coils*/) const {
  return Scratch::bytes<C>({terms_ * term_cells(this->sizes())}) +
         Scratch::bytes<C>({ctx.threads(), buffer_values<T>(this->sizes(), terms_)});
}

// Image rows, times the map when there is one, padded and transformed along x.
template <typename T>
void CpuMatrixKernel<T>::rows_to_grid(const C* x, Index term_stride, const C* map, C* grid, View<C> buffers,
                                      Context& ctx) const {
  const auto& s = this->sizes();
  const Index width = s.image[0], rows = s.rows(), cells = term_cells(s);
  parallel_for(ctx, terms_ * rows, 8, [&](Index begin, Index end, int thread) {
    C* line = buffers.slice(thread).data();
    C* transformed = line + x_.buffer_size();
    for (Index task = begin; task < end; ++task) {
      const Index term = task / rows, row = task % rows;
      const C* in = x + term * term_stride + row * width;
      if (map == nullptr)
        std::copy_n(in, width, line);
      else
        for (Index i = 0; i < width; ++i) line[i] = product(map[row * width + i], in[i]);
      C* out = grid + term * cells;
      if (s.dims == 1) {
        std::copy_n(line, width, out);
        continue;
      }
      std::fill(line + width, line + s.grid[0], C(0));
      x_.transform(line, transformed, 1, FftSign::forward);
      std::copy_n(transformed, s.grid[0],
                  out + (row / s.image[1] * s.grid[1] + row % s.image[1]) * s.grid[0]);
    }
  });
}

template <typename T>
void CpuMatrixKernel<T>::grid_to_rows(const C* grid, const C* map, C* y, Index term_stride, bool accumulate,
                                      View<C> buffers, Context& ctx) const {
  const auto& s = this->sizes();
  const Index width = s.image[0], rows = s.rows(), cells = term_cells(s);
  parallel_for(ctx, terms_ * rows, 8, [&](Index begin, Index end, int thread) {
    C* line = buffers.slice(thread).data();
    C* transformed = line + x_.buffer_size();
    for (Index task = begin; task < end; ++task) {
      const Index term = task / rows, row = task % rows;
      const C* in = grid + term * cells;
      if (s.dims > 1) {
        std::copy_n(in + (row / s.image[1] * s.grid[1] + row % s.image[1]) * s.grid[0], s.grid[0], line);
        x_.transform(line, transformed, 1, FftSign::backward);
        in = transformed;
      }
      C* out = y + term * term_stride + row * width;
      if (!accumulate) std::fill_n(out, width, C(0));
      if (map == nullptr)
        for (Index i = 0; i < width; ++i) out[i] += in[i];
      else
        for (Index i = 0; i < width; ++i) out[i] += conjugate_product(map[row * width + i], in[i]);
    }
  });
}

// Transforms along y of a volume's planes.
template <typename T>
void CpuMatrixKernel<T>::planes(C* grid, bool forward, View<C> buffers, Context& ctx) const {
  const Index row = this->sizes().grid[0], plane = row * this->sizes().grid[1];
  transform_padded_lines(
      y_, terms_ * this->sizes().image[2], [&](Index i) { return grid + i * plane; }, row, forward, buffers,
      ctx);
}

// out[l] = Σ_m Q_lm in[m] for lines [term][count][length], the first of them the first-th of the inner
// frequencies.
template <typename T>
void CpuMatrixKernel<T>::multiply(const C* in, C* out, Index first, Index count) const {
  const HermitianPairs& pairs = this->spectra()->pairs;
  const Index values = count * this->sizes().outer(), pitch = outer_.buffer_size(),
              frequencies = this->sizes().frequencies();
  const T* spectra = this->values() + first * this->sizes().outer();
  for (Index l = 0; l < terms_; ++l) {
    C* sum = out + l * pitch;
    std::fill_n(sum, values, C(0));
    for (Index m = 0; m < terms_; ++m) {
      const Index low = std::min(l, m), high = std::max(l, m);
      const C* factor = in + m * pitch;
      const T* re = spectra + pairs.real_part(low, high) * frequencies;
      for (Index i = 0; i < values; ++i) sum[i] += re[i] * factor[i];
      if (pairs.real || l == m) continue;
      const T* im = spectra + pairs.imaginary_part(low, high) * frequencies;
      const T sign = l < m ? T(1) : T(-1);
      for (Index i = 0; i < values; ++i)
        sum[i] += C(-sign * im[i] * factor[i].imag(), sign * im[i] * factor[i].real());
    }
  }
}

template <typename T>
void CpuMatrixKernel<T>::outer_lines(C* grid, View<C> buffers, Context& ctx) const {
  const Index inner = this->sizes().frequencies() / this->sizes().outer(), cells = term_cells(this->sizes());
  const Index pitch = outer_.buffer_size();
  parallel_for(ctx, outer_.blocks(), 4, [&](Index begin, Index end, int thread) {
    C* in = buffers.slice(thread).data();
    C* out = in + terms_ * pitch;
    for (Index block = begin; block < end; ++block) {
      const Index count = outer_.count(block), first = outer_.first(block);
      for (Index l = 0; l < terms_; ++l) {
        outer_.gather_pruned(grid + l * cells + first, inner, count, in + l * pitch);
        outer_.transform(in + l * pitch, out + l * pitch, count, FftSign::forward);
      }
      multiply(out, in, first, count);
      for (Index l = 0; l < terms_; ++l) {
        outer_.transform(in + l * pitch, out + l * pitch, count, FftSign::backward);
        outer_.scatter_pruned(out + l * pitch, inner, count, grid + l * cells + first);
      }
    }
  });
}

template <typename T>
void CpuMatrixKernel<T>::run(const C* x, const C* maps, C* y, Index coils, bool accumulate,
                             const ImageWindow& /*window*/, Context& ctx) const {
  const Index pixels = this->sizes().pixels(), term_stride = maps ? pixels : coils * pixels;
  Scratch scratch(ctx);
  C* grid = scratch.take<C>({terms_ * term_cells(this->sizes())}).data();
  const auto buffers = scratch.take<C>({ctx.threads(), buffer_values<T>(this->sizes(), terms_)});
  for (Index coil = 0; coil < coils; ++coil) {
    const C* map = maps ? maps + coil * pixels : nullptr;
    const Index offset = maps ? 0 : coil * pixels;
    rows_to_grid(x + offset, term_stride, map, grid, buffers, ctx);
    if (this->sizes().dims == 3) planes(grid, true, buffers, ctx);
    outer_lines(grid, buffers, ctx);
    if (this->sizes().dims == 3) planes(grid, false, buffers, ctx);
    grid_to_rows(grid, map, y + offset, term_stride, accumulate || (maps && coil > 0), buffers, ctx);
  }
}

template class CpuMatrixKernel<float>;
template class CpuMatrixKernel<double>;

}  // namespace larmor::nufft
