#define LARMOR_ISA avx2
#include <larmor/operators/nufft/spread/place_kernels.inc>
#include <larmor/operators/nufft/spread/spread_kernels.inc>
