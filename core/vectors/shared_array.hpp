#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/export.hpp>

#include <memory>

namespace LARMOR_API larmor {

/// A constant array with shared ownership: made from an Array, which it takes over, or from a shared one.
/// Copies share the elements.
template <typename T>
class SharedArray {
 public:
  SharedArray() = default;
  /// Takes over the array.
  SharedArray(Array<T> array) : SharedArray(std::make_shared<const Array<T>>(std::move(array))) {}
  /// Shares the array; null: none.
  SharedArray(std::shared_ptr<const Array<T>> array) : owner_(std::move(array)) {
    if (owner_) view_ = owner_->view();
  }
  /// Borrowed elements, whose owner has to outlive this object and its copies.
  static SharedArray borrowed(View<const T> elements) {
    SharedArray result;
    result.view_ = elements;
    return result;
  }

  /// The elements.
  View<const T> view() const { return view_; }
  /// The elements.
  operator View<const T>() const { return view_; }
  /// Shape of the elements.
  const Shape& shape() const { return view_.shape(); }
  /// Number of elements.
  Index size() const { return view_.size(); }
  /// Device of the elements.
  Device device() const { return view_.device(); }
  /// True if there are no elements.
  bool empty() const { return size() == 0; }

 private:
  std::shared_ptr<const Array<T>> owner_;
  View<const T> view_;
};

}  // namespace larmor
