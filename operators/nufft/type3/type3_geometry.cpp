#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/nufft/type3/cuda/type3_kernels.hpp>
#include <larmor/operators/nufft/type3/type3_geometry.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace larmor::nufft {
namespace {

constexpr Index grain = 1 << 13;

// Boxes of parts of the points: all axes in one pass over the coordinates.
Array<CoordinateBox> boxes_of_parts(View<const double> coordinates, Context& ctx) {
  const Index count = coordinates.shape()[0], dims = coordinates.shape()[1];
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) {
      Array<CoordinateBox> parts({cuda::box_parts}, ctx.device());
      cuda::box_coordinates(coordinates.data(), count, static_cast<int>(dims), parts.data(), ctx.stream());
      return copied_to(Device::cpu(), parts);
    }
  Array<CoordinateBox> parts({(count + grain - 1) / grain});
  parallel_for(ctx, count, grain, [&](Index begin, Index end, int) {
    // Coordinates in their order in memory, several of each axis together.
    constexpr Index row = 12;
    std::array<double, row> low, high, zeros{};  // sums that stay 0 unless a coordinate is not finite
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    const auto widen_by = [&](const double* some, Index n) {
      for (Index i = 0; i < n; ++i) {
        low[i] = std::min(low[i], some[i]);
        high[i] = std::max(high[i], some[i]);
        zeros[i] += 0 * some[i];
      }
    };
    const double* values = coordinates.data();
    Index i = begin * dims;
    for (; i + row <= end * dims; i += row) widen_by(values + i, row);
    widen_by(values + i, end * dims - i);
    CoordinateBox box = CoordinateBox::empty();
    double sum = 0;
    for (Index lane = 0; lane < row; ++lane) {
      box.low[lane % dims] = std::min(box.low[lane % dims], low[lane]);
      box.high[lane % dims] = std::max(box.high[lane % dims], high[lane]);
      sum += zeros[lane];
    }
    for (Index j = begin * dims; j < end * dims && sum != 0; ++j)
      if (!std::isfinite(values[j])) {
        box.not_finite = j / dims;
        break;
      }
    parts[begin / grain] = box;
  });
  return parts;
}

}  // namespace

Extents extents(View<const double> coordinates, const char* what, Context& ctx) {
  const Index count = coordinates.shape()[0], dims = coordinates.shape()[1];
  if (count == 0) return {};
  CoordinateBox all = CoordinateBox::empty();
  for (const CoordinateBox& box : boxes_of_parts(coordinates, ctx)) all.widen(box);
  if (all.not_finite != CoordinateBox::none)
    throw input_error("Nufft3: {} {} is not finite", what, all.not_finite);
  Extents result;
  for (Index a = 0; a < dims; ++a) {
    const double centre = 0.5 * all.low[a] + 0.5 * all.high[a];
    const double half = std::max(all.high[a] - centre, centre - all.low[a]);
    // A slightly larger grid costs less than phases for a centre close to zero.
    if (std::abs(centre) <= 0.05 * half)
      result[a] = {0, half + std::abs(centre)};
    else
      result[a] = {centre, half};
  }
  return result;
}

namespace {

bool at_zero(const Extents& extents) {
  return std::all_of(extents.begin(), extents.end(), [](const Extent& e) { return e.centre == 0; });
}

}  // namespace

template <typename T>
PlacedPoints<T> place_points_of(const Type3Frame& frame, View<const double> points, Array<double> given,
                                Context& ctx) {
  const Index count = points.shape()[0];
  PlacedPoints<T> placed;
  placed.places = given.empty() ? Array<double>(points.shape(), ctx.device()) : std::move(given);
  if (!at_zero(frame.frequencies)) placed.factors = Array<std::complex<T>>({count}, ctx.device());
  PlacePoint<T> body{};
  body.dims = static_cast<int>(points.shape()[1]);
  body.points = points.data();
  body.places = placed.places.data();
  body.factors = complex_values(placed.factors.data());
  for (int a = 0; a < 3; ++a) {
    const double cells = static_cast<double>(frame.cells[a]);
    body.centre[a] = frame.points[a].centre;
    body.scale[a] = 1 / (frame.spacing[a] * cells);
    body.middle[a] = static_cast<double>(frame.cells[a] / 2) / cells;
    body.frequencies_centre[a] = frame.frequencies[a].centre;
  }
  for_each(ctx, count, body);
  return placed;
}

namespace {

template <typename T, int together>
PlaceFrequencies<T, together> frequencies_body(const Type3Frame& frame, const ChebyshevSeries& kernel,
                                               View<const double> frequencies, PlacedFrequencies<T>& placed) {
  PlaceFrequencies<T, together> body{};
  body.dims = static_cast<int>(frequencies.shape()[1]);
  body.count = frequencies.shape()[0];
  body.frequencies = frequencies.data();
  body.transform = kernel;
  body.places = placed.places.data();
  body.sizes = placed.sizes.data();
  body.factors = complex_values(placed.factors.data());
  for (int a = 0; a < 3; ++a) {
    body.centre[a] = frame.frequencies[a].centre;
    body.spacing[a] = frame.spacing[a];
    body.points_centre[a] = frame.points[a].centre;
  }
  return body;
}

}  // namespace

template <typename T>
PlacedFrequencies<T> place_frequencies_of(const Type3Frame& frame, const ChebyshevSeries& kernel,
                                          View<const double> frequencies, Array<double> given, Context& ctx) {
  const Index count = frequencies.shape()[0];
  PlacedFrequencies<T> placed;
  // Phases need the frequencies again, so their array cannot be reused.
  const bool phases = !at_zero(frame.points);
  placed.places =
      phases || given.empty() ? Array<double>(frequencies.shape(), ctx.device()) : std::move(given);
  if (!phases)
    placed.sizes = Array<T>({count}, ctx.device());
  else
    placed.factors = Array<std::complex<T>>({count}, ctx.device());
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) {
      larmor::cuda::for_each(frequencies_body<T, 1>(frame, kernel, frequencies, placed), count, ctx.stream());
      return placed;
    }
  constexpr Index together = 8;  // one or two vector registers
  const auto body = frequencies_body<T, together>(frame, kernel, frequencies, placed);
  parallel_for(ctx, (count + together - 1) / together, grain / together, [&](Index begin, Index end, int) {
    for (Index group = begin; group < end; ++group) body(group);
  });
  return placed;
}

template PlacedPoints<float> place_points_of(const Type3Frame&, View<const double>, Array<double>, Context&);
template PlacedPoints<double> place_points_of(const Type3Frame&, View<const double>, Array<double>, Context&);
template PlacedFrequencies<float> place_frequencies_of(const Type3Frame&, const ChebyshevSeries&,
                                                       View<const double>, Array<double>, Context&);
template PlacedFrequencies<double> place_frequencies_of(const Type3Frame&, const ChebyshevSeries&,
                                                        View<const double>, Array<double>, Context&);

}  // namespace larmor::nufft
