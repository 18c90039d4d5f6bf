#pragma once

/// Everything that a program on top of Larmor usually needs.

#include <larmor/core/array.hpp>
#include <larmor/core/context.hpp>
#include <larmor/core/error.hpp>
#include <larmor/core/image.hpp>
#include <larmor/core/scan.hpp>
#include <larmor/core/vector_ops.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/linear_operator.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/conjugate_gradient.hpp>
