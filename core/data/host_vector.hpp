#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/memory_limits.hpp>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace LARMOR_API larmor {

/// Allocates memory without touching it: values requested without initialisation are not written, so that the
/// threads that fill them are the first to touch their pages. Large vectors reuse the memory pages of freed
/// arrays.
template <typename T>
struct UntouchedAllocator {
  using value_type = T;
  UntouchedAllocator() = default;
  template <typename U>
  UntouchedAllocator(const UntouchedAllocator<U>&) {}
  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
    void* const pointer = allocate_pages(count * sizeof(T));
    if (pointer == nullptr) throw std::bad_alloc();
    return static_cast<T*>(pointer);
  }
  void deallocate(T* pointer, std::size_t count) noexcept { free_pages(pointer, count * sizeof(T)); }
  template <typename U>
  void construct(U*) noexcept {}
  template <typename U, typename... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
  bool operator==(const UntouchedAllocator&) const { return true; }
};

/// Values in host memory; elements added by resize() have to be written before they are read.
template <typename T>
using HostVector = std::vector<T, UntouchedAllocator<T>>;

}  // namespace larmor
