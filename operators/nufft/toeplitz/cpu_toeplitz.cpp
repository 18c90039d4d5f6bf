#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/operators/nufft/grid/padded_lines.hpp>
#include <larmor/operators/nufft/toeplitz/cpu_toeplitz.hpp>

#include <algorithm>

namespace larmor::nufft {

template <typename T>
CpuToeplitzKernel<T>::CpuToeplitzKernel(SharedSpectra<T> spectra, Index batch)
    : ToeplitzKernel<T>(std::move(spectra)) {
  const auto& s = this->sizes();
  for_blocks(this->terms(), std::max<Index>(1, batch), [&](Index, Index, int lanes) {
    Passes& p = passes_[lanes_index(lanes)];
    if (p.x.length() > 0) return;
    p.x = LinePass<T>(s.dims == 1 ? s.padded[0] : s.grid[0], s.image[0], 0, lanes);
    if (s.dims == 3) p.y = LinePass<T>(s.grid[1], s.image[1], 0, s.grid[0] * lanes);
    if (s.dims > 1) {
      const Index inner = s.grid[0] * (s.dims == 3 ? s.grid[1] : 1) * lanes;
      p.outer = LinePass<T>(s.outer(), s.image[s.dims - 1], 0, inner);
    }
  });
}

// Several terms need several times the memory: one coil at a time.
template <typename T>
template <typename Body>
void CpuToeplitzKernel<T>::for_blocks(Index terms, Index coils, const Body& body) {
  if (terms == 1) return for_coil_blocks<T>(coils, body);
  for (Index coil = 0; coil < coils; ++coil) body(coil, Index{1}, 1);
}

namespace {

// Complex values of one line buffer; each thread has two for every term.
template <typename T>
Index line_buffer_size(const ToeplitzSizes& sizes, int lanes) {
  const Index block = std::max<Index>(lanes, LinePass<T>::block);
  return (std::max({sizes.padded[0], sizes.padded[1], sizes.padded[2]}) * block + 7) / 8 * 8;
}

// Cache per core that is available in addition to line buffers.
constexpr std::size_t most_slab_bytes = std::size_t{512} << 10;
// Minimum number of slabs per thread; with fewer, some threads would wait for others.
constexpr Index slabs_a_thread = 4;

// In small volumes, lines along y and z with the same x are transformed in turn in a copy of a few x values
// that stays in a thread's cache; then the grid need not be padded along y. Returns the complex values of a
// term's copy, 0 if any copy would be too large.
template <typename T>
Index slab_size(const ToeplitzSizes& sizes, Index terms, int lanes, int threads) {
  constexpr Index block = LinePass<T>::block;
  const Index inner = sizes.grid[0] * lanes;
  if (sizes.dims < 3 || inner % block > 0 || inner / block < slabs_a_thread * threads) return 0;
  const Index values = block * sizes.grid[1] * sizes.image[2];
  return static_cast<std::size_t>(terms * values) * sizeof(std::complex<T>) <= most_slab_bytes ? values : 0;
}

// One plane per thread: enough work for all threads on a small grid.
Index planes_at_once(const ToeplitzSizes& sizes, int threads) {
  return std::min<Index>(sizes.planes(), threads);
}

// Complex values of a term's grid.
template <typename T>
Index grid_size(const ToeplitzSizes& sizes, Index terms, int lanes, int threads) {
  const bool in_slabs = slab_size<T>(sizes, terms, lanes, threads) > 0;
  return (in_slabs ? sizes.grid[0] * sizes.rows() : sizes.grid_cells()) / sizes.planes() *
         planes_at_once(sizes, threads) * lanes;
}

}  // namespace

template <typename T>
std::size_t CpuToeplitzKernel<T>::scratch_bytes(const ToeplitzSizes& sizes, Index terms, Index coils,
                                                int threads) {
  const int lanes = terms > 1 ? 1 : next_lanes<T>(coils);
  return Scratch::bytes<C>({terms, grid_size<T>(sizes, terms, lanes, threads)}) +
         Scratch::bytes<C>({threads, 2, terms, line_buffer_size<T>(sizes, lanes)}) +
         Scratch::bytes<C>({threads, terms, slab_size<T>(sizes, terms, lanes, threads)});
}

template <typename T>
std::size_t CpuToeplitzKernel<T>::scratch_bytes(const Context& ctx, Index coils) const {
  return scratch_bytes(this->sizes(), this->terms(), coils, ctx.threads());
}

// out[l] = Σ_m Q_lm in[m] for blocks of transformed lines [term][count][length]; terms are `pitch` values
// apart, and the block starts `first` values into the plane of inner frequencies.
template <typename T>
void CpuToeplitzKernel<T>::multiply(const C* in, C* out, Index pitch, const Block& block) const {
  const auto& s = this->sizes();
  const HermitianPairs& pairs = this->spectra()->pairs;
  const Index length = s.outer(), frequencies = s.frequencies();
  for (Index v = 0; v < block.count; ++v) {
    const Index cell = (block.first + v) / block.lanes;
    const T* q = this->values() + cell * length;
    for (Index l = 0; l < pairs.size; ++l) {
      C* sum = out + l * pitch + v * length;
      for (Index m = 0; m < pairs.size; ++m) {
        const C* factor = in + m * pitch + v * length;
        const Index low = std::min(l, m), high = std::max(l, m);
        const T* re = q + pairs.real_part(low, high) * frequencies;
        if (m == 0)
          for (Index e = 0; e < length; ++e) sum[e] = re[e] * factor[e];
        else
          for (Index e = 0; e < length; ++e) sum[e] += re[e] * factor[e];
        if (pairs.real || l == m) continue;
        const T* im = q + pairs.imaginary_part(low, high) * frequencies;
        const T sign = l < m ? T(1) : T(-1);
        for (Index e = 0; e < length; ++e)
          sum[e] += C(-sign * im[e] * factor[e].imag(), sign * im[e] * factor[e].real());
      }
    }
  }
}

// One dimension, which is the outermost axis.
template <typename T>
template <typename Load, typename Store>
void CpuToeplitzKernel<T>::run_line(int lanes, const Load& load, const Store& store, Context& ctx) const {
  const LinePass<T>& line = passes_[lanes_index(lanes)].x;
  const Index terms = this->terms(), pitch = line.length(),
              buffer_size = line_buffer_size<T>(this->sizes(), lanes);
  Scratch scratch(ctx);
  const View<C> buffers = scratch.take<C>({2, terms, buffer_size}), in = buffers.slice(0),
                out = buffers.slice(1);
  for (Index l = 0; l < terms; ++l) {
    C* lines = in.slice(l).data();
    load(l, 0, lines, pitch);
    for (Index c = 0; c < lanes; ++c)
      std::fill(lines + c * pitch + this->sizes().image[0], lines + (c + 1) * pitch, C(0));
    line.transform(in.slice(l).data(), out.slice(l).data(), lanes, FftSign::forward);
  }
  multiply(out.data(), in.data(), buffer_size, {.count = lanes, .lanes = lanes});
  for (Index l = 0; l < terms; ++l) {
    line.transform(in.slice(l).data(), out.slice(l).data(), lanes, FftSign::backward);
    store(l, 0, out.slice(l).data(), pitch);
  }
}

template <typename T>
template <typename Load, typename Store>
void CpuToeplitzKernel<T>::run_block(int lanes, Index planes, const Load& load, const Store& store,
                                     Context& ctx) const {
  const auto& s = this->sizes();
  const Passes& p = passes_[lanes_index(lanes)];
  const Index terms = this->terms(), cells = grid_size<T>(s, terms, lanes, ctx.threads()),
              in_slab = slab_size<T>(s, terms, lanes, ctx.threads()),
              buffer_size = line_buffer_size<T>(s, lanes);
  Scratch scratch(ctx);
  C* grid = scratch.take<C>({terms, cells}).data();
  const View<C> buffers = scratch.take<C>({ctx.threads(), 2, terms, buffer_size});
  const View<C> slabs = scratch.take<C>({ctx.threads(), terms, in_slab});
  const Index row = s.grid[0] * lanes, plane = (in_slab > 0 ? s.image[1] : s.grid[1]) * row,
              pitch = s.grid[0];
  const auto pad = [&](C* lines) {
    for (Index c = 0; c < lanes; ++c)
      std::fill(lines + c * pitch + s.image[0], lines + (c + 1) * pitch, C(0));
  };

  // y is the outermost axis in 2D and not padded on the grid.
  const auto grid_row = [&](Index l, Index r) {
    return grid + l * cells + (s.dims == 2 ? r * row : r / s.image[1] * plane + r % s.image[1] * row);
  };
  const auto y_pass = [&](bool to_grid) {
    transform_padded_lines(
        p.y, terms * s.image[2],
        [&](Index i) { return grid + i / s.image[2] * cells + i % s.image[2] * plane; }, row, to_grid,
        buffers, ctx);
  };
  // Along the outermost axis, for adjacent lines; terms are `apart` values apart.
  const auto convolve_outer = [&](C* lines, Index apart, Index stride, C* in, const Block& block) {
    C* out = in + terms * buffer_size;
    for (Index l = 0; l < terms; ++l) {
      p.outer.gather_pruned(lines + l * apart, stride, block.count, in + l * buffer_size);
      p.outer.transform(in + l * buffer_size, out + l * buffer_size, block.count, FftSign::forward);
    }
    multiply(out, in, buffer_size, block);
    for (Index l = 0; l < terms; ++l) {
      p.outer.transform(in + l * buffer_size, out + l * buffer_size, block.count, FftSign::backward);
      p.outer.scatter_pruned(out + l * buffer_size, stride, block.count, lines + l * apart);
    }
  };

  // y, z, the product with the spectrum, and back, for a few adjacent values at a time.
  const auto convolve_slabs = [&] {
    constexpr Index width = LinePass<T>::block;
    const Index slab_plane = s.grid[1] * width;
    parallel_for(ctx, p.y.blocks(), 1, [&](Index begin, Index end, int thread) {
      C* in = buffers.slice(thread).data();
      C* out = in + buffer_size;
      C* slab = slabs.slice(thread).data();
      for (Index block = begin; block < end; ++block) {
        const auto y_lines = [&](const auto& work) {
          for (Index l = 0; l < terms; ++l)
            for (Index iz = 0; iz < s.image[2]; ++iz)
              work(grid + l * cells + p.y.first(block) + iz * plane, slab + l * in_slab + iz * slab_plane);
        };
        y_lines([&](const C* column, C* lines) {
          p.y.gather_pruned(column, row, width, in);
          p.y.transform(in, out, width, FftSign::forward);
          p.y.scatter(out, width, width, lines);
        });
        for (Index fy = 0; fy < s.grid[1]; ++fy)
          convolve_outer(slab + fy * width, in_slab, slab_plane, in,
                         {fy * row + p.y.first(block), width, lanes});
        y_lines([&](C* column, const C* lines) {
          p.y.gather(lines, width, width, in);
          p.y.transform(in, out, width, FftSign::backward);
          p.y.scatter_pruned(out, row, width, column);
        });
      }
    });
  };
  const auto convolve_lines = [&] {
    if (s.dims == 3) y_pass(true);
    parallel_for(ctx, planes * p.outer.blocks(), 4, [&](Index begin, Index end, int thread) {
      for (Index task = begin; task < end; ++task) {
        const Index block = task % p.outer.blocks(), first = p.outer.first(block);
        convolve_outer(grid + task / p.outer.blocks() * plane + first, cells, s.dims == 2 ? row : plane,
                       buffers.slice(thread).data(), {first, p.outer.count(block), lanes});
      }
    });
    if (s.dims == 3) y_pass(false);
  };

  const Index rows = s.rows() / s.planes() * planes;
  const auto for_rows = [&](const auto& work) {
    parallel_for(ctx, terms * rows, 8, [&](Index begin, Index end, int thread) {
      C* in = buffers.slice(thread).data();
      for (Index task = begin; task < end; ++task) work(task / rows, task % rows, in, in + buffer_size);
    });
  };
  for_rows([&](Index l, Index r, C* in, C* out) {
    load(l, r, in, pitch);
    pad(in);
    p.x.transform(in, out, lanes, FftSign::forward);
    p.x.scatter(out, lanes, lanes, grid_row(l, r));
  });
  if (in_slab > 0)
    convolve_slabs();
  else
    convolve_lines();
  for_rows([&](Index l, Index r, C* in, C* out) {
    p.x.gather(grid_row(l, r), lanes, lanes, in);
    p.x.transform(in, out, lanes, FftSign::backward);
    store(l, r, out, pitch);
  });
}

template <typename T>
void CpuToeplitzKernel<T>::run(const C* x, const C* maps, C* y, Index coils, bool accumulate,
                               const ImageWindow& window, Context& ctx) const {
  const Index pixels = window.pixels(), width = this->sizes().image[0], height = this->sizes().image[1];
  const Index of_term = maps == nullptr ? coils * pixels : pixels;
  const Index planes = this->sizes().planes(), together = planes_at_once(this->sizes(), ctx.threads());
  Index plane = 0;
  // A row of an image, counted from `plane`.
  const auto row_start = [&](Index row) {
    return ((plane + row / height + window.first[2]) * window.extent[1] + row % height + window.first[1]) *
               window.extent[0] +
           window.first[0];
  };
  if (window.extent != this->sizes().image && !accumulate) {
    parallel_for(ctx, this->terms() * of_term, 1 << 14,
                 [&](Index begin, Index end, int) { std::fill(y + begin, y + end, C(0)); });
    accumulate = true;
  }
  for_blocks(this->terms(), coils, [&](Index first, Index count, int lanes) {
    // The same of a coil's image, or of its map.
    const auto place = [&](Index coil, Index row) { return (first + coil) * pixels + row_start(row); };
    const auto load = [&](Index term, Index row, C* lines, Index pitch) {
      const C* images = x + term * of_term;
      for (Index c = 0; c < lanes; ++c) {
        C* line = lines + c * pitch;
        if (c >= count) {
          std::fill_n(line, width, C(0));
        } else if (maps == nullptr) {
          std::copy_n(images + place(c, row), width, line);
        } else {
          const C *m = maps + place(c, row), *in = images + row_start(row);
          for (Index i = 0; i < width; ++i) line[i] = product(m[i], in[i]);
        }
      }
    };
    const auto store = [&](Index term, Index row, const C* lines, Index pitch) {
      C* images = y + term * of_term;
      if (maps != nullptr && !accumulate && first == 0) std::fill_n(images + row_start(row), width, C(0));
      for (Index c = 0; c < count; ++c) {
        const C* line = lines + c * pitch;
        if (maps == nullptr) {
          C* out = images + place(c, row);
          for (Index i = 0; i < width; ++i) out[i] = accumulate ? out[i] + line[i] : line[i];
        } else {
          const C* m = maps + place(c, row);
          C* out = images + row_start(row);
          for (Index i = 0; i < width; ++i) out[i] += conjugate_product(m[i], line[i]);
        }
      }
    };
    if (this->sizes().dims == 1) return run_line(lanes, load, store, ctx);
    for (plane = 0; plane < planes; plane += together)
      run_block(lanes, std::min(together, planes - plane), load, store, ctx);
  });
}

template class CpuToeplitzKernel<float>;
template class CpuToeplitzKernel<double>;

}  // namespace larmor::nufft
