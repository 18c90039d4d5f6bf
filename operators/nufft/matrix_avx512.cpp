#define LARMOR_ISA avx512
#include <larmor/operators/nufft/matrix_kernels.inc>
