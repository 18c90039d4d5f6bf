#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/received.hpp>
#include <larmor/io/ismrmrd/scan_builder.hpp>
#include <larmor/io/isolated/reader_process.hpp>

namespace larmor {
Scan read_ismrmrd(const std::string& path, const IsmrmrdReadOptions& options) {
  ismrmrd::ScanBuilder builder(path, options);
  isolated::ReaderProcess process({isolated::Contents::acquisitions, path, options.group, options.helper},
                                  options.cancel);
  const std::uint64_t lacking = ismrmrd::receive_scan(
      [&] { return process.next(); },
      [&](std::uint64_t at, std::span<std::byte> to) { return process.read_file(at, to); }, path, builder);
  Scan scan = builder.finish();
  if (lacking != 0)
    scan.notes.push_back("the file was read in a separate process with limits, but this kernel lacks " +
                         isolated::describe_lacking(static_cast<std::uint32_t>(lacking)));
  return scan;
}

}  // namespace larmor
