#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/cfl.hpp>
#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/images/nifti.hpp>
#include <larmor/io/images/png.hpp>
#include <larmor/io/ismrmrd/images.hpp>

#include <array>
#include <string_view>
#include <type_traits>

namespace LARMOR_API larmor {
namespace {

using ComplexArray = Array<std::complex<float>>;
using WriteImages = WrittenFiles (*)(const std::string&, const ImageSeries&, bool);
using ReadNumbers = ComplexArray (*)(const std::string&);

// A writer that always makes one file.
template <auto Write>
WrittenFiles one_file(const std::string& path, const ImageSeries& series, bool overwrite) {
  Write(path, series, overwrite);
  return {{path}, {}};
}

void write_png_file(const std::string& path, const ImageSeries& series, bool overwrite) {
  write_png(path, series, {.overwrite = overwrite, .window = std::nullopt});
}
void write_npy_file(const std::string& path, const ImageSeries& series, bool overwrite) {
  write_npy(path, series, overwrite);
}
void write_cfl_file(const std::string& path, const ImageSeries& series, bool overwrite) {
  write_cfl(path, series, overwrite);
}
ComplexArray read_images_file(const std::string& path) {
  return read_ismrmrd_images(path);
}
ComplexArray read_cfl_file(const std::string& path) {
  ComplexArray array = read_cfl(path);
  ComplexArray result(without_single_axes(array.shape()));
  std::copy(array.begin(), array.end(), result.begin());
  return result;
}

struct Format {
  std::string_view extension;
  WriteImages write;
  ReadNumbers read;  ///< nullptr: cannot be read
};

constexpr std::array<Format, 6> formats{{
    {".nii", write_nifti, read_nifti},
    {".nii.gz", write_nifti, read_nifti},
    {".h5", one_file<write_ismrmrd_images>, read_images_file},
    {".png", one_file<write_png_file>, nullptr},
    {".npy", one_file<write_npy_file>, read_npy<std::complex<float>>},
    {".cfl", one_file<write_cfl_file>, read_cfl_file},
}};

const Format& format_of(const std::string& path) {
  for (const Format& format : formats)
    if (path.size() > format.extension.size() && path.ends_with(format.extension)) return format;
  throw usage_error("{}: unknown file format; expected one of {}", path, image_extensions());
}

}  // namespace

std::string image_extensions() {
  std::vector<std::string> names;
  for (const Format& format : formats) names.emplace_back(format.extension);
  return join(names);
}

void check_output_path(const std::string& path, bool overwrite, const std::vector<std::string>& inputs) {
  if (format_of(path).extension == ".cfl") check_target(cfl_header_path(path), overwrite, inputs);
  check_target(path, overwrite, inputs);
}

WrittenFiles write_images(const std::string& path, const ImageSeries& series, bool overwrite) {
  return format_of(path).write(path, series, overwrite);
}

template <typename T>
Array<T> read_array(const std::string& path) {
  const Format& format = format_of(path);
  if (format.read == nullptr)
    throw usage_error("{}: {} files cannot be read as numbers", path, format.extension);
  if constexpr (std::is_same_v<T, double>) {
    if (format.extension == ".npy") return read_npy<double>(path);
    const ComplexArray complex = format.read(path);
    Array<double> real(complex.shape());
    for (Index i = 0; i < real.size(); ++i) {
      if (complex[i].imag() != 0) throw input_error("{} holds complex numbers; expected real ones", path);
      real[i] = complex[i].real();
    }
    return real;
  } else {
    return format.read(path);
  }
}

template <typename T>
void write_array(const std::string& path, View<const T> array, bool overwrite) {
  if (path.ends_with(".npy")) return write_npy<T>(path, array, overwrite);
  if constexpr (std::is_same_v<T, float>) {
    if (path.ends_with(".cfl"))
      return write_cfl(path, converted<std::complex<float>>(array).view(), overwrite);
  } else if constexpr (!std::is_same_v<T, double>) {
    if (path.ends_with(".cfl")) return write_cfl(path, array, overwrite);
  }
  throw usage_error("{}: unknown file format for numbers; expected {}", path,
                    std::is_same_v<T, double> ? ".npy" : ".npy or .cfl");
}

template Array<double> read_array<double>(const std::string&);
template ComplexArray read_array<std::complex<float>>(const std::string&);
template void write_array<float>(const std::string&, View<const float>, bool);
template void write_array<double>(const std::string&, View<const double>, bool);
template void write_array<std::complex<float>>(const std::string&, View<const std::complex<float>>, bool);

}  // namespace larmor
