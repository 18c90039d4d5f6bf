#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/automatic/device_choice.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// How ranks work, as far as it decides what is best divided.
struct RankedWork {
  Workload whole;        ///< what one process would do alone
  int ranks = 1;         ///< how many there are
  int threads = 1;       ///< of each
  bool on_gpus = false;  ///< each has one
  bool nccl = false;     ///< and they exchange arrays without the host
  double frames = 1;     ///< of a series
  bool apart = false;    ///< that no term couples
};

/// What can be divided: images or series of their own, the frames of one series, coils, samples; nothing
/// where one rank does all.
enum class Divided { problems, frames, coils, samples, nothing };

/// Seconds from the scan in memory to the images, where that is divided.
struct SplitTime {
  Divided divided;
  double seconds;
};
/// What is divided by its largest share, what every rank does itself, and what is exchanged. By the rates of
/// predicted_stages() and of links (split_choice.cpp): rough, meant to tell an image of coils from a series
/// of frames.
SplitTime predicted_time(const RankedWork& work, Divided divided);
/// The first that takes hardly longer than the quickest, which is within what predictions are good for.
/// times: one at least.
const SplitTime& chosen(const std::vector<SplitTime>& times);
/// "images 1.9 s, coils 3.2 s"
std::string to_string(const std::vector<SplitTime>& times);

}  // namespace larmor
