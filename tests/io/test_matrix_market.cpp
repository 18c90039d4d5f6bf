#include "error_of.hpp"
#include "temporary_folder.hpp"

#include <larmor/core/error.hpp>
#include <larmor/io/arrays/matrix_market.hpp>
#include <larmor/io/arrays/npy.hpp>

#include <gmock/gmock.h>

#include <fstream>

namespace larmor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class MatrixMarket : public testing::Test {
 protected:
  SparsePattern read(const std::string& text) {
    const std::string path = folder_ / "it.mtx";
    std::ofstream(path, std::ios::binary) << text;
    return read_matrix_market(path);
  }
  std::string refusal_of(const std::string& text) {
    const std::string error = error_of([&] { read(text); });
    EXPECT_THAT(error, StartsWith("3: "));
    return error.substr(error.find("it.mtx") + 6);
  }
  TemporaryFolder folder_;
};

TEST_F(MatrixMarket, ReadsAPattern) {
  const auto m = read(
      "%%MatrixMarket matrix coordinate pattern general\n% a comment\n\n 3 4  2 \n1 4\n%between\n3\t1\r\n");
  EXPECT_EQ(m.rows, 3);
  EXPECT_EQ(m.columns, 4);
  EXPECT_THAT(m.row, ElementsAre(0, 2));
  EXPECT_THAT(m.column, ElementsAre(3, 0));
  EXPECT_TRUE(m.binary());
}

TEST_F(MatrixMarket, LeavesOutValues) {
  for (const char* file :
       {"Real General\n2 2 2\n1 1 -2.5e1\n2 2 +0.5", "integer general\n2 2 2\n1 1 -7\n2 2 0",
        "complex general\n2 2 2\n1 1 1.5 -2\n2 2 0 0\n"}) {
    const auto m = read(std::string("%%MatrixMarket MATRIX Coordinate ") + file);
    EXPECT_THAT(m.row, ElementsAre(0, 1)) << file;
    EXPECT_THAT(m.column, ElementsAre(0, 1)) << file;
    EXPECT_TRUE(m.binary()) << file;
  }
}

TEST_F(MatrixMarket, FillsInTheOtherHalf) {
  for (const char* kind :
       {"complex hermitian", "complex symmetric", "real skew-symmetric", "pattern symmetric"}) {
    const auto m =
        read(std::string("%%MatrixMarket matrix coordinate ") + kind + "\n3 3 2\n2 1 4 1\n3 3 5 0\n");
    EXPECT_THAT(m.row, ElementsAre(1, 0, 2)) << kind;
    EXPECT_THAT(m.column, ElementsAre(0, 1, 2)) << kind;
  }
}

TEST_F(MatrixMarket, ReadsAMatrixWithoutEntries) {
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate pattern general\n5 6 0\n").entries(), 0);
}

TEST_F(MatrixMarket, SaysLineAndReason) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", " is empty; expected a Matrix Market file"},
      {"3 3 1\n", ", line 1: expected \"%%MatrixMarket matrix coordinate …\""},
      {"%%MatrixMarket tensor coordinate real general\n", ", line 1: object \"tensor\"; expected \"matrix\""},
      {"%%MatrixMarket matrix array real general\n2 2\n",
       ", line 1: format \"array\"; expected \"coordinate\", which lists entries"},
      {"%%MatrixMarket matrix coordinate quaternion general\n",
       ", line 1: field \"quaternion\"; expected pattern, integer, real or complex"},
      {"%%MatrixMarket matrix coordinate real\n",
       ", line 1: symmetry \"\"; expected general, symmetric, skew-symmetric or hermitian"},
      {banner, ", line 1: the file ends before the line of sizes"},
      {banner + "%\n3 3\n", ", line 3: no number of entries"},
      {banner + "3 0 1\n1 1 1\n", ", line 2: 3 × 0 matrix; expected 1 to 2147483647 rows and columns"},
      {banner + "3 3 99999999999\n1 1 1\n",
       ", line 2: 99999999999 entries are announced; what follows can hold at most 1"},
      {banner + "3 3 -1\n", ", line 2: -1 entries are announced; what follows can hold at most 0"},
      {banner + "3 3 99999999999999999999\n",
       ", line 2: number of entries \"99999999999999999999\" is out of range"},
      {banner + "3 3 2\n1 1 1.25\n%\n", ", line 4: the file ends after 1 of 2 entries"},
      {banner + "3 3 1\n1 1 1\n2 2 2\n", ", line 4: there are more than the 1 announced entries"},
      {banner + "3 3 1\n4 1 1\n", ", line 3: row 4 is outside 1 … 3"},
      {banner + "3 3 1\n1 0 1\n", ", line 3: column 0 is outside 1 … 3"},
      {banner + "3 3 1\n1 two 1\n", ", line 3: column \"two\" is not a number"},
      {banner + "3 3 1\n1 1.5 1\n", ", line 3: column \"1.5\" is not a number"},
      {"%%MatrixMarket matrix coordinate real symmetric\n3 2 1\n2 1 1\n",
       ", line 2: a symmetric matrix of 3 × 2; expected as many rows as columns"},
      {"%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1 2 1\n",
       ", line 3: entry (1, 2) lies above the diagonal; a symmetric file lists the lower triangle"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(refusal_of(text), expected) << text;
}

TEST_F(MatrixMarket, SurvivesAnyTruncation) {
  const std::string text =
      "%%MatrixMarket matrix coordinate complex general\n%c\n4 4 2\n1 1 2 3\n4 4 -1 0.5\n";
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    const std::string error = error_of([&] {
      EXPECT_EQ(read(text.substr(0, size)).entries(), 2) << size;  // only the last number became shorter
    });
    EXPECT_TRUE(error.empty() || error.starts_with("3: ")) << size;
  }
}

}  // namespace
}  // namespace larmor::test
