#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/io/hdf5/messages.hpp>
#include <larmor/io/helper/serve.hpp>
#include <larmor/io/ismrmrd/stored/acquisition_table.hpp>
#include <larmor/io/ismrmrd/stored/image_table.hpp>
#include <larmor/io/isolated/contents.hpp>
#include <larmor/io/isolated/messages.hpp>
#include <larmor/io/isolated/sandbox.hpp>
#include <larmor/io/isolated/socket.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>

namespace larmor::isolated {
namespace {

// The other process has ended, or has stopped reading.
struct NobodyListens {};

// Sends messages, with at most two unread ones.
class Outlet {
 public:
  Outlet() = default;
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;
  /// Waits until the other process has read everything, and ends this one: closing a socket with unread
  /// acknowledgements would discard messages.
  ~Outlet() {
    while (wait_for_acknowledgement(helper_socket)) {
    }
  }
  /// A message with room for `bytes` after its head.
  Segment& start(MessageHead head, std::size_t bytes) {
    segment_.emplace(sizeof head + bytes);
    std::memcpy(segment_->bytes().data(), &head, sizeof head);
    return *segment_;
  }
  void send() {
    constexpr int most_unread = 2;
    if (unread_ == most_unread && !wait_for_acknowledgement(helper_socket)) throw NobodyListens();
    unread_ = std::min(unread_ + 1, most_unread);
    const bool sent = segment_->shared() ? send_descriptor(helper_socket, segment_->seal())
                                         : send_bytes(helper_socket, segment_->bytes());
    if (!sent) throw NobodyListens();
    segment_.reset();
  }
  void send(const MessageHead& head, const void* bytes, std::size_t size) {
    Segment& segment = start(head, size);
    if (size > 0) std::memcpy(segment.bytes().data() + sizeof head, bytes, size);
    send();
  }

 private:
  std::optional<Segment> segment_;
  int unread_ = 0;
};

std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

class AcquisitionOutlet : public ismrmrd::AcquisitionSink {
 public:
  AcquisitionOutlet(Outlet& outlet, std::uint32_t lacking) : outlet_(outlet), lacking_(lacking) {}

  void begin(const std::string& xml, std::uint64_t rows) override {
    outlet_.send({.kind = MessageKind::table, .count = rows, .lacking = lacking_}, xml.data(), xml.size());
  }
  void headers(std::uint64_t first, std::span<const hdf5::AcquisitionHeaderRecord> records) override {
    outlet_.send({.kind = MessageKind::headers, .first = first, .count = records.size()}, records.data(),
                 records.size_bytes());
  }
  void values(std::uint64_t first, std::span<const ismrmrd::RowLengths> lengths,
              const ismrmrd::Fill& fill) override {
    std::size_t count = 0;
    for (const ismrmrd::RowLengths& row : lengths) count += row.trajectory + row.data;
    Segment& segment = outlet_.start({.kind = MessageKind::values, .first = first, .count = lengths.size()},
                                     lengths.size_bytes() + count * sizeof(float));
    std::memcpy(segment.bytes().data() + sizeof(MessageHead), lengths.data(), lengths.size_bytes());
    fill(floats(segment.bytes().subspan(sizeof(MessageHead) + lengths.size_bytes())));
    outlet_.send();
  }
  bool takes_places() const override { return true; }
  void places(std::uint64_t first, std::span<const ismrmrd::RowPlaces> rows) override {
    outlet_.send({.kind = MessageKind::places, .first = first, .count = rows.size()}, rows.data(),
                 rows.size_bytes());
  }

 private:
  Outlet& outlet_;
  std::uint32_t lacking_;
};

class ImageOutlet : public ismrmrd::ImageSink {
 public:
  ImageOutlet(Outlet& outlet, std::uint32_t lacking) : outlet_(outlet), lacking_(lacking) {}

  void header(const std::string& xml) override {
    outlet_.send({.kind = MessageKind::table, .lacking = lacking_}, xml.data(), xml.size());
  }
  void begin(std::span<const std::uint64_t> extents, bool complex) override {
    outlet_.send({.kind = MessageKind::images,
                  .first = complex ? 1U : 0U,
                  .count = extents.size(),
                  .lacking = lacking_},
                 extents.data(), extents.size_bytes());
  }
  void pixels(std::uint64_t count, const ismrmrd::Fill& fill) override {
    Segment& segment = outlet_.start({.kind = MessageKind::pixels, .count = count}, count * sizeof(float));
    fill(floats(segment.bytes().subspan(sizeof(MessageHead))));
    outlet_.send();
  }

 private:
  Outlet& outlet_;
  std::uint32_t lacking_;
};

void read(Contents contents, const std::string& name, const std::string& group, Outlet& outlet) {
  hdf5::MappedFile mapping(helper_file, name);
  const hdf5::Silence silence;  // loads the library
  const Limits limits = limits_for(mapping.bytes().size());
  const bool scarce = memory_is_scarce(limits);
  const std::uint32_t lacking = close_sandbox(limits);
  try {
    const hdf5::File file(std::move(mapping), name);
    if (contents == Contents::acquisitions) {
      AcquisitionOutlet sink(outlet, lacking);
      ismrmrd::read_acquisitions(file, group, sink);
    } else {
      ImageOutlet sink(outlet, lacking);
      if (contents == Contents::image_headers)
        ismrmrd::read_image_headers(file, group, sink);
      else
        ismrmrd::read_image_pixels(file, group, sink);
    }
  } catch (const std::bad_alloc&) {
    if (scarce) throw resource_error("cannot read {}: the memory limit (ulimit -v) is too low", name);
    throw input_error(
        "cannot read {}: it needs more memory than its size allows for; rewrite it with: h5repack", name);
  } catch (const Error& error) {
    // The memory limit is derived from the size of the file, unless the user's is lower: running out of it
    // means that the file is at fault.
    throw Error(scarce ? error.error_class() : ErrorClass::input, error.what()).about(error.parameter());
  }
  outlet.send({.kind = MessageKind::finished}, nullptr, 0);
}

void report(Outlet& outlet, const Error& error) {
  const std::string text = (error.parameter() + error.what()).substr(0, most_error_bytes);
  outlet.send({.kind = MessageKind::failed,
               .first = static_cast<std::uint64_t>(error.error_class()),
               .count = error.parameter().size()},
              text.data(), text.size());
}

int guarded(Contents contents, const std::string& name, const std::string& group, Outlet& outlet) {
  try {
    read(contents, name, group, outlet);
    return 0;
  } catch (const Error& error) {
    report(outlet, error);
  } catch (const std::exception& error) {
    report(outlet, input_error("cannot read {}: {}", name, error.what()));
  }
  return 1;
}

}  // namespace

int serve(int word_count, char** words) {
  // 0: program, 1: version, 2: contents, 3: name, 4: group
  const auto contents = word_count == 5 ? contents_of(words[2]) : std::nullopt;
  if (!contents) return 2;
  try {
    Outlet outlet;
    if (words[1] != std::string(version())) {
      report(outlet,
             resource_error("larmor-read is version {}, expected {}; reinstall Larmor", version(), words[1]));
      return 1;
    }
    return guarded(*contents, words[3], words[4], outlet);
  } catch (...) {
    return 1;
  }
}

}  // namespace larmor::isolated
