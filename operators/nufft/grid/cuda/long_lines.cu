#include <larmor/core/math/cuda/cufft.hpp>
#include <larmor/core/math/cuda/small_dft.cuh>
#include <larmor/operators/nufft/grid/cuda/long_lines.hpp>

#include <cuda_runtime.h>

namespace larmor::nufft::cuda {
namespace {

using larmor::cuda::Complex;

void check_fft(cufftResult status, const char* doing) {
  if (status != CUFFT_SUCCESS) larmor::cuda::check(cudaErrorUnknown, doing);
}

template <typename T>
void transform(int plan, void* work, std::complex<T>* values, int sign, larmor::cuda::Stream stream) {
  check_fft(larmor::cuda::cufft().set_stream(plan, stream), "giving cuFFT a stream");
  check_fft(larmor::cuda::cufft().set_work_area(plan, work), "giving cuFFT a work area");
  const int direction = sign < 0 ? CUFFT_FORWARD : CUFFT_INVERSE;
  if constexpr (sizeof(T) == 8) {
    auto* data = reinterpret_cast<cufftDoubleComplex*>(values);
    check_fft(larmor::cuda::cufft().execute_double(plan, data, data, direction), "transforming long lines");
  } else {
    auto* data = reinterpret_cast<cufftComplex*>(values);
    check_fft(larmor::cuda::cufft().execute_single(plan, data, data, direction), "transforming long lines");
  }
}

constexpr int threads = 256;

unsigned blocks_for(std::int64_t n) {
  const std::int64_t blocks = (n + threads - 1) / threads, most = 1 << 16;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

template <typename T>
__device__ T factor_of(const RowPass<T>& pass, int x, int y, int z) {
  T factor = static_cast<T>(pass.scale);
  if (pass.deapodise[0]) factor *= pass.deapodise[0][x];
  if (pass.deapodise[1]) factor *= pass.deapodise[1][y];
  if (pass.deapodise[2]) factor *= pass.deapodise[2][z];
  return factor;
}

template <typename T>
__device__ Complex<T>* grid_row(const RowPass<T>& pass, int y, int z) {
  return reinterpret_cast<Complex<T>*>(pass.grid) + blockIdx.y * pass.block +
         pass.window[2].cell(z) * pass.plane + pass.window[1].cell(y) * pass.row;
}

// 64-bit division takes as many instructions as everything else; a single row does not need it. The number of
// image rows, and the number of values in one row, are below 2³¹.
__device__ int row_of(std::int64_t i, std::int64_t row_values, std::int64_t rows) {
  return rows == 1 ? 0 : static_cast<int>(i / row_values);
}

// One thread for each cell and lane of the image's rows.
template <typename T>
__global__ void __launch_bounds__(threads)
    pad(const __grid_constant__ RowPass<T> pass, std::int64_t row_values) {
  const int lanes = pass.coils.lanes;
  const std::int64_t rows = static_cast<std::int64_t>(pass.image[1]) * pass.image[2],
                     pixels = rows * pass.image[0];
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < rows * row_values;
       i += std::int64_t{gridDim.x} * threads) {
    const int row = row_of(i, row_values, rows), in_row = static_cast<int>(i - row * row_values),
              cell = in_row / lanes, y = row % pass.image[1], z = row / pass.image[1];
    const std::int64_t coil = blockIdx.y * lanes + in_row % lanes;
    Complex<T> value{0, 0};
    if (coil < pass.coils.count && pass.window[0].holds(cell)) {
      const int x = pass.window[0].pixel(cell);
      const std::int64_t at = std::int64_t{row} * pass.image[0] + x;
      const auto* images = reinterpret_cast<const Complex<T>*>(pass.images);
      value = pass.maps ? images[at] * reinterpret_cast<const Complex<T>*>(pass.maps)[coil * pixels + at]
                        : images[coil * pixels + at];
      value = value * factor_of(pass, x, y, z);
    }
    grid_row(pass, y, z)[in_row] = value;
  }
}

// One thread for each pixel of one image, or of the sum over a block's coils.
template <typename T>
__global__ void __launch_bounds__(threads) crop(const __grid_constant__ RowPass<T> pass) {
  const int lanes = pass.coils.lanes;
  const std::int64_t rows = static_cast<std::int64_t>(pass.image[1]) * pass.image[2],
                     pixels = rows * pass.image[0];
  auto* images = reinterpret_cast<Complex<T>*>(pass.images);
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < pixels;
       i += std::int64_t{gridDim.x} * threads) {
    const int row = row_of(i, pass.image[0], rows),
              x = static_cast<int>(i - std::int64_t{row} * pass.image[0]), y = row % pass.image[1],
              z = row / pass.image[1];
    const T factor = factor_of(pass, x, y, z);
    const Complex<T>* from = grid_row(pass, y, z) + static_cast<std::int64_t>(pass.window[0].cell(x)) * lanes;
    Complex<T> sum = pass.maps && pass.accumulate ? images[i] : Complex<T>{0, 0};
    for (int lane = 0; lane < lanes; ++lane) {
      const std::int64_t coil = std::int64_t{blockIdx.y} * lanes + lane;
      if (coil >= pass.coils.count) break;
      const Complex<T> value = from[lane] * factor;
      if (pass.maps) {
        sum = sum + value * conjugate(reinterpret_cast<const Complex<T>*>(pass.maps)[coil * pixels + i]);
      } else {
        Complex<T>& to = images[coil * pixels + i];
        to = pass.accumulate ? to + value : value;
      }
    }
    if (pass.maps) images[i] = sum;
  }
}

template <typename T>
__global__ void __launch_bounds__(threads)
    clear_gap(const __grid_constant__ LinePass<T> pass, std::int64_t count) {
  auto* grid = reinterpret_cast<Complex<T>*>(pass.grid) + blockIdx.y * pass.block;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * threads) {
    const std::int64_t line = i / pass.inner, index = i - line * pass.inner;
    const int outer = static_cast<int>(line / pass.window.gap), e = static_cast<int>(line % pass.window.gap);
    grid[pass.outer_window.cell(outer) * pass.outer_stride + (pass.window.head + e) * pass.stride + index] = {
        0, 0};
  }
}

template <typename T>
__global__ void __launch_bounds__(threads)
    multiply(std::complex<T>* values, const T* spectrum, std::int64_t block, int lanes) {
  auto* grid = reinterpret_cast<Complex<T>*>(values) + blockIdx.y * block;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < block;
       i += std::int64_t{gridDim.x} * threads)
    grid[i] = grid[i] * spectrum[i / lanes];
}

// The image's rows in a plane form two contiguous runs, or one if a block is a single row.
template <typename T>
void transform_rows(const RowPass<T>& pass, const LongPlan& plan, int sign, larmor::cuda::Stream stream) {
  const auto transform_run = [&](std::complex<T>* first, int count) {
    while (count > 0) {
      const bool many = plan.of_rows != 0 && count >= plan.rows;
      transform(many ? plan.of_rows : plan.plan, plan.work, first, sign, stream);
      const int done = many ? plan.rows : 1;
      first += done * pass.row;
      count -= done;
    }
  };
  if (pass.block == pass.row) return transform_run(pass.grid, pass.coils.blocks());
  const Window& rows = pass.window[1];
  for (int block = 0; block < pass.coils.blocks(); ++block)
    for (int z = 0; z < pass.image[2]; ++z) {
      std::complex<T>* plane = pass.grid + block * pass.block + pass.window[2].cell(z) * pass.plane;
      transform_run(plane, rows.head);
      transform_run(plane + (rows.head + rows.gap) * pass.row, rows.tail);
    }
}

}  // namespace

template <typename T>
void long_rows_forward(const RowPass<T>& pass, int length, const LongPlan& plan,
                       larmor::cuda::Stream stream) {
  const std::int64_t rows = static_cast<std::int64_t>(pass.image[1]) * pass.image[2],
                     values = static_cast<std::int64_t>(length) * pass.coils.lanes;
  const dim3 blocks(blocks_for(rows * values), static_cast<unsigned>(pass.coils.blocks()));
  pad<<<blocks, threads, 0, stream>>>(pass, values);
  larmor::cuda::check_launch("pad");
  transform_rows(pass, plan, -1, stream);
}

template <typename T>
void long_rows_backward(const RowPass<T>& pass, const LongPlan& plan, larmor::cuda::Stream stream) {
  transform_rows(pass, plan, +1, stream);
  const std::int64_t pixels = static_cast<std::int64_t>(pass.image[0]) * pass.image[1] * pass.image[2];
  if (!pass.maps) {
    crop<<<dim3(blocks_for(pixels), static_cast<unsigned>(pass.coils.blocks())), threads, 0, stream>>>(pass);
    return larmor::cuda::check_launch("crop");
  }
  // The coil sum is accumulated over the blocks of coils in turn.
  RowPass<T> part = pass;
  for (std::int64_t first = 0; first < pass.coils.count; first += pass.coils.lanes) {
    part.coils.count = pass.coils.count - first;
    part.grid = pass.grid + first / pass.coils.lanes * pass.block;
    part.maps = pass.maps + first * pixels;
    part.accumulate = pass.accumulate || first > 0;
    crop<<<blocks_for(pixels), threads, 0, stream>>>(part);
    larmor::cuda::check_launch("crop");
  }
}

template <typename T>
void long_lines(const LinePass<T>& pass, int sign, const LongPlan& plan, larmor::cuda::Stream stream) {
  if (sign < 0 && pass.window.gap > 0) {
    const std::int64_t count = static_cast<std::int64_t>(pass.outer) * pass.window.gap * pass.inner;
    clear_gap<<<dim3(blocks_for(count), static_cast<unsigned>(pass.blocks)), threads, 0, stream>>>(pass,
                                                                                                   count);
    larmor::cuda::check_launch("clear_gap");
  }
  for (int block = 0; block < pass.blocks; ++block)
    for (int outer = 0; outer < pass.outer; ++outer)
      transform(plan.plan, plan.work,
                pass.grid + block * pass.block + pass.outer_window.cell(outer) * pass.outer_stride, sign,
                stream);
}

template <typename T>
void multiply_lines(std::complex<T>* grid, const T* spectrum, int length, int lanes, int blocks,
                    larmor::cuda::Stream stream) {
  const std::int64_t block = static_cast<std::int64_t>(length) * lanes;
  multiply<<<dim3(blocks_for(block), static_cast<unsigned>(blocks)), threads, 0, stream>>>(grid, spectrum,
                                                                                           block, lanes);
  larmor::cuda::check_launch("multiply");
}

int make_long_line_plan(long long length, long long stride, long long distance, long long batch,
                        bool double_precision, std::size_t* work_bytes) {
  cufftHandle plan = 0;
  check_fft(larmor::cuda::cufft().create(&plan), "making a cuFFT plan");
  check_fft(larmor::cuda::cufft().set_auto_allocation(plan, 0), "making a cuFFT plan");
  check_fft(larmor::cuda::cufft().make_plan_many(plan, 1, &length, &length, stride, distance, &length, stride,
                                                 distance, double_precision ? CUFFT_Z2Z : CUFFT_C2C, batch,
                                                 work_bytes),
            "making a cuFFT plan");
  return plan;
}

void destroy_long_line_plan(int plan) noexcept {
  larmor::cuda::cufft().destroy(plan);
}

#define LARMOR_INSTANTIATE(T)                                                                        \
  template void long_rows_forward<T>(const RowPass<T>&, int, const LongPlan&, larmor::cuda::Stream); \
  template void long_rows_backward<T>(const RowPass<T>&, const LongPlan&, larmor::cuda::Stream);     \
  template void long_lines<T>(const LinePass<T>&, int, const LongPlan&, larmor::cuda::Stream);       \
  template void multiply_lines<T>(std::complex<T>*, const T*, int, int, int, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
