#include <larmor/core/data/geometry.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/file_shape.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/images/nifti_reader.hpp>

#include <nifti1_io.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <vector>

namespace larmor {
namespace {

// niftilib's own reader prints to stderr, accepts truncated files and sets values that are not finite to 0;
// its byte swapping is used, the header is read here.
class NiftiInput {
 public:
  NiftiInput(Descriptor file, const std::string& path) : path_(path) {
    struct stat status {};
    if (::fstat(file.number(), &status) != 0)
      throw input_error("cannot read {}: {}", path, std::strerror(errno));
    size_ = static_cast<double>(status.st_size);
    // The stream detects compressed files by itself, and closes its descriptor.
    const int own = ::dup(file.number());
    stream_ = ::gzdopen(own, "rb");
    if (stream_ == nullptr) {
      if (own >= 0) ::close(own);
      throw resource_error("cannot read {}: {}", path, std::strerror(errno));
    }
  }
  NiftiInput(const NiftiInput&) = delete;
  NiftiInput& operator=(const NiftiInput&) = delete;
  ~NiftiInput() { ::gzclose(stream_); }

  /// Size of the file in bytes.
  double size() const { return size_; }

  nifti_1_header read_header() {
    nifti_1_header header{};
    if (::gzread(stream_, &header, sizeof header) != static_cast<int>(sizeof header) ||
        std::memcmp(header.magic, "n+1", 4) != 0)
      throw input_error("{} is not a NIfTI file", path_);
    swapped_ = header.dim[0] < 1 || header.dim[0] > 7;
    if (swapped_) swap_nifti_header(&header, 1);
    if (header.dim[0] < 1 || header.dim[0] > 7)
      throw input_error("{}: its header has {} dimensions; expected 1 to 7", path_, header.dim[0]);
    if (!(header.vox_offset >= 348 && header.vox_offset < 1e9F))
      throw input_error("{}: its header puts the pixels at byte {}", path_, header.vox_offset);
    for (auto rest = static_cast<std::size_t>(header.vox_offset) - sizeof header; rest > 0;) {
      char skipped[4096];
      const std::size_t count = std::min(rest, sizeof skipped);
      read(skipped, count);
      rest -= count;
    }
    return header;
  }

  void read(void* bytes, std::size_t count) {
    if (::gzread(stream_, bytes, static_cast<unsigned>(count)) != static_cast<int>(count))
      throw input_error("{} is truncated or damaged: its pixels end early", path_);
  }

  /// Reads the bytes after the pixels: the checksum of a compressed file comes last.
  void finish() {
    char rest[4096];
    int got = 0, error = Z_OK;
    while ((got = ::gzread(stream_, rest, sizeof rest)) > 0) continue;
    ::gzerror(stream_, &error);
    if (got < 0 || error == Z_BUF_ERROR)
      throw input_error("{} is truncated or damaged: its checksum is missing or wrong", path_);
  }

  /// Reads parts.size() numbers of type From.
  template <typename From>
  void read_numbers(std::vector<From>& parts) {
    read(parts.data(), parts.size() * sizeof(From));
    if (swapped_) nifti_swap_Nbytes(parts.size(), sizeof(From), parts.data());
  }

 private:
  const std::string& path_;
  gzFile stream_ = nullptr;
  double size_ = 0;
  bool swapped_ = false;
};

// All seven dimensions, x last.
Shape shape_of(const nifti_1_header& header, double file_bytes, const std::string& path) {
  std::vector<Index> extents;
  double size = 1;
  for (int dimension = 7; dimension >= 1; --dimension) {
    const Index extent = dimension <= header.dim[0] ? header.dim[dimension] : 1;
    size *= static_cast<double>(extent);
    extents.push_back(extent);
  }
  // Deflate compresses by a factor of 1032 at most.
  int bytes = 0, swapped = 0;
  nifti_datatype_sizes(header.datatype, &bytes, &swapped);
  if (size * bytes > file_bytes * 1032)
    throw input_error("{}: its header claims {:.0f} voxels, more than the file can hold", path, size);
  // Images are compressed by less than a factor of a hundred; small ones may exceed it.
  if (size * sizeof(std::complex<float>) > 2e8 + 100 * file_bytes)
    throw input_error(
        "{}: its header claims {:.0f} voxels for a file of {:.0f} bytes; expected a compression factor below "
        "100",
        path, size, file_bytes);
  return file_shape(extents, path);
}

template <typename From, bool complex>
void read_pixels(NiftiInput& input, Array<std::complex<float>>& array) {
  constexpr Index block = 65536;
  std::vector<From> parts;
  for (Index first = 0; first < array.size(); first += block) {
    const Index count = std::min(block, array.size() - first);
    parts.resize(static_cast<std::size_t>(complex ? 2 * count : count));
    input.read_numbers(parts);
    for (Index i = 0; i < count; ++i) {
      if constexpr (complex)
        array[first + i] = {static_cast<float>(parts[static_cast<std::size_t>(2 * i)]),
                            static_cast<float>(parts[static_cast<std::size_t>(2 * i + 1)])};
      else
        array[first + i] = static_cast<float>(parts[static_cast<std::size_t>(i)]);
    }
  }
}

using ReadPixels = void (*)(NiftiInput&, Array<std::complex<float>>&);

ReadPixels reader_of(int datatype) {
  switch (datatype) {
    case DT_UINT8:
      return read_pixels<std::uint8_t, false>;
    case DT_INT8:
      return read_pixels<std::int8_t, false>;
    case DT_UINT16:
      return read_pixels<std::uint16_t, false>;
    case DT_INT16:
      return read_pixels<std::int16_t, false>;
    case DT_UINT32:
      return read_pixels<std::uint32_t, false>;
    case DT_INT32:
      return read_pixels<std::int32_t, false>;
    case DT_FLOAT32:
      return read_pixels<float, false>;
    case DT_FLOAT64:
      return read_pixels<double, false>;
    case DT_COMPLEX64:
      return read_pixels<float, true>;
    case DT_COMPLEX128:
      return read_pixels<double, true>;
    default:
      return nullptr;
  }
}

// All dimensions from the seventh to the first.
Array<std::complex<float>> read_all(NiftiInput& input, const nifti_1_header& header, const Shape& shape,
                                    const std::string& path) {
  const ReadPixels read = reader_of(header.datatype);
  if (read == nullptr)
    throw input_error("cannot read {}: pixels of type {}; expected float, complex or integer", path,
                      nifti_datatype_string(header.datatype));
  Array<std::complex<float>> array(shape);
  read(input, array);
  input.finish();
  if (std::isfinite(header.scl_slope) && header.scl_slope != 0 && std::isfinite(header.scl_inter))
    for (auto& value : array) value = value * header.scl_slope + header.scl_inter;
  return array;
}

double millimetres_of(const nifti_1_header& header) {
  const int units = XYZT_TO_SPACE(header.xyzt_units);
  return units == NIFTI_UNITS_METER ? 1e3 : units == NIFTI_UNITS_MICRON ? 1e-3 : 1.0;
}

// Columns x, y, z and origin of the voxels in LPS millimetres; false if the header does not give them.
bool read_affine(const nifti_1_header& header, std::array<Vec3, 4>& columns) {
  mat44 affine{};
  if (header.sform_code > 0) {
    const float* rows[] = {header.srow_x, header.srow_y, header.srow_z};
    for (std::size_t row = 0; row < 3; ++row) std::copy_n(rows[row], 4, affine.m[row]);
  } else if (header.qform_code > 0) {
    const float qfac = header.pixdim[0] < 0 ? -1.0F : 1.0F;
    affine = nifti_quatern_to_mat44(header.quatern_b, header.quatern_c, header.quatern_d, header.qoffset_x,
                                    header.qoffset_y, header.qoffset_z, header.pixdim[1], header.pixdim[2],
                                    header.pixdim[3], qfac);
  } else {
    return false;
  }
  const double millimetres = millimetres_of(header);
  bool identity = true;
  for (std::size_t column = 0; column < 4; ++column)
    for (std::size_t row = 0; row < 3; ++row) {
      const double value = static_cast<double>(affine.m[row][column]);
      identity = identity && value == (row == column ? 1 : 0);
      // RAS to LPS.
      columns[column][row] = (row < 2 ? -millimetres : millimetres) * value;
    }
  return !identity;
}

// The sizes of voxels, if the header gives nothing else.
ImageGeometry no_place(const nifti_1_header& header, const std::array<Index, 3>& matrix) {
  ImageGeometry geometry;
  geometry.matrix = matrix;
  geometry.orientation_known = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double size = std::abs(static_cast<double>(header.pixdim[axis + 1])) * millimetres_of(header);
    geometry.fov_mm[axis] = (std::isfinite(size) && size > 0 ? size : 1) * static_cast<double>(matrix[axis]);
  }
  return geometry;
}

// Geometry of one volume, or of every slice if the slices are staggered.
std::vector<ImageGeometry> places_of(const std::array<Vec3, 4>& columns, const std::array<Index, 3>& matrix,
                                     const std::string& path) {
  Vec3 size{};
  Vec3 direction[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    size[axis] = std::sqrt(dot(columns[axis], columns[axis]));
    if (!(size[axis] > 0) || !std::isfinite(size[axis]) || !std::isfinite(dot(columns[3], columns[3])))
      throw input_error("{}: its affine gives voxels no size or position", path);
    for (std::size_t row = 0; row < 3; ++row) direction[axis][row] = columns[axis][row] / size[axis];
  }
  constexpr double right_angle = 1e-3;
  if (std::abs(dot(direction[0], direction[1])) > right_angle)
    throw input_error("{}: its affine shears slices; expected axes at right angles", path);
  const bool staggered = std::abs(dot(direction[0], direction[2])) > right_angle ||
                         std::abs(dot(direction[1], direction[2])) > right_angle;
  const Index images = staggered ? matrix[2] : 1;
  std::vector<ImageGeometry> result;
  for (Index image = 0; image < images; ++image) {
    ImageGeometry geometry;
    geometry.matrix = {matrix[0], matrix[1], staggered ? 1 : matrix[2]};
    geometry.position = columns[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      geometry.fov_mm[axis] = size[axis] * static_cast<double>(geometry.matrix[axis]);
      const Index place = staggered && axis == 2 ? image : matrix[axis] / 2;
      for (std::size_t row = 0; row < 3; ++row)
        geometry.position[row] += static_cast<double>(place) * columns[axis][row];
    }
    geometry.read_dir = direction[0];
    geometry.phase_dir = direction[1];
    geometry.slice_dir = direction[2];
    result.push_back(geometry);
  }
  return result;
}

}  // namespace

Array<std::complex<float>> read_nifti(const std::string& path) {
  return read_nifti(open_to_read(path), path);
}

Array<std::complex<float>> read_nifti(Descriptor file, const std::string& path) {
  NiftiInput input(std::move(file), path);
  const nifti_1_header header = input.read_header();
  return read_all(input, header, without_single_axes(shape_of(header, input.size(), path)), path);
}

StoredImages read_nifti_images(const std::string& path) {
  NiftiInput input(open_to_read(path), path);
  const nifti_1_header header = input.read_header();
  const Shape all = shape_of(header, input.size(), path);
  const std::array<Index, 3> matrix{all[6], all[5], all[4]};
  StoredImages result;
  result.pixels = read_all(input, header, without_single_axes(all), path);
  std::array<Vec3, 4> columns;
  const std::vector<ImageGeometry> places =
      read_affine(header, columns) ? places_of(columns, matrix, path) : std::vector{no_place(header, matrix)};
  const auto slices = static_cast<Index>(places.size()), repetitions = all[3];
  const Index frames = repetitions * all[2] * all[1] * all[0];
  // The largest number that ISMRMRD counters can hold.
  constexpr Index most_images = 65536;
  if (frames * slices > most_images)
    throw input_error("{}: {} images along dimensions 4 to 7{}; expected at most {}", path, frames * slices,
                      slices > 1 ? " and slices" : "", most_images);
  for (Index i = 0; i < frames * slices; ++i) {
    Image& image = result.images.emplace_back();
    image.geometry = places[static_cast<std::size_t>(i % slices)];
    image.counters.slice = static_cast<std::uint16_t>(i % slices);
    image.counters.repetition = static_cast<std::uint16_t>(i / slices % repetitions);
    image.counters.contrast = static_cast<std::uint16_t>(i / slices / repetitions);
  }
  const std::string kind(header.intent_name, ::strnlen(header.intent_name, sizeof header.intent_name));
  for (const ImageKind known : {ImageKind::phase, ImageKind::real})
    if (kind == to_string(known)) result.kind = known;
  const int units = XYZT_TO_TIME(header.xyzt_units);
  const double second = units == NIFTI_UNITS_SEC    ? 1
                        : units == NIFTI_UNITS_MSEC ? 1e-3
                        : units == NIFTI_UNITS_USEC ? 1e-6
                                                    : 0;
  const double seconds = second * static_cast<double>(header.pixdim[4]);
  if (repetitions > 1 && std::isfinite(seconds) && seconds > 0) result.frame_seconds = seconds;
  return result;
}

}  // namespace larmor
