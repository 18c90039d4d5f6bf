#include "io/hostile_files.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/io/files/gzip_file.hpp>

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

namespace larmor::test {
namespace {

using hostile::contents;

TEST(GzipFile, IsOneStreamWhateverTheThreads) {
  const TemporaryFolder folder;
  // Several blocks per thread, of noise and of zeros, and a partial block at the end.
  std::mt19937 generator(1);
  std::vector<unsigned char> content(5 * (1 << 20) + 12345, 0);
  for (std::size_t i = 0; i < content.size() / 2; ++i) content[i] = static_cast<unsigned char>(generator());
  for (const int threads : {1, 3}) {
    GzipFile file(folder / (std::to_string(threads) + ".gz"), false, threads);
    file.write(content.data(), 1000);
    file.write(content.data() + 1000, content.size() - 1000);
    file.commit();
  }
  const std::string bytes = contents(folder / "1.gz");
  EXPECT_EQ(contents(folder / "3.gz"), bytes);
  EXPECT_LT(bytes.size(), content.size() * 6 / 10);
  const gzFile stream = gzopen((folder / "3.gz").c_str(), "rb");
  std::vector<unsigned char> read(content.size() + 1);
  EXPECT_EQ(gzread(stream, read.data(), static_cast<unsigned>(read.size())),
            static_cast<int>(content.size()));
  EXPECT_EQ(gzclose(stream), Z_OK);
  read.pop_back();
  EXPECT_EQ(read, content);
}

TEST(GzipFile, MayBeEmpty) {
  const TemporaryFolder folder;
  GzipFile(folder / "empty.gz").commit();
  const gzFile stream = gzopen((folder / "empty.gz").c_str(), "rb");
  char byte = 0;
  EXPECT_EQ(gzread(stream, &byte, 1), 0);
  EXPECT_EQ(gzclose(stream), Z_OK);
}

}  // namespace
}  // namespace larmor::test
