#include <larmor/mri/scan/coordinates.hpp>

#include <algorithm>
#include <utility>

namespace larmor {
namespace {

bool same(const Array<double>& a, const Array<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Values spread over the trajectory, which distinguish it from most others.
std::vector<double> probes_of(const ImageCoordinates& image) {
  constexpr Index most = 64;
  const Index count = image.k.size();
  std::vector<double> probes{static_cast<double>(count)};
  for (Index i = 0; i < std::min(most, count); ++i)
    probes.push_back(image.k[i * count / std::min(most, count)]);
  return probes;
}

}  // namespace

bool ImageCoordinates::operator==(const ImageCoordinates& other) const {
  return first == other.first && inside == other.inside && same(k, other.k) && same(weights, other.weights) &&
         same(cycles, other.cycles);
}

std::size_t Coordinates::bytes() const {
  std::size_t sum = readouts_.capacity() * sizeof(readouts_[0]);
  for (const ImageCoordinates& image : trajectories_)
    sum += image.k.view().bytes() + image.weights.view().bytes() + image.cycles.view().bytes() +
           image.inside.size();
  for (const std::vector<double>& times : times_) sum += times.size() * sizeof(double);
  return sum;
}

void Coordinates::set_times(std::size_t readout, std::vector<double> times) {
  readouts_.at(readout).times = times_.emplace_back(std::move(times));
}

std::size_t Coordinates::add(const std::vector<std::size_t>& readouts, ImageCoordinates image) {
  std::vector<double> probes = probes_of(image);
  const auto [begin, end] = known_.equal_range(probes);
  const auto equal =
      std::find_if(begin, end, [&](const auto& known) { return trajectories_[known.second] == image; });
  const std::size_t number = equal == end ? trajectories_.size() : equal->second;
  if (equal == end) {
    known_.emplace(std::move(probes), number);
    trajectories_.push_back(std::move(image));
  }
  const ImageCoordinates& all = trajectories_[number];
  const auto dims = static_cast<std::size_t>(all.k.shape()[1]);
  for (std::size_t r = 0; r < readouts.size(); ++r) {
    const auto first = static_cast<std::size_t>(all.first[r]),
               count = static_cast<std::size_t>(all.first[r + 1]) - first;
    ReadoutCoordinates& one = readouts_.at(readouts[r]);
    one.k = {all.k.data() + first * dims, count * dims};
    if (!all.weights.empty()) one.weights = {all.weights.data() + first, count};
    if (!all.cycles.empty()) one.cycles = {all.cycles.data() + first, count};
    one.inside = {all.inside.data() + first, count};
    one.kept = all.kept[r];
  }
  return number;
}

}  // namespace larmor
