#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Not part of the public interface.

namespace larmor::pulseq {

/// Times in seconds, gradients in Hz/m, as far as needed for a trajectory.
struct RfEvent {
  double delay = 0;   ///< from the start of the block to that of the pulse
  double center = 0;  ///< from the start of the pulse to its maximum
  double end = 0;     ///< of the pulse, from the start of the block
  bool refocusing = false, ignored = false;
};
struct GradientEvent {
  bool trapezoid = false;
  double amplitude = 0, delay = 0;
  double rise = 0, flat = 0, fall = 0;  ///< of a trapezoid
  std::int64_t shape = 0, time_shape = 0;
  bool has_edges = false;
  double first = 0, last = 0;  ///< at the ends of the shape, if the file gives them
};
struct AdcEvent {
  std::int64_t samples = 0;
  double dwell = 0, delay = 0;
};
/// A rotation R by rows: gradients g become R g.
using Rotation = std::array<std::array<double, 3>, 3>;
/// Counters and flags of acquisitions that are used; others are ignored.
enum class Label { LIN, PAR, SLC, SEG, REP, AVG, SET, ECO, PHS, REV, NAV, NOISE, REF, IMA };
inline constexpr std::size_t label_count = 14;
using Labels = std::array<std::uint16_t, label_count>;
struct Block {
  double duration = 0;
  std::int64_t rf = 0, adc = 0;
  std::int64_t gradients[3] = {0, 0, 0};
  std::int64_t rotation = 0;
};

/// A sequence read from the text of a .seq file (Layton et al., Magn. Reson. Med. 77:1544, 2017; the
/// specification of the file format 1.2 to 1.5).
struct Sequence {
  double gradient_raster = 10e-6;
  std::array<double, 3> fov{0, 0, 0};         ///< in metres, zeros if missing
  double echo_time = 0, repetition_time = 0;  ///< likewise
  std::vector<Block> blocks;
  std::vector<Labels> labels;  ///< of every acquisition; empty if the file sets none
  std::map<std::int64_t, RfEvent> rf;
  std::map<std::int64_t, GradientEvent> gradients;
  std::map<std::int64_t, AdcEvent> adc;
  std::map<std::int64_t, Rotation> rotations;
  std::map<std::int64_t, std::vector<double>> shapes;  ///< decompressed
};

/// Throws Error (input), with `name` and the line, for texts that are not sequences, for unknown versions,
/// invalid numbers, missing events, and for shapes and blocks beyond the limits of any scanner.
Sequence parse_sequence(std::string_view text, const std::string& name);

}  // namespace larmor::pulseq
