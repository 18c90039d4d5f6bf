#include <larmor/core/data/geometry.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/ismrmrd/image_builder.hpp>
#include <larmor/io/ismrmrd/image_reader.hpp>
#include <larmor/io/ismrmrd/received.hpp>
#include <larmor/io/isolated/reader_process.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace larmor {

namespace {

Array<std::complex<float>> read_table(const std::string& path, const ReadImagesOptions& options,
                                      isolated::Contents contents, std::string* xml = nullptr) {
  ismrmrd::ImageBuilder builder(path);
  isolated::ReaderProcess process({contents, path, options.group, options.helper}, options.cancel);
  ismrmrd::receive_images([&] { return process.next(); }, path, builder);
  if (xml) *xml = builder.xml();
  return builder.finish();
}

// Fills in an image without its pixels, and returns its kind. The numbers come from another process:
// everything is checked.
ImageKind read_header(const std::complex<float>* numbers, const std::string& path, Image& image) {
  ImageGeometry& geometry = image.geometry;
  for (std::size_t i = 0; i < ismrmrd::image_header_numbers; ++i)
    if (!std::isfinite(numbers[i].real()))
      throw input_error("{}: an image header has a number that is not finite", path);
  const auto count = [&](std::size_t i) {
    const float value = numbers[i].real();
    if (!(value >= 0 && value <= 65535))
      throw input_error("{}: an image header has the value {:g}, expected 0 to 65535", path, value);
    return static_cast<std::uint16_t>(value);
  };
  Vec3* const vectors[] = {&geometry.fov_mm, &geometry.position, &geometry.read_dir, &geometry.phase_dir,
                           &geometry.slice_dir};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    geometry.matrix[axis] = std::max<Index>(1, count(axis));
    for (std::size_t v = 0; v < std::size(vectors); ++v)
      (*vectors[v])[axis] = static_cast<double>(numbers[3 * (v + 1) + axis].real());
  }
  const Vec3& fov = geometry.fov_mm;
  geometry.orientation_known = orthonormal(geometry) && fov[0] > 0 && fov[1] > 0 && fov[2] > 0;
  image.counters = {count(18), count(19), count(20), count(21), count(22)};
  image.acquisition_time_stamp = std::uint32_t{count(23)} << 16 | count(24);
  constexpr ImageKind kinds[] = {ImageKind::magnitude, ImageKind::magnitude, ImageKind::phase,
                                 ImageKind::real,      ImageKind::real,      ImageKind::complex};
  const std::uint16_t type = count(25);
  return type < std::size(kinds) ? kinds[type] : ImageKind::magnitude;
}

}  // namespace

Array<std::complex<float>> read_ismrmrd_images(const std::string& path, const ReadImagesOptions& options) {
  return read_table(path, options, isolated::Contents::images);
}

StoredImages read_ismrmrd_stored(const std::string& path, const ReadImagesOptions& options) {
  StoredImages result;
  const auto numbers = read_table(path, options, isolated::Contents::image_headers, &result.ismrmrd_header);
  constexpr auto columns = static_cast<Index>(ismrmrd::image_header_numbers);
  if (numbers.shape().rank() != 2 || numbers.shape()[1] != columns)
    throw input_error("{}: the headers of its images are {}, expected [images, {}] numbers", path,
                      numbers.shape().to_string(), columns);
  result.pixels = read_ismrmrd_images(path, options);
  const Index count = numbers.shape()[0];
  std::set<ImageKind> kinds;
  for (Index i = 0; i < count; ++i)
    kinds.insert(read_header(numbers.data() + i * columns, path, result.images.emplace_back()));
  if (kinds.size() == 1) result.kind = *kinds.begin();
  const auto& matrix = result.images.front().geometry.matrix;
  const Shape& shape = result.pixels.shape();
  const bool alike = std::all_of(result.images.begin(), result.images.end(),
                                 [&](const Image& image) { return image.geometry.matrix == matrix; });
  if (!alike || shape.rank() < 2 || shape[shape.rank() - 1] != matrix[0] ||
      shape[shape.rank() - 2] != matrix[1] || shape.size() % (count * matrix[0] * matrix[1] * matrix[2]) != 0)
    throw input_error("{}: its headers say {} images of {}×{}×{}{}, its pixels are {}", path, count,
                      matrix[0], matrix[1], matrix[2], alike ? "" : " and others", shape.to_string());
  return result;
}

}  // namespace larmor
