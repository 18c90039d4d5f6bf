#include <larmor/io/ismrmrd/stored/image_output.hpp>
#include <larmor/io/ismrmrd/stored/types.hpp>

#include <hdf5.h>

#include <algorithm>
#include <string>
#include <vector>

namespace larmor::ismrmrd {
namespace {

using hdf5::Handle;

void write_headers(const hdf5::Output& output, hid_t group, std::uint64_t images, Source& source) {
  std::vector<hdf5::ImageHeaderRecord> headers;
  std::vector<std::string> meta;
  for (std::uint64_t i = 0; i < images; ++i) {
    headers.push_back(source.take<hdf5::ImageHeaderRecord>());
    meta.push_back(source.take_text());
  }
  const Handle properties = output.dataset_properties();
  const hsize_t count = headers.size(), unlimited = H5S_UNLIMITED;
  output.require(H5Pset_chunk(properties, 1, &count));
  const Handle type = hdf5::image_header_type();
  const Handle space(H5Screate_simple(1, &count, &unlimited));
  const Handle dataset(H5Dcreate2(group, "header", type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  output.require(dataset);
  output.require(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, headers.data()));

  // One text for every image.
  const Handle text(H5Tcopy(H5T_C_S1));
  output.require(H5Tset_size(text, H5T_VARIABLE));
  const Handle attributes(H5Dcreate2(group, "attributes", text, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  output.require(attributes);
  std::vector<const char*> texts;
  for (const std::string& one : meta) texts.push_back(one.c_str());
  output.require(H5Dwrite(attributes, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()));
}

void write_pixels(const hdf5::Output& output, hid_t group, const ImageGroup& images, Source& source) {
  const Handle type =
      images.complex != 0 ? hdf5::complex_type(H5T_NATIVE_FLOAT) : Handle(H5Tcopy(H5T_NATIVE_FLOAT));
  const hsize_t extents[5] = {images.images, images.coils, images.z, images.y, images.x};
  hsize_t most[5], one_image[5];
  std::copy(extents, extents + 5, most);
  std::copy(extents, extents + 5, one_image);
  most[0] = H5S_UNLIMITED;
  one_image[0] = 1;
  const Handle space(H5Screate_simple(5, extents, most));
  const Handle properties = output.dataset_properties();
  // HDF5 chunks have less than 4 GiB: large images are split along their slowest axes.
  hsize_t chunk[5];
  std::copy(one_image, one_image + 5, chunk);
  const std::size_t pixel_bytes = H5Tget_size(type);
  for (int axis = 1; axis < 4; ++axis) {
    const hsize_t rest = chunk[1] * chunk[2] * chunk[3] * chunk[4] / chunk[axis] * pixel_bytes;
    chunk[axis] = std::clamp<hsize_t>((std::uint64_t{1} << 30) / rest, 1, chunk[axis]);
  }
  output.require(H5Pset_chunk(properties, 5, chunk));
  const Handle dataset(H5Dcreate2(group, "data", type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  output.require(dataset);
  const Handle memory_space(H5Screate_simple(5, one_image, nullptr));
  std::vector<std::byte> pixels(images.coils * images.z * images.y * images.x * pixel_bytes);
  for (std::uint64_t i = 0; i < images.images; ++i) {
    source.take(pixels.data(), pixels.size());
    const hsize_t start[5] = {i, 0, 0, 0, 0};
    output.require(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, one_image, nullptr));
    output.require(H5Dwrite(dataset, type, memory_space, space, H5P_DEFAULT, pixels.data()));
  }
}

}  // namespace

void write_images(hdf5::Output& output, Source& source) {
  const Handle dataset = output.make_group("dataset");
  const std::string xml = source.take_text();
  if (!xml.empty()) output.write_text(dataset, "xml", xml);
  const auto groups = source.take<std::uint64_t>();
  for (std::uint64_t g = 0; g < groups; ++g) {
    const Handle group = output.make_group("dataset/image_" + std::to_string(g));
    const auto images = source.take<ImageGroup>();
    write_headers(output, group, images.images, source);
    write_pixels(output, group, images, source);
  }
}

}  // namespace larmor::ismrmrd
