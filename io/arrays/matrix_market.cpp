#include <larmor/core/format_error.hpp>
#include <larmor/io/arrays/matrix_market.hpp>
#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/files/text.hpp>

#include <charconv>
#include <string_view>

namespace larmor {
namespace {

// Lines of a text, and words of a line.
class MatrixMarketParser {
 public:
  MatrixMarketParser(const std::string& path, std::string_view text) : path_(path), rest_(text) {}

  SparsePattern parse() {
    parse_banner();
    parse_size();
    parse_entries();
    return std::move(pattern_);
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw input_error("{}, line {}: {}", path_, line_number_,
                      fmt::format(format, std::forward<Args>(args)...));
  }

  // The next line; false at the end of the file.
  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = trimmed(rest_.substr(0, end));
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    ++line_number_;
    return true;
  }
  // The next line that is not a comment.
  bool next_content() {
    while (next_line())
      if (!line_.empty() && line_[0] != '%') return true;
    return false;
  }
  std::string_view next_word() {
    const std::size_t begin = line_.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    const std::size_t end = std::min(line_.find_first_of(" \t", begin), line_.size());
    const std::string_view word = line_.substr(begin, end - begin);
    line_.remove_prefix(end);
    return word;
  }
  Index next_number(const char* what) {
    std::string_view word = next_word();
    if (word.empty()) fail("no {}", what);
    const std::string_view digits = word[0] == '+' ? word.substr(1) : word;
    Index number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc::result_out_of_range) fail("{} \"{}\" is out of range", what, printable(word));
    if (error != std::errc() || end != digits.data() + digits.size())
      fail("{} \"{}\" is not a number", what, printable(word));
    return number;
  }
  void expect_end_of_line() {
    const std::string_view word = next_word();
    if (!word.empty()) fail("\"{}\" follows where the line should end", printable(word));
  }

  void parse_banner() {
    if (!next_line()) throw input_error("{} is empty; expected a Matrix Market file", path_);
    const std::string banner = lower_case(line_);
    line_ = banner;
    if (next_word() != "%%matrixmarket") fail("expected \"%%MatrixMarket matrix coordinate …\"");
    if (const auto object = next_word(); object != "matrix")
      fail("object \"{}\"; expected \"matrix\"", printable(object));
    if (const auto format = next_word(); format != "coordinate")
      fail("format \"{}\"; expected \"coordinate\", which lists entries", printable(format));
    const auto field = next_word();
    if (field != "pattern" && field != "integer" && field != "real" && field != "complex")
      fail("field \"{}\"; expected pattern, integer, real or complex", printable(field));
    const auto symmetry = next_word();
    if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric" &&
        symmetry != "hermitian")
      fail("symmetry \"{}\"; expected general, symmetric, skew-symmetric or hermitian", printable(symmetry));
    mirrored_ = symmetry != "general";
    expect_end_of_line();
  }

  void parse_size() {
    if (!next_content()) fail("the file ends before the line of sizes");
    pattern_.rows = next_number("number of rows");
    pattern_.columns = next_number("number of columns");
    listed_ = next_number("number of entries");
    expect_end_of_line();
    constexpr Index most = 0x7fffffff;
    if (pattern_.rows < 1 || pattern_.columns < 1 || pattern_.rows > most || pattern_.columns > most)
      fail("{} × {} matrix; expected 1 to {} rows and columns", pattern_.rows, pattern_.columns, most);
    if (mirrored_ && pattern_.rows != pattern_.columns)
      fail("a symmetric matrix of {} × {}; expected as many rows as columns", pattern_.rows,
           pattern_.columns);
    // An entry takes at least four characters ("1 1" and the end of its line), the last one three.
    const auto possible = static_cast<Index>((rest_.size() + 1) / 4);
    if (listed_ < 0 || listed_ > possible)
      fail("{} entries are announced; what follows can hold at most {}", listed_, possible);
    const auto count = static_cast<std::size_t>(mirrored_ ? 2 * listed_ : listed_);
    pattern_.row.reserve(count);
    pattern_.column.reserve(count);
  }

  void parse_entries() {
    for (Index i = 0; i < listed_; ++i) {
      if (!next_content()) fail("the file ends after {} of {} entries", i, listed_);
      parse_entry();
    }
    if (next_content()) fail("there are more than the {} announced entries", listed_);
  }

  // The rest of the line is the value.
  void parse_entry() {
    const auto r = next_number("row"), c = next_number("column");
    if (r < 1 || r > pattern_.rows) fail("row {} is outside 1 … {}", r, pattern_.rows);
    if (c < 1 || c > pattern_.columns) fail("column {} is outside 1 … {}", c, pattern_.columns);
    if (mirrored_ && r < c)
      fail("entry ({}, {}) lies above the diagonal; a symmetric file lists the lower triangle", r, c);
    add(r, c);
    if (mirrored_ && r != c) add(c, r);
  }

  void add(Index r, Index c) {
    pattern_.row.push_back(static_cast<std::uint32_t>(r - 1));
    pattern_.column.push_back(static_cast<std::uint32_t>(c - 1));
  }

  const std::string& path_;
  std::string_view rest_, line_;
  Index line_number_ = 0, listed_ = 0;
  bool mirrored_ = false;
  SparsePattern pattern_;
};

}  // namespace

SparsePattern read_matrix_market(const std::string& path) {
  return parse_matrix_market(read_text(path), path);
}

SparsePattern parse_matrix_market(std::string_view text, const std::string& name) {
  return MatrixMarketParser(name, text).parse();
}

}  // namespace larmor
