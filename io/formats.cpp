#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/cfl.hpp>
#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/images/dicom/dicom.hpp>
#include <larmor/io/images/measurement.hpp>
#include <larmor/io/images/nifti.hpp>
#include <larmor/io/images/nifti_reader.hpp>
#include <larmor/io/images/png.hpp>
#include <larmor/io/images/sidecar.hpp>
#include <larmor/io/ismrmrd/image_reader.hpp>
#include <larmor/io/ismrmrd/images.hpp>
#include <larmor/io/pulseq/sequence_trajectory.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <type_traits>
#include <utility>

namespace LARMOR_API larmor {
namespace {

using ComplexArray = Array<std::complex<float>>;

// A writer of images that always writes one file.
template <auto Write>
WrittenFiles one_file(const std::string& path, const ImageSeries& series, const WriteOptions& options) {
  Write(path, series, options.overwrite);
  return {{path}, {}};
}

WrittenFiles write_nifti_files(const std::string& path, const ImageSeries& series,
                               const WriteOptions& options) {
  NiftiOptions nifti{
      .overwrite = options.overwrite, .threads = options.threads, .frame_seconds = options.frame_seconds};
  if (!options.sidecar) return write_nifti(path, series, nifti);
  std::vector<std::string> warnings;
  nifti.sidecar = [&](const std::string& name, const std::vector<const Image*>& volumes) {
    Sidecar sidecar = sidecar_of(name, series, volumes, options.frame_seconds, options.keep_patient);
    warnings.insert(warnings.end(), sidecar.warnings.begin(), sidecar.warnings.end());
    return std::move(sidecar.text);
  };
  WrittenFiles written = write_nifti(path, series, nifti);
  written.lacks_frame_time = !warnings.empty();
  written.warnings.insert(written.warnings.end(), warnings.begin(), warnings.end());
  return written;
}

WrittenFiles write_dicom_file(const std::string& path, const ImageSeries& series,
                              const WriteOptions& options) {
  return write_dicom(path, series, {.overwrite = options.overwrite, .keep_patient = options.keep_patient});
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
StoredImages read_stored_file(const std::string& path, const std::string& group) {
  return read_ismrmrd_stored(path, {.group = group});
}
StoredImages read_nifti_file(const std::string& path, const std::string&) {
  return read_nifti_images(path);
}
ComplexArray read_cfl_file(const std::string& path) {
  ComplexArray array = read_cfl(path);
  ComplexArray result(without_single_axes(array.shape()));
  std::copy(array.begin(), array.end(), result.begin());
  return result;
}
void write_real_cfl(const std::string& path, View<const float> array, bool overwrite) {
  write_cfl(path, converted<std::complex<float>>(array).view(), overwrite);
}

template <typename T>
using WriteArray = void (*)(const std::string&, View<const T>, bool);

// Operations on files with an extension; nullptr if not supported.
struct Format {
  std::string_view extension;
  WrittenFiles (*write_images)(const std::string&, const ImageSeries&, const WriteOptions&) = nullptr;
  ComplexArray (*read)(const std::string&) = nullptr;
  StoredImages (*read_images)(const std::string&,
                              const std::string&) = nullptr;   // otherwise the result of read()
  Array<double> (*read_double)(const std::string&) = nullptr;  // otherwise the result of read()
  WriteArray<std::complex<float>> write_complex = nullptr;
  WriteArray<float> write_float = nullptr;
  WriteArray<double> write_double = nullptr;
  std::string (*beside)(const std::string&) = nullptr;   // the other file of a pair
  std::string (*sidecar)(const std::string&) = nullptr;  // the file that describes it, on demand
  void (*require)(const std::string&) = nullptr;         // throws if its writer is not installed
  bool frame_times = false, patient = false;             // see FormatUse

  bool is_for(FormatUse use) const {
    switch (use) {
      case FormatUse::images:
        return write_images != nullptr;
      case FormatUse::numbers:
        return read != nullptr;
      case FormatUse::array:
        return write_complex != nullptr;
      case FormatUse::maps:
        return write_images != nullptr && read != nullptr;
      case FormatUse::description:
        return sidecar != nullptr;
      case FormatUse::frame_times:
        return frame_times;
      case FormatUse::patient:
        return patient;
    }
    return false;
  }
  template <typename T>
  WriteArray<T> writer() const {
    if constexpr (std::is_same_v<T, float>) return write_float;
    if constexpr (std::is_same_v<T, double>) return write_double;
    if constexpr (std::is_same_v<T, std::complex<float>>) return write_complex;
  }
};

constexpr std::array formats{
    Format{.extension = ".nii",
           .write_images = write_nifti_files,
           .read = read_nifti,
           .read_images = read_nifti_file,
           .sidecar = sidecar_path,
           .frame_times = true},
    Format{.extension = ".nii.gz",
           .write_images = write_nifti_files,
           .read = read_nifti,
           .read_images = read_nifti_file,
           .sidecar = sidecar_path,
           .frame_times = true},
    Format{.extension = ".h5",
           .write_images = one_file<write_ismrmrd_images>,
           .read = read_images_file,
           .read_images = read_stored_file,
           .require = require_ismrmrd_images},
    Format{.extension = ".png", .write_images = one_file<write_png_file>},
    Format{.extension = ".npy",
           .write_images = one_file<write_npy_file>,
           .read = read_npy<std::complex<float>>,
           .read_double = read_npy<double>,
           .write_complex = write_npy<std::complex<float>>,
           .write_float = write_npy<float>,
           .write_double = write_npy<double>},
    Format{.extension = ".cfl",
           .write_images = one_file<write_cfl_file>,
           .read = read_cfl_file,
           .write_complex = write_cfl,
           .write_float = write_real_cfl,
           .beside = cfl_header_path},
    Format{.extension = ".dcm", .write_images = write_dicom_file, .require = require_dicom, .patient = true},
    Format{.extension = ".seq", .read_double = read_pulseq},
};

const Format* find_format(const std::string& path) {
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const Format& format) {
    return path.size() > format.extension.size() && path.ends_with(format.extension);
  });
  return found == formats.end() ? nullptr : &*found;
}

const Format& format_of(const std::string& path) {
  const Format* format = find_format(path);
  if (format != nullptr && format->is_for(FormatUse::images)) return *format;
  std::error_code unknown;  // such as a name that is too long
  if (std::filesystem::exists(path + ".cfl", unknown))
    throw usage_error("{}: expected a file extension: {}.cfl", path, path);
  throw usage_error("{}: unknown file format; expected one of {}", path, extensions_for(FormatUse::images));
}

template <typename Wanted>
std::string extensions(const Wanted& wanted) {
  std::vector<std::string> names;
  for (const Format& format : formats)
    if (wanted(format)) names.emplace_back(format.extension);
  return join(names);
}

template <typename T>
std::string extensions_of_arrays() {
  return extensions([](const Format& format) { return format.writer<T>() != nullptr; });
}

}  // namespace

bool is_for(FormatUse use, const std::string& path) {
  const Format* format = find_format(path);
  return format != nullptr && format->is_for(use);
}

std::string extensions_for(FormatUse use) {
  return extensions([&](const Format& format) { return format.is_for(use); });
}

std::vector<std::string> files_of(const std::string& path, bool sidecar) {
  std::vector<std::string> files{path};
  const Format* format = find_format(path);
  if (format == nullptr) return files;
  if (format->beside != nullptr) files.push_back(format->beside(path));
  if (sidecar && format->sidecar != nullptr) files.push_back(format->sidecar(path));
  return files;
}

void check_output_path(const std::string& path, const WriteOptions& options,
                       const std::vector<std::string>& inputs) {
  const Format& format = format_of(path);
  if (format.require != nullptr) format.require(path);
  for (const std::string& file : files_of(path, options.sidecar))
    check_target(file, options.overwrite, inputs);
}

void check_array_path(const std::string& path, bool overwrite, const std::vector<std::string>& inputs) {
  if (!is_for(FormatUse::array, path))
    throw usage_error("output {}: the extension is not one for an array: expected {}", path,
                      extensions_for(FormatUse::array));
  check_output_path(path, {.overwrite = overwrite}, inputs);
}

WrittenFiles write_images(const std::string& path, const ImageSeries& series, const WriteOptions& options) {
  return format_of(path).write_images(path, series, options);
}

WrittenFiles write_image(const std::string& path, Image image, const WriteOptions& options) {
  ImageSeries series;
  series.images.push_back(std::move(image));
  return write_images(path, series, options);
}

template <typename T>
Array<T> read_array(const std::string& path) {
  const Format* found = find_format(path);
  const Format& format = found == nullptr ? format_of(path) : *found;
  if (format.read == nullptr && !(std::is_same_v<T, double> && format.read_double != nullptr))
    throw usage_error("{}: {} files cannot be read as {}", path, format.extension,
                      format.read_double == nullptr ? "numbers" : "complex numbers");
  if constexpr (std::is_same_v<T, double>) {
    if (format.read_double != nullptr) return format.read_double(path);
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
  const Format* format = find_format(path);
  if (format == nullptr || format->writer<T>() == nullptr)
    throw usage_error("{}: unknown file format for numbers; expected {}", path, extensions_of_arrays<T>());
  format->writer<T>()(path, array, overwrite);
}

template Array<double> read_array<double>(const std::string&);
template ComplexArray read_array<std::complex<float>>(const std::string&);
template void write_array<float>(const std::string&, View<const float>, bool);
template void write_array<double>(const std::string&, View<const double>, bool);
template void write_array<std::complex<float>>(const std::string&, View<const std::complex<float>>, bool);

std::vector<double> echo_times_of_header(const std::string& ismrmrd_header) {
  return measurement_of(ismrmrd_header).sequence.echo_ms;
}

StoredImages read_images(const std::string& path, const std::string& group) {
  const Format* format = find_format(path);
  if (format != nullptr && format->read_images != nullptr) return format->read_images(path, group);
  StoredImages result;
  result.pixels = read_array<std::complex<float>>(path);
  return result;
}

}  // namespace larmor
