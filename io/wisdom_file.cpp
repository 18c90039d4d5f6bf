#include <larmor/core/format_error.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/own_file.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/wisdom_file.hpp>

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace larmor {
namespace {

constexpr const char* format_name = "larmor wisdom";
constexpr int format_version = 2;
// Start of every file written by Larmor.
constexpr const char* signature = "{\"format\":\"larmor wisdom\"";
constexpr std::size_t most_bytes = std::size_t{16} << 20;
constexpr int most_levels = 3;  // limits: the file, its entries, the content of an entry

using Entries = std::map<std::string, WisdomEntry>;
using Json = nlohmann::json;

std::string written(const Entries& entries) {
  Json list = Json::object();
  for (const auto& [key, entry] : entries) {
    Json& fields = list[key] = Json::object();
    for (const auto& [name, value] : entry.numbers)
      if (std::isfinite(value)) fields[name] = value;
    for (const auto& [name, value] : entry.words) fields[name] = value;
  }
  const std::string body = "\n" + list.dump(1, ' ', false, Json::error_handler_t::replace) + "}\n";
  return fmt::format("{},\"version\":{},\"checksum\":\"{}\",\"entries\":{}", signature, format_version,
                     checksum_text(checksum(0, body.data(), body.size())), body);
}

// Lock held while the file is read, changed and replaced. It has its own file, because every change replaces
// the tuning file.
class Lock {
 public:
  explicit Lock(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw resource_error("cannot lock {}: {}", path, std::strerror(errno));
    // Other processes hold it for milliseconds.
    for (int attempt = 0; ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++attempt) {
      const int reason = errno;
      if ((reason == EWOULDBLOCK || reason == EINTR) && attempt < 500) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        continue;
      }
      ::close(descriptor_);
      throw resource_error(
          "cannot lock {}: {}", path,
          reason == EWOULDBLOCK ? "another process has held it for 10 s" : std::strerror(reason));
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { ::close(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

std::map<std::string, WisdomEntry> parse_wisdom(const std::string& text) {
  require_levels(text, most_levels);
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw std::runtime_error("it is not JSON, or damaged");
  if (!json.is_object() || json.value("format", Json()) != format_name)
    throw std::runtime_error("it is no wisdom of Larmor");
  if (const Json version = json.value("version", Json()); version != format_version)
    throw std::runtime_error(
        fmt::format("version {}; expected {}", printable(version.dump()), format_version));
  const std::size_t start = std::min(text.find('\n'), text.size());
  if (json.value("checksum", Json()) != checksum_text(checksum(0, text.data() + start, text.size() - start)))
    throw std::runtime_error("its checksum says that it has been changed");
  const Json list = json.value("entries", Json());
  if (!list.is_object()) throw std::runtime_error("it has no entries");
  Entries entries;
  for (const auto& [key, fields] : list.items()) {
    if (!fields.is_object()) throw std::runtime_error("an entry is not an object");
    WisdomEntry& entry = entries[key];
    for (const auto& [name, value] : fields.items()) {
      if (value.is_number())
        entry.numbers[name] = value.get<double>();
      else if (value.is_string())
        entry.words[name] = value.get<std::string>();
      else
        throw std::runtime_error("an entry holds something other than numbers and texts");
    }
  }
  return entries;
}

WisdomFile::WisdomFile(std::string path, Reporter& reporter) : path_(std::move(path)), reporter_(reporter) {
  if (path_.empty())
    throw usage_error("tuning results need a file: neither XDG_CACHE_HOME nor HOME is set; name one");
}

std::string WisdomFile::defect() const {
  std::error_code status;
  if (!std::filesystem::exists(path_, status)) return {};
  try {
    parse_wisdom(read_whole(path_, most_bytes));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

std::map<std::string, WisdomEntry> WisdomFile::entries() {
  std::error_code status;
  if (!std::filesystem::exists(path_, status)) return {};
  try {
    return parse_wisdom(read_whole(path_, most_bytes));
  } catch (const std::runtime_error& error) {
    if (!warned_)
      reporter_.warning(fmt::format("the tuning results in {} are not used: {}", path_, error.what()));
    warned_ = true;
    return {};
  }
}

std::optional<WisdomEntry> WisdomFile::find(const std::string& key) {
  auto all = entries();
  const auto found = all.find(key);
  if (found == all.end()) return {};
  return std::move(found->second);
}

template <typename Change>
void WisdomFile::change(const Change& change) {
  const auto folder = std::filesystem::path(path_).parent_path();
  std::error_code status;
  if (!folder.empty()) std::filesystem::create_directories(folder, status);
  if (status) throw resource_error("cannot make the folder {}: {}", folder.string(), status.message());
  check_target(path_, Replaceable::beginning_with(signature));
  const Lock lock(path_ + ".lock");
  Entries all = entries();
  change(all);
  const std::string text = written(all);
  if (text.size() > most_bytes)
    throw resource_error("the tuning results in {} would be larger than {} bytes; delete some of them", path_,
                         most_bytes);
  AtomicFile file(path_, Replaceable::beginning_with(signature));
  file.write(text.data(), text.size());
  file.commit();
}

void WisdomFile::store(const std::string& key, const WisdomEntry& entry) {
  change([&](Entries& all) { all[key] = entry; });
}

std::size_t WisdomFile::clear() {
  std::size_t count = 0;
  change([&](Entries& all) {
    count = all.size();
    all.clear();
  });
  return count;
}

std::string default_wisdom_path() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return std::string(cache) + "/larmor/wisdom.json";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return std::string(home) + "/.cache/larmor/wisdom.json";
  return {};
}

}  // namespace larmor
