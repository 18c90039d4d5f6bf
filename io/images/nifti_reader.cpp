#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/images/nifti_reader.hpp>

#include <nifti1_io.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <vector>

namespace larmor {
namespace {

// niftilib's own reader prints to stderr, takes short files for whole ones and sets what is not finite to 0;
// its swapping of bytes is used, the header is read here.
class NiftiInput {
 public:
  NiftiInput(Descriptor file, const std::string& path) : path_(path) {
    struct stat status {};
    if (::fstat(file.number(), &status) != 0)
      throw input_error("cannot read {}: {}", path, std::strerror(errno));
    size_ = static_cast<double>(status.st_size);
    // The stream finds out by itself whether the file is compressed, and closes what it is given.
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

  /// Bytes of the file.
  double size() const { return size_; }

  nifti_1_header read_header() {
    nifti_1_header header{};
    if (::gzread(stream_, &header, sizeof header) != static_cast<int>(sizeof header) ||
        std::memcmp(header.magic, "n+1", 4) != 0)
      throw input_error("{} is not a NIfTI file", path_);
    swapped_ = header.dim[0] < 1 || header.dim[0] > 7;
    if (swapped_) swap_nifti_header(&header, 1);
    if (header.dim[0] < 1 || header.dim[0] > 7)
      throw input_error("{}: its header says {} dimensions; expected 1 to 7", path_, header.dim[0]);
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

Shape shape_of(const nifti_1_header& header, double file_bytes, const std::string& path) {
  std::vector<Index> extents;
  double size = 1;
  for (int dimension = 7; dimension >= 1; --dimension) {
    const Index extent = dimension <= header.dim[0] ? header.dim[dimension] : 1;
    if (extent < 1)
      throw input_error("{}: dimension {} is {}; expected a positive number", path, dimension, extent);
    size *= static_cast<double>(extent);
    extents.push_back(extent);
  }
  // Deflate makes nothing smaller than by a factor of 1032.
  int bytes = 0, swapped = 0;
  nifti_datatype_sizes(header.datatype, &bytes, &swapped);
  if (size * bytes > file_bytes * 1032)
    throw input_error("{}: its header claims {:.0f} voxels, more than the file can hold", path, size);
  return without_single_axes({extents.data(), static_cast<int>(extents.size())});
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

}  // namespace

Array<std::complex<float>> read_nifti(const std::string& path) {
  return read_nifti(open_to_read(path), path);
}

Array<std::complex<float>> read_nifti(Descriptor file, const std::string& path) {
  NiftiInput input(std::move(file), path);
  const nifti_1_header header = input.read_header();
  const ReadPixels read = reader_of(header.datatype);
  if (read == nullptr)
    throw input_error("cannot read {}: pixels of type {}; expected float, complex or integer", path,
                      nifti_datatype_string(header.datatype));
  Array<std::complex<float>> array(shape_of(header, input.size(), path));
  read(input, array);
  if (std::isfinite(header.scl_slope) && header.scl_slope != 0 && std::isfinite(header.scl_inter))
    for (auto& value : array) value = value * header.scl_slope + header.scl_inter;
  return array;
}

}  // namespace larmor
