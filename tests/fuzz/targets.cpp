#include "fuzz/targets.hpp"
#include "fuzz/mutations.hpp"

#include <larmor/core/error.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace larmor::test::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all{
      {"messages", read_message_bytes, mutate_messages},
      {"scan", read_scan_bytes, mutate_hdf5},
      {"images", read_image_bytes, mutate_hdf5},
      {"xml", read_xml_bytes},
      {"npy", read_npy_bytes},
      {"cfl", read_cfl_bytes},
      {"matrix_market", read_matrix_market_bytes},
      {"nifti", read_nifti_bytes},
      {"maps", read_maps_bytes},
      {"pulseq", read_pulseq_bytes},
      {"wisdom", read_wisdom_bytes, mutate_wisdom},
      {"checkpoint", read_checkpoint_bytes, mutate_checkpoint},
      {"trajectory", read_trajectory_bytes},
      {"stream", read_stream_bytes},
      {"config", read_config_bytes},
      {"recipe", read_recipe_bytes},
      {"scan_arrays", read_scan_arrays_bytes},
      {"shapes", write_shape_bytes},
  };
  return all;
}

const Target* find_target(std::string_view name) {
  const auto found = std::find_if(targets().begin(), targets().end(),
                                  [&](const Target& target) { return target.name == name; });
  return found == targets().end() ? nullptr : &*found;
}

bool refused_or_read(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    if (error.error_class() == ErrorClass::input || error.error_class() == ErrorClass::resource)
      if (std::strpbrk(error.what(), "\r\n") == nullptr) return false;
    std::fprintf(stderr, "an error of class %d: %s\n", error.exit_code(), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "another exception: %s\n", error.what());
  }
  std::abort();
}

}  // namespace larmor::test::fuzz
