#pragma once

#include <larmor/io/mrd_stream/message_reader.hpp>
#include <larmor/io/mrd_stream/message_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace larmor::test {

using StreamBytes = std::vector<std::byte>;

/// Appends messages to `bytes`, which must outlive it.
inline mrd::MessageWriter writer_to(StreamBytes& bytes) {
  return mrd::MessageWriter(
      [&bytes](std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); });
}

/// Reads messages from `bytes`, which must outlive it.
inline mrd::MessageReader reader_of(const StreamBytes& bytes,
                                    std::uint64_t most_bytes = std::uint64_t{1} << 30) {
  return mrd::MessageReader(
      [&bytes, at = std::size_t{0}](std::span<std::byte> to) mutable {
        const std::size_t now = std::min(to.size(), bytes.size() - at);
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), now, to.begin());
        at += now;
        return now;
      },
      most_bytes);
}

}  // namespace larmor::test
