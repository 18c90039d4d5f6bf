#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/basis_rows.hpp>
#include <larmor/operators/nufft/cuda/basis_rows.hpp>

namespace larmor::nufft {
namespace {
constexpr Index chunk = 4096;
}

template <typename T>
void combine_rows(const std::complex<T>* b, const std::complex<T>* s, std::complex<T>* y, Index terms,
                  Index coils, Index samples, bool accumulate, Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) return cuda::combine_rows<T>(b, s, y, terms, coils, samples, accumulate, ctx.stream());
  parallel_for(ctx, samples, chunk, [&](Index begin, Index end, int) {
    for (Index c = 0; c < coils; ++c) {
      std::complex<T>* out = y + c * samples;
      if (!accumulate) std::fill(out + begin, out + end, std::complex<T>(0));
      for (Index l = 0; l < terms; ++l) {
        const std::complex<T>* w = b + l * samples;
        const std::complex<T>* in = s + (l * coils + c) * samples;
        for (Index j = begin; j < end; ++j)
          out[j] += std::complex<T>(w[j].real() * in[j].real() - w[j].imag() * in[j].imag(),
                                    w[j].real() * in[j].imag() + w[j].imag() * in[j].real());
      }
    }
  });
}

template <typename T>
void spread_rows(const std::complex<T>* b, const std::complex<T>* y, std::complex<T>* s, Index terms,
                 Index coils, Index samples, Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) return cuda::spread_rows<T>(b, y, s, terms, coils, samples, ctx.stream());
  parallel_for(ctx, samples, chunk, [&](Index begin, Index end, int) {
    for (Index l = 0; l < terms; ++l)
      for (Index c = 0; c < coils; ++c) {
        const std::complex<T>* w = b + l * samples;
        const std::complex<T>* in = y + c * samples;
        std::complex<T>* out = s + (l * coils + c) * samples;
        for (Index j = begin; j < end; ++j)
          out[j] = std::complex<T>(w[j].real() * in[j].real() + w[j].imag() * in[j].imag(),
                                   w[j].real() * in[j].imag() - w[j].imag() * in[j].real());
      }
  });
}

#define LARMOR_INSTANTIATE(T)                                                                            \
  template void combine_rows<T>(const std::complex<T>*, const std::complex<T>*, std::complex<T>*, Index, \
                                Index, Index, bool, Context&);                                           \
  template void spread_rows<T>(const std::complex<T>*, const std::complex<T>*, std::complex<T>*, Index,  \
                               Index, Index, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
