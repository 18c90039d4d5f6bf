#pragma once

/// Everything that a program on top of Larmor usually needs.

#include <larmor/core/array.hpp>
#include <larmor/core/context.hpp>
#include <larmor/core/error.hpp>
#include <larmor/core/image.hpp>
#include <larmor/core/scan.hpp>
#include <larmor/core/vector_ops.hpp>
#include <larmor/core/version.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd_reader.hpp>
#include <larmor/io/ismrmrd_writer.hpp>
#include <larmor/mri/coil_maps.hpp>
#include <larmor/mri/density.hpp>
#include <larmor/mri/model.hpp>
#include <larmor/mri/phantom.hpp>
#include <larmor/mri/prepare.hpp>
#include <larmor/mri/reconstruct.hpp>
#include <larmor/mri/series.hpp>
#include <larmor/mri/simulate.hpp>
#include <larmor/mri/trajectories.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/linear_operator.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/conjugate_gradient.hpp>
#include <larmor/solvers/regularizers/constraints.hpp>
#include <larmor/solvers/regularizers/l1.hpp>
#include <larmor/solvers/regularizers/l2.hpp>
#include <larmor/solvers/regularizers/low_rank.hpp>
#include <larmor/solvers/regularizers/table.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>
