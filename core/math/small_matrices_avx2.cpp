#define LARMOR_ISA avx2
#define LARMOR_LANES 8
// The second needs what the first defines.
#include <larmor/core/math/power_iteration.inc>

#include <larmor/core/math/sums_of_rows.inc>
