#define LARMOR_ISA portable
#define LARMOR_LANES 4
// The second header needs definitions of the first.
#include <larmor/core/math/power_iteration.inc>

#include <larmor/core/math/sums_of_rows.inc>
