#include "error_of.hpp"
#include "io/hostile_files.hpp"
#include "io/hostile_structures.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/core/error.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/hdf5/file.hpp>
#include <larmor/io/ismrmrd/image_builder.hpp>
#include <larmor/io/ismrmrd/image_reader.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/scan_builder.hpp>
#include <larmor/io/ismrmrd/stored/acquisition_table.hpp>
#include <larmor/io/ismrmrd/stored/image_table.hpp>
#include <larmor/io/isolated/helper.hpp>
#include <larmor/io/isolated/messages.hpp>
#include <larmor/io/isolated/sandbox.hpp>
#include <larmor/io/isolated/writer_process.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>

namespace larmor::test {
namespace {

using namespace larmor::isolated;
using hdf5::AcquisitionHeaderRecord;
using hdf5::WaveformHeaderRecord;
using ismrmrd::RowLengths;
using ismrmrd::RowPlaces;

// The work of larmor-read, in this process.
template <typename Read>
void in_this_process(const std::string& path, const Read& read) {
  const Descriptor descriptor = open_to_read(path);
  const hdf5::Silence silence;
  read(hdf5::File(hdf5::MappedFile(descriptor.number(), path), path));
}

// Bytes of a message, at an address suitably aligned for its numbers.
class Bytes {
 public:
  explicit Bytes(const MessageHead& head) { add(&head, sizeof head); }
  template <typename T>
  Bytes& with(const std::vector<T>& values) {
    add(values.data(), values.size() * sizeof(T));
    return *this;
  }
  Bytes& with(const std::string& text) {
    add(text.data(), text.size());
    return *this;
  }
  std::span<std::byte> span() { return {reinterpret_cast<std::byte*>(words_.data()), size_}; }
  std::optional<Message> parsed() { return parse_message(span()); }

 private:
  void add(const void* bytes, std::size_t size) {
    words_.resize((size_ + size + 7) / 8);
    if (size > 0) std::memcpy(reinterpret_cast<std::byte*>(words_.data()) + size_, bytes, size);
    size_ += size;
  }
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

MessageHead head(MessageKind kind, std::uint64_t first = 0, std::uint64_t count = 0) {
  return {.kind = kind, .first = first, .count = count};
}

WaveformHeaderRecord waveform_head(std::uint16_t channels, std::uint16_t samples) {
  WaveformHeaderRecord record{};
  record.channels = channels;
  record.number_of_samples = samples;
  return record;
}

TEST(IsolatedMessages, SoundOnesAreTakenApart) {
  // The parsed object points into the bytes, which must be kept.
  Bytes table(head(MessageKind::table, 0, 7)), values(head(MessageKind::values, 3, 2)),
      images(head(MessageKind::images, 1, 2)), failed(head(MessageKind::failed, 3, 5));
  const auto parsed_table = table.with("<xml/>").parsed();
  ASSERT_TRUE(parsed_table);
  EXPECT_EQ(std::get<Table>(*parsed_table).rows, 7U);
  EXPECT_EQ(std::get<Table>(*parsed_table).xml, "<xml/>");
  values.with(std::vector<RowLengths>{{1, 2}, {0, 4}}).with(std::vector<float>{1, 2, 3, 4, 5, 6, 7});
  const auto parsed = values.parsed();
  ASSERT_TRUE(parsed);
  EXPECT_EQ(std::get<Values>(*parsed).first, 3U);
  EXPECT_EQ(std::get<Values>(*parsed).lengths[1].data, 4U);
  EXPECT_EQ(std::get<Values>(*parsed).numbers[6], 7);
  const auto parsed_images = images.with(std::vector<std::uint64_t>{4, 5}).parsed();
  ASSERT_TRUE(parsed_images);
  EXPECT_TRUE(std::get<Images>(*parsed_images).complex);
  Bytes places(head(MessageKind::places, 2, 1));
  const auto parsed_places = places.with(std::vector<RowPlaces>{{16, 64, {1, 2}}}).parsed();
  ASSERT_TRUE(parsed_places);
  EXPECT_EQ(std::get<Places>(*parsed_places).first, 2U);
  EXPECT_EQ(std::get<Places>(*parsed_places).rows[0].data_at, 64U);
  Bytes waveform(head(MessageKind::waveform));
  const auto parsed_waveform = waveform.with(std::vector<WaveformHeaderRecord>{waveform_head(2, 3)})
                                   .with(std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6})
                                   .parsed();
  ASSERT_TRUE(parsed_waveform);
  EXPECT_EQ(std::get<WaveformPiece>(*parsed_waveform).head.number_of_samples, 3U);
  EXPECT_EQ(std::get<WaveformPiece>(*parsed_waveform).values[5], 6U);
  EXPECT_TRUE(Bytes(head(MessageKind::finished)).parsed());
  const auto parsed_failure = failed.with("groupseveral groups").parsed();
  ASSERT_TRUE(parsed_failure);
  EXPECT_EQ(std::get<Failed>(*parsed_failure).parameter, "group");
  EXPECT_EQ(std::get<Failed>(*parsed_failure).text, "several groups");
}

TEST(IsolatedMessages, ContradictionsAreNone) {
  const std::uint64_t most = ~std::uint64_t{0}, half = std::uint64_t{1} << 32;
  const auto expect_refused = [](const MessageHead& head, const auto&... parts) {
    Bytes bytes(head);
    (bytes.with(parts), ...);
    EXPECT_FALSE(bytes.parsed()) << static_cast<int>(head.kind) << ' ' << head.first << ' ' << head.count;
  };
  using Kind = MessageKind;
  const auto lengths = [](std::uint64_t a, std::uint64_t b) { return std::vector<RowLengths>{{a, b}}; };
  const auto waveform = [](std::uint16_t channels, std::uint16_t samples) {
    return std::vector<WaveformHeaderRecord>{waveform_head(channels, samples)};
  };
  using Extents = std::vector<std::uint64_t>;
  const std::vector<float> four{1, 2, 3, 4};
  EXPECT_FALSE(parse_message({}));
  MessageHead other = head(Kind::finished);
  other.format = message_format + 1;
  expect_refused(other);
  other = head(Kind::finished);
  other.signature[0] = 'l';
  expect_refused(other);
  expect_refused(head(static_cast<Kind>(99)));
  expect_refused(head(Kind::finished), std::string("x"));
  expect_refused(head(Kind::failed), std::string(most_error_bytes + 1, 'x'));
  expect_refused(head(Kind::failed, 3, 6), std::string("group"));
  expect_refused(head(Kind::headers, 0, 2), std::string(sizeof(AcquisitionHeaderRecord), 'x'));
  expect_refused(head(Kind::headers, 0, most));
  expect_refused(head(Kind::values, 0, most), lengths(0, 4), four);
  expect_refused(head(Kind::values, 0, 1), lengths(0, 2), four);  // numbers left over
  expect_refused(head(Kind::values, 0, 1), lengths(2, 4), four);  // numbers missing
  expect_refused(head(Kind::values, 0, 1), lengths(most, 6), four);
  expect_refused(head(Kind::values, 0, 1), lengths(1, 3), four);  // half a sample
  expect_refused(head(Kind::values, 0, 1), lengths(0, 4), four, std::string("x"));
  expect_refused(head(Kind::places, 0, 2), std::vector<RowPlaces>(1));
  expect_refused(head(Kind::places, 0, most), std::vector<RowPlaces>(1));
  expect_refused(head(Kind::pixels, 0, 5), four);
  expect_refused(head(Kind::waveform), std::string(39, 'x'));
  expect_refused(head(Kind::waveform), waveform(1, 3), four);          // values left over
  expect_refused(head(Kind::waveform), waveform(65535, 65535), four);  // values missing
  expect_refused(head(Kind::images, 0, 3), Extents{half, half, 2});
  expect_refused(head(Kind::images, 0, 2), Extents{4, 0});
  expect_refused(head(Kind::images, 2, 2), Extents{4, 4});
  expect_refused(head(Kind::images, 0, 9), Extents(9, 1));
}

// The result points only inside the bytes, whatever they are.
TEST(IsolatedMessages, RandomBytesStayInside) {
  std::mt19937 random(3);
  int taken = 0;
  for (int round = 0; round < 200000; ++round) {
    Bytes bytes(head(static_cast<MessageKind>(random() % 11), random() % 3, random() % 4));
    bytes.with(std::vector<RowLengths>{{random() % 4, random() % 4}, {random() % 4, random() % 4}});
    bytes.with(std::string(random() % 40, 'x'));
    if (round % 4 == 0) bytes.span()[random() % bytes.span().size()] ^= std::byte{1} << (random() % 8);
    const auto span = bytes.span();
    const auto message = parse_message(span);
    if (!message) continue;
    ++taken;
    const auto inside = [&](const auto& part) {
      const auto raw = std::as_bytes(std::span(part.data(), part.size()));
      return raw.empty() ||
             (raw.data() >= span.data() && raw.data() + raw.size() <= span.data() + span.size());
    };
    if (const auto* values = std::get_if<Values>(&*message)) {
      std::uint64_t sum = 0;
      for (const RowLengths& row : values->lengths) sum += row.trajectory + row.data;
      ASSERT_EQ(sum, values->numbers.size());
      ASSERT_TRUE(inside(values->lengths) && inside(values->numbers));
    }
    if (const auto* pixels = std::get_if<Pixels>(&*message)) {
      ASSERT_TRUE(inside(pixels->numbers));
    }
    if (const auto* waveform = std::get_if<WaveformPiece>(&*message)) {
      ASSERT_TRUE(inside(waveform->values));
    }
    if (const auto* failed = std::get_if<Failed>(&*message)) {
      ASSERT_TRUE(inside(failed->text));
    }
  }
  EXPECT_GT(taken, 1000);
}

// While one of these exists, the process can use only this much more address space.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(std::size_t more) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST(IsolatedReader, SeesWhenTheUsersLimitIsTheReason) {
  const Limits limits = limits_for(0);
  EXPECT_FALSE(memory_is_scarce(limits));
  const AddressSpaceLimit limit(std::size_t{16} << 20);
  EXPECT_TRUE(memory_is_scarce(limits));
}

TEST(IsolatedReader, GivesTheScanThatThisProcessReads) {
  const TemporaryFolder folder;
  const std::string path = folder / "scan.h5";
  hostile::sound_scan().write(path);
  const Scan a = read_ismrmrd(path);
  ismrmrd::ScanBuilder builder(path, {});
  in_this_process(path, [&](const hdf5::File& file) { ismrmrd::read_acquisitions(file, "", builder); });
  const Scan b = builder.finish();
  EXPECT_EQ(a.data, b.data);
  EXPECT_EQ(a.trajectory, b.trajectory);
  EXPECT_EQ(a.xml_header, b.xml_header);
  ASSERT_EQ(a.readouts.size(), b.readouts.size());
  EXPECT_EQ(a.readouts[9].header.encode_step_1, b.readouts[9].header.encode_step_1);
}

TEST(IsolatedReader, IsRefusedWhenItIsNotThere) {
  const TemporaryFolder folder;
  const std::string path = folder / "scan.h5";
  hostile::sound_scan().write(path);
  IsmrmrdReadOptions options;
  options.helper = folder / "larmor-read";
  EXPECT_NE(error_of([&] { read_ismrmrd(path, options); }).find("was not found"), std::string::npos);
  EXPECT_NE(error_of([] { find_helper("larmor-no-such-program", ""); }).find("was not found"),
            std::string::npos);
  isolated::require_writer();
}

TEST(IsolatedReader, IsNotStartedWhenOthersMayWriteIt) {
  const TemporaryFolder folder;
  const std::string helper = folder / "larmor-read";
  std::filesystem::copy_file(find_helper("larmor-read", ""), helper);
  EXPECT_EQ(find_helper("larmor-read", helper), std::filesystem::canonical(helper).string());
  for (const mode_t mode : {0757U, 0775U}) {
    ASSERT_EQ(chmod(helper.c_str(), mode), 0);
    EXPECT_NE(error_of([&] { find_helper("larmor-read", helper); }).find("other users may write to it"),
              std::string::npos)
        << mode;
  }
  ASSERT_EQ(chmod(helper.c_str(), 0755), 0);
  for (const mode_t mode : {01777U, 0775U}) {
    ASSERT_EQ(chmod(folder.path().c_str(), mode), 0);
    EXPECT_NE(error_of([&] { find_helper("larmor-read", helper); }).find("other users may write to it"),
              std::string::npos)
        << mode;
  }
}

// A program that ends at once, in place of the helper.
TEST(IsolatedReader, IsOneLineWhenTheProcessDies) {
  const TemporaryFolder folder;
  const std::string path = folder / "scan.h5";
  hostile::sound_scan().write(path);
  IsmrmrdReadOptions options;
  options.helper = "/bin/false";
  const std::string message = error_of([&] { read_ismrmrd(path, options); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_NE(message.find(path), std::string::npos);
  EXPECT_NE(message.find("failed (status 1)"), std::string::npos) << message;
}

TEST(WriterProcess, IsOneLineWhenItDies) {
  const TemporaryFolder folder;
  const std::string path = folder / "scan.h5";
  AtomicFile target(path);
  WriterProcess writer(isolated::Contents::acquisitions, target, "/bin/false");
  const std::vector<char> much(std::size_t{8} << 20);
  const std::string message = error_of([&] {
    writer.put(much.data(), much.size());
    writer.finish();
  });
  EXPECT_NE(message.find(path + ": the process that writes it ended with status 1"), std::string::npos)
      << message;
}

TEST(WriterProcess, RowsThatDoNotArriveAreAnError) {
  const TemporaryFolder folder;
  const std::string path = folder / "scan.h5";
  AtomicFile target(path);
  WriterProcess writer(isolated::Contents::acquisitions, target);
  writer.put_text("<ismrmrdHeader/>");
  writer.put(std::uint64_t{3});
  // Three rows are announced and none arrives.
  const std::string message = error_of([&] { writer.finish(); });
  EXPECT_NE(message.find(path + ": the process that writes it ended with status 1"), std::string::npos)
      << message;
}

TEST(IsolatedReader, ImagesTakeNoMoreMemoryThanTheirFileDeserves) {
  const TemporaryFolder folder;
  const std::string path = folder / "bomb.h5";
  hostile::write_image_bomb(path);
  const char* said = "need 1.28e+10 bytes";
  EXPECT_NE(error_of([&] { read_ismrmrd_images(path); }).find(said), std::string::npos);
  ismrmrd::ImageBuilder builder(path);
  const auto read = [&](const hdf5::File& file) { ismrmrd::read_image_pixels(file, "", builder); };
  EXPECT_NE(error_of([&] { in_this_process(path, read); }).find(said), std::string::npos);
}

TEST(ScanBuilder, RefusesDisorder) {
  const IsmrmrdReadOptions options;
  const std::string xml = hostile::HeaderText().text();
  const std::vector<AcquisitionHeaderRecord> one(1);
  const std::vector<RowLengths> empty(1);
  const std::vector<float> none;
  const auto disorder = [&](const std::function<void(ismrmrd::ScanBuilder&)>& calls) {
    ismrmrd::ScanBuilder builder("scan", options);
    return error_of([&] { calls(builder); }).find("out of order") != std::string::npos;
  };
  EXPECT_TRUE(disorder([&](auto& b) { b.headers(0, one); }));
  EXPECT_TRUE(disorder([&](auto& b) { b.finish(); }));
  EXPECT_TRUE(disorder([&](auto& b) { b.begin(xml, 1), b.begin(xml, 1); }));
  EXPECT_TRUE(disorder([&](auto& b) { b.begin(xml, 1), b.headers(1, one); }));
  EXPECT_TRUE(disorder([&](auto& b) { b.begin(xml, 1), b.headers(0, one), b.headers(1, one); }));
  EXPECT_TRUE(disorder([&](auto& b) { b.begin(xml, 2), b.headers(0, one), b.values(0, empty, none); }));
  EXPECT_TRUE(disorder([&](auto& b) { b.begin(xml, 1), b.headers(0, one), b.values(1, empty, none); }));
  EXPECT_TRUE(disorder([&](auto& b) { b.begin(xml, 1), b.headers(0, one), b.finish(); }));
  EXPECT_TRUE(disorder([&](auto& b) { b.begin(xml, 1), b.headers(0, one), b.waveform({}, {}); }));
  EXPECT_FALSE(
      disorder([&](auto& b) { b.begin(xml, 1), b.headers(0, one), b.values(0, empty, none), b.finish(); }));
}

// A process that goes wrong can send waveforms without end.
TEST(ScanBuilder, CountsTheMemoryOfWaveforms) {
  IsmrmrdReadOptions options;
  options.memory_limit = std::size_t{34} << 20;
  ismrmrd::ScanBuilder builder("scan", options);
  builder.begin(hostile::HeaderText().text(), 0);
  const std::vector<std::uint32_t> values(std::size_t{1} << 20);
  const std::string message = error_of([&] {
    for (int i = 0; i < 9; ++i) builder.waveform(waveform_head(16, 65535), values);
  });
  EXPECT_NE(message.find("need 38 MB, but 36 MB may be used"), std::string::npos) << message;
}

// Numbers that are fetched from the file: a builder of two rows of one sample and channel each.
class FetchingBuilder : public testing::Test {
 protected:
  FetchingBuilder() : builder_("scan", {}) {
    std::vector<AcquisitionHeaderRecord> headers(2);
    for (AcquisitionHeaderRecord& header : headers)
      header.number_of_samples = header.active_channels = header.trajectory_dimensions = 1;
    builder_.begin(hostile::HeaderText().text(), 2);
    builder_.headers(0, headers);
  }
  std::string error(std::uint64_t first, const std::vector<RowPlaces>& rows) {
    return error_of([&] { fetch(first, rows); });
  }
  void fetch(std::uint64_t first, const std::vector<RowPlaces>& rows) {
    builder_.fetch(first, rows, [this](std::uint64_t at, std::span<std::byte> to) {
      const auto bytes = std::as_bytes(std::span(file_));
      if (at > bytes.size() || to.size() > bytes.size() - at) return false;
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), to.size(), to.begin());
      return true;
    });
  }
  std::vector<float> file_{0.25F, 1, 2, -0.25F, 3, 4};
  ismrmrd::ScanBuilder builder_;
};

TEST_F(FetchingBuilder, PutsNumbersWhereTheyBelong) {
  fetch(0, {{0, 4, {1, 2}}, {12, 16, {1, 2}}});
  const Scan scan = builder_.finish();
  EXPECT_EQ(scan.trajectory, (HostVector<float>{0.25F, -0.25F}));
  EXPECT_EQ(scan.data, (HostVector<std::complex<float>>{{1, 2}, {3, 4}}));
  EXPECT_EQ(scan.readouts[1].data_offset, 1U);
  EXPECT_EQ(scan.readouts[1].trajectory_offset, 1U);
}

TEST_F(FetchingBuilder, TrustsNobody) {
  const RowPlaces sound{0, 4, {1, 2}};
  EXPECT_NE(error(1, {sound}).find("out of order"), std::string::npos);
  EXPECT_NE(error(0, {sound, sound, sound}).find("out of order"), std::string::npos);
  EXPECT_NE(error(0, {{0, 4, {1, 4}}}).find("the file holds 2"), std::string::npos);
  EXPECT_NE(error(0, {{0, 20, {1, 2}}}).find("ends before acquisition 0"), std::string::npos);
}

}  // namespace
}  // namespace larmor::test
