#include <larmor/io/hdf5/sequence_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace larmor::hdf5 {
namespace {

constexpr std::size_t heap_header_bytes = 16;  // "GCOL", version and padding 4, size 8
constexpr std::size_t object_header_bytes = 16;
constexpr std::size_t most_heaps_kept = 256;

}  // namespace

bool SequenceReader::fail(std::string reason) {
  reason_ = std::move(reason);
  return false;
}

const SequenceReader::Heap* SequenceReader::heap_at(std::uint64_t address) {
  const auto known = heaps_.find(address);
  if (known != heaps_.end()) return &known->second;
  const auto damaged = [this](const char* reason) {
    fail(reason);
    return nullptr;
  };
  const auto header = file_.view(address, heap_header_bytes);
  if (header.empty()) return damaged("it points beyond the end of the file");
  const auto size = number_at<std::uint64_t>(header.data() + 8);
  const auto bytes = file_.view(address, size);
  if (std::memcmp(header.data(), "GCOL", 4) != 0 || header[4] != 1 || bytes.size() < heap_header_bytes)
    return damaged("its heap is damaged");
  // Valid heaps do not overlap, and neighbouring rows share one.
  walked_ += size;
  if (walked_ / 8 > file_.size()) return damaged("its heaps overlap");
  Heap heap;
  for (std::uint64_t position = heap_header_bytes; size - position >= object_header_bytes;) {
    const std::uint8_t* object = bytes.data() + position;
    const auto index = number_at<std::uint16_t>(object);
    const auto object_size = number_at<std::uint64_t>(object + 8);
    const std::uint64_t left = size - position;
    // Index 0 is the free space at the end; its size includes its header.
    if (index == 0) {
      if (object_size < object_header_bytes || object_size > left)
        return damaged("the free space of its heap is damaged");
      position += object_size;
      continue;
    }
    const std::uint64_t room = left - object_header_bytes;
    if (object_size > room || (object_size + 7) / 8 * 8 > room)
      return damaged("an object of its heap is damaged");
    heap.push_back({index, address + position + object_header_bytes, object_size});
    position += object_header_bytes + (object_size + 7) / 8 * 8;
  }
  const auto by_index = [](const Object& a, const Object& b) { return a.index < b.index; };
  std::sort(heap.begin(), heap.end(), by_index);
  if (std::adjacent_find(heap.begin(), heap.end(),
                         [](const Object& a, const Object& b) { return a.index == b.index; }) != heap.end())
    return damaged("an object of its heap is damaged");
  if (heaps_.size() >= most_heaps_kept) heaps_.clear();
  return &heaps_.emplace(address, std::move(heap)).first->second;
}

bool SequenceReader::find(const std::uint8_t* descriptor, std::size_t entry_bytes, Sequence& sequence) {
  sequence = {};
  const std::uint64_t length = number_at<std::uint32_t>(descriptor);
  const auto heap_address = number_at<std::uint64_t>(descriptor + 4);
  const auto index = number_at<std::uint32_t>(descriptor + 12);
  if (heap_address == 0) return true;  // an empty sequence
  const Heap* heap = heap_at(heap_address);
  if (heap == nullptr) return false;
  const auto object = std::lower_bound(heap->begin(), heap->end(), index,
                                       [](const Object& o, std::uint32_t i) { return o.index < i; });
  if (object == heap->end() || object->index != index) return fail("a reference in it points nowhere");
  if (object->bytes != length * entry_bytes)
    return fail(
        fmt::format("a sequence should have {} bytes and has {}", length * entry_bytes, object->bytes));
  handed_out_ += object->bytes;
  if (handed_out_ / 2 > file_.size()) return fail("its sequences overlap");
  sequence = {length, file_.view(object->address, object->bytes)};
  return true;
}

}  // namespace larmor::hdf5
