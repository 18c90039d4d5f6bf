#pragma once

#include <larmor/core/context.hpp>

namespace larmor {

/// Areas of the Voronoi cells of points [n, 2]. Points closer than `same` count as one and share its cell.
/// The outermost cells would be infinite: they end at the convex hull, each edge of which is moved outwards
/// by as much as the cells at its ends extend inwards, so that the outermost point of a line has a cell like
/// its inner neighbour. Gaps inside the hull belong to the points around them. Result [n]; its sum is the
/// area of the widened hull. Throws Error (input) if all points are on one line.
Array<double> voronoi_areas(View<const double> points, double same, Context& ctx);

}  // namespace larmor
