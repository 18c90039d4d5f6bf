#define LARMOR_ISA avx2
#define LARMOR_LANES 8
#include <larmor/core/math/power_iteration.inc>
