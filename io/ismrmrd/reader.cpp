#include <larmor/core/format_error.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/scan_builder.hpp>
#include <larmor/io/ismrmrd/stored/acquisition_table.hpp>
#include <larmor/io/isolated/reader_process.hpp>

namespace larmor {
namespace {

using ismrmrd::ScanBuilder;

void read_here(const std::string& path, const IsmrmrdReadOptions& options, ScanBuilder& builder) {
  const Descriptor descriptor = open_to_read(path);
  const hdf5::Silence silence;
  const hdf5::File file(hdf5::MappedFile(descriptor.number(), path), path);
  ismrmrd::read_acquisitions(file, options.group, builder);
}

// Returns what the kernel lacks.
std::uint64_t read_isolated(const std::string& path, const IsmrmrdReadOptions& options,
                            ScanBuilder& builder) {
  isolated::ReaderProcess process({"acquisitions", path, options.group, options.helper}, options.cancel);
  std::uint64_t lacking = 0;
  for (;;) {
    const isolated::Message message = process.next();
    if (const auto* table = std::get_if<isolated::Table>(&message)) {
      lacking = table->lacking;
      builder.begin(std::string(table->xml), table->rows);
    } else if (const auto* headers = std::get_if<isolated::Headers>(&message)) {
      builder.headers(headers->first, headers->records);
    } else if (const auto* values = std::get_if<isolated::Values>(&message)) {
      builder.values(values->first, values->lengths, values->numbers);
    } else if (std::holds_alternative<isolated::Finished>(message)) {
      return lacking;
    } else {
      throw input_error("cannot read {}: images arrive in place of acquisitions", path);
    }
  }
}

}  // namespace

Scan read_ismrmrd(const std::string& path, const IsmrmrdReadOptions& options) {
  ScanBuilder builder(path, options);
  if (!options.isolated) {
    read_here(path, options, builder);
    return builder.finish();
  }
  const std::uint64_t lacking = read_isolated(path, options, builder);
  Scan scan = builder.finish();
  if (lacking != 0)
    scan.notes.push_back("the file was read in a process of its own, with limits, but this kernel lacks " +
                         isolated::describe_lacking(static_cast<std::uint32_t>(lacking)));
  return scan;
}

}  // namespace larmor
