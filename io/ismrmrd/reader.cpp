#include <larmor/core/data/imaging_flags.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/planner.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/hdf5/vlen_guard.hpp>
#include <larmor/io/ismrmrd/groups.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/types.hpp>
#include <larmor/io/ismrmrd/xml.hpp>

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

namespace larmor {
namespace {

using hdf5::AcquisitionHeaderRecord;
using hdf5::AcquisitionRecord;
using hdf5::Handle;

constexpr hsize_t most_rows_a_block = 1024;
constexpr std::size_t block_bytes = std::size_t{16} << 20;
constexpr std::size_t most_text_bytes = std::size_t{1} << 28;
constexpr int most_channels = 1024;  // what ISMRMRD's channel mask has room for

// Memory for the sequences of one block. HDF5 asks for it by the lengths that the file claims.
class SequencePool {
 public:
  explicit SequencePool(std::size_t limit) : limit_(limit) {}
  static void* allocate(std::size_t bytes, void* pool) {
    return static_cast<SequencePool*>(pool)->take(bytes);
  }
  static void release(void*, void*) {}  // clear() frees everything at once
  void clear() {
    pieces_.clear();
    used_ = 0;
  }

 private:
  void* take(std::size_t bytes) noexcept {
    if (bytes > limit_ - used_) return nullptr;
    try {
      pieces_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    } catch (const std::exception&) {
      return nullptr;
    }
    used_ += bytes;
    return pieces_.back().get();
  }

  std::size_t limit_, used_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> pieces_;
};

std::string read_text_dataset(hid_t file, const std::string& path, const std::string& dataset_path) {
  const Handle dataset(H5Dopen2(file, dataset_path.c_str(), H5P_DEFAULT));
  const Handle type(dataset.valid() ? H5Dget_type(dataset) : -1);
  const Handle space(dataset.valid() ? H5Dget_space(dataset) : -1);
  const auto unreadable = [&](const std::string& reason) {
    return input_error("{}: cannot read the XML header {}: {}", path, printable(dataset_path), reason);
  };
  if (!type.valid() || !space.valid()) throw unreadable(hdf5::last_reason());
  if (H5Tget_class(type) != H5T_STRING || !hdf5::sound_type(type)) throw unreadable("it is not text");
  const hssize_t elements = H5Sget_simple_extent_npoints(space);
  if (elements < 1) throw unreadable("it is empty");
  if (elements > 1) throw unreadable(fmt::format("it has {} elements, expected one", elements));

  // The library wants the character set of memory and file to be the same.
  const Handle memory(H5Tcopy(H5T_C_S1));
  H5Tset_cset(memory, H5Tget_cset(type));
  std::string text;
  if (H5Tis_variable_str(type) > 0) {
    hdf5::VlenGuard guard(file, dataset_path, dataset, {});
    if (guard.first_damaged(0, 1)) throw unreadable(guard.reason());
    H5Tset_size(memory, H5T_VARIABLE);
    char* characters = nullptr;
    if (H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, &characters) < 0)
      throw unreadable(hdf5::last_reason());
    if (characters != nullptr) text = characters;
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, &characters);
  } else {
    const std::size_t bytes = H5Tget_size(type);
    if (bytes > most_text_bytes) throw unreadable(fmt::format("it has {} bytes", bytes));
    H5Tset_size(memory, bytes);
    H5Tset_strpad(memory, H5Tget_strpad(type));
    text.resize(bytes);
    if (H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0)
      throw unreadable(hdf5::last_reason());
  }
  // Fixed lengths are filled up with blanks or zeros; some writers count a closing zero.
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  if (trimmed(text).empty()) throw unreadable("it is empty");
  return text;
}

ReadoutHeader to_header(const AcquisitionHeaderRecord& record) {
  // The record is packed: its arrays may lie at any address.
  const auto copy = [&record](auto& to, std::size_t offset) {
    std::memcpy(to.data(), reinterpret_cast<const std::byte*>(&record) + offset, sizeof to);
  };
  ReadoutHeader header;
  header.version = record.version;
  header.flags = record.flags;
  header.measurement_uid = record.measurement_uid;
  header.scan_counter = record.scan_counter;
  header.acquisition_time_stamp = record.acquisition_time_stamp;
  copy(header.physiology_time_stamp, offsetof(AcquisitionHeaderRecord, physiology_time_stamp));
  header.samples = record.number_of_samples;
  header.available_channels = record.available_channels;
  header.active_channels = record.active_channels;
  header.discard_pre = record.discard_pre;
  header.discard_post = record.discard_post;
  header.center_sample = record.center_sample;
  header.encoding_space_ref = record.encoding_space_ref;
  header.trajectory_dimensions = record.trajectory_dimensions;
  header.sample_time_us = record.sample_time_us;
  copy(header.position, offsetof(AcquisitionHeaderRecord, position));
  copy(header.read_dir, offsetof(AcquisitionHeaderRecord, read_dir));
  copy(header.phase_dir, offsetof(AcquisitionHeaderRecord, phase_dir));
  copy(header.slice_dir, offsetof(AcquisitionHeaderRecord, slice_dir));
  copy(header.patient_table_position, offsetof(AcquisitionHeaderRecord, patient_table_position));
  header.encode_step_1 = record.idx.kspace_encode_step_1;
  header.encode_step_2 = record.idx.kspace_encode_step_2;
  header.average = record.idx.average;
  header.segment = record.idx.segment;
  header.counters = {record.idx.slice, record.idx.contrast, record.idx.phase, record.idx.repetition,
                     record.idx.set};
  return header;
}

std::size_t data_values(const ReadoutHeader& header) {
  return std::size_t{header.samples} * header.active_channels;
}
std::size_t trajectory_values(const ReadoutHeader& header) {
  return std::size_t{header.samples} * header.trajectory_dimensions;
}

// Reads the table of acquisitions in two passes: all headers, from which the memory is known, then
// trajectories and samples in blocks.
class AcquisitionTable {
 public:
  AcquisitionTable(hid_t file, const std::string& dataset_path, Scan& scan, const IsmrmrdReadOptions& options)
      : scan_(scan),
        options_(options),
        limit_(options.memory_limit > 0 ? options.memory_limit : available_memory_bytes()),
        dataset_(H5Dopen2(file, dataset_path.c_str(), H5P_DEFAULT)),
        guard_(file, dataset_path, dataset_, {"traj", "data"}) {
    const Handle space(H5Dget_space(dataset_));
    hsize_t extent = 0;
    const int rank = space.valid() ? H5Sget_simple_extent_ndims(space) : -1;
    if (rank != 1 || H5Sget_simple_extent_dims(space, &extent, nullptr) != 1)
      throw input_error("{}: the table of acquisitions has {} dimensions; expected 1", scan.source, rank);
    rows_ = extent;
    const Handle type(H5Dget_type(dataset_));
    if (!type.valid() || !hdf5::sound_type(type))
      throw input_error("{}: the type of the acquisitions is damaged", scan.source);
  }

  void read() {
    require_memory(static_cast<double>(rows_) * sizeof(Readout));
    try {
      read_headers();
      read_values();
    } catch (const std::bad_alloc&) {
      throw resource_error("{}: not enough memory to read {} acquisitions", scan_.source, rows_);
    } catch (const std::length_error&) {
      throw resource_error("{}: not enough memory to read {} acquisitions", scan_.source, rows_);
    }
  }

 private:
  Error cannot_read(hsize_t row, const std::string& reason) const {
    return input_error("{}: cannot read acquisition {} of {}: {}", scan_.source, row, rows_, reason);
  }

  void throw_if_cancelled() const {
    if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed))
      throw Error(ErrorClass::cancelled, "interrupted");
  }

  void require_memory(double bytes) const {
    if (bytes > static_cast<double>(limit_))
      throw resource_error(
          "{}: {} acquisitions need {}, but {} may be used; allow more memory or check the file's headers",
          scan_.source, rows_, format_bytes(static_cast<std::size_t>(std::min(bytes, 1e18))),
          format_bytes(limit_))
          .about("memory_limit");
  }

  // Why the library could not read the rows; nothing when it could. Asked at once: every call of the library,
  // also the closing of a handle, forgets the failure before.
  std::optional<std::string> read_rows(hsize_t first, hsize_t count, hid_t memory_type, void* rows,
                                       hid_t transfer = H5P_DEFAULT) {
    const Handle file_space(H5Dget_space(dataset_));
    const Handle memory_space(H5Screate_simple(1, &count, nullptr));
    if (H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &first, nullptr, &count, nullptr) < 0 ||
        H5Dread(dataset_, memory_type, memory_space, file_space, transfer, rows) < 0)
      return hdf5::last_reason();
    return std::nullopt;
  }

  void read_headers() {
    const Handle file_type(H5Dget_type(dataset_));
    const Handle file_head(
        H5Tget_member_type(file_type, static_cast<unsigned>(H5Tget_member_index(file_type, "head"))));
    if (H5Tget_class(file_head) != H5T_COMPOUND)
      throw input_error("{}: the column head is not a compound type; expected an ISMRMRD header",
                        scan_.source);
    for (const char* name : {"flags", "number_of_samples", "active_channels", "trajectory_dimensions", "idx"})
      if (H5Tget_member_index(file_head, name) < 0)
        throw input_error("{}: acquisition headers have no {}; expected ISMRMRD headers", scan_.source, name);
    const Handle wanted = hdf5::acquisition_header_type();
    const Handle head = hdf5::common_members(wanted, file_head);
    const Handle memory_type(H5Tcreate(H5T_COMPOUND, sizeof(AcquisitionHeaderRecord)));
    if (H5Tinsert(memory_type, "head", 0, head) < 0) throw internal_error("HDF5: {}", hdf5::last_reason());

    scan_.readouts.reserve(rows_);
    std::vector<AcquisitionHeaderRecord> block(std::min(rows_, most_rows_a_block));
    for (hsize_t first = 0; first < rows_; first += block.size()) {
      throw_if_cancelled();
      const hsize_t count = std::min<hsize_t>(block.size(), rows_ - first);
      std::fill(block.begin(), block.end(),
                AcquisitionHeaderRecord{});  // members that the file lacks stay zero
      if (const auto misplaced = guard_.first_misplaced(first, count))
        throw cannot_read(*misplaced, guard_.reason());
      if (read_rows(first, count, memory_type, block.data()))
        for (hsize_t row = 0; row < count; ++row)
          if (const auto reason = read_rows(first + row, 1, memory_type, &block[row]))
            throw cannot_read(first + row, *reason);
      for (hsize_t row = 0; row < count; ++row) scan_.readouts.push_back({to_header(block[row]), 0, 0});
    }
  }

  // Adds up the memory, and looks for headers that no data could satisfy.
  void check_headers() {
    double bytes = static_cast<double>(rows_) * sizeof(Readout);
    std::size_t channels = 0, first_imaging = 0;
    for (std::size_t i = 0; i < scan_.readouts.size(); ++i) {
      const ReadoutHeader& header = scan_.readouts[i].header;
      if (header.active_channels > most_channels)
        throw input_error("{}: the header of acquisition {} says {} channels; ISMRMRD has at most {}",
                          scan_.source, i, header.active_channels, most_channels);
      bytes += static_cast<double>(data_values(header) * sizeof(std::complex<float>)) +
               static_cast<double>(trajectory_values(header) * sizeof(float));
      if (never_imaging(header)) continue;
      if (header.encoding_space_ref >= scan_.encodings.size())
        throw input_error("{}: acquisition {} refers to encoding {}; the XML header has {}, counted from 0",
                          scan_.source, i, header.encoding_space_ref,
                          counted(static_cast<long long>(scan_.encodings.size()), "encoding"));
      if (channels == 0) {
        channels = header.active_channels;
        first_imaging = i;
      } else if (header.active_channels != channels && header.active_channels != 0) {
        throw input_error(
            "{}: acquisition {} has {}, acquisition {} has {}; imaging acquisitions must have the same "
            "channels",
            scan_.source, i, counted(header.active_channels, "channel"), first_imaging, channels);
      }
    }
    require_memory(bytes + 2.0 * block_bytes);
  }

  void read_values() {
    check_headers();
    std::size_t samples = 0, coordinates = 0;
    for (const Readout& readout : scan_.readouts) {
      samples += data_values(readout.header);
      coordinates += trajectory_values(readout.header);
    }
    // Reserved memory is touched only when the values arrive, so that headers that lie cost nothing.
    scan_.data.reserve(samples);
    scan_.trajectory.reserve(coordinates);

    SequencePool pool(limit_);
    const Handle transfer(H5Pcreate(H5P_DATASET_XFER));
    H5Pset_vlen_mem_manager(transfer, SequencePool::allocate, &pool, SequencePool::release, &pool);
    const Handle memory_type = sequence_type();
    std::vector<AcquisitionRecord> block;
    for (hsize_t first = 0; first < rows_;) {
      throw_if_cancelled();
      const hsize_t count = rows_in_block(first);
      if (const auto damaged = guard_.first_damaged(first, count))
        throw cannot_read(*damaged, guard_.reason());
      block.assign(count, AcquisitionRecord{});
      if (read_rows(first, count, memory_type, block.data(), transfer))
        find_unreadable(first, count, memory_type, transfer);
      for (hsize_t row = 0; row < count; ++row) append(first + row, block[row]);
      pool.clear();
      first += count;
    }
  }

  // Samples may be stored as floats in pairs, or as complex numbers; lengths count entries.
  Handle sequence_type() {
    const Handle file_type(H5Dget_type(dataset_));
    const Handle whole = hdf5::acquisition_type();
    Handle type(H5Tcreate(H5T_COMPOUND, sizeof(AcquisitionRecord)));
    for (const char* name : {"traj", "data"}) {
      const Handle member(
          H5Tget_member_type(file_type, static_cast<unsigned>(H5Tget_member_index(file_type, name))));
      const Handle base(H5Tget_class(member) == H5T_VLEN ? H5Tget_super(member) : -1);
      const H5T_class_t kind = base.valid() ? H5Tget_class(base) : H5T_NO_CLASS;
      const bool is_data = std::strcmp(name, "data") == 0;
      Handle memory_base(H5Tcopy(H5T_NATIVE_FLOAT));
      if (is_data && kind == H5T_COMPOUND && H5Tget_nmembers(base) == 2) {
        memory_base = Handle(H5Tcreate(H5T_COMPOUND, sizeof(std::complex<float>)));
        for (unsigned part = 0; part < 2; ++part) {
          char* part_name = H5Tget_member_name(base, part);
          H5Tinsert(memory_base, part_name, part * sizeof(float), H5T_NATIVE_FLOAT);
          H5free_memory(part_name);
        }
        floats_an_entry_ = 2;
      } else if (kind != H5T_FLOAT && kind != H5T_INTEGER) {
        throw input_error("{}: the column {} does not hold sequences of numbers; expected floats",
                          scan_.source, name);
      }
      const Handle sequence(H5Tvlen_create(memory_base));
      H5Tinsert(type, name, is_data ? offsetof(AcquisitionRecord, data) : offsetof(AcquisitionRecord, traj),
                sequence);
    }
    return type;
  }

  hsize_t rows_in_block(hsize_t first) const {
    std::size_t bytes = 0;
    hsize_t count = 0;
    while (first + count < rows_ && count < most_rows_a_block && (count == 0 || bytes < block_bytes)) {
      const ReadoutHeader& header = scan_.readouts[first + count].header;
      bytes += data_values(header) * sizeof(std::complex<float>) + trajectory_values(header) * sizeof(float);
      ++count;
    }
    return count;
  }

  // A block failed: one acquisition after the other shows which.
  void find_unreadable(hsize_t first, hsize_t count, hid_t memory_type, hid_t transfer) {
    for (hsize_t row = first; row < first + count; ++row) {
      AcquisitionRecord record{};
      if (const auto reason = read_rows(row, 1, memory_type, &record, transfer))
        throw cannot_read(row, *reason);
    }
    throw cannot_read(first, "its block cannot be read");
  }

  void append(hsize_t row, const AcquisitionRecord& record) {
    Readout& readout = scan_.readouts[row];
    ReadoutHeader& header = readout.header;
    const std::size_t floats = record.data.length * floats_an_entry_;
    if (floats != 2 * data_values(header))
      throw input_error(
          "{}: acquisition {}: the header says {} samples x {} channels = {} complex values, the file holds "
          "{}",
          scan_.source, row, header.samples, header.active_channels, data_values(header),
          floats % 2 == 0 ? fmt::format("{}", floats / 2) : fmt::format("{} floats", floats));
    if (record.traj.length == 0 && trajectory_values(header) > 0) {
      if (!options_.external_trajectory)
        throw input_error(
            "{}: acquisition {} declares a trajectory of {} dimensions and stores none; give one",
            scan_.source, row, header.trajectory_dimensions)
            .about("trajectory");
      header.trajectory_dimensions = 0;
    }
    if (record.traj.length != trajectory_values(header))
      throw input_error(
          "{}: acquisition {}: the header says a trajectory of {} samples x {} dimensions = {} values, the "
          "file holds {}",
          scan_.source, row, header.samples, header.trajectory_dimensions, trajectory_values(header),
          record.traj.length);
    readout.data_offset = scan_.data.size();
    readout.trajectory_offset = scan_.trajectory.size();
    const auto* values = static_cast<const std::complex<float>*>(record.data.values);
    const auto* coordinates = static_cast<const float*>(record.traj.values);
    if (floats > 0) scan_.data.insert(scan_.data.end(), values, values + floats / 2);
    if (record.traj.length > 0)
      scan_.trajectory.insert(scan_.trajectory.end(), coordinates, coordinates + record.traj.length);
    if (!never_imaging(header) || header.has(AcquisitionFlag::noise)) require_finite(row);
  }

  void require_finite(hsize_t row) const {
    const Readout& readout = scan_.readouts[row];
    const ReadoutHeader& header = readout.header;
    for (std::size_t i = 0; i < trajectory_values(header); ++i) {
      const float value = scan_.trajectory[readout.trajectory_offset + i];
      if (!std::isfinite(value))
        throw input_error(
            "{}: the trajectory of acquisition {} is {} at sample {}, dimension {}; expected finite numbers",
            scan_.source, row, value, i / header.trajectory_dimensions, i % header.trajectory_dimensions);
    }
    for (std::size_t i = 0; i < data_values(header); ++i) {
      const std::complex<float> value = scan_.data[readout.data_offset + i];
      if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
        throw input_error(
            "{}: the data of acquisition {} are {}{:+}i at channel {}, sample {}; expected finite numbers",
            scan_.source, row, value.real(), value.imag(), i / header.samples, i % header.samples);
    }
  }

  Scan& scan_;
  const IsmrmrdReadOptions& options_;
  std::size_t limit_;
  Handle dataset_;
  hdf5::VlenGuard guard_;
  hsize_t rows_ = 0;
  std::size_t floats_an_entry_ = 1;
};

}  // namespace

Scan read_ismrmrd(const std::string& path, const IsmrmrdReadOptions& options) {
  const hdf5::Silence silence;
  const Handle file = hdf5::open_file(path);
  const std::string group = hdf5::choose_group(file, path, options.group);
  const std::string xml = hdf5::child_path(group, "xml");
  if (!hdf5::has_dataset(file, xml))
    throw input_error("{}: no XML header: group \"{}\" has no dataset xml", path, printable(group));
  Scan scan;
  scan.source = path;
  read_ismrmrd_xml(read_text_dataset(file, path, xml), scan);
  AcquisitionTable(file, hdf5::child_path(group, "data"), scan, options).read();
  return scan;
}

}  // namespace larmor
