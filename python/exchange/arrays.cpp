#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/python/exchange/arrays.hpp>

#include <complex>

namespace larmor::python {

namespace {

// NumPy's scalars of dates give a buffer without strides, which nanobind reads.
bool has_strides(nb::handle object) {
  Py_buffer buffer;
  if (PyObject_CheckBuffer(object.ptr()) == 0 || nb::hasattr(object, "__dlpack__")) return true;
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return true;
  }
  const bool found = buffer.ndim == 0 || buffer.strides != nullptr;
  PyBuffer_Release(&buffer);
  return found;
}

// Elements below the mask of one of NumPy's masked arrays are undefined.
void require_unmasked(nb::handle object) {
  if (nb::hasattr(object, "mask") && nb::hasattr(object, "fill_value"))
    throw usage_error("a masked array has undefined elements: fill it, for example with .filled(0)");
}

}  // namespace

AnyArray array_of(nb::handle object, const char* name, bool writable) {
  AnyArray array;
  nb::ndarray<> target;
  require_unmasked(object);
  const bool sound = has_strides(object);
  if (writable) {
    if (!sound || !nb::try_cast(object, target))
      throw usage_error("{} is not a writable array, such as numpy.empty returns", name);
    return AnyArray(target);
  }
  if (!sound || !nb::try_cast(object, array))
    throw usage_error(
        "{} is not an array of NumPy, PyTorch, CuPy or JAX, of numbers in this machine's byte order", name);
  return array;
}

std::string dtype_name(const nb::dlpack::dtype& type) {
  const char* kind = "unknown";
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Int:
      kind = "int";
      break;
    case nb::dlpack::dtype_code::UInt:
      kind = "uint";
      break;
    case nb::dlpack::dtype_code::Float:
      kind = "float";
      break;
    case nb::dlpack::dtype_code::Complex:
      kind = "complex";
      break;
    case nb::dlpack::dtype_code::Bool:
      return "bool";
    default:
      break;
  }
  return fmt::format("{}{}", kind, type.bits);
}

Device device_of(const AnyArray& array, const char* name) {
  if (array.device_type() == nb::device::cpu::value) return Device::cpu();
  if (array.device_type() == nb::device::cuda::value) return Device::cuda(array.device_id());
  throw usage_error("{} is on a device with the DLPack number {}; expected the CPU or CUDA", name,
                    array.device_type());
}

int device_type_of(const Device& device) {
  return device.on_gpu() ? nb::device::cuda::value : nb::device::cpu::value;
}

Shape shape_of(const AnyArray& array, const char* name) {
  if (array.ndim() > Shape::max_rank)
    throw usage_error("{} has {} axes; at most {} are supported", name, array.ndim(), Shape::max_rank);
  Index extents[Shape::max_rank];
  for (std::size_t i = 0; i < array.ndim(); ++i) extents[i] = static_cast<Index>(array.shape(i));
  return Shape(extents, static_cast<int>(array.ndim()));
}

Shape shape_of(const std::vector<Index>& extents) {
  if (extents.size() > Shape::max_rank)
    throw usage_error("a shape has {} axes; at most {} are supported", extents.size(), Shape::max_rank);
  for (const Index extent : extents)
    if (extent < 0) throw usage_error("a shape has the extent {}", extent);
  return Shape(extents.data(), static_cast<int>(extents.size()));
}

nb::tuple tuple_of(const Shape& shape) {
  nb::list extents;
  for (const Index extent : shape) extents.append(extent);
  return nb::tuple(extents);
}

namespace detail {

void refuse(nb::handle object, const char* name, const char* expected) {
  const nb::object text = nb::steal(PyObject_ASCII(object.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  throw usage_error("{} is {}, expected {}", name, printable(nb::cast<std::string>(text)), expected);
}

void check_array(const AnyArray& array, const char* name, const nb::dlpack::dtype& expected) {
  if (!(array.dtype() == expected))
    throw usage_error(
        "{} is {}, expected {}: convert it with {}.astype(\"{}\"), or make the operator "
        "with another dtype",
        name, dtype_name(array.dtype()), dtype_name(expected), name, dtype_name(expected));
  for (std::size_t i = 0; i < array.ndim(); ++i)
    if (array.shape(i) == 0) return;  // there are no strides
  std::int64_t stride = 1;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    if (array.shape(i) != 1 && array.stride(i) != stride)
      throw usage_error(
          "{} is not contiguous in C order (last axis fastest): copy it with numpy.ascontiguousarray({})",
          name, name);
    stride *= static_cast<std::int64_t>(array.shape(i));
  }
}

}  // namespace detail

template <typename T>
View<const T> borrowed_host(const AnyArray& array, const char* name) {
  const View<const T> view = borrowed<T>(array, name);
  if (view.device().on_gpu())
    throw usage_error("{} is on {}, expected on the CPU: copy it with {}.cpu() or {}.get()", name,
                      view.device().to_string(), name, name);
  return view;
}

template View<const float> borrowed_host(const AnyArray&, const char*);
template View<const double> borrowed_host(const AnyArray&, const char*);
template View<const std::complex<float>> borrowed_host(const AnyArray&, const char*);
template View<const std::complex<double>> borrowed_host(const AnyArray&, const char*);

}  // namespace larmor::python
