#define LARMOR_ISA avx512
#include <larmor/operators/nufft/place_kernels.inc>
#include <larmor/operators/nufft/spread_kernels.inc>
