#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/operators/nufft/grid/padded_lines.hpp>
#include <larmor/operators/nufft/toeplitz/cpu_toeplitz.hpp>

#include <cmath>
#include <numbers>

namespace larmor::nufft {

template <typename T>
CpuToeplitzKernel<T>::CpuToeplitzKernel(const Shape& image, ToeplitzForm form, SharedSpectra<T> spectra,
                                        Index batch)
    : ToeplitzKernel<T>(image, form, std::move(spectra), Device::cpu()) {
  const auto& s = this->sizes();
  for_coil_blocks<T>(std::max<Index>(1, batch), [&](Index, Index, int lanes) {
    Passes& p = passes_[lanes_index(lanes)];
    if (p.x.length() > 0) return;
    p.x = LinePass<T>(s.dims == 1 ? s.padded[0] : s.grid[0], s.image[0], 0, lanes);
    if (s.dims == 3) p.y = LinePass<T>(s.grid[1], s.image[1], 0, s.grid[0] * lanes);
    if (s.dims > 1) {
      const Index inner = s.grid[0] * (s.dims == 3 ? s.grid[1] : 1) * lanes;
      p.outer = LinePass<T>(s.outer(), s.image[s.dims - 1], 0, inner);
    }
  });
  for (int a = 0; a + 1 < s.dims; ++a)
    for (Index n = 0; n < s.image[a]; ++n)
      phase_[a].push_back(C(std::polar(
          1.0, -2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(s.padded[a]))));
}

namespace {

// Complex values of one line buffer; each thread has two.
template <typename T>
Index line_buffer_size(const ToeplitzSizes& sizes, int lanes) {
  const Index block = std::max<Index>(lanes, LinePass<T>::block);
  return (std::max({sizes.padded[0], sizes.padded[1], sizes.padded[2]}) * block + 7) / 8 * 8;
}

// What a second-level cache holds beside line buffers.
constexpr std::size_t most_slab_bytes = std::size_t{512} << 10;
// Slabs for each thread, or some threads would wait for others.
constexpr Index slabs_a_thread = 4;

// Of a small volume, lines along y and z with the same x are transformed one after the other in a copy of a
// few values' width that stays in a thread's cache, and the grid need not be padded along y: complex values
// of that copy, 0 where it would be too large.
template <typename T>
Index slab_size(const ToeplitzSizes& sizes, int lanes, int threads) {
  constexpr Index block = LinePass<T>::block;
  const Index inner = sizes.grid[0] * lanes;
  if (sizes.dims < 3 || inner % block > 0 || inner / block < slabs_a_thread * threads) return 0;
  const Index values = block * sizes.grid[1] * sizes.image[2];
  return static_cast<std::size_t>(values) * sizeof(std::complex<T>) <= most_slab_bytes ? values : 0;
}

// Complex values of the grid.
template <typename T>
Index grid_size(const ToeplitzSizes& sizes, int lanes, int threads) {
  return (slab_size<T>(sizes, lanes, threads) > 0 ? sizes.grid[0] * sizes.rows() : sizes.grid_cells()) *
         lanes;
}

}  // namespace

template <typename T>
std::size_t CpuToeplitzKernel<T>::scratch_bytes(const ToeplitzSizes& sizes, int lanes, int threads) {
  return Scratch::bytes<C>({grid_size<T>(sizes, lanes, threads)}) +
         Scratch::bytes<C>({threads, 2, line_buffer_size<T>(sizes, lanes)}) +
         Scratch::bytes<C>({threads, slab_size<T>(sizes, lanes, threads)});
}

template <typename T>
std::size_t CpuToeplitzKernel<T>::scratch_bytes(const Context& ctx, Index coils) const {
  return scratch_bytes(this->sizes(), next_lanes<T>(coils), ctx.threads());
}

// Multiplies a block of transformed lines [count][length], `first` values into the plane of inner
// frequencies, with the spectrum.
template <typename T>
void CpuToeplitzKernel<T>::multiply(C* lines, Index first, Index count, int lanes, int parity_x,
                                    int parity_y) const {
  const auto& s = this->sizes();
  const Index length = s.outer();
  const Index step_x = s.dims > 1 && s.padded[0] > 1 ? s.parities : 1;
  const Index step_y = s.dims > 2 && s.padded[1] > 1 ? s.parities : 1;
  for (Index v = 0; v < count; ++v) {
    const Index cell = (first + v) / lanes;
    const Index fx = s.dims == 1 ? 0 : step_x * (cell % s.grid[0]) + parity_x;
    const Index fy = s.dims == 3 ? step_y * (cell / s.grid[0]) + parity_y : 0;
    const T* q = this->values() + (s.dims == 3 ? fy * s.padded[0] + fx : fx) * length;
    C* line = lines + v * length;
    for (Index e = 0; e < length; ++e) line[e] *= q[e];
  }
}

template <typename T>
template <typename Load, typename Store>
void CpuToeplitzKernel<T>::run_block(int lanes, const Load& load, const Store& store, Context& ctx) const {
  const auto& s = this->sizes();
  const Passes& p = passes(lanes);
  Scratch scratch(ctx);
  C* grid = scratch.take<C>({grid_size<T>(s, lanes, ctx.threads())}).data();
  const Index buffer_size = line_buffer_size<T>(s, lanes);
  const View<C> buffers = scratch.take<C>({ctx.threads(), 2, buffer_size});
  const Index in_slab = slab_size<T>(s, lanes, ctx.threads());
  const View<C> slabs = scratch.take<C>({ctx.threads(), in_slab});
  const Index row = s.grid[0] * lanes, plane = (in_slab > 0 ? s.image[1] : s.grid[1]) * row,
              pitch = s.dims == 1 ? s.padded[0] : s.grid[0];
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
  const auto twist = [&](C* lines, Index r, int parity_x, int parity_y, bool conjugate) {
    if (parity_x == 0 && parity_y == 0) return;
    const C of_row = parity_y ? phase_[1][r % s.image[1]] : C(1);
    for (Index i = 0; i < s.image[0]; ++i) {
      C factor = parity_x ? product(phase_[0][i], of_row) : of_row;
      if (conjugate) factor = std::conj(factor);
      for (Index c = 0; c < lanes; ++c) lines[c * pitch + i] = product(lines[c * pitch + i], factor);
    }
  };
  const auto y_pass = [&](bool to_grid) {
    transform_padded_lines(
        p.y, s.image[2], [&](Index iz) { return grid + iz * plane; }, row, to_grid, buffers, ctx);
  };

  // y, z, the product with the spectrum, and back, for values side by side at a time.
  const auto convolve_slabs = [&](int parity_x, int parity_y) {
    constexpr Index width = LinePass<T>::block;
    const Index slab_plane = s.grid[1] * width;
    parallel_for(ctx, p.y.blocks(), 1, [&](Index begin, Index end, int thread) {
      C* in = buffers.slice(thread).data();
      C* out = in + buffer_size;
      C* slab = slabs.slice(thread).data();
      for (Index block = begin; block < end; ++block) {
        C* const column = grid + p.y.first(block);
        for (Index iz = 0; iz < s.image[2]; ++iz) {
          p.y.gather_pruned(column + iz * plane, row, width, in);
          p.y.transform(in, out, width, FftSign::forward);
          p.y.scatter(out, width, width, slab + iz * slab_plane);
        }
        for (Index fy = 0; fy < s.grid[1]; ++fy) {
          p.outer.gather_pruned(slab + fy * width, slab_plane, width, in);
          p.outer.transform(in, out, width, FftSign::forward);
          multiply(out, fy * row + p.y.first(block), width, lanes, parity_x, parity_y);
          p.outer.transform(out, in, width, FftSign::backward);
          p.outer.scatter_pruned(in, slab_plane, width, slab + fy * width);
        }
        for (Index iz = 0; iz < s.image[2]; ++iz) {
          p.y.gather(slab + iz * slab_plane, width, width, in);
          p.y.transform(in, out, width, FftSign::backward);
          p.y.scatter_pruned(out, row, width, column + iz * plane);
        }
      }
    });
  };
  const auto convolve_lines = [&](int parity_x, int parity_y) {
    const Index outer_stride = s.dims == 2 ? row : plane;
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
  };

  // An axis of length one has only its even frequency.
  const int parities_x = s.padded[0] > 1 ? s.parities : 1;
  const int parities_y = s.dims == 3 && s.padded[1] > 1 ? s.parities : 1;
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
      if (in_slab > 0)
        convolve_slabs(parity_x, parity_y);
      else
        convolve_lines(parity_x, parity_y);
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

template <typename T>
void CpuToeplitzKernel<T>::run(const C* x, const C* maps, C* y, Index coils, bool accumulate,
                               const ImageWindow& window, Context& ctx) const {
  const Index pixels = window.pixels(), width = this->sizes().image[0], height = this->sizes().image[1];
  // A row of an image.
  const auto row_start = [&](Index row) {
    return ((row / height + window.first[2]) * window.extent[1] + row % height + window.first[1]) *
               window.extent[0] +
           window.first[0];
  };
  if (window.extent != this->sizes().image && !accumulate) {
    parallel_for(ctx, pixels, 1 << 14,
                 [&](Index begin, Index end, int) { std::fill(y + begin, y + end, C(0)); });
    accumulate = true;
  }
  for_coil_blocks<T>(coils, [&](Index first, Index count, int lanes) {
    // The same of a coil's image, or of its map.
    const auto place = [&](Index coil, Index row) { return (first + coil) * pixels + row_start(row); };
    const auto load = [&](Index row, C* lines, Index pitch) {
      for (Index c = 0; c < lanes; ++c) {
        C* line = lines + c * pitch;
        if (c >= count) {
          std::fill_n(line, width, C(0));
        } else if (maps == nullptr) {
          std::copy_n(x + place(c, row), width, line);
        } else {
          const C *m = maps + place(c, row), *in = x + row_start(row);
          for (Index i = 0; i < width; ++i) line[i] = product(m[i], in[i]);
        }
      }
    };
    const auto store = [&](Index row, const C* lines, Index pitch, bool is_first) {
      const bool add = !is_first || accumulate;
      if (maps != nullptr && !add && first == 0) std::fill_n(y + row_start(row), width, C(0));
      for (Index c = 0; c < count; ++c) {
        const C* line = lines + c * pitch;
        if (maps == nullptr) {
          C* out = y + place(c, row);
          for (Index i = 0; i < width; ++i) out[i] = add ? out[i] + line[i] : line[i];
        } else {
          const C* m = maps + place(c, row);
          C* out = y + row_start(row);
          for (Index i = 0; i < width; ++i) out[i] += conjugate_product(m[i], line[i]);
        }
      }
    };
    run_block(lanes, load, store, ctx);
  });
}

template class CpuToeplitzKernel<float>;
template class CpuToeplitzKernel<double>;

}  // namespace larmor::nufft
