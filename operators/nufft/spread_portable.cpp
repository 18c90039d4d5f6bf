#define LARMOR_ISA portable
#include <larmor/operators/nufft/spread_kernels.inc>
