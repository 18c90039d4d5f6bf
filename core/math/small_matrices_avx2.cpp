#define LARMOR_ISA avx2
#define LARMOR_LANES 8
// The second header needs definitions of the first.
#include <larmor/core/math/power_iteration.inc>

#include <larmor/core/math/sums_of_rows.inc>
