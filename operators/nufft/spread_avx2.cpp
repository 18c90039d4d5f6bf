#define LARMOR_ISA avx2
#include <larmor/operators/nufft/place_kernels.inc>
#include <larmor/operators/nufft/spread_kernels.inc>
