#include "io/hostile_structures.hpp"

#include <larmor/io/hdf5/handle.hpp>
#include <larmor/io/ismrmrd/stored/types.hpp>

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace larmor::test::hostile {
namespace {

using larmor::hdf5::Handle;

constexpr int input = 3;
constexpr std::size_t row_bytes = 372,
                      samples_at = 340 + 16;  // bytes of a row as written, and of its samples' descriptor

void require(hid_t status) {
  if (status < 0) throw std::runtime_error("the test could not write its HDF5 file");
}

Handle open_to_change(const std::string& path) {
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  require(file);
  return file;
}

// Position of row 0 of the table, all of whose rows are in one chunk.
std::size_t first_row(const std::string& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const Handle dataset(H5Dopen2(file, "dataset/data", H5P_DEFAULT));
  const hsize_t offset = 0;
  hsize_t bytes = 0;
  haddr_t address = HADDR_UNDEF;
  unsigned filters = 0;
  require(H5Dget_chunk_info_by_coord(dataset, &offset, &filters, &address, &bytes));
  if (address == HADDR_UNDEF) throw std::runtime_error("the test's file has no chunk");
  return address;
}

RawFile scan_in_one_chunk() {
  RawFile file = sound_scan();
  file.chunk_rows = static_cast<unsigned>(file.readouts.size());
  return file;
}

// Row 10's sequence of samples then claims 16 entries of 128.
void shorten_row_10(const std::string& path) {
  const std::size_t row = first_row(path) + 10 * row_bytes;
  std::string bytes = contents(path);
  bytes[row + samples_at] = 16;
  overwrite_contents(path, bytes);
}

void move_behind_soft_link(const std::string& path, const char* name) {
  const Handle file = open_to_change(path);
  const Handle group(H5Gopen2(file, "dataset", H5P_DEFAULT));
  require(H5Lmove(group, name, file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT));
  require(H5Lcreate_soft("/elsewhere", group, name, H5P_DEFAULT, H5P_DEFAULT));
}

void write_soft_links(const std::string& path) {
  RawFile file = scan_in_one_chunk();
  file.write(path);
  move_behind_soft_link(path, "xml");
}

void write_damage_behind_soft_link(const std::string& path) {
  scan_in_one_chunk().write(path);
  shorten_row_10(path);
  move_behind_soft_link(path, "data");
}

void write_circle_of_soft_links(const std::string& path) {
  sound_scan().write(path);
  const Handle file = open_to_change(path);
  require(H5Ldelete(file, "dataset/xml", H5P_DEFAULT));
  require(H5Lcreate_soft("/dataset/b", file, "dataset/xml", H5P_DEFAULT, H5P_DEFAULT));
  require(H5Lcreate_soft("/dataset/xml", file, "dataset/b", H5P_DEFAULT, H5P_DEFAULT));
}

// The table is in a second file, which is valid.
void write_external_link(const std::string& path) {
  const std::string other = path + ".other";
  sound_scan().write(path);
  sound_scan().write(other);
  const Handle file = open_to_change(path);
  require(H5Ldelete(file, "dataset/data", H5P_DEFAULT));
  require(H5Lcreate_external(other.c_str(), "/dataset/data", file, "dataset/data", H5P_DEFAULT, H5P_DEFAULT));
}

// The header as text of fixed length, with storage properties.
void write_xml_with(const std::string& path, hid_t properties, hsize_t bytes) {
  RawFile raw = sound_scan();
  raw.xml_storage = XmlStorage::absent;
  raw.write(path);
  const Handle file = open_to_change(path);
  const Handle type(H5Tcopy(H5T_C_S1));
  require(H5Tset_size(type, bytes));
  const hsize_t one = 1;
  const Handle space(H5Screate_simple(1, &one, nullptr));
  const Handle dataset(H5Dcreate2(file, "dataset/xml", type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  require(dataset);
}

void write_external_storage(const std::string& path) {
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  require(H5Pset_external(properties, "/etc/passwd", 0, 64));
  write_xml_with(path, properties, 64);
}

void write_unknown_filter(const std::string& path) {
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t one = 1;
  require(H5Pset_chunk(properties, 1, &one));
  require(H5Pset_filter(properties, 32015, H5Z_FLAG_OPTIONAL, 0, nullptr));
  write_xml_with(path, properties, 64);
}

// All rows share the samples of the first; the file stores them once.
void write_shared_samples(const std::string& path) {
  RawFile file = sound_scan();
  RawReadout first = file.readouts[0];
  first.flags = 0;
  first.samples = 4000;
  first.channels = 1;
  first.data.assign(4000, {1, 0});
  RawReadout none = first;
  none.samples = none.channels = 0;
  none.data.clear();
  file.readouts.assign(400, none);
  file.readouts[0] = first;
  file.chunk_rows = 400;
  file.write(path);
  const std::size_t start = first_row(path);
  std::string bytes = contents(path);
  for (std::size_t row = 1; row < 400; ++row)
    std::memcpy(bytes.data() + start + row * row_bytes, bytes.data() + start, row_bytes);
  overwrite_contents(path, bytes);
}

std::function<void(const std::string&)> with(
    const std::function<void(RawFile&)>& change,
    const std::function<void(const std::string&)>& damage = nullptr) {
  return [=](const std::string& path) {
    RawFile file = scan_in_one_chunk();
    change(file);
    file.write(path);
    if (damage) damage(path);
  };
}

// A sound scan with one waveform of 4 values, whose header may say something else.
std::function<void(const std::string&)> with_waveform(std::uint16_t samples) {
  return [samples](const std::string& path) {
    sound_scan().write(path);
    const Handle file = open_to_change(path);
    const Handle type = larmor::hdf5::waveform_type();
    const hsize_t rows = 1;
    const Handle space(H5Screate_simple(1, &rows, nullptr)), properties(H5Pcreate(H5P_DATASET_CREATE));
    require(H5Pset_chunk(properties, 1, &rows));
    const Handle table(
        H5Dcreate2(file, "dataset/waveforms", type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    require(table);
    std::uint32_t values[] = {1, 2, 3, 4};
    larmor::hdf5::WaveformRecord record{};
    record.head.number_of_samples = samples;
    record.head.channels = 2;
    record.data = {4, values};
    require(H5Dwrite(table, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &record));
  };
}

Case refused(std::string name, std::vector<std::string> words,
             std::function<void(const std::string&)> write) {
  return {30, std::move(name), Outcome::reader_refuses, input, std::move(words), std::move(write)};
}

Case read(std::string name, std::function<void(const std::string&)> write) {
  return {30, std::move(name), Outcome::succeeds, 0, {}, std::move(write)};
}

}  // namespace

std::vector<Case> structure_cases() {
  const auto newest = [](RawFile& file) { file.versions = Versions::v110; };
  return {
      read("soft_link_inside", write_soft_links),
      refused("damage_behind_soft_link", {"cannot read acquisition 10", "should have 64 bytes and has 512"},
              write_damage_behind_soft_link),
      refused("circle_of_soft_links", {"no XML header"}, write_circle_of_soft_links),
      refused("external_link", {"link to another file"}, write_external_link),
      refused("external_storage", {"values in other files"}, write_external_storage),
      refused("unknown_filter", {"filter 32015", "h5repack -f NONE"}, write_unknown_filter),
      refused("compact_layout", {"stored in its header", "h5repack -l CONTI"},
              with([](RawFile& file) { file.compact = true; })),
      refused("compressed_sound", {"compressed", "h5repack -f NONE"},
              with([](RawFile& file) { file.compressed = true; })),
      refused("four_byte_addresses", {"addresses of an unusual size"},
              with([](RawFile& file) { file.address_bytes = 4; })),
      read("v18_headers", with([](RawFile& file) { file.versions = Versions::v18; })),
      refused("v18_damage", {"cannot read acquisition 10", "should have 64 bytes and has 512"},
              with([](RawFile& file) { file.versions = Versions::v18; }, shorten_row_10)),
      read("v110_headers", with(newest)),
      refused("v110_damage", {"cannot read acquisition 10", "should have 64 bytes and has 512"},
              with(newest, shorten_row_10)),
      refused("shared_samples", {"cannot read acquisition", "sequences overlap"}, write_shared_samples),
      read("waveform", with_waveform(2)),
      refused("short_waveform",
              {"cannot read waveform 0 of 1", "the header says 65535 samples x 2 channels, it has 4 values"},
              with_waveform(65535)),
  };
}

void write_image_bomb(const std::string& path) {
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const Handle outer(H5Gcreate2(file, "dataset", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const Handle inner(H5Gcreate2(outer, "image_0", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const hsize_t extents[5] = {1, 1, 1, 40000, 40000}, chunk[5] = {1, 1, 1, 1000, 1000};
  const Handle space(H5Screate_simple(5, extents, nullptr));
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  require(H5Pset_chunk(properties, 5, chunk));
  for (const char* name : {"data", "header"})
    require(Handle(H5Dcreate2(inner, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, properties, H5P_DEFAULT)));
}

}  // namespace larmor::test::hostile
