#define LARMOR_ISA portable
#include <larmor/operators/nufft/matrix/matrix_kernels.inc>
