#pragma once

#include <larmor/options/reconstruction/scan_options.hpp>

namespace larmor::app {

/// How much is tried, under the name that the command has for it.
void add_tune_level(Command& command, const std::string& name, TuneOptions& tune);

// What reconstruct() is told beside the scan, group by group, as the help has them.

/// --regularizer, --solver, --iterations, --tolerance
void add_iteration_options(Command& command, ReconstructOptions& reconstruct);
/// --toeplitz, --nufft-tolerance, --precision, --tune
void add_transform_options(Command& command, ReconstructOptions& reconstruct);
/// --density, --calibrate, --maps, --combine, …
void add_model_options(Command& command, ScanOptions& options);
/// --replicas, --seed
void add_quality_options(Command& command, ReconstructOptions& reconstruct);
/// --split
void add_split_option(Command& command, ReconstructOptions& reconstruct);
/// What does not go together, and what is decided by what was not given.
void add_reconstruction_rules(Command& command, ReconstructOptions& reconstruct);

}  // namespace larmor::app
