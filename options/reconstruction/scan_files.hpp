#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/options/reconstruction/scan_options.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace larmor::app {

/// Arrays from files that the reconstruction's options borrow.
struct GivenArrays {
  Array<double> bins;
  Array<std::complex<double>> basis;
  Array<float> field_map, field_decay, field_weight;
  Array<std::complex<float>> maps;
  std::vector<Array<std::complex<float>>> priors;
  std::unique_ptr<Scan> noise;
  /// Positions of field maps and priors, by file, if known.
  std::map<std::string, std::vector<ImageGeometry>> places;
};
/// Reads the files named in options and points options.reconstruct at them; keep the result alive meanwhile.
GivenArrays read_given_arrays(ScanOptions& options);
/// Moves field maps and priors to the positions of the scan's images, see placed_image(); options.reconstruct
/// then refers to the results.
void place_given_arrays(GivenArrays& given, ScanOptions& options, const Scan& scan, Context& ctx);
/// True if SCAN is a trajectory alone, for a command that accepts it.
bool is_trajectory_alone(const ScanOptions& options);
/// The scan file, or a scan made from arrays; `how`: further reading options.
Scan read_scan_files(const ScanOptions& options, IsmrmrdReadOptions how);
/// Trajectory and labels of the sequence given by --trajectory, for `scan`; the option is cleared.
void take_given_sequence(ScanOptions& options, Scan& scan);
/// Coil maps of the scan given by --calibration, for `scan`, see maps_of_other_scan().
Array<std::complex<float>> maps_of_calibration_file(const ScanOptions& options, const Scan& scan,
                                                    Context& ctx, const std::atomic<bool>* cancel = nullptr);

}  // namespace larmor::app
