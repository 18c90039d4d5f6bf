#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Files that a reconstruction must survive: damaged, contradictory and unusual ISMRMRD files, numbered as in
// the list in cases(). Written row by row with the HDF5 library, because Larmor's writers refuse to write
// such files.

namespace larmor::test::hostile {

/// One row of the table of acquisitions.
struct RawReadout {
  std::uint64_t flags = 0;
  std::uint16_t version = 1, samples = 0, channels = 0, trajectory_dimensions = 2;
  std::uint16_t discard_pre = 0, discard_post = 0, encoding_space_ref = 0;
  std::uint16_t encode_step_1 = 0, slice = 0, repetition = 0;
  float sample_time_us = 5;
  float position[3] = {0, 0, 0}, read_dir[3] = {1, 0, 0}, phase_dir[3] = {0, 1, 0}, slice_dir[3] = {0, 0, 1};
  std::vector<float> trajectory;          ///< samples × dimensions; may contradict the header
  std::vector<std::complex<float>> data;  ///< channels × samples; may contradict the header
};

enum class XmlStorage { variable_ascii, variable_utf8, fixed_ascii, fixed_utf8, absent };

/// HDF5 version of the structures in a file.
enum class Versions { oldest, v18, v110 };

/// Contents of an ISMRMRD file; write() does not check that they make sense.
struct RawFile {
  std::string group = "dataset";
  std::string xml;
  XmlStorage xml_storage = XmlStorage::variable_ascii;
  std::vector<RawReadout> readouts;
  unsigned chunk_rows = 8;
  bool with_head = true;    ///< false: rows have traj and data only
  bool compressed = false;  ///< chunks of the table are deflated
  bool compact = false;     ///< the table is in its object header
  int address_bytes = 8;    ///< bytes of addresses and lengths in the file
  Versions versions = Versions::oldest;

  void write(const std::string& path) const;
  /// Adds the group to an existing HDF5 file.
  void append(const std::string& path) const;
};

/// The pieces of an ISMRMRD header, to be changed and put together.
struct HeaderText {
  std::string matrix_x = "16", matrix_y = "16", matrix_z = "1";
  std::string fov_x = "160", fov_y = "160", fov_z = "5";
  std::string limits = "<encodingLimits/>", trajectory = "radial", sequence, noise_bandwidth = "0.793";
  bool recon_space = true;
  std::string prefix;  ///< namespace prefix, such as "m:"
  std::string text() const;
};

/// A valid scan: a noise readout, then 24 radial spokes of 32 samples, 2 channels, normalised units; the
/// object is a Gaussian off the centre of a 16 × 16 image.
RawFile sound_scan();

/// Required outcome of a case.
enum class Outcome {
  succeeds,        ///< with or without a warning
  reader_refuses,  ///< reading throws
  later_refuses    ///< reading succeeds, preparing a reconstruction must throw
};

struct Case {
  int number;        ///< in the list of hostile and unusual input
  std::string name;  ///< short name of the fault
  Outcome outcome;
  int exit_code;  ///< 0 for succeeds, 3 input, 4 resource
  std::vector<std::string>
      words;  ///< text that the message must contain (the reader's, or later_refuses': empty)
  std::function<void(const std::string& path)> write;
  std::string group{};           ///< --group to pass; empty: none
  std::size_t memory_limit = 0;  ///< --memory to pass; 0: none
};

/// All cases that are files: 1 to 26, 28, and 30 for ways of storage. 27 concerns streams, 29 outputs.
const std::vector<Case>& cases();

/// The case with this name; throws std::out_of_range if there is none.
const Case& find_case(std::string_view name);

/// Bytes of a file, to detect changes.
std::string contents(const std::string& path);
void overwrite_contents(const std::string& path, const std::string& bytes);

}  // namespace larmor::test::hostile
