#pragma once

#include <larmor/operators/nufft/grid/cuda/line_launch.cuh>

namespace larmor::nufft::cuda {
namespace {

using larmor::cuda::Complex;
using larmor::cuda::Inner;
using larmor::cuda::unrolled;

constexpr int most_columns = 16;

/// A line of a tile: one coil of one image row.
template <typename T>
struct RowColumn {
  Complex<T>*image, *grid;
  const Complex<T>* map;
  T factor;
  bool on_image, on_grid;
};

// A tile holds 2^coils_log2 coils of each of its rows; `part` is the index of such a group of coils.
template <typename T>
__device__ RowColumn<T> row_column(const RowPass<T>& pass, int column, int columns_log2, int coils_log2,
                                   int part) {
  const unsigned row = (blockIdx.x << (columns_log2 - coils_log2)) +
                       static_cast<unsigned>(column >> coils_log2),
                 rows = static_cast<unsigned>(pass.image[1]) * static_cast<unsigned>(pass.image[2]);
  const int coil = (part << coils_log2) + (column & ((1 << coils_log2) - 1));
  const int lanes = pass.coils.lanes, block = coil / lanes;
  const std::int64_t pixels = std::int64_t{rows} * pass.image[0];
  RowColumn<T> c{};
  c.on_image = row < rows && coil < pass.coils.count;
  c.on_grid = row < rows && static_cast<std::int64_t>(block) * lanes < pass.coils.count;
  if (!c.on_grid) return c;
  const int z = static_cast<int>(row / static_cast<unsigned>(pass.image[1])),
            y = static_cast<int>(row) - z * pass.image[1];
  c.grid = reinterpret_cast<Complex<T>*>(pass.grid) + block * pass.block +
           pass.window[2].cell(z) * pass.plane + pass.window[1].cell(y) * pass.row + coil % lanes;
  if (!c.on_image) return c;
  const std::int64_t offset = std::int64_t{row} * pass.image[0];
  c.image = reinterpret_cast<Complex<T>*>(pass.images) + offset + (pass.maps ? 0 : coil * pixels);
  c.map = pass.maps ? reinterpret_cast<const Complex<T>*>(pass.maps) + offset + coil * pixels : nullptr;
  c.factor = static_cast<T>(pass.scale);
  if (pass.deapodise[1]) c.factor *= pass.deapodise[1][y];
  if (pass.deapodise[2]) c.factor *= pass.deapodise[2][z];
  return c;
}

// Deapodisation factors of a butterfly's elements; `on` marks the elements that are pixels.
template <int n, typename T>
__device__ __forceinline__ void apply_factors(const RowPass<T>& pass, T row_factor, const int (&pixel)[n],
                                              const bool (&on)[n], Complex<T> (&v)[n]) {
  if (pass.deapodise[0]) {
    T f[n];
    unrolled<n>([&](auto r) { f[r] = on[r] ? pass.deapodise[0][pixel[r]] : T(0); });
    unrolled<n>([&](auto r) { v[r] = v[r] * f[r]; });
  }
  unrolled<n>([&](auto r) { v[r] = v[r] * row_factor; });
}

template <typename T, typename Line>
__global__ void __launch_bounds__(Line::threads, Line::blocks)
    rows_forward_kernel(const __grid_constant__ RowPass<T> pass, int coils_log2, Inner grid_inner,
                        int columns_log2) {
  extern __shared__ __align__(16) unsigned char memory[];
  larmor::cuda::wait_for_earlier_kernels();
  __shared__ RowColumn<T> columns[most_columns];
  const Line line(pass.fft, reinterpret_cast<Complex<T>*>(memory), columns_log2);
  if (threadIdx.x < 1u << line.columns_log2())
    columns[threadIdx.x] = row_column(pass, static_cast<int>(threadIdx.x), line.columns_log2(), coils_log2,
                                      static_cast<int>(blockIdx.y));
  __syncthreads();
  line.forward(
      [&]<int n>(int c, int first, int step, Complex<T>(&v)[n]) {
        const RowColumn<T> column = columns[c];
        int pixel[n];
        bool on[n];
        unrolled<n>([&](auto r) {
          const int cell = first + r * step;
          on[r] = column.on_image && pass.window[0].holds(cell);
          pixel[r] = pass.window[0].pixel(cell);
          v[r] = on[r] ? column.image[pixel[r]] : Complex<T>{0, 0};
        });
        if (pass.maps) {
          Complex<T> map[n];
          unrolled<n>([&](auto r) { map[r] = on[r] ? column.map[pixel[r]] : Complex<T>{0, 0}; });
          unrolled<n>([&](auto r) { v[r] = v[r] * map[r]; });
        }
        apply_factors(pass, column.factor, pixel, on, v);
      },
      Inner{0},
      [&]<int n>(int c, int first, int step, const Complex<T>(&v)[n], int, int) {
        const RowColumn<T> column = columns[c];
        if (!column.on_grid) return;
        Complex<T>* to = column.grid + first * pass.coils.lanes;
        unrolled<n>([&](auto r) { to[r * step * pass.coils.lanes] = v[r]; });
      },
      grid_inner, live_part(pass.window[0]));
}

// With maps, the block loops over all coils of its rows and adds the sum over a tile's coils to the image;
// the first sum overwrites it.
template <typename T, typename Line>
__global__ void __launch_bounds__(Line::threads, Line::blocks)
    rows_backward_kernel(const __grid_constant__ RowPass<T> pass, int coils_log2, int parts, Inner grid_inner,
                         int columns_log2) {
  extern __shared__ __align__(16) unsigned char memory[];
  larmor::cuda::wait_for_earlier_kernels();
  __shared__ RowColumn<T> columns[most_columns];
  auto* shared = reinterpret_cast<Complex<T>*>(memory);
  const Line line(pass.fft, shared, columns_log2);
  const int last_part = pass.maps ? parts - 1 : static_cast<int>(blockIdx.y);
  for (int part = static_cast<int>(blockIdx.y); part <= last_part; ++part) {
    if (threadIdx.x < 1u << line.columns_log2())
      columns[threadIdx.x] =
          row_column(pass, static_cast<int>(threadIdx.x), line.columns_log2(), coils_log2, part);
    __syncthreads();
    line.backward(
        [&]<int n>(int c, int first, int step, Complex<T>(&v)[n]) {
          const RowColumn<T> column = columns[c];
          const Complex<T>* from = column.grid + first * pass.coils.lanes;
          unrolled<n>([&](auto r) {
            v[r] = column.on_grid ? from[r * step * pass.coils.lanes] : Complex<T>{0, 0};
          });
        },
        grid_inner,
        [&]<int n>(int c, int first, int step, Complex<T>(&v)[n], int slot, int slot_step) {
          const RowColumn<T> column = columns[c];
          int pixel[n];
          bool on[n];
          unrolled<n>([&](auto r) {
            const int cell = first + r * step;
            on[r] = column.on_image && pass.window[0].holds(cell);
            pixel[r] = pass.window[0].pixel(cell);
          });
          if (pass.maps) {
            Complex<T> map[n];
            unrolled<n>([&](auto r) { map[r] = on[r] ? column.map[pixel[r]] : Complex<T>{0, 0}; });
            unrolled<n>([&](auto r) { v[r] = v[r] * conjugate(map[r]); });
          }
          apply_factors(pass, column.factor, pixel, on, v);
          if (pass.maps) {
            unrolled<n>([&](auto r) { shared[slot + r * slot_step] = on[r] ? v[r] : Complex<T>{0, 0}; });
          } else {
            unrolled<n>([&](auto r) {
              if (!on[r]) return;
              Complex<T>& to = column.image[pixel[r]];
              to = pass.accumulate ? to + v[r] : v[r];
            });
          }
        },
        Inner{0}, live_part(pass.window[0]));
    if (!pass.maps) return;
    __syncthreads();
    const int coils = 1 << coils_log2, rows = 1 << (line.columns_log2() - coils_log2), width = pass.image[0];
    const bool add = part > 0 || pass.accumulate;
    for (int t = static_cast<int>(threadIdx.x); t < rows * width; t += Line::threads) {
      const int row = t / width, pixel = t - row * width, first = row << coils_log2;
      if (!columns[first].on_image) continue;
      const int from = line.slot(pass.window[0].cell(pixel), first);
      Complex<T> sum{0, 0};
      for (int coil = 0; coil < coils; ++coil) sum = sum + shared[from + coil];
      Complex<T>& to = columns[first].image[pixel];
      to = add ? to + sum : sum;
    }
    __syncthreads();
  }
}

inline int log2_of(std::int64_t n) {
  int log2 = 0;
  while (n > 1) n /= 2, ++log2;
  return log2;
}

// Number of coils that share a tile, and the order of threads when accessing the grid: lanes of 32 bytes fill
// a memory sector; shorter ones share a sector with neighbouring cells.
template <typename T>
struct RowTiles {
  RowTiles(const RowPass<T>& pass, int columns_log2) {
    const int lanes = pass.coils.lanes;
    const std::int64_t padded = static_cast<std::int64_t>(pass.coils.blocks()) * lanes;
    coils_log2 = log2_of(pass.maps ? padded : lanes);
    if (coils_log2 > columns_log2) coils_log2 = columns_log2;
    parts = static_cast<int>((padded + (1 << coils_log2) - 1) >> coils_log2);
    const std::int64_t rows = static_cast<std::int64_t>(pass.image[1]) * pass.image[2];
    tiles = (rows + (1 << (columns_log2 - coils_log2)) - 1) >> (columns_log2 - coils_log2);
    const bool fills_sectors = lanes * sizeof(Complex<T>) >= 32;
    grid_inner = {fills_sectors ? columns_log2 : log2_of(lanes)};
    if (grid_inner.log2 > columns_log2) grid_inner.log2 = columns_log2;
  }
  int coils_log2, parts;
  std::int64_t tiles;
  Inner grid_inner;
};

}  // namespace

template <typename T>
void rows_forward(const RowPass<T>& pass, larmor::cuda::Stream stream) {
  with_line<T, true>(pass.fft.length, [&]<typename Line>(std::type_identity<Line>) {
    const int columns_log2 = tile_columns_log2<T, Line>(pass.fft.length);
    const RowTiles<T> tiles(pass, columns_log2);
    launch<T, Line>(rows_forward_kernel<T, Line>, "rows_forward", tiles.tiles, tiles.parts,
                    Line::bytes(pass.fft.length, columns_log2), columns_log2, stream, pass, tiles.coils_log2,
                    tiles.grid_inner);
  });
}

template <typename T>
void rows_backward(const RowPass<T>& pass, larmor::cuda::Stream stream) {
  with_line<T, true>(pass.fft.length, [&]<typename Line>(std::type_identity<Line>) {
    const int columns_log2 = tile_columns_log2<T, Line>(pass.fft.length);
    const RowTiles<T> tiles(pass, columns_log2);
    launch<T, Line>(rows_backward_kernel<T, Line>, "rows_backward", tiles.tiles, pass.maps ? 1 : tiles.parts,
                    Line::bytes(pass.fft.length, columns_log2), columns_log2, stream, pass, tiles.coils_log2,
                    tiles.parts, tiles.grid_inner);
  });
}

}  // namespace larmor::nufft::cuda
