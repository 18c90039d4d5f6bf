#define LARMOR_ISA portable
#include <larmor/operators/nufft/matrix_kernels.inc>
