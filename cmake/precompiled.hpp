#pragma once

// Headers that most sources include anyway; see LARMOR_PRECOMPILED_HEADERS. Sources still include what they
// use.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
