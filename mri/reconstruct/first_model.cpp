#include <larmor/mri/reconstruct/first_model.hpp>

#include <algorithm>

namespace LARMOR_API larmor {
namespace {

// Enough for a picture of a few hundred pixels.
constexpr Index most_readouts = 200, most_points = 12000;

std::vector<std::vector<Vec3>> thinned(const PreparedImage& image) {
  const Index dims = image.trajectory.shape()[1];
  const auto count = static_cast<Index>(image.readout_starts.size()) - 1;
  const Index step = (count + most_readouts - 1) / most_readouts;
  std::vector<std::vector<Vec3>> readouts;
  for (Index i = 0; i < count; i += step) {
    const Index begin = image.readout_starts[static_cast<std::size_t>(i)],
                end = image.readout_starts[static_cast<std::size_t>(i) + 1];
    const Index stride = (image.trajectory.shape()[0] / step + most_points - 1) / most_points;
    std::vector<Vec3> points;
    for (Index sample = begin; sample < end; sample += std::max<Index>(stride, 1)) {
      Vec3 k{0, 0, 0};
      std::copy_n(image.trajectory.data() + sample * dims, dims, k.begin());
      points.push_back(k);
    }
    readouts.push_back(std::move(points));
  }
  return readouts;
}

}  // namespace

template <typename T>
FirstModel first_model(const PreparedImage& image, const CoilMaps<T>* maps) {
  FirstModel model;
  model.readouts = thinned(image);
  model.all_readouts = static_cast<Index>(image.readout_starts.size()) - 1;
  if (maps == nullptr) return model;
  const auto all = maps->maps();
  const Shape grid = all.shape().drop_front(1);
  const bool volume = grid.rank() > 2;
  const Shape plane = volume ? grid.drop_front(1) : grid;
  for (Index coil = 0; coil < all.shape()[0]; ++coil) {
    const auto map = all.slice(coil);
    const auto middle = copied_to(Device::cpu(), volume ? map.slice(grid[0] / 2) : map);
    Image picture;
    picture.pixels = Array<std::complex<float>>(plane.prepend(1));
    std::transform(middle.begin(), middle.end(), picture.pixels.begin(),
                   [](const auto& value) { return std::complex<float>(value); });
    model.maps.images.push_back(std::move(picture));
  }
  return model;
}

template FirstModel first_model(const PreparedImage&, const CoilMaps<float>*);
template FirstModel first_model(const PreparedImage&, const CoilMaps<double>*);

}  // namespace larmor
