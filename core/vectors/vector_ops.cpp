#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/cuda/vector_kernels.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/vector_ops.hpp>

#include <cmath>
#include <limits>

namespace LARMOR_API larmor {
namespace {

constexpr Index chunk = 1 << 14;
constexpr Index max_chunks = 256;

void require_same_size(const char* name, Index a, Index b) {
  if (a != b) throw usage_error("{}: vectors of {} and {} elements", name, a, b);
}

constexpr int max_pairs = 6;

// Elements of a chunk of a sum: depends only on n.
Index sum_grain(Index n) {
  return std::max(chunk, (n + max_chunks - 1) / max_chunks);
}

template <typename T>
std::complex<double> partial_dot(const std::complex<T>* x, const std::complex<T>* y, Index begin, Index end) {
  const T* a = reinterpret_cast<const T*>(x);
  const T* b = reinterpret_cast<const T*>(y);
  double real = 0, imag = 0;
  for (Index i = begin; i < end; ++i) {
    const double ar = a[2 * i], ai = a[2 * i + 1], br = b[2 * i], bi = b[2 * i + 1];
    real += ar * br + ai * bi;
    imag += ar * bi - ai * br;
  }
  return {real, imag};
}

// The value for the whole vector, if ranks hold parts of it.
template <typename Value>
Value of_whole(Value value, const Context& ctx) {
  if (Communicator* ranks = ctx.vector_ranks()) ranks->all_reduce(View<Value>(&value, {1}));
  return value;
}

// Sums partial(begin, end) over fixed chunks, in their order.
template <typename Sum, typename Partial>
Sum ordered_sum(const Context& ctx, Index n, const Partial& partial) {
  const Index grain = sum_grain(n);
  Sum sums[max_chunks] = {};
  parallel_for(ctx, n, grain,
               [&](Index begin, Index end, int) { sums[begin / grain] = partial(begin, end); });
  Sum total{};
  for (Index i = 0; i * grain < n; ++i) total += sums[i];
  return total;
}

// The products of this rank's parts of the vectors.
template <typename T>
void own_dots(const DotPair<T>* operands, int pairs, std::complex<double>* results, Context& ctx) {
  if constexpr (cuda::built)
    if (ctx.on_gpu()) {
      cuda::DotOperands<T> on_device{};
      for (int i = 0; i < pairs; ++i) {
        on_device.x[i] = operands[i].x.data();
        on_device.y[i] = operands[i].y.data();
      }
      const auto& buffers = ctx.reduction_buffers();
      cuda::dots<T>(on_device, pairs, operands[0].x.size(), buffers, ctx.stream());
      ctx.synchronize();
      for (int i = 0; i < pairs; ++i)
        results[i] = std::complex<double>(buffers.result[2 * i], buffers.result[2 * i + 1]);
      return;
    }
  // All pairs of a chunk while it is in cache; each sum is computed as by dot().
  const Index n = operands[0].x.size(), grain = sum_grain(n);
  std::complex<double> sums[max_pairs][max_chunks] = {};
  parallel_for(ctx, n, grain, [&](Index begin, Index end, int) {
    for (int i = 0; i < pairs; ++i)
      sums[i][begin / grain] = partial_dot(operands[i].x.data(), operands[i].y.data(), begin, end);
  });
  for (int i = 0; i < pairs; ++i) {
    results[i] = 0;
    for (Index c = 0; c * grain < n; ++c) results[i] += sums[i][c];
  }
}

}  // namespace

template <typename T>
void detail::dots(const DotPair<T>* operands, int pairs, std::complex<double>* results, Context& ctx) {
  for (int i = 0; i < pairs; ++i) {
    require_same_size("dots", operands[i].x.size(), operands[i].y.size());
    require_same_size("dots", operands[i].x.size(), operands[0].x.size());
  }
  own_dots<T>(operands, pairs, results, ctx);
  if (Communicator* ranks = ctx.vector_ranks())
    ranks->all_reduce(View<std::complex<double>>(results, {pairs}));
}

template <typename T>
std::complex<double> dot(View<const std::complex<T>> x, std::type_identity_t<View<const std::complex<T>>> y,
                         Context& ctx) {
  require_same_size("dot", x.size(), y.size());
  if (ctx.on_gpu()) return dots<T>({{x, y}}, ctx)[0];
  return of_whole(
      ordered_sum<std::complex<double>>(
          ctx, x.size(), [&](Index begin, Index end) { return partial_dot(x.data(), y.data(), begin, end); }),
      ctx);
}

template <typename T>
double squared_norm(View<const std::complex<T>> x, Context& ctx) {
  if (ctx.on_gpu()) return dots<T>({{x, x}}, ctx)[0].real();
  return of_whole(ordered_sum<double>(ctx, x.size(),
                                      [&](Index begin, Index end) {
                                        const T* a = reinterpret_cast<const T*>(x.data());
                                        double sum = 0;
                                        for (Index i = 2 * begin; i < 2 * end; ++i)
                                          sum += static_cast<double>(a[i]) * a[i];
                                        return sum;
                                      }),
                  ctx);
}

namespace {

template <typename T>
double largest_square(View<const std::complex<T>> x, Context& ctx) {
  if constexpr (cuda::built)
    if (ctx.on_gpu()) {
      cuda::max_square<T>(x.data(), x.size(), ctx.reduction_buffers(), ctx.stream());
      ctx.synchronize();
      return static_cast<double>(ctx.reduction_buffers().result[0]);
    }
  double largest = 0;
  for (const auto& value : x) {
    const double square = static_cast<double>(std::norm(std::complex<double>(value)));
    if (!(square <= largest)) largest = std::isnan(square) ? std::numeric_limits<double>::infinity() : square;
  }
  return largest;
}

}  // namespace

template <typename T>
double max_magnitude(View<const std::complex<T>> x, Context& ctx) {
  double largest = largest_square<T>(x, ctx);
  if (Communicator* ranks = ctx.vector_ranks()) largest = ranks->all_reduce(largest, Reduction::maximum);
  return std::sqrt(largest);
}

template <typename T>
void axpy(std::complex<double> a, View<const std::complex<T>> x,
          std::type_identity_t<View<std::complex<T>>> y, Context& ctx) {
  require_same_size("axpy", x.size(), y.size());
  if constexpr (cuda::built)
    if (ctx.on_gpu()) return cuda::combine<T>(a, x.data(), 1, y.data(), x.size(), ctx.stream());
  const T re = static_cast<T>(a.real()), im = static_cast<T>(a.imag());
  parallel_for(ctx, x.size(), chunk, [&](Index begin, Index end, int) {
    const T* in = reinterpret_cast<const T*>(x.data());
    T* out = reinterpret_cast<T*>(y.data());
    for (Index i = begin; i < end; ++i) {
      const T xr = in[2 * i], xi = in[2 * i + 1];
      out[2 * i] += re * xr - im * xi;
      out[2 * i + 1] += re * xi + im * xr;
    }
  });
}

template <typename T>
void xpby(View<const std::complex<T>> x, std::complex<double> b,
          std::type_identity_t<View<std::complex<T>>> y, Context& ctx) {
  require_same_size("xpby", x.size(), y.size());
  if constexpr (cuda::built)
    if (ctx.on_gpu()) return cuda::combine<T>(1, x.data(), b, y.data(), x.size(), ctx.stream());
  const T re = static_cast<T>(b.real()), im = static_cast<T>(b.imag());
  parallel_for(ctx, x.size(), chunk, [&](Index begin, Index end, int) {
    const T* in = reinterpret_cast<const T*>(x.data());
    T* out = reinterpret_cast<T*>(y.data());
    for (Index i = begin; i < end; ++i) {
      const T yr = out[2 * i], yi = out[2 * i + 1];
      out[2 * i] = in[2 * i] + re * yr - im * yi;
      out[2 * i + 1] = in[2 * i + 1] + re * yi + im * yr;
    }
  });
}

template <typename T>
void scale(std::complex<double> a, View<std::complex<T>> x, Context& ctx) {
  if constexpr (cuda::built)
    if (ctx.on_gpu()) return cuda::combine<T>(a, x.data(), 0, x.data(), x.size(), ctx.stream());
  const T re = static_cast<T>(a.real()), im = static_cast<T>(a.imag());
  parallel_for(ctx, x.size(), chunk, [&](Index begin, Index end, int) {
    T* out = reinterpret_cast<T*>(x.data());
    for (Index i = begin; i < end; ++i) {
      const T xr = out[2 * i], xi = out[2 * i + 1];
      out[2 * i] = re * xr - im * xi;
      out[2 * i + 1] = re * xi + im * xr;
    }
  });
}

namespace {

// The number of terms is known at compile time, so that they stay in registers.
template <typename T, int terms>
void combine_range(const T* const* x, const T* a, T* out, Index begin, Index end) {
#pragma GCC ivdep  // out is one of x or does not overlap
  for (Index i = begin; i < end; ++i) {
    T sum = a[0] * x[0][i];
    for (int t = 1; t < terms; ++t) sum += a[t] * x[t][i];
    out[i] = sum;
  }
}

}  // namespace

template <typename T>
void detail::combine(const ScaledVector<T>* sum, int terms, View<std::complex<T>> out, Context& ctx) {
  for (int i = 0; i < terms; ++i) require_same_size("combine", sum[i].x.size(), out.size());
  if constexpr (cuda::built)
    if (ctx.on_gpu()) {
      cuda::LinearTerms<T> on_device{};
      for (int i = 0; i < terms; ++i) {
        on_device.x[i] = sum[i].x.data();
        on_device.factor[i] = static_cast<T>(sum[i].factor);
      }
      return cuda::combine<T>(on_device, terms, out.data(), out.size(), ctx.stream());
    }
  const T* x[max_pairs];
  T a[max_pairs];
  for (int i = 0; i < terms; ++i) {
    x[i] = reinterpret_cast<const T*>(sum[i].x.data());
    a[i] = static_cast<T>(sum[i].factor);
  }
  constexpr decltype(&combine_range<T, 1>) ranges[] = {combine_range<T, 1>, combine_range<T, 2>,
                                                       combine_range<T, 3>, combine_range<T, 4>,
                                                       combine_range<T, 5>, combine_range<T, 6>};
  const auto range = ranges[terms - 1];
  T* y = reinterpret_cast<T*>(out.data());
  parallel_for(ctx, out.size(), chunk,
               [&](Index begin, Index end, int) { range(x, a, y, 2 * begin, 2 * end); });
}

template <typename T>
void copy(View<const std::complex<T>> x, std::type_identity_t<View<std::complex<T>>> y, Context& ctx) {
  require_same_size("copy", x.size(), y.size());
  if (ctx.on_gpu()) return copy_bytes(y.data(), y.device(), x.data(), x.device(), x.bytes());
  parallel_for(ctx, x.size(), chunk, [&](Index begin, Index end, int) {
    std::memcpy(static_cast<void*>(y.data() + begin), x.data() + begin,
                (end - begin) * sizeof(std::complex<T>));
  });
}

template <typename T>
void fill(View<std::complex<T>> x, std::complex<double> value, Context& ctx) {
  if constexpr (cuda::built)
    if (ctx.on_gpu()) return cuda::fill<T>(x.data(), value, x.size(), ctx.stream());
  const std::complex<T> v(static_cast<T>(value.real()), static_cast<T>(value.imag()));
  parallel_for(ctx, x.size(), chunk, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) x[i] = v;
  });
}

#define LARMOR_INSTANTIATE(T)                                                                                \
  template void detail::dots<T>(const DotPair<T>*, int, std::complex<double>*, Context&);                    \
  template void detail::combine<T>(const ScaledVector<T>*, int, View<std::complex<T>>, Context&);            \
  template std::complex<double> dot<T>(View<const std::complex<T>>,                                          \
                                       std::type_identity_t<View<const std::complex<T>>>, Context&);         \
  template double squared_norm<T>(View<const std::complex<T>>, Context&);                                    \
  template double max_magnitude<T>(View<const std::complex<T>>, Context&);                                   \
  template void axpy<T>(std::complex<double>, View<const std::complex<T>>,                                   \
                        std::type_identity_t<View<std::complex<T>>>, Context&);                              \
  template void xpby<T>(View<const std::complex<T>>, std::complex<double>,                                   \
                        std::type_identity_t<View<std::complex<T>>>, Context&);                              \
  template void scale<T>(std::complex<double>, View<std::complex<T>>, Context&);                             \
  template void copy<T>(View<const std::complex<T>>, std::type_identity_t<View<std::complex<T>>>, Context&); \
  template void fill<T>(View<std::complex<T>>, std::complex<double>, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
