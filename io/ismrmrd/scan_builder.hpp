#pragma once

#include <larmor/core/context.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/stored/sink.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

// Not part of the public interface.

namespace larmor::ismrmrd {

/// Fills memory with bytes of the file from an offset, called by several threads; false if the file ends
/// before.
using ReadAt = std::function<bool(std::uint64_t at, std::span<std::byte> to)>;

/// Assembles a scan from the content of a file, and refuses inconsistent data. Nothing is trusted, not even
/// the order of calls. Throws Error like read_ismrmrd().
class ScanBuilder : public AcquisitionSink {
 public:
  ScanBuilder(std::string source, const IsmrmrdReadOptions& options);

  void begin(const std::string& xml, std::uint64_t rows) override;
  void headers(std::uint64_t first, std::span<const hdf5::AcquisitionHeaderRecord> records) override;
  void values(std::uint64_t first, std::span<const RowLengths> lengths, const Fill& fill) override;
  /// The same, with the numbers in memory already.
  void values(std::uint64_t first, std::span<const RowLengths> lengths, std::span<const float> numbers);
  /// The same, with the numbers still in the file.
  void fetch(std::uint64_t first, std::span<const RowPlaces> rows, const ReadAt& read_at);
  void waveform(const hdf5::WaveformHeaderRecord& head, std::span<const std::uint32_t> values) override;
  /// The scan; all rows must have been received.
  Scan finish();

 private:
  void require_order(bool in_order) const;
  void require_memory(double bytes) const;
  void check_headers();
  void require_values_in_order(std::uint64_t first, std::size_t rows) const;
  void place(std::size_t row, const RowLengths& lengths);
  Context& workers();

  Scan scan_;
  IsmrmrdReadOptions options_;
  std::size_t limit_;
  double bytes_ = 0;  // of the scan
  std::uint64_t rows_ = 0, rows_done_ = 0;
  bool begun_ = false;
  std::vector<float> buffer_;
  std::optional<Context> workers_;
};

}  // namespace larmor::ismrmrd
