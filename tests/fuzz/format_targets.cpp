#include "fuzz/memory_file.hpp"
#include "fuzz/targets.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/apps/output/checkpoint.hpp>
#include <larmor/apps/serve/zfp_samples.hpp>
#include <larmor/core/error.hpp>
#include <larmor/io/arrays/cfl.hpp>
#include <larmor/io/arrays/matrix_market.hpp>
#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/images/nifti_reader.hpp>
#include <larmor/io/ismrmrd/xml.hpp>
#include <larmor/io/maps_file.hpp>
#include <larmor/io/mrd_stream/streamed_scan.hpp>
#include <larmor/io/pulseq/sequence_trajectory.hpp>
#include <larmor/io/wisdom_file.hpp>
#include <larmor/mri/scan/prepare.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <list>
#include <stdexcept>

namespace larmor::test::fuzz {
namespace {

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Files of our own formats: readers report errors by std::runtime_error.
bool refused_or_read_own(const std::function<void()>& read) {
  try {
    return refused_or_read([&] {
      try {
        read();
      } catch (const Error&) {
        throw;
      } catch (const std::runtime_error& error) {
        throw Error(ErrorClass::input, error.what());
      }
    });
  } catch (...) {
    std::abort();
  }
}

// Four spokes of eight samples.
Scan small_scan() {
  Scan scan;
  scan.source = "scan";
  Encoding encoding;
  encoding.encoded_matrix = encoding.recon_matrix = {8, 8, 1};
  encoding.encoded_fov_mm = encoding.recon_fov_mm = {80, 80, 5};
  encoding.has_recon_space = true;
  encoding.trajectory = "radial";
  scan.encodings.push_back(encoding);
  for (std::size_t spoke = 0; spoke < 4; ++spoke) {
    Readout readout;
    readout.header.samples = 8;
    readout.header.active_channels = readout.header.available_channels = 1;
    readout.data_offset = 8 * spoke;
    scan.readouts.push_back(readout);
  }
  scan.data.resize(32, {});
  return scan;
}

}  // namespace

bool read_npy_bytes(Bytes bytes) {
  return refused_or_read([&] {
    MemoryStream real(bytes);
    try {
      (void)read_npy<double>(real, bytes.size(), "file");
    } catch (const Error&) {
      MemoryStream complex(bytes);
      (void)read_npy<std::complex<float>>(complex, bytes.size(), "file");
    }
  });
}

bool read_cfl_bytes(Bytes bytes) {
  const std::size_t end = std::min(text_of(bytes).find('\0'), bytes.size());
  const Bytes rest = bytes.subspan(std::min(end + 1, bytes.size()));
  MemoryStream header(bytes.first(end)), data(rest);
  return refused_or_read([&] { (void)read_cfl(header, data, rest.size(), "file"); });
}

bool read_matrix_market_bytes(Bytes bytes) {
  return refused_or_read([&] { check_pattern(parse_matrix_market(text_of(bytes), "file"), "file"); });
}

bool read_nifti_bytes(Bytes bytes) {
  return refused_or_read([&] { (void)read_nifti(memory_file(bytes), "file"); });
}

bool read_maps_bytes(Bytes bytes) {
  static const TemporaryFolder folder;
  static const std::string array = folder / "maps.npy", image = folder / "maps.nii";
  static const bool there = [] {
    write_npy<std::complex<float>>(array, filled<std::complex<float>>({2, 3, 4}, 1).view(), true);
    return true;
  }();
  if (bytes.empty() || !there) return false;
  const bool beside = bytes[0] % 2 != 0;
  std::ofstream(beside ? maps_geometry_path(array) : image, std::ios::binary) << text_of(bytes.subspan(1));
  return refused_or_read([&] {
    for (const ImageGeometry& one : read_coil_maps(beside ? array : image).geometry)
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (one.matrix[axis] < 1 || !(one.fov_mm[axis] > 0)) std::abort();
  });
}

bool read_pulseq_bytes(Bytes bytes) {
  return refused_or_read([&] { (void)pulseq_trajectory(text_of(bytes), "file"); });
}

bool read_wisdom_bytes(Bytes bytes) {
  return refused_or_read_own([&] { (void)parse_wisdom(std::string(text_of(bytes))); });
}

bool read_checkpoint_bytes(Bytes bytes) {
  MemoryStream file(bytes);
  return refused_or_read_own([&] { (void)app::read_checkpoint(file, bytes.size()); });
}

bool read_xml_bytes(Bytes bytes) {
  Scan scan;
  scan.source = "scan";
  return refused_or_read([&] { read_ismrmrd_xml(std::string(text_of(bytes)), scan); });
}

bool read_trajectory_bytes(Bytes bytes) {
  static const Scan scan = small_scan();
  return refused_or_read([&] {
    MemoryStream file(bytes);
    Array<double> trajectory = read_npy<double>(file, bytes.size(), "file");
    PrepareOptions options;
    options.trajectory = std::move(trajectory);
    const ScanPlan plan = plan_scan(scan, options);
    (void)load_trajectory(plan, 0);
  });
}

bool read_stream_bytes(Bytes bytes) {
  return refused_or_read([&] {
    mrd::MessageReader reader(
        [&, at = std::size_t{0}](std::span<std::byte> to) mutable {
          const std::size_t now = std::min(to.size(), bytes.size() - at);
          if (now > 0) std::memcpy(to.data(), bytes.data() + at, now);
          at += now;
          return now;
        },
        1 << 20, app::zfp_samples());
    std::string xml;
    std::list<mrd::Acquisition> readouts;
    std::vector<const mrd::Acquisition*> all;
    while (std::optional<mrd::Message> message = reader.next())
      if (auto* header = std::get_if<mrd::Header>(&*message))
        xml = std::move(header->xml);
      else if (auto* readout = std::get_if<mrd::Acquisition>(&*message))
        all.push_back(&readouts.emplace_back(std::move(*readout)));
    (void)mrd::measurement_ids_of(xml);
    (void)mrd::scan_of(xml, all, "the stream", {.memory_limit = 1 << 26});
  });
}

}  // namespace larmor::test::fuzz
