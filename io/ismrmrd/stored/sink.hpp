#pragma once

#include <larmor/io/ismrmrd/stored/records.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

// Receivers of a file's content, in the order in which it is read; not part of the public interface.

namespace larmor::ismrmrd {

/// Writes numbers into the given memory.
using Fill = std::function<void(std::span<float>)>;

/// Number of floats of a row's sequences.
struct RowLengths {
  std::uint64_t trajectory = 0, data = 0;
};

/// Position in the file of a row's sequences, stored as floats of this machine, and their number of floats.
/// The position of empty ones is arbitrary.
struct RowPlaces {
  std::uint64_t trajectory_at = 0, data_at = 0;  ///< bytes from the beginning of the file
  RowLengths lengths;
};

/// Receives a table of acquisitions: begin(), headers() of all rows, values() or places() of all rows, then
/// waveform() for each waveform of the file.
class AcquisitionSink {
 public:
  virtual ~AcquisitionSink() = default;
  virtual void begin(const std::string& xml, std::uint64_t rows) = 0;
  virtual void headers(std::uint64_t first, std::span<const hdf5::AcquisitionHeaderRecord> records) = 0;
  /// `fill` writes, row after row, the trajectory and then the samples as pairs of floats.
  virtual void values(std::uint64_t first, std::span<const RowLengths> lengths, const Fill& fill) = 0;
  /// True if the receiver reads numbers that need no conversion from the file itself, given their position.
  virtual bool takes_places() const { return false; }
  virtual void places(std::uint64_t, std::span<const RowPlaces>) {}
  /// `values`: [channels][number_of_samples].
  virtual void waveform(const hdf5::WaveformHeaderRecord& head, std::span<const std::uint32_t> values) = 0;
};

/// Shape::max_rank: images have no more axes.
inline constexpr int most_image_axes = 8;

/// Limit in bytes for pixels as complex<float>, given the size of their file: enough for an uncompressed
/// array of small integers, and no more than a small file may claim.
inline double image_bytes_limit(std::uint64_t file_bytes) {
  return 16.0 * static_cast<double>(file_bytes) + 64e6;
}

/// Numbers of an image's header, as floats: matrix, field of view in mm, position, read, phase and slice
/// direction (each x, y, z), then the counters slice, contrast, phase, repetition and set, the upper and the
/// lower half of the time stamp, and the image type.
inline constexpr std::uint64_t image_header_numbers = 26;

/// Receives images: header() for headers alone, begin(), then all pixels in order.
class ImageSink {
 public:
  virtual ~ImageSink() = default;
  /// The XML of the scan.
  virtual void header(const std::string& xml) = 0;
  /// The axes of the file, x last.
  virtual void begin(std::span<const std::uint64_t> extents, bool complex) = 0;
  /// `count` floats; complex pixels are pairs.
  virtual void pixels(std::uint64_t count, const Fill& fill) = 0;
};

}  // namespace larmor::ismrmrd
