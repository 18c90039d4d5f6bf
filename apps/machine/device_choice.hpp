#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

#include <map>
#include <string>

namespace larmor::app {

/// What the time of a reconstruction depends on, all its images together.
struct Workload {
  int dims = 2;
  double pixels = 0;   ///< of the grids that are solved on
  double samples = 0;  ///< of one coil
  double coils = 1;
  double images = 1;      ///< solved for one after the other; frames of a series count as one
  double iterations = 0;  ///< applications of the normal operator to every pixel
  double calibrated = 0;  ///< pixels that coil maps are estimated for
};

/// From what the headers and options say; nothing of the data is looked at.
Workload workload_of(const Scan& scan, const ReconstructOptions& options);

/// Seconds from the scan in memory to the images.
struct PredictedTimes {
  double cpu = 0, gpu = 0;
};
/// By fixed rates of one kind of processor and of GPU (device_choice.cpp), with `threads` threads and with
/// one GPU that has still to be started: rough, meant to tell a slice from a volume.
PredictedTimes predicted_times(const Workload& work, int threads);
/// The same seconds by stages, with the names that reports have: prepare, calibrate, setup, iterate. Those of
/// starting a device are no part of them.
std::map<std::string, double> predicted_stages(const Workload& work, int threads, bool on_gpu);

}  // namespace larmor::app
