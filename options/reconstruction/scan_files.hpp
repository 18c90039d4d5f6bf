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
  /// Where field maps and priors lie, by file, where that is known.
  std::map<std::string, std::vector<ImageGeometry>> places;
};
/// Reads the files named in options and points options.reconstruct at them; keep the result alive meanwhile.
GivenArrays read_given_arrays(ScanOptions& options);
/// Field maps and priors get the places of the scan's images, see placed_image(); options.reconstruct points
/// at them.
void place_given_arrays(GivenArrays& given, ScanOptions& options, const Scan& scan, Context& ctx);
/// Whether SCAN is a trajectory alone, for a command that can do with that.
bool is_trajectory_alone(const ScanOptions& options);
/// The scan file, or a scan made of arrays; `how` beside what the options say.
Scan read_scan_files(const ScanOptions& options, IsmrmrdReadOptions how);
/// Trajectory and labels of the sequence that --trajectory names, for `scan`; the option is then done.
void take_given_sequence(ScanOptions& options, Scan& scan);
/// Coil maps of the scan that --calibration names, for `scan`, see maps_of_other_scan().
Array<std::complex<float>> maps_of_calibration_file(const ScanOptions& options, const Scan& scan,
                                                    Context& ctx, const std::atomic<bool>* cancel = nullptr);

}  // namespace larmor::app
