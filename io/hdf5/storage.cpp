#include <larmor/io/hdf5/storage.hpp>

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace larmor::hdf5 {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t nowhere = ~std::uint64_t{0};

template <typename T>
T number_at(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void damaged(Storage& storage, const char* reason) {
  storage.kind = Storage::Kind::damaged;
  storage.reason = reason;
}

constexpr std::uint16_t layout_message = 0x8, continuation_message = 0x10;

// Message 0x8 of version 3; versions 1 and 2 are of libraries before 1.6.3, version 4 goes with checksums.
Storage parse_layout(const std::vector<std::uint8_t>& message) {
  Storage storage;
  if (message.size() < 2 || message[0] != 3) return storage;
  if (message[1] == 1 && message.size() >= 10) {
    storage.kind = Storage::Kind::contiguous;
    storage.address = number_at<std::uint64_t>(message.data() + 2);
  } else if (message[1] == 2 && message.size() >= 3) {
    const std::size_t dimensions = message[2];
    if (message.size() < 11 + 4 * dimensions || dimensions < 2) {
      damaged(storage, "its layout is damaged");
      return storage;
    }
    storage.kind = Storage::Kind::chunked;
    storage.address = number_at<std::uint64_t>(message.data() + 3);
    for (std::size_t i = 0; i < dimensions; ++i)
      storage.extents.push_back(number_at<std::uint32_t>(message.data() + 11 + 4 * i));
    if (std::count(storage.extents.begin(), storage.extents.end(), 0U) > 0)
      damaged(storage, "its chunks have no extent");
  }
  return storage;
}

struct Block {
  std::uint64_t address, bytes;
};

// Finds the layout among the messages of a version 1 object header and its continuations.
Storage search_header(FileBytes& bytes, std::uint64_t address) {
  Storage storage;
  std::array<std::uint8_t, 16> prefix{};
  if (!bytes.read(address, prefix) || prefix[0] != 1) return storage;
  std::vector<Block> blocks{{address + prefix.size(), number_at<std::uint32_t>(prefix.data() + 8)}};
  constexpr std::size_t most_blocks = 1000;  // continuations could point at each other
  for (std::size_t i = 0; i < blocks.size() && i < most_blocks; ++i) {
    Block block = blocks[i];
    while (block.bytes >= 8) {
      std::array<std::uint8_t, 8> head{};
      if (!bytes.read(block.address, head)) return storage;
      const auto type = number_at<std::uint16_t>(head.data());
      const auto size = number_at<std::uint16_t>(head.data() + 2);
      if (size > block.bytes - head.size()) break;
      std::vector<std::uint8_t> message(size);
      if (size > 0 && !bytes.read(block.address + head.size(), message.data(), size)) return storage;
      if (type == layout_message) return parse_layout(message);
      if (type == continuation_message && size >= 16)
        blocks.push_back(
            {number_at<std::uint64_t>(message.data()), number_at<std::uint64_t>(message.data() + 8)});
      block.address += head.size() + size;
      block.bytes -= head.size() + size;
    }
  }
  return storage;
}

// Visits a node and what is below it; levels fall by one, so that there is no way in circles.
bool visit_node(FileBytes& bytes, std::uint64_t address, int expected_level, std::vector<Chunk>& chunks) {
  constexpr std::size_t key_bytes = 24, child_bytes = 8;  // size, filter mask, two offsets
  std::array<std::uint8_t, 24> head{};
  if (!bytes.read(address, head) || std::memcmp(head.data(), "TREE", 4) != 0 || head[4] != 1) return false;
  const int level = head[5];
  const std::size_t entries = number_at<std::uint16_t>(head.data() + 6);
  if (expected_level >= 0 && level != expected_level) return false;
  std::vector<std::uint8_t> body(entries * (key_bytes + child_bytes));
  if (entries > 0 && !bytes.read(address + head.size(), body.data(), body.size())) return false;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::uint8_t* key = body.data() + i * (key_bytes + child_bytes);
    const auto child = number_at<std::uint64_t>(key + key_bytes);
    if (level > 0) {
      if (!visit_node(bytes, child, level - 1, chunks)) return false;
      continue;
    }
    const Chunk chunk{number_at<std::uint64_t>(key + 8), child, number_at<std::uint32_t>(key)};
    // In order and none twice; so the walk ends, however the nodes are damaged.
    if (!chunks.empty() && chunk.first <= chunks.back().first) return false;
    if (chunk.address > bytes.size() || chunk.bytes > bytes.size() - chunk.address) return false;
    chunks.push_back(chunk);
  }
  return true;
}

}  // namespace

FileBytes::FileBytes(Id file) {
  const ssize_t length = H5Fget_name(file, nullptr, 0);
  if (length <= 0) return;
  std::string name(static_cast<std::size_t>(length), '\0');
  H5Fget_name(file, name.data(), name.size() + 1);
  file_.open(name, std::ios::binary);
  const Handle properties(H5Fget_create_plist(file));
  std::size_t address_bytes = 0, length_bytes = 0;
  hsize_t user_block = 0, size = 0;
  if (H5Pget_sizes(properties, &address_bytes, &length_bytes) < 0 ||
      H5Pget_userblock(properties, &user_block) < 0 || H5Fget_filesize(file, &size) < 0 || user_block > size)
    return;
  base_ = user_block;
  size_ = size - user_block;
  usual_ = address_bytes == 8 && length_bytes == 8;
}

bool FileBytes::read(std::uint64_t address, void* bytes, std::size_t count) {
  if (address > size_ || count > size_ - address) return false;
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(base_ + address));
  file_.read(static_cast<char*>(bytes), static_cast<std::streamsize>(count));
  return static_cast<bool>(file_);
}

Storage read_storage(Id file, FileBytes& bytes, const std::string& path) {
  H5L_info_t link{};
  if (!bytes.usual() || H5Lget_info(file, path.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
    return {};
  return search_header(bytes, link.u.address);
}

bool read_chunks(FileBytes& bytes, Storage& storage, std::vector<Chunk>& chunks) {
  chunks.clear();
  if (storage.kind != Storage::Kind::chunked || storage.extents.size() != 2) return false;
  if (storage.address == nowhere || visit_node(bytes, storage.address, -1, chunks)) return true;
  damaged(storage, "the index of its chunks is damaged");
  return false;
}

}  // namespace larmor::hdf5
