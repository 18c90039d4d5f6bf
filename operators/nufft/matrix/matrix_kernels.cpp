#include <larmor/core/format_error.hpp>
#include <larmor/operators/nufft/matrix/matrix_kernels.hpp>
#include <larmor/operators/nufft/spread/spread.hpp>

#include <string_view>
#include <type_traits>

namespace larmor::nufft {

#define LARMOR_DECLARE(isa)                         \
  namespace isa {                                   \
  MatrixProduct<float> matrix_product_float(int);   \
  MatrixProduct<double> matrix_product_double(int); \
  }
LARMOR_DECLARE(portable)
#ifdef LARMOR_X86
LARMOR_DECLARE(avx2)
LARMOR_DECLARE(avx512)
#endif
#undef LARMOR_DECLARE

template <typename T>
MatrixProduct<T> matrix_product(int lanes) {
  const auto select = [&](auto for_float, auto for_double) {
    if constexpr (std::is_same_v<T, float>)
      return for_float(lanes);
    else
      return for_double(lanes);
  };
  auto product = select(portable::matrix_product_float, portable::matrix_product_double);
#ifdef LARMOR_X86
  const std::string_view isa = instruction_set();
  if (isa == "avx512")
    product = select(avx512::matrix_product_float, avx512::matrix_product_double);
  else if (isa == "avx2")
    product = select(avx2::matrix_product_float, avx2::matrix_product_double);
#endif
  if (!product) throw internal_error("there is no sparse matrix product for {} lanes", lanes);
  return product;
}

template MatrixProduct<float> matrix_product<float>(int);
template MatrixProduct<double> matrix_product<double>(int);

}  // namespace larmor::nufft
