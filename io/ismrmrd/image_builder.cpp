#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/ismrmrd/image_builder.hpp>

#include <algorithm>
#include <cstring>

namespace larmor::ismrmrd {

void ImageBuilder::require_order(bool in_order) const {
  if (!in_order) throw input_error("{}: its images arrived out of order", source_);
}

void ImageBuilder::begin(std::span<const std::uint64_t> extents, bool complex) {
  require_order(!begun_);
  begun_ = true;
  floats_a_pixel_ = complex ? 2 : 1;
  std::vector<Index> axes;
  double bytes = sizeof(std::complex<float>);
  for (const std::uint64_t extent : extents) {
    bytes *= static_cast<double>(extent);
    axes.push_back(static_cast<Index>(extent));
  }
  if (bytes > static_cast<double>(available_memory_bytes()))
    throw resource_error("{}: the images need {:.3g} bytes, {} are available", source_, bytes,
                         format_bytes(available_memory_bytes()));
  pixels_ = Array<std::complex<float>>(without_single_axes({axes.data(), static_cast<int>(axes.size())}));
}

void ImageBuilder::pixels(std::uint64_t count, const Fill& fill) {
  buffer_.resize(count);
  fill(buffer_);
  pixels(buffer_);
}

void ImageBuilder::pixels(std::span<const float> numbers) {
  require_order(begun_ && numbers.size() % floats_a_pixel_ == 0 &&
                numbers.size() / floats_a_pixel_ <= static_cast<std::size_t>(pixels_.size()) - done_);
  if (numbers.empty()) return;
  std::complex<float>* const to = pixels_.begin() + done_;
  if (floats_a_pixel_ == 2)
    std::memcpy(static_cast<void*>(to), numbers.data(), numbers.size_bytes());
  else
    std::copy(numbers.begin(), numbers.end(), to);
  done_ += numbers.size() / floats_a_pixel_;
}

Array<std::complex<float>> ImageBuilder::finish() {
  require_order(begun_ && done_ == static_cast<std::size_t>(pixels_.size()));
  return std::move(pixels_);
}

}  // namespace larmor::ismrmrd
