#pragma once

// Headers that most tests include anyway; see LARMOR_PRECOMPILED_HEADERS.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <vector>
