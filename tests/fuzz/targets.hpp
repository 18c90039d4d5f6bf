#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace larmor::test::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// Changes data in place, growing them to at most `most` bytes; returns their new number.
using Mutate = std::function<std::size_t(std::uint8_t* data, std::size_t size, std::size_t most)>;

/// A reader of bytes from outside.
struct Target {
  std::string_view name;
  /// Reads them. Returns false if they are properly refused: by an Error of input or resources, in one line.
  /// Ends the process for any other exception, or for results outside their bounds.
  bool (*read)(Bytes bytes);
  /// A mutation that knows the format; the function `random` does a generic one. Null: none.
  std::size_t (*mutate)(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed,
                        const Mutate& random) = nullptr;
};

const std::vector<Target>& targets();
/// Null if there is none of that name.
const Target* find_target(std::string_view name);

/// Calls a reader as Target::read does.
bool refused_or_read(const std::function<void()>& read);

// Formats that are read by the program itself.
bool read_npy_bytes(Bytes bytes);
bool read_cfl_bytes(Bytes bytes);  // the header, a zero, the data
bool read_matrix_market_bytes(Bytes bytes);
bool read_nifti_bytes(Bytes bytes);
/// Coil maps and their positions. An even first byte: a NIfTI file follows; odd: the JSON file beside an
/// array.
bool read_maps_bytes(Bytes bytes);
bool read_pulseq_bytes(Bytes bytes);
bool read_wisdom_bytes(Bytes bytes);
bool read_checkpoint_bytes(Bytes bytes);
bool read_xml_bytes(Bytes bytes);
bool read_trajectory_bytes(Bytes bytes);
/// Messages of an MRD stream, and the scan assembled from their readouts.
bool read_stream_bytes(Bytes bytes);

/// A configuration file of the command.
bool read_config_bytes(Bytes bytes);
/// Options that a client of the server sends as TOML or JSON.
bool read_recipe_bytes(Bytes bytes);
/// K-space and its trajectory as arrays, up to coordinates: the names of the axes, a zero, two .npy files of
/// which the first has the length given in two bytes.
bool read_scan_arrays_bytes(Bytes bytes);
/// Images of any shape through every writer: the writer, then an .npy file.
bool write_shape_bytes(Bytes bytes);

// The isolated reader, run in this process.
bool read_scan_bytes(Bytes bytes);
bool read_image_bytes(Bytes bytes);
/// Output of the isolated reader: messages, each a length of 4 bytes and its bytes. If the first byte is even
/// they describe a scan, otherwise images.
bool read_message_bytes(Bytes bytes);

}  // namespace larmor::test::fuzz
