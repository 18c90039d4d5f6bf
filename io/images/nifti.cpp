#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/series_array.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/gzip_file.hpp>
#include <larmor/io/images/nifti.hpp>
#include <larmor/io/images/nifti_stacks.hpp>
#include <larmor/io/images/sidecar.hpp>

#include <nifti1_io.h>

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace larmor {
namespace {

struct FreeNifti {
  void operator()(nifti_image* image) const { nifti_image_free(image); }
};
using NiftiImage = std::unique_ptr<nifti_image, FreeNifti>;

// A .nii or .nii.gz file being written.
class NiftiStream {
 public:
  NiftiStream(const std::string& path, bool overwrite, bool compressed, int threads) {
    if (compressed)
      gzip_.emplace(path, overwrite, threads);
    else
      plain_.emplace(path, overwrite);
  }
  void write(const void* bytes, std::size_t size) {
    if (gzip_)
      gzip_->write(bytes, size);
    else
      plain_->write(bytes, size);
  }
  void commit(const std::vector<FileBeside>& beside) {
    if (gzip_)
      gzip_->commit(beside);
    else
      plain_->commit(beside);
  }

 private:
  std::optional<GzipFile> gzip_;
  std::optional<AtomicFile> plain_;
};

mat44 to_mat44(const Affine& affine) {
  mat44 matrix;
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      matrix.m[row][column] = static_cast<float>(affine[row][column]);
  return matrix;
}

nifti_1_header make_header(const NiftiStack& stack, const SeriesShape& shape, ImageKind kind,
                           double frame_seconds) {
  // Repetitions come first; other frames and coils follow, or replace them.
  const auto others = static_cast<Index>(stack.other_frames) * shape.coils;
  const auto repetitions = static_cast<Index>(stack.repetitions);
  const Index dim4 = repetitions > 1 ? repetitions : others;
  const Index dim5 = repetitions > 1 ? others : 1;
  const Index dim3 = shape.z > 1 ? shape.z : static_cast<Index>(stack.slices);
  for (const Index extent : {shape.x, shape.y, dim3, dim4, dim5})
    if (extent > 32767)
      throw usage_error("a dimension of {} is too large for NIfTI; the maximum is 32767", extent);

  NiftiImage image(nifti_simple_init_nim());
  if (!image) throw resource_error("not enough memory for a NIfTI header");
  image->ndim = dim5 > 1 ? 5 : dim4 > 1 ? 4 : 3;
  const Index extents[] = {image->ndim, shape.x, shape.y, dim3, dim4, dim5, 1, 1};
  for (int i = 0; i < 8; ++i) image->dim[i] = static_cast<int>(extents[i]);
  const bool timed = repetitions > 1 && frame_seconds > 0;
  const float spacings[] = {1,
                            static_cast<float>(stack.voxel_mm[0]),
                            static_cast<float>(stack.voxel_mm[1]),
                            static_cast<float>(stack.voxel_mm[2]),
                            timed ? static_cast<float>(frame_seconds) : 1,
                            1,
                            1,
                            1};
  std::copy(std::begin(spacings), std::end(spacings), image->pixdim);
  nifti_update_dims_from_array(image.get());
  image->datatype = kind == ImageKind::complex ? DT_COMPLEX64 : DT_FLOAT32;
  nifti_datatype_sizes(image->datatype, &image->nbyper, &image->swapsize);
  image->nifti_type = NIFTI_FTYPE_NIFTI1_1;
  image->xyz_units = NIFTI_UNITS_MM;
  image->time_units = timed ? NIFTI_UNITS_SEC : NIFTI_UNITS_UNKNOWN;
  std::strncpy(image->descrip, "Larmor", sizeof image->descrip - 1);
  std::strncpy(image->intent_name, to_string(kind), sizeof image->intent_name - 1);

  const mat44 affine = to_mat44(stack.affine);
  if (stack.oriented) {
    image->sform_code = NIFTI_XFORM_SCANNER_ANAT;
    image->sto_xyz = affine;
    float dx = 0, dy = 0, dz = 0;  // voxel sizes again
    nifti_mat44_to_quatern(affine, &image->quatern_b, &image->quatern_c, &image->quatern_d, &image->qoffset_x,
                           &image->qoffset_y, &image->qoffset_z, &dx, &dy, &dz, &image->qfac);
    image->qform_code = stack.orthogonal ? NIFTI_XFORM_SCANNER_ANAT : NIFTI_XFORM_UNKNOWN;
    image->pixdim[0] = image->qfac;
  }
  nifti_1_header header = nifti_convert_nim2nhdr(image.get());
  header.vox_offset = 352;
  return header;
}

// An image of a stack.
const Image& image_at(const ImageSeries& series, const NiftiStack& stack, std::size_t repetition,
                      std::size_t other, std::size_t slice) {
  return series.images[stack.images[(repetition * stack.other_frames + other) * stack.slices + slice]];
}

// The first slice of each volume: dimension 4, then 5.
std::vector<const Image*> volumes_of(const ImageSeries& series, const NiftiStack& stack, Index coils) {
  std::vector<const Image*> volumes;
  for (std::size_t other = 0; other < stack.other_frames; ++other)
    for (Index coil = 0; coil < coils; ++coil)
      for (std::size_t repetition = 0; repetition < stack.repetitions; ++repetition)
        volumes.push_back(&image_at(series, stack, repetition, other, 0));
  return volumes;
}

void write_stack(NiftiStream& stream, const ImageSeries& series, const NiftiStack& stack,
                 const SeriesShape& shape) {
  const auto write_pixels = [&](View<const std::complex<float>> pixels) {
    if (series.kind == ImageKind::complex) {
      stream.write(pixels.data(), pixels.bytes());
    } else {
      real_parts(pixels, series.kind,
                 [&](std::span<const float> values) { stream.write(values.data(), values.size_bytes()); });
    }
  };
  // In the file: x, y, z, then dimension 4, then 5.
  const Shape volume{shape.coils, shape.z, shape.y, shape.x};
  for (std::size_t other = 0; other < stack.other_frames; ++other)
    for (Index coil = 0; coil < shape.coils; ++coil)
      for (std::size_t repetition = 0; repetition < stack.repetitions; ++repetition)
        for (std::size_t slice = 0; slice < stack.slices; ++slice)
          write_pixels(
              image_at(series, stack, repetition, other, slice).pixels.view().reshaped(volume).slice(coil));
}

// NAME_2.nii.gz of NAME.nii.gz
std::string numbered_path(const std::string& path, std::size_t number) {
  const std::size_t length = path.ends_with(".gz") ? path.size() - 7 : path.size() - 4;
  return fmt::format("{}_{}{}", path.substr(0, length), number, path.substr(length));
}

}  // namespace

WrittenFiles write_nifti(const std::string& path, const ImageSeries& series, const NiftiOptions& options) {
  if (!path.ends_with(".nii") && !path.ends_with(".nii.gz"))
    throw usage_error("{}: expected a name that ends in .nii or .nii.gz", path);
  const SeriesShape shape = series_shape(series);
  const std::vector<NiftiStack> stacks = nifti_stacks(series);
  WrittenFiles written;
  std::vector<std::string> sidecars;
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const std::string name = stacks.size() == 1 ? path : numbered_path(path, i + 1);
    std::vector<FileBeside> beside;
    if (options.sidecar)
      beside.push_back({sidecars.emplace_back(sidecar_path(name)),
                        options.sidecar(name, volumes_of(series, stacks[i], shape.coils))});
    for (const FileBeside& file : beside) check_target(file.target, options.overwrite);
    const nifti_1_header header = make_header(stacks[i], shape, series.kind, options.frame_seconds);
    NiftiStream stream(name, options.overwrite, path.ends_with(".gz"), options.threads);
    stream.write(&header, sizeof header);
    constexpr char no_extension[4] = {};
    stream.write(no_extension, sizeof no_extension);
    write_stack(stream, series, stacks[i], shape);
    stream.commit(beside);
    written.files.push_back(name);
    if (!stacks[i].warning.empty()) {
      const std::string warning = stacks.size() == 1 || !stacks[i].oriented
                                      ? fmt::format("{}: {}", name, stacks[i].warning)
                                      : fmt::format("{}: {}; written as {} files, NAME_1 to NAME_{}", path,
                                                    stacks[i].warning, stacks.size(), stacks.size());
      if (written.warnings.empty() || written.warnings.back() != warning) written.warnings.push_back(warning);
    }
  }
  written.files.insert(written.files.end(), sidecars.begin(), sidecars.end());
  return written;
}

}  // namespace larmor
