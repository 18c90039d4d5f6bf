#include "apps/mrd_client.hpp"
#include "apps/recon_process.hpp"

#include <larmor/apps/serve/zfp_samples.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zfp.h>

#include <cmath>
#include <cstring>
#include <random>

namespace larmor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A limit of ZFP's compression; 0: none.
struct Limit {
  unsigned precision = 0;
  double error = 0;
};

/// As Gadgetron's client compresses samples [channels][width].
StreamBytes zfp_bytes(std::vector<float> values, std::size_t width, Limit limit) {
  zfp_field* field = zfp_field_2d(values.data(), zfp_type_float, width, values.size() / width);
  zfp_stream* encoder = zfp_stream_open(nullptr);
  if (limit.precision > 0)
    zfp_stream_set_precision(encoder, limit.precision);
  else if (limit.error > 0)
    zfp_stream_set_accuracy(encoder, limit.error);
  else
    zfp_stream_set_reversible(encoder);
  StreamBytes bytes(2 * zfp_stream_maximum_size(encoder, field));
  bitstream* bits = stream_open(bytes.data(), bytes.size());
  zfp_stream_set_bit_stream(encoder, bits);
  EXPECT_GT(zfp_write_header(encoder, field, ZFP_HEADER_FULL), 0U);
  bytes.resize(zfp_compress(encoder, field));
  stream_close(bits);
  zfp_stream_close(encoder);
  zfp_field_free(field);
  return bytes;
}

/// The stream with compressed readouts. damage: changes the compressed bytes of a readout, by its number.
template <typename Damage>
StreamBytes compressed(const StreamBytes& stream, Limit limit, Damage damage) {
  StreamBytes result;
  mrd::MessageWriter writer = writer_to(result);
  mrd::MessageReader reader = reader_of(stream);
  int number = 0;
  while (const auto message = reader.next()) {
    if (const auto* header = std::get_if<mrd::Header>(&*message)) writer.header(header->xml);
    if (std::holds_alternative<mrd::Close>(*message)) writer.close();
    const auto* readout = std::get_if<mrd::Acquisition>(&*message);
    if (readout == nullptr) continue;
    mrd::Acquisition head = *readout;
    const auto samples = head.numbers.begin() + static_cast<std::ptrdiff_t>(head.trajectory_values());
    StreamBytes packed =
        zfp_bytes({samples, head.numbers.end()}, 2 * std::size_t{head.header.samples}, limit);
    damage(packed, number++);
    head.numbers.erase(samples, head.numbers.end());
    head.record[2 + 6] |= std::byte{0x10};  // flag 53
    writer.acquisition(head);
    const auto size = static_cast<std::uint32_t>(packed.size());
    const auto* first = reinterpret_cast<const std::byte*>(&size);
    result.insert(result.end(), first, first + sizeof size);
    result.insert(result.end(), packed.begin(), packed.end());
  }
  return result;
}

class ZfpStream : public SharedFolder<ZfpStream> {
 public:
  static void make_files() { succeed({"simulate", at("scan.h5"), "--matrix", "32", "--coils", "3"}); }

 protected:
  static Answer stream(const StreamBytes& bytes, const Words& more = {}) {
    write_file(at("in.mrd"), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    Conditions conditions;
    conditions.launcher = {"sh", "-c", "exec \"$0\" \"$@\" < '" + at("in.mrd") + "'"};
    return answer_of(recon(joined({"stream", "--device", "cpu"}, more), conditions).out);
  }
  /// Relative to the largest value of the image of uncompressed data.
  static double difference_from_plain(const Answer& answer) {
    const Answer plain = stream(recorded(at("scan.h5")));
    if (answer.images.size() != 1 || plain.images.size() != 1) return 1;
    const std::vector<float> expected = plain.images[0].floats(), values = answer.images[0].floats();
    if (values.size() != expected.size()) return 1;
    float largest = 0, difference = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      largest = std::max(largest, expected[i]);
      difference = std::max(difference, std::abs(values[i] - expected[i]));
    }
    return difference / largest;
  }
};

constexpr auto sound = [](StreamBytes&, int) {};

TEST_F(ZfpStream, GivesTheImageOfTheSamples) {
  std::filesystem::create_directory(at("recordings"));
  const Answer answer = stream(compressed(recorded(at("scan.h5")), {.precision = 28}, sound),
                               {"--record", at("recordings"), "--session", "one"});
  EXPECT_TRUE(answer.closed);
  EXPECT_TRUE(answer.texts.empty());
  EXPECT_LT(difference_from_plain(answer), 1e-4);
  // The recording for recon run holds the samples.
  const Words names = names_in(at("recordings"));
  ASSERT_EQ(names.size(), 2U);
  succeed({"run", at("recordings/" + names[0]), "-o", at("again.npy"), "--device", "cpu"});
}

TEST_F(ZfpStream, LosesOnlyDamagedReadouts) {
  const Answer answer =
      stream(compressed(recorded(at("scan.h5")), {.error = 1e-7}, [](StreamBytes& packed, int number) {
        if (number == 20) packed.resize(packed.size() / 2);
        if (number == 21) std::fill(packed.begin(), packed.end(), std::byte{0xff});
        if (number == 22) packed.clear();
      }));
  EXPECT_TRUE(answer.closed);
  EXPECT_THAT(answer.texts,
              testing::Contains(HasSubstr("3 compressed readouts were skipped: they are damaged")));
  EXPECT_LT(difference_from_plain(answer), 0.5);
}

TEST(ZfpSamples, AreThoseThatWereCompressed) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (const std::uint16_t channels : {1, 2, 5})
    for (const std::uint16_t samples : {1, 3, 64}) {
      ReadoutHeader header;
      header.samples = samples;
      header.active_channels = channels;
      std::vector<float> values(std::size_t{2} * samples * channels), found(values.size());
      for (float& value : values) value = normal(random);
      for (const Limit limit : {Limit{.precision = 32}, Limit{.error = 1e-6}}) {
        const StreamBytes packed = zfp_bytes(values, std::size_t{2} * samples, limit);
        ASSERT_TRUE(app::zfp_samples()(header, packed, found));
        for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(found[i], values[i], 1e-5);
      }
      EXPECT_FALSE(app::zfp_samples()(header, zfp_bytes(values, std::size_t{2} * samples, {}), found));
      ReadoutHeader other = header;
      ++other.samples;
      std::vector<float> more(values.size() + std::size_t{2} * channels);
      EXPECT_FALSE(
          app::zfp_samples()(other, zfp_bytes(values, std::size_t{2} * samples, {.precision = 16}), more));
    }
}

TEST(ZfpSamples, OfDamagedBytesAreRefusedOrFound) {
  std::mt19937 random(1);
  ReadoutHeader header;
  header.samples = 40;
  header.active_channels = 3;
  std::vector<float> values(240), found(240);
  for (float& value : values) value = static_cast<float>(random() % 1000);
  const StreamBytes whole = zfp_bytes(values, 80, {.error = 0.01});
  int refused = 0;
  for (int turn = 0; turn < 5000; ++turn) {
    StreamBytes packed = whole;
    for (auto changes = random() % 4 + 1; changes > 0; --changes)
      packed[random() % packed.size()] = static_cast<std::byte>(random());
    if (turn % 3 == 0) packed.resize(random() % packed.size());
    refused += app::zfp_samples()(header, packed, found) ? 0 : 1;
  }
  EXPECT_GT(refused, 2000);  // the others have changed values: ZFP has no checksum
}

}  // namespace
}  // namespace larmor::test
