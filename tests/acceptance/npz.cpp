#include "acceptance/npz.hpp"

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace larmor::test {
namespace {

std::uint32_t number(const std::vector<char>& bytes, std::size_t at, int size) {
  std::uint32_t value = 0;
  for (int i = size - 1; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
  return value;
}

}  // namespace

// Walks the archive's central directory, which has the sizes (PKWARE appnote, sections 4.3.7 and 4.3.12).
std::vector<char> npz_member(const std::string& path, const std::string& member) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::size_t end = bytes.size() - 22;
  while (std::memcmp(&bytes.at(end), "PK\5\6", 4) != 0) --end;
  std::size_t entry = number(bytes, end + 16, 4);
  for (std::uint32_t i = 0; i < number(bytes, end + 10, 2); ++i) {
    const std::uint32_t method = number(bytes, entry + 10, 2), packed = number(bytes, entry + 20, 4);
    const std::uint32_t size = number(bytes, entry + 24, 4), name = number(bytes, entry + 28, 2);
    const std::size_t local = number(bytes, entry + 42, 4);
    if (std::string(&bytes.at(entry + 46), name) == member) {
      const std::size_t start = local + 30 + number(bytes, local + 26, 2) + number(bytes, local + 28, 2);
      std::vector<char> result(size);
      if (method == 0) {
        std::memcpy(result.data(), &bytes.at(start), size);
        return result;
      }
      z_stream stream{};
      inflateInit2(&stream, -MAX_WBITS);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(&bytes.at(start)));
      stream.avail_in = packed;
      stream.next_out = reinterpret_cast<Bytef*>(result.data());
      stream.avail_out = size;
      const int status = inflate(&stream, Z_FINISH);
      inflateEnd(&stream);
      if (status != Z_STREAM_END) throw std::runtime_error(path + ": cannot unpack " + member);
      return result;
    }
    entry += 46 + name + number(bytes, entry + 30, 2) + number(bytes, entry + 32, 2);
  }
  throw std::runtime_error(path + ": no member " + member);
}

}  // namespace larmor::test
