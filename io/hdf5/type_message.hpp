#pragma once

#include <cstdint>
#include <span>

// No part of the public interface.

namespace larmor::hdf5 {

/// Of datatype messages: HDF5 1.12 and later write more than sound_type_message() knows when they are asked
/// to.
constexpr unsigned newest_type_version = 3;

/// False for a datatype message (HDF5 File Format Specification 3.0, IV.A.2.d) that contradicts itself: types
/// of no bytes, members outside of their compound, arrays of another size than their elements, a message that
/// ends early, more than 8 levels. The library divides by such sizes, and copies by them, while it opens an
/// object.
bool sound_type_message(std::span<const std::uint8_t> message);

}  // namespace larmor::hdf5
