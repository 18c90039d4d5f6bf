#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/small_matrices.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/coils/calibration_matrix.hpp>
#include <larmor/mri/coils/cuda/calibration_matrix.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

namespace larmor {
namespace {

using Complex = std::complex<float>;
using DoubleComplex = std::complex<double>;
using Matrix = Eigen::MatrixXcd;

// Columns or rows processed by one task.
constexpr Index strip = 64;

// Calls put(window, row, line, values of the line) for windows `first` to `first + count` of the region,
// whose rows are [channel, kernel point]. Windows are shared among threads.
template <typename Put>
void for_windows(View<const Complex> kspace, const Extents& region, const Extents& kernel, Index first,
                 Index count, Context& ctx, const Put& put) {
  const Index channels = kspace.shape()[0];
  const Extents windows = windows_of(region, kernel);
  parallel_for(ctx, count, 16, [&](Index begin, Index end, int) {
    for (Index w = begin; w < end; ++w) {
      const Index x0 = (first + w) % windows.x, y0 = (first + w) / windows.x % windows.y,
                  z0 = (first + w) / (windows.x * windows.y);
      Index row = 0;
      for (Index c = 0; c < channels; ++c)
        for (Index z = 0; z < kernel.z; ++z)
          for (Index y = 0; y < kernel.y; ++y, row += kernel.x)
            put(w, row, kspace.data() + ((c * region.z + z0 + z) * region.y + y0 + y) * region.x + x0);
    }
  });
}

// The lower triangle of AᵀA*, column by column, in strips of rows.
Array<DoubleComplex> window_gram(View<const Complex> kspace, const Extents& region, const Extents& kernel,
                                 Context& ctx) {
  const Index size = kspace.shape()[0] * kernel.size(), windows = windows_of(region, kernel).size();
  const Index stride = (size + 2 * most_lanes - 1) / most_lanes * most_lanes;
  constexpr Index block = 256;
  auto result = filled<DoubleComplex>({size, size}, 0);
  auto real = filled<float>({block, stride}, 0), imag = filled<float>({block, stride}, 0);
  for (Index first = 0; first < windows; first += block) {
    ctx.throw_if_cancelled();
    const Index count = std::min(block, windows - first);
    for_windows(kspace, region, kernel, first, count, ctx, [&](Index w, Index row, const Complex* line) {
      for (Index x = 0; x < kernel.x; ++x) {
        real[w * stride + row + x] = line[x].real();
        imag[w * stride + row + x] = line[x].imag();
      }
    });
    parallel_for(ctx, size, strip, [&](Index begin, Index end, int) {
      run(GramUpdate{size, count, begin, end, real.data(), imag.data(), stride,
                     reinterpret_cast<double*>(result.data())});
    });
  }
  return result;
}

// t², the threshold relative to the largest eigenvalue, which power iteration approaches from below.
// multiply(v): the product with AᵀA*.
template <typename Multiply>
double calibration_floor(Eigen::VectorXcd vector, double threshold, const Multiply& multiply) {
  double largest = 0;
  for (int iteration = 0; iteration < 30; ++iteration) {
    vector.normalize();
    const Eigen::VectorXcd next = multiply(vector);
    largest = next.norm();
    vector = next;
  }
  if (!(largest > 0) || !std::isfinite(largest))
    throw input_error("ESPIRiT: the calibration region is all zero or not finite");
  return threshold * threshold * largest;
}

double calibration_floor(const Matrix& gram, double threshold) {
  return calibration_floor(gram.diagonal(), threshold, [&](const Eigen::VectorXcd& vector) {
    return Eigen::VectorXcd(gram.selfadjointView<Eigen::Lower>() * vector);
  });
}

// Overwrites the lower triangle of a Hermitian matrix L Lᴴ with the factor L, panel by panel.
void factorise(Matrix& matrix, double threshold, Context& ctx) {
  const Index size = matrix.rows();
  for (Index first = 0; first < size; first += strip) {
    ctx.throw_if_cancelled();
    const Index width = std::min(strip, size - first), next = first + width, rest = size - next;
    auto corner = matrix.block(first, first, width, width);
    const Eigen::LLT<Matrix> factor(corner);
    if (factor.info() != Eigen::Success)
      throw input_error(
          "ESPIRiT: the calibration matrix cannot be decomposed with threshold {}; increase the threshold",
          threshold);
    corner = factor.matrixL();
    parallel_for(ctx, rest, strip, [&](Index begin, Index end, int) {
      auto rows = matrix.block(next + begin, first, end - begin, width);
      factor.matrixU().solveInPlace<Eigen::OnTheRight>(rows);
    });
    parallel_for(ctx, rest, strip, [&](Index begin, Index end, int) {
      matrix.block(next + begin, next, end - begin, end).noalias() -=
          matrix.block(next + begin, first, end - begin, width) *
          matrix.block(next, first, end, width).adjoint();
    });
  }
}

// Columns from `first` of a Hermitian matrix, from the diagonal down, and their mirror image.
void store_columns(const Matrix& columns, Index first, Array<DoubleComplex>& result) {
  const Index size = result.shape()[0];
  for (Index j = 0; j < columns.cols(); ++j)
    for (Index i = j; i < columns.rows(); ++i) {
      result[(first + i) * size + first + j] = columns(i, j);
      result[(first + j) * size + first + i] = std::conj(columns(i, j));
    }
}

// 1 − floor (L Lᴴ)⁻¹. Unit columns stay zero above their one in L⁻¹, and the lower triangle of the inverse
// needs nothing above.
Array<DoubleComplex> complement(const Matrix& lower, double floor, Context& ctx) {
  const Index size = lower.rows();
  Array<DoubleComplex> result({size, size});
  const auto columns_from = [&](Index first) {
    const Index width = std::min(strip, size - first), rest = size - first;
    Matrix block = Matrix::Identity(rest, width);
    const auto corner = lower.bottomRightCorner(rest, rest);
    corner.triangularView<Eigen::Lower>().solveInPlace(block);
    corner.adjoint().triangularView<Eigen::Upper>().solveInPlace(block);
    block *= -floor;
    block.diagonal().array() += 1;
    store_columns(block, first, result);
  };
  // The first columns take longest: each task has one of the first and one of the last.
  const Index strips = (size + strip - 1) / strip;
  parallel_for(ctx, (strips + 1) / 2, 1, [&](Index begin, Index end, int) {
    for (Index s = begin; s < end; ++s) {
      columns_from(s * strip);
      if (strips - 1 - s > s) columns_from((strips - 1 - s) * strip);
    }
  });
  return result;
}

}  // namespace

Extents windows_of(const Extents& region, const Extents& kernel) {
  return {region.z - kernel.z + 1, region.y - kernel.y + 1, region.x - kernel.x + 1};
}

std::size_t projection_bytes(Index channels, const Extents& region, const Extents& kernel,
                             const Context& ctx) {
  const double size = static_cast<double>(channels * kernel.size()),
               windows = static_cast<double>(windows_of(region, kernel).size());
  const double values = ctx.on_gpu()         ? 5 * size * size
                        : 2 * windows > size ? 3 * size * size
                                             : 2 * size * windows + windows * windows + size * size;
  return static_cast<std::size_t>(values * sizeof(DoubleComplex));
}

CalibrationMatrix::CalibrationMatrix(View<const Complex> kspace, const Extents& region, const Extents& kernel,
                                     Context& ctx)
    : kspace_(kspace), region_(region), kernel_(kernel), ctx_(ctx), size_(kspace.shape()[0] * kernel.size()) {
  if (!ctx.on_gpu()) {
    if (2 * windows_of(region, kernel).size() > size_) gram_ = window_gram(kspace, region, kernel, ctx);
    return;
  }
  gram_ = Array<DoubleComplex>({size_, size_}, ctx.device());
  if constexpr (cuda::built)
    cuda::window_gram({kspace.shape()[0], {region.z, region.y, region.x}, {kernel.z, kernel.y, kernel.x}},
                      copied_to(ctx.device(), kspace).data(), gram_.data(), ctx.stream());
}

Index CalibrationMatrix::rank() const {
  return std::min(size_, windows_of(region_, kernel_).size());
}

Array<DoubleComplex> CalibrationMatrix::projection(double threshold) const {
  if (ctx_.on_gpu()) return device_projection(threshold);
  if (gram_.empty()) return projection_of_few(threshold);
  Matrix factor = Eigen::Map<const Matrix>(gram_.data(), size_, size_);
  const double floor = calibration_floor(factor, threshold);
  factor.diagonal().array() += floor;
  factorise(factor, threshold, ctx_);
  return complement(factor, floor, ctx_);
}

// The same from the side of the windows B = Aᵀ: G (G + t²)⁻¹ = B (BᴴB + t²)⁻¹ Bᴴ for G = B Bᴴ.
Array<DoubleComplex> CalibrationMatrix::projection_of_few(double threshold) const {
  const Index count = windows_of(region_, kernel_).size();
  Matrix windows(size_, count);
  for_windows(kspace_, region_, kernel_, 0, count, ctx_, [&](Index w, Index row, const Complex* line) {
    for (Index x = 0; x < kernel_.x; ++x) windows(row + x, w) = DoubleComplex(line[x]);
  });
  Matrix gram(count, count);
  parallel_for(ctx_, count, strip, [&](Index begin, Index end, int) {
    gram.middleCols(begin, end - begin).noalias() =
        windows.adjoint() * windows.middleCols(begin, end - begin);
  });
  gram.diagonal().array() += calibration_floor(gram, threshold);
  factorise(gram, threshold, ctx_);
  // L⁻¹ Bᴴ, whose product with its adjoint is the projection.
  Matrix half = windows.adjoint();
  parallel_for(ctx_, size_, strip, [&](Index begin, Index end, int) {
    auto columns_of_task = half.middleCols(begin, end - begin);
    gram.triangularView<Eigen::Lower>().solveInPlace(columns_of_task);
  });
  Array<DoubleComplex> result({size_, size_});
  parallel_for(ctx_, size_, strip, [&](Index begin, Index end, int) {
    store_columns(half.rightCols(size_ - begin).adjoint() * half.middleCols(begin, end - begin), begin,
                  result);
  });
  return result;
}

// Newton's iteration X ← X (2 − s A X) for the inverse of A = G + t², from X = 1 with the scale s that
// centres the known bounds of A X's spectrum.
Array<DoubleComplex> CalibrationMatrix::device_projection(double threshold) const {
  if constexpr (cuda::built) {
    const Device device = ctx_.device();
    const auto stream = ctx_.stream();
    Array<DoubleComplex> matrix = clone(gram_), inverse({size_, size_}, device), next({size_, size_}, device),
                         correction({size_, size_}, device);
    Array<DoubleComplex> vector({size_}, device), product({size_}, device);
    const auto fetch = [&] {
      Eigen::VectorXcd result(size_);
      copy_bytes(result.data(), Device::cpu(), product.data(), device, product.view().bytes());
      return result;
    };
    cuda::diagonal(size_, matrix.data(), product.data(), stream);
    const double floor = calibration_floor(fetch(), threshold, [&](const Eigen::VectorXcd& v) {
      copy_bytes(vector.data(), device, v.data(), Device::cpu(), vector.view().bytes());
      cuda::multiply_vector(size_, matrix.data(), vector.data(), product.data(), stream);
      return fetch();
    });
    cuda::add_diagonal(size_, floor, matrix.data(), stream);
    fill<double>(inverse, 0, ctx_);
    cuda::add_diagonal(size_, 1, inverse.data(), stream);
    // Power iteration may underestimate the largest eigenvalue, but not by a quarter.
    double low = floor, high = floor + 1.25 * floor / (threshold * threshold), error = 1;
    while (error > 1e-14) {
      ctx_.throw_if_cancelled();
      const double step = 2 / (low + high);
      cuda::multiply(size_, -step, matrix.data(), inverse.data(), 2, correction.data(), stream);
      cuda::multiply(size_, step, inverse.data(), correction.data(), 0, next.data(), stream);
      inverse.swap(next);
      error = (high - low) / (high + low);
      error *= error;
      low = 1 - error;
      high = 1;
    }
    scale<double>(-floor, inverse, ctx_);
    cuda::add_diagonal(size_, 1, inverse.data(), stream);
    return moved_to(Device::cpu(), std::move(inverse));
  } else {
    throw internal_error("ESPIRiT on {} without CUDA", ctx_.device().to_string());
  }
}

}  // namespace larmor
