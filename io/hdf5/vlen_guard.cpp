#include <larmor/core/error.hpp>
#include <larmor/io/hdf5/vlen_guard.hpp>

#include <fmt/format.h>

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace larmor::hdf5 {
namespace {

constexpr std::size_t descriptor_bytes = 16;   // length 4, heap address 8, index 4
constexpr std::size_t heap_header_bytes = 16;  // "GCOL", version and padding 4, size 8
constexpr std::size_t object_header_bytes = 16;
constexpr std::size_t most_heaps_kept = 256;

template <typename T>
T number_at(const unsigned char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

VlenGuard::VlenGuard(Id file, const std::string& path, Id dataset, const std::vector<std::string>& members)
    : bytes_(file), storage_(read_storage(file, bytes_, path)) {
  const Handle type(H5Dget_type(dataset));
  const Handle properties(H5Dget_create_plist(dataset));
  if (!type.valid() || !properties.valid()) {
    storage_.kind = Storage::Kind::unknown;
    return;
  }
  compressed_ = H5Pget_nfilters(properties) != 0;
  if (H5Tget_class(type) == H5T_COMPOUND) {
    element_bytes_ = H5Tget_size(type);
    for (const std::string& name : members) {
      const int index = H5Tget_member_index(type, name.c_str());
      if (index < 0) continue;
      const Handle member(H5Tget_member_type(type, static_cast<unsigned>(index)));
      if (H5Tget_class(member) != H5T_VLEN) continue;
      const Handle base(H5Tget_super(member));
      members_.push_back({H5Tget_member_offset(type, static_cast<unsigned>(index)), H5Tget_size(base)});
    }
  } else if (H5Tis_variable_str(type) > 0) {
    element_bytes_ = descriptor_bytes;
    members_.push_back({0, 1});
  }
  if (storage_.kind == Storage::Kind::chunked && storage_.extents.size() == 2) {
    if (storage_.extents[1] != element_bytes_) {
      storage_.kind = Storage::Kind::damaged;
      storage_.reason = fmt::format("its layout has elements of {} bytes, its type of {}",
                                    storage_.extents[1], element_bytes_);
    } else {
      read_chunks(bytes_, storage_, chunks_);
    }
  } else if (storage_.kind == Storage::Kind::chunked) {
    storage_.kind = Storage::Kind::unknown;
  }
}

bool VlenGuard::fail(std::string reason) {
  reason_ = std::move(reason);
  return false;
}

// Where the element lies; no address when it is not stored. False when it cannot be read.
bool VlenGuard::locate(std::uint64_t index, std::optional<std::uint64_t>& address) {
  address.reset();
  if (storage_.kind == Storage::Kind::unknown) return true;
  if (storage_.kind == Storage::Kind::damaged) return fail(storage_.reason);
  if (storage_.kind == Storage::Kind::contiguous) {
    if (storage_.address != ~std::uint64_t{0}) address = storage_.address + index * element_bytes_;
    return true;
  }
  const auto after = std::upper_bound(chunks_.begin(), chunks_.end(), index,
                                      [](std::uint64_t i, const Chunk& chunk) { return i < chunk.first; });
  if (after == chunks_.begin()) return true;
  const Chunk& chunk = *std::prev(after);
  const std::uint64_t within = index - chunk.first;
  if (within >= storage_.extents[0]) return true;
  if (compressed_) return true;
  if (chunk.bytes != storage_.extents[0] * storage_.extents[1])
    return fail(fmt::format("its chunk has {} bytes, expected {}", chunk.bytes,
                            storage_.extents[0] * storage_.extents[1]));
  address = chunk.address + within * element_bytes_;
  return true;
}

const VlenGuard::Heap* VlenGuard::heap_at(std::uint64_t address) {
  const auto known = heaps_.find(address);
  if (known != heaps_.end()) return &known->second;
  std::array<unsigned char, heap_header_bytes> header;
  if (!bytes_.read(address, header)) {
    fail("it points beyond the end of the file");
    return nullptr;
  }
  const auto size = number_at<std::uint64_t>(header.data() + 8);
  if (std::memcmp(header.data(), "GCOL", 4) != 0 || header[4] != 1 || size < heap_header_bytes ||
      size > bytes_.size() - address) {
    fail("its heap is damaged");
    return nullptr;
  }
  Heap heap;
  for (std::uint64_t position = heap_header_bytes; size - position >= object_header_bytes;) {
    std::array<unsigned char, object_header_bytes> object;
    if (!bytes_.read(address + position, object)) {
      fail("its heap cannot be read");
      return nullptr;
    }
    const auto index = number_at<std::uint16_t>(object.data());
    const auto object_size = number_at<std::uint64_t>(object.data() + 8);
    const std::uint64_t left = size - position;
    // Index 0 is the free space at the end; its size includes its header.
    if (index == 0) {
      if (object_size < object_header_bytes || object_size > left) {
        fail("the free space of its heap is damaged");
        return nullptr;
      }
      position += object_size;
      continue;
    }
    const std::uint64_t room = left - object_header_bytes;
    if (object_size > room || (object_size + 7) / 8 * 8 > room || !heap.emplace(index, object_size).second) {
      fail("an object of its heap is damaged");
      return nullptr;
    }
    position += object_header_bytes + (object_size + 7) / 8 * 8;
  }
  if (heaps_.size() >= most_heaps_kept) heaps_.clear();
  return &heaps_.emplace(address, std::move(heap)).first->second;
}

bool VlenGuard::sound(std::uint64_t address, std::size_t base_bytes) {
  std::array<unsigned char, descriptor_bytes> descriptor;
  if (!bytes_.read(address, descriptor)) return fail("it lies beyond the end of the file");
  const std::uint64_t length = number_at<std::uint32_t>(descriptor.data());
  const auto heap_address = number_at<std::uint64_t>(descriptor.data() + 4);
  const auto index = number_at<std::uint32_t>(descriptor.data() + 12);
  if (heap_address == 0) return true;  // an empty sequence
  const Heap* heap = heap_at(heap_address);
  if (heap == nullptr) return false;
  const auto object = heap->find(index);
  if (object == heap->end()) return fail("it points to nothing");
  if (object->second != length * base_bytes)
    return fail(fmt::format("a sequence claims {} bytes and has {}", length * base_bytes, object->second));
  return true;
}

std::optional<std::uint64_t> VlenGuard::first_misplaced(std::uint64_t first, std::uint64_t count) {
  std::optional<std::uint64_t> address;
  for (std::uint64_t index = first; index < first + count; ++index)
    if (!locate(index, address)) return index;
  return std::nullopt;
}

std::optional<std::uint64_t> VlenGuard::first_damaged(std::uint64_t first, std::uint64_t count) {
  std::optional<std::uint64_t> address;
  for (std::uint64_t index = first; index < first + count; ++index) {
    if (!locate(index, address)) return index;
    if (!address) continue;
    for (const Member& member : members_)
      if (!sound(*address + member.offset, member.base_bytes)) return index;
  }
  return std::nullopt;
}

}  // namespace larmor::hdf5
