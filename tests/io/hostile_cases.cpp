#include "io/hostile_files.hpp"
#include "io/hostile_structures.hpp"

#include <larmor/io/ismrmrd/stored/types.hpp>

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace larmor::test::hostile {
namespace {

using larmor::hdf5::Handle;
using Change = std::function<void(RawFile&)>;

constexpr int input = 3, resource = 4;
constexpr std::uint64_t dummy_flag = std::uint64_t{1} << 26;

// Writes the valid scan after a change.
std::function<void(const std::string&)> changed(const Change& change) {
  return [change](const std::string& path) {
    RawFile file = sound_scan();
    change(file);
    file.write(path);
  };
}

std::function<void(const std::string&)> with_header(const std::function<void(HeaderText&)>& change) {
  return changed([change](RawFile& file) {
    HeaderText header;
    change(header);
    file.xml = header.text();
  });
}

std::function<void(const std::string&)> with_readout(std::size_t index,
                                                     const std::function<void(RawReadout&)>& change) {
  return changed([=](RawFile& file) { change(file.readouts.at(index)); });
}

std::function<void(const std::string&)> with_readouts(const std::function<void(RawReadout&)>& change) {
  return changed(
      [=](RawFile& file) { std::for_each(file.readouts.begin() + 1, file.readouts.end(), change); });
}

void write_sound(const std::string& path) {
  sound_scan().write(path);
}

void truncate(const std::string& path, double fraction) {
  write_sound(path);
  const std::string bytes = contents(path);
  overwrite_contents(path,
                     bytes.substr(0, static_cast<std::size_t>(fraction * static_cast<double>(bytes.size()))));
}

// Position in the file of the table's second chunk (rows 8 to 15).
std::size_t second_chunk(const std::string& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const Handle dataset(H5Dopen2(file, "dataset/data", H5P_DEFAULT));
  const Handle space(H5Dget_space(dataset));
  hsize_t offset = 0, bytes = 0;
  haddr_t address = HADDR_UNDEF;
  unsigned filters = 0;
  if (H5Dget_chunk_info(dataset, space, 1, &offset, &filters, &address, &bytes) < 0 || offset != 8)
    throw std::runtime_error("the test's file has no second chunk");
  return address;
}

// Row 10's descriptor of its samples: length, address of the heap, index in it; 16 bytes after the 340 of the
// header and the 16 of the trajectory.
void damage_descriptor(const std::string& path, const std::function<void(char*)>& damage) {
  write_sound(path);
  const std::size_t row = second_chunk(path) + 2 * 372;
  std::string bytes = contents(path);
  damage(bytes.data() + row + 340 + 16);
  overwrite_contents(path, bytes);
}

// Damages every heap that rows use: the size of its first object.
void damage_heaps(const std::string& path, std::uint64_t object_size) {
  write_sound(path);
  std::string bytes = contents(path);
  std::size_t heaps = 0;
  for (std::size_t at = bytes.find("GCOL"); at != std::string::npos; at = bytes.find("GCOL", at + 4))
    if (heaps++ > 0) std::memcpy(bytes.data() + at + 16 + 8, &object_size, sizeof object_size);
  if (heaps < 2) throw std::runtime_error("the test's file has no heaps to damage");
  overwrite_contents(path, bytes);
}

void write_compressed_damage(const std::string& path) {
  RawFile file = sound_scan();
  file.compressed = true;
  file.write(path);
  const std::size_t chunk = second_chunk(path);
  std::string bytes = contents(path);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(chunk) + 20, 200, '\x55');
  overwrite_contents(path, bytes);
}

void write_several_groups(const std::string& path) {
  RawFile file = sound_scan();
  file.write(path);
  file.group = "second";
  file.append(path);
}

void write_fastmri(const std::string& path) {
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const hsize_t extents[4] = {2, 3, 8, 6};
  const Handle complex = larmor::hdf5::complex_type(H5T_NATIVE_FLOAT);
  const Handle space(H5Screate_simple(4, extents, nullptr));
  const Handle kspace(H5Dcreate2(file, "kspace", complex, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const std::vector<std::complex<float>> zeros(2 * 3 * 8 * 6);
  H5Dwrite(kspace, complex, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data());
  const Handle text(H5Tcopy(H5T_C_S1));
  H5Tset_size(text, 20);
  const Handle scalar(H5Screate(H5S_SCALAR));
  const Handle header(
      H5Dcreate2(file, "ismrmrd_header", text, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

// A table that claims far more rows than the file holds; none of them is stored.
void write_row_bomb(const std::string& path) {
  RawFile raw = sound_scan();
  raw.readouts.resize(1);
  raw.write(path);
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  const Handle dataset(H5Dopen2(file, "dataset/data", H5P_DEFAULT));
  const hsize_t rows = 4000000000;
  H5Dset_extent(dataset, &rows);
}

// A file that the reader refuses as bad input.
Case refused(int number, std::string name, std::vector<std::string> words,
             std::function<void(const std::string&)> write) {
  return {number, std::move(name), Outcome::reader_refuses, input, std::move(words), std::move(write)};
}

std::vector<Case> file_cases() {
  return {
      refused(1, "missing", {"cannot read"}, [](const std::string&) {}),
      refused(1, "not_hdf5", {"not an HDF5 file"},
              [](const std::string& path) { overwrite_contents(path, "this is a letter, not a scan\n"); }),
      refused(1, "mrd_stream", {"which recon stream reads"},
              [](const std::string& path) {
                overwrite_contents(path, std::string("\1\0default", 9) + std::string(1017, '\0'));
              }),
      refused(1, "empty", {"empty"}, [](const std::string& path) { overwrite_contents(path, ""); }),
      refused(2, "truncated", {"truncated", " of ", " bytes"},
              [](const std::string& path) { truncate(path, 0.6); }),
      refused(2, "truncated_early", {"truncated", " of ", " bytes"},
              [](const std::string& path) { truncate(path, 0.01); }),
      refused(3, "wild_address", {"cannot read acquisition 10"},
              [](const std::string& path) {
                damage_descriptor(path, [](char* descriptor) { std::memset(descriptor + 4, 0x5a, 8); });
              }),
      refused(3, "short_length", {"cannot read acquisition 10"},
              [](const std::string& path) {
                damage_descriptor(path, [](char* descriptor) { descriptor[0] = 16; });
              }),
      refused(3, "wild_index", {"cannot read acquisition 10"},
              [](const std::string& path) {
                damage_descriptor(path, [](char* descriptor) { std::memset(descriptor + 12, 0x7f, 4); });
              }),
      refused(
          3, "damaged_heap", {"cannot read acquisition"},
          [](const std::string& path) { damage_heaps(path, std::numeric_limits<std::uint64_t>::max() - 3); }),
      refused(3, "heap_of_nothing", {"cannot read acquisition"},
              [](const std::string& path) { damage_heaps(path, 0); }),
      refused(3, "compressed_table", {"compressed", "h5repack -f NONE"}, write_compressed_damage),
      {4,
       "wrong_group",
       Outcome::reader_refuses,
       input,
       {"no group \"nosuch\"", "the file has", "dataset"},
       write_sound,
       "nosuch"},
      refused(5, "several_groups", {"several groups", "\"dataset\"", "\"second\"", "choose one"},
              write_several_groups),
      {5, "several_groups_chosen", Outcome::succeeds, 0, {}, write_several_groups, "second"},
      {5, "single_group_of_any_name", Outcome::succeeds, 0, {}, changed([](RawFile& file) {
         file.group = "meas_42";
       })},
      refused(6, "fastmri", {"not ISMRMRD", "no head/traj/data", "kspace"}, write_fastmri),
      refused(6, "no_head", {"not ISMRMRD", "no head/traj/data"},
              changed([](RawFile& file) { file.with_head = false; })),
      {7, "xml_utf8", Outcome::succeeds, 0, {}, changed([](RawFile& file) {
         file.xml_storage = XmlStorage::variable_utf8;
       })},
      {7, "xml_fixed_ascii", Outcome::succeeds, 0, {}, changed([](RawFile& file) {
         file.xml_storage = XmlStorage::fixed_ascii;
       })},
      {7, "xml_fixed_utf8", Outcome::succeeds, 0, {}, changed([](RawFile& file) {
         file.xml_storage = XmlStorage::fixed_utf8;
       })},
      {7, "header_version_0", Outcome::succeeds, 0, {}, with_readouts([](RawReadout& r) { r.version = 0; })},
      refused(8, "xml_absent", {"no XML header"},
              changed([](RawFile& file) { file.xml_storage = XmlStorage::absent; })),
      refused(8, "xml_empty", {"XML header", "empty"}, changed([](RawFile& file) { file.xml = "  "; })),
      refused(8, "xml_malformed", {"malformed", "line 4"}, changed([](RawFile& file) {
                file.xml =
                    "<?xml version=\"1.0\"?>\n<ismrmrdHeader>\n<encoding>\n</wrong>\n</ismrmrdHeader>\n";
              })),
      refused(8, "xml_of_something_else", {"<html>", "<ismrmrdHeader>"},
              changed([](RawFile& file) { file.xml = "<html><body/></html>"; })),
      refused(8, "xml_without_encoding", {"no <encoding>"},
              changed([](RawFile& file) { file.xml = "<ismrmrdHeader/>"; })),
      {9, "no_recon_space", Outcome::succeeds, 0, {}, with_header([](HeaderText& h) {
         h.recon_space = false;
       })},
      {9, "no_limits", Outcome::succeeds, 0, {}, with_header([](HeaderText& h) { h.limits = ""; })},
      {9, "prefix_and_capital", Outcome::succeeds, 0, {}, with_header([](HeaderText& h) {
         h.prefix = "m:";
         h.trajectory = "Radial";
       })},
      {10, "numpy_number", Outcome::succeeds, 0, {}, with_header([](HeaderText& h) {
         h.sequence = "<sequenceParameters><TR>NP.FLOAT64(1250.0)</TR></sequenceParameters>";
       })},
      {10, "bandwidth_of_letters", Outcome::succeeds, 0, {}, with_header([](HeaderText& h) {
         h.noise_bandwidth = "abc";
       })},
      {11,
       "matrix_0",
       Outcome::later_refuses,
       input,
       {"encoded matrix is 0×"},
       with_header([](HeaderText& h) { h.matrix_x = "0"; })},
      {11,
       "matrix_negative",
       Outcome::later_refuses,
       input,
       {"encoded matrix is", "×0×"},
       with_header([](HeaderText& h) { h.matrix_y = "-4"; })},
      {11,
       "matrix_huge",
       Outcome::later_refuses,
       input,
       {"encoded matrix is 0×"},
       with_header([](HeaderText& h) { h.matrix_x = "65536"; })},
      {11, "matrix_of_letters", Outcome::succeeds, 0, {}, with_header([](HeaderText& h) {
         h.matrix_z = "abc";
       })},
      {12, "fov_0", Outcome::later_refuses, input, {}, with_header([](HeaderText& h) {
         h.fov_x = h.fov_y = "0";
       })},
      {12, "fov_metres", Outcome::later_refuses, input, {}, with_header([](HeaderText& h) {
         h.fov_x = h.fov_y = "0.16";
         h.fov_z = "0.005";
       })},
      {12, "fov_nan", Outcome::later_refuses, input, {"field of view is 0×"}, with_header([](HeaderText& h) {
         h.fov_x = "nan";
       })},
      {12,
       "fov_negative",
       Outcome::later_refuses,
       input,
       {"field of view is", "×0×"},
       with_header([](HeaderText& h) { h.fov_y = "-160"; })},
      refused(13, "more_samples_than_data", {"acquisition 5", "header says 60000 samples", "holds 64"},
              with_readout(5, [](RawReadout& r) { r.samples = 60000; })),
      refused(13, "less_samples_than_data", {"acquisition 5", "header says 16", "holds 64"},
              with_readout(5, [](RawReadout& r) { r.samples = 16; })),
      refused(13, "short_trajectory", {"acquisition 7", "trajectory", "holds 60"},
              with_readout(7, [](RawReadout& r) { r.trajectory.resize(60); })),
      refused(14, "header_of_nothing", {"acquisition 4", "0 samples x 0 channels", "holds 64"},
              with_readout(4, [](RawReadout& r) { r.samples = r.channels = 0; })),
      refused(15, "65535_channels", {"acquisition 1", "65535 channels"},
              with_readouts([](RawReadout& r) { r.channels = 65535; })),
      refused(16, "no_trajectory", {"acquisition 1", "stores none", "give one"},
              with_readouts([](RawReadout& r) { r.trajectory.clear(); })),
      {17, "no_acquisitions", Outcome::later_refuses, input, {}, changed([](RawFile& file) {
         file.readouts.clear();
       })},
      {17, "all_filtered", Outcome::later_refuses, input, {}, with_readouts([](RawReadout& r) {
         r.flags = dummy_flag;
       })},
      {18,
       "mixed_channels",
       Outcome::later_refuses,
       input,
       {"readout 6 has 1", "readout 1 has 2"},
       with_readout(6,
                    [](RawReadout& r) {
                      r.channels = 1;
                      r.data.resize(32);
                    })},
      {19,
       "nan_in_trajectory",
       Outcome::later_refuses,
       input,
       {"trajectory of readout", "not a finite number"},
       with_readout(3, [](RawReadout& r) { r.trajectory[15] = std::numeric_limits<float>::quiet_NaN(); })},
      {19,
       "inf_in_data",
       Outcome::later_refuses,
       input,
       {"data of acquisition 2", "inf", "channel 1", "sample 5"},
       with_readout(2,
                    [](RawReadout& r) {
                      r.data[37] = {0, std::numeric_limits<float>::infinity()};
                    })},
      {19,
       "nan_in_noise",
       Outcome::later_refuses,
       input,
       {"data of acquisition 0", "nan", "whiten"},
       with_readout(0, [](RawReadout& r) { r.data[1] = std::numeric_limits<float>::quiet_NaN(); })},
      {19,
       "nan_in_dummy",
       Outcome::succeeds,
       0,
       {},
       with_readout(4,
                    [](RawReadout& r) {
                      r.flags = dummy_flag;
                      r.data[1] = std::numeric_limits<float>::quiet_NaN();
                    })},
      {20, "trajectory_out_of_range", Outcome::later_refuses, input, {}, with_readouts([](RawReadout& r) {
         for (float& k : r.trajectory) k *= 1.4F;
       })},
      {20, "trajectory_all_zero", Outcome::later_refuses, input, {}, with_readouts([](RawReadout& r) {
         std::fill(r.trajectory.begin(), r.trajectory.end(), 0.0F);
       })},
      {21, "discard_everything", Outcome::later_refuses, input, {}, with_readouts([](RawReadout& r) {
         r.discard_pre = r.discard_post = 20;
       })},
      {22, "largest_counters", Outcome::succeeds, 0, {}, with_readouts([](RawReadout& r) {
         r.slice = r.repetition = 65535;
       })},
      {23, "limits_without_center", Outcome::succeeds, 0, {}, with_header([](HeaderText& h) {
         h.limits =
             "<encodingLimits><kspace_encoding_step_1><maximum>23</maximum></kspace_encoding_step_1>"
             "</encodingLimits>";
       })},
      {24,
       "noise_of_zeros",
       Outcome::later_refuses,
       input,
       {},
       with_readout(0,
                    [](RawReadout& r) { std::fill(r.data.begin(), r.data.end(), std::complex<float>()); })},
      {24,
       "noise_of_other_channels",
       Outcome::later_refuses,
       input,
       {},
       with_readout(0,
                    [](RawReadout& r) {
                      r.channels = 1;
                      r.data.resize(512);
                    })},
      {25,
       "encoding_beyond_the_end",
       Outcome::later_refuses,
       input,
       {"readout 9", "encoding 4", "the header has 1"},
       with_readout(9, [](RawReadout& r) { r.encoding_space_ref = 4; })},
      {26,
       "more_than_the_limit",
       Outcome::reader_refuses,
       resource,
       {"need", "may be used", "allow more memory"},
       write_sound,
       "",
       8000},
      {26,
       "headers_that_claim_gigabytes",
       Outcome::reader_refuses,
       resource,
       {"need", "may be used"},
       with_readouts([](RawReadout& r) {
         r.samples = 65535;
         r.channels = 1000;
       }),
       "",
       std::size_t{1} << 30},
      {26,
       "four_billion_rows",
       Outcome::reader_refuses,
       resource,
       {"4000000000 acquisitions", "may be used"},
       write_row_bomb,
       "",
       std::size_t{1} << 30},
      {28, "dwell_0", Outcome::succeeds, 0, {}, with_readouts([](RawReadout& r) { r.sample_time_us = 0; })},
      {28, "directions_zero", Outcome::succeeds, 0, {}, with_readouts([](RawReadout& r) {
         r.read_dir[0] = r.phase_dir[1] = r.slice_dir[2] = 0;
       })},
      {28, "directions_nan", Outcome::succeeds, 0, {}, with_readouts([](RawReadout& r) {
         r.read_dir[0] = std::numeric_limits<float>::quiet_NaN();
       })},
  };
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> both = file_cases();
    const std::vector<Case> more = structure_cases();
    both.insert(both.end(), more.begin(), more.end());
    return both;
  }();
  return all;
}

const Case& find_case(std::string_view name) {
  for (const Case& each : cases())
    if (each.name == name) return each;
  throw std::out_of_range("no hostile case has this name");
}

}  // namespace larmor::test::hostile
