#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/cfl.hpp>
#include <larmor/io/arrays/file_shape.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/files/text.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace LARMOR_API larmor {
namespace {

constexpr std::size_t bart_dimensions = 16;
constexpr std::size_t coil_dimension = 3, sets_dimension = 4, time_dimension = 10, slice_dimension = 13;

std::string stem(const std::string& path) {
  return path.ends_with(".cfl") ? path.substr(0, path.size() - 4) : path;
}

constexpr std::size_t longest_header_text = 1 << 16;

std::vector<Index> read_dimensions(std::istream& file, const std::string& path) {
  std::string text(longest_header_text, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::istringstream lines(std::move(text));
  std::string line;
  while (std::getline(lines, line)) {
    if (!trimmed(line).starts_with("# Dimensions")) continue;
    std::getline(lines, line);
    std::istringstream numbers(line);
    std::vector<Index> dimensions;
    for (Index extent = 0; numbers >> extent && dimensions.size() < 64;) dimensions.push_back(extent);
    const bool positive = std::all_of(dimensions.begin(), dimensions.end(), [](Index n) { return n > 0; });
    if (!numbers.eof() || dimensions.empty() || !positive)
      throw input_error("{}: dimensions \"{}\"; expected positive numbers", path, printable(line));
    return dimensions;
  }
  throw input_error("{}: no line \"# Dimensions\"; expected a header of BART", path);
}

void write_files(const std::string& path, std::vector<Index> dimensions, bool overwrite,
                 const std::vector<View<const std::complex<float>>>& parts,
                 std::vector<FileBeside> beside = {}) {
  if (std::find(dimensions.begin(), dimensions.end(), 0) != dimensions.end())
    throw usage_error("{}: an array with the dimensions {} is empty: there is nothing to write", path,
                      fmt::join(dimensions, " "));
  dimensions.resize(std::max(dimensions.size(), bart_dimensions), 1);
  std::string header = "# Dimensions\n";
  for (const Index extent : dimensions) header += fmt::format("{} ", extent);
  header += "\n# Creator\nLarmor\n";
  beside.insert(beside.begin(), {cfl_header_path(path), header});
  for (const FileBeside& file : beside) check_target(file.target, overwrite);
  AtomicFile data_file(stem(path) + ".cfl", overwrite);
  for (const auto& part : parts) data_file.write(part.data(), part.bytes());
  data_file.commit(beside);
}

}  // namespace

std::string cfl_header_path(const std::string& path) {
  return stem(path) + ".hdr";
}

Array<std::complex<float>> read_cfl(const std::string& path) {
  const std::string data_path = stem(path) + ".cfl";
  std::ifstream header = stream_to_read(cfl_header_path(path)), data = stream_to_read(data_path);
  std::error_code status;
  const std::uintmax_t size = std::filesystem::file_size(data_path, status);
  if (status) throw input_error("cannot read {}: {}", data_path, status.message());
  return read_cfl(header, data, size, path);
}

Array<std::complex<float>> read_cfl(std::istream& header, std::istream& data, std::uint64_t size,
                                    const std::string& path) {
  const std::string data_path = stem(path) + ".cfl";
  std::vector<Index> dimensions = read_dimensions(header, cfl_header_path(path));
  while (dimensions.size() > 2 && dimensions.back() == 1) dimensions.pop_back();
  if (dimensions.size() == 1) dimensions.push_back(1);
  if (dimensions.size() > Shape::max_rank) {
    // Up to 16 dimensions, most of length 1; those can be dropped as long as x, y, z and coils stay in place.
    std::vector<Index> kept(dimensions.begin(), dimensions.begin() + coil_dimension + 1);
    for (std::size_t i = coil_dimension + 1; i < dimensions.size(); ++i)
      if (dimensions[i] != 1) kept.push_back(dimensions[i]);
    dimensions = std::move(kept);
  }
  const Shape shape = file_shape(std::vector<Index>(dimensions.rbegin(), dimensions.rend()), data_path);

  const auto expected = static_cast<std::uint64_t>(shape.size()) * sizeof(std::complex<float>);
  if (size != expected)
    throw input_error("{} has {} bytes; its header's dimensions need {}", data_path, size, expected);
  Array<std::complex<float>> array(shape);
  if (!data.read(reinterpret_cast<char*>(array.data()), static_cast<std::streamsize>(expected)))
    throw input_error("cannot read {}: {}", data_path, std::strerror(errno));
  return array;
}

std::vector<Index> read_cfl_dimensions(const std::string& path) {
  std::ifstream header = stream_to_read(cfl_header_path(path));
  return read_dimensions(header, cfl_header_path(path));
}

void write_cfl(const std::string& path, View<const std::complex<float>> array, bool overwrite) {
  write_cfl(path, array,
            std::vector<Index>(std::make_reverse_iterator(array.shape().end()),
                               std::make_reverse_iterator(array.shape().begin())),
            overwrite);
}

void write_cfl(const std::string& path, View<const std::complex<float>> array,
               const std::vector<Index>& dimensions, bool overwrite) {
  write_files(path, dimensions, overwrite, {array});
}

void write_cfl_maps(const std::string& path, View<const std::complex<float>> maps, bool volume, Index sets,
                    bool overwrite, const std::vector<FileBeside>& beside) {
  const int rank = maps.shape().rank(), pixels = volume ? 3 : 2;
  if (rank <= pixels) throw usage_error("coil maps of the shape {}", maps.shape().to_string());
  std::vector<Index> dimensions(bart_dimensions, 1);
  for (int axis = 0; axis < pixels; ++axis)
    dimensions[static_cast<std::size_t>(axis)] = maps.shape()[rank - 1 - axis];
  dimensions[coil_dimension] = maps.shape()[rank - 1 - pixels];
  Index slices_and_sets = 1;
  for (int axis = 0; axis < rank - 1 - pixels; ++axis) slices_and_sets *= maps.shape()[axis];
  dimensions[sets_dimension] = sets;
  dimensions[slice_dimension] = slices_and_sets / sets;
  write_files(path, dimensions, overwrite, {maps}, beside);
}

void write_cfl(const std::string& path, const ImageSeries& series, bool overwrite) {
  const SeriesShape shape = series_shape(series);
  std::vector<Index> dimensions(bart_dimensions, 1);
  dimensions[0] = shape.x;
  dimensions[1] = shape.y;
  dimensions[2] = shape.z;
  dimensions[coil_dimension] = shape.coils;
  dimensions[time_dimension] = shape.frames;
  std::vector<View<const std::complex<float>>> parts;
  for (const Image& image : series.images) parts.push_back(image.pixels.view());
  write_files(path, std::move(dimensions), overwrite, parts);
}

}  // namespace larmor
