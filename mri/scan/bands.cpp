#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/mri/scan/bands.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor {
namespace {

using Complex = std::complex<double>;

// The largest number of images that a transform can mix (BasisNufft::most_coefficients).
constexpr Index most_bands = 64;

// Factors given for one image are used for all images, by the position of a readout within its image.
Array<Complex> given_factors(const Scan& scan, const std::vector<std::size_t>& imaging,
                             View<const Complex> given, Index bands) {
  const Shape& shape = given.shape();
  const auto readouts = static_cast<Index>(imaging.size());
  std::map<ImageCounters, Index> sizes;
  for (const std::size_t index : imaging) ++sizes[scan.readouts[index].header.counters];
  const Index first = sizes.begin()->second;
  const bool equal =
      std::all_of(sizes.begin(), sizes.end(), [&](const auto& size) { return size.second == first; });
  const Index rows = shape.rank() == 2 ? shape[0] : 0;
  if (shape.rank() != 2 || shape[1] != bands || (rows != readouts && !(equal && rows == first)))
    throw input_error(
        "phases of shape {} for {} bands, expected [{}, {}], a row for each imaging readout{}",
        shape.to_string(), bands, readouts, bands,
        equal && first != readouts ? fmt::format(", or [{}, {}] for one image", first, bands) : "")
        .about("band_phases");
  require_representable<Complex>("phases of bands", given);
  Array<Complex> factors({readouts, bands});
  std::map<ImageCounters, Index> places;
  for (Index r = 0; r < readouts; ++r) {
    const ImageCounters& counters = scan.readouts[imaging[static_cast<std::size_t>(r)]].header.counters;
    const Index row = rows == readouts ? r : places[counters]++;
    for (Index b = 0; b < bands; ++b) {
      factors[r * bands + b] = given[row * bands + b];
    }
  }
  return factors;
}

// exp(−2πi b n / period), where n is the counter `name` of each readout.
template <typename Number>
Array<Complex> stepped_factors(const Scan& scan, const std::vector<std::size_t>& imaging, Index bands,
                               double period, const char* name, const Number& number) {
  Array<Complex> factors({static_cast<Index>(imaging.size()), bands});
  for (Index i = 0; i < factors.size(); ++i) {
    const double steps =
        static_cast<double>(number(scan.readouts[imaging[static_cast<std::size_t>(i / bands)]].header));
    const double cycles = static_cast<double>(i % bands) * steps / period;
    factors[i] = std::polar(1.0, -2 * std::numbers::pi * std::remainder(cycles, 1.0));
  }
  bool equal = true;
  for (Index i = bands; i < factors.size(); ++i)
    equal = equal && std::abs(factors[i] - factors[i % bands]) < 1e-6;
  if (equal)
    throw input_error("by {} all readouts have the same phases of bands; give the phases", name)
        .about("band_phases");
  return factors;
}

}  // namespace

SharedArray<std::complex<double>> band_factors(View<const double> radians) {
  for (const double phase : radians)
    if (!(std::abs(phase) <= most_magnitude))
      throw input_error("phases of bands: {} among them, expected finite numbers up to {:g}", phase,
                        most_magnitude)
          .about("band_phases");
  Array<Complex> factors(radians.shape());
  std::transform(radians.begin(), radians.end(), factors.begin(),
                 [](double phase) { return std::polar(1.0, phase); });
  return factors;
}

ImageGeometry BandPlan::geometry(ImageGeometry of_group, Index band) const {
  for (std::size_t axis = 0; axis < 3; ++axis)
    of_group.position[axis] += static_cast<double>(band) * distance_mm * of_group.slice_dir[axis];
  return of_group;
}

BandPlan plan_bands(const Scan& scan, const Encoding& encoding, const std::vector<std::size_t>& imaging,
                    const BandOptions& options) {
  BandPlan plan;
  const bool phases = options.caipi != 0 || !options.factors.empty();
  plan.count = options.count > 0 ? options.count : encoding.multiband;
  if (plan.count == 1 && phases)
    throw usage_error("phases of bands are given, but the header names no bands: give their number")
        .about("bands");
  if (plan.count == 1) return plan;
  if (plan.count > most_bands)
    throw usage_error("{} bands, expected at most {}", plan.count, most_bands).about("bands");
  if (options.caipi != 0 && !options.factors.empty())
    throw usage_error("phases of bands are given twice").about("band_phases");
  plan.distance_mm = options.distance_mm != 0 ? options.distance_mm : encoding.band_distance_mm;
  const auto step_2 = [](const ReadoutHeader& header) { return header.encode_step_2; };
  const auto header = [&](std::size_t index) -> const ReadoutHeader& { return scan.readouts[index].header; };
  for (const std::size_t index : imaging)
    plan.groups = std::max<Index>(plan.groups, header(index).counters.slice + 1);
  if (!options.factors.empty()) {
    plan.factors = given_factors(scan, imaging, options.factors, plan.count);
  } else if (options.caipi != 0) {
    plan.factors = stepped_factors(scan, imaging, plan.count, options.caipi, "kspace_encode_step_1",
                                   [](const ReadoutHeader& one) { return one.encode_step_1; });
  } else if (std::any_of(imaging.begin(), imaging.end(),
                         [&](std::size_t i) { return step_2(header(i)) != 0; })) {
    plan.factors = stepped_factors(scan, imaging, plan.count, static_cast<double>(plan.count),
                                   "kspace_encode_step_2", step_2);
  } else {
    throw usage_error(
        "{} slices were excited together, but their phases are not known: give them (caipi:N for bands that "
        "are displaced by 1/N of the field of view, or an array [readouts, bands])",
        plan.count)
        .about("band_phases");
  }
  return plan;
}

}  // namespace larmor
