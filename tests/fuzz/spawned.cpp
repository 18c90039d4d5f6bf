#include "fuzz/memory_file.hpp"
#include "fuzz/mutations.hpp"

#include <larmor/core/error.hpp>
#include <larmor/io/ismrmrd/image_reader.hpp>
#include <larmor/io/ismrmrd/reader.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

// fuzz_spawned COUNT SEED FILE|FOLDER...: changes HDF5 files at random and reads them as a program does, each
// in a separate process. Each file must be read, or refused in one line, within seconds. Prints the number of
// files for each outcome.

namespace larmor::test::fuzz {
namespace {

std::vector<std::string> contents_of(int count, char** words) {
  std::vector<std::string> files;
  const auto add = [&](const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  };
  for (int i = 0; i < count; ++i) {
    if (!std::filesystem::is_directory(words[i])) add(words[i]);
    if (std::filesystem::is_directory(words[i]))
      for (const auto& entry : std::filesystem::directory_iterator(words[i])) add(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Kind of a refusal, from its message.
std::string kind_of(const std::string& message) {
  for (const char* kind :
       {"crashed", "processor time", "did not answer", "failed (status", "an invalid answer", "more memory"})
    if (message.find(kind) != std::string::npos) return kind;
  return "refused by the reader";
}

std::string read(const std::string& path, bool images) {
  std::string ending = "read";
  const auto started = std::chrono::steady_clock::now();
  refused_or_read([&] {
    try {
      if (images)
        (void)read_ismrmrd_images(path);
      else
        (void)read_ismrmrd(path);
    } catch (const Error& error) {
      ending = kind_of(error.what());
      throw;
    }
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  static double longest = 0;
  if (seconds.count() > longest) {
    longest = seconds.count();
    std::fprintf(stderr, "longest: %.2f s (%s)\n", longest, ending.c_str());
  }
  return ending;
}

int run(int count, std::uint32_t seed, const std::vector<std::string>& files, const std::string& keep) {
  std::mt19937 random(seed);
  std::map<std::string, int> endings;
  constexpr std::size_t room = 4096;
  for (int i = 0; i < count; ++i) {
    std::string bytes = files[random() % files.size()];
    const std::size_t size = bytes.size();
    bytes.resize(size + room);
    auto* const data = reinterpret_cast<std::uint8_t*>(bytes.data());
    const Mutate anyhow = [&](std::uint8_t* to, std::size_t now, std::size_t most) {
      return mutate_anyhow(to, now, most, static_cast<std::uint32_t>(random()));
    };
    bytes.resize(mutate_hdf5(data, size, bytes.size(), static_cast<std::uint32_t>(random()), anyhow));
    const Descriptor memory =
        memory_file({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    const std::string ending = read("/proc/self/fd/" + std::to_string(memory.number()), i % 2 == 1);
    if (++endings[ending] == 1 && !keep.empty() && ending != "read")
      std::ofstream(keep + "/" + std::to_string(i), std::ios::binary) << bytes;
  }
  for (const auto& [ending, times] : endings) std::printf("%8d %s\n", times, ending.c_str());
  return 0;
}

}  // namespace
}  // namespace larmor::test::fuzz

int main(int count, char** words) {
  using namespace larmor::test::fuzz;
  const std::vector<std::string> files =
      count > 3 ? contents_of(count - 3, words + 3) : std::vector<std::string>();
  if (files.empty()) {
    std::fprintf(stderr, "fuzz_spawned: expected a count, a seed and files\n");
    return 2;
  }
  const char* keep = std::getenv("LARMOR_FUZZ_KEEP");
  return run(std::atoi(words[1]), static_cast<std::uint32_t>(std::atoi(words[2])), files,
             keep == nullptr ? "" : keep);
}
