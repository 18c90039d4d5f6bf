#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/io/files/gzip_file.hpp>

#include <zlib.h>

#include <array>

namespace larmor {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t block_bytes = 1 << 20;
// Level 1: noise hardly compresses, and higher levels gain little for the rest.
constexpr int level = 1;
// Deflated bytes without a header.
constexpr int raw_window = -15, memory_level = 8;

struct Block {
  Bytes deflated;
  unsigned long checksum = 0;
  std::size_t size = 0;
};

// The last block ends the stream; the others end at a byte boundary, so that the next can follow.
Block deflated_block(const unsigned char* bytes, std::size_t size, bool last) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, raw_window, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
    throw resource_error("not enough memory to compress");
  // Including room for the empty block that ends at a byte boundary.
  constexpr unsigned long marker = 16;
  Block block{Bytes(deflateBound(&stream, size) + marker), crc32(0, bytes, static_cast<unsigned>(size)),
              size};
  stream.next_in = const_cast<unsigned char*>(bytes);
  stream.avail_in = static_cast<unsigned>(size);
  stream.next_out = block.deflated.data();
  stream.avail_out = static_cast<unsigned>(block.deflated.size());
  const int status = deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
  block.deflated.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != (last ? Z_STREAM_END : Z_OK))
    throw internal_error("compression failed with status {}", status);
  return block;
}

std::array<unsigned char, 4> little_endian(std::uint32_t value) {
  std::array<unsigned char, 4> bytes{};
  for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<unsigned char>(value >> (8 * i));
  return bytes;
}

}  // namespace

GzipFile::GzipFile(std::string target, const Replaceable& replaceable, int threads)
    : file_(std::move(target), replaceable),
      ctx_(Device::cpu(), {.threads = threads}),
      checksum_(crc32(0, nullptr, 0)) {
  // Method deflate, no flags, no time, fastest compression, unknown system.
  constexpr unsigned char header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255};
  file_.write(header, sizeof header);
}

void GzipFile::write(const void* bytes, std::size_t size) {
  const auto* begin = static_cast<const unsigned char*>(bytes);
  const std::size_t most = block_bytes * static_cast<std::size_t>(ctx_.threads());
  while (size > 0) {
    // A full buffer waits, because it may be the last one.
    if (pending_.size() == most) compress(false);
    const std::size_t taken = std::min(size, most - pending_.size());
    pending_.insert(pending_.end(), begin, begin + taken);
    begin += taken;
    size -= taken;
  }
}

void GzipFile::compress(bool last) {
  const std::size_t count = std::max<std::size_t>(1, (pending_.size() + block_bytes - 1) / block_bytes);
  std::vector<Block> blocks(count);
  parallel_for(ctx_, static_cast<Index>(count), 1, [&](Index begin, Index end, int) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      blocks[i] =
          deflated_block(pending_.data() + i * block_bytes,
                         std::min(block_bytes, pending_.size() - i * block_bytes), last && i + 1 == count);
  });
  for (const Block& block : blocks) {
    file_.write(block.deflated.data(), block.deflated.size());
    checksum_ = crc32_combine(checksum_, block.checksum, static_cast<z_off_t>(block.size));
    size_ += static_cast<std::uint32_t>(block.size);
  }
  pending_.clear();
}

void GzipFile::commit(const std::vector<FileBeside>& beside) {
  compress(true);
  for (const std::uint32_t value : {static_cast<std::uint32_t>(checksum_), size_})
    file_.write(little_endian(value).data(), sizeof value);
  file_.commit(beside);
}

}  // namespace larmor
