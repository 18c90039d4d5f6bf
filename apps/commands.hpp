#pragma once

#include <larmor/apps/session.hpp>

#include <CLI/CLI.hpp>

namespace larmor::app {

// One function a subcommand: declares its options below `recon`; when it is the one called, session.action is
// set.
void add_run(CLI::App& recon, Session& session);
void add_info(CLI::App& recon, Session& session);
void add_simulate(CLI::App& recon, Session& session);
void add_maps(CLI::App& recon, Session& session);
void add_density(CLI::App& recon, Session& session);
void add_psf(CLI::App& recon, Session& session);
void add_compare(CLI::App& recon, Session& session);
void add_tune(CLI::App& recon, Session& session);
void add_bench(CLI::App& recon, Session& session);
/// serve answers that it is not there yet.
void add_later_commands(CLI::App& recon);
/// `recon completion`: the bash completion script, made from the options themselves.
void add_completion(CLI::App& recon, Session& session);

}  // namespace larmor::app
