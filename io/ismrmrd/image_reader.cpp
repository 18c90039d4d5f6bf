#include <larmor/core/format_error.hpp>
#include <larmor/io/ismrmrd/image_builder.hpp>
#include <larmor/io/ismrmrd/image_reader.hpp>
#include <larmor/io/ismrmrd/received.hpp>
#include <larmor/io/isolated/reader_process.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace larmor {

namespace {

Array<std::complex<float>> read_table(const std::string& path, const ReadImagesOptions& options,
                                      isolated::Contents contents) {
  ismrmrd::ImageBuilder builder(path);
  isolated::ReaderProcess process({contents, path, options.group, options.helper}, options.cancel);
  ismrmrd::receive_images([&] { return process.next(); }, path, builder);
  return builder.finish();
}

bool orthonormal(const ImageGeometry& image) {
  constexpr double tolerance = 1e-2;
  const Vec3* axes[] = {&image.read_dir, &image.phase_dir, &image.slice_dir};
  bool result = true;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b <= a; ++b) {
      double product = 0;
      for (std::size_t i = 0; i < 3; ++i) product += (*axes[a])[i] * (*axes[b])[i];
      result = result && std::abs(product - (a == b ? 1 : 0)) < tolerance;
    }
  return result;
}

struct Place {
  ImageGeometry geometry;
  std::uint16_t slice = 0, set = 0;
  std::size_t index = 0;  // in the file
};

// The numbers come from another process: nothing is taken for granted.
Place place_of(const std::complex<float>* numbers, const std::string& path) {
  Place place;
  ImageGeometry& geometry = place.geometry;
  for (std::size_t i = 0; i < ismrmrd::image_place_numbers; ++i)
    if (!std::isfinite(numbers[i].real()))
      throw input_error("{}: a header of its images holds what is not a finite number", path);
  const auto count = [&](std::size_t i) {
    const float value = numbers[i].real();
    if (!(value >= 0 && value <= 65535))
      throw input_error("{}: a header of its images holds {:g}, expected 0 to 65535", path, value);
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
  place.slice = count(18);
  place.set = count(19);
  return place;
}

}  // namespace

Array<std::complex<float>> read_ismrmrd_images(const std::string& path, const ReadImagesOptions& options) {
  return read_table(path, options, isolated::Contents::images);
}

PlacedMaps read_ismrmrd_maps(const std::string& path, const ReadImagesOptions& options) {
  PlacedMaps result{read_ismrmrd_images(path, options), {}};
  const auto numbers = read_table(path, options, isolated::Contents::image_places);
  constexpr auto columns = static_cast<Index>(ismrmrd::image_place_numbers);
  if (numbers.shape().rank() != 2 || numbers.shape()[1] != columns)
    throw input_error("{}: the headers of its images are {}, expected [images, {}] numbers", path,
                      numbers.shape().to_string(), columns);
  const Index images = numbers.shape()[0];
  std::vector<Place> places;
  for (Index i = 0; i < images; ++i) {
    places.push_back(place_of(numbers.data() + i * columns, path));
    places.back().index = static_cast<std::size_t>(i);
    if (!places.back().geometry.orientation_known) return result;
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.slice != b.slice ? a.slice < b.slice : a.set < b.set;
  });
  const Index sets = std::count_if(places.begin(), places.end(),
                                   [&](const Place& place) { return place.slice == places[0].slice; });
  const auto& matrix = places.front().geometry.matrix;
  const Index pixels = matrix[0] * matrix[1] * matrix[2];
  const Index coils = pixels <= result.maps.size() / images ? result.maps.size() / (images * pixels) : 0;
  bool fits = coils > 0 && coils * images * pixels == result.maps.size() && images % sets == 0;
  for (Index i = 0; i < images && fits; ++i) {
    const Place& place = places[static_cast<std::size_t>(i)];
    fits = place.geometry.matrix == matrix &&
           place.slice == places[static_cast<std::size_t>(i / sets * sets)].slice &&
           place.set == places[static_cast<std::size_t>(i % sets)].set;
  }
  if (!fits)
    throw input_error("{}: its {} images are not coil maps of as many sets in every slice", path, images);
  std::vector<Index> axes;
  if (images > sets) axes.push_back(images / sets);
  if (sets > 1) axes.push_back(sets);
  axes.push_back(coils);
  if (matrix[2] > 1) axes.push_back(matrix[2]);
  axes.insert(axes.end(), {matrix[1], matrix[0]});
  Array<std::complex<float>> ordered(Shape(axes.data(), static_cast<int>(axes.size())));
  for (Index i = 0; i < images; ++i) {
    const Place& place = places[static_cast<std::size_t>(i)];
    std::copy_n(result.maps.data() + static_cast<Index>(place.index) * coils * pixels, coils * pixels,
                ordered.data() + i * coils * pixels);
    if (i % sets == 0) result.geometry.push_back(place.geometry);
  }
  result.maps = std::move(ordered);
  return result;
}

}  // namespace larmor
