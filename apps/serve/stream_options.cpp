#include <larmor/apps/serve/stream_options.hpp>
#include <larmor/apps/serve/zfp_samples.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/ismrmrd/writer.hpp>
#include <larmor/io/mrd_stream/streamed_scan.hpp>
#include <larmor/options/words/values.hpp>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace larmor::app {

void add_stream_options(Command& command, StreamCommandOptions& options) {
  StreamOptions& session = options.session;
  command.text("--recipes", "FOLDER",
               "folder of named configurations: NAME.toml, as written by recon run --print-config, or "
               "NAME.json (default: built-in ones only)",
               session.recipes);
  command.text("--record", "FOLDER",
               "save every stream in this folder as .mrd and .h5, and noise measurements for later scans",
               session.record);
  command.value("--time-out", "S",
                fmt::format("end a session after this many seconds without data from the client (default {})",
                            session.seconds),
                [&session](const std::string& text) { session.seconds = number_in(text, 0.1, 86400); });
}

void check_folders(const StreamOptions& options) {
  std::error_code unknown;
  for (const std::string& folder : {options.recipes, options.record})
    if (!folder.empty() && !std::filesystem::is_directory(folder, unknown))
      throw input_error("{} is not a folder; make it first", folder);
}

Recording::Recording(const StreamOptions& options, const SessionLog& log) : log_(log) {
  if (options.record.empty()) return;
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char time[32];
  std::strftime(time, sizeof time, "%Y%m%dT%H%M%SZ", &utc);
  name_ = fmt::format("{}/{}-{}", options.record, time,
                      options.session.empty() ? std::to_string(::getpid()) : options.session);
  file_ = std::make_unique<std::ofstream>(name_ + ".mrd", std::ios::binary);
  if (!*file_) throw resource_error("cannot write {}.mrd", name_);
}

mrd::ReadBytes Recording::of(mrd::ReadBytes read) const {
  if (!file_) return read;
  return [this, read = std::move(read)](std::span<std::byte> to) {
    const std::size_t got = read(to);
    file_->write(reinterpret_cast<const char*>(to.data()), static_cast<std::streamsize>(got));
    return got;
  };
}

void Recording::finish(std::size_t memory_limit) const {
  if (!file_) return;
  file_->close();
  if (file_->fail())
    return log_.event("not_recorded", {{"message", name_ + ".mrd is incomplete: the disk may be full"}});
  try {
    std::ifstream stored(name_ + ".mrd", std::ios::binary);
    mrd::MessageReader reader(
        [&stored](std::span<std::byte> to) {
          stored.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
          return static_cast<std::size_t>(stored.gcount());
        },
        memory_limit, zfp_samples());
    std::string header;
    std::vector<mrd::Acquisition> acquisitions;
    std::size_t bytes = 0;
    while (std::optional<mrd::Message> message = reader.next()) {
      if (auto* xml = std::get_if<mrd::Header>(&*message)) header = xml->xml;
      auto* acquisition = std::get_if<mrd::Acquisition>(&*message);
      if (acquisition == nullptr || acquisition->compressed) continue;
      bytes += acquisition->bytes();
      if (bytes > memory_limit / 2)  // the scan is a copy
        throw resource_error(
            "the readouts need more than {}; reconstruct the recorded .mrd with recon stream",
            format_bytes(memory_limit / 2));
      acquisitions.push_back(std::move(*acquisition));
    }
    if (acquisitions.empty()) return;
    std::vector<const mrd::Acquisition*> all;
    for (const mrd::Acquisition& acquisition : acquisitions) all.push_back(&acquisition);
    write_ismrmrd_raw(name_ + ".h5", mrd::scan_of(header, all, name_, {.memory_limit = memory_limit}));
    log_.event("recorded", {{"file", name_ + ".h5"}, {"readouts", all.size()}});
  } catch (const Error& error) {
    log_.event("not_recorded", {{"message", error.what()}});
  }
}

}  // namespace larmor::app
