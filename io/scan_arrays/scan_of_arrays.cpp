#include <larmor/core/format_error.hpp>
#include <larmor/io/scan_arrays/scan_of_arrays.hpp>

#include <algorithm>

namespace larmor {
namespace {

constexpr Index largest_counter = 65535;  // of an ISMRMRD header

/// Extents of k-space by name.
struct Extents {
  explicit Extents(const Shape& shape)
      : frames(shape[0]),
        slices(shape[1]),
        partitions(shape[2]),
        coils(shape[3]),
        readouts(shape[4]),
        samples(shape[5]) {}
  Index frames, slices, partitions, coils, readouts, samples;
};

Encoding encoding_of(const KspaceArray& kspace, const Extents& n, bool generated, const ScanGrid& grid) {
  Encoding encoding;
  encoding.recon_matrix = grid.matrix;
  const Index partitions = grid.volume ? n.partitions : 1;
  if (kspace.cartesian && grid.matrix[0] == 0) encoding.recon_matrix = {n.samples, n.readouts, partitions};
  if (encoding.recon_matrix[0] == 0) throw usage_error("arrays need the matrix of the image").about("matrix");
  // For lines, and for generated spokes, the number of samples equals that of the image along the readout at
  // the same pixel size: a larger number is a larger field of view.
  encoding.encoded_matrix =
      kspace.cartesian ? std::array<Index, 3>{n.samples, n.readouts, partitions} : encoding.recon_matrix;
  for (std::size_t axis = 0; axis < 3; ++axis)
    encoding.recon_fov_mm[axis] =
        grid.fov_mm[axis] > 0 ? grid.fov_mm[axis] : static_cast<double>(encoding.recon_matrix[axis]);
  encoding.encoded_fov_mm = encoding.recon_fov_mm;
  if (generated) encoding.encoded_matrix[0] = std::max(n.samples, encoding.recon_matrix[0]);
  encoding.encoded_fov_mm[0] *=
      static_cast<double>(encoding.encoded_matrix[0]) / static_cast<double>(encoding.recon_matrix[0]);
  encoding.has_recon_space = true;
  encoding.fov_known = grid.fov_mm[0] > 0;
  encoding.trajectory = kspace.cartesian ? "cartesian" : "other";
  encoding.center_step_1 = static_cast<int>(kspace.cartesian ? n.readouts / 2 : 0);
  encoding.center_step_2 = static_cast<int>(partitions / 2);
  return encoding;
}

/// Cycles per encoded pixel of position i of n.
float on_grid(Index i, Index n) {
  return static_cast<float>(i - n / 2) / static_cast<float>(n);
}

/// One readout of the array.
struct Place {
  Index frame, slice, partition, readout;
  Place(Index i, const Extents& n)
      : frame(i / (n.readouts * n.partitions * n.slices)),
        slice(i / (n.readouts * n.partitions) % n.slices),
        partition(i / n.readouts % n.partitions),
        readout(i % n.readouts) {}
};

/// Slices lie side by side around the scanner's centre.
ReadoutHeader header_of(const Place& place, const Extents& n, double slice_mm) {
  ReadoutHeader header;
  header.position[2] = static_cast<float>(
      (static_cast<double>(place.slice) - static_cast<double>(n.slices - 1) / 2) * slice_mm);
  header.active_channels = header.available_channels = static_cast<std::uint16_t>(n.coils);
  header.center_sample = static_cast<std::uint16_t>(std::min(n.samples / 2, largest_counter));
  header.read_dir = {1, 0, 0};
  header.phase_dir = {0, 1, 0};
  header.slice_dir = {0, 0, 1};
  header.encode_step_1 = static_cast<std::uint16_t>(place.readout);
  header.encode_step_2 = static_cast<std::uint16_t>(place.partition);
  header.counters.slice = static_cast<std::uint16_t>(place.slice);
  header.counters.repetition = static_cast<std::uint16_t>(place.frame);
  return header;
}

/// [samples, dims] of a readout; nothing if the trajectory is to be generated.
std::vector<float> coordinates(const Place& place, const Extents& n, bool cartesian, bool volume,
                               View<const double> trajectory) {
  std::vector<float> k;
  if (cartesian) {
    for (Index j = 0; j < n.samples; ++j) {
      k.push_back(on_grid(j, n.samples));
      k.push_back(on_grid(place.readout, n.readouts));
      if (volume && n.partitions > 1) k.push_back(on_grid(place.partition, n.partitions));
    }
  } else if (trajectory.size() > 0) {
    const Shape& shape = trajectory.shape();
    const auto shared = [](Index i, Index extent) { return extent == 1 ? 0 : i; };
    const Index row = (shared(place.frame, shape[0]) * shape[1] + shared(place.slice, shape[1])) * shape[2] +
                      shared(place.partition, shape[2]);
    const Index count = n.samples * shape[5];
    const double* first = trajectory.data() + (row * n.readouts + place.readout) * count;
    k.assign(first, first + count);
  }
  return k;
}

}  // namespace

Scan scan_of_arrays(const KspaceArray& kspace, View<const double> trajectory, const ScanGrid& grid,
                    const std::string& source) {
  const Extents n(kspace.samples.shape());
  for (const Index extent : {n.frames, n.slices, n.partitions, n.coils, n.readouts})
    if (extent > largest_counter)
      throw input_error("{}: an axis of k-space has {} entries; a scan can have at most {}", source, extent,
                        largest_counter);
  Scan scan;
  scan.source = source;
  scan.place_known = false;
  scan.encodings.push_back(encoding_of(kspace, n, !kspace.cartesian && trajectory.size() == 0, grid));
  const double slice_mm = scan.encodings[0].encoded_fov_mm[2];
  scan.data.reserve(static_cast<std::size_t>(kspace.samples.size()));
  for (Index i = 0; i < n.frames * n.slices * n.partitions * n.readouts; ++i) {
    const Place place(i, n);
    const auto line = [&](Index coil) {
      return kspace.samples.data() +
             ((i / n.readouts * n.coils + coil) * n.readouts + place.readout) * n.samples;
    };
    bool measured = !kspace.cartesian;
    for (Index coil = 0; coil < n.coils && !measured; ++coil)
      measured = std::any_of(line(coil), line(coil) + n.samples, [](const auto& s) { return s != 0.0F; });
    if (!measured) continue;
    const std::vector<float> k = coordinates(place, n, kspace.cartesian, grid.volume, trajectory);
    const auto dims = static_cast<Index>(k.size()) / n.samples;
    // A readout too long for one record is continued in the next segment.
    for (Index begin = 0; begin < n.samples; begin += largest_counter) {
      const Index end = std::min(n.samples, begin + largest_counter);
      Readout readout{header_of(place, n, slice_mm), scan.data.size(), scan.trajectory.size()};
      readout.header.scan_counter = static_cast<std::uint32_t>(scan.readouts.size());
      readout.header.segment = static_cast<std::uint16_t>(begin / largest_counter);
      readout.header.samples = static_cast<std::uint16_t>(end - begin);
      readout.header.trajectory_dimensions = static_cast<std::uint16_t>(dims);
      for (Index coil = 0; coil < n.coils; ++coil)
        scan.data.insert(scan.data.end(), line(coil) + begin, line(coil) + end);
      scan.trajectory.insert(scan.trajectory.end(), k.begin() + begin * dims, k.begin() + end * dims);
      scan.readouts.push_back(readout);
    }
  }
  if (scan.readouts.empty()) throw input_error("{}: every sample is zero", source);
  return scan;
}

Scan scan_of_trajectory(View<const double> trajectory, const ScanGrid& grid, const std::string& source) {
  const Shape& shape = trajectory.shape();
  KspaceArray nothing;
  nothing.samples = filled<std::complex<float>>({shape[0], shape[1], shape[2], 1, shape[3], shape[4]}, 0);
  return scan_of_arrays(nothing, trajectory, grid, source);
}

}  // namespace larmor
