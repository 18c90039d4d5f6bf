#pragma once

#include <larmor/core/array.hpp>
#include <larmor/io/ismrmrd/stored/sink.hpp>

#include <complex>
#include <span>
#include <string>
#include <vector>

// No part of the public interface.

namespace larmor::ismrmrd {

/// Makes an array of what a file stores. It trusts nothing, not even the order of calls. Throws Error like
/// read_ismrmrd_images().
class ImageBuilder : public ImageSink {
 public:
  explicit ImageBuilder(std::string source) : source_(std::move(source)) {}

  void header(const std::string& xml) override { xml_ = xml; }
  void begin(std::span<const std::uint64_t> extents, bool complex) override;
  void pixels(std::uint64_t count, const Fill& fill) override;
  /// The same, with the numbers there already.
  void pixels(std::span<const float> numbers);
  /// The scan's header; empty where the file has none.
  const std::string& xml() const { return xml_; }
  /// The pixels; all must have been there.
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
