#include <larmor/core/format_error.hpp>
#include <larmor/operators/transforms/gradient.hpp>
#include <larmor/solvers/regularizers/proximal_maps.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>

namespace LARMOR_API larmor {
namespace {

// Groups of `components` values at each pixel of `image`, optionally joint over its slowest axis.
GroupLayout pixel_groups(const ImageLayout& image, Index components, bool joint) {
  const Index frames = joint ? image.frames() : 1;
  return {1, components * frames, image.shape.size() / frames};
}

}  // namespace

template <typename T>
Regularizer<T> total_variation(const ImageLayout& image, const TotalVariationOptions& options) {
  const Gradient<T> gradient(image.shape, last_axes(image.shape.rank(), image.space));
  GroupLayout groups = pixel_groups(image, image.space, options.joint);
  if (options.anisotropic) {
    groups.outer = image.space;
    groups.joint /= image.space;
  }
  return {.name = "tv",
          .lambda = options.lambda,
          .transform = gradient,
          .function = std::make_shared<const GroupNorm<T>>(groups),
          .transform_norm_squared = gradient.norm_squared()};
}

template <typename T>
Regularizer<T> temporal_total_variation(const ImageLayout& image, double lambda) {
  if (image.frames() < 2)
    throw usage_error("regularizer ttv: an image of shape {} has no frames; it needs a series of two or more",
                      image.shape.to_string());
  const Gradient<T> gradient(image.shape, {0});
  return {.name = "ttv",
          .lambda = lambda,
          .transform = gradient,
          .function = std::make_shared<const GroupNorm<T>>(gradient.codomain().size()),
          .transform_norm_squared = gradient.norm_squared()};
}

template <typename T>
Regularizer<T> total_generalised_variation(const ImageLayout& image,
                                           const TotalGeneralisedVariationOptions& options) {
  const Index d = image.space, components = d * (d + 1) / 2, size = image.shape.size();
  const TgvDifferences<T> differences(image.shape, last_axes(image.shape.rank(), image.space));
  const auto norm = [&](Index count) {
    return std::make_shared<const GroupNorm<T>>(pixel_groups(image, count, options.joint));
  };
  return {.name = "tgv",
          .lambda = options.lambda,
          .transform = differences,
          .function = std::make_shared<const SeparableSum<T>>(std::vector<typename SeparableSum<T>::Part>{
              {d * size, options.first, norm(d)}, {components * size, options.second, norm(components)}}),
          .transform_norm_squared = differences.norm_squared_bound(),
          .auxiliary = d * size};
}

#define LARMOR_INSTANTIATE(T)                                                                \
  template Regularizer<T> total_variation(const ImageLayout&, const TotalVariationOptions&); \
  template Regularizer<T> temporal_total_variation(const ImageLayout&, double);              \
  template Regularizer<T> total_generalised_variation(const ImageLayout&,                    \
                                                      const TotalGeneralisedVariationOptions&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
