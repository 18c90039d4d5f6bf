#define LARMOR_ISA avx2
#include <larmor/operators/nufft/matrix/matrix_kernels.inc>
