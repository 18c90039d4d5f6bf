#include "error_of.hpp"
#include "io/hostile_files.hpp"
#include "io/make_images.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/core/error.hpp>
#include <larmor/io/ismrmrd/image_reader.hpp>
#include <larmor/io/ismrmrd/images.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/slices_by_place.hpp>
#include <larmor/io/ismrmrd/stored/types.hpp>
#include <larmor/io/ismrmrd/writer.hpp>
#include <larmor/io/ismrmrd/xml.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <numeric>

namespace larmor::test {
namespace {

// Readouts of different lengths, one without trajectory, every header field with a different value.
Scan odd_scan() {
  Scan scan;
  Encoding encoding;
  encoding.encoded_matrix = {64, 32, 1};
  encoding.encoded_fov_mm = {320.5, 160.25, 5};
  encoding.recon_matrix = {32, 32, 1};
  encoding.recon_fov_mm = {160.25, 160.25, 5};
  encoding.has_recon_space = true;
  encoding.trajectory = "spiral";
  encoding.trajectory_identifier = "HargreavesVDS2000";
  encoding.trajectory_parameters = {{"MaxGradient_G_per_cm", 2.4}, {"interleaves", 16}};
  encoding.center_step_1 = 16;
  encoding.center_step_2 = 0;
  scan.encodings = {encoding, encoding};
  scan.encodings[1].trajectory = "other";
  scan.relative_noise_bandwidth = 0.8;
  scan.patient_position = "HFS";
  for (std::uint16_t i = 0; i < 200; ++i) {
    Readout readout;
    ReadoutHeader& h = readout.header;
    h.version = 1;
    h.set(AcquisitionFlag::last_in_measurement);
    h.measurement_uid = 7;
    h.scan_counter = i;
    h.acquisition_time_stamp = 1000U + i;
    h.physiology_time_stamp = {1, 2, 3U + i};
    h.samples = static_cast<std::uint16_t>(1 + i % 5);
    h.available_channels = 4;
    h.active_channels = 3;
    h.discard_pre = 1;
    h.discard_post = 2;
    h.center_sample = 3;
    h.encoding_space_ref = i % 2;
    h.trajectory_dimensions = i == 0 ? 0 : 3;
    h.sample_time_us = 2.5F;
    h.position = {1, 2, 3.5F};
    h.read_dir = {0, 1, 0};
    h.phase_dir = {1, 0, 0};
    h.slice_dir = {0, 0, -1};
    h.patient_table_position = {4, 5, 6};
    h.encode_step_1 = i;
    h.encode_step_2 = 2;
    h.average = 3;
    h.segment = 4;
    h.counters = {5, 6, 7, 8, 9};
    readout.data_offset = scan.data.size();
    readout.trajectory_offset = scan.trajectory.size();
    for (int n = 0; n < 3 * h.samples; ++n)
      scan.data.emplace_back(static_cast<float>(i), static_cast<float>(n));
    for (int n = 0; n < h.samples * h.trajectory_dimensions; ++n)
      scan.trajectory.push_back(static_cast<float>(n) / static_cast<float>(i));
    scan.readouts.push_back(readout);
  }
  return scan;
}

TEST(IsmrmrdRaw, RoundTripKeepsEverything) {
  const TemporaryFolder folder;
  const Scan scan = odd_scan();
  write_ismrmrd_raw(folder / "raw.h5", scan);
  const Scan back = read_ismrmrd(folder / "raw.h5");
  EXPECT_EQ(folder.files(), 1U);
  EXPECT_TRUE(back.warnings.empty());
  EXPECT_EQ(back.source, folder / "raw.h5");
  EXPECT_EQ(back.data, scan.data);
  EXPECT_EQ(back.trajectory, scan.trajectory);
  EXPECT_EQ(back.relative_noise_bandwidth, 0.8);
  EXPECT_EQ(back.patient_position, "HFS");
  ASSERT_EQ(back.encodings.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const Encoding &a = back.encodings[i], &b = scan.encodings[i];
    EXPECT_EQ(a.encoded_matrix, b.encoded_matrix);
    EXPECT_EQ(a.encoded_fov_mm, b.encoded_fov_mm);
    EXPECT_EQ(a.recon_matrix, b.recon_matrix);
    EXPECT_EQ(a.recon_fov_mm, b.recon_fov_mm);
    EXPECT_EQ(a.has_recon_space, b.has_recon_space);
    EXPECT_EQ(a.trajectory, b.trajectory);
    EXPECT_EQ(a.trajectory_identifier, b.trajectory_identifier);
    EXPECT_EQ(a.trajectory_parameters, b.trajectory_parameters);
    EXPECT_EQ(a.center_step_1, b.center_step_1);
    EXPECT_EQ(a.center_step_2, b.center_step_2);
  }
  ASSERT_EQ(back.readouts.size(), scan.readouts.size());
  for (std::size_t i = 0; i < scan.readouts.size(); ++i) {
    EXPECT_EQ(back.readouts[i].data_offset, scan.readouts[i].data_offset);
    EXPECT_EQ(back.readouts[i].trajectory_offset, scan.readouts[i].trajectory_offset);
    const ReadoutHeader &a = back.readouts[i].header, &b = scan.readouts[i].header;
    EXPECT_EQ(
        std::tie(a.version, a.flags, a.measurement_uid, a.scan_counter, a.acquisition_time_stamp,
                 a.physiology_time_stamp, a.samples, a.available_channels, a.active_channels, a.discard_pre,
                 a.discard_post, a.center_sample, a.encoding_space_ref, a.trajectory_dimensions),
        std::tie(b.version, b.flags, b.measurement_uid, b.scan_counter, b.acquisition_time_stamp,
                 b.physiology_time_stamp, b.samples, b.available_channels, b.active_channels, b.discard_pre,
                 b.discard_post, b.center_sample, b.encoding_space_ref, b.trajectory_dimensions));
    EXPECT_EQ(std::tie(a.sample_time_us, a.position, a.read_dir, a.phase_dir, a.slice_dir,
                       a.patient_table_position, a.encode_step_1, a.encode_step_2, a.average, a.segment),
              std::tie(b.sample_time_us, b.position, b.read_dir, b.phase_dir, b.slice_dir,
                       b.patient_table_position, b.encode_step_1, b.encode_step_2, b.average, b.segment));
    EXPECT_EQ(a.counters, b.counters);
  }
}

TEST(IsmrmrdRaw, WaveformsAreKept) {
  const TemporaryFolder folder;
  Scan scan = odd_scan();
  for (std::uint16_t i = 0; i < 150; ++i) {
    Waveform waveform{i, static_cast<std::uint16_t>(i % 4), 7U * i, 2500.0F + i, {}};
    waveform.values.resize(i % 4 * 5U);
    std::iota(waveform.values.begin(), waveform.values.end(), 4000000000U + i);
    scan.waveforms.push_back(waveform);
  }
  write_ismrmrd_raw(folder / "raw.h5", scan);
  const Scan back = read_ismrmrd(folder / "raw.h5");
  ASSERT_EQ(back.waveforms.size(), 150U);
  for (std::size_t i = 0; i < 150; ++i) {
    const Waveform &a = back.waveforms[i], &b = scan.waveforms[i];
    EXPECT_EQ(std::tie(a.id, a.channels, a.time_stamp, a.sample_time_us, a.values),
              std::tie(b.id, b.channels, b.time_stamp, b.sample_time_us, b.values));
  }
  scan.waveforms = {{0, 2, 0, 2500, {1, 2, 3}}};
  EXPECT_NE(error_of([&] { write_ismrmrd_raw(folder / "odd.h5", scan); }).find("3 values of 2 channels"),
            std::string::npos);
}

TEST(IsmrmrdRaw, AnXmlHeaderOfTheScanIsWrittenAsItIs) {
  const TemporaryFolder folder;
  hostile::sound_scan().write(folder / "a.h5");
  const Scan scan = read_ismrmrd(folder / "a.h5");
  write_ismrmrd_raw(folder / "b.h5", scan);
  const Scan back = read_ismrmrd(folder / "b.h5");
  EXPECT_EQ(back.xml_header, scan.xml_header);
  EXPECT_EQ(back.data, scan.data);
}

TEST(IsmrmrdRaw, WrongOffsetsAreNotWritten) {
  const TemporaryFolder folder;
  Scan scan = odd_scan();
  scan.readouts.back().data_offset += 1;
  EXPECT_THROW(write_ismrmrd_raw(folder / "raw.h5", scan), Error);
  EXPECT_EQ(folder.files(), 0U);
}

// Rows of another layout: numbers in big-endian order, some fields missing, samples as complex numbers, heads
// with padding; members are found by their names.
TEST(IsmrmrdRaw, MembersAreMatchedByName) {
  struct Head {
    std::uint64_t flags;
    std::uint32_t samples, channels, dimensions;
    std::uint16_t slice, repetition;
    double sample_time;
  };
  struct Row {
    hvl_t data;
    Head head;
    hvl_t traj;
  };
  const TemporaryFolder folder;
  const std::string path = folder / "a.h5";
  std::vector<std::complex<double>> samples{{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  std::vector<double> trajectory{0.25, -0.25, 0.5, -0.5};
  {
    using hdf5::Handle;
    const auto make_type = [](hid_t u16, hid_t u32, hid_t u64, hid_t f64) {
      const Handle counters(H5Tcreate(H5T_COMPOUND, 4));
      H5Tinsert(counters, "slice", 0, u16);
      H5Tinsert(counters, "repetition", 2, u16);
      const Handle head(H5Tcreate(H5T_COMPOUND, sizeof(Head)));
      H5Tinsert(head, "flags", offsetof(Head, flags), u64);
      H5Tinsert(head, "number_of_samples", offsetof(Head, samples), u32);
      H5Tinsert(head, "active_channels", offsetof(Head, channels), u32);
      H5Tinsert(head, "trajectory_dimensions", offsetof(Head, dimensions), u32);
      H5Tinsert(head, "idx", offsetof(Head, slice), counters);
      H5Tinsert(head, "sample_time_us", offsetof(Head, sample_time), f64);
      const Handle complex = hdf5::complex_type(f64);
      const Handle complex_sequence(H5Tvlen_create(complex)), sequence(H5Tvlen_create(f64));
      Handle row(H5Tcreate(H5T_COMPOUND, sizeof(Row)));
      H5Tinsert(row, "data", offsetof(Row, data), complex_sequence);
      H5Tinsert(row, "head", offsetof(Row, head), head);
      H5Tinsert(row, "traj", offsetof(Row, traj), sequence);
      return row;
    };
    const Handle memory =
        make_type(H5T_NATIVE_UINT16, H5T_NATIVE_UINT32, H5T_NATIVE_UINT64, H5T_NATIVE_DOUBLE);
    const Handle stored = make_type(H5T_STD_U16BE, H5T_STD_U32BE, H5T_STD_U64BE, H5T_IEEE_F64BE);
    hostile::RawFile empty = hostile::sound_scan();
    empty.readouts.clear();
    empty.write(path);
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    ASSERT_GE(H5Ldelete(file, "dataset/data", H5P_DEFAULT), 0);
    const hsize_t rows = 2;
    const Handle space(H5Screate_simple(1, &rows, nullptr));
    const Handle dataset(
        H5Dcreate2(file, "dataset/data", stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Row row{{4, samples.data()}, {0, 2, 2, 2, 11, 12, 3.5}, {4, trajectory.data()}};
    const Row both[2] = {row, row};
    ASSERT_GE(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, both), 0);
  }
  const Scan scan = read_ismrmrd(path);
  ASSERT_EQ(scan.readouts.size(), 2U);
  const ReadoutHeader& header = scan.readouts[1].header;
  EXPECT_EQ(header.samples, 2);
  EXPECT_EQ(header.active_channels, 2);
  EXPECT_EQ(header.counters.slice, 11);
  EXPECT_EQ(header.counters.repetition, 12);
  EXPECT_EQ(header.sample_time_us, 3.5F);
  EXPECT_EQ(header.position, (std::array<float, 3>{}));
  ASSERT_EQ(scan.data.size(), 8U);
  EXPECT_EQ(scan.data[6], (std::complex<float>(5, 6)));
  ASSERT_EQ(scan.trajectory.size(), 8U);
  EXPECT_EQ(scan.trajectory[5], -0.25F);
}

Scan read_header(const std::string& elements) {
  Scan scan;
  read_ismrmrd_xml("<ismrmrdHeader>" + elements + "</ismrmrdHeader>", scan);
  return scan;
}

TEST(IsmrmrdXml, WhatIsNoNumberCountsAsAbsent) {
  std::string warnings;
  const auto fov_of = [&](const std::string& text) {
    hostile::HeaderText header;
    header.fov_x = text;
    Scan scan;
    read_ismrmrd_xml(header.text(), scan);
    warnings.clear();
    for (const std::string& warning : scan.warnings) warnings += warning;
    return scan.encodings[0].encoded_fov_mm[0];
  };
  EXPECT_EQ(fov_of("240"), 240);
  EXPECT_EQ(fov_of(" 2.4e2\n"), 240);
  EXPECT_EQ(fov_of("+0.24"), 0.24);
  EXPECT_EQ(fov_of("0"), 0);
  for (const char* wrong :
       {"", "abc", "240mm", "nan", "inf", "-1", "2,4", "1e999", "0x10", "NP.FLOAT64(1250.0)"}) {
    EXPECT_EQ(fov_of(wrong), 0) << wrong;
    EXPECT_NE(warnings.find("fieldOfView_mm/x is \""), std::string::npos) << wrong << ": " << warnings;
  }
}

TEST(IsmrmrdXml, FieldsThatAreNotNeededMayBeEmpty) {
  const Scan scan = read_header(
      "<acquisitionSystemInformation><receiverChannels/></acquisitionSystemInformation>"
      "<encoding><encodedSpace><matrixSize><x>96.0</x><y>8</y><z/></matrixSize></"
      "encodedSpace><encodingLimits>"
      "<kspace_encoding_step_1><maximum>NaN</maximum><center>NaN</center></kspace_encoding_step_1>"
      "</encodingLimits></encoding><sequenceParameters><TR>INF</TR><TE/><echo_spacing>0.5</echo_spacing>"
      "</sequenceParameters>");
  EXPECT_EQ(scan.encodings[0].encoded_matrix, (std::array<Index, 3>{96, 8, 1}));
  EXPECT_FALSE(scan.encodings[0].center_step_1);
  EXPECT_EQ(scan.echo_spacing_ms, 0.5);
}

// Spokes shared by all slices, with counters of 0.
Scan without_slice_counters(const std::vector<std::array<float, 3>>& positions, std::uint16_t spokes) {
  Scan scan;
  for (const auto& position : positions)
    for (std::uint16_t spoke = 0; spoke < spokes; ++spoke) {
      Readout readout;
      readout.header.samples = 4;
      readout.header.position = position;
      readout.header.encode_step_1 = spoke;
      scan.readouts.push_back(readout);
    }
  return scan;
}

TEST(SlicesByPlace, WhatRepeatsElsewhereIsASlice) {
  Scan scan = without_slice_counters({{0, 0, 0}, {0, 0, 10}, {0, 0, 20}}, 3);
  number_slices_by_place(scan);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(scan.readouts[i].header.counters.slice, i / 3);
  ASSERT_EQ(scan.notes.size(), 1U);
  EXPECT_NE(scan.notes[0].find("3 slices"), std::string::npos);
}

TEST(SlicesByPlace, DirectionsTellLocalizersApart) {
  Scan scan = without_slice_counters({{0, 0, 0}, {0, 0, 0}}, 3);
  for (Readout& readout : scan.readouts) readout.header.counters.slice = 5;
  for (std::size_t i = 3; i < 6; ++i) scan.readouts[i].header.slice_dir = {1, 0, 0};
  scan.readouts.push_back(scan.readouts[4]);  // calibration of the second slice
  scan.readouts.back().header.set(AcquisitionFlag::calibration);
  number_slices_by_place(scan);
  EXPECT_EQ(scan.readouts[2].header.counters.slice, 5);
  EXPECT_EQ(scan.readouts[3].header.counters.slice, 6);
  EXPECT_EQ(scan.readouts[6].header.counters.slice, 6);
}

TEST(SlicesByPlace, NumbersFitInTheCounter) {
  Scan scan = without_slice_counters({{0, 0, 0}, {0, 0, 10}, {0, 0, 20}}, 2);
  for (std::size_t i = 0; i < 4; ++i) scan.readouts[i].header.counters.slice = 65535;
  number_slices_by_place(scan);
  EXPECT_EQ(scan.readouts[1].header.counters.slice, 65535);
  EXPECT_EQ(scan.readouts[3].header.counters.slice, 1);
  EXPECT_EQ(scan.readouts[5].header.counters.slice, 0);
}

TEST(SlicesByPlace, MotionIsAWarning) {
  // Positions are not slices if each measures lines that no other does, or if a single readout has another
  // position.
  Scan moving = without_slice_counters({{0, 0, 0}, {0, 0, 10}}, 2);
  for (std::uint16_t i = 0; i < 4; ++i) moving.readouts[i].header.encode_step_1 = i;
  Scan one = without_slice_counters({{0, 0, 0}}, 4);
  one.readouts[2].header.position = {0, 0, 10};
  for (Scan* scan : {&moving, &one}) {
    number_slices_by_place(*scan);
    for (const Readout& readout : scan->readouts) EXPECT_EQ(readout.header.counters.slice, 0);
    EXPECT_EQ(scan->warnings.size(), 1U);
  }
}

TEST(IsmrmrdXml, MissingPartsStayZero) {
  const Scan scan = read_header(
      "<encoding><encodedSpace><matrixSize><x>8</x><y>9</y></matrixSize></encodedSpace></encoding>");
  EXPECT_EQ(scan.encodings[0].encoded_matrix, (std::array<Index, 3>{8, 9, 1}));
  EXPECT_EQ(scan.encodings[0].encoded_fov_mm, (Vec3{0, 0, 0}));
  EXPECT_EQ(scan.encodings[0].trajectory, "");
  EXPECT_EQ(scan.relative_noise_bandwidth, 1);
  EXPECT_TRUE(scan.noise_bandwidth_assumed);
  EXPECT_EQ(scan.encodings[0].multiband, 1);
  EXPECT_EQ(scan.warnings.size(), 3U);  // field of view, reconSpace, limits
}

TEST(IsmrmrdXml, SaysTheBandsAndTheirDistance) {
  const auto read = [](const std::string& spacing) {
    return read_header("<encoding><parallelImaging><multiband><spacing>" + spacing +
                       "</spacing><multiband_factor>3</multiband_factor></multiband></parallelImaging>"
                       "</encoding>");
  };
  EXPECT_EQ(read("").encodings[0].band_distance_mm, 0);
  EXPECT_EQ(read("<dZ>-30</dZ><dZ>0</dZ><dZ>30</dZ>").encodings[0].band_distance_mm, 30);
  const Scan one = read("<dZ>24.5</dZ>");
  Scan again;
  read_ismrmrd_xml(make_ismrmrd_xml(one, 4), again);
  EXPECT_EQ(again.encodings[0].multiband, 3);
  EXPECT_EQ(again.encodings[0].band_distance_mm, 24.5);
}

TEST(IsmrmrdXml, TakesTheBandsOfTheProtocol) {
  const auto read = [](const std::string& parameters, const std::string& encoding = "") {
    return read_header("<encoding>" + encoding + "</encoding><userParameters>" + parameters +
                       "</userParameters>");
  };
  const auto parameter = [](const std::string& name, const std::string& value) {
    return "<userParameterLong><name>" + name + "</name><value>" + value + "</value></userParameterLong>";
  };
  const Scan bands = read(parameter("other", "7") + parameter("sSliceAcceleration.lMultiBandFactor", "4") +
                          parameter("sSliceAcceleration.lFOVShiftFactor", "3"));
  EXPECT_EQ(bands.encodings[0].multiband, 4);
  ASSERT_EQ(bands.notes.size(), 1U);
  EXPECT_THAT(bands.notes[0],
              testing::HasSubstr("4 slices at a time, displaced by 1/3 of the field of view"));
  EXPECT_EQ(read(parameter("multiband_factor", "2")).encodings[0].multiband, 2);
  const Scan one = read(parameter("MultiBandFactor", "1") + parameter("FOVShiftFactor", "1"));
  EXPECT_EQ(one.encodings[0].multiband, 1);
  EXPECT_TRUE(one.notes.empty());
  EXPECT_EQ(read(parameter("MultiBandFactor", "two")).encodings[0].multiband, 1);
  // ISMRMRD's own element comes first.
  EXPECT_EQ(
      read(parameter("MultiBandFactor", "2"),
           "<parallelImaging><multiband><multiband_factor>3</multiband_factor></multiband></parallelImaging>")
          .encodings[0]
          .multiband,
      3);
}

TEST(IsmrmrdXml, NoiseBandwidthGoesByTheVendorWhereItIsMissing) {
  const auto bandwidth = [](const std::string& system) {
    const Scan scan =
        read_header("<acquisitionSystemInformation>" + system +
                    "</acquisitionSystemInformation><encoding><parallelImaging><multiband>"
                    "<multiband_factor>3</multiband_factor></multiband></parallelImaging></encoding>");
    EXPECT_EQ(scan.encodings[0].multiband, 3);
    EXPECT_LE(std::count_if(scan.warnings.begin(), scan.warnings.end(),
                            [](const std::string& warning) {
                              return warning.find("NoiseBandwidth") != std::string::npos;
                            }),
              1);
    return std::pair(scan.relative_noise_bandwidth, scan.noise_bandwidth_assumed);
  };
  EXPECT_EQ(bandwidth("<systemVendor>SIEMENS Healthineers</systemVendor>"), std::pair(0.793, true));
  EXPECT_EQ(bandwidth("<systemVendor>Acme</systemVendor>"), std::pair(1.0, true));
  EXPECT_EQ(bandwidth("<systemVendor>Siemens</systemVendor>"
                      "<relativeReceiverNoiseBandwidth>0.9</relativeReceiverNoiseBandwidth>"),
            std::pair(0.9, false));
  for (const char* wrong : {"", "NaN", "0", "-1"})
    EXPECT_EQ(bandwidth(std::string("<relativeReceiverNoiseBandwidth>") + wrong +
                        "</relativeReceiverNoiseBandwidth>"),
              std::pair(1.0, true))
        << wrong;
}

ImageSeries oblique_series(ImageKind kind) {
  ImageSeries series;
  series.kind = kind;
  series.ismrmrd_header = "<ismrmrdHeader/>";
  for (std::uint16_t i = 0; i < 3; ++i) {
    series.images.push_back(make_image({2, 4, 5, 6}, 1000.0F * i));
    Image& image = series.images.back();
    image.geometry.position = {1, 2, 3.0 + i};
    image.geometry.read_dir = {0, 1, 0};
    image.geometry.phase_dir = {0, 0, 1};
    image.geometry.slice_dir = {1, 0, 0};
    image.counters = {i, 2, 3, 4, 5};
    image.acquisition_time_stamp = 70U + i;
  }
  return series;
}

TEST(IsmrmrdImages, RoundTrip) {
  const TemporaryFolder folder;
  for (const ImageKind kind : {ImageKind::magnitude, ImageKind::phase, ImageKind::complex}) {
    const std::string path = folder / "images.h5";
    const ImageSeries series = oblique_series(kind);
    write_ismrmrd_images(path, series, true);
    const auto back = read_ismrmrd_images(path);
    ASSERT_EQ(back.shape(), (Shape{3, 2, 4, 5, 6}));
    for (Index i = 0; i < 240; ++i) {
      const std::complex<float> value = series.images[2].pixels[i], read = back[480 + i];
      if (kind == ImageKind::complex) {
        EXPECT_EQ(read, value);
      } else {
        EXPECT_NEAR(read.real(), kind == ImageKind::phase ? std::arg(value) : std::abs(value), 1e-3);
        EXPECT_EQ(read.imag(), 0);
      }
    }
  }
}

TEST(IsmrmrdImages, HeadersSayWhatTheStandardWants) {
  const TemporaryFolder folder;
  write_ismrmrd_images(folder / "images.h5", oblique_series(ImageKind::complex));
  using hdf5::Handle;
  const Handle file(H5Fopen((folder / "images.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const Handle dataset(H5Dopen2(file, "dataset/image_0/header", H5P_DEFAULT));
  const Handle stored(H5Dget_type(dataset));
  EXPECT_EQ(H5Tget_size(stored), 198U);
  const Handle type = hdf5::image_header_type();
  std::vector<hdf5::ImageHeaderRecord> headers(3);
  ASSERT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, headers.data()), 0);
  const hdf5::ImageHeaderRecord& h = headers[2];
  // Members of a packed record are compared by value.
  EXPECT_EQ(+h.version, 1);
  EXPECT_EQ(+h.data_type, 7);
  EXPECT_EQ(+h.image_type, 5);
  EXPECT_EQ(+h.channels, 2);
  EXPECT_EQ(+h.matrix_size[0], 6);
  EXPECT_EQ(+h.matrix_size[1], 5);
  EXPECT_EQ(+h.matrix_size[2], 4);
  EXPECT_EQ(+h.field_of_view[0], 200);
  EXPECT_EQ(+h.field_of_view[2], 20);
  EXPECT_EQ(+h.position[2], 5);
  EXPECT_EQ(+h.read_dir[1], 1);
  EXPECT_EQ(+h.phase_dir[2], 1);
  EXPECT_EQ(+h.slice_dir[0], 1);
  EXPECT_EQ(+h.slice, 2);
  EXPECT_EQ(+h.contrast, 2);
  EXPECT_EQ(+h.phase, 3);
  EXPECT_EQ(+h.repetition, 4);
  EXPECT_EQ(+h.set, 5);
  EXPECT_EQ(+h.acquisition_time_stamp, 72U);
  EXPECT_EQ(+h.image_index, 2);
  EXPECT_EQ(+h.image_series_index, 0);
  EXPECT_GT(+h.attribute_string_len, 100U);
  for (const char* path : {"dataset/xml", "dataset/image_0/attributes"})
    EXPECT_TRUE(Handle(H5Dopen2(file, path, H5P_DEFAULT)).valid()) << path;
}

TEST(IsmrmrdImages, OfAnotherFieldOfViewAreInTheirOwnGroup) {
  const TemporaryFolder folder;
  ImageSeries series = oblique_series(ImageKind::magnitude);
  series.images[1].geometry.fov_mm[0] = 400;
  write_ismrmrd_images(folder / "images.h5", series);
  const auto first = read_ismrmrd_images(folder / "images.h5", {.group = "dataset/image_0"});
  const auto second = read_ismrmrd_images(folder / "images.h5", {.group = "dataset/image_1"});
  ASSERT_EQ(first.shape(), (Shape{2, 2, 4, 5, 6}));
  ASSERT_EQ(second.shape(), (Shape{2, 4, 5, 6}));
  EXPECT_NEAR(std::abs(first[240]), std::abs(series.images[2].pixels[0]), 1e-2);
  EXPECT_NEAR(std::abs(second[0]), std::abs(series.images[1].pixels[0]), 1e-2);
}

TEST(IsmrmrdImages, RawDataAreNotTakenForImages) {
  const TemporaryFolder folder;
  hostile::sound_scan().write(folder / "raw.h5");
  EXPECT_THAT(error_of([&] { (void)read_ismrmrd_images(folder / "raw.h5"); }),
              testing::MatchesRegex("3: .*holds the readouts of a scan.*"));
  write_ismrmrd_images(folder / "images.h5", oblique_series(ImageKind::magnitude));
  EXPECT_THAT(error_of([&] { (void)read_ismrmrd(folder / "images.h5"); }),
              testing::MatchesRegex("3: .*looks like a file of ISMRMRD images.*"));
  EXPECT_THROW((void)read_ismrmrd_images(folder / "images.h5", {.group = "dataset/image_1"}), Error);
}

TEST(IsmrmrdImages, OneShapeForAll) {
  const TemporaryFolder folder;
  ImageSeries series;
  series.images.push_back(make_image({1, 4, 4}));
  series.images.push_back(make_image({1, 4, 5}));
  EXPECT_THROW(write_ismrmrd_images(folder / "images.h5", series), Error);
  EXPECT_EQ(folder.files(), 0U);
}

class SharedScan
    : public testing::TestWithParam<std::tuple<const char*, std::size_t, std::size_t, std::size_t>> {};

TEST_P(SharedScan, IsRead) {
  const auto [name, readouts, samples, coordinates] = GetParam();
  const std::string path = std::string(LARMOR_TEST_DATA "/") + name;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const Scan scan = read_ismrmrd(path);
  EXPECT_EQ(scan.readouts.size(), readouts);
  EXPECT_EQ(scan.data.size(), samples);
  EXPECT_EQ(scan.trajectory.size(), coordinates);
}

INSTANTIATE_TEST_SUITE_P(File, SharedScan,
                         testing::Values(std::tuple{"brain_radial.h5", 101, 526336, 98816},
                                         std::tuple{"brain_spiral.h5", 4, 456536, 81366},
                                         std::tuple{"markers_3d.h5", 1600, 230400, 172800},
                                         std::tuple{"multislice.h5", 480, 368640, 184320},
                                         std::tuple{"Koma_signal.mrd", 101, 10201, 20402},
                                         std::tuple{"mrireco_brain_sim.h5", 256, 65536, 131072}));

TEST(SharedData, FilesFromJuliaKeepTheirOddities) {
  const std::string koma = LARMOR_TEST_DATA "/Koma_signal.mrd",
                    mrireco = LARMOR_TEST_DATA "/mrireco_brain_sim.h5";
  if (!std::filesystem::exists(koma) || !std::filesystem::exists(mrireco))
    GTEST_SKIP() << koma << " is not there";
  const Scan metres = read_ismrmrd(koma);
  EXPECT_NEAR(metres.encodings[0].recon_fov_mm[0], 0.2323, 1e-6);
  EXPECT_EQ(metres.encodings[0].recon_matrix[0], 102);
  EXPECT_EQ(metres.readouts[0].header.version, 0);
  const Scan zero = read_ismrmrd(mrireco);
  EXPECT_EQ(zero.encodings[0].encoded_fov_mm, (Vec3{0, 0, 0}));
  EXPECT_FALSE(zero.encodings[0].has_recon_space);
  EXPECT_EQ(zero.encodings[0].trajectory, "cartesian");
}

}  // namespace
}  // namespace larmor::test
