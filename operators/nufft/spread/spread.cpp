#include <larmor/core/format_error.hpp>
#include <larmor/core/math/instruction_set.hpp>
#include <larmor/operators/nufft/spread/place.hpp>
#include <larmor/operators/nufft/spread/spread.hpp>

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

const char* instruction_set() {
  return to_string(larmor::instruction_set());
}

// Kernels of one instruction set and precision.
#define LARMOR_SELECT(isa, what, ...)         \
  [&] {                                       \
    if constexpr (std::is_same_v<T, float>)   \
      return isa::what##_float(__VA_ARGS__);  \
    else                                      \
      return isa::what##_double(__VA_ARGS__); \
  }()
#ifdef LARMOR_X86
#define LARMOR_BEST(what, ...)                                                                    \
  (larmor::instruction_set() == InstructionSet::avx512 ? LARMOR_SELECT(avx512, what, __VA_ARGS__) \
   : larmor::instruction_set() == InstructionSet::avx2 ? LARMOR_SELECT(avx2, what, __VA_ARGS__)   \
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
