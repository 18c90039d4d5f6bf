#pragma once

#include <cstdint>
#include <span>

// Not part of the public interface.

namespace larmor::hdf5 {

/// Versions of datatype messages: HDF5 1.12 and later can write newer ones than sound_type_message() knows.
constexpr unsigned newest_type_version = 3;

/// False for an inconsistent datatype message (HDF5 File Format Specification 3.0, IV.A.2.d): types of no
/// bytes, members outside their compound, arrays of another size than their elements, a message that ends
/// early, more than 8 levels. The library divides by such sizes, and copies by them, when it opens an object.
bool sound_type_message(std::span<const std::uint8_t> message);

}  // namespace larmor::hdf5
