#pragma once

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/options/reconstruction/scan_files.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace larmor::app {

/// The options of `recon run` without a command line, for other languages: the same names with '_' for '-'
/// ("solve_fov"), the same values and rules, and arrays instead of files.
class NamedOptions {
 public:
  NamedOptions();
  NamedOptions(const NamedOptions&) = delete;
  NamedOptions& operator=(const NamedOptions&) = delete;

  /// An option's value as on the command line. A flag is set by "true" and left alone by "false". Throws
  /// Error (usage) that names the option.
  void set(const std::string& name, const std::string& value);
  /// An array for one of "trajectory", "density", "gradient_response", "motion", "maps", "field_map",
  /// "r2star", "field_weight", "band_phases", "bins", "basis", "dictionary"; copied. Throws Error (usage) for
  /// other names, for arrays without elements, and for complex numbers where real ones are expected.
  void set_array(const std::string& name, View<const double> values);
  void set_array(const std::string& name, View<const std::complex<float>> values);
  void set_array(const std::string& name, View<const std::complex<double>> values);
  /// The scan whose noise readouts are used; borrowed.
  void set_noise(const Scan& scan) { options_.reconstruct.prepare.noise = &scan; }
  /// Results shared with other scans.
  void set_protocol(std::shared_ptr<Protocol> protocol) {
    options_.reconstruct.protocol = std::move(protocol);
  }
  /// The ranks that reconstruct together; this process is one of them.
  void set_ranks(std::shared_ptr<Communicator> ranks) {
    options_.reconstruct.ranks.communicator = std::move(ranks);
  }

  /// Reads the files that are named and checks the rules. Afterwards options() are complete.
  void finish(const Scan& scan, Context& ctx);
  const ReconstructOptions& options() const { return options_.reconstruct; }
  /// --device, --threads, --memory, --deterministic
  const MachineOptions& machine() const { return options_.machine; }

  /// finish(), then reconstruct(). The options serve one scan.
  Reconstruction reconstruct(Scan scan, Context& ctx);

  /// finish(), then estimate_maps(), or those of the calibration scan: EstimatedMaps::maps.
  Array<std::complex<float>> coil_maps(Scan scan, Context& ctx);

  /// finish(), then estimate_field_map(); echo_times_ms: empty: those of the scan's header.
  ImageSeries field_map(Scan scan, std::vector<double> echo_times_ms, Context& ctx);

  /// The given options, as "name=value", arrays as "name=[shape]".
  const std::vector<std::string>& given() const { return given_; }
  /// True if a value of this option may name a file.
  bool takes_file(const std::string& name) const;
  /// Its kind, type and help. Throws Error (usage) for names that no option has.
  Option& option(const std::string& name);
  /// All names, in the order of the help.
  std::vector<std::string> names() const;

 private:
  template <typename Values>
  void place(const std::string& name, const Values& values);

  Command command_;
  ScanOptions options_;
  std::vector<std::string> given_;
  GivenArrays files_, arrays_;
  Array<std::complex<double>> dictionary_;
  Array<std::complex<float>> other_maps_;
};

/// A message of the command with its options replaced by names: "--solve-fov" becomes "solve_fov".
std::string in_names(std::string message);

}  // namespace larmor::app
