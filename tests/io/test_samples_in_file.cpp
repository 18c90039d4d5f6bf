// Samples that stay in their file until they are needed.
#include "error_of.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/writer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace larmor::test {
namespace {

// Readouts of one to five samples.
Scan ragged_scan() {
  Scan scan;
  scan.encodings.resize(1);
  scan.encodings[0].encoded_matrix = scan.encodings[0].recon_matrix = {32, 32, 1};
  scan.encodings[0].encoded_fov_mm = scan.encodings[0].recon_fov_mm = {200, 200, 5};
  scan.encodings[0].trajectory = "radial";
  for (std::uint16_t i = 0; i < 200; ++i) {
    Readout readout;
    readout.header.samples = static_cast<std::uint16_t>(1 + i % 5);
    readout.header.available_channels = readout.header.active_channels = 3;
    readout.header.trajectory_dimensions = 2;
    readout.data_offset = scan.data.size();
    readout.trajectory_offset = scan.trajectory.size();
    for (int n = 0; n < 3 * readout.header.samples; ++n)
      scan.data.emplace_back(static_cast<float>(i), static_cast<float>(n));
    for (int n = 0; n < 2 * readout.header.samples; ++n)
      scan.trajectory.push_back(static_cast<float>(n) / 20);
    scan.readouts.push_back(readout);
  }
  return scan;
}

TEST(SamplesInFile, AreReadOnce) {
  const TemporaryFolder folder;
  const Scan scan = ragged_scan();
  write_ismrmrd_raw(folder / "raw.h5", scan);
  const Scan back = read_ismrmrd(folder / "raw.h5", {.group = "", .on_demand = true});
  ASSERT_TRUE(back.in_file);
  EXPECT_TRUE(back.data.empty());
  EXPECT_EQ(back.trajectory, scan.trajectory);
  EXPECT_EQ(back.in_file->bytes(), scan.data.size() * sizeof(scan.data[0]));
  EXPECT_EQ(back.in_file->bytes_read(), 0U);
  const Scan copy = back;
  std::size_t bytes = 0;
  for (const std::size_t i : {7U, 199U, 7U, 0U}) {
    const ReadoutHeader& header = scan.readouts[i].header;
    const std::size_t values = std::size_t{header.samples} * header.active_channels;
    const auto* const expected = scan.data.data() + scan.readouts[i].data_offset;
    EXPECT_TRUE(back.has_samples(back.readouts[i]));
    EXPECT_TRUE(std::equal(expected, expected + values, back.samples(back.readouts[i]))) << i;
    EXPECT_EQ(copy.samples(copy.readouts[i]), back.samples(back.readouts[i]));
    if (bytes == 0 || i != 7) bytes += values * sizeof(scan.data[0]);
  }
  EXPECT_EQ(back.in_file->bytes_read(), bytes);
}

TEST(SamplesInFile, FilesThatEndBeforeARowAreRefused) {
  const TemporaryFolder folder;
  const Scan scan = ragged_scan();
  write_ismrmrd_raw(folder / "raw.h5", scan);
  const Scan back = read_ismrmrd(folder / "raw.h5", {.group = "", .on_demand = true});
  EXPECT_NO_THROW(back.samples(back.readouts[8]));
  std::filesystem::resize_file(folder / "raw.h5", 1000);
  EXPECT_NE(error_of([&] { back.samples(back.readouts[150]); }).find("the file ends before acquisition 150"),
            std::string::npos);
}

}  // namespace
}  // namespace larmor::test
