#include <larmor/core/data/imaging_flags.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/ismrmrd/slices_by_place.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace larmor {
namespace {

constexpr std::size_t most_places = 256;  // for one image; more are motion
constexpr Index most_number = 65535;      // that a header's counter holds

using Step = std::tuple<int, int, int, int>;

struct PlaceOfSlice {
  ReadoutHeader first;
  std::vector<std::size_t> readouts;
  std::multiset<Step> steps;
};

bool same_place(const ReadoutHeader& a, const ReadoutHeader& b) {
  constexpr float millimetres = 0.5F, direction = 1e-2F;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (std::abs(a.position[axis] - b.position[axis]) > millimetres ||
        std::abs(a.read_dir[axis] - b.read_dir[axis]) > direction ||
        std::abs(a.phase_dir[axis] - b.phase_dir[axis]) > direction ||
        std::abs(a.slice_dir[axis] - b.slice_dir[axis]) > direction)
      return false;
  return true;
}

// Positions of the readouts of one image, in the order of the file; nothing if there are too many.
std::vector<PlaceOfSlice> places_of(const Scan& scan, const std::vector<std::size_t>& readouts) {
  std::vector<PlaceOfSlice> places;
  std::size_t last = 0;
  for (const std::size_t index : readouts) {
    const ReadoutHeader& header = scan.readouts[index].header;
    if (places.empty() || !same_place(places[last].first, header)) {
      last = 0;
      while (last < places.size() && !same_place(places[last].first, header)) ++last;
      if (last == most_places) return {};
      if (last == places.size()) places.push_back({header, {}, {}});
    }
    places[last].readouts.push_back(index);
    places[last].steps.insert({header.encode_step_1, header.encode_step_2, header.average, header.segment});
  }
  return places;
}

bool are_slices(const std::vector<PlaceOfSlice>& places) {
  std::set<Step> seen;
  for (const PlaceOfSlice& place : places) {
    bool repeats = seen.empty();
    for (const Step& step : place.steps) repeats = repeats || seen.contains(step);
    if (!repeats || place.readouts.size() < 2) return false;
    seen.insert(place.steps.begin(), place.steps.end());
  }
  return !places.empty();
}

}  // namespace

void number_slices_by_place(Scan& scan) {
  std::map<ImageCounters, std::vector<std::size_t>> images;
  std::set<Index> used;
  for (std::size_t index = 0; index < scan.readouts.size(); ++index) {
    const ReadoutHeader& header = scan.readouts[index].header;
    if (header.samples == 0 || never_imaging(header)) continue;
    images[header.counters].push_back(index);
    used.insert(header.counters.slice);
  }
  // The number after the largest one, or the smallest that is free.
  const auto new_number = [&] {
    Index number = used.empty() ? 0 : *used.rbegin() + 1;
    if (number > most_number)
      for (number = 0; used.contains(number);) ++number;
    used.insert(number);
    return number;
  };
  struct Slice {
    ReadoutHeader first;
    Index number;
  };
  std::vector<Slice> slices;  // the same in all images
  const auto number_of = [&](const ReadoutHeader& header) {
    return std::find_if(slices.begin(), slices.end(), [&](const Slice& slice) {
      return slice.first.counters.slice == header.counters.slice && same_place(slice.first, header);
    });
  };
  std::size_t moving = 0;
  for (const auto& [image, readouts] : images) {
    const std::vector<PlaceOfSlice> places = places_of(scan, readouts);
    if (places.size() == 1) continue;
    if (!are_slices(places)) {
      ++moving;
      continue;
    }
    for (const PlaceOfSlice& place : places) {
      if (number_of(place.first) != slices.end()) continue;
      const bool keeps =
          std::none_of(slices.begin(), slices.end(),
                       [number = image.slice](const Slice& slice) { return slice.number == number; });
      slices.push_back({place.first, keeps ? Index{image.slice} : new_number()});
    }
  }
  if (moving > 0)
    scan.warnings.push_back(
        fmt::format("the readouts of {} of {} images have several positions but are combined: each image has "
                    "the position of its first readout",
                    moving, images.size()));
  if (slices.empty()) return;
  for (Readout& readout : scan.readouts)
    if (const auto slice = number_of(readout.header); slice != slices.end())
      readout.header.counters.slice = static_cast<std::uint16_t>(slice->number);
  scan.notes.push_back(fmt::format(
      "{} slices with equal counters are distinguished by their positions and directions", slices.size()));
}

}  // namespace larmor
