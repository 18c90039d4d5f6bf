#define LARMOR_ISA avx512
#include <larmor/mri/simulation/ellipsoid_sum.inc>
