#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

#include <map>
#include <string>

namespace larmor::app {

/// Quantities that determine the time of a reconstruction, summed over its images.
struct Workload {
  int dims = 2;
  double pixels = 0;   ///< of the grids of the solution
  double samples = 0;  ///< of one coil
  double coils = 1;
  double images = 1;      ///< number solved one after the other; the frames of a series count as one
  double iterations = 0;  ///< applications of the normal operator to every pixel
  double calibrated = 0;  ///< pixels for which coil maps are estimated
};

/// Estimates them from the headers and options; the data are not used.
Workload workload_of(const Scan& scan, const ReconstructOptions& options);

/// Time in seconds from the scan in memory to the images.
struct PredictedTimes {
  double cpu = 0, gpu = 0;
};
/// Predicted with fixed rates of one kind of processor and GPU (device_choice.cpp), for `threads` threads and
/// for one GPU that has to be started: rough, accurate enough to distinguish a slice from a volume.
PredictedTimes predicted_times(const Workload& work, int threads);
/// The same time by stages, named as in reports: prepare, calibrate, setup, iterate. The start of a device is
/// not included.
std::map<std::string, double> predicted_stages(const Workload& work, int threads, bool on_gpu);

}  // namespace larmor::app
