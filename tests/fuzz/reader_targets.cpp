#include "fuzz/memory_file.hpp"
#include "fuzz/targets.hpp"

#include <larmor/core/error.hpp>
#include <larmor/io/ismrmrd/received.hpp>
#include <larmor/io/ismrmrd/stored/acquisition_table.hpp>
#include <larmor/io/ismrmrd/stored/image_table.hpp>
#include <larmor/io/isolated/messages.hpp>

#include <cstdlib>
#include <cstring>
#include <new>

namespace larmor::test::fuzz {
namespace {

constexpr std::size_t memory_limit = std::size_t{32} << 20;

// As larmor-read does: requests for more memory than is available are refused.
template <typename Read>
bool read_stored(Bytes bytes, const Read& read) {
  return refused_or_read([&] {
    // The library treats files of equal names as the same file, even after it failed to close one.
    static std::uint64_t count = 0;
    const std::string name = "file " + std::to_string(++count);
    const hdf5::Silence silence;
    const Descriptor memory = memory_file(bytes);
    try {
      const hdf5::File file(hdf5::MappedFile(memory.number(), name), name);
      read(file, name);
    } catch (const std::bad_alloc&) {
      throw Error(ErrorClass::input, "it needs more memory than its size allows for");
    }
  });
}

// Everything that a message points to must be inside it.
class Within {
 public:
  explicit Within(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <typename Part>
  void require(const Part& part) const {
    const auto inner = std::as_bytes(std::span(part.data(), part.size()));
    if (!inner.empty() &&
        (inner.data() < bytes_.data() || inner.data() + inner.size() > bytes_.data() + bytes_.size()))
      std::abort();
  }
  void operator()(const isolated::Failed& failed) const { require(failed.parameter), require(failed.text); }
  void operator()(const isolated::Table& table) const { require(table.xml); }
  void operator()(const isolated::Headers& headers) const { require(headers.records); }
  void operator()(const isolated::Values& values) const {
    require(values.lengths), require(values.numbers);
    std::uint64_t sum = 0;
    for (const auto& row : values.lengths) sum += row.trajectory + row.data;
    if (sum != values.numbers.size()) std::abort();
  }
  void operator()(const isolated::Images& images) const { require(images.extents); }
  void operator()(const isolated::Pixels& pixels) const { require(pixels.numbers); }
  void operator()(const isolated::Places& places) const { require(places.rows); }
  void operator()(const isolated::WaveformPiece& waveform) const {
    require(waveform.values);
    if (waveform.values.size() != std::size_t{waveform.head.channels} * waveform.head.number_of_samples)
      std::abort();
  }
  void operator()(const isolated::Finished&) const {}

 private:
  std::span<const std::byte> bytes_;
};

// Takes messages from bytes, as ReaderProcess does from shared memory.
class Messages {
 public:
  explicit Messages(Bytes bytes) : rest_(bytes) {}
  isolated::Message next() {
    std::uint32_t size = 0;
    if (rest_.size() < sizeof size) throw Error(ErrorClass::input, "the process gave up");
    std::memcpy(&size, rest_.data(), sizeof size);
    rest_ = rest_.subspan(sizeof size);
    const Bytes bytes = rest_.first(std::min<std::size_t>(size, rest_.size()));
    rest_ = rest_.subspan(bytes.size());
    // Memory of exactly this size, so that a sanitizer detects accesses outside it.
    memory_ = std::vector<std::uint64_t>((bytes.size() + 7) / 8);
    if (!bytes.empty()) std::memcpy(memory_.data(), bytes.data(), bytes.size());
    const std::span whole(reinterpret_cast<const std::byte*>(memory_.data()), bytes.size());
    const auto message = isolated::parse_message(whole);
    if (!message) throw Error(ErrorClass::input, "it gave an invalid answer");
    std::visit(Within(whole), *message);
    if (std::holds_alternative<isolated::Failed>(*message)) throw Error(ErrorClass::input, "it failed");
    return *message;
  }

 private:
  Bytes rest_;
  std::vector<std::uint64_t> memory_;
};

IsmrmrdReadOptions limited() {
  IsmrmrdReadOptions options;
  options.memory_limit = memory_limit;
  return options;
}

}  // namespace

bool read_scan_bytes(Bytes bytes) {
  return read_stored(bytes, [](const hdf5::File& file, const std::string& name) {
    ismrmrd::ScanBuilder builder(name, limited());
    ismrmrd::read_acquisitions(file, "", builder);
    (void)builder.finish();
  });
}

bool read_image_bytes(Bytes bytes) {
  return read_stored(bytes, [](const hdf5::File& file, const std::string& name) {
    ismrmrd::ImageBuilder builder(name);
    ismrmrd::read_image_pixels(file, "", builder);
    (void)builder.finish();
    ismrmrd::ImageBuilder headers(name);
    ismrmrd::read_image_headers(file, "", headers);
    (void)headers.finish();
  });
}

bool read_message_bytes(Bytes bytes) {
  if (bytes.empty()) return false;
  Messages messages(bytes.subspan(1));
  const auto next = [&] { return messages.next(); };
  return refused_or_read([&] {
    if (bytes[0] % 2 == 0) {
      ismrmrd::ScanBuilder builder("file", limited());
      // The file is a ramp of small numbers of finite length.
      const auto read_at = [](std::uint64_t at, std::span<std::byte> to) {
        constexpr std::uint64_t size = 1 << 16;
        if (at > size || to.size() > size - at) return false;
        for (std::byte& byte : to) byte = static_cast<std::byte>(at++ % 64);
        return true;
      };
      ismrmrd::receive_scan(next, read_at, "file", builder);
      (void)builder.finish();
    } else {
      ismrmrd::ImageBuilder builder("file");
      ismrmrd::receive_images(next, "file", builder);
      (void)builder.finish();
    }
  });
}

}  // namespace larmor::test::fuzz
