#define LARMOR_ISA portable
#define LARMOR_LANES 4
#include <larmor/core/math/power_iteration.inc>
