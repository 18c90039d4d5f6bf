// The error of conjugate gradients after every iteration, against a truth: one run instead of one a number of
// iterations. Prints a JSON array with the complex NRMSE after one scale, as recon compare finds it; the
// first number is that of one iteration. See default_against_best.py.

#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/quality/kspace_region.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace larmor;
using Image = Array<std::complex<float>>;

struct Options {
  std::string scan, truth, maps, inside, density = "none";
  bool magnitude = false;
  double mask = 0, risen = 1.15;
  Index iterations = 400;
  int threads = 0;
};

// The error has risen: no further iteration is wanted.
struct Enough {};

class Errors {
 public:
  Errors(const Options& options, Context& ctx) : options_(options), ctx_(ctx) {
    truth_ = judged(read_array(options.truth));
    float largest = 0;
    for (const auto& pixel : read_array(options.truth)) largest = std::max(largest, std::abs(pixel));
    for (const auto& pixel : read_array(options.truth))
      counts_.push_back(options.mask == 0 || std::abs(pixel) > options.mask * largest);
  }

  void add(Image image) {
    if (image.size() != truth_.size())
      throw std::runtime_error("the image has " + image.shape().to_string() + " pixels, the truth " +
                               truth_.shape().to_string());
    const Image seen = judged(std::move(image));
    std::complex<double> common = 0;
    double own = 0, true_own = 0;
    for (Index i = 0; i < seen.size(); ++i) {
      if (!counts_[static_cast<std::size_t>(i)]) continue;
      const std::complex<double> a(seen[i]), b(truth_[i]);
      common += std::conj(a) * b;
      own += std::norm(a);
      true_own += std::norm(b);
    }
    found_.push_back(std::sqrt(std::max(0.0, 1 - std::norm(common) / (own * true_own))));
    least_ = std::min(least_, found_.back());
    if (found_.back() > options_.risen * least_) throw Enough{};
  }

  [[nodiscard]] const std::vector<double>& found() const { return found_; }

 private:
  Image judged(Image image) const {
    Shape shape = image.shape();
    while (shape.rank() > 2 && shape[0] == 1) shape = shape.drop_front(1);
    if (!options_.inside.empty()) {
      const int dims = options_.inside == "disc" ? 2 : std::min(shape.rank(), 3);
      image = inside_of_kspace(image.view().reshaped(shape),
                               ball_of_kspace(shape.drop_front(shape.rank() - dims)), ctx_);
    }
    if (options_.magnitude)
      for (auto& pixel : image) pixel = std::abs(pixel);
    return image;
  }

  const Options& options_;
  Context& ctx_;
  Image truth_;
  std::vector<bool> counts_;
  std::vector<double> found_;
  double least_ = std::numeric_limits<double>::infinity();
};

std::vector<double> errors_of(const Options& options) {
  Context ctx(Device::cpu(), {.threads = options.threads});
  Errors errors(options, ctx);
  const Image maps = read_array(options.maps);
  ReconstructOptions run;
  run.coils.maps = maps.view();
  run.density = options.density == "pipe" ? DensityKind::pipe : DensityKind::none;
  run.solve.solver = Solver::cg;
  run.solve.iterations = options.iterations;
  run.solve.checkpoint_every = 1;
  run.solve.checkpoint = [&](const SavedState& state) {
    errors.add(clone(std::get<Checkpoint<float>>(state.solver).vectors.at(0)));
  };
  try {
    reconstruct(read_ismrmrd(options.scan), run, ctx);
  } catch (const Enough&) {
  }
  return errors.found();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Errors of conjugate gradients after every iteration");
  app.add_option("SCAN", options.scan)->required();
  app.add_option("TRUTH", options.truth)->required();
  app.add_option("--maps", options.maps, "of the coils")->required();
  app.add_option("--inside", options.inside)->check(CLI::IsMember({"ball", "disc"}));
  app.add_option("--density", options.density)->check(CLI::IsMember({"none", "pipe"}));
  app.add_flag("--magnitude", options.magnitude);
  app.add_option("--mask", options.mask, "the truth above this part of its maximum");
  app.add_option("--iterations", options.iterations, "at most");
  app.add_option("--risen", options.risen, "ends where the error is so many times the least");
  app.add_option("--threads", options.threads);
  CLI11_PARSE(app, argc, argv);
  try {
    std::puts(nlohmann::json(errors_of(options)).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "every_iteration: %s\n", error.what());
    return 1;
  }
  return 0;
}
