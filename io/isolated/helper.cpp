#include <larmor/core/format_error.hpp>
#include <larmor/io/files/beside_library.hpp>
#include <larmor/io/isolated/helper.hpp>

#include <filesystem>

namespace larmor::isolated {

std::string find_helper(const std::string& given) {
  namespace fs = std::filesystem;
  constexpr const char* helper_name = "larmor-read";
  std::error_code error;
  const fs::path found =
      given.empty() ? fs::path(find_beside_library(helper_name)) : fs::canonical(given, error);
  if (found.empty() || !fs::is_regular_file(found, error))
    throw resource_error(
        "the program {}, which reads files in a process of its own, is not there: expected {}; install "
        "Larmor anew, or name the program in the options of reading (helper)",
        helper_name, given.empty() ? (fs::path(LARMOR_LIBEXEC) / helper_name).string() : given);
  require_trusted(found.string());
  return found.string();
}

}  // namespace larmor::isolated
