#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/ismrmrd/image_reader.hpp>
#include <larmor/io/ismrmrd/stored/image_table.hpp>
#include <larmor/io/isolated/reader_process.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace larmor {
namespace {

using Pixels = Array<std::complex<float>>;

// Makes an array of what a file stores; trusts nothing.
class ImageBuilder : public ismrmrd::ImageSink {
 public:
  explicit ImageBuilder(std::string source) : source_(std::move(source)) {}

  void begin(std::span<const std::uint64_t> extents, bool complex) override {
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
    pixels_ = Pixels(without_single_axes({axes.data(), static_cast<int>(axes.size())}));
  }
  void pixels(std::uint64_t count, const ismrmrd::Fill& fill) override {
    buffer_.resize(count);
    fill(buffer_);
    pixels(buffer_);
  }
  void pixels(std::span<const float> numbers) {
    require_order(begun_ && numbers.size() % floats_a_pixel_ == 0 &&
                  numbers.size() / floats_a_pixel_ <= static_cast<std::size_t>(pixels_.size()) - done_);
    std::complex<float>* const to = pixels_.begin() + done_;
    if (floats_a_pixel_ == 2)
      std::memcpy(static_cast<void*>(to), numbers.data(), numbers.size_bytes());
    else
      std::copy(numbers.begin(), numbers.end(), to);
    done_ += numbers.size() / floats_a_pixel_;
  }
  Pixels finish() {
    require_order(begun_ && done_ == static_cast<std::size_t>(pixels_.size()));
    return std::move(pixels_);
  }

 private:
  void require_order(bool in_order) const {
    if (!in_order) throw input_error("{}: its images arrive in disorder", source_);
  }

  std::string source_;
  Pixels pixels_;
  std::vector<float> buffer_;
  std::size_t done_ = 0, floats_a_pixel_ = 1;
  bool begun_ = false;
};

}  // namespace

Pixels read_ismrmrd_images(const std::string& path, const ReadImagesOptions& options) {
  ImageBuilder builder(path);
  if (!options.isolated) {
    const Descriptor descriptor = open_to_read(path);
    const hdf5::Silence silence;
    ismrmrd::read_image_pixels(hdf5::File(hdf5::MappedFile(descriptor.number(), path), path), options.group,
                               builder);
    return builder.finish();
  }
  isolated::ReaderProcess process({"images", path, options.group, options.helper}, options.cancel);
  for (;;) {
    const isolated::Message message = process.next();
    if (const auto* images = std::get_if<isolated::Images>(&message))
      builder.begin(images->extents, images->complex);
    else if (const auto* pixels = std::get_if<isolated::Pixels>(&message))
      builder.pixels(pixels->numbers);
    else if (std::holds_alternative<isolated::Finished>(message))
      return builder.finish();
    else
      throw input_error("cannot read {}: acquisitions arrive in place of images", path);
  }
}

}  // namespace larmor
