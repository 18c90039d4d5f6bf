#pragma once

#include <larmor/io/ismrmrd/image_builder.hpp>
#include <larmor/io/ismrmrd/scan_builder.hpp>
#include <larmor/io/isolated/messages.hpp>

#include <cstdint>
#include <functional>
#include <string>

// Passes messages of the isolated reader to the builders that check them; not part of the public interface.

namespace larmor::ismrmrd {

/// The next message; throws Error.
using NextMessage = std::function<isolated::Message()>;

/// Passes all messages to the builder, and returns the kernel features that were missing. `read_at` reads
/// numbers of which only the position in the file is sent, `name` is for messages. Throws Error (input) for
/// unexpected messages, and the errors of builder and `next`.
std::uint64_t receive_scan(const NextMessage& next, const ReadAt& read_at, const std::string& name,
                           ScanBuilder& builder);
/// The same for images.
void receive_images(const NextMessage& next, const std::string& name, ImageBuilder& builder);

}  // namespace larmor::ismrmrd
