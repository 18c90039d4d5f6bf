#pragma once

#include <larmor/core/error.hpp>
#include <larmor/operators/nufft/grid/cuda/line_column.cuh>

namespace larmor::nufft::cuda {
namespace {

// Fetches the spectra to shared memory first if a tile has many lanes and therefore few cells; otherwise they
// are read where they are used.
template <typename T, typename Line>
struct Spectra {
  static constexpr int most_cells = 2, pad = 16 / sizeof(T);
  static std::size_t bytes(const LinePass<T>& pass, int columns_log2) {
    const bool fetched = (1 << columns_log2) <= most_cells * pass.lanes && pass.fft.length % pad == 0;
    return fetched ? sizeof(T) * most_cells * static_cast<std::size_t>(pass.fft.length + pad) : 0;
  }
  __device__ static const T* row(const LinePass<T>& pass, unsigned cell) {
    return pass.spectrum + std::int64_t{cell} * pass.fft.length;
  }
  // Half of the threads fetch the row of each cell.
  __device__ static void fetch(const LinePass<T>& pass, unsigned first, int lines, T* to) {
    const int half = static_cast<int>(threadIdx.x) / (Line::threads / most_cells),
              place = static_cast<int>(threadIdx.x) % (Line::threads / most_cells), length = pass.fft.length;
    const unsigned line = first + static_cast<unsigned>(half * pass.lanes);
    if (half * pass.lanes < lines && line < static_cast<unsigned>(pass.inner)) {
      const T* from = row(pass, line / static_cast<unsigned>(pass.lanes));
      T* here = to + half * (length + pad);
      for (int i = place * pad; i < length; i += Line::threads / most_cells * pad)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         static_cast<unsigned>(__cvta_generic_to_shared(here + i))),
                     "l"(from + i)
                     : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
};

template <typename T, typename Line, bool half>
__global__ void __launch_bounds__(Line::threads, Line::blocks)
    lines_convolve_kernel(const __grid_constant__ LinePass<T> pass, int spectra_at, int columns_log2) {
  extern __shared__ __align__(16) unsigned char memory[];
  larmor::cuda::wait_for_earlier_kernels();
  const Line line(pass.fft, reinterpret_cast<Complex<T>*>(memory), columns_log2);
  const LineColumn<T> column(pass, line.columns_log2());
  const int place = static_cast<int>(threadIdx.x) & ((1 << line.columns_log2()) - 1);
  auto* fetched = reinterpret_cast<T*>(memory + spectra_at);
  const T* in_place = nullptr;
  if (spectra_at > 0) {
    Spectra<T, Line>::fetch(pass, column.index - static_cast<unsigned>(place), 1 << line.columns_log2(),
                            fetched);
    fetched += place / pass.lanes * (pass.fft.length + Spectra<T, Line>::pad);
  } else {
    in_place = Spectra<T, Line>::row(pass, column.index / static_cast<unsigned>(pass.lanes));
  }
  line.template convolve<half>(
      [&]<int n>(int, int first, int step, Complex<T>(&v)[n]) { column.load(pass, first, step, true, v); },
      [&]<int n>(int, int first, int step, T(&f)[n]) {
        if (spectra_at > 0)
          unrolled<n>([&](auto r) { f[r] = fetched[first + r * step]; });
        else
          unrolled<n>([&](auto r) { f[r] = column.on ? __ldg(in_place + first + r * step) : T(0); });
      },
      [&]<int n>(int, int first, int step, const Complex<T>(&v)[n], int, int) {
        column.store(pass, first, step, true, v);
      });
}

}  // namespace

template <typename T>
void lines_convolve(const LinePass<T>& pass, larmor::cuda::Stream stream) {
  if (pass.window.tail > 0)
    throw Error(ErrorClass::internal, "lines_convolve: the window does not begin with the line");
  with_line<T, true>(pass.fft.length, [&]<typename Line>(std::type_identity<Line>) {
    const int columns_log2 = tile_columns_log2<T, Line>(pass.fft.length);
    const std::size_t line_bytes = (Line::bytes(pass.fft.length, columns_log2) + 15) / 16 * 16;
    std::size_t extra = Spectra<T, Line>::bytes(pass, columns_log2);
    if (line_bytes + extra >
        static_cast<std::size_t>(larmor::cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)))
      extra = 0;
    const bool half = 2 * pass.window.head <= pass.fft.length;
    launch<T, Line>(half ? lines_convolve_kernel<T, Line, true> : lines_convolve_kernel<T, Line, false>,
                    "lines_convolve", line_tiles<T, Line>(pass, columns_log2), pass.blocks,
                    line_bytes + extra, columns_log2, stream, pass,
                    extra > 0 ? static_cast<int>(line_bytes) : 0);
  });
}

}  // namespace larmor::nufft::cuda
