#include "fuzz/mutations.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

namespace larmor::test::fuzz {
namespace {

template <typename T>
T number(Bytes file, std::size_t at) {
  T value{};
  if (at <= file.size() && sizeof value <= file.size() - at)
    std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

struct Triple {
  std::uint32_t a, b, c;
  void subtract(std::uint32_t& x, std::uint32_t y, int turn) {
    x -= y;
    x ^= std::rotl(y, turn);
  }
  void mix() {
    subtract(a, c, 4), c += b;
    subtract(b, a, 6), a += c;
    subtract(c, b, 8), b += a;
    subtract(a, c, 16), c += b;
    subtract(b, a, 19), a += c;
    subtract(c, b, 4), b += a;
  }
  void finish_one(std::uint32_t& x, std::uint32_t y, int turn) {
    x ^= y;
    x -= std::rotl(y, turn);
  }
  void finish() {
    finish_one(c, b, 14), finish_one(a, c, 11), finish_one(b, a, 25);
    finish_one(c, b, 16), finish_one(a, c, 4), finish_one(b, a, 14), finish_one(c, b, 24);
  }
};

using Parts = std::vector<Checked>;

// Adds a part if its checksum is correct.
bool add(Bytes file, std::size_t start, std::uint64_t length, Parts& parts) {
  if (start > file.size() || length + 4 > file.size() - start) return false;
  if (metadata_checksum(file.subspan(start, length)) != number<std::uint32_t>(file, start + length))
    return false;
  parts.push_back({start, start + length});
  return true;
}

// Object header and its continuations (IV.A.1.b); addresses count from the start of the file.
void add_header(Bytes file, std::size_t start, Parts& parts) {
  const int flags = number<std::uint8_t>(file, start + 5);
  const std::size_t size_at = start + 6 + ((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0);
  const std::size_t size_bytes = std::size_t{1} << (flags & 3);
  const std::uint64_t size =
      number<std::uint64_t>(file, size_at) & (size_bytes == 8 ? ~0ULL : (1ULL << 8 * size_bytes) - 1);
  const std::size_t messages = size_at + size_bytes;
  if (size > file.size() || !add(file, start, messages - start + size, parts)) return;
  const std::size_t head = (flags & 4) != 0 ? 6 : 4;
  for (std::size_t at = messages; at + head <= messages + size;) {
    const std::size_t bytes = number<std::uint16_t>(file, at + 1);
    if (number<std::uint8_t>(file, at) == 0x10) {
      const auto address = number<std::uint64_t>(file, at + head);
      const auto length = number<std::uint64_t>(file, at + head + 8);
      if (address < file.size() && length >= 8 && length < file.size()) add(file, address, length - 4, parts);
    }
    at += head + bytes;
  }
}

// Structures of 8-byte addresses; if the length depends on other structures, the one whose checksum is
// correct.
constexpr struct {
  std::string_view signature;
  std::size_t shortest, longest;
} structures[] = {{"BTHD", 34, 34},  {"FRHP", 142, 142}, {"EAHD", 68, 68}, {"FAHD", 24, 24},
                  {"EAIB", 14, 400}, {"FADB", 14, 400},  {"BTLF", 6, 400}};

}  // namespace

std::uint32_t metadata_checksum(Bytes bytes) {
  const auto start = static_cast<std::uint32_t>(0xdeadbeef + bytes.size());
  Triple sum{start, start, start};
  std::uint32_t words[3];
  for (; bytes.size() > 12; bytes = bytes.subspan(12)) {
    std::memcpy(words, bytes.data(), 12);
    sum.a += words[0], sum.b += words[1], sum.c += words[2];
    sum.mix();
  }
  if (bytes.empty()) return sum.c;
  std::memset(words, 0, sizeof words);
  std::memcpy(words, bytes.data(), bytes.size());
  sum.a += words[0], sum.b += words[1], sum.c += words[2];
  sum.finish();
  return sum.c;
}

std::vector<Checked> checked_parts(Bytes file) {
  Parts parts;
  if (number<std::uint8_t>(file, 8) >= 2) add(file, 0, 44, parts);
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  for (std::size_t at = text.find("OHDR"); at != std::string_view::npos; at = text.find("OHDR", at + 4))
    add_header(file, at, parts);
  for (const auto& [signature, shortest, longest] : structures)
    for (std::size_t at = text.find(signature); at != std::string_view::npos;
         at = text.find(signature, at + 4))
      for (std::size_t length = shortest; length <= longest; ++length)
        if (add(file, at, length, parts)) break;
  return parts;
}

}  // namespace larmor::test::fuzz
