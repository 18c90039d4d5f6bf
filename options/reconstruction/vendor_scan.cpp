#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/options/reconstruction/vendor_scan.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

namespace larmor::app {
namespace {

namespace fs = std::filesystem;

/// How a vendor's raw data are told from other files, and what converts them.
struct Converter {
  const char* vendor;
  const char* program;
  bool (*takes)(const fs::path& path);
  std::vector<std::string> (*arguments)(const fs::path& path, const std::string& output);
};

/// ISMRMRD may have any name.
bool is_hdf5(const fs::path& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::array<char, signature.size()> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) == signature;
}

bool ends(const fs::path& path, std::initializer_list<const char*> extensions) {
  const std::string own = lower_case(path.extension().string());
  return std::find(extensions.begin(), extensions.end(), own) != extensions.end() && !is_hdf5(path);
}

bool is_siemens(const fs::path& path) {
  return ends(path, {".dat"});
}
bool is_ge(const fs::path& path) {
  return ends(path, {".7"}) || path.filename().string().starts_with("ScanArchive_");
}
bool is_philips(const fs::path& path) {
  return ends(path, {".lab", ".raw", ".sin"});
}
/// A folder of one experiment, or the data in it.
bool is_bruker(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::is_directory(path, error) ? path : path.parent_path();
  const std::string name = path.filename().string();
  return (fs::is_directory(path, error) || name == "fid" || name == "rawdata.job0") &&
         fs::exists(folder / "acqp", error) && fs::exists(folder / "method", error);
}

/// What the user adds for converters, such as a style sheet: words between spaces.
std::vector<std::string> added_words() {
  const char* text = std::getenv("LARMOR_CONVERTER_OPTIONS");
  std::istringstream words(text == nullptr ? "" : text);
  return {std::istream_iterator<std::string>(words), {}};
}

/// How many measurements are in a file: since software VD it begins with 0 and their number, before that with
/// the size of its header.
std::uint32_t siemens_measurements(const fs::path& path) {
  std::array<std::uint32_t, 2> begin{1, 1};
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(begin.data()), sizeof begin);
  return begin[0] == 0 ? begin[1] : 1;
}

/// The last measurement is the scan; noise and adjustments that the scanner has put before it come first.
std::vector<std::string> last_measurement(const fs::path& path, const std::string& output) {
  std::vector<std::string> words{"-f", path.string(), "-o", output};
  const std::vector<std::string> added = added_words();
  const std::uint32_t measurements = siemens_measurements(path);
  if (measurements > 1 && std::find(added.begin(), added.end(), "-z") == added.end())
    words.insert(words.end(), {"-z", std::to_string(measurements)});
  return words;
}

std::vector<std::string> positional(const fs::path& path, const std::string& output) {
  return {"-o", output, path.string()};
}
std::vector<std::string> without_extension(const fs::path& path, const std::string& output) {
  return {"-f", fs::path(path).replace_extension().string(), "-o", output};
}
std::vector<std::string> folder(const fs::path& path, const std::string& output) {
  std::error_code error;
  return {"-f", (fs::is_directory(path, error) ? path : path.parent_path()).string(), "-o", output};
}

constexpr std::array converters{
    Converter{"Siemens", "siemens_to_ismrmrd", is_siemens, last_measurement},
    Converter{"GE", "ge_to_ismrmrd", is_ge, positional},
    Converter{"Philips", "philips_to_ismrmrd", is_philips, without_extension},
    Converter{"Bruker", "bruker_to_ismrmrd", is_bruker, folder},
};

/// A folder of this process alone, which goes when it is no longer needed.
class TemporaryPlace {
 public:
  TemporaryPlace() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "larmor-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr)
      throw resource_error("cannot make a temporary folder {}: {}", name, std::strerror(errno));
    path_ = name;
  }
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;
  ~TemporaryPlace() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// Starts a program of PATH and waits for it. Its words go to stderr, or nowhere. nullopt: there is none.
/// Where the user asks to stop it is ended.
std::optional<int> status_of(const char* program, const std::vector<std::string>& arguments, bool quiet,
                             const std::atomic<bool>* cancel) {
  std::vector<char*> words{const_cast<char*>(program)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (quiet) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = -1;
  const int error = posix_spawnp(&child, program, &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return std::nullopt;
  if (error != 0) throw resource_error("cannot start {}: {}", program, std::strerror(error));
  int status = 0;
  // Cancelled work has little time to take its files away.
  constexpr auto pause = std::chrono::milliseconds(10);
  for (pid_t ended = 0; ended != child; ended = waitpid(child, &status, WNOHANG)) {
    if (ended < 0 && errno != EINTR)
      throw resource_error("cannot wait for {}: {}", program, std::strerror(errno));
    if (cancel != nullptr && *cancel) {
      kill(child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
      throw Error(ErrorClass::cancelled, "interrupted");
    }
    std::this_thread::sleep_for(pause);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Scan read_any_scan(const std::string& path, const IsmrmrdReadOptions& options, bool quiet) {
  const auto* const converter = std::find_if(converters.begin(), converters.end(),
                                             [&](const Converter& each) { return each.takes(path); });
  std::error_code error;
  if (converter == converters.end() || !fs::exists(path, error)) return read_ismrmrd(path, options);
  const TemporaryPlace place;
  const std::string converted = place.file("scan.h5");
  std::vector<std::string> words = converter->arguments(path, converted);
  for (std::string& word : added_words()) words.push_back(std::move(word));
  const std::optional<int> status = status_of(converter->program, words, quiet, options.cancel);
  if (!status)
    throw input_error(
        "{} is raw data of {}: install {} so that it is found on PATH, or convert it to ISMRMRD (.h5)", path,
        converter->vendor, converter->program);
  if (*status != 0 || !fs::exists(converted, error))
    throw input_error("{} could not be converted: {} ended with status {}{}", path, converter->program,
                      *status, *status == 0 ? " and wrote no file" : "");
  Scan scan = read_ismrmrd(converted, options);
  scan.source = path;
  scan.notes.push_back(fmt::format("{} was converted by {}", path, converter->program));
  return scan;
}

}  // namespace larmor::app
