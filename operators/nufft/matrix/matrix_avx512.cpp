#define LARMOR_ISA avx512
#include <larmor/operators/nufft/matrix/matrix_kernels.inc>
