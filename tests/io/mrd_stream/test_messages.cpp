#include "error_of.hpp"
#include "io/mrd_stream/stream_in_memory.hpp"
#include "mri/synthetic_scan.hpp"

#include <larmor/io/mrd_stream/streamed_scan.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

namespace larmor::test {
namespace {

using testing::HasSubstr;

Scan radial_scan() {
  Scan scan = empty_scan({8, 8, 1}, {80, 80, 5});
  for (std::uint16_t spoke = 0; spoke < 4; ++spoke) {
    std::vector<std::complex<float>> data;
    std::vector<float> k;
    for (int i = 0; i < 16; ++i) {
      data.emplace_back(static_cast<float>(i), static_cast<float>(spoke));
      k.push_back(0.01F * static_cast<float>(i + spoke));
    }
    ReadoutHeader& header = add_readout(scan, k, 2, 2, data);
    header.encode_step_1 = spoke;
    header.counters.repetition = 3;
  }
  return scan;
}

std::string header_text() {
  return R"(<?xml version="1.0"?><ismrmrdHeader xmlns="http://www.ismrm.org/ISMRMRD"><experimentalConditions>
<H1resonanceFrequency_Hz>123200000</H1resonanceFrequency_Hz></experimentalConditions><encoding><encodedSpace>
<matrixSize><x>8</x><y>8</y><z>1</z></matrixSize><fieldOfView_mm><x>80</x><y>80</y><z>5</z></fieldOfView_mm>
</encodedSpace><reconSpace><matrixSize><x>8</x><y>8</y><z>1</z></matrixSize><fieldOfView_mm><x>80</x><y>80</y>
<z>5</z></fieldOfView_mm></reconSpace><trajectory>radial</trajectory></encoding></ismrmrdHeader>)";
}

StreamBytes recording() {
  StreamBytes bytes;
  mrd::MessageWriter writer = writer_to(bytes);
  writer.config_file("default");
  writer.header(header_text());
  writer.text("{}");
  const Scan scan = radial_scan();
  for (const Readout& readout : scan.readouts) writer.acquisition(mrd::make_acquisition(scan, readout));
  writer.close();
  return bytes;
}

template <typename T>
void put(StreamBytes& bytes, T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

std::string failure_of(const StreamBytes& bytes, std::uint64_t most_bytes = std::uint64_t{1} << 30) {
  mrd::MessageReader reader = reader_of(bytes, most_bytes);
  return error_of([&] {
    while (reader.next()) {
    }
  });
}

TEST(MrdMessages, ArriveAsTheyWereSent) {
  const StreamBytes bytes = recording();
  mrd::MessageReader reader = reader_of(bytes);
  EXPECT_EQ(std::get<mrd::ConfigFile>(*reader.next()).name, "default");
  EXPECT_EQ(std::get<mrd::Header>(*reader.next()).xml, header_text());
  EXPECT_EQ(std::get<mrd::Text>(*reader.next()).text, "{}");
  const Scan scan = radial_scan();
  for (std::uint16_t spoke = 0; spoke < 4; ++spoke) {
    const auto acquisition = std::get<mrd::Acquisition>(*reader.next());
    EXPECT_EQ(acquisition.header.encode_step_1, spoke);
    EXPECT_EQ(acquisition.header.counters.repetition, 3);
    ASSERT_EQ(acquisition.numbers.size(), 16 + 32);
    EXPECT_EQ(acquisition.numbers[1], scan.trajectory[16 * spoke + 1]);
    EXPECT_EQ(acquisition.numbers[16 + 3], static_cast<float>(spoke));
  }
  EXPECT_TRUE(std::holds_alternative<mrd::Close>(*reader.next()));
  EXPECT_FALSE(reader.next());
}

TEST(MrdMessages, LoseTheZeroAtTheEndOfATextThatSomeSendersCount) {
  StreamBytes bytes;
  writer_to(bytes).text(std::string("scan\0", 5));
  EXPECT_EQ(std::get<mrd::Text>(*reader_of(bytes).next()).text, "scan");
}

TEST(MrdMessages, WithoutUseAreReadToTheirEnds) {
  StreamBytes bytes;
  Image image;
  image.pixels = Array<std::complex<float>>(Shape{1, 3, 2});
  std::fill(image.pixels.begin(), image.pixels.end(), std::complex<float>(1, 0));
  mrd::MessageWriter writer = writer_to(bytes);
  writer.image(image, {});
  writer.image(image, {.pixels = mrd::PixelType::int16, .scale = 100});
  writer.image(image, {.kind = ImageKind::complex});
  writer.response(7, "yes");
  put(bytes, std::uint16_t{1026});  // a waveform of 2 channels, 3 samples
  StreamBytes head(40);
  head[28] = std::byte{3};
  head[30] = std::byte{2};
  bytes.insert(bytes.end(), head.begin(), head.end());
  bytes.resize(bytes.size() + 24);
  put(bytes, std::uint16_t{1030});  // an array [2, 3] of complex numbers
  for (const std::uint16_t value : {1, 7, 2}) put(bytes, value);
  for (const std::uint64_t extent : {2, 3}) put(bytes, extent);
  bytes.resize(bytes.size() + 48);
  put(bytes, std::uint16_t{1030});  // and an empty one, whose other extents exceed what a number can hold
  for (const std::uint16_t value : {1, 7, 20}) put(bytes, value);
  for (int axis = 0; axis < 20; ++axis) put(bytes, axis < 19 ? ~std::uint64_t{0} : std::uint64_t{0});
  writer.close();
  mrd::MessageReader reader = reader_of(bytes);
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(std::holds_alternative<mrd::Skipped>(*reader.next())) << i;
  EXPECT_TRUE(std::holds_alternative<mrd::Close>(*reader.next()));
}

TEST(MrdMessages, SkipCompressedSamplesAndGoOn) {
  const Scan scan = radial_scan();
  mrd::Acquisition acquisition = mrd::make_acquisition(scan, scan.readouts[0]);
  acquisition.record[2 + 6] = std::byte{0x20};  // flag 54
  StreamBytes bytes;
  put(bytes, std::uint16_t{1008});
  bytes.insert(bytes.end(), acquisition.record.begin(), acquisition.record.end());
  bytes.resize(bytes.size() + 16 * sizeof(float));
  put(bytes, std::uint32_t{5});
  bytes.resize(bytes.size() + 5);
  writer_to(bytes).close();
  mrd::MessageReader reader = reader_of(bytes);
  const auto arrived = std::get<mrd::Acquisition>(*reader.next());
  EXPECT_TRUE(arrived.compressed);
  EXPECT_EQ(arrived.numbers.size(), 16);
  EXPECT_TRUE(std::holds_alternative<mrd::Close>(*reader.next()));
}

TEST(MrdMessages, EndEarlyAtEveryByteInAnErrorOrBetweenMessages) {
  const StreamBytes whole = recording();
  int ends = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const StreamBytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    const std::string failure = failure_of(part);
    if (failure.empty())
      ++ends;
    else
      EXPECT_THAT(failure, HasSubstr("the stream ends within"));
  }
  EXPECT_EQ(ends, 8);  // before each message
}

TEST(MrdMessages, WithUnknownNumbersEndTheStream) {
  StreamBytes bytes;
  put(bytes, std::uint16_t{1007});
  EXPECT_THAT(failure_of(bytes), HasSubstr("has the number 1007"));
}

TEST(MrdMessages, InHdf5FilesAreNotExpected) {
  StreamBytes bytes;
  put(bytes, std::uint64_t{0x0a1a0a0d46444889});  // "\x89HDF\r\n\x1a\n"
  EXPECT_THAT(failure_of(bytes), HasSubstr("is an HDF5 file"));
}

TEST(MrdMessages, WithLengthsBeyondTheLimitAreRefusedBeforeMemoryIsTaken) {
  StreamBytes text;
  put(text, std::uint16_t{5});
  put(text, std::uint32_t{0xffffffff});
  EXPECT_THAT(failure_of(text), HasSubstr("at most"));
  StreamBytes query;
  put(query, std::uint16_t{6});
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) put(query, value);
  EXPECT_THAT(failure_of(query), HasSubstr("at most"));
  StreamBytes array;
  put(array, std::uint16_t{1030});
  for (const std::uint16_t value : {1, 8, 4}) put(array, value);
  for (int i = 0; i < 4; ++i) put(array, ~std::uint64_t{0});
  EXPECT_THAT(failure_of(array), HasSubstr("at most"));
  const StreamBytes whole = recording();
  EXPECT_THAT(failure_of(whole, 100), HasSubstr("at most 100"));
}

TEST(MrdMessages, MakeTheScanThatTheyWereMadeOf) {
  const StreamBytes bytes = recording();
  mrd::MessageReader reader = reader_of(bytes);
  std::vector<mrd::Acquisition> arrived;
  while (auto message = reader.next())
    if (auto* acquisition = std::get_if<mrd::Acquisition>(&*message)) arrived.push_back(*acquisition);
  std::vector<const mrd::Acquisition*> places;
  for (const mrd::Acquisition& acquisition : arrived) places.push_back(&acquisition);
  const Scan expected = radial_scan(), scan = mrd::scan_of(header_text(), places, "stream");
  EXPECT_EQ(scan.readouts.size(), 4U);
  EXPECT_EQ(scan.data, expected.data);
  EXPECT_EQ(scan.trajectory, expected.trajectory);
  EXPECT_EQ(scan.encodings.at(0).trajectory, "radial");
}

// Changed, missing, repeated bytes: every stream is read or refused in one line, within its limits.
TEST(MrdMessages, MutatedAreReadOrRefused) {
  const StreamBytes whole = recording();
  std::mt19937 random(1);
  int refused = 0;
  for (int turn = 0; turn < 10000; ++turn) {
    StreamBytes bytes = whole;
    for (auto changes = random() % 4 + 1; changes > 0; --changes) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 3) {
        case 0:
          bytes[at] = static_cast<std::byte>(random());
          break;
        case 1:
          bytes.resize(at + 1);
          break;
        default: {
          const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
          const StreamBytes piece(first, first + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                                     random() % 64, bytes.size() - at)));
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random() % bytes.size()), piece.begin(),
                       piece.end());
        }
      }
    }
    mrd::MessageReader reader = reader_of(bytes, 1 << 20);
    std::vector<mrd::Acquisition> arrived;
    try {
      while (auto message = reader.next())
        if (auto* acquisition = std::get_if<mrd::Acquisition>(&*message))
          arrived.push_back(std::move(*acquisition));
      std::vector<const mrd::Acquisition*> places;
      for (const mrd::Acquisition& acquisition : arrived)
        if (!acquisition.compressed) places.push_back(&acquisition);
      mrd::scan_of(header_text(), places, "stream", {.memory_limit = 1 << 22});
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace larmor::test
