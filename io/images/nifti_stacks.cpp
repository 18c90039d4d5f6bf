#include <larmor/core/data/geometry.hpp>
#include <larmor/core/error.hpp>
#include <larmor/io/images/nifti_stacks.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace larmor {
namespace {

constexpr double direction_tolerance = 1e-3;  // sines; headers hold floats of direction cosines
constexpr double spacing_tolerance = 0.01;    // of the slice distance

Vec3 minus(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Vec3 times(const Vec3& a, double factor) {
  return {a[0] * factor, a[1] * factor, a[2] * factor};
}
double length(const Vec3& a) {
  return std::sqrt(dot(a, a));
}

bool oriented(const ImageGeometry& g) {
  return g.orientation_known && orthonormal(g) && std::isfinite(length(g.position));
}

bool parallel(const ImageGeometry& a, const ImageGeometry& b) {
  return length(minus(a.read_dir, b.read_dir)) < direction_tolerance &&
         length(minus(a.phase_dir, b.phase_dir)) < direction_tolerance &&
         length(minus(a.slice_dir, b.slice_dir)) < direction_tolerance && a.matrix == b.matrix &&
         a.fov_mm == b.fov_mm;
}

// Columns cx, cy, cz and origin in LPS; diag(-1, -1, 1, 1) turns them to RAS.
Affine from_columns(const Vec3& x, const Vec3& y, const Vec3& z, const Vec3& origin) {
  Affine affine{};
  for (std::size_t row = 0; row < 3; ++row) {
    const double sign = row < 2 ? -1 : 1;
    affine[row] = {sign * x[row], sign * y[row], sign * z[row], sign * origin[row]};
  }
  affine[3] = {0, 0, 0, 1};
  return affine;
}

// Origin of a stack whose first slice has this geometry and whose slices are cz apart; for volumes the
// position is that of the middle slice.
Affine stack_affine(const ImageGeometry& first, const Vec3& cz) {
  const Vec3 cx = times(first.read_dir, voxel(first, 0)), cy = times(first.phase_dir, voxel(first, 1));
  Vec3 origin = minus(first.position, times(cx, static_cast<double>(first.matrix[0] / 2)));
  origin = minus(origin, times(cy, static_cast<double>(first.matrix[1] / 2)));
  if (first.matrix[2] > 1) origin = minus(origin, times(cz, static_cast<double>(first.matrix[2] / 2)));
  return from_columns(cx, cy, cz, origin);
}

using FrameKey = std::tuple<std::uint16_t, std::uint16_t, std::uint16_t>;  // contrast, phase, set
FrameKey other_counters(const ImageCounters& c) {
  return {c.contrast, c.phase, c.set};
}

// The images of a series as [repetition][other frame][slice], if every frame has the same slices once each.
struct FrameGrid {
  std::size_t repetitions = 0, other_frames = 0, slices = 0;
  std::vector<std::size_t> images;
  bool complete = false;
};

template <typename Key>
std::map<Key, std::size_t> numbered(std::map<Key, std::size_t> keys) {
  std::size_t next = 0;
  for (auto& [key, number] : keys) number = next++;
  return keys;
}

FrameGrid arrange(const ImageSeries& series) {
  std::map<std::uint16_t, std::size_t> repetitions, slices;
  std::map<FrameKey, std::size_t> others;
  for (const Image& image : series.images) {
    repetitions[image.counters.repetition] = 0;
    others[other_counters(image.counters)] = 0;
    slices[image.counters.slice] = 0;
  }
  repetitions = numbered(repetitions);
  others = numbered(others);
  slices = numbered(slices);
  FrameGrid grid{repetitions.size(), others.size(), slices.size(), {}, false};
  constexpr auto none = static_cast<std::size_t>(-1);
  // Sparse counters could give more entries than there are images, which is not a full grid either.
  if (static_cast<double>(repetitions.size()) * static_cast<double>(others.size()) *
          static_cast<double>(slices.size()) !=
      static_cast<double>(series.images.size()))
    return grid;
  grid.images.assign(series.images.size(), none);
  for (std::size_t i = 0; i < series.images.size(); ++i) {
    const ImageCounters& c = series.images[i].counters;
    std::size_t& place =
        grid.images[(repetitions[c.repetition] * others.size() + others[other_counters(c)]) * slices.size() +
                    slices[c.slice]];
    if (place != none) return grid;
    place = i;
  }
  grid.complete = true;
  // Frames of one slice must have the same position.
  for (std::size_t i = 0; i < grid.images.size(); ++i) {
    const ImageGeometry& here = series.images[grid.images[i]].geometry;
    const ImageGeometry& first = series.images[grid.images[i % grid.slices]].geometry;
    if (oriented(here) != oriented(first) || here.matrix != first.matrix ||
        (oriented(here) && (!parallel(here, first) || length(minus(here.position, first.position)) >
                                                          spacing_tolerance * voxel(first, 2))))
      grid.complete = false;
  }
  return grid;
}

Affine scaling(const Vec3& size) {
  return {{{size[0], 0, 0, 0}, {0, size[1], 0, 0}, {0, 0, size[2], 0}, {0, 0, 0, 1}}};
}

// One stack of the given slices (numbers within the grid), in the order given.
NiftiStack make_stack(const ImageSeries& series, const FrameGrid& grid,
                      const std::vector<std::size_t>& slices) {
  NiftiStack stack;
  stack.slices = slices.size();
  stack.repetitions = grid.repetitions;
  stack.other_frames = grid.other_frames;
  for (std::size_t frame = 0; frame < grid.repetitions * grid.other_frames; ++frame)
    for (const std::size_t slice : slices) stack.images.push_back(grid.images[frame * grid.slices + slice]);
  const ImageGeometry& first = series.images[stack.images.front()].geometry;
  const ImageGeometry& last = series.images[stack.images[slices.size() - 1]].geometry;
  stack.voxel_mm = {voxel(first, 0), voxel(first, 1), voxel(first, 2)};
  stack.oriented = oriented(first);
  if (!stack.oriented) {
    stack.affine = scaling(stack.voxel_mm);
    stack.warning = "where the image lies is not known: written without orientation";
    return stack;
  }
  Vec3 cz = times(first.slice_dir, stack.voxel_mm[2]);
  if (slices.size() > 1) {
    cz = times(minus(last.position, first.position), 1.0 / static_cast<double>(slices.size() - 1));
    stack.voxel_mm[2] = length(cz);
    stack.orthogonal =
        length(cz) - dot(cz, first.slice_dir) < direction_tolerance * direction_tolerance * length(cz);
  }
  stack.affine = stack_affine(first, cz);
  return stack;
}

// Slices ordered by position if they are parallel and evenly spaced; otherwise empty.
std::vector<std::size_t> even_order(const ImageSeries& series, const FrameGrid& grid) {
  const auto geometry = [&](std::size_t slice) -> const ImageGeometry& {
    return series.images[grid.images[slice]].geometry;
  };
  std::vector<std::size_t> order(grid.slices);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const ImageGeometry& reference = geometry(0);
  if (!oriented(reference)) {
    // Without positions only the counters are known.
    const bool alike = std::all_of(order.begin(), order.end(), [&](std::size_t i) {
      return !oriented(geometry(i)) && geometry(i).matrix == reference.matrix;
    });
    return alike ? order : std::vector<std::size_t>{};
  }
  for (const std::size_t i : order)
    if (!oriented(geometry(i)) || !parallel(geometry(i), reference)) return {};
  const auto along = [&](std::size_t i) { return dot(geometry(i).position, reference.slice_dir); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return along(a) < along(b); });
  const Vec3 first = geometry(order.front()).position;
  const Vec3 step =
      times(minus(geometry(order.back()).position, first), 1.0 / static_cast<double>(order.size() - 1));
  // Slices at the same position are not a stack.
  if (dot(step, reference.slice_dir) < 1e-3) return {};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Vec3 expected =
        minus(times(step, static_cast<double>(i)), minus(geometry(order[i]).position, first));
    if (length(expected) > spacing_tolerance * length(step)) return {};
  }
  return order;
}

std::vector<NiftiStack> split_grid(const ImageSeries& series, const FrameGrid& grid) {
  const bool volumes =
      series.images[grid.images.front()].pixels.shape()[series.images.front().pixels.shape().rank() - 3] > 1;
  if (!volumes && grid.slices > 1) {
    const std::vector<std::size_t> order = even_order(series, grid);
    if (!order.empty()) return {make_stack(series, grid, order)};
  }
  std::vector<NiftiStack> stacks;
  for (std::size_t slice = 0; slice < grid.slices; ++slice) {
    stacks.push_back(make_stack(series, grid, {slice}));
    if (grid.slices > 1 && stacks.back().warning.empty())
      stacks.back().warning = volumes ? "several slabs" : "the slices are not parallel and evenly spaced";
  }
  return stacks;
}

}  // namespace

std::vector<NiftiStack> nifti_stacks(const ImageSeries& series) {
  const FrameGrid grid = arrange(series);
  if (grid.complete) return split_grid(series, grid);
  // Every frame separately, with the slices that it has.
  using Frame = std::tuple<std::uint16_t, FrameKey>;
  std::map<Frame, std::vector<std::size_t>> frames;
  for (std::size_t i = 0; i < series.images.size(); ++i)
    frames[{series.images[i].counters.repetition, other_counters(series.images[i].counters)}].push_back(i);
  std::vector<NiftiStack> stacks;
  for (auto& [frame, images] : frames) {
    std::stable_sort(images.begin(), images.end(), [&](std::size_t a, std::size_t b) {
      return series.images[a].counters.slice < series.images[b].counters.slice;
    });
    for (NiftiStack& stack : split_grid(series, {1, 1, images.size(), images, true})) {
      if (stack.warning.empty()) stack.warning = "the frames have different slices";
      stacks.push_back(std::move(stack));
    }
  }
  return stacks;
}

}  // namespace larmor
