#pragma once

#include <larmor/mri/scan/frames.hpp>
#include <larmor/mri/scan/gating.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace larmor::app {

// Values as written on the command line. Parsing is strict: each function throws Error (usage) that states
// what was expected; the caller adds the option and the value.

/// A number or count in an interval, including its limits.
double number_in(std::string_view text, double low, double high);
Index count_in(std::string_view text, Index low, Index high);
/// "64", "64,48" or "64,48,20".
std::vector<Index> matrix_of(const std::string& text);
/// The same in mm, positive numbers.
std::vector<double> lengths_of(const std::string& text);
/// "2.5,5": echo times in ms.
std::vector<double> echo_times_of(const std::string& text);
/// "3" (only 3), "2:5" (2, 3, 4), "2:", ":5".
IndexRange index_range_of(const std::string& text);
/// "34" or "34,8": readouts per frame, and step from one frame to the next.
FrameWindow frame_window_of(const std::string& text);

/// "cardiac:20,respiratory:4"; empty for other texts, which may be the name of a file.
std::vector<Gate> gates_of(const std::string& text);

/// The parts between separators; one empty part for an empty text.
std::vector<std::string> split(const std::string& text, char separator);

}  // namespace larmor::app
