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

#include <exception>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace larmor::isolated {
namespace {

// The other process has ended, or has stopped reading.
struct NobodyListens {};

void send(MessageHead head, std::span<const std::byte> first = {}, std::span<const std::byte> second = {}) {
  head.bytes = first.size() + second.size();
  if (!send_all(helper_socket, std::as_bytes(std::span(&head, 1))) || !send_all(helper_socket, first) ||
      !send_all(helper_socket, second))
    throw NobodyListens();
}

class AcquisitionOutlet : public ismrmrd::AcquisitionSink {
 public:
  explicit AcquisitionOutlet(std::uint32_t lacking) : lacking_(lacking) {}

  void begin(const std::string& xml, std::uint64_t rows) override {
    send({.kind = MessageKind::table, .count = rows, .lacking = lacking_}, std::as_bytes(std::span(xml)));
  }
  void headers(std::uint64_t first, std::span<const hdf5::AcquisitionHeaderRecord> records) override {
    send({.kind = MessageKind::headers, .first = first, .count = records.size()}, std::as_bytes(records));
  }
  void values(std::uint64_t first, std::span<const ismrmrd::RowLengths> lengths,
              const ismrmrd::Fill& fill) override {
    std::size_t count = 0;
    for (const ismrmrd::RowLengths& row : lengths) count += row.trajectory + row.data;
    numbers_.resize(count);
    fill(numbers_);
    send({.kind = MessageKind::values, .first = first, .count = lengths.size()}, std::as_bytes(lengths),
         std::as_bytes(std::span(numbers_)));
  }
  bool takes_places() const override { return true; }
  void places(std::uint64_t first, std::span<const ismrmrd::RowPlaces> rows) override {
    send({.kind = MessageKind::places, .first = first, .count = rows.size()}, std::as_bytes(rows));
  }
  void waveform(const hdf5::WaveformHeaderRecord& head, std::span<const std::uint32_t> values) override {
    send({.kind = MessageKind::waveform}, std::as_bytes(std::span(&head, 1)), std::as_bytes(values));
  }

 private:
  std::uint32_t lacking_;
  std::vector<float> numbers_;
};

class ImageOutlet : public ismrmrd::ImageSink {
 public:
  explicit ImageOutlet(std::uint32_t lacking) : lacking_(lacking) {}

  void header(const std::string& xml) override {
    send({.kind = MessageKind::table, .lacking = lacking_}, std::as_bytes(std::span(xml)));
  }
  void begin(std::span<const std::uint64_t> extents, bool complex) override {
    send({.kind = MessageKind::images,
          .first = complex ? 1U : 0U,
          .count = extents.size(),
          .lacking = lacking_},
         std::as_bytes(extents));
  }
  void pixels(std::uint64_t count, const ismrmrd::Fill& fill) override {
    numbers_.resize(count);
    fill(numbers_);
    send({.kind = MessageKind::pixels, .count = count}, std::as_bytes(std::span(numbers_)));
  }

 private:
  std::uint32_t lacking_;
  std::vector<float> numbers_;
};

void read(Contents contents, const std::string& name, const std::string& group) {
  hdf5::MappedFile mapping(helper_file, name);
  const hdf5::Silence silence;  // loads the library
  const Limits limits = limits_for(mapping.bytes().size());
  const bool scarce = memory_is_scarce(limits);
  const std::uint32_t lacking = close_sandbox(limits);
  try {
    const hdf5::File file(std::move(mapping), name);
    if (contents == Contents::acquisitions) {
      AcquisitionOutlet sink(lacking);
      ismrmrd::read_acquisitions(file, group, sink);
    } else {
      ImageOutlet sink(lacking);
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
  send({.kind = MessageKind::finished});
}

void report(const Error& error) {
  const std::string text = (error.parameter() + error.what()).substr(0, most_error_bytes);
  send({.kind = MessageKind::failed,
        .first = static_cast<std::uint64_t>(error.error_class()),
        .count = error.parameter().size()},
       std::as_bytes(std::span(text)));
}

int guarded(Contents contents, const std::string& name, const std::string& group) {
  try {
    read(contents, name, group);
    return 0;
  } catch (const Error& error) {
    report(error);
  } catch (const std::exception& error) {
    report(input_error("cannot read {}: {}", name, error.what()));
  }
  return 1;
}

}  // namespace

int serve(int word_count, char** words) {
  // 0: program, 1: version, 2: contents, 3: name, 4: group
  const auto contents = word_count == 5 ? contents_of(words[2]) : std::nullopt;
  if (!contents) return 2;
  try {
    if (words[1] != std::string(version())) {
      report(resource_error("larmor-read is version {}, expected {}; reinstall Larmor", version(), words[1]));
      return 1;
    }
    return guarded(*contents, words[3], words[4]);
  } catch (...) {
    return 1;
  }
}

}  // namespace larmor::isolated
