#define LARMOR_ISA portable
#include <larmor/operators/nufft/spread/place_kernels.inc>
#include <larmor/operators/nufft/spread/spread_kernels.inc>
