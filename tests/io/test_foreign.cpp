#include "foreign_program.hpp"
#include "io/hostile_files.hpp"
#include "io/make_images.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/io/ismrmrd/images.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/writer.hpp>

#include <gtest/gtest.h>
#include <ismrmrd/dataset.h>
#include <ismrmrd/meta.h>
#include <ismrmrd/xml.h>

#include <cstdlib>

// Files exchanged between Larmor and the ISMRMRD library.

namespace larmor::test {
namespace {

TEST(IsmrmrdLibrary, ReadsOurRawData) {
  const TemporaryFolder folder;
  hostile::sound_scan().write(folder / "a.h5");
  Scan scan = read_ismrmrd(folder / "a.h5");
  scan.xml_header.clear();  // the library reads the header that Larmor writes
  const std::string path = folder / "raw.h5";
  write_ismrmrd_raw(path, scan);

  ISMRMRD::Dataset dataset(path.c_str(), "dataset", false);
  std::string xml;
  dataset.readHeader(xml);
  ISMRMRD::IsmrmrdHeader header;
  ISMRMRD::deserialize(xml.c_str(), header);
  ASSERT_EQ(header.encoding.size(), 1U);
  EXPECT_EQ(header.encoding[0].encodedSpace.matrixSize.x, 16);
  EXPECT_EQ(header.encoding[0].reconSpace.fieldOfView_mm.y, 160);
  EXPECT_EQ(header.encoding[0].encodingLimits.kspace_encoding_step_1->maximum, 23);
  EXPECT_FLOAT_EQ(*header.acquisitionSystemInformation->relativeReceiverNoiseBandwidth, 0.793F);
  ASSERT_EQ(dataset.getNumberOfAcquisitions(), scan.readouts.size());
  for (std::uint32_t i = 0; i < scan.readouts.size(); ++i) {
    ISMRMRD::Acquisition acquisition;
    dataset.readAcquisition(i, acquisition);
    const Readout& readout = scan.readouts[i];
    ASSERT_EQ(acquisition.number_of_samples(), readout.header.samples);
    ASSERT_EQ(acquisition.active_channels(), readout.header.active_channels);
    ASSERT_EQ(acquisition.trajectory_dimensions(), readout.header.trajectory_dimensions);
    const std::uint64_t flags = acquisition.getHead().flags;  // by value: the structure is packed
    EXPECT_EQ(flags, readout.header.flags);
    EXPECT_EQ(acquisition.idx().kspace_encode_step_1, readout.header.encode_step_1);
    EXPECT_TRUE(std::equal(acquisition.data_begin(), acquisition.data_end(),
                           scan.data.begin() + static_cast<std::ptrdiff_t>(readout.data_offset)));
    EXPECT_TRUE(std::equal(acquisition.traj_begin(), acquisition.traj_end(),
                           scan.trajectory.begin() + static_cast<std::ptrdiff_t>(readout.trajectory_offset)));
  }
}

TEST(IsmrmrdLibrary, ReadsOurImages) {
  const TemporaryFolder folder;
  const std::string path = folder / "images.h5";
  ImageSeries series;
  series.kind = ImageKind::complex;
  for (std::uint16_t i = 0; i < 2; ++i) {
    series.images.push_back(make_image({2, 3, 4, 5}, 100.0F * i));
    series.images.back().counters.repetition = i;
    series.images.back().geometry.position = {1, 2, 3};
  }
  write_ismrmrd_images(path, series);
  ISMRMRD::Dataset dataset(path.c_str(), "dataset", false);
  ASSERT_EQ(dataset.getNumberOfImages("image_0"), 2U);
  ISMRMRD::Image<std::complex<float>> image;
  dataset.readImage("image_0", 1, image);
  EXPECT_EQ(image.getMatrixSizeX(), 5);
  EXPECT_EQ(image.getMatrixSizeZ(), 3);
  EXPECT_EQ(image.getNumberOfChannels(), 2);
  EXPECT_EQ(image.getRepetition(), 1);
  EXPECT_EQ(image.getPositionZ(), 3);
  EXPECT_EQ(image.getImageType(), ISMRMRD::ISMRMRD_IMTYPE_COMPLEX);
  ASSERT_EQ(image.getNumberOfDataElements(), 120U);
  std::string attributes;
  image.getAttributeString(attributes);
  ISMRMRD::MetaContainer meta;
  ISMRMRD::deserialize(attributes.c_str(), meta);
  EXPECT_STREQ(meta.as_str("ImageType"), "complex");
  EXPECT_EQ(meta.as_double("ImageSliceNormDir", 2), series.images[1].geometry.slice_dir[2]);
  EXPECT_TRUE(std::equal(image.begin(), image.end(), series.images[1].pixels.begin()));

  series.kind = ImageKind::magnitude;
  write_ismrmrd_images(folder / "magnitude.h5", series);
  ISMRMRD::Dataset magnitudes((folder / "magnitude.h5").c_str(), "dataset", false);
  ISMRMRD::Image<float> magnitude;
  magnitudes.readImage("image_0", 0, magnitude);
  EXPECT_NEAR(magnitude(1, 0, 0, 0), 2, 1e-6);
}

TEST(IsmrmrdLibrary, ItsFilesAreRead) {
  LARMOR_NEEDS_PROGRAM("ismrmrd_generate_cartesian_shepp_logan");
  const TemporaryFolder folder;
  const std::string path = folder / "phantom.h5";
  const std::string command =
      "ismrmrd_generate_cartesian_shepp_logan -k -m 32 -c 4 -o '" + path + "' > /dev/null 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string before = hostile::contents(path);
  const Scan scan = read_ismrmrd(path);
  EXPECT_EQ(hostile::contents(path), before);
  EXPECT_EQ(scan.readouts.size(), 32U);
  EXPECT_EQ(scan.data.size(), 32U * 4 * 64);
  EXPECT_EQ(scan.trajectory.size(), 32U * 64 * 2);
  EXPECT_EQ(scan.encodings[0].encoded_matrix, (std::array<Index, 3>{64, 32, 1}));
  EXPECT_EQ(scan.encodings[0].center_step_1, 16);
  EXPECT_TRUE(scan.warnings.empty());
  ISMRMRD::Dataset dataset(path.c_str(), "dataset", false);
  ISMRMRD::Acquisition acquisition;
  dataset.readAcquisition(17, acquisition);
  EXPECT_TRUE(std::equal(acquisition.data_begin(), acquisition.data_end(), scan.data.begin() + 17 * 4 * 64));
  EXPECT_TRUE(
      std::equal(acquisition.traj_begin(), acquisition.traj_end(), scan.trajectory.begin() + 17 * 64 * 2));
}

}  // namespace
}  // namespace larmor::test
