// Elementwise kernels of proximal maps for CUDA devices.
#include <larmor/core/vectors/cuda/for_each.cuh>
#include <larmor/solvers/regularizers/proximal_kernels.hpp>

namespace larmor::cuda {

#define LARMOR_INSTANTIATE_ROWS(Body)                                                                  \
  template void for_each_in_rows<Body<float>>(const Body<float>&, std::int64_t, std::int64_t, Stream); \
  template void for_each_in_rows<Body<double>>(const Body<double>&, std::int64_t, std::int64_t, Stream);
LARMOR_INSTANTIATE_ROWS(ShrinkGroups)
LARMOR_INSTANTIATE_ROWS(RootsOfGroupNorms)
LARMOR_INSTANTIATE_ROWS(ShrinkDetails)
LARMOR_INSTANTIATE_ROWS(RootsOfDetailNorms)
LARMOR_INSTANTIATE_ROWS(Roll)
LARMOR_INSTANTIATE_ROWS(SumOfRolled)
#undef LARMOR_INSTANTIATE_ROWS

template void for_each<ProjectReal<float>>(const ProjectReal<float>&, std::int64_t, Stream);
template void for_each<ProjectReal<double>>(const ProjectReal<double>&, std::int64_t, Stream);

}  // namespace larmor::cuda
