#pragma once

#include <larmor/core/device.hpp>
#include <larmor/core/error.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/memory.hpp>
#include <larmor/core/shape.hpp>

#include <complex>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace LARMOR_API larmor {

class Context;

/// An Array, a View, or any other type with a shape.
template <typename Values>
concept HasShape = requires(const Values& values) {
  values.shape();
};
/// Contiguous values in host memory: std::vector, std::array, std::span.
template <typename Values, typename T>
concept HostValues = !HasShape<Values> && std::is_convertible_v<Values&&, std::span<T>>;

/// A borrowed, contiguous, row-major array (x fastest). Cheap to copy; owns nothing.
template <typename T>
class View {
 public:
  View() = default;
  /// Elements at `data` on the device, in row-major order.
  View(T* data, const Shape& shape, Device device = {}) : data_(data), shape_(shape), device_(device) {}
  /// A View<T> is also a View<const T>.
  template <typename U>
  requires(std::is_const_v<T>&& std::is_same_v<U, std::remove_const_t<T>>) View(const View<U>& other)
      : data_(other.data()), shape_(other.shape()), device_(other.device()) {}
  /// The values of a std::vector or std::span as one axis, or under a shape with the same number of elements;
  /// otherwise throws Error (usage). The container has to outlive the view.
  template <typename Values>
  requires HostValues<Values, T> View(Values&& values) {
    const std::span<T> span(values);
    data_ = span.data();
    shape_ = Shape{static_cast<Index>(span.size())};
  }
  template <typename Values>
  requires HostValues<Values, T> View(Values&& values, const Shape& shape)
      : View(View(std::forward<Values>(values)).reshaped(shape)) {}

  /// Address, number and device of the elements.
  T* data() const { return data_; }
  const Shape& shape() const { return shape_; }
  Index size() const { return shape_.size(); }
  Device device() const { return device_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * sizeof(T); }
  /// Element by linear index; CPU memory only.
  T& operator[](Index i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size(); }
  /// Entry `index` of the slowest axis.
  View slice(Index index) const {
    const Shape rest = shape_.drop_front(1);
    return View(data_ + index * rest.size(), rest, device_);
  }
  /// Entries [first, first + count) of the slowest axis.
  View slices(Index first, Index count) const {
    Shape part = shape_;
    part[0] = count;
    return View(data_ + first * shape_.drop_front(1).size(), part, device_);
  }
  /// The same elements under another shape of equal size.
  View reshaped(const Shape& shape) const {
    check_reshape(shape_, shape);
    return View(data_, shape, device_);
  }

 private:
  T* data_ = nullptr;
  Shape shape_{0};
  Device device_;
};

/// Owns device memory; move-only; uninitialised after construction. Copies are spelled out with clone().
template <typename T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  /// Allocates the elements; throws Error (resource) if there is not enough memory.
  explicit Array(const Shape& shape, Device device = {}, Placement placement = Placement::device)
      : shape_(shape),
        device_(device),
        placement_(placement),
        data_(static_cast<T*>(
            allocate_bytes(static_cast<std::size_t>(shape.size()) * sizeof(T), device, placement))) {}
  /// Moving costs nothing; the moved-from array is empty or holds the former content of this one.
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() { free_bytes(data_, static_cast<std::size_t>(size()) * sizeof(T), device_, placement_); }

  /// Address, number and device of the elements.
  T* data() { return data_; }
  const T* data() const { return data_; }
  const Shape& shape() const { return shape_; }
  Index size() const { return shape_.size(); }
  Device device() const { return device_; }
  Placement placement() const { return placement_; }
  bool empty() const { return size() == 0; }
  T& operator[](Index i) { return data_[i]; }
  const T& operator[](Index i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size(); }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size(); }

  /// The same elements, borrowed; implicit where a View is expected.
  View<T> view() { return {data_, shape_, device_}; }
  View<const T> view() const { return {data_, shape_, device_}; }
  operator View<T>() { return view(); }
  operator View<const T>() const { return view(); }

  /// Exchanges the elements without copying them.
  void swap(Array& other) noexcept {
    std::swap(shape_, other.shape_);
    std::swap(device_, other.device_);
    std::swap(placement_, other.placement_);
    std::swap(data_, other.data_);
  }

 private:
  Shape shape_{0};
  Device device_;
  Placement placement_ = Placement::device;
  T* data_ = nullptr;
};

/// A new array on `device` with the same elements.
template <typename T>
Array<std::remove_const_t<T>> copied_to(const Device& device, View<T> source,
                                        Placement placement = Placement::device) {
  Array<std::remove_const_t<T>> copy(source.shape(), device, placement);
  copy_bytes(copy.data(), device, source.data(), source.device(), source.bytes());
  return copy;
}
template <typename T>
Array<T> copied_to(const Device& device, const Array<T>& source) {
  return copied_to(device, source.view());
}
/// The array itself if it is on `device` already, otherwise a copy there.
template <typename T>
Array<T> moved_to(const Device& device, Array<T> source, Placement placement = Placement::device) {
  return source.device() == device ? std::move(source) : copied_to(device, source.view(), placement);
}

/// A new array with the same elements on the same device.
template <typename T>
Array<std::remove_const_t<T>> clone(View<T> source) {
  return copied_to(source.device(), source);
}
template <typename T>
Array<T> clone(const Array<T>& source) {
  return clone(source.view());
}

/// A new CPU array filled with one value.
template <typename T>
Array<T> filled(const Shape& shape, T value) {
  Array<T> array(shape);
  for (T& element : array) element = value;
  return array;
}

/// Elements of a CPU array converted to another type (float to double, real to complex).
template <typename To, typename From>
Array<To> converted(View<From> source) {
  Array<To> result(source.shape());
  for (Index i = 0; i < source.size(); ++i) result[i] = To(source[i]);
  return result;
}

}  // namespace larmor
