#include "io/hostile_files.hpp"

#include <larmor/io/ismrmrd/stored/types.hpp>

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numbers>
#include <random>
#include <stdexcept>

namespace larmor::test::hostile {
namespace {

using larmor::hdf5::AcquisitionHeaderRecord;
using larmor::hdf5::AcquisitionRecord;
using larmor::hdf5::Handle;

void require(hid_t status) {
  if (status < 0) throw std::runtime_error("the test could not write its HDF5 file");
}

void write_xml(hid_t group, const std::string& xml, XmlStorage storage) {
  if (storage == XmlStorage::absent) return;
  const bool fixed = storage == XmlStorage::fixed_ascii || storage == XmlStorage::fixed_utf8;
  const bool utf8 = storage == XmlStorage::variable_utf8 || storage == XmlStorage::fixed_utf8;
  const Handle type(H5Tcopy(H5T_C_S1));
  require(H5Tset_size(type, fixed ? xml.size() + 7 : H5T_VARIABLE));
  require(H5Tset_cset(type, utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII));
  const hsize_t one = 1;
  const Handle space(fixed ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &one, nullptr));
  const Handle dataset(H5Dcreate2(group, "xml", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  require(dataset);
  std::string padded = xml;
  padded.resize(xml.size() + 7, '\0');
  const char* text = padded.c_str();
  require(
      H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, fixed ? static_cast<const void*>(text) : &text));
}

AcquisitionRecord to_record(const RawReadout& readout) {
  AcquisitionRecord record{};
  record.head.version = readout.version;
  record.head.flags = readout.flags;
  record.head.number_of_samples = readout.samples;
  record.head.available_channels = record.head.active_channels = readout.channels;
  record.head.discard_pre = readout.discard_pre;
  record.head.discard_post = readout.discard_post;
  record.head.center_sample = static_cast<std::uint16_t>(readout.samples / 2);
  record.head.encoding_space_ref = readout.encoding_space_ref;
  record.head.trajectory_dimensions = readout.trajectory_dimensions;
  record.head.sample_time_us = readout.sample_time_us;
  // The record is packed: its arrays may be at any address.
  const auto put = [&record](std::size_t offset, const float(&values)[3]) {
    std::memcpy(reinterpret_cast<std::byte*>(&record.head) + offset, values, sizeof values);
  };
  put(offsetof(AcquisitionHeaderRecord, position), readout.position);
  put(offsetof(AcquisitionHeaderRecord, read_dir), readout.read_dir);
  put(offsetof(AcquisitionHeaderRecord, phase_dir), readout.phase_dir);
  put(offsetof(AcquisitionHeaderRecord, slice_dir), readout.slice_dir);
  record.head.idx.kspace_encode_step_1 = readout.encode_step_1;
  record.head.idx.slice = readout.slice;
  record.head.idx.repetition = readout.repetition;
  record.traj = {readout.trajectory.size(), const_cast<float*>(readout.trajectory.data())};
  record.data = {2 * readout.data.size(), const_cast<std::complex<float>*>(readout.data.data())};
  return record;
}

Handle row_type(bool with_head) {
  Handle whole = larmor::hdf5::acquisition_type();
  if (with_head) return whole;
  Handle type(H5Tcreate(H5T_COMPOUND, sizeof(AcquisitionRecord)));
  for (const unsigned member : {1U, 2U}) {
    const Handle member_type(H5Tget_member_type(whole, member));
    require(H5Tinsert(type, member == 1 ? "traj" : "data", H5Tget_member_offset(whole, member), member_type));
  }
  return type;
}

void write_group(hid_t file, const RawFile& raw) {
  const Handle group(H5Gcreate2(file, raw.group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  require(group);
  write_xml(group, raw.xml, raw.xml_storage);
  std::vector<AcquisitionRecord> rows;
  for (const RawReadout& readout : raw.readouts) rows.push_back(to_record(readout));
  const Handle memory_type = row_type(raw.with_head);
  const Handle file_type(H5Tcopy(memory_type));
  require(H5Tpack(file_type));
  const hsize_t count = rows.size(), unlimited = H5S_UNLIMITED, chunk = raw.chunk_rows;
  const Handle space(H5Screate_simple(1, &count, raw.compact ? nullptr : &unlimited));
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  if (raw.compact)
    require(H5Pset_layout(properties, H5D_COMPACT));
  else
    require(H5Pset_chunk(properties, 1, &chunk));
  if (raw.compressed) require(H5Pset_deflate(properties, 4));
  const Handle dataset(H5Dcreate2(group, "data", file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  require(dataset);
  if (count > 0) require(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()));
}

}  // namespace

void RawFile::write(const std::string& path) const {
  const Handle creation(H5Pcreate(H5P_FILE_CREATE)), access(H5Pcreate(H5P_FILE_ACCESS));
  const auto size = static_cast<std::size_t>(address_bytes);
  require(H5Pset_sizes(creation, size, size));
  if (versions == Versions::v18) require(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18));
  if (versions == Versions::v110) require(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access));
  require(file);
  write_group(file, *this);
}

void RawFile::append(const std::string& path) const {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  require(file);
  write_group(file, *this);
}

std::string HeaderText::text() const {
  const auto tag = [this](const std::string& name, const std::string& inside) {
    return "<" + prefix + name + ">" + inside + "</" + prefix + name + ">\n";
  };
  const auto triple = [&](const std::string& x, const std::string& y, const std::string& z) {
    return tag("x", x) + tag("y", y) + tag("z", z);
  };
  const std::string space = tag("matrixSize", triple(matrix_x, matrix_y, matrix_z)) +
                            tag("fieldOfView_mm", triple(fov_x, fov_y, fov_z));
  const std::string name_space = prefix.empty() ? "xmlns" : "xmlns:" + prefix.substr(0, prefix.size() - 1);
  return "<?xml version=\"1.0\"?>\n<" + prefix + "ismrmrdHeader " + name_space +
         "=\"http://www.ismrm.org/ISMRMRD\">\n" +
         tag("acquisitionSystemInformation", tag("relativeReceiverNoiseBandwidth", noise_bandwidth)) +
         tag("encoding", tag("encodedSpace", space) + (recon_space ? tag("reconSpace", space) : "") + limits +
                             tag("trajectory", trajectory)) +
         sequence + "</" + prefix + "ismrmrdHeader>\n";
}

RawFile sound_scan() {
  constexpr int spokes = 24, samples = 32, channels = 2, noise_samples = 512;
  RawFile file;
  file.xml = HeaderText().text();
  RawReadout noise;
  noise.flags = std::uint64_t{1} << 18;
  noise.samples = noise_samples;
  noise.channels = channels;
  noise.trajectory_dimensions = 0;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (int i = 0; i < channels * noise_samples; ++i) noise.data.emplace_back(normal(random), normal(random));
  file.readouts.push_back(noise);

  // A Gaussian of 2 pixels at (2, -1); a coil whose sensitivity is exp(2πi q·x) shifts k-space by q.
  using std::numbers::pi;
  constexpr double sigma = 2, x0 = 2, y0 = -1, strength = 1000;
  constexpr double shift[channels] = {0.02, -0.03};
  for (int spoke = 0; spoke < spokes; ++spoke) {
    RawReadout readout;
    readout.samples = samples;
    readout.channels = channels;
    readout.encode_step_1 = static_cast<std::uint16_t>(spoke);
    const double angle = pi * spoke / spokes;
    for (int i = 0; i < samples; ++i) {
      const double radius = (i - samples / 2) / static_cast<double>(samples);
      readout.trajectory.push_back(static_cast<float>(radius * std::cos(angle)));
      readout.trajectory.push_back(static_cast<float>(radius * std::sin(angle)));
    }
    for (const double q : shift)
      for (int i = 0; i < samples; ++i) {
        const double kx = readout.trajectory[static_cast<std::size_t>(2 * i)] - q;
        const double ky = readout.trajectory[static_cast<std::size_t>(2 * i + 1)];
        readout.data.emplace_back(
            std::polar(strength * std::exp(-2 * pi * pi * sigma * sigma * (kx * kx + ky * ky)),
                       -2 * pi * (kx * x0 + ky * y0)));
        readout.data.back() += std::complex<float>(normal(random), normal(random)) * 0.1F;
      }
    file.readouts.push_back(std::move(readout));
  }
  return file;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void overwrite_contents(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error("the test could not write its file");
}

}  // namespace larmor::test::hostile
