#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/hdf5/sequence_reader.hpp>
#include <larmor/io/ismrmrd/stored/acquisition_table.hpp>
#include <larmor/io/ismrmrd/stored/groups.hpp>
#include <larmor/io/ismrmrd/stored/header_text.hpp>
#include <larmor/io/ismrmrd/stored/types.hpp>

#include <hdf5.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <utility>

namespace larmor::ismrmrd {
namespace {

using hdf5::AcquisitionHeaderRecord;
using hdf5::ElementPlaces;
using hdf5::File;
using hdf5::Handle;
using hdf5::SequenceReader;
using hdf5::WaveformHeaderRecord;

constexpr std::uint64_t most_rows_a_block = 1024;
constexpr std::size_t block_bytes = std::size_t{8} << 20;

// A column of sequences of numbers.
struct Column {
  std::size_t offset = 0;  // in the row
  Handle entry, numbers;   // types in the file and in memory
  std::size_t entry_bytes = 0, numbers_an_entry = 1;
  bool converted = false;  // false: the file has numbers in the format of memory
};

// Rows of a header and sequences of numbers.
class StoredTable {
 public:
  std::uint64_t rows() const { return rows_; }

 protected:
  // `row`: the name of one in messages.
  StoredTable(const File& file, const std::string& path, std::string row)
      : StoredTable(file, hdf5::find_object(file, path), std::move(row)) {}

  StoredTable(const File& file, const hdf5::Found& found, std::string row)
      : file_(file),
        row_(std::move(row)),
        dataset_(hdf5::open_object(file, found.address)),
        type_(H5Dget_type(dataset_)),
        places_(file, found.address, dataset_, fmt::format("{}: the table of {}s", file.name(), row_)),
        sequences_(file) {
    const Handle space(H5Dget_space(dataset_));
    hsize_t extent = 0;
    const int rank = space.valid() ? H5Sget_simple_extent_ndims(space) : -1;
    if (rank != 1 || H5Sget_simple_extent_dims(space, &extent, nullptr) != 1)
      throw input_error("{}: the table of {}s has {} dimensions; expected 1", file.name(), row_, rank);
    rows_ = extent;
    if (!type_.valid() || !hdf5::sound_type(type_))
      throw input_error("{}: the type of the {}s is damaged", file.name(), row_);
  }

  void require_rows() const {
    if (rows_ > file_.size() / places_.element_bytes())
      throw input_error("{}: the table of {}s claims {} rows of {} bytes; the file has {} bytes",
                        file_.name(), row_, rows_, places_.element_bytes(), file_.size());
  }

  Error cannot_read(std::uint64_t row, const std::string& reason) const {
    return input_error("{}: cannot read {} {} of {}: {}", file_.name(), row_, row, rows_, reason);
  }

  // The bytes of a row; empty if it is not stored.
  std::span<const std::uint8_t> row_bytes(std::uint64_t row) {
    std::span<const std::uint8_t> bytes;
    if (!places_.find(row, bytes)) throw cannot_read(row, places_.reason());
    return bytes;
  }

  // Passes blocks of headers, [records from `first`], to `take`. Headers must have the `required` members.
  template <typename Record, typename Take>
  void read_heads(const Handle& wanted, std::initializer_list<const char*> required, const Take& take) {
    const auto member = static_cast<unsigned>(H5Tget_member_index(type_, "head"));
    const Handle stored(H5Tget_member_type(type_, member));
    if (H5Tget_class(stored) != H5T_COMPOUND)
      throw input_error("{}: the column head is not a compound type; expected an ISMRMRD header",
                        file_.name());
    for (const char* name : required)
      if (H5Tget_member_index(stored, name) < 0)
        throw input_error("{}: {} headers have no {}; expected ISMRMRD headers", file_.name(), row_, name);
    const Handle common = hdf5::common_members(wanted, stored);
    const bool same = H5Tequal(stored, wanted) > 0;
    const std::size_t offset = H5Tget_member_offset(type_, member), bytes = H5Tget_size(stored);

    std::vector<Record> block;
    std::vector<std::uint8_t> converted, background;
    for (std::uint64_t first = 0; first < rows_; first += block.size()) {
      block.assign(std::min(rows_ - first, most_rows_a_block), {});  // missing values stay zero
      for (std::uint64_t i = 0; i < block.size(); ++i) {
        const auto row = row_bytes(first + i);
        if (row.empty()) continue;
        if (same) {
          std::memcpy(&block[i], row.data() + offset, sizeof block[i]);
          continue;
        }
        converted.assign(row.data() + offset, row.data() + offset + bytes);
        converted.resize(std::max(bytes, sizeof block[i]));
        background.assign(converted.size(), 0);
        if (H5Tconvert(stored, common, 1, converted.data(), background.data(), H5P_DEFAULT) < 0)
          throw cannot_read(first + i, hdf5::last_reason());
        std::memcpy(&block[i], converted.data(), sizeof block[i]);
      }
      take(first, block);
    }
  }

  // `number`: the type in memory. With `pairs` the numbers may be stored as complex ones.
  Column column(const char* name, hid_t number, bool pairs = false) {
    const auto index = static_cast<unsigned>(H5Tget_member_index(type_, name));
    const Handle member(H5Tget_member_type(type_, index));
    Column result;
    result.offset = H5Tget_member_offset(type_, index);
    if (H5Tget_class(member) == H5T_VLEN) result.entry = Handle(H5Tget_super(member));
    const H5T_class_t kind = result.entry.valid() ? H5Tget_class(result.entry) : H5T_NO_CLASS;
    result.numbers = Handle(H5Tcopy(number));
    if (pairs && kind == H5T_COMPOUND && H5Tget_nmembers(result.entry) == 2) {
      result.numbers = hdf5::pair_of_floats(result.entry);
      result.numbers_an_entry = 2;
    } else if (kind != H5T_FLOAT && kind != H5T_INTEGER) {
      throw input_error("{}: the column {} does not hold sequences of numbers; expected floats", file_.name(),
                        name);
    }
    result.entry_bytes = H5Tget_size(result.entry);
    result.converted = H5Tequal(result.entry, result.numbers) <= 0;
    return result;
  }

  // Returns the number of numbers.
  template <typename T>
  std::size_t copy(const SequenceReader::Sequence& sequence, const Column& column, std::span<T> to) {
    const std::size_t count = sequence.length * column.numbers_an_entry;
    if (count == 0) return 0;
    const std::uint8_t* from = sequence.bytes.data();
    if (column.converted) {
      const std::size_t bytes = std::max(sequence.bytes.size(), count * sizeof(T));
      convertible_.resize(bytes);
      background_.assign(bytes, 0);
      std::memcpy(convertible_.data(), from, sequence.bytes.size());
      if (H5Tconvert(column.entry, column.numbers, sequence.length, convertible_.data(), background_.data(),
                     H5P_DEFAULT) < 0)
        throw input_error("{}: the {}s' numbers cannot be converted: {}", file_.name(), row_,
                          hdf5::last_reason());
      from = convertible_.data();
    }
    std::memcpy(to.data(), from, count * sizeof(T));
    return count;
  }

  const File& file_;
  std::string row_;
  Handle dataset_, type_;
  ElementPlaces places_;
  SequenceReader sequences_;
  std::uint64_t rows_ = 0;
  std::vector<std::uint8_t> convertible_, background_;
};

class AcquisitionTable : private StoredTable {
 public:
  AcquisitionTable(const File& file, const std::string& path) : StoredTable(file, path, "acquisition") {}

  using StoredTable::rows;
  void read(AcquisitionSink& sink) {
    require_rows();
    read_heads<AcquisitionHeaderRecord>(
        hdf5::acquisition_header_type(),
        {"flags", "number_of_samples", "active_channels", "trajectory_dimensions", "idx"},
        [&](std::uint64_t first, std::span<const AcquisitionHeaderRecord> heads) {
          sink.headers(first, heads);
        });
    read_values(sink);
  }

 private:
  struct RowValues {
    SequenceReader::Sequence trajectory, data;
  };

  RowValues row_values(std::uint64_t row, const Column& trajectory, const Column& data) {
    RowValues values;
    const auto bytes = row_bytes(row);
    if (!bytes.empty() &&
        (!sequences_.find(bytes.data() + trajectory.offset, trajectory.entry_bytes, values.trajectory) ||
         !sequences_.find(bytes.data() + data.offset, data.entry_bytes, values.data)))
      throw cannot_read(row, sequences_.reason());
    return values;
  }

  void read_values(AcquisitionSink& sink) {
    const Column trajectory = column("traj", H5T_NATIVE_FLOAT), data = column("data", H5T_NATIVE_FLOAT, true);
    if (sink.takes_places() && !trajectory.converted && !data.converted)
      return tell_places(trajectory, data, sink);
    std::vector<RowValues> block;
    std::vector<RowLengths> lengths;
    for (std::uint64_t first = 0; first < rows_; first += block.size()) {
      block.clear();
      lengths.clear();
      std::uint64_t bytes = 0;
      while (first + block.size() < rows_ && block.size() < most_rows_a_block && bytes < block_bytes) {
        const RowValues& row = block.emplace_back(row_values(first + block.size(), trajectory, data));
        lengths.push_back(
            {row.trajectory.length * trajectory.numbers_an_entry, row.data.length * data.numbers_an_entry});
        bytes += (lengths.back().trajectory + lengths.back().data) * sizeof(float);
      }
      sink.values(first, lengths, [&](std::span<float> numbers) {
        for (const RowValues& row : block) {
          numbers = numbers.subspan(copy(row.trajectory, trajectory, numbers));
          numbers = numbers.subspan(copy(row.data, data, numbers));
        }
      });
    }
  }

  void tell_places(const Column& trajectory, const Column& data, AcquisitionSink& sink) {
    std::vector<RowPlaces> block;
    const auto place_of = [&](const SequenceReader::Sequence& sequence) {
      return sequence.bytes.empty() ? 0 : file_.place_of(sequence.bytes);
    };
    for (std::uint64_t first = 0; first < rows_; first += block.size()) {
      block.clear();
      std::uint64_t bytes = 0;
      while (first + block.size() < rows_ && block.size() < most_rows_a_block && bytes < block_bytes) {
        const RowValues row = row_values(first + block.size(), trajectory, data);
        block.push_back(
            {place_of(row.trajectory),
             place_of(row.data),
             {row.trajectory.length * trajectory.numbers_an_entry, row.data.length * data.numbers_an_entry}});
        bytes += row.trajectory.bytes.size() + row.data.bytes.size();
      }
      sink.places(first, block);
    }
  }
};

class WaveformTable : private StoredTable {
 public:
  WaveformTable(const File& file, const std::string& path) : StoredTable(file, path, "waveform") {}

  void read(AcquisitionSink& sink) {
    require_rows();
    const Column data = column("data", H5T_NATIVE_UINT32);
    std::vector<std::uint32_t> values;
    read_heads<WaveformHeaderRecord>(
        hdf5::waveform_header_type(), {"time_stamp", "number_of_samples", "channels", "waveform_id"},
        [&](std::uint64_t row, std::span<const WaveformHeaderRecord> heads) {
          for (const WaveformHeaderRecord& head : heads) {
            SequenceReader::Sequence stored;
            const auto bytes = row_bytes(row);
            if (!bytes.empty() && !sequences_.find(bytes.data() + data.offset, data.entry_bytes, stored))
              throw cannot_read(row, sequences_.reason());
            if (stored.length != std::uint64_t{head.number_of_samples} * head.channels)
              throw cannot_read(row, fmt::format("the header says {} samples x {} channels, it has {} values",
                                                 head.number_of_samples, head.channels, stored.length));
            values.resize(stored.length);
            copy<std::uint32_t>(stored, data, values);
            sink.waveform(head, values);
            ++row;
          }
        });
  }
};

}  // namespace

void read_acquisitions(const File& file, const std::string& group, AcquisitionSink& sink) {
  const std::string chosen = hdf5::choose_group(file, group);
  const std::string xml = hdf5::child_path(chosen, "xml");
  if (!hdf5::has_dataset(file, xml))
    throw input_error("{}: no XML header: group \"{}\" has no dataset xml", file.name(), printable(chosen));
  const std::string text = read_header_text(file, xml);
  AcquisitionTable table(file, hdf5::child_path(chosen, "data"));
  sink.begin(text, table.rows());
  table.read(sink);
  const std::string waveforms = hdf5::child_path(chosen, "waveforms");
  if (hdf5::is_table(file, waveforms, {"head", "data"})) WaveformTable(file, waveforms).read(sink);
}

}  // namespace larmor::ismrmrd
