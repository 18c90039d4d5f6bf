#pragma once

// Reads and writes .npy files (format version 1 and 2, little-endian, C order).

#include <larmor/core/array.hpp>
#include <larmor/core/format_error.hpp>

#include <complex>
#include <cstdint>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

namespace larmor::bench {

template <typename T>
const char* npy_type() {
  if constexpr (std::is_same_v<T, double>) return "<f8";
  if constexpr (std::is_same_v<T, std::complex<float>>) return "<c8";
  if constexpr (std::is_same_v<T, std::complex<double>>) return "<c16";
}

inline Shape shape_of(const std::vector<Index>& sizes) {
  Shape shape;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) shape = shape.prepend(*size);
  return shape;
}

template <typename T>
Array<T> read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[8] = {};
  file.read(start, sizeof start);
  if (!file || std::string(start + 1, 5) != "NUMPY")
    throw input_error("{} is no .npy file; write it with numpy.save", path);
  std::uint32_t length = 0;
  file.read(reinterpret_cast<char*>(&length), start[6] == 1 ? 2 : 4);
  std::string header(length, ' ');
  file.read(header.data(), length);
  if (header.find(npy_type<T>()) == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos)
    throw input_error("{}: header {}, expected {} in C order", path, header, npy_type<T>());
  std::vector<Index> sizes;
  const auto end = header.find(')', header.find("'shape'"));
  for (auto at = header.rfind('(', end) + 1; at < end;) {
    std::size_t digits = 0;
    sizes.push_back(std::stoll(header.substr(at, end - at), &digits));
    at += digits;
    while (at < end && (header[at] == ',' || header[at] == ' ')) ++at;
  }
  Array<T> values(shape_of(sizes));
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.view().bytes()));
  if (!file) throw input_error("{} ends too early", path);
  return values;
}

template <typename T>
void write_npy(const std::string& path, View<const T> values) {
  std::string sizes;
  for (int a = 0; a < values.shape().rank(); ++a) sizes += std::to_string(values.shape()[a]) + ", ";
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", npy_type<T>(), sizes);
  header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.write(reinterpret_cast<const char*>(&length), 2);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.bytes()));
  if (!file) throw resource_error("cannot write {}", path);
}

}  // namespace larmor::bench
