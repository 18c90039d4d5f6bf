#define LARMOR_ISA avx512
#define LARMOR_LANES 16
// The second needs what the first defines.
#include <larmor/core/math/power_iteration.inc>

#include <larmor/core/math/sums_of_rows.inc>
