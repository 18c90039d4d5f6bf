#define LARMOR_ISA portable
#include <larmor/mri/simulation/ellipsoid_sum.inc>
