#pragma once

#include <larmor/options/reconstruction/scan_options.hpp>

namespace larmor::app {

/// Tuning effort, under the name that the command has for it.
void add_tune_level(Command& command, const std::string& name, TuneOptions& tune);

// Options of reconstruct(), group by group, as in the help.

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
/// Options that exclude each other, and defaults that depend on options that were not given.
void add_reconstruction_rules(Command& command, ReconstructOptions& reconstruct);

}  // namespace larmor::app
