#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/cfl.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/scan_arrays/kspace_array.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace larmor {
namespace {

using Names = std::vector<std::string>;

const Names kspace_axes{"frames", "slices", "partitions", "coils", "readouts", "samples"};
const Names trajectory_axes{"frames", "slices", "partitions", "readouts", "samples", "dims"};

/// BART's dimensions that k-space may use, and their meaning. For a Cartesian scan the first is not 1.
struct BartDimension {
  std::size_t dimension;
  const char* name;
};
constexpr BartDimension bart_spokes[] = {
    {1, "samples"}, {2, "readouts"}, {3, "coils"}, {10, "frames"}, {13, "slices"}};
constexpr BartDimension bart_lines[] = {{0, "samples"}, {1, "lines"},   {2, "partitions"},
                                        {3, "coils"},   {10, "frames"}, {13, "slices"}};
constexpr BartDimension bart_trajectory[] = {
    {0, "dims"}, {1, "samples"}, {2, "readouts"}, {10, "frames"}, {13, "slices"}};

/// The array with its axes in the wanted order; missing axes have length 1.
template <typename T>
Array<T> in_order(const Array<T>& array, const Names& axes, const Names& wanted) {
  std::vector<Index> extents, strides;
  for (const std::string& name : wanted) {
    const auto at = std::find(axes.begin(), axes.end(), name);
    const int axis = static_cast<int>(at - axes.begin());
    extents.push_back(at == axes.end() ? 1 : array.shape()[axis]);
    Index stride = 1;
    for (int faster = axis + 1; faster < array.shape().rank(); ++faster) stride *= array.shape()[faster];
    strides.push_back(at == axes.end() ? 0 : stride);
  }
  Array<T> result(Shape(extents.data(), static_cast<int>(extents.size())));
  std::vector<Index> place(extents.size(), 0);
  Index from = 0;
  for (T& value : result) {
    value = array[from];
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      from += strides[axis];
      if (++place[axis] < extents[axis]) break;
      from -= strides[axis] * extents[axis];
      place[axis] = 0;
    }
  }
  return result;
}

/// An array of another shape with the same numbers.
template <typename T>
Array<T> reshaped(const Array<T>& array, const std::vector<Index>& extents) {
  Array<T> result(Shape(extents.data(), static_cast<int>(extents.size())));
  std::copy(array.data(), array.data() + array.size(), result.begin());
  return result;
}

/// The array of a .cfl file with the axes of BART's dimensions, and their names, slowest first.
template <std::size_t N>
std::pair<Array<std::complex<float>>, Names> read_bart(const std::string& path,
                                                       const BartDimension (&known)[N]) {
  std::vector<Index> dimensions = read_cfl_dimensions(path);
  dimensions.resize(std::max<std::size_t>(dimensions.size(), 16), 1);
  std::vector<Index> extents;
  Names names;
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    const auto* row = std::find_if(std::begin(known), std::end(known),
                                   [&](const BartDimension& candidate) { return candidate.dimension == i; });
    if (row != std::end(known)) {
      extents.push_back(dimensions[i]);
      names.emplace_back(row->name);
    } else if (dimensions[i] > 1) {
      throw input_error("{}: dimension {} has {} entries; expected 1, name the axes to read it otherwise",
                        path, i, dimensions[i])
          .about("kspace_axes");
    }
  }
  return {reshaped(read_cfl(path), extents), names};
}

bool is_real(const Array<std::complex<float>>& array) {
  return std::all_of(array.data(), array.data() + array.size(),
                     [](const auto& value) { return value.imag() == 0; });
}

Names default_axes(const std::string& path, const Array<std::complex<float>>& array) {
  const int rank = array.shape().rank();
  const bool pairs = rank > 2 && array.shape()[rank - 1] == 2 && is_real(array);
  const int named = rank - (pairs ? 1 : 0);
  if (named < 2 || named > 4)
    throw input_error(
        "{} has the shape {}; expected [(frames,) coils, (readouts,) samples], or the names of its axes",
        path, array.shape().to_string())
        .about("kspace_axes");
  Names axes = named == 2   ? Names{"coils", "samples"}
               : named == 3 ? Names{"coils", "readouts", "samples"}
                            : Names{"frames", "coils", "readouts", "samples"};
  if (pairs) axes.emplace_back("pair");
  return axes;
}

void check_axes(const std::string& path, const Names& axes, const Shape& shape) {
  std::set<std::string> seen;
  for (const std::string& name : axes) {
    const bool known =
        name == "pair" || std::find(kspace_axes.begin(), kspace_axes.end(), name) != kspace_axes.end();
    if (!known)
      throw usage_error("'{}' is not an axis of k-space: expected {}, spokes, lines or pair", printable(name),
                        fmt::join(kspace_axes, ", "))
          .about("kspace_axes");
    if (!seen.insert(name).second) throw usage_error("the axis {} is named twice", name).about("kspace_axes");
  }
  if (static_cast<int>(axes.size()) != shape.rank())
    throw input_error("{} has the shape {}, but {} axes are named: {}", path, shape.to_string(), axes.size(),
                      fmt::join(axes, ","))
        .about("kspace_axes");
  if (!seen.contains("samples")) throw usage_error("no axis is named samples").about("kspace_axes");
}

/// Combines real and imaginary parts along the axis `pair`, which is removed.
Array<std::complex<float>> without_pairs(const std::string& path, const Array<std::complex<float>>& array,
                                         Names& axes) {
  const auto pair = std::find(axes.begin(), axes.end(), "pair");
  const Index parts = array.shape()[static_cast<int>(pair - axes.begin())];
  if (parts != 2 || !is_real(array))
    throw input_error("{}: the axis of pairs has {} {} numbers; expected 2 real ones", path, parts,
                      is_real(array) ? "real" : "complex")
        .about("kspace_axes");
  Names order = axes;
  order.erase(order.begin() + (pair - axes.begin()));
  Names with_pairs = order;
  with_pairs.emplace_back("pair");
  const Array<std::complex<float>> parts_last = in_order(array, axes, with_pairs);
  std::vector<Index> extents(parts_last.shape().begin(), parts_last.shape().end() - 1);
  Array<std::complex<float>> result(Shape(extents.data(), static_cast<int>(extents.size())));
  for (Index i = 0; i < result.size(); ++i)
    result[i] = {parts_last[2 * i].real(), parts_last[2 * i + 1].real()};
  axes = order;
  return result;
}

/// Coordinates of a .cfl file, which holds complex numbers, and the names of their axes.
std::pair<Array<double>, Names> read_bart_coordinates(const std::string& path) {
  auto [complex, axes] = read_bart(path, bart_trajectory);
  if (!is_real(complex))
    throw input_error("the trajectory {} is complex; expected real numbers", path).about("trajectory");
  Array<double> array(complex.shape());
  std::transform(complex.begin(), complex.end(), array.begin(),
                 [](const auto& value) { return value.real(); });
  return {std::move(array), axes};
}

/// True if kx, ky(, kz) are the last axis; otherwise they are the first.
bool coordinates_come_last(const std::string& path, const Shape& shape) {
  const int rank = shape.rank();
  const auto coordinates = [&](int axis) { return shape[axis] == 2 || shape[axis] == 3; };
  const bool last = rank > 0 && coordinates(rank - 1);
  if (rank < 2 || (!last && !coordinates(0)))
    throw input_error("the trajectory {} has the shape {}; expected kx, ky(, kz) as its last or first axis",
                      path, shape.to_string())
        .about("trajectory");
  return last;
}

/// [.., dims] without a third coordinate that is zero everywhere.
Array<double> without_flat_axis(Array<double> array) {
  const int last = array.shape().rank() - 1;
  bool flat = array.shape()[last] == 3;
  for (Index i = 2; i < array.size() && flat; i += 3) flat = array[i] == 0;
  if (!flat) return array;
  std::vector<Index> extents(array.shape().begin(), array.shape().end());
  extents.back() = 2;
  Array<double> plane(Shape(extents.data(), static_cast<int>(extents.size())));
  for (Index i = 0; i < plane.size(); ++i) plane[i] = array[i / 2 * 3 + i % 2];
  return plane;
}

}  // namespace

KspaceArray kspace_of_array(Array<std::complex<float>> array, std::vector<std::string> axes,
                            const std::string& source) {
  if (axes.empty()) axes = default_axes(source, array);
  KspaceArray kspace;
  for (std::string& name : axes) {
    kspace.cartesian = kspace.cartesian || name == "lines";
    if (name == "lines" || name == "spokes") name = "readouts";
  }
  check_axes(source, axes, array.shape());
  if (std::find(axes.begin(), axes.end(), "pair") != axes.end()) array = without_pairs(source, array, axes);
  kspace.samples = in_order(array, axes, kspace_axes);
  kspace.axes = std::move(axes);
  return kspace;
}

KspaceArray read_kspace(const std::string& path, const std::vector<std::string>& given,
                        bool with_trajectory) {
  if (!given.empty() || !path.ends_with(".cfl")) return kspace_of_array(read_array(path), given, path);
  const bool lines = read_cfl_dimensions(path).front() > 1;
  auto [array, axes] = lines ? read_bart(path, bart_lines) : read_bart(path, bart_spokes);
  if (with_trajectory)
    std::replace(axes.begin(), axes.end(), Names::value_type("lines"), Names::value_type("readouts"));
  return kspace_of_array(std::move(array), std::move(axes), path);
}

namespace {

// array: with these axes; otherwise it does not fit.
Array<double> fitted_trajectory(const KspaceArray& kspace, Array<double> array, const Names& axes,
                                const std::string& source) {
  const Shape& wanted = kspace.samples.shape();  // frames, slices, partitions, coils, readouts, samples
  const Shape shape = array.shape();
  if (static_cast<int>(axes.size()) == shape.rank()) array = in_order(array, axes, trajectory_axes);
  bool fits = array.shape().rank() == 6 && array.shape()[3] == wanted[4] && array.shape()[4] == wanted[5] &&
              (array.shape()[5] == 2 || array.shape()[5] == 3);
  for (int axis = 0; axis < 3 && fits; ++axis)
    fits = array.shape()[axis] == 1 || array.shape()[axis] == wanted[axis];
  if (!fits)
    throw input_error(
        "the trajectory {} has the shape {}, but k-space has {} readouts of {} samples in {} frames, {} "
        "slices and {} partitions",
        source, shape.to_string(), wanted[4], wanted[5], wanted[0], wanted[1], wanted[2])
        .about("trajectory");
  return without_flat_axis(std::move(array));
}

}  // namespace

Array<double> trajectory_of_array(const KspaceArray& kspace, Array<double> array, const std::string& source) {
  const Shape& wanted = kspace.samples.shape();
  const int rank = array.shape().rank();
  const bool last = coordinates_come_last(source, array.shape());
  Names others = kspace.axes;
  std::erase(others, "coils");
  std::vector<Index> extents;
  if (rank == 2) {  // all samples, one after the other
    Names most = others;
    for (const char* shared : {"", "partitions", "slices", "frames"}) {
      std::erase(most, shared);
      extents.clear();
      Index all = 1;
      for (const std::string& name : most) {
        const auto at = std::find(kspace_axes.begin(), kspace_axes.end(), name) - kspace_axes.begin();
        extents.push_back(wanted[static_cast<int>(at)]);
        all *= extents.back();
      }
      if (all == array.shape()[last ? 0 : 1]) break;
      extents.clear();
    }
    others = most;
    if (!extents.empty()) {
      extents.insert(last ? extents.end() : extents.begin(), array.shape()[last ? 1 : 0]);
      array = reshaped(array, extents);
    }
  }
  for (const char* shared : {"frames", "slices", "partitions"})
    if (static_cast<int>(others.size()) >= array.shape().rank()) std::erase(others, shared);
  others.insert(last ? others.end() : others.begin(), "dims");
  return fitted_trajectory(kspace, std::move(array), others, source);
}

Array<double> read_trajectory_of(const KspaceArray& kspace, const std::string& path) {
  if (!path.ends_with(".cfl")) return trajectory_of_array(kspace, read_array<double>(path), path);
  auto [array, axes] = read_bart_coordinates(path);
  return fitted_trajectory(kspace, std::move(array), axes, path);
}

Array<double> read_trajectory_alone(const std::string& path) {
  Array<double> array;
  Names axes;
  if (path.ends_with(".cfl")) {
    std::tie(array, axes) = read_bart_coordinates(path);
  } else {
    array = read_array<double>(path);
    const bool last = coordinates_come_last(path, array.shape());
    axes = {"frames", "readouts", "samples"};
    const int others = array.shape().rank() - 1;
    if (others > 3)
      throw input_error(
          "the trajectory {} has the shape {}; expected [(frames,) (readouts,) samples, 2 or 3]", path,
          array.shape().to_string())
          .about("trajectory");
    axes.erase(axes.begin(), axes.end() - others);
    axes.insert(last ? axes.end() : axes.begin(), "dims");
  }
  return without_flat_axis(in_order(array, axes, trajectory_axes));
}

}  // namespace larmor
