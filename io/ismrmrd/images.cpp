#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/images/measurement.hpp>
#include <larmor/io/ismrmrd/image_record.hpp>
#include <larmor/io/ismrmrd/images.hpp>
#include <larmor/io/ismrmrd/stored/source.hpp>
#include <larmor/io/isolated/writer_process.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace larmor {
namespace {

using hdf5::ImageHeaderRecord;

// Sends a group in the order in which write_images() reads it.
void put_group(isolated::WriterProcess& writer, const ImageSeries& series,
               const std::vector<std::size_t>& members, const SeriesShape& shape) {
  writer.put(ismrmrd::ImageGroup{members.size(), static_cast<std::uint64_t>(shape.coils),
                                 static_cast<std::uint64_t>(shape.z), static_cast<std::uint64_t>(shape.y),
                                 static_cast<std::uint64_t>(shape.x), series.kind == ImageKind::complex});
  const Measurement facts = measurement_of(series.ismrmrd_header);
  for (const std::size_t i : members) {
    const std::string meta = ismrmrd::image_attributes(series.images[i], series.kind, facts);
    ImageHeaderRecord header = ismrmrd::image_record(series.images[i], shape, series.kind, i);
    header.attribute_string_len = static_cast<std::uint32_t>(meta.size());
    writer.put(header);
    writer.put_text(meta);
  }
  for (const std::size_t i : members) {
    const View<const std::complex<float>> pixels = series.images[i].pixels.view();
    if (series.kind == ImageKind::complex) {
      writer.put(pixels.data(), static_cast<std::size_t>(pixels.size()) * sizeof pixels[0]);
    } else {
      const std::vector<float> values = real_pixels(pixels, series.kind);
      writer.put(values.data(), values.size() * sizeof values[0]);
    }
  }
}

// Images grouped by field of view, in the order of the first image of each.
std::vector<std::vector<std::size_t>> by_field_of_view(const ImageSeries& series) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < series.images.size(); ++i) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return series.images[group.front()].geometry.fov_mm == series.images[i].geometry.fov_mm;
    });
    if (same == groups.end())
      groups.push_back({i});
    else
      same->push_back(i);
  }
  return groups;
}

}  // namespace

void require_ismrmrd_images(const std::string&) {
  isolated::require_writer();
}

void write_ismrmrd_images(const std::string& path, const ImageSeries& series, bool overwrite) {
  const SeriesShape shape = series_shape(series);
  for (const Index extent : {shape.x, shape.y, shape.z, shape.coils})
    if (extent > 65535)
      throw usage_error("an extent of {} is too large for ISMRMRD images; the maximum is 65535", extent);
  AtomicFile target(path, overwrite);
  isolated::WriterProcess writer(isolated::Contents::images, target);
  writer.put_text(series.ismrmrd_header);
  const std::vector<std::vector<std::size_t>> groups = by_field_of_view(series);
  writer.put(std::uint64_t{groups.size()});
  for (const std::vector<std::size_t>& members : groups) put_group(writer, series, members, shape);
  writer.finish();
  target.commit();
}

}  // namespace larmor
