#include <larmor/core/format_error.hpp>
#include <larmor/operators/nufft/matrix/matrix_kernels.hpp>
#include <larmor/operators/nufft/spread/spread.hpp>

#include <string_view>
#include <type_traits>

namespace larmor::nufft {

#define LARMOR_DECLARE(isa)                         \
  namespace isa {                                   \
  MatrixKernels<float> matrix_kernels_float(int);   \
  MatrixKernels<double> matrix_kernels_double(int); \
  }
LARMOR_DECLARE(portable)
#ifdef LARMOR_X86
LARMOR_DECLARE(avx2)
LARMOR_DECLARE(avx512)
#endif
#undef LARMOR_DECLARE

template <typename T>
MatrixKernels<T> matrix_kernels(int lanes) {
  const auto select = [&](auto for_float, auto for_double) {
    if constexpr (std::is_same_v<T, float>)
      return for_float(lanes);
    else
      return for_double(lanes);
  };
  auto kernels = select(portable::matrix_kernels_float, portable::matrix_kernels_double);
#ifdef LARMOR_X86
  const std::string_view isa = instruction_set();
  if (isa == "avx512")
    kernels = select(avx512::matrix_kernels_float, avx512::matrix_kernels_double);
  else if (isa == "avx2")
    kernels = select(avx2::matrix_kernels_float, avx2::matrix_kernels_double);
#endif
  if (!kernels.gather) throw internal_error("there is no sparse matrix product for {} lanes", lanes);
  return kernels;
}

template MatrixKernels<float> matrix_kernels<float>(int);
template MatrixKernels<double> matrix_kernels<double>(int);

}  // namespace larmor::nufft
