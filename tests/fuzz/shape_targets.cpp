#include "fuzz/memory_file.hpp"
#include "fuzz/targets.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/apps/output/page.hpp>
#include <larmor/core/error.hpp>
#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/scan_arrays/kspace_array.hpp>
#include <larmor/io/scan_arrays/scan_of_arrays.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace larmor::test::fuzz {
namespace {

// Shapes that a format cannot hold are refused as wrong options are.
bool refused_or_written(const std::function<void()>& write) {
  return refused_or_read([&] {
    try {
      write();
    } catch (const Error& error) {
      if (error.error_class() != ErrorClass::usage) throw;
      throw Error(ErrorClass::input, error.what());
    }
  });
}

template <typename T>
Array<T> npy_of(Bytes bytes) {
  MemoryStream file(bytes);
  return read_npy<T>(file, bytes.size(), "file");
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

bool read_scan_arrays_bytes(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos || bytes.size() < end + 3) return false;
  const std::vector<std::string> axes = words_of(text.substr(0, end));
  const std::size_t length = bytes[end + 1] + std::size_t{256} * bytes[end + 2];
  const Bytes files = bytes.subspan(end + 3);
  const Bytes first = files.first(std::min(length, files.size()));
  const Bytes second = files.subspan(first.size());
  return refused_or_written([&] {
    const KspaceArray kspace = kspace_of_array(npy_of<std::complex<float>>(first), axes, "k-space");
    const Array<double> trajectory =
        second.empty() ? Array<double>() : trajectory_of_array(kspace, npy_of<double>(second), "trajectory");
    const Scan scan = scan_of_arrays(kspace, trajectory.view(), {.matrix = {8, 8, 1}}, "arrays");
    const ScanPlan plan = plan_scan(scan, {});
    if (!plan.images.empty()) (void)load_trajectory(plan, 0);
  });
}

bool write_shape_bytes(Bytes bytes) {
  static const TemporaryFolder folder;
  constexpr std::array endings{".nii", ".nii.gz", ".npy", ".cfl", ".png", ".html"};
  if (bytes.empty()) return false;
  const std::string ending = endings[bytes[0] % endings.size()];
  const bool volumes = bytes[0] / endings.size() % 2 != 0;
  return refused_or_written([&] {
    StoredImages stored;
    stored.pixels = npy_of<std::complex<float>>(bytes.subspan(1));
    const Index size = stored.pixels.size();
    ImageSeries series = series_of(std::move(stored), "file");
    // The images of a reconstruction may be complex, and volumes in one array of several coils.
    if (volumes) series.kind = ImageKind::complex;
    Index written = 0;
    for (const Image& image : series.images) written += image.pixels.size();
    if (written != size) std::abort();
    if (ending == ".html")
      (void)app::image_viewer(series);
    else
      (void)write_images(folder / ("image" + ending), series, {.overwrite = true, .sidecar = volumes});
  });
}

}  // namespace larmor::test::fuzz
