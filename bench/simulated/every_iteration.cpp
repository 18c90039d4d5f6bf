// Errors of several reconstructions of one scan, which is read once, equal to those that recon run and recon
// compare give one by one: of an image for each --run, and of conjugate gradients after every iteration for
// each --every. Both take options of recon run by name, as "density=pipe iterations=20". See
// default_against_best.py.
//
// Prints JSON: {"runs": [{"error": …, and "iterations", and by default "expected"}, …], "every": [[error
// after one iteration, after two, …], …]}.

#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/quality/kspace_region.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/options/named_options.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace larmor;
using Image = Array<std::complex<float>>;
using Json = nlohmann::json;

struct Options {
  std::string scan, truth, maps, inside, device = "cpu";
  std::vector<std::string> runs, every;
  bool magnitude = false;
  double mask = 0, risen = 1.15;
  int threads = 0;
};

/// Restricts images to a ball or disc of k-space, in single precision on any device: inside_of_kspace() would
/// dominate the time.
class Inside {
 public:
  Inside(const std::string& inside, const Shape& shape, Context& ctx)
      : fft_(shape, inside == "disc" ? 2 : std::min(shape.rank(), 3)),
        region_(weights(shape.drop_front(shape.rank() - (inside == "disc" ? 2 : std::min(shape.rank(), 3))),
                        shape, ctx)) {
    fft_.reserve(ctx);
  }

  Image of(Image image, Context& ctx) const {
    const Image there = fft_.apply(moved_to(ctx.device(), std::move(image)), ctx);
    return moved_to(Device::cpu(), fft_.adjoint(region_.apply(there, ctx), ctx));
  }

 private:
  static Image weights(const Shape& grid, const Shape& shape, const Context& ctx) {
    const Array<float> region = ball_of_kspace(grid);
    Image result(shape);
    for (Index i = 0; i < result.size(); ++i) result[i] = region[i % region.size()];
    return moved_to(ctx.device(), std::move(result));
  }

  Fft<float> fft_;
  Diagonal<float> region_;
};

/// Compares images with the truth.
class Judge {
 public:
  explicit Judge(const Options& options)
      : magnitude_(options.magnitude), ctx_(Device::parse(options.device), {.threads = options.threads}) {
    Image truth = squeezed(read_array(options.truth));
    float largest = 0;
    for (const auto& pixel : truth) largest = std::max(largest, std::abs(pixel));
    for (Index i = 0; i < truth.size(); ++i)
      if (options.mask == 0 || std::abs(truth[i]) > options.mask * largest) counted_.push_back(i);
    if (!options.inside.empty()) inside_.emplace(options.inside, truth.shape(), ctx_);
    truth_ = seen(std::move(truth));
  }

  /// NRMSE after scaling by one factor.
  double error(Image image) {
    image = squeezed(std::move(image));
    if (image.shape() != truth_.shape())
      throw std::runtime_error("the image has " + image.shape().to_string() + " pixels, the truth " +
                               truth_.shape().to_string());
    image = seen(std::move(image));
    std::complex<double> common = 0;
    double own = 0, true_own = 0;
    for (const Index i : counted_) {
      const std::complex<double> a(image[i]), b(truth_[i]);
      common += std::conj(a) * b;
      own += std::norm(a);
      true_own += std::norm(b);
    }
    return std::sqrt(std::max(0.0, 1 - std::norm(common) / (own * true_own)));
  }

 private:
  static Image squeezed(Image image) {
    Shape shape = image.shape();
    while (shape.rank() > 2 && shape[0] == 1) shape = shape.drop_front(1);
    return shape == image.shape() ? std::move(image) : clone(image.view().reshaped(shape));
  }

  Image seen(Image image) {
    if (inside_) image = inside_->of(std::move(image), ctx_);
    if (magnitude_)
      for (const Index i : counted_) image[i] = std::abs(image[i]);
    return image;
  }

  bool magnitude_;
  Context ctx_;  // separate context, because a solver that returns its state uses its scratch memory
  std::vector<Index> counted_;
  std::optional<Inside> inside_;
  Image truth_;
};

// The error rises: later iterations are not needed.
struct Enough {};

/// Options of a run by name, completed for this scan.
class Words {
 public:
  Words(const std::string& text, const Options& options, const Scan& scan, Context& ctx) {
    named_.set("maps", options.maps);
    std::istringstream words(text);
    for (std::string word; text != "default" && words >> word;) {
      const std::size_t sign = std::min(word.find('='), word.size() - 1);
      named_.set(word.substr(0, sign), word.substr(sign + 1));
    }
    named_.finish(scan, ctx);
    run = named_.options();
    run.output.kind = ImageKind::complex;
  }

  ReconstructOptions run;

 private:
  app::NamedOptions named_;  // holds what the options borrow
};

Json error_of(const Scan& scan, const ReconstructOptions& run, Judge& judge, Context& ctx) {
  Reconstruction result = reconstruct(scan, run, ctx);
  Json found = {{"error", judge.error(std::move(result.series.images.at(0).pixels))}};
  found["iterations"] = result.report.images.at(0).history.size();
  if (result.report.solution.expectation) found["expected"] = result.report.solution.expectation->error();
  return found;
}

std::vector<double> errors_after_iterations(const Scan& scan, ReconstructOptions run, double risen,
                                            Judge& judge, Context& ctx) {
  std::vector<double> errors;
  double least = std::numeric_limits<double>::infinity();
  run.solve.checkpoint_every = 1;
  run.solve.checkpoint = [&](SavedState state) {
    errors.push_back(judge.error(std::move(std::get<Checkpoint<float>>(state.solver).vectors.at(0))));
    least = std::min(least, errors.back());
    if (errors.back() > risen * least) throw Enough{};
  };
  try {
    reconstruct(scan, run, ctx);
  } catch (const Enough&) {
  }
  return errors;
}

Json errors_of(const Options& options) {
  Context ctx(Device::parse(options.device), {.threads = options.threads});
  Judge judge(options);
  const Scan scan = read_ismrmrd(options.scan);
  Json runs = Json::array(), every = Json::array();
  for (const std::string& text : options.runs)
    runs.push_back(error_of(scan, Words(text, options, scan, ctx).run, judge, ctx));
  for (const std::string& text : options.every)
    every.push_back(
        errors_after_iterations(scan, Words(text, options, scan, ctx).run, options.risen, judge, ctx));
  return {{"runs", runs}, {"every", every}};
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Errors of several reconstructions of one scan");
  app.add_option("SCAN", options.scan)->required();
  app.add_option("TRUTH", options.truth)->required();
  app.add_option("--maps", options.maps, "of the coils")->required();
  app.add_option("--run", options.runs, "options of an image, by name, or: default")->allow_extra_args(false);
  app.add_option("--every", options.every,
                 "those of conjugate gradients that are looked at after every iteration")
      ->allow_extra_args(false);
  app.add_option("--inside", options.inside, "k-space that counts")->check(CLI::IsMember({"ball", "disc"}));
  app.add_flag("--magnitude", options.magnitude);
  app.add_option("--mask", options.mask, "the truth above this part of its maximum");
  app.add_option("--risen", options.risen, "iterations end where the error is so many times the least");
  app.add_option("--device", options.device, "cpu or cuda");
  app.add_option("--threads", options.threads);
  CLI11_PARSE(app, argc, argv);
  try {
    std::puts(errors_of(options).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "every_iteration: %s\n", error.what());
    return 1;
  }
  return 0;
}
