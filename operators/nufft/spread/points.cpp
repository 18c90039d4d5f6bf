#include <larmor/core/context.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/spread/points.hpp>

#include <algorithm>
#include <type_traits>

namespace LARMOR_API larmor {
namespace nufft {

template <typename T>
Points<T>::Points(View<const double> rows, double scale)
    : shape_(rows.shape()), device_(rows.device()), coordinates_{rows.data(), {}, scale} {
  if (shape_.rank() != 2)
    throw usage_error("Nufft: points of shape {}, expected [samples, dims]", shape_.to_string());
}

template <typename T>
Points<T>::Points(const std::array<const T*, 3>& columns, Index count, int dims, double scale)
    : shape_{count, dims}, coordinates_{nullptr, {columns[0], columns[1], columns[2]}, scale} {
  // A single column of doubles is also a row layout.
  if constexpr (std::is_same_v<T, double>)
    if (dims == 1) coordinates_.rows = columns[0];
}

template <typename T>
double Points<T>::coordinate(Index point, int axis) const {
  const Coordinates<T>& c = coordinates_;
  return c.scale * (c.rows ? c.rows[point * dims() + axis] : static_cast<double>(c.columns[axis][point]));
}

template <typename T>
View<const double> Points<T>::in_rows(Array<double>& made, Context& ctx) const {
  if (coordinates_.rows && coordinates_.scale == 1) return {coordinates_.rows, shape_, device_};
  made = Array<double>(shape_);
  // All axes of a few points at a time, while their rows are in the cache.
  constexpr Index together = 1 << 10;
  parallel_for(ctx, count(), 1 << 12, [&](Index first, Index last, int /*thread*/) {
    for (Index begin = first; begin < last; begin += together)
      for (int axis = 0; axis < dims(); ++axis)
        for (Index j = begin; j < std::min(last, begin + together); ++j)
          made[j * dims() + axis] = coordinate(j, axis);
  });
  return made;
}

template class Points<float>;
template class Points<double>;

}  // namespace nufft
}  // namespace larmor
