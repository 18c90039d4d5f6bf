#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/file_shape.hpp>
#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/files/text.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <type_traits>

namespace larmor {
namespace {

static_assert(std::endian::native == std::endian::little);

template <typename T>
constexpr bool is_complex = false;
template <typename T>
constexpr bool is_complex<std::complex<T>> = true;

struct NpyHeader {
  char kind = 0;  ///< b, i, u, f, c
  std::size_t item_bytes = 0;
  bool big_endian = false, fortran_order = false;
  Shape shape;
};

// Reads the header, a Python dictionary of three entries (NEP 1). Leaves the stream at the first number.
class HeaderParser {
 public:
  HeaderParser(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  NpyHeader parse() const {
    NpyHeader header;
    parse_type(value_of("descr"), header);
    const std::string_view order = value_of("fortran_order");
    if (!order.starts_with("True") && !order.starts_with("False")) fail("fortran_order");
    header.fortran_order = order.starts_with("True");
    header.shape = parse_shape(value_of("shape"));
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw input_error("cannot read {}: its npy header has no valid {}: {}", path_, what,
                      printable(text_, 120));
  }

  std::string_view value_of(std::string_view key) const {
    for (const char quote : {'\'', '"'}) {
      const std::string quoted = quote + std::string(key) + quote;
      const std::size_t place = text_.find(quoted);
      if (place == std::string_view::npos) continue;
      const std::string_view rest = trimmed(text_.substr(place + quoted.size()));
      if (rest.starts_with(':')) return trimmed(rest.substr(1));
    }
    fail(key);
  }

  void parse_type(std::string_view text, NpyHeader& header) const {
    if (text.starts_with('['))
      throw input_error("cannot read {}: it holds records; expected an array of numbers", path_);
    if (text.size() < 4 || (text[0] != '\'' && text[0] != '"')) fail("descr");
    const std::size_t end = text.find(text[0], 1);
    if (end == std::string_view::npos || end < 4) fail("descr");
    const std::string_view type = text.substr(1, end - 1);
    header.big_endian = type[0] == '>';
    header.kind = type[1];
    const auto [stop, error] = std::from_chars(type.data() + 2, type.data() + type.size(), header.item_bytes);
    if (error != std::errc() || stop != type.data() + type.size()) fail("descr");
    constexpr std::array<std::string_view, 14> known{"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                                     "u4", "u8", "f2", "f4", "f8", "c8", "c16"};
    if (std::find(known.begin(), known.end(), type.substr(1)) == known.end())
      throw input_error(
          "cannot read {}: elements of type \"{}\"; expected float or complex numbers, integers or bool",
          path_, printable(type));
  }

  Shape parse_shape(std::string_view text) const {
    if (!text.starts_with('(')) fail("shape");
    text = trimmed(text.substr(1));
    std::vector<Index> extents;
    while (!text.starts_with(')')) {
      Index extent = -1;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
      if (error != std::errc() || extent < 0) fail("shape");
      extents.push_back(extent);
      text = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
      if (text.starts_with(',')) text = trimmed(text.substr(1));
    }
    if (extents.empty()) extents.push_back(1);
    return file_shape(extents, path_);
  }

  const std::string& path_;
  std::string_view text_;
};

constexpr std::uint32_t longest_header = 1 << 16;

// Leaves the stream at the first number; `header_bytes` are before it.
NpyHeader read_header(std::istream& file, const std::string& path, std::uint64_t& header_bytes) {
  std::array<char, 8> start{};
  file.read(start.data(), start.size());
  if (!file || std::memcmp(start.data(), "\x93NUMPY", 6) != 0)
    throw input_error("{} is not an npy file", path);
  const int version = start[6];
  if (version < 1 || version > 3)
    throw input_error("cannot read {}: npy format version {}; expected 1 to 3", path, version);
  const int length_bytes = version == 1 ? 2 : 4;
  std::uint32_t length = 0;
  file.read(reinterpret_cast<char*>(&length), length_bytes);
  std::string text;
  if (file && length <= longest_header) {
    text.resize(length);
    file.read(text.data(), static_cast<std::streamsize>(length));
  }
  if (!file || text.empty()) throw input_error("cannot read {}: its npy header is damaged", path);
  header_bytes = start.size() + static_cast<std::uint64_t>(length_bytes) + length;
  return HeaderParser(path, text).parse();
}

// IEEE 754 binary16.
float half_to_float(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  const float magnitude = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                          : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                          : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

template <typename From, typename To>
To element_as(const char* bytes) {
  From value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (is_complex<To> && is_complex<From>) {
    using Real = typename To::value_type;
    return {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
  } else if constexpr (is_complex<To>) {
    return static_cast<typename To::value_type>(value);
  } else if constexpr (!is_complex<From>) {
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value.real());  // not reached: complex files are refused for real T
  }
}

template <typename To>
using Converter = To (*)(const char*);

template <typename To>
Converter<To> converter(const NpyHeader& header) {
  const std::size_t bytes = header.item_bytes;
  switch (header.kind) {
    case 'b':
      return [](const char* at) { return To(*at != 0 ? 1.0F : 0.0F); };
    case 'i':
      return bytes == 1   ? element_as<std::int8_t, To>
             : bytes == 2 ? element_as<std::int16_t, To>
             : bytes == 4 ? element_as<std::int32_t, To>
                          : element_as<std::int64_t, To>;
    case 'u':
      return bytes == 1   ? element_as<std::uint8_t, To>
             : bytes == 2 ? element_as<std::uint16_t, To>
             : bytes == 4 ? element_as<std::uint32_t, To>
                          : element_as<std::uint64_t, To>;
    case 'f':
      if (bytes == 2)
        return [](const char* at) {
          std::uint16_t half;
          std::memcpy(&half, at, sizeof half);
          return To(half_to_float(half));
        };
      return bytes == 4 ? element_as<float, To> : element_as<double, To>;
    default:
      return bytes == 8 ? element_as<std::complex<float>, To> : element_as<std::complex<double>, To>;
  }
}

// Index in row-major order of each element of a file, in file order.
class Destination {
 public:
  Destination(const Shape& shape, bool fortran_order) : shape_(shape), fortran_order_(fortran_order) {
    Index stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      stride_[static_cast<std::size_t>(axis)] = stride;
      stride *= shape[axis];
    }
  }
  Index next() {
    const Index result = offset_;
    if (!fortran_order_) {
      ++offset_;
      return result;
    }
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape_.rank()); ++axis) {
      offset_ += stride_[axis];
      if (++index_[axis] < shape_[static_cast<int>(axis)]) break;
      offset_ -= index_[axis] * stride_[axis];
      index_[axis] = 0;
    }
    return result;
  }

 private:
  Shape shape_;
  bool fortran_order_;
  std::array<Index, Shape::max_rank> index_{}, stride_{};
  Index offset_ = 0;
};

template <typename T>
constexpr const char* type_text() {
  if constexpr (std::is_same_v<T, float>) return "<f4";
  if constexpr (std::is_same_v<T, double>) return "<f8";
  if constexpr (std::is_same_v<T, std::complex<float>>) return "<c8";
  if constexpr (std::is_same_v<T, std::complex<double>>) return "<c16";
}

// Magic, version, length and dictionary, padded with blanks to a multiple of 64 bytes.
std::string make_header(const char* type, const Shape& shape) {
  std::string extents;
  for (const Index extent : shape) extents += fmt::format("{}, ", extent);
  if (shape.rank() > 1) extents.resize(extents.size() - 2);
  if (shape.rank() == 1) extents.pop_back();
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, extents);
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace

template <typename T>
Array<T> read_npy(std::istream& file, std::uint64_t size, const std::string& path) {
  std::uint64_t start = 0;
  const NpyHeader header = read_header(file, path, start);
  if (header.kind == 'c' && !is_complex<T>)
    throw input_error("{} holds complex numbers; expected real ones", path);

  const std::uint64_t expected = static_cast<std::uint64_t>(header.shape.size()) * header.item_bytes;
  if (size < start || size - start < expected)
    throw input_error("{} is truncated: {} of {} bytes", path, size, start + expected);

  Array<T> array(header.shape);
  const Converter<T> convert = converter<T>(header);
  Destination destination(header.shape, header.fortran_order);
  const std::size_t part_bytes = header.kind == 'c' ? header.item_bytes / 2 : header.item_bytes;
  constexpr Index block = 65536;
  std::vector<char> bytes(static_cast<std::size_t>(std::min(block, array.size())) * header.item_bytes);
  for (Index first = 0; first < array.size(); first += block) {
    const Index count = std::min(block, array.size() - first);
    const std::size_t wanted = static_cast<std::size_t>(count) * header.item_bytes;
    if (!file.read(bytes.data(), static_cast<std::streamsize>(wanted)))
      throw input_error("cannot read {}: {}", path, std::strerror(errno));
    if (header.big_endian)
      for (std::size_t at = 0; at < wanted; at += part_bytes)
        std::reverse(bytes.data() + at, bytes.data() + at + part_bytes);
    for (Index i = 0; i < count; ++i)
      array[destination.next()] = convert(bytes.data() + static_cast<std::size_t>(i) * header.item_bytes);
  }
  return array;
}

template <typename T>
Array<T> read_npy(const std::string& path) {
  std::ifstream file = stream_to_read(path);
  std::error_code status;
  const std::uint64_t size = std::filesystem::file_size(path, status);
  if (status) throw input_error("cannot read {}: {}", path, status.message());
  return read_npy<T>(file, size, path);
}

namespace {

template <typename T>
void write_values(const std::string& path, View<const T> array, bool overwrite,
                  const std::vector<FileBeside>& beside) {
  if (array.size() == 0)
    throw usage_error("{}: an array of the shape {} is empty: there is nothing to write", path,
                      array.shape().to_string());
  for (const FileBeside& file : beside) check_target(file.target, overwrite);
  AtomicFile writer(path, overwrite);
  const std::string header = make_header(type_text<T>(), array.shape());
  writer.write(header.data(), header.size());
  writer.write(array.data(), array.bytes());
  writer.commit(beside);
}

}  // namespace

template <typename T>
void write_npy(const std::string& path, View<const T> array, bool overwrite) {
  write_values<T>(path, array, overwrite, {});
}

void write_npy(const std::string& path, View<const std::complex<float>> array, bool overwrite,
               const std::vector<FileBeside>& beside) {
  write_values<std::complex<float>>(path, array, overwrite, beside);
}

void write_npy(const std::string& path, const ImageSeries& series, bool overwrite) {
  const SeriesShape shape = series_shape(series);
  const bool complex = series.kind == ImageKind::complex;
  AtomicFile writer(path, overwrite);
  const std::string header = make_header(complex ? "<c8" : "<f4", shape.squeezed());
  writer.write(header.data(), header.size());
  for (const Image& image : series.images) {
    if (complex) {
      writer.write(image.pixels.data(), image.pixels.view().bytes());
    } else {
      real_parts(image.pixels.view(), series.kind,
                 [&](std::span<const float> values) { writer.write(values.data(), values.size_bytes()); });
    }
  }
  writer.commit();
}

#define LARMOR_INSTANTIATE(T)                                                      \
  template Array<T> read_npy<T>(const std::string&);                               \
  template Array<T> read_npy<T>(std::istream&, std::uint64_t, const std::string&); \
  template void write_npy<T>(const std::string&, View<const T>, bool)
LARMOR_INSTANTIATE(float);
LARMOR_INSTANTIATE(double);
LARMOR_INSTANTIATE(std::complex<float>);
LARMOR_INSTANTIATE(std::complex<double>);
#undef LARMOR_INSTANTIATE

}  // namespace larmor
