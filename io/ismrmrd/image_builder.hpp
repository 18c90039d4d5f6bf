#pragma once

#include <larmor/core/array.hpp>
#include <larmor/io/ismrmrd/stored/sink.hpp>

#include <complex>
#include <span>
#include <string>
#include <vector>

// Not part of the public interface.

namespace larmor::ismrmrd {

/// Assembles an array from the content of a file. Nothing is trusted, not even the order of calls. Throws
/// Error like read_ismrmrd_images().
class ImageBuilder : public ImageSink {
 public:
  explicit ImageBuilder(std::string source) : source_(std::move(source)) {}

  void header(const std::string& xml) override { xml_ = xml; }
  void begin(std::span<const std::uint64_t> extents, bool complex) override;
  void pixels(std::uint64_t count, const Fill& fill) override;
  /// The same, with the numbers in memory already.
  void pixels(std::span<const float> numbers);
  /// The scan's header; empty if the file has none.
  const std::string& xml() const { return xml_; }
  /// The pixels; all must have been received.
  Array<std::complex<float>> finish();

 private:
  void require_order(bool in_order) const;

  std::string source_, xml_;
  Array<std::complex<float>> pixels_;
  std::vector<float> buffer_;
  std::size_t done_ = 0, floats_a_pixel_ = 1;
  bool begun_ = false;
};

}  // namespace larmor::ismrmrd
