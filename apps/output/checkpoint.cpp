#include <larmor/apps/output/checkpoint.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/own_file.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace larmor::app {
namespace {

using WrittenJson = nlohmann::ordered_json;  // searches all keys each time: only for our own small objects

constexpr const char* format_name = "larmor checkpoint";
constexpr int format_version = 3;
constexpr std::size_t data_numbers = 3;
// First bytes of every checkpoint.
constexpr const char* signature = "{\"format\":\"larmor checkpoint\"";
constexpr std::size_t longest_header = 1 << 20;
constexpr int most_levels = 3;  // the header, its list of shapes, a shape

// At the end of the file: the CRC-32 of everything before, in a line of 16 bytes.
constexpr std::size_t end_bytes = 16;
std::string end_of_file(std::uint32_t sum) {
  return fmt::format(" crc32 {}\n", checksum_text(sum));
}

template <typename T>
constexpr const char* precision_name = std::is_same_v<T, float> ? "single" : "double";

template <typename T>
void write(const std::string& path, const SavedState& state, const Checkpoint<T>& solver) {
  WrittenJson shapes = WrittenJson::array();
  for (const auto& vector : solver.vectors) {
    WrittenJson shape = WrittenJson::array();
    for (int axis = 0; axis < vector.shape().rank(); ++axis) shape.push_back(vector.shape()[axis]);
    shapes.push_back(std::move(shape));
  }
  // Texts of the command line may contain any bytes.
  std::string header = WrittenJson{
      {"format", format_name},
      {"version", format_version},
      {"precision", precision_name<T>},
      {"image", state.image},
      {"terms", state.terms},
      {"solver", solver.solver},
      {"iteration", solver.iteration},
      {"numbers", solver.scalars.size() + data_numbers},
      {"objectives", state.objectives},
      {"noise_variance", state.noise_variance},
      {"vectors", shapes}}.dump(-1, ' ', false, WrittenJson::error_handler_t::replace);
  header.append(15 - header.size() % 16, ' ') += '\n';
  AtomicFile file(path, Replaceable::beginning_with(signature));
  std::uint32_t sum = 0;
  const auto write_bytes = [&](const void* bytes, std::size_t size) {
    file.write(bytes, size);
    sum = checksum(sum, bytes, size);
  };
  write_bytes(header.data(), header.size());
  const double data[data_numbers] = {state.data.norm, state.data.sum.real(), state.data.sum.imag()};
  write_bytes(data, sizeof data);
  write_bytes(solver.scalars.data(), solver.scalars.size() * sizeof(double));
  for (const auto& vector : solver.vectors) write_bytes(vector.data(), vector.view().bytes());
  const std::string end = end_of_file(sum);
  file.write(end.data(), end.size());
  file.commit();
}

// Reads from a file of known size; std::runtime_error gives the reason if it is invalid.
class Reader {
 public:
  Reader(std::istream& file, std::uintmax_t size) : file_(file), left_(size) {}

  nlohmann::json header() {
    std::string line(std::min<std::uintmax_t>(left_, longest_header), '\0');
    file_.read(line.data(), static_cast<std::streamsize>(line.size()));
    const std::size_t end = line.find('\n');
    if (end == std::string::npos || !line.starts_with(signature))
      throw std::runtime_error("it is no checkpoint");
    line.resize(end + 1);
    require_levels(line, most_levels);
    nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) throw std::runtime_error("its header is damaged");
    if (json.value("version", nlohmann::json()) != format_version)
      throw std::runtime_error("it is one of another version");
    file_.seekg(static_cast<std::streamoff>(line.size()));
    sum_ = checksum(sum_, line.data(), line.size());
    left_ -= line.size();
    return json;
  }
  void read(void* to, std::uintmax_t count, std::size_t size) {
    require(count, size);
    file_.read(static_cast<char*>(to), static_cast<std::streamsize>(count * size));
    sum_ = checksum(sum_, to, count * size);
    left_ -= count * size;
  }
  /// True if at least this many elements follow; checked before memory is allocated for them.
  void require(std::uintmax_t count, std::size_t size) const {
    if (count > left_ / size) throw std::runtime_error("it is shorter than its header says");
  }
  void finish() {
    const std::string expected = end_of_file(sum_);
    std::string end(end_bytes, '\0');
    read(end.data(), end_bytes, 1);
    if (left_ > 0) throw std::runtime_error("it is longer than its header says");
    if (!file_) throw std::runtime_error("it could not be read");
    if (end != expected)
      throw std::runtime_error("it is damaged: its checksum says that it has been changed");
  }

 private:
  std::istream& file_;
  std::uintmax_t left_;
  std::uint32_t sum_ = 0;
};

// A number without sign, point or exponent: converting others is undefined.
std::uint64_t whole(const nlohmann::json& number) {
  if (!number.is_number_unsigned()) throw std::runtime_error("its header is damaged");
  return std::min(number.get<std::uint64_t>(), std::uint64_t{1} << 62);
}

template <typename T>
Checkpoint<T> read_solver(Reader& reader, const nlohmann::json& header, DataMark& data) {
  Checkpoint<T> solver;
  solver.solver = header.at("solver").get<std::string>();
  solver.iteration = static_cast<Index>(whole(header.at("iteration")));
  const std::uint64_t numbers = whole(header.at("numbers"));
  reader.require(numbers, sizeof(double));
  if (numbers < data_numbers || solver.iteration < 1) throw std::runtime_error("its header is damaged");
  double mark[data_numbers];
  reader.read(mark, data_numbers, sizeof(double));
  data = {mark[0], {mark[1], mark[2]}};
  solver.scalars.resize(numbers - data_numbers);
  reader.read(solver.scalars.data(), solver.scalars.size(), sizeof(double));
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::any_of(std::begin(mark), std::end(mark), is_nan) ||
      std::any_of(solver.scalars.begin(), solver.scalars.end(), is_nan))
    throw std::runtime_error("it holds numbers that are not finite");
  for (const nlohmann::json& axes : header.at("vectors")) {
    Shape shape;
    std::uintmax_t size = 1;
    if (!axes.is_array() || axes.empty() || axes.size() > 8)
      throw std::runtime_error("its header is damaged");
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      const std::uint64_t length = whole(*axis);
      if (length < 1 || length > (std::uintmax_t{1} << 48) / size)
        throw std::runtime_error("its header is damaged");
      size *= length;
      shape = shape.prepend(static_cast<Index>(length));
    }
    reader.require(size, sizeof(std::complex<T>));
    Array<std::complex<T>>& vector = solver.vectors.emplace_back(shape);
    reader.read(vector.data(), size, sizeof(std::complex<T>));
    for (const auto& value : vector)
      if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
        throw std::runtime_error("it holds numbers that are not finite");
  }
  reader.finish();
  return solver;
}

std::uintmax_t open(const std::string& path, std::ifstream& file) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) throw std::runtime_error("it is no regular file");
  file.open(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::strerror(errno));
  return std::filesystem::file_size(path);
}

SavedState read(const std::string& path) {
  try {
    std::ifstream file;
    const std::uintmax_t size = open(path, file);
    return read_checkpoint(file, size);
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw input_error("--checkpoint {}: {}; name another file, or remove it to start from the beginning",
                      path, error.what());
  }
}

}  // namespace

SavedState read_checkpoint(std::istream& file, std::uintmax_t size) {
  Reader reader(file, size);
  const nlohmann::json header = reader.header();
  try {
    SavedState state;
    state.image = static_cast<Index>(whole(header.at("image")));
    state.terms = header.at("terms").get<std::string>();
    state.objectives = header.value("objectives", std::vector<double>{});
    state.noise_variance = header.value("noise_variance", 0.0);
    if (header.at("precision") == precision_name<double>)
      state.solver = read_solver<double>(reader, header, state.data);
    else
      state.solver = read_solver<float>(reader, header, state.data);
    return state;
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error("its header is damaged");
  }
}

CheckpointFile::CheckpointFile(std::string path, Console& console)
    : path_(std::move(path)), console_(console) {
  std::error_code status;
  if (path_.empty() || !std::filesystem::exists(path_, status)) return;
  saved_ = read(path_);
  std::visit(
      [&](const auto& solver) {
        console_.say(fmt::format("continuing from {}: image {}, {} after {} iterations", path_, saved_->image,
                                 solver.solver, solver.iteration));
      },
      saved_->solver);
}

void CheckpointFile::connect(ReconstructOptions& options) const {
  if (path_.empty()) return;
  if (saved_) options.solve.resume = &*saved_;
  options.solve.checkpoint = [this](const SavedState& state) {
    try {
      std::visit([&](const auto& solver) { write(path_, state, solver); }, state.solver);
    } catch (const Error& error) {
      console_.warning(error.what());
    }
  };
}

void CheckpointFile::remove() const {
  if (path_.empty()) return;
  try {
    Replaceable::beginning_with(signature).require(path_);
    std::filesystem::remove(resolved_target(path_));  // a link to it is kept
  } catch (const std::exception& error) {
    console_.warning(error.what());
  }
}

}  // namespace larmor::app
