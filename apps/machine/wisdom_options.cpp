#include <larmor/apps/machine/wisdom_options.hpp>
#include <larmor/core/format_error.hpp>

namespace larmor::app {
namespace {

class OptionalWisdom final : public Wisdom {
 public:
  OptionalWisdom(std::unique_ptr<WisdomFile> file, Console& console)
      : file_(std::move(file)), console_(console) {}
  std::optional<WisdomEntry> find(const std::string& key) override { return file_->find(key); }
  void store(const std::string& key, const WisdomEntry& entry) override {
    try {
      file_->store(key, entry);
    } catch (const Error& error) {
      console_.warning(fmt::format("tuning results are not stored: {}", error.what()));
    }
  }

 private:
  std::unique_ptr<WisdomFile> file_;
  Console& console_;
};

}  // namespace

void add_wisdom(Command& command, WisdomOptions& wisdom) {
  command.text("--wisdom", "FILE", "file of tuning results (default: in the user's cache folder)",
               wisdom.file);
}

std::unique_ptr<WisdomFile> open_wisdom(const WisdomOptions& options, Console& console) {
  const std::string path = options.file.empty() ? default_wisdom_path() : options.file;
  if (path.empty())
    throw usage_error(
        "no file for tuning results: neither XDG_CACHE_HOME nor HOME is set; give --wisdom FILE");
  auto wisdom = std::make_unique<WisdomFile>(path, console);
  const std::string defect = options.file.empty() ? "" : wisdom->defect();
  if (!defect.empty()) throw input_error("--wisdom {}: {}; name another file, or remove it", path, defect);
  return wisdom;
}

std::unique_ptr<Wisdom> open_optional_wisdom(const WisdomOptions& options, TuneOptions& tune,
                                             Console& console) {
  if (tune.level == TuneLevel::estimate) {
    if (!options.file.empty()) open_wisdom(options, console);  // a wrong file is an error even if not used
    return nullptr;
  }
  auto wisdom = std::make_unique<OptionalWisdom>(open_wisdom(options, console), console);
  tune.wisdom = wisdom.get();
  return wisdom;
}

}  // namespace larmor::app
