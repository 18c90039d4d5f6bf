#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/hdf5/storage.hpp>
#include <larmor/io/hdf5/type_message.hpp>

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace larmor::hdf5 {
namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};

void damaged(Storage& storage, const char* reason) {
  storage.kind = Storage::Kind::damaged;
  storage.reason = reason;
}

constexpr std::uint16_t type_message = 0x3, layout_message = 0x8, continuation_message = 0x10;
constexpr std::uint8_t shared = 2;  // flag of messages stored elsewhere

// True if one of `count` numbers of this many bytes is zero or missing.
bool any_zero(std::span<const std::uint8_t> numbers, std::size_t count, std::size_t bytes) {
  if (bytes < 1 || numbers.size() / bytes < count) return true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = numbers.subspan(i * bytes, bytes);
    if (std::count(number.begin(), number.end(), 0) == static_cast<std::ptrdiff_t>(bytes)) return true;
  }
  return false;
}

// Message 0x8 of version 3; versions 1 and 2 are of libraries before 1.6.3, version 4 has other chunk
// indices: for these only the extents of chunks are checked.
Storage parse_layout(std::span<const std::uint8_t> message) {
  Storage storage;
  if (message.size() < 5) return storage;
  const bool old_chunks = message[0] < 3 && message[2] == 2, new_chunks = message[0] == 4 && message[1] == 2;
  if ((old_chunks && any_zero(message.subspan(std::min<std::size_t>(message.size(), 16)), message[1], 4)) ||
      (new_chunks && any_zero(message.subspan(5), message[3], message[4])))
    damaged(storage, "its chunks have no extent");
  if (message[0] < 3) return storage;
  if (message[1] == 0) {
    storage.kind = Storage::Kind::compact;
  } else if (message[1] == 1 && message.size() >= 10) {
    storage.kind = Storage::Kind::contiguous;
    storage.address = number_at<std::uint64_t>(message.data() + 2);
  } else if (message[0] == 3 && message[1] == 2 && message.size() >= 3) {
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

// Differences between the versions of object headers.
struct HeaderLayout {
  std::size_t type_bytes, message_head_bytes;        // a message's type, size, flags
  std::size_t continuation_start, continuation_end;  // signature and checksum around continued messages
};

// Finds the layout among the messages of an object header and its continuations, and checks the type.
Storage search_messages(const File& file, const HeaderLayout& layout, const Block& first) {
  Storage storage;
  std::vector<Block> blocks{first};
  constexpr std::size_t most_blocks = 1000;  // continuations could refer to each other
  for (std::size_t i = 0; i < blocks.size() && i < most_blocks; ++i) {
    auto rest = file.view(blocks[i].address, blocks[i].bytes);
    while (rest.size() >= layout.message_head_bytes) {
      const std::size_t type =
          layout.type_bytes == 1 ? rest[0] : std::size_t{number_at<std::uint16_t>(rest.data())};
      const std::size_t size = number_at<std::uint16_t>(rest.data() + layout.type_bytes);
      if (size > rest.size() - layout.message_head_bytes) break;
      const auto message = rest.subspan(layout.message_head_bytes, size);
      const bool elsewhere = (rest[layout.type_bytes + 2] & shared) != 0;
      if (type == type_message && !elsewhere && !sound_type_message(message)) {
        const bool newer = !message.empty() && message[0] >> 4 > newest_type_version;
        damaged(storage, newer ? "its type is written as HDF5 1.12 and later do; write the file with the "
                                 "format of 1.10 or earlier (h5py: libver='earliest')"
                               : "its type is damaged");
        return storage;
      }
      if (type == layout_message) storage = parse_layout(message);
      if (storage.kind == Storage::Kind::damaged) return storage;
      if (type == continuation_message && size >= 16) {
        const Block next{number_at<std::uint64_t>(message.data()),
                         number_at<std::uint64_t>(message.data() + 8)};
        const std::size_t around = layout.continuation_start + layout.continuation_end;
        if (next.bytes >= around && next.address <= file.size())
          blocks.push_back({next.address + layout.continuation_start, next.bytes - around});
      }
      rest = rest.subspan(layout.message_head_bytes + size);
    }
  }
  return storage;
}

// Visits a node and its children. Levels decrease by one, and every leaf adds chunks in order, so that the
// walk ends even if the nodes are damaged.
bool visit_node(const File& file, std::uint64_t address, int expected_level, std::vector<Chunk>& chunks) {
  constexpr std::size_t head_bytes = 24, key_bytes = 24, child_bytes = 8;  // size, filter mask, two offsets
  const auto head = file.view(address, head_bytes);
  if (head.empty() || std::memcmp(head.data(), "TREE", 4) != 0 || head[4] != 1) return false;
  const int level = head[5];
  const std::size_t entries = number_at<std::uint16_t>(head.data() + 6);
  if (expected_level >= 0 && (level != expected_level || entries == 0)) return false;
  const auto body = file.view(address + head_bytes, entries * (key_bytes + child_bytes));
  if (entries > 0 && body.empty()) return false;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::uint8_t* key = body.data() + i * (key_bytes + child_bytes);
    const auto child = number_at<std::uint64_t>(key + key_bytes);
    if (level > 0) {
      if (!visit_node(file, child, level - 1, chunks)) return false;
      continue;
    }
    const Chunk chunk{number_at<std::uint64_t>(key + 8), child, number_at<std::uint32_t>(key)};
    if (!chunks.empty() && chunk.first <= chunks.back().first) return false;
    if (chunk.address > file.size() || chunk.bytes > file.size() - chunk.address) return false;
    chunks.push_back(chunk);
  }
  return true;
}

}  // namespace

Storage read_storage(const File& file, std::uint64_t address) {
  const auto head = file.view(address, 16);
  if (head.empty()) return {};
  if (head[0] == 1)
    return search_messages(file, {2, 8, 0, 0}, {address + 16, number_at<std::uint32_t>(head.data() + 8)});
  if (std::memcmp(head.data(), "OHDR", 4) != 0 || head[4] != 2) return {};
  // Flags: bytes of the size, order of creation in messages, numbers of attributes, times.
  const int flags = head[5];
  const std::uint64_t size_at = address + 6 + ((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0);
  const std::size_t size_bytes = std::size_t{1} << (flags & 3);
  const auto bytes = file.view(size_at, size_bytes);
  if (bytes.empty()) return {};
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), size_bytes);
  return search_messages(file, {1, (flags & 4) != 0 ? 6U : 4U, 4, 4}, {size_at + size_bytes, size});
}

bool read_chunks(const File& file, Storage& storage, std::vector<Chunk>& chunks) {
  chunks.clear();
  if (storage.kind != Storage::Kind::chunked || storage.extents.size() != 2) return false;
  if (storage.address == nowhere || visit_node(file, storage.address, -1, chunks)) return true;
  damaged(storage, "the index of its chunks is damaged");
  return false;
}

ElementPlaces::ElementPlaces(const File& file, std::uint64_t address, Id dataset, const std::string& what)
    : file_(file), dataset_(dataset), storage_(read_storage(file, address)) {
  require_own_values(dataset, what);
  const Handle type(H5Dget_type(dataset));
  const Handle properties(H5Dget_create_plist(dataset));
  if (!type.valid() || !properties.valid()) throw input_error("{}: {}", what, last_reason());
  if (H5Pget_nfilters(properties) != 0)
    throw input_error(
        "{} is compressed, so that it cannot be checked before it is read; rewrite it with: h5repack -f NONE",
        what);
  // A string of variable length is stored elsewhere; this is the reference to it.
  element_bytes_ = H5Tis_variable_str(type) > 0 ? sequence_bytes : H5Tget_size(type);
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (storage_.kind == Storage::Kind::compact || layout == H5D_COMPACT)
    throw input_error(
        "{} is stored in its header, where it cannot be checked before it is read; rewrite it with: h5repack "
        "-l CONTI",
        what);
  if (storage_.kind == Storage::Kind::damaged) throw input_error("{}: {}", what, storage_.reason);
  if (storage_.kind == Storage::Kind::chunked) {
    if (storage_.extents.size() != 2)
      throw input_error("{} has {} axes; expected one", what, storage_.extents.size());
    if (storage_.extents[1] != element_bytes_)
      throw input_error("{}: its layout has elements of {} bytes, its type of {}", what, storage_.extents[1],
                        element_bytes_);
    if (!read_chunks(file, storage_, chunks_)) throw input_error("{}: {}", what, storage_.reason);
    chunk_elements_ = storage_.extents[0];
  } else if (storage_.kind == Storage::Kind::unknown) {
    // Its structures have checksums: the library reads what was written.
    hsize_t user_block = 0;
    const Handle of_file(H5Fget_create_plist(file));
    hsize_t extent = 0;
    ask_library_ = layout == H5D_CHUNKED && H5Pget_chunk(properties, 1, &extent) == 1 && extent > 0;
    chunk_elements_ = extent;
    if (!ask_library_ || H5Pget_userblock(of_file, &user_block) < 0 || user_block > 0)
      throw input_error(
          "{} is stored in a way that cannot be checked before it is read; rewrite it with: h5repack", what);
  }
}

bool ElementPlaces::fail(std::string reason) {
  reason_ = std::move(reason);
  return false;
}

// The chunk of an element; empty if it is not stored.
bool ElementPlaces::find_chunk(std::uint64_t index, Chunk& chunk) {
  chunk = {};
  if (ask_library_) {
    chunk.first = index / chunk_elements_ * chunk_elements_;
    if (!chunks_.empty() && chunks_.front().first == chunk.first) {
      chunk = chunks_.front();
      return true;
    }
    const hsize_t offset = chunk.first;
    unsigned filters = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    if (H5Dget_chunk_info_by_coord(dataset_, &offset, &filters, &address, &bytes) < 0)
      return fail(last_reason());
    if (address == HADDR_UNDEF) return true;
    chunk.address = address;
    chunk.bytes = static_cast<std::uint32_t>(std::min<hsize_t>(bytes, ~std::uint32_t{0}));
    chunks_.assign(1, chunk);
    return true;
  }
  const auto after = std::upper_bound(chunks_.begin(), chunks_.end(), index,
                                      [](std::uint64_t i, const Chunk& each) { return i < each.first; });
  if (after != chunks_.begin() && index - std::prev(after)->first < chunk_elements_)
    chunk = *std::prev(after);
  return true;
}

bool ElementPlaces::find(std::uint64_t index, std::span<const std::uint8_t>& element) {
  element = {};
  std::uint64_t start = storage_.address, within = index;
  if (storage_.kind == Storage::Kind::contiguous) {
    if (start == nowhere) return true;
  } else {
    Chunk chunk;
    if (!find_chunk(index, chunk)) return false;
    if (chunk.bytes == 0) return true;
    if (chunk.bytes != chunk_elements_ * element_bytes_)
      return fail(
          fmt::format("its chunk has {} bytes, expected {}", chunk.bytes, chunk_elements_ * element_bytes_));
    start = chunk.address;
    within = index - chunk.first;
  }
  if (start > file_.size() || within >= (file_.size() - start) / element_bytes_)
    return fail("it lies beyond the end of the file");
  element = file_.view(start + within * element_bytes_, element_bytes_);
  return true;
}

void require_own_values(Id dataset, const std::string& what) {
  const Handle properties(H5Dget_create_plist(dataset));
  if (!properties.valid()) throw input_error("{}: {}", what, last_reason());
  if (H5Pget_external_count(properties) > 0 || H5Pget_layout(properties) == H5D_VIRTUAL)
    throw input_error(
        "{} keeps its values in other files, which are not opened; put them into one: h5repack -l CONTI",
        what);
  const int filters = H5Pget_nfilters(properties);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    std::array<char, 80> name{};
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr,
                                               name.size() - 1, name.data(), nullptr);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32 &&
        filter != H5Z_FILTER_SZIP)
      throw input_error(
          "{} is packed with the filter {} (\"{}\"), which is not read; rewrite it with: h5repack -f NONE",
          what, filter, printable(name.data()));
  }
}

}  // namespace larmor::hdf5
