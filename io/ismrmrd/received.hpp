#pragma once

#include <larmor/io/ismrmrd/image_builder.hpp>
#include <larmor/io/ismrmrd/scan_builder.hpp>
#include <larmor/io/isolated/messages.hpp>

#include <cstdint>
#include <functional>
#include <string>

// What the isolated reader says goes to those who check it; no part of the public interface.

namespace larmor::ismrmrd {

/// The next message; throws Error.
using NextMessage = std::function<isolated::Message()>;

/// Hands all messages until the last to the builder, and returns what the kernel lacked. `read_at` is for
/// numbers of which only their place in the file is told, `name` for messages. Throws Error (input) for
/// messages that have no place here, and what builder and `next` throw.
std::uint64_t receive_scan(const NextMessage& next, const ReadAt& read_at, const std::string& name,
                           ScanBuilder& builder);
/// The same for images.
void receive_images(const NextMessage& next, const std::string& name, ImageBuilder& builder);

}  // namespace larmor::ismrmrd
