#pragma once

#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/stored/sink.hpp>

// No part of the public interface.

namespace larmor::ismrmrd {

/// Makes a scan of what a file stores, and refuses what contradicts itself. It trusts nothing, not even the
/// order of calls. Throws Error like read_ismrmrd().
class ScanBuilder : public AcquisitionSink {
 public:
  ScanBuilder(std::string source, const IsmrmrdReadOptions& options);

  void begin(const std::string& xml, std::uint64_t rows) override;
  void headers(std::uint64_t first, std::span<const hdf5::AcquisitionHeaderRecord> records) override;
  void values(std::uint64_t first, std::span<const RowLengths> lengths, const Fill& fill) override;
  /// The same, with the numbers there already.
  void values(std::uint64_t first, std::span<const RowLengths> lengths, std::span<const float> numbers);
  /// The scan; all rows must have been there.
  Scan finish();

 private:
  void require_order(bool in_order) const;
  void require_memory(double bytes) const;
  void check_headers();
  void append(std::size_t row, std::span<const float> trajectory, std::span<const float> data);
  void require_finite(std::size_t row) const;

  Scan scan_;
  IsmrmrdReadOptions options_;
  std::size_t limit_;
  std::uint64_t rows_ = 0, rows_done_ = 0;
  bool begun_ = false;
  std::vector<float> buffer_;
};

}  // namespace larmor::ismrmrd
