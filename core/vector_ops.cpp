#include <larmor/core/parallel.hpp>
#include <larmor/core/vector_ops.hpp>

#include <cmath>
#include <limits>

namespace larmor {
namespace {

constexpr Index chunk = 1 << 14;
constexpr Index max_chunks = 256;

void require_same_size(const char* name, Index a, Index b) {
  if (a != b) throw internal_error("{}: vectors of {} and {} elements", name, a, b);
}

// Sums partial(begin, end) over fixed chunks, in their order.
template <typename Sum, typename Partial>
Sum ordered_sum(const Context& ctx, Index n, const Partial& partial) {
  const Index grain = std::max(chunk, (n + max_chunks - 1) / max_chunks);
  Sum sums[max_chunks] = {};
  parallel_for(ctx, n, grain,
               [&](Index begin, Index end, int) { sums[begin / grain] = partial(begin, end); });
  Sum total{};
  for (Index i = 0; i * grain < n; ++i) total += sums[i];
  return total;
}

}  // namespace

template <typename T>
std::complex<double> dot(View<const std::complex<T>> x, std::type_identity_t<View<const std::complex<T>>> y,
                         Context& ctx) {
  require_same_size("dot", x.size(), y.size());
  return ordered_sum<std::complex<double>>(ctx, x.size(), [&](Index begin, Index end) {
    const T* a = reinterpret_cast<const T*>(x.data());
    const T* b = reinterpret_cast<const T*>(y.data());
    double real = 0, imag = 0;
    for (Index i = begin; i < end; ++i) {
      const double ar = a[2 * i], ai = a[2 * i + 1], br = b[2 * i], bi = b[2 * i + 1];
      real += ar * br + ai * bi;
      imag += ar * bi - ai * br;
    }
    return std::complex<double>(real, imag);
  });
}

template <typename T>
double squared_norm(View<const std::complex<T>> x, Context& ctx) {
  return ordered_sum<double>(ctx, x.size(), [&](Index begin, Index end) {
    const T* a = reinterpret_cast<const T*>(x.data());
    double sum = 0;
    for (Index i = 2 * begin; i < 2 * end; ++i) sum += static_cast<double>(a[i]) * a[i];
    return sum;
  });
}

template <typename T>
double max_magnitude(View<const std::complex<T>> x, Context&) {
  double largest = 0;
  for (const auto& value : x) {
    const double square = static_cast<double>(std::norm(std::complex<double>(value)));
    if (!(square <= largest)) largest = std::isnan(square) ? std::numeric_limits<double>::infinity() : square;
  }
  return std::sqrt(largest);
}

template <typename T>
void axpy(std::complex<double> a, View<const std::complex<T>> x,
          std::type_identity_t<View<std::complex<T>>> y, Context& ctx) {
  require_same_size("axpy", x.size(), y.size());
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

template <typename T>
void copy(View<const std::complex<T>> x, std::type_identity_t<View<std::complex<T>>> y, Context& ctx) {
  require_same_size("copy", x.size(), y.size());
  parallel_for(ctx, x.size(), chunk, [&](Index begin, Index end, int) {
    std::memcpy(static_cast<void*>(y.data() + begin), x.data() + begin,
                (end - begin) * sizeof(std::complex<T>));
  });
}

template <typename T>
void fill(View<std::complex<T>> x, std::complex<double> value, Context& ctx) {
  const std::complex<T> v(static_cast<T>(value.real()), static_cast<T>(value.imag()));
  parallel_for(ctx, x.size(), chunk, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) x[i] = v;
  });
}

#define LARMOR_INSTANTIATE(T)                                                                                \
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
