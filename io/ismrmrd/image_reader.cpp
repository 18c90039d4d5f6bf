#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/ismrmrd/image_builder.hpp>
#include <larmor/io/ismrmrd/image_reader.hpp>
#include <larmor/io/ismrmrd/received.hpp>
#include <larmor/io/ismrmrd/stored/image_table.hpp>
#include <larmor/io/isolated/reader_process.hpp>

namespace larmor {

Array<std::complex<float>> read_ismrmrd_images(const std::string& path, const ReadImagesOptions& options) {
  ismrmrd::ImageBuilder builder(path);
  if (options.isolated) {
    isolated::ReaderProcess process({"images", path, options.group, options.helper}, options.cancel);
    ismrmrd::receive_images([&] { return process.next(); }, path, builder);
  } else {
    const Descriptor descriptor = open_to_read(path);
    const hdf5::Silence silence;
    ismrmrd::read_image_pixels(hdf5::File(hdf5::MappedFile(descriptor.number(), path), path), options.group,
                               builder);
  }
  return builder.finish();
}

}  // namespace larmor
