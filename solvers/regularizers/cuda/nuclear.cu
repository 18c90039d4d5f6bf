// Elementwise kernels of nuclear norms for CUDA devices.
#include <larmor/core/vectors/cuda/for_each.cuh>
#include <larmor/solvers/regularizers/nuclear_kernels.hpp>

namespace larmor::cuda {

#define LARMOR_INSTANTIATE_ROWS(Body)                                                                  \
  template void for_each_in_rows<Body<float>>(const Body<float>&, std::int64_t, std::int64_t, Stream); \
  template void for_each_in_rows<Body<double>>(const Body<double>&, std::int64_t, std::int64_t, Stream);
LARMOR_INSTANTIATE_ROWS(GramParts)
LARMOR_INSTANTIATE_ROWS(ShrinkingMatrices)
LARMOR_INSTANTIATE_ROWS(MultiplyMatrices)
#undef LARMOR_INSTANTIATE_ROWS

template void for_each<SumChunks>(const SumChunks&, std::int64_t, Stream);
template void for_each<RootsOfSingularValues>(const RootsOfSingularValues&, std::int64_t, Stream);

}  // namespace larmor::cuda
