#include "fuzz/targets.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// replay TARGET FILE|FOLDER...: reads each file as fuzzing does, with any compiler. Fails if a file is
// neither read nor properly refused, or if there are no files.

int main(int count, char** words) {
  namespace fs = std::filesystem;
  const auto* target = count > 2 ? larmor::test::fuzz::find_target(words[1]) : nullptr;
  if (target == nullptr) {
    std::fprintf(stderr, "replay: expected a target and files\n");
    return 2;
  }
  H5dont_atexit();
  std::vector<std::string> files;
  for (int i = 2; i < count; ++i) {
    if (!fs::is_directory(words[i])) files.emplace_back(words[i]);
    if (fs::is_directory(words[i]))
      for (const auto& entry : fs::directory_iterator(words[i])) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  int taken = 0;
  for (const std::string& file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    std::fprintf(stderr, "%s\n", file.c_str());
    taken += target->read({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  }
  std::printf("%s: %zu files, %d of them read, the others refused\n", words[1], files.size(), taken);
  return files.empty() ? 1 : 0;
}
