#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/hdf5/storage.hpp>
#include <larmor/io/ismrmrd/stored/groups.hpp>
#include <larmor/io/ismrmrd/stored/header_text.hpp>
#include <larmor/io/ismrmrd/stored/image_table.hpp>
#include <larmor/io/ismrmrd/stored/types.hpp>

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace larmor::ismrmrd {
namespace {

using hdf5::File;
using hdf5::Handle;

constexpr std::uint64_t bytes_at_a_time = std::uint64_t{8} << 20;

std::string choose_images(const File& file, const std::string& group) {
  const std::vector<std::string> groups = hdf5::image_groups(file);
  if (group.empty()) {
    if (groups.empty() && !hdf5::acquisition_groups(file).empty())
      throw input_error(
          "{} holds the readouts of a scan, expected images or an array: reconstruct or convert it first",
          file.name());
    if (groups.empty())
      throw input_error("{} has no ISMRMRD images; it is {}", file.name(), hdf5::describe_contents(file));
    if (groups.size() > 1)
      throw input_error("{} has images in several groups: {}", file.name(), join(groups));
    return groups.front();
  }
  if (std::find(groups.begin(), groups.end(), group) == groups.end())
    throw input_error("{} has no images in group \"{}\"; the file has: {}", file.name(), printable(group),
                      join(groups));
  return group;
}

// The type of pixels in memory.
Handle memory_type(const File& file, const std::string& group, hid_t stored) {
  const H5T_class_t kind = H5Tget_class(stored);
  if (!hdf5::sound_type(stored)) throw input_error("{}: the type of the images is damaged", file.name());
  if (kind == H5T_COMPOUND && H5Tget_nmembers(stored) == 2) return hdf5::pair_of_floats(stored);
  if (kind == H5T_FLOAT || kind == H5T_INTEGER) return Handle(H5Tcopy(H5T_NATIVE_FLOAT));
  throw input_error("{}: images in {} are neither real nor complex numbers", file.name(), printable(group));
}

// Number of entries of the slowest axis that are read at once: whole chunks, so that none is decompressed
// twice.
hsize_t entries_a_block(hid_t dataset, int rank, hsize_t entry_bytes) {
  const Handle properties(H5Dget_create_plist(dataset));
  hsize_t chunk[H5S_MAX_RANK] = {1};
  if (H5Pget_layout(properties) == H5D_CHUNKED && H5Pget_chunk(properties, rank, chunk) != rank) chunk[0] = 1;
  const hsize_t least = std::max<hsize_t>(chunk[0], 1);
  return std::max<hsize_t>(bytes_at_a_time / std::max<hsize_t>(entry_bytes, 1) / least, 1) * least;
}

}  // namespace

void read_image_pixels(const File& file, const std::string& group, ImageSink& sink) {
  const std::string chosen = choose_images(file, group);
  const std::string& name = file.name();
  const Handle dataset =
      hdf5::open_object(file, hdf5::find_object(file, hdf5::child_path(chosen, "data")).address);
  const Handle space(dataset.valid() ? H5Dget_space(dataset) : -1);
  const Handle stored(dataset.valid() ? H5Dget_type(dataset) : -1);
  hsize_t extents[H5S_MAX_RANK] = {};
  const int rank = space.valid() ? H5Sget_simple_extent_dims(space, extents, nullptr) : -1;
  if (rank < 2 || rank > most_image_axes || !stored.valid())
    throw input_error("{}: images in {} have {} axes; expected [images, coils, z, y, x]", name,
                      printable(chosen), rank);
  hdf5::require_own_values(dataset, fmt::format("{}: the images in {}", name, printable(chosen)));
  const Handle type = memory_type(file, chosen, stored);
  const bool complex = H5Tget_class(type) == H5T_COMPOUND;
  double bytes = 2 * sizeof(float);
  for (int axis = 0; axis < rank; ++axis) {
    if (extents[axis] == 0) throw input_error("{}: the images in {} have no pixels", name, printable(chosen));
    bytes *= static_cast<double>(extents[axis]);
  }
  const double most = image_bytes_limit(file.size());
  if (bytes > most)
    throw input_error(
        "{}: the images in {} need {:.3g} bytes, and a file of {} bytes may have {:.3g}; if it is that well "
        "compressed, "
        "rewrite it with: h5repack -f NONE",
        name, printable(chosen), bytes, file.size(), most);

  const std::vector<std::uint64_t> axes(extents, extents + rank);
  sink.begin(axes, complex);
  hsize_t entry_floats = complex ? 2 : 1;
  for (int axis = 1; axis < rank; ++axis) entry_floats *= extents[axis];
  const hsize_t step = entries_a_block(dataset, rank, entry_floats * sizeof(float));
  hsize_t start[H5S_MAX_RANK] = {}, count[H5S_MAX_RANK];
  std::copy(extents, extents + rank, count);
  for (start[0] = 0; start[0] < extents[0]; start[0] += count[0]) {
    count[0] = std::min(step, extents[0] - start[0]);
    sink.pixels(count[0] * entry_floats, [&](std::span<float> pixels) {
      const Handle memory_space(H5Screate_simple(rank, count, nullptr));
      if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
          H5Dread(dataset, type, memory_space, space, H5P_DEFAULT, pixels.data()) < 0)
        throw input_error("{}: cannot read the images: {}", name, hdf5::last_reason());
    });
  }
}

void read_image_headers(const File& file, const std::string& group, ImageSink& sink) {
  const std::string chosen = choose_images(file, group);
  const Handle dataset =
      hdf5::open_object(file, hdf5::find_object(file, hdf5::child_path(chosen, "header")).address);
  const Handle space(dataset.valid() ? H5Dget_space(dataset) : -1);
  const Handle stored(dataset.valid() ? H5Dget_type(dataset) : -1);
  hsize_t count = 0;
  const bool sound = space.valid() && stored.valid() && H5Sget_simple_extent_ndims(space) == 1 &&
                     H5Sget_simple_extent_dims(space, &count, nullptr) == 1 && count > 0 &&
                     H5Tget_class(stored) == H5T_COMPOUND && hdf5::sound_type(stored);
  if (!sound) throw input_error("{}: the images in {} have no headers", file.name(), printable(chosen));
  hdf5::require_own_values(dataset,
                           fmt::format("{}: the image headers in {}", file.name(), printable(chosen)));
  if (static_cast<double>(count) * sizeof(hdf5::ImageHeaderRecord) > image_bytes_limit(file.size()))
    throw input_error("{}: {} image headers are more than the file can hold", file.name(), count);
  std::vector<hdf5::ImageHeaderRecord> records(count);
  const Handle type = hdf5::common_members(hdf5::image_header_type(), stored);
  if (!type.valid() || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, records.data()) < 0)
    throw input_error("{}: cannot read the image headers: {}", file.name(), hdf5::last_reason());
  const std::string xml = hdf5::child_path(chosen.substr(0, chosen.find_last_of('/')), "xml");
  if (hdf5::has_dataset(file, xml)) sink.header(read_header_text(file, xml));
  const std::uint64_t extents[] = {count, image_header_numbers};
  sink.begin(extents, false);
  sink.pixels(count * image_header_numbers, [&](std::span<float> numbers) {
    float* out = numbers.data();
    for (const hdf5::ImageHeaderRecord& record : records) {
      for (const std::uint16_t extent : record.matrix_size) *out++ = static_cast<float>(extent);
      // The numbers of a record are packed: not aligned to floats.
      for (const void* vector :
           std::initializer_list<const void*>{&record.field_of_view, &record.position, &record.read_dir,
                                              &record.phase_dir, &record.slice_dir}) {
        std::memcpy(out, vector, sizeof record.position);
        out += 3;
      }
      const std::uint32_t time = record.acquisition_time_stamp;
      for (const std::uint32_t number : std::initializer_list<std::uint32_t>{
               record.slice, record.contrast, record.phase, record.repetition, record.set, time >> 16,
               time & 0xffff, record.image_type})
        *out++ = static_cast<float>(number);
    }
  });
}

}  // namespace larmor::ismrmrd
