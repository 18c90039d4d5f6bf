#define LARMOR_ISA avx512
#define LARMOR_LANES 16
#include <larmor/core/math/power_iteration.inc>
