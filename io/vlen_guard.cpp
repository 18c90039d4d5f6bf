#include <larmor/core/error.hpp>
#include <larmor/io/vlen_guard.hpp>

#include <hdf5.h>

#include <array>
#include <bit>
#include <cstring>

namespace larmor::hdf5 {
namespace {

constexpr std::size_t descriptor_bytes = 16;   // length 4, heap address 8, index 4
constexpr std::size_t heap_header_bytes = 16;  // "GCOL", version and padding 4, size 8
constexpr std::size_t object_header_bytes = 16;
constexpr std::size_t most_heaps_kept = 256;

static_assert(std::endian::native == std::endian::little);

template <typename T>
T number_at(const unsigned char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

VlenGuard::VlenGuard(const std::string& path, const FileLayout& layout, Id dataset,
                     const std::vector<std::string>& members)
    : file_(path, std::ios::binary), layout_(layout), dataset_(dataset) {
  const Handle type(H5Dget_type(dataset));
  const Handle properties(H5Dget_create_plist(dataset));
  if (!type.valid() || !properties.valid() || layout.address_bytes != 8 || layout.length_bytes != 8) return;
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
  for (const Member& member : members_)
    if (member.offset + descriptor_bytes > element_bytes_) return;

  if (H5Pget_layout(properties) == H5D_CHUNKED) {
    hsize_t extent = 0;
    if (H5Pget_nfilters(properties) != 0 || H5Pget_chunk(properties, 1, &extent) != 1 || extent == 0) return;
    chunked_ = true;
    chunk_elements_ = extent;
    applicable_ = true;
  } else if (H5Pget_layout(properties) == H5D_CONTIGUOUS && H5Pget_external_count(properties) == 0) {
    const haddr_t position = H5Dget_offset(dataset);
    chunk_stored_ = position != HADDR_UNDEF;
    data_position_ = chunk_stored_ ? position : 0;
    buffer_.resize(element_bytes_);
    applicable_ = true;
  }
}

bool VlenGuard::fail(std::string reason) {
  reason_ = std::move(reason);
  return false;
}

bool VlenGuard::read(std::uint64_t position, void* bytes, std::size_t count) {
  if (position > layout_.size || count > layout_.size - position)
    return fail("it points beyond the end of the file");
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(position));
  file_.read(static_cast<char*>(bytes), static_cast<std::streamsize>(count));
  return file_ || fail("the file cannot be read there");
}

// The element's bytes as stored; nullptr when it is not stored (reason empty) or cannot be read.
const unsigned char* VlenGuard::element(std::uint64_t index) {
  reason_.clear();
  if (!chunked_) {
    if (!chunk_stored_) return nullptr;
    // H5Dget_offset counts from the start of the file.
    return read(data_position_ + index * element_bytes_, buffer_.data(), element_bytes_) ? buffer_.data()
                                                                                         : nullptr;
  }
  const std::uint64_t chunk = index / chunk_elements_;
  if (loaded_chunk_ != chunk) {
    loaded_chunk_.reset();
    const hsize_t offset = chunk * chunk_elements_;
    hsize_t bytes = 0;
    chunk_stored_ = H5Dget_chunk_storage_size(dataset_, &offset, &bytes) >= 0 && bytes > 0;
    if (chunk_stored_) {
      if (chunk_elements_ > layout_.size / element_bytes_ || bytes != chunk_elements_ * element_bytes_) {
        fail("its chunk has a wrong size");
        return nullptr;
      }
      buffer_.resize(bytes);
      std::uint32_t filters = 0;
      if (H5Dread_chunk(dataset_, H5P_DEFAULT, &offset, &filters, buffer_.data()) < 0) {
        fail(last_reason());
        return nullptr;
      }
    }
    loaded_chunk_ = chunk;
  }
  return chunk_stored_ ? buffer_.data() + (index % chunk_elements_) * element_bytes_ : nullptr;
}

const VlenGuard::Heap* VlenGuard::heap_at(std::uint64_t address) {
  const auto known = heaps_.find(address);
  if (known != heaps_.end()) return &known->second;
  std::array<unsigned char, heap_header_bytes> header;
  if (address > layout_.size) {
    fail("it points beyond the end of the file");
    return nullptr;
  }
  if (!read(layout_.base_address + address, header.data(), header.size())) return nullptr;
  const auto size = number_at<std::uint64_t>(header.data() + 8);
  const std::uint64_t start = layout_.base_address + address;
  if (std::memcmp(header.data(), "GCOL", 4) != 0 || header[4] != 1 || size < heap_header_bytes ||
      size > layout_.size - start) {
    fail("its heap is damaged");
    return nullptr;
  }
  Heap heap;
  for (std::uint64_t position = heap_header_bytes; size - position >= object_header_bytes;) {
    std::array<unsigned char, object_header_bytes> object;
    if (!read(start + position, object.data(), object.size())) return nullptr;
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

bool VlenGuard::sound(const unsigned char* descriptor, std::size_t base_bytes) {
  const std::uint64_t length = number_at<std::uint32_t>(descriptor);
  const auto address = number_at<std::uint64_t>(descriptor + 4);
  const auto index = number_at<std::uint32_t>(descriptor + 12);
  if (address == 0) return true;  // an empty sequence
  const Heap* heap = heap_at(address);
  if (heap == nullptr) return false;
  const auto object = heap->find(index);
  if (object == heap->end()) return fail("it points to nothing");
  if (object->second != length * base_bytes)
    return fail(fmt::format("a sequence claims {} bytes and has {}", length * base_bytes, object->second));
  return true;
}

std::optional<std::uint64_t> VlenGuard::first_misplaced(std::uint64_t first, std::uint64_t count) {
  if (!applicable_) return std::nullopt;
  for (std::uint64_t index = first; index < first + count; ++index)
    if (element(index) == nullptr && !reason_.empty()) return index;
  return std::nullopt;
}

std::optional<std::uint64_t> VlenGuard::first_damaged(std::uint64_t first, std::uint64_t count) {
  if (!applicable_) return std::nullopt;
  for (std::uint64_t index = first; index < first + count; ++index) {
    const unsigned char* bytes = element(index);
    if (bytes == nullptr && reason_.empty()) continue;
    if (bytes == nullptr) return index;
    for (const Member& member : members_)
      if (!sound(bytes + member.offset, member.base_bytes)) return index;
  }
  return std::nullopt;
}

}  // namespace larmor::hdf5
