#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/ismrmrd/readout_record.hpp>
#include <larmor/io/ismrmrd/scan_builder.hpp>
#include <larmor/io/ismrmrd/slices_by_place.hpp>
#include <larmor/io/ismrmrd/xml.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>

namespace larmor::ismrmrd {
namespace {

using hdf5::AcquisitionHeaderRecord;

constexpr double buffers_bytes = 32e6;  // for buffered data
constexpr int most_channels = 1024;     // limit of ISMRMRD's channel mask

std::size_t data_values(const ReadoutHeader& header) {
  return std::size_t{header.samples} * header.active_channels;
}
std::size_t trajectory_values(const ReadoutHeader& header) {
  return std::size_t{header.samples} * header.trajectory_dimensions;
}

Error ends_before(const std::string& source, std::size_t row) {
  return input_error("{}: the file ends before acquisition {}; did it change while it was read?", source,
                     row);
}

}  // namespace

ScanBuilder::ScanBuilder(std::string source, const IsmrmrdReadOptions& options)
    : options_(options), limit_(options.memory_limit > 0 ? options.memory_limit : available_memory_bytes()) {
  scan_.source = std::move(source);
}

void ScanBuilder::require_order(bool in_order) const {
  if (!in_order) throw input_error("{}: its acquisitions arrived out of order", scan_.source);
}

void ScanBuilder::require_memory(double bytes) const {
  if (bytes > static_cast<double>(limit_))
    throw resource_error(
        "{}: {} acquisitions need {}, but {} may be used; allow more memory or check the file's headers",
        scan_.source, rows_, format_bytes(static_cast<std::size_t>(std::min(bytes, 1e18))),
        format_bytes(limit_))
        .about("memory");
}

void ScanBuilder::begin(const std::string& xml, std::uint64_t rows) {
  require_order(!begun_);
  begun_ = true;
  rows_ = rows;
  read_ismrmrd_xml(xml, scan_);
  require_memory(static_cast<double>(rows) * sizeof(Readout));
}

void ScanBuilder::headers(std::uint64_t first, std::span<const AcquisitionHeaderRecord> records) {
  require_order(begun_ && first == scan_.readouts.size() && records.size() <= rows_ - first);
  if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed))
    throw Error(ErrorClass::cancelled, "interrupted");
  try {
    if (first == 0) scan_.readouts.reserve(rows_);
    for (const AcquisitionHeaderRecord& record : records) scan_.readouts.push_back({to_header(record), 0, 0});
    if (scan_.readouts.size() == rows_) {
      check_headers();
      number_slices_by_place(scan_);
    }
  } catch (const std::bad_alloc&) {
    throw resource_error("{}: not enough memory to read {} acquisitions", scan_.source, rows_);
  } catch (const std::length_error&) {
    throw resource_error("{}: not enough memory to read {} acquisitions", scan_.source, rows_);
  }
}

// Sums the memory, and refuses headers that no data could satisfy.
void ScanBuilder::check_headers() {
  bytes_ = static_cast<double>(rows_) * sizeof(Readout) + buffers_bytes;
  for (std::size_t i = 0; i < scan_.readouts.size(); ++i) {
    const ReadoutHeader& header = scan_.readouts[i].header;
    if (header.active_channels > most_channels)
      throw input_error("{}: the header of acquisition {} says {} channels; ISMRMRD has at most {}",
                        scan_.source, i, header.active_channels, most_channels);
    bytes_ += static_cast<double>(data_values(header) * sizeof(std::complex<float>)) +
              static_cast<double>(trajectory_values(header) * sizeof(float));
  }
  require_memory(bytes_);
  std::size_t samples = 0, coordinates = 0;
  for (const Readout& readout : scan_.readouts) {
    samples += data_values(readout.header);
    coordinates += trajectory_values(readout.header);
  }
  // Reserved memory is touched only when values arrive, so that false headers cost nothing.
  scan_.data.reserve(samples);
  scan_.trajectory.reserve(coordinates);
}

void ScanBuilder::values(std::uint64_t first, std::span<const RowLengths> lengths, const Fill& fill) {
  std::size_t count = 0;
  for (const RowLengths& row : lengths) count += row.trajectory + row.data;
  buffer_.resize(count);
  fill(buffer_);
  values(first, lengths, buffer_);
}

void ScanBuilder::require_values_in_order(std::uint64_t first, std::size_t rows) const {
  require_order(begun_ && scan_.readouts.size() == rows_ && first == rows_done_ &&
                rows <= rows_ - rows_done_);
  if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed))
    throw Error(ErrorClass::cancelled, "interrupted");
}

void ScanBuilder::values(std::uint64_t first, std::span<const RowLengths> lengths,
                         std::span<const float> numbers) {
  require_values_in_order(first, lengths.size());
  for (const RowLengths& row : lengths) {
    const auto trajectory = numbers.first(row.trajectory);
    const auto data = numbers.subspan(row.trajectory, row.data);
    numbers = numbers.subspan(row.trajectory + row.data);
    const auto index = static_cast<std::size_t>(rows_done_++);
    place(index, row);
    const auto* samples = reinterpret_cast<const std::complex<float>*>(data.data());
    if (!data.empty()) scan_.data.insert(scan_.data.end(), samples, samples + data.size() / 2);
    scan_.trajectory.insert(scan_.trajectory.end(), trajectory.begin(), trajectory.end());
  }
}

// Small scans are read faster by one thread.
Context& ScanBuilder::workers() {
  if (options_.workers != nullptr) return *options_.workers;
  constexpr double worth_threads = buffers_bytes + 1e6;
  if (!workers_) workers_.emplace(Device::cpu(), ContextOptions{.threads = bytes_ < worth_threads ? 1 : 0});
  return *workers_;
}

void ScanBuilder::fetch(std::uint64_t first, std::span<const RowPlaces> rows, const ReadAt& read_at) {
  require_values_in_order(first, rows.size());
  std::size_t samples = scan_.data.size(), coordinates = scan_.trajectory.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Readout& readout = scan_.readouts[static_cast<std::size_t>(first) + i];
    place(static_cast<std::size_t>(first) + i, rows[i].lengths);
    readout.data_offset = samples;
    readout.trajectory_offset = coordinates;
    samples += data_values(readout.header);
    coordinates += trajectory_values(readout.header);
  }
  scan_.data.resize(samples);
  scan_.trajectory.resize(coordinates);
  std::vector<char> ended(rows.size(), 0);
  const auto trajectory_of = [&](const Readout& readout) {
    return std::span(scan_.trajectory.data() + readout.trajectory_offset, trajectory_values(readout.header));
  };
  const auto data_of = [&](const Readout& readout) {
    return std::span(reinterpret_cast<float*>(scan_.data.data() + readout.data_offset),
                     2 * data_values(readout.header));
  };
  parallel_for(workers(), static_cast<Index>(rows.size()), 4, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      const RowPlaces& row = rows[static_cast<std::size_t>(i)];
      const Readout& readout = scan_.readouts[static_cast<std::size_t>(first) + static_cast<std::size_t>(i)];
      const auto trajectory = trajectory_of(readout), data = data_of(readout);
      ended[static_cast<std::size_t>(i)] = !read_at(row.trajectory_at, std::as_writable_bytes(trajectory)) ||
                                           !read_at(row.data_at, std::as_writable_bytes(data));
    }
  });
  for (std::size_t i = 0; i < rows.size(); ++i, ++rows_done_)
    if (ended[i] != 0) throw ends_before(scan_.source, static_cast<std::size_t>(rows_done_));
}

void ScanBuilder::waveform(const hdf5::WaveformHeaderRecord& head, std::span<const std::uint32_t> values) {
  require_values_in_order(rows_, 0);
  require_memory(bytes_ += static_cast<double>(sizeof(Waveform) + values.size_bytes()));
  scan_.waveforms.push_back({head.waveform_id,
                             head.channels,
                             head.time_stamp,
                             head.sample_time_us,
                             {values.begin(), values.end()}});
}

Scan ScanBuilder::finish() {
  require_order(begun_ && rows_done_ == rows_);
  return std::move(scan_);
}

// Checks that the next row has as many numbers as its header states, and finds their destination.
void ScanBuilder::place(std::size_t row, const RowLengths& lengths) {
  Readout& readout = scan_.readouts[row];
  ReadoutHeader& header = readout.header;
  if (lengths.data != 2 * data_values(header))
    throw input_error(
        "{}: acquisition {}: the header says {} samples x {} channels = {} complex values, the file holds "
        "{}",
        scan_.source, row, header.samples, header.active_channels, data_values(header),
        lengths.data % 2 == 0 ? fmt::format("{}", lengths.data / 2) : fmt::format("{} floats", lengths.data));
  if (lengths.trajectory == 0 && trajectory_values(header) > 0) {
    if (!options_.external_trajectory)
      throw input_error("{}: acquisition {} declares a trajectory of {} dimensions but stores none; give one",
                        scan_.source, row, header.trajectory_dimensions)
          .about("trajectory");
    header.trajectory_dimensions = 0;
  }
  if (lengths.trajectory != trajectory_values(header))
    throw input_error(
        "{}: acquisition {}: the header says a trajectory of {} samples x {} dimensions = {} values, the "
        "file holds {}",
        scan_.source, row, header.samples, header.trajectory_dimensions, trajectory_values(header),
        lengths.trajectory);
  readout.data_offset = scan_.data.size();
  readout.trajectory_offset = scan_.trajectory.size();
}

}  // namespace larmor::ismrmrd
