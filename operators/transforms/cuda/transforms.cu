// Elementwise kernels of operators for CUDA devices, also of the folder above: few files compile faster.
#include <larmor/core/vectors/cuda/for_each.cuh>
#include <larmor/operators/elementwise_kernels.hpp>
#include <larmor/operators/transforms/blocks_kernels.hpp>
#include <larmor/operators/transforms/gradient_kernels.hpp>
#include <larmor/operators/transforms/wavelet_kernels.hpp>

namespace larmor::cuda {

#define LARMOR_INSTANTIATE_ROWS(Body)                                                                  \
  template void for_each_in_rows<Body<float>>(const Body<float>&, std::int64_t, std::int64_t, Stream); \
  template void for_each_in_rows<Body<double>>(const Body<double>&, std::int64_t, std::int64_t, Stream);
LARMOR_INSTANTIATE_ROWS(GatherBlocks)
LARMOR_INSTANTIATE_ROWS(ScatterBlocks)
LARMOR_INSTANTIATE_ROWS(MixRows)
LARMOR_INSTANTIATE_ROWS(ForwardDifferences)
LARMOR_INSTANTIATE_ROWS(ForwardDifferencesAdjoint)
LARMOR_INSTANTIATE_ROWS(SymmetrizedDifferences)
LARMOR_INSTANTIATE_ROWS(SymmetrizedDifferencesAdjoint)
LARMOR_INSTANTIATE_ROWS(WaveletAnalysis)
LARMOR_INSTANTIATE_ROWS(WaveletSynthesis)
LARMOR_INSTANTIATE_ROWS(CopyBox)
LARMOR_INSTANTIATE_ROWS(ShiftedCopy)
#undef LARMOR_INSTANTIATE_ROWS

#define LARMOR_INSTANTIATE(T)                                              \
  template void for_each(const Multiply<T>&, std::int64_t, Stream);        \
  template void for_each(const TakeRealPart<T>&, std::int64_t, Stream);    \
  template void for_each(const MultiplyMaps<T>&, std::int64_t, Stream);    \
  template void for_each(const MultiplyColumns<T>&, std::int64_t, Stream); \
  template void for_each(const CombineCoils<T>&, std::int64_t, Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::cuda
