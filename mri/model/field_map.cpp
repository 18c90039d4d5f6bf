#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/mri/model/field_map.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace LARMOR_API larmor {
namespace {

// A map on the solve grid; an empty map stays empty.
Array<float> on_grid(View<const float> map, const Shape& shape, std::optional<float> outside) {
  return map.size() > 0 ? extended<float>(map, shape, outside) : Array<float>{};
}

// Masked maps hold NaN where they are unknown. Values without weight are arbitrary, such as 0.
Array<float> without_unknown(View<const float> map, View<const float> weight) {
  if (map.size() == 0) return {};
  Array<float> known = clone(map);
  for (Index p = 0; p < known.size() && weight.size() > 0; ++p)
    if (weight[p] == 0 && !std::isfinite(known[p])) known[p] = 0;
  return known;
}

}  // namespace

FieldMap FieldArrays::view() const {
  return {frequency, decay, weight};
}

FieldArrays field_on_solve_grid(const FieldMap& given, const Grids& grids, Index slices, Index position) {
  const Shape recon = grids.recon_shape(), solve = grids.solve_shape();
  const auto fits = [&](const Shape& shape) { return shape == recon || shape == solve; };
  FieldMap slice = given;
  Shape pixels = given.frequency.shape();
  if (pixels.rank() == recon.rank() + 1 && pixels[0] == slices) {
    pixels = pixels.drop_front(1);
    slice.frequency = given.frequency.slice(position);
    if (given.decay.size() == given.frequency.size()) slice.decay = given.decay.slice(position);
    if (given.weight.size() == given.frequency.size()) slice.weight = given.weight.slice(position);
  }
  if (!fits(pixels))
    throw input_error("field map of shape {}, expected {} as the image{}",
                      given.frequency.shape().to_string(), recon.to_string(),
                      slices > 1 ? fmt::format(", or one for each of {} slices", slices) : "");
  for (const auto& [name, map] :
       {std::pair("R2* map", slice.decay), std::pair("weight of the field map", slice.weight)})
    if (map.size() > 0 && !(map.shape() == pixels))
      throw input_error("{} of shape {}, but the field map has {}", name, map.shape().to_string(),
                        pixels.to_string());
  require_comparable("weight of the field map", slice.weight);
  FieldArrays result;
  result.frequency = on_grid(without_unknown(slice.frequency, slice.weight), solve, {});
  result.decay = on_grid(without_unknown(slice.decay, slice.weight), solve, {});
  if (slice.weight.size() > 0)
    result.weight = on_grid(slice.weight, solve, 0.0F);
  else if (!(pixels == solve))
    result.weight = on_grid(filled<float>(pixels, 1), solve, 0.0F);
  return result;
}

template <typename T>
FieldArrays masked(FieldArrays field, View<const std::complex<T>> maps) {
  const Index pixels = field.frequency.size(), channels = maps.size() / pixels;
  auto weight = field.weight.empty() ? filled<float>(field.frequency.shape(), 1) : clone(field.weight);
  for (Index p = 0; p < pixels; ++p) {
    bool inside = false;
    for (Index c = 0; c < channels && !inside; ++c) inside = maps[c * pixels + p] != std::complex<T>(0);
    if (!inside) weight[p] = 0;
  }
  if (std::any_of(weight.begin(), weight.end(), [](float w) { return w > 0; }))
    field.weight = std::move(weight);
  return field;
}

template FieldArrays masked<float>(FieldArrays, View<const std::complex<float>>);
template FieldArrays masked<double>(FieldArrays, View<const std::complex<double>>);

}  // namespace larmor
