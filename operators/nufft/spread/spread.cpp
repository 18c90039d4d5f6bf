#include <larmor/core/format_error.hpp>
#include <larmor/operators/nufft/spread/place.hpp>
#include <larmor/operators/nufft/spread/spread.hpp>

#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace larmor::nufft {

#define LARMOR_DECLARE(isa)                                             \
  namespace isa {                                                       \
  SpreadKernels<float> kernels_float(int dims, int width, int lanes);   \
  SpreadKernels<double> kernels_double(int dims, int width, int lanes); \
  PlacePoints<float> place_float(int dims);                             \
  PlacePoints<double> place_double(int dims);                           \
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

// What an instruction set has for a precision.
#define LARMOR_SELECT(isa, what, ...)         \
  [&] {                                       \
    if constexpr (std::is_same_v<T, float>)   \
      return isa::what##_float(__VA_ARGS__);  \
    else                                      \
      return isa::what##_double(__VA_ARGS__); \
  }()
#ifdef LARMOR_X86
#define LARMOR_BEST(what, ...)                                     \
  (isa() == Isa::avx512 ? LARMOR_SELECT(avx512, what, __VA_ARGS__) \
   : isa() == Isa::avx2 ? LARMOR_SELECT(avx2, what, __VA_ARGS__)   \
                        : LARMOR_SELECT(portable, what, __VA_ARGS__))
#else
#define LARMOR_BEST(what, ...) LARMOR_SELECT(portable, what, __VA_ARGS__)
#endif

template <typename T>
SpreadKernels<T> spread_kernels(int dims, int width, int lanes) {
  const SpreadKernels<T> kernels = LARMOR_BEST(kernels, dims, width, lanes);
  if (!kernels.spread)
    throw internal_error("no spreading kernel for {} dimensions, width {}, {} lanes", dims, width, lanes);
  return kernels;
}

template <typename T>
PlacePoints<T> place_points(int dims) {
  return LARMOR_BEST(place, dims);
}

template SpreadKernels<float> spread_kernels<float>(int, int, int);
template SpreadKernels<double> spread_kernels<double>(int, int, int);
template PlacePoints<float> place_points<float>(int);
template PlacePoints<double> place_points<double>(int);

}  // namespace larmor::nufft
