#define LARMOR_ISA avx512
#include <larmor/operators/nufft/spread/place_kernels.inc>
#include <larmor/operators/nufft/spread/spread_kernels.inc>
