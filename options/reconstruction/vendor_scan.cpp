#include <larmor/core/format_error.hpp>
#include <larmor/io/files/descriptor.hpp>
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

/// Identification of a vendor's raw data, the vendor's converter, and the files that it reads besides the
/// named one.
struct Converter {
  const char* vendor;
  const char* program;
  bool (*takes)(const fs::path& path);
  std::vector<std::string> (*arguments)(const fs::path& path, const std::string& output);
  std::vector<std::string> (*companions)(const fs::path& path);
};

/// ISMRMRD files may have any name.
bool is_hdf5(const fs::path& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  std::array<char, signature.size()> begin{};
  stream_to_read(path).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) == signature;
}

using Extensions = std::initializer_list<const char*>;
constexpr Extensions of_philips{".lab", ".raw", ".sin"};

bool ends(const fs::path& path, Extensions extensions) {
  const std::string own = lower_case(path.extension().string());
  return std::find(extensions.begin(), extensions.end(), own) != extensions.end();
}
/// Recognises a vendor's raw data by the extension. Throws Error (input) for a pipe or a device.
bool is_raw(const fs::path& path, Extensions extensions) {
  std::error_code error;
  return ends(path, extensions) && !fs::is_directory(path, error) && !is_hdf5(path);
}

bool is_siemens(const fs::path& path) {
  return is_raw(path, {".dat"});
}
bool is_ge(const fs::path& path) {
  return is_raw(path, {".7"}) || path.filename().string().starts_with("ScanArchive_");
}
bool is_philips(const fs::path& path) {
  return is_raw(path, of_philips);
}
/// A folder of one experiment, or its data.
bool is_bruker(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::is_directory(path, error) ? path : path.parent_path();
  const std::string name = path.filename().string();
  return (fs::is_directory(path, error) || name == "fid" || name == "rawdata.job0") &&
         fs::exists(folder / "acqp", error) && fs::exists(folder / "method", error);
}

/// Further arguments for converters given by the user, such as a style sheet: words separated by spaces.
std::vector<std::string> added_words() {
  const char* text = std::getenv("LARMOR_CONVERTER_OPTIONS");
  std::istringstream words(text == nullptr ? "" : text);
  return {std::istream_iterator<std::string>(words), {}};
}

/// Number of measurements in a file: since software VD it begins with 0 and their number, before that with
/// the size of its header.
std::uint32_t siemens_measurements(const fs::path& path) {
  std::array<std::uint32_t, 2> begin{1, 1};
  stream_to_read(path).read(reinterpret_cast<char*>(begin.data()), sizeof begin);
  return begin[0] == 0 ? begin[1] : 1;
}

/// The last measurement is the scan; noise and adjustment measurements come before it.
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
fs::path experiment_of(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return path;
  return path.has_parent_path() ? path.parent_path() : ".";
}
std::vector<std::string> folder(const fs::path& path, const std::string& output) {
  return {"-f", experiment_of(path).string(), "-o", output};
}

std::vector<std::string> no_companions(const fs::path&) {
  return {};
}
/// Files of the same name, with extensions in upper or lower case.
std::vector<std::string> philips_companions(const fs::path& path) {
  std::vector<std::string> files;
  std::error_code error;
  const fs::path folder = path.parent_path();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder, error))
    if (entry.path().stem() == path.stem() && ends(entry.path(), of_philips))
      files.push_back((folder / entry.path().filename()).string());
  return files;
}
/// ParaVision's own files have no extension, except rawdata.job0 and the like.
std::vector<std::string> bruker_companions(const fs::path& path) {
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(experiment_of(path), error))
    if (!entry.path().has_extension() || entry.path().stem() == "rawdata")
      files.push_back(entry.path().string());
  return files;
}

constexpr std::array converters{
    Converter{"Siemens", "siemens_to_ismrmrd", is_siemens, last_measurement, no_companions},
    Converter{"GE", "ge_to_ismrmrd", is_ge, positional, no_companions},
    Converter{"Philips", "philips_to_ismrmrd", is_philips, without_extension, philips_companions},
    Converter{"Bruker", "bruker_to_ismrmrd", is_bruker, folder, bruker_companions},
};

/// The converter of a scan; null: not a vendor's format, or the converter does not exist.
const Converter* converter_of(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return nullptr;
  const auto* const found = std::find_if(converters.begin(), converters.end(),
                                         [&](const Converter& each) { return each.takes(path); });
  return found == converters.end() ? nullptr : found;
}

/// A process that outlives this one if this one is killed: it then kills a converter with all its children
/// and removes the folder that they write to. Between fork and exec it only makes system calls, because other
/// threads may hold locks.
class Watcher {
 public:
  explicit Watcher(const std::string& folder) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
      throw resource_error("cannot start a converter: {}", std::strerror(errno));
    const Descriptor from_here(pipe[0]);
    to_watcher_ = Descriptor(pipe[1]);
    process_ = ::_Fork();
    if (process_ < 0) throw resource_error("cannot start a converter: {}", std::strerror(errno));
    if (process_ == 0) watch(pipe[0], folder.c_str());
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  /// Everything is removed already: the watcher has nothing to do.
  ~Watcher() {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  /// Tells the watcher which process group to kill.
  void look_after(pid_t group) const {
    while (::write(to_watcher_.number(), &group, sizeof group) < 0 && errno == EINTR) continue;
  }

 private:
  [[noreturn]] static void watch(int pipe, const char* folder) {
    ::setsid();
    ::dup2(pipe, 0);
    ::close_range(1, ~0U, 0);  // also this process's own end of the pipe, and locks
    pid_t group = 0, word = 0;
    for (ssize_t got = 1; got != 0;) {  // until the other end is closed
      got = ::read(0, &word, sizeof word);
      if (got == sizeof word) group = word;
      if (got < 0 && errno != EINTR) break;
    }
    if (group > 1) ::kill(-group, SIGKILL);
    ::execl("/bin/rm", "rm", "-rf", "--", folder, nullptr);
    ::_exit(1);
  }

  Descriptor to_watcher_;
  pid_t process_ = -1;
};

/// A folder private to this process, which is removed when it is no longer needed, or when the process is
/// killed.
class TemporaryPlace {
 public:
  TemporaryPlace() : path_(new_folder()) {
    try {
      watcher_.emplace(path_.string());
    } catch (...) {
      remove();
      throw;
    }
  }
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;
  ~TemporaryPlace() { remove(); }
  std::string file(const char* name) const { return (path_ / name).string(); }
  const Watcher& watcher() const { return *watcher_; }

 private:
  static std::string new_folder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "larmor-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr)
      throw resource_error("cannot make a temporary folder {}: {}", name, std::strerror(errno));
    return name;
  }
  void remove() {
    std::error_code error;
    fs::remove_all(path_, error);
  }

  fs::path path_;
  std::optional<Watcher> watcher_;
};

/// Starts a program on PATH and waits for it. Its output goes to stderr, or is discarded. nullopt: it does
/// not exist. Its children end with it, and all of them if the user asks to stop.
std::optional<int> status_of(const char* program, const std::vector<std::string>& arguments, bool quiet,
                             const Watcher& watcher, const std::atomic<bool>* cancel) {
  std::vector<char*> words{const_cast<char*>(program)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (quiet) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = -1;
  const int error = posix_spawnp(&child, program, &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return std::nullopt;
  if (error != 0) throw resource_error("cannot start {}: {}", program, std::strerror(error));
  watcher.look_after(child);
  // Work that has been cancelled gets little time to remove its files.
  constexpr auto pause = std::chrono::milliseconds(10);
  const auto cancelled = [&] { return cancel != nullptr && *cancel; };
  siginfo_t ended{};
  while (ended.si_pid == 0 && !cancelled()) {
    if (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
      throw resource_error("cannot wait for {}: {}", program, std::strerror(errno));
    if (ended.si_pid == 0) std::this_thread::sleep_for(pause);
  }
  ::kill(-child, SIGKILL);  // before another process can get the same number
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (cancelled()) throw Error(ErrorClass::cancelled, "interrupted");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::vector<std::string> files_of_scan(const std::string& path) {
  if (path.empty()) return {};
  std::vector<std::string> files{path};
  if (const Converter* const converter = converter_of(path)) {
    for (std::string& file : converter->companions(path)) files.push_back(std::move(file));
    for (std::string& word : added_words()) files.push_back(std::move(word));
  }
  return files;
}

Scan read_any_scan(const std::string& path, const IsmrmrdReadOptions& options, bool quiet) {
  const Converter* const converter = converter_of(path);
  if (converter == nullptr) return read_ismrmrd(path, options);
  const TemporaryPlace place;
  const std::string converted = place.file("scan.h5");
  std::vector<std::string> words = converter->arguments(path, converted);
  for (std::string& word : added_words()) words.push_back(std::move(word));
  const std::optional<int> status =
      status_of(converter->program, words, quiet, place.watcher(), options.cancel);
  if (!status)
    throw input_error(
        "{} is raw data of {}: install {} in a folder on PATH, or convert the file to ISMRMRD (.h5)", path,
        converter->vendor, converter->program);
  std::error_code error;
  if (*status != 0 || !fs::exists(converted, error))
    throw input_error("{} could not be converted: {} ended with status {}{}", path, converter->program,
                      *status, *status == 0 ? " and wrote no file" : "");
  Scan scan = read_ismrmrd(converted, options);
  scan.source = path;
  scan.notes.push_back(fmt::format("{} was converted by {}", path, converter->program));
  return scan;
}

}  // namespace larmor::app
