#define LARMOR_ISA avx512
#include <larmor/operators/nufft/spread_kernels.inc>
