#include "fuzz/mutations.hpp"

#include <larmor/io/files/own_file.hpp>
#include <larmor/io/isolated/messages.hpp>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

namespace larmor::test::fuzz {
namespace {

using Random = std::minstd_rand;

// Values at which lengths, counts and addresses tend to fail.
std::uint64_t telling_number(Random& random, std::uint64_t old, Bytes file) {
  switch (random() % 12) {
    case 0:
      return 0;
    case 1:
      return ~std::uint64_t{0};
    case 2:
      return random() % 17;
    case 3:
      return old + 1;
    case 4:
      return old - 1;
    case 5:
      return old * 2;
    case 6:
      return file.size() - random() % 9;
    case 7:
      return std::uint64_t{1} << (random() % 64);
    case 8:
      return old ^ (std::uint64_t{1} << (random() % 64));
    case 9:
      return random() % file.size();
    case 10:
      return (std::uint64_t{1} << (random() % 64)) - 1;
    default: {
      // A value from elsewhere in the file.
      std::uint64_t other = 0;
      const std::size_t at = random() % file.size();
      std::memcpy(&other, file.data() + at, std::min<std::size_t>(sizeof other, file.size() - at));
      return other;
    }
  }
}

void change_number(std::uint8_t* data, std::size_t size, std::size_t at, Random& random) {
  const std::size_t bytes = std::min(std::size_t{1} << (random() % 4), size - at);
  std::uint64_t value = 0;
  std::memcpy(&value, data + at, bytes);
  value = telling_number(random, value, {data, size});
  std::memcpy(data + at, &value, bytes);
}

// A position at which changes have an effect: in the structures, most of which are at the start, or anywhere.
std::size_t telling_place(std::size_t size, const std::vector<Checked>& parts, Random& random) {
  const auto choice = random() % 4;
  if (choice < 2 && !parts.empty()) {
    const Checked& part = parts[random() % parts.size()];
    return part.start + random() % (part.sum - part.start);
  }
  if (choice == 2) return random() % std::min<std::size_t>(size, 1024);
  return random() % size;
}

// Replaces the 8-digit checksum after `mark` by that of `of`.
void write_sum(std::uint8_t* data, std::size_t size, std::string_view mark, std::size_t mark_from,
               std::uint32_t sum) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t at = text.find(mark, mark_from);
  if (at == std::string_view::npos || size - at < mark.size() + 8) return;
  const std::string digits = checksum_text(sum);
  std::memcpy(data + at + mark.size(), digits.data(), 8);
}

}  // namespace

std::size_t mutate_hdf5(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed,
                        const Mutate& random_change) {
  Random random(seed);
  if (size < 16 || random() % 4 == 0) return random_change(data, size, most);
  const std::vector<Checked> parts = checked_parts({data, size});
  for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
    change_number(data, size, telling_place(size, parts, random), random);
  for (const Checked& part : parts) {
    const std::uint32_t sum = metadata_checksum({data + part.start, part.sum - part.start});
    std::memcpy(data + part.sum, &sum, sizeof sum);
  }
  return size;
}

std::size_t mutate_messages(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed,
                            const Mutate& random_change) {
  using isolated::MessageHead;
  using isolated::MessageKind;
  Random random(seed);
  size = random_change(data, size, most);
  if (random() % 8 == 0) return size;
  for (std::size_t at = 1; at + 4 + sizeof(MessageHead) <= size;) {
    std::uint32_t length = 0;
    std::memcpy(&length, data + at, sizeof length);
    at += sizeof length;
    if (length < sizeof(MessageHead) || length > size - at)
      length =
          static_cast<std::uint32_t>(std::min<std::size_t>(size - at, sizeof(MessageHead) + random() % 800));
    std::memcpy(data + at - sizeof length, &length, sizeof length);
    MessageHead head;
    const MessageHead sound;
    std::memcpy(&head, data + at, sizeof head);
    std::memcpy(head.signature, sound.signature, sizeof head.signature);
    head.format = sound.format;
    head.kind = static_cast<MessageKind>(1 + static_cast<std::uint32_t>(head.kind) % 8);
    const std::size_t rest = length - sizeof head;
    if (random() % 4 > 0) {
      if (head.kind == MessageKind::headers) head.count = rest / 340;
      if (head.kind == MessageKind::pixels) head.count = rest / 4;
      if (head.kind == MessageKind::images) head.count = rest / 8;
      if (head.kind == MessageKind::places) head.count = rest / 32;
      if (head.kind == MessageKind::table || head.kind == MessageKind::values) head.count %= 8;
    }
    std::memcpy(data + at, &head, sizeof head);
    at += length;
  }
  return size;
}

std::size_t mutate_wisdom(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed,
                          const Mutate& random_change) {
  size = random_change(data, size, most);
  if (seed % 2 == 0) return size;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t start = std::min(text.find('\n'), size);
  write_sum(data, size, "\"checksum\":\"", 0, checksum(0, data + start, size - start));
  return size;
}

std::size_t mutate_checkpoint(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed,
                              const Mutate& random_change) {
  size = random_change(data, size, most);
  constexpr std::size_t end_bytes = 16;
  if (seed % 2 == 0 || size < end_bytes) return size;
  const std::size_t start = size - end_bytes;
  write_sum(data, size, " crc32 ", start, checksum(0, data, start));
  return size;
}

std::size_t mutate_anyhow(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed) {
  Random random(seed);
  if (size == 0) return 0;
  for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t at = random() % size, count = std::min<std::size_t>(1 + random() % 64, size - at);
    switch (random() % 5) {
      case 0:
        data[at] = static_cast<std::uint8_t>(data[at] ^ 1U << (random() % 8));
        break;
      case 1:
      case 2:
        change_number(data, size, at, random);
        break;
      case 3:
        std::memmove(data + random() % (size - count + 1), data + at, count);
        break;
      default:
        if (random() % 8 == 0)
          size = std::max<std::size_t>(at, 1);
        else if (size + count <= most)
          std::memmove(data + at + count, data + at, size - at), size += count;
    }
  }
  return size;
}

}  // namespace larmor::test::fuzz
