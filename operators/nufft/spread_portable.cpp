#define LARMOR_ISA portable
#include <larmor/operators/nufft/place_kernels.inc>
#include <larmor/operators/nufft/spread_kernels.inc>
