#include <larmor/apps/checkpoint.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/files/atomic_file.hpp>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace larmor::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "larmor checkpoint";
constexpr int format_version = 1;
constexpr std::size_t longest_header = 1 << 20;

template <typename T>
constexpr const char* precision_name = std::is_same_v<T, float> ? "single" : "double";

template <typename T>
void write(const std::string& path, const SavedState& state, const Checkpoint<T>& solver) {
  Json shapes = Json::array();
  for (const auto& vector : solver.vectors) {
    Json shape = Json::array();
    for (int axis = 0; axis < vector.shape().rank(); ++axis) shape.push_back(vector.shape()[axis]);
    shapes.push_back(std::move(shape));
  }
  // Texts of the command line may hold any bytes.
  std::string header = Json{
      {"format", format_name},
      {"version", format_version},
      {"precision", precision_name<T>},
      {"image", state.image},
      {"terms", state.terms},
      {"solver", solver.solver},
      {"iteration", solver.iteration},
      {"numbers", solver.scalars.size() + 1},
      {"vectors", shapes}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  header.append(15 - header.size() % 16, ' ') += '\n';
  AtomicWriter file(path, true);
  file.write(header.data(), header.size());
  file.write(&state.data_norm, sizeof(double));
  file.write(solver.scalars.data(), solver.scalars.size() * sizeof(double));
  for (const auto& vector : solver.vectors) file.write(vector.data(), vector.view().bytes());
  file.commit();
}

// Reads from a file that has been measured; std::runtime_error says what is wrong with it.
class Reader {
 public:
  explicit Reader(const std::string& path)
      : file_(path, std::ios::binary), left_(std::filesystem::file_size(path)) {
    if (!file_) throw std::runtime_error(std::strerror(errno));
  }

  Json header() {
    std::string line(std::min<std::uintmax_t>(left_, longest_header), '\0');
    file_.read(line.data(), static_cast<std::streamsize>(line.size()));
    const std::size_t end = line.find('\n');
    Json json;
    if (end != std::string::npos) json = Json::parse(line.substr(0, end), nullptr, false);
    if (!json.is_object() || json.value("format", Json()) != format_name)
      throw std::runtime_error("it is no checkpoint");
    if (json.value("version", Json()) != format_version)
      throw std::runtime_error("it is one of another version");
    file_.seekg(static_cast<std::streamoff>(end + 1));
    left_ -= end + 1;
    return json;
  }
  void read(void* to, std::uintmax_t count, std::size_t size) {
    if (count > left_ / size) throw std::runtime_error("it is shorter than its header says");
    file_.read(static_cast<char*>(to), static_cast<std::streamsize>(count * size));
    left_ -= count * size;
  }
  /// Whether so many elements are still to come; checked before memory is taken for them.
  void require(std::uintmax_t count, std::size_t size) const {
    if (count > left_ / size) throw std::runtime_error("it is shorter than its header says");
  }
  void finish() const {
    if (left_ > 0) throw std::runtime_error("it is longer than its header says");
    if (!file_) throw std::runtime_error("it could not be read");
  }

 private:
  std::ifstream file_;
  std::uintmax_t left_;
};

template <typename T>
Checkpoint<T> read_solver(Reader& reader, const Json& header, double& data_norm) {
  Checkpoint<T> solver;
  solver.solver = header.at("solver").get<std::string>();
  solver.iteration = header.at("iteration").get<Index>();
  const auto numbers = header.at("numbers").get<std::uint64_t>();
  reader.require(numbers, sizeof(double));
  if (numbers < 1 || solver.iteration < 1) throw std::runtime_error("its header is damaged");
  reader.read(&data_norm, 1, sizeof(double));
  solver.scalars.resize(numbers - 1);
  reader.read(solver.scalars.data(), numbers - 1, sizeof(double));
  for (const Json& axes : header.at("vectors")) {
    Shape shape;
    std::uintmax_t size = 1;
    if (!axes.is_array() || axes.empty() || axes.size() > 8)
      throw std::runtime_error("its header is damaged");
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      const auto length = axis->get<std::uint64_t>();
      if (length < 1 || length > (std::uintmax_t{1} << 48) / size)
        throw std::runtime_error("its header is damaged");
      size *= length;
      shape = shape.prepend(static_cast<Index>(length));
    }
    reader.require(size, sizeof(std::complex<T>));
    Array<std::complex<T>>& vector = solver.vectors.emplace_back(shape);
    reader.read(vector.data(), size, sizeof(std::complex<T>));
  }
  reader.finish();
  return solver;
}

SavedState read(const std::string& path) {
  try {
    Reader reader(path);
    const Json header = reader.header();
    SavedState state;
    state.image = header.at("image").get<Index>();
    state.terms = header.at("terms").get<std::string>();
    if (header.at("precision") == precision_name<double>)
      state.solver = read_solver<double>(reader, header, state.data_norm);
    else
      state.solver = read_solver<float>(reader, header, state.data_norm);
    return state;
  } catch (const Json::exception&) {
    throw input_error("--checkpoint {}: its header is damaged; remove it to start anew", path);
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw input_error("--checkpoint {}: {}; name another file, or remove it to start anew", path,
                      error.what());
  }
}

}  // namespace

CheckpointFile::CheckpointFile(std::string path, const std::vector<Target>& targets,
                               const std::vector<std::string>& inputs, Reporter& reporter)
    : path_(std::move(path)) {
  if (path_.empty()) return;
  check_target(path_, true, inputs);
  std::error_code status;
  for (const Target& target : targets)
    if (std::filesystem::weakly_canonical(target.path, status) ==
        std::filesystem::weakly_canonical(path_, status))
      throw usage_error("--checkpoint {} is also an output", path_);
  if (!std::filesystem::exists(path_, status)) return;
  saved_ = read(path_);
  std::visit(
      [&](const auto& solver) {
        reporter.note(fmt::format("going on from {}: image {}, {} after {} iterations", path_, saved_->image,
                                  solver.solver, solver.iteration));
      },
      saved_->solver);
}

void CheckpointFile::connect(ReconstructOptions& options) const {
  if (path_.empty()) return;
  if (saved_) options.solve.resume = &*saved_;
  options.solve.checkpoint = [path = path_](const SavedState& state) {
    std::visit([&](const auto& solver) { write(path, state, solver); }, state.solver);
  };
}

void CheckpointFile::remove() const {
  if (path_.empty()) return;
  std::error_code status;
  std::filesystem::remove(path_, status);
}

}  // namespace larmor::app
