#define LARMOR_ISA avx2
#include <larmor/mri/simulation/ellipsoid_sum.inc>
