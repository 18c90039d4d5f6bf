#include <larmor/mri/scan/grids.hpp>

#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

namespace LARMOR_API larmor {
namespace {

constexpr Index largest_extent = 65535;  // ISMRMRD stores matrix sizes in 16 bits
constexpr double largest_oversampling = 16;

bool usable(double fov) {
  return std::isfinite(fov) && fov > 0;
}
bool usable_in_plane(const Vec3& fov) {
  return usable(fov[0]) && usable(fov[1]);
}
bool looks_like_metres(const Vec3& fov) {
  return usable_in_plane(fov) && fov[0] < 1 && fov[1] < 1;
}
bool given(const std::array<Index, 3>& matrix) {
  return matrix[0] > 0 && matrix[1] > 0 && matrix[2] > 0;
}

std::string sizes(const Grid& grid) {
  return fmt::format("{}×{}×{} on {:.6g}×{:.6g}×{:.6g} mm", grid.matrix[0], grid.matrix[1], grid.matrix[2],
                     grid.fov_mm[0], grid.fov_mm[1], grid.fov_mm[2]);
}

void require_matrix(const char* name, const std::array<Index, 3>& matrix) {
  for (const Index n : matrix)
    if (n < 1 || n > largest_extent)
      throw input_error("{} matrix is {}×{}×{}, expected 1 … {} along every axis", name, matrix[0], matrix[1],
                        matrix[2], largest_extent);
}

// One value stands for x and y, two for x and y, three for all.
template <typename T, typename To>
void override_axes(const std::vector<T>& values, To& axes, const char* parameter) {
  if (values.empty()) return;
  if (values.size() > 3)
    throw usage_error("{} values given, expected 1, 2 or 3", values.size()).about(parameter);
  axes[0] = values[0];
  axes[1] = values.size() > 1 ? values[1] : values[0];
  if (values.size() > 2) axes[2] = values[2];
}

void require_fov(const char* space, const Vec3& fov, const Vec3& suggestion) {
  if (!usable_in_plane(fov))
    throw input_error("{} field of view is {:g}×{:g}×{:g} mm; give the true x,y,z in mm", space, fov[0],
                      fov[1], fov[2])
        .about("fov");
  if (looks_like_metres(fov))
    throw input_error(
        "{} field of view {:g}×{:g}×{:g} mm looks like metres; give it in mm, for example "
        "{:.6g},{:.6g},{:.6g}",
        space, fov[0], fov[1], fov[2], suggestion[0], suggestion[1], suggestion[2])
        .about("fov");
}

Vec3 in_millimetres(const Vec3& metres) {
  Vec3 mm{metres[0] * 1000, metres[1] * 1000, metres[2]};
  if (usable(mm[2]) && mm[2] < 1) mm[2] *= 1000;
  return mm;
}

// Chooses encoded and recon fields of view. An unusable encoded field of view is replaced by the given one,
// with the file's own proportions if it has any.
void choose_fov(const Encoding& encoding, bool has_recon, const GridOptions& options, Grids& grids) {
  Vec3 encoded = encoding.encoded_fov_mm, recon = has_recon ? encoding.recon_fov_mm : encoded;
  if (options.fov_mm.empty()) {
    require_fov("encoded", encoded, in_millimetres(encoded));
    require_fov("recon", recon, in_millimetres(recon));
  } else {
    for (const double fov : options.fov_mm)
      if (!usable(fov)) throw usage_error("{} is not a positive length in mm", fov).about("fov");
    const Vec3 file_recon = recon;
    override_axes(options.fov_mm, recon, "fov");
    const bool unusable = !usable_in_plane(encoded) || looks_like_metres(encoded);
    if (unusable || !encoding.fov_known) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        // Without proportions of lengths, those of the matrices, assuming isotropic pixels.
        const bool proportion = usable(encoded[axis]) && usable(file_recon[axis]);
        const double ratio = proportion  ? encoded[axis] / file_recon[axis]
                             : has_recon ? static_cast<double>(encoding.encoded_matrix[axis]) /
                                               static_cast<double>(encoding.recon_matrix[axis])
                                         : 1;
        encoded[axis] = recon[axis] * ratio;
      }
      if (unusable)
        grids.notes.push_back(fmt::format(
            "encoded field of view {:g}×{:g}×{:g} mm in the file; the one that was given is used instead",
            encoding.encoded_fov_mm[0], encoding.encoded_fov_mm[1], encoding.encoded_fov_mm[2]));
    }
  }
  if (!usable(recon[2])) {
    if (grids.volume)
      throw input_error("recon field of view along z is {:g} mm; give the true x,y,z in mm", recon[2])
          .about("fov");
    recon[2] = recon[0] / static_cast<double>(grids.recon.matrix[0]);
    grids.warnings.push_back(fmt::format("slice thickness is {:g} mm in the file; {:.4g} mm assumed",
                                         has_recon ? encoding.recon_fov_mm[2] : encoding.encoded_fov_mm[2],
                                         recon[2]));
  }
  if (!usable(encoded[2])) encoded[2] = recon[2];
  grids.encoded.fov_mm = encoded;
  grids.recon.fov_mm = recon;
}

// Ratio of the solve grid's size to that of recon, along x, y, z.
Vec3 solve_ratios(const Grids& grids, bool cartesian_z, bool along_x, const GridOptions& options) {
  Vec3 ratio{1, 1, 1};
  if (options.solve_fov != 0) {
    if (!(options.solve_fov >= 1) || options.solve_fov > largest_oversampling)
      throw usage_error("{}, expected a factor of 1 … {}", options.solve_fov, largest_oversampling)
          .about("solve_fov");
    ratio[0] = ratio[1] = options.solve_fov;
    if (grids.volume && !cartesian_z) ratio[2] = options.solve_fov;
    return ratio;
  }
  const int axes = grids.volume ? 3 : 2;
  for (int axis = 0; axis < axes; ++axis)
    ratio[axis] = std::max(1.0, grids.encoded.fov_mm[axis] / grids.recon.fov_mm[axis]);
  // Readout oversampling, given as a larger encoded x, widens the field of view in every in-plane direction
  // if readouts rotate, and along x only if they do not.
  if (!along_x) ratio[0] = ratio[1] = std::max(ratio[0], ratio[1]);
  for (int axis = 0; axis < axes; ++axis)
    if (ratio[axis] > largest_oversampling)
      throw input_error(
          "encoded field of view is {:.3g} times the recon field of view along {}; give the true one "
          "in mm, or the factor to solve on",
          ratio[axis], "xyz"[axis])
          .about("fov,solve_fov");
  return ratio;
}

}  // namespace

Grids plan_grids(const Encoding& encoding, bool volume, bool cartesian_z, bool along_x,
                 const GridOptions& options) {
  Grids grids;
  grids.volume = volume;
  require_matrix("encoded", encoding.encoded_matrix);
  const bool has_recon = encoding.has_recon_space && given(encoding.recon_matrix);
  if (!has_recon)
    grids.notes.push_back("no reconSpace in the header: the encoded matrix and field of view are used");
  grids.encoded.matrix = encoding.encoded_matrix;
  grids.recon.matrix = has_recon ? encoding.recon_matrix : encoding.encoded_matrix;
  for (const Index n : options.matrix)
    if (n < 1 || n > largest_extent)
      throw usage_error("{} is not in 1 … {}", n, largest_extent).about("matrix");
  const Index slices = grids.recon.matrix[2];  // from a header that gives their number
  override_axes(options.matrix, grids.recon.matrix, "matrix");
  if (!volume) {
    const Index z = std::exchange(grids.recon.matrix[2], slices);
    if (z != 1 && z != slices) throw usage_error("{} along z, but slices have 1", z).about("matrix");
  }
  require_matrix("recon", grids.recon.matrix);
  grids.fov_known = encoding.fov_known || !options.fov_mm.empty();
  choose_fov(encoding, has_recon, options, grids);
  if (!volume) {
    // The slice thickness equals one pixel of a z axis that is counted but not encoded.
    for (Grid* grid : {&grids.encoded, &grids.recon}) {
      grid->fov_mm[2] = grid->pixel(2);
      grid->matrix[2] = 1;
    }
  }

  grids.solve = grids.recon;
  const Vec3 ratio = solve_ratios(grids, cartesian_z, along_x, options);
  for (int axis = 0; axis < (volume ? 3 : 2); ++axis) {
    const Index recon = grids.recon.matrix[axis];
    grids.k_scale[axis] = grids.recon.pixel(axis) / grids.encoded.pixel(axis);
    grids.solve.matrix[axis] =
        std::max(recon, static_cast<Index>(std::ceil(static_cast<double>(recon) * ratio[axis] - 1e-3)));
    grids.solve.fov_mm[axis] = grids.recon.pixel(axis) * static_cast<double>(grids.solve.matrix[axis]);
  }
  grids.notes.push_back("encoded " + sizes(grids.encoded));
  grids.notes.push_back("recon " + sizes(grids.recon));
  if (grids.solve.matrix != grids.recon.matrix)
    grids.notes.push_back("solving on " + sizes(grids.solve) + ", then cropping");
  return grids;
}

void require_maps_grid(const Grids& grids, const Shape& maps_shape) {
  if (maps_shape == grids.solve_shape() || maps_shape == grids.recon_shape()) return;
  throw input_error(
      "coil maps have {} pixels, expected the recon grid {} or the solve grid {}; their position is unknown, "
      "so they cannot be resampled",
      maps_shape.to_string(), grids.recon_shape().to_string(), grids.solve_shape().to_string())
      .about("maps");
}

template <typename T>
Array<T> extended(View<const T> image, const Shape& shape, std::optional<T> outside, const Context* workers) {
  const int axes = shape.rank(), outer_axes = image.shape().rank() - axes;
  const Shape from = image.shape().drop_front(outer_axes);
  Shape result_shape = image.shape();
  for (int axis = 0; axis < axes; ++axis) result_shape[outer_axes + axis] = shape[axis];
  Array<T> result(result_shape);
  const auto moved = [&](Index place, int axis) { return place - shape[axis] / 2 + from[axis] / 2; };
  const Index width = shape[axes - 1], from_width = from[axes - 1];
  const auto fill = [&](Index begin, Index end, int) {
    T* out = result.data() + begin * width;
    for (Index row = begin; row < end; ++row) {
      Index rest = row, source = 0, stride = from_width;
      bool inside = true;
      for (int axis = axes - 2; axis >= 0; rest /= shape[axis--]) {
        const Index place = moved(rest % shape[axis], axis),
                    nearest = std::clamp<Index>(place, 0, from[axis] - 1);
        inside = inside && place == nearest;
        source += nearest * stride;
        stride *= from[axis];
      }
      const T* const in = image.data() + rest * stride + source;
      for (Index x = 0; x < width; ++x) {
        const Index place = moved(x, axes - 1), nearest = std::clamp<Index>(place, 0, from_width - 1);
        *out++ = (inside && place == nearest) || !outside ? in[nearest] : *outside;
      }
    }
  };
  parallel_for(workers, result.size() / width, 64, fill);
  return result;
}

template <typename T>
Array<T> cropped(View<const T> image, const Shape& shape, const Context* workers) {
  const int outer_axes = image.shape().rank() - shape.rank();
  bool fits = shape.rank() > 0 && outer_axes >= 0;
  for (int axis = 0; axis < shape.rank() && fits; ++axis)
    fits = shape[axis] <= image.shape()[outer_axes + axis];
  if (!fits)
    throw usage_error("cropped: {} cannot be taken from {}", shape.to_string(), image.shape().to_string());
  return extended<T>(image, shape, std::nullopt, workers);
}

template <typename T>
Array<std::complex<T>> hann_filtered(View<const std::complex<T>> image, int dims, const Context& ctx) {
  // Along each axis half of a pixel and a quarter of both neighbours.
  Array<std::complex<T>> result = clone(image);
  const Shape& shape = image.shape();
  Index stride = 1;
  for (int axis = shape.rank() - 1; axis >= shape.rank() - dims; stride *= shape[axis--]) {
    const Array<std::complex<T>> before = clone(View<const std::complex<T>>(result));
    parallel_for(ctx, result.size(), 1 << 14, [&](Index begin, Index end, int) {
      for (Index p = begin; p < end; ++p) {
        const Index place = p / stride % shape[axis];
        const std::complex<T> low = place > 0 ? before[p - stride] : std::complex<T>(0),
                              high = place + 1 < shape[axis] ? before[p + stride] : std::complex<T>(0);
        result[p] = T(0.5) * before[p] + T(0.25) * (low + high);
      }
    });
  }
  return result;
}

template Array<std::complex<float>> cropped(View<const std::complex<float>>, const Shape&, const Context*);
template Array<std::complex<double>> cropped(View<const std::complex<double>>, const Shape&, const Context*);
template Array<std::complex<float>> hann_filtered<float>(View<const std::complex<float>>, int,
                                                         const Context&);
template Array<std::complex<double>> hann_filtered<double>(View<const std::complex<double>>, int,
                                                           const Context&);
template Array<float> extended(View<const float>, const Shape&, std::optional<float>, const Context*);
template Array<std::complex<float>> extended(View<const std::complex<float>>, const Shape&,
                                             std::optional<std::complex<float>>, const Context*);

}  // namespace larmor
