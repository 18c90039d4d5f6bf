#pragma once

#include <larmor/core/array.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

namespace larmor::python {

namespace nb = nanobind;

/// Any array from Python: through DLPack or the buffer protocol, without a copy.
using AnyArray = nb::ndarray<nb::ro>;

/// The array that an object is, writable if wanted. Throws Error (usage) for other objects. name: of the
/// argument, for messages.
AnyArray array_of(nb::handle object, const char* name, bool writable = false);

namespace detail {
[[noreturn]] void refuse(nb::handle object, const char* name, const char* expected);
}  // namespace detail

/// The value of an argument, where nanobind would throw std::bad_cast. Throws Error (usage) for objects of
/// another type. expected: "a number".
template <typename Value>
Value value_of(nb::handle object, const char* name, const char* expected) {
  Value value{};
  if (!nb::try_cast(object, value)) detail::refuse(object, name, expected);
  return value;
}

/// "complex64", "float64", …
std::string dtype_name(const nb::dlpack::dtype& type);
/// Device of an array. Throws Error (usage) for devices other than the CPU and CUDA.
Device device_of(const AnyArray& array, const char* name);
/// DLPack's number for a device's kind.
int device_type_of(const Device& device);
/// Its extents.
Shape shape_of(const AnyArray& array, const char* name);

/// Extents given as a tuple, and returned as one.
Shape shape_of(const std::vector<Index>& extents);
nb::tuple tuple_of(const Shape& shape);

namespace detail {
void check_array(const AnyArray& array, const char* name, const nb::dlpack::dtype& expected);
}  // namespace detail

/// The elements of an array, borrowed. Throws Error (usage) with the remedy if its type or layout differs.
template <typename T>
View<const T> borrowed(const AnyArray& array, const char* name) {
  detail::check_array(array, name, nb::dtype<T>());
  return View<const T>(static_cast<const T*>(array.data()), shape_of(array, name), device_of(array, name));
}

/// The elements on the host. Throws Error (usage) if they are elsewhere.
template <typename T>
View<const T> borrowed_host(const AnyArray& array, const char* name);

/// A host array as a new NumPy array that owns the elements.
template <typename T>
nb::object to_numpy(Array<T> array) {
  auto* kept = new Array<T>(std::move(array));
  const nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<Array<T>*>(pointer); });
  std::vector<std::size_t> extents(kept->shape().begin(), kept->shape().end());
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), extents.size(), extents.data(), owner));
}

/// A device array as an object with __dlpack__ that owns the elements.
template <typename T>
nb::object to_dlpack(Array<T> array) {
  auto* kept = new Array<T>(std::move(array));
  const nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<Array<T>*>(pointer); });
  std::vector<std::size_t> extents(kept->shape().begin(), kept->shape().end());
  return nb::cast(nb::ndarray<nb::array_api, T>(kept->data(), extents.size(), extents.data(), owner, nullptr,
                                                nb::dtype<T>(), device_type_of(kept->device()),
                                                kept->device().ordinal));
}

/// An array as a new Python array: a NumPy array on the host; on a device an array of the named library,
/// "cupy", "torch" or "jax".
template <typename T>
nb::object owned_by_python(Array<T> array, const std::string& library) {
  if (!array.device().on_gpu()) return to_numpy(std::move(array));
  return nb::module_::import_("larmor.arrays").attr("imported")(to_dlpack(std::move(array)), library);
}

}  // namespace larmor::python
