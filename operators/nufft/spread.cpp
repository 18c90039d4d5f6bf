#include <larmor/core/error.hpp>
#include <larmor/operators/nufft/spread.hpp>

#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace larmor::nufft {

#define LARMOR_DECLARE(isa)                                             \
  namespace isa {                                                       \
  SpreadKernels<float> kernels_float(int dims, int width, int lanes);   \
  SpreadKernels<double> kernels_double(int dims, int width, int lanes); \
  }
LARMOR_DECLARE(portable)
#ifdef LARMOR_X86
LARMOR_DECLARE(avx2)
LARMOR_DECLARE(avx512)
#endif
#undef LARMOR_DECLARE

namespace {

enum class Isa { portable, avx2, avx512 };

Isa detect() {
  Isa best = Isa::portable;
#ifdef LARMOR_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) best = Isa::avx2;
  if (best == Isa::avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
    best = Isa::avx512;
#endif
  if (const char* wish = std::getenv("LARMOR_ISA")) {
    if (std::string_view(wish) == "portable") best = Isa::portable;
    if (std::string_view(wish) == "avx2" && best == Isa::avx512) best = Isa::avx2;
  }
  return best;
}

Isa isa() {
  static const Isa value = detect();
  return value;
}

}  // namespace

const char* instruction_set() {
  return isa() == Isa::avx512 ? "avx512" : isa() == Isa::avx2 ? "avx2" : "portable";
}

template <typename T>
SpreadKernels<T> spread_kernels(int dims, int width, int lanes) {
  const auto select = [&](auto for_float, auto for_double) {
    if constexpr (std::is_same_v<T, float>)
      return for_float(dims, width, lanes);
    else
      return for_double(dims, width, lanes);
  };
  SpreadKernels<T> kernels;
#ifdef LARMOR_X86
  if (isa() == Isa::avx512)
    kernels = select(avx512::kernels_float, avx512::kernels_double);
  else if (isa() == Isa::avx2)
    kernels = select(avx2::kernels_float, avx2::kernels_double);
  else
#endif
    kernels = select(portable::kernels_float, portable::kernels_double);
  if (!kernels.spread)
    throw internal_error("no spreading kernel for {} dimensions, width {}, {} lanes", dims, width, lanes);
  return kernels;
}

template SpreadKernels<float> spread_kernels<float>(int, int, int);
template SpreadKernels<double> spread_kernels<double>(int, int, int);

}  // namespace larmor::nufft
