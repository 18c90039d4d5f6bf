// How often AᴴA is applied until an image is near the minimum, with the preconditioner that recon run takes
// and without one, for six kinds of scans and the terms none, l2, tv and wavelet, as a Markdown table:
//   preconditioner_products [threads] [λ, default 1e-3] [names of scans, default all]
// "Near" is a gradient of 1e-3 of Aᴴy for none and l2, and images within 1 % of the minimum, which a long run
// has found, for the others. The last two columns are of the same solver without the preconditioner, and of
// the other way: where one is taken, the solver that the term alone asks for; where none is, conjugate
// gradients with a circulant one. All is counted, also what a preconditioner is made from; ‖A‖² is not, which
// all need.

#include "problems.hpp"

#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/trajectory/spiral.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/solvers/methods/circulant_preconditioner.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/regularizers/l2.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>
#include <larmor/solvers/solve.hpp>
#include <larmor/solvers/solver_choice.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace larmor {
namespace {

using T = float;
using C = std::complex<T>;
constexpr Index coils = 8, most_iterations = 400, reference_iterations = 600;
constexpr double near_gradient = 1e-3, near_image = 0.01, noise = 0.01;

class Counted final : public TwoWayOperator<Counted, T> {
 public:
  Counted(const Operator<T>& inner, std::shared_ptr<Index> count)
      : TwoWayOperator<Counted, T>(inner.domain(), inner.codomain()),
        inner_(inner),
        count_(std::move(count)) {}
  std::string name() const override { return "Counted"; }
  std::size_t scratch_bytes(const Context& ctx) const override { return inner_.scratch_bytes(ctx); }

 protected:
  friend TwoWayOperator<Counted, T>;
  void run(Direction way, View<const C> in, View<C> out, Context& ctx, Write write) const override {
    ++*count_;
    inner_.apply(way, in, out, ctx, write);
  }

 private:
  Operator<T> inner_;
  std::shared_ptr<Index> count_;
};

struct Scan {
  std::string name;
  Shape shape;
  Array<double> trajectory;
  bool ends = false;  // coil maps are 0 where the object is
};

std::vector<Scan> scans() {
  const auto every = [](const Array<double>& k, Index line, Index kept) {
    Array<double> some({k.shape()[0] / kept, k.shape()[1]});
    for (Index j = 0, to = 0; j < k.shape()[0]; ++j)
      if (j / line % kept == 0) {
        for (Index axis = 0; axis < k.shape()[1]; ++axis)
          some[to * k.shape()[1] + axis] = k[j * k.shape()[1] + axis];
        ++to;
      }
    return some;
  };
  std::vector<Scan> all;
  all.push_back({"radial, R 4", {96, 96}, bench::radial(38, 192)});
  all.push_back({"radial, R 4, maps end with the head", {96, 96}, bench::radial(38, 192), true});
  const auto spiral = variable_density_spiral({.matrix = 96, .interleaves = 12});
  all.push_back({"spiral, R 2", {96, 96}, every(spiral.k, spiral.samples_per_readout, 2)});
  all.push_back({"Cartesian, R 2", {96, 96}, every(cartesian_points({96, 96}).k, 96, 2)});
  all.push_back({"stack of stars, R 4", {8, 32, 32}, stack_of_stars({.spokes = 13, .samples = 64}, 8).k});
  all.push_back({"kooshball, R 4", {32, 32, 32}, bench::kooshball(804, 32)});
  return all;
}

// One way to solve: the products until it is near, all of them, and where it ended.
struct Run {
  Index products = 0;
  bool near = false;
};

struct Way {
  Solver solver;
  SolverOptions<T> options;
  Problem<T> problem;
};

// Where coils see anything.
double distance(View<const C> x, View<const C> y, const std::vector<char>& seen) {
  double apart = 0, size = 0;
  for (Index i = 0; i < x.size(); ++i) {
    if (!seen[static_cast<std::size_t>(i)]) continue;
    apart += std::norm(std::complex<double>(x[i]) - std::complex<double>(y[i]));
    size += std::norm(std::complex<double>(y[i]));
  }
  return std::sqrt(apart / size);
}

// From `before` products, those that the way was made with.
Run count(Way way, const Array<C>* reference, const std::vector<char>& seen,
          const std::shared_ptr<Index>& products, Index before, Context& ctx) {
  Run run;
  const Index first = *products;
  way.options.iterations = most_iterations;
  way.options.hooks.step = [&](const SolverStep& step, View<const C> x) {
    if (run.near) return;
    run.near = reference ? distance(x, *reference, seen) <= near_image : step.gradient <= near_gradient;
    run.products = before + *products - first;
  };
  solve<T>(way.problem, way.solver, way.options, ctx);
  return run;
}

std::string text(const std::optional<Run>& run) {
  if (!run) return "";
  return (run->near ? "" : "> ") + std::to_string(run->products);
}

void rows(const Scan& scan, double lambda, Context& ctx) {
  const int dims = scan.shape.rank();
  const Phantom phantom(dims, head_phantom(dims), coil_ring(dims, coils));
  auto samples = converted<C>(phantom.kspace(scan.trajectory, scan.shape, ctx).view());
  std::mt19937 generator(1);
  std::normal_distribution<double> gauss(0, noise * std::sqrt(static_cast<double>(scan.shape.size()) / 2));
  for (C& value : samples) value += C(std::complex<double>(gauss(generator), gauss(generator)));
  auto maps = phantom.maps(scan.shape, ctx);
  if (scan.ends) {
    const auto object = phantom.image(scan.shape, 2, ctx);
    for (Index c = 0; c < coils; ++c)
      for (Index i = 0; i < object.size(); ++i)
        if (object[i] == 0.0) maps[c * object.size() + i] = 0;
  }
  std::vector<char> seen(static_cast<std::size_t>(scan.shape.size()));
  for (Index i = 0; i < maps.size(); ++i)
    if (maps[i] != C(0)) seen[static_cast<std::size_t>(i % scan.shape.size())] = 1;
  const auto A = Nufft<T>(scan.trajectory, scan.shape, {.tolerance = 1e-5, .batch = coils}, ctx) *
                 CoilMaps<T>(std::move(maps));
  const auto products = std::make_shared<Index>(0);
  Problem<T> problem;
  problem.rhs = A.adjoint(samples, ctx);
  problem.normal = Counted(A.normal({.toeplitz = NormalOptions::Toeplitz::on}, ctx), products);
  problem.norm_squared = largest_eigenvalue<T>(problem.normal, ctx);

  const ImageLayout layout{scan.shape, dims};
  const std::vector<std::vector<Regularizer<T>>> terms{{},
                                                       {l2<T>(lambda)},
                                                       {total_variation<T>(layout, {.lambda = lambda})},
                                                       {wavelet_l1<T>(layout, {.lambda = lambda})}};
  for (const auto& term : terms) {
    problem.regularizers = term;
    const bool quadratic = term.empty() || term.front().quadratic;
    Way taken{Solver::automatic, {}, problem};
    const Index before = *products;
    SolverChoice<T> choice(dims);
    taken.solver = choice.prepare(taken.problem, taken.options, ctx);
    const Index made = *products - before;
    const bool preconditioned = static_cast<bool>(taken.options.preconditioner);

    std::optional<Array<C>> minimum;
    if (!quadratic) {
      Way longer = taken;
      longer.options.iterations = reference_iterations;
      minimum = std::move(solve<T>(longer.problem, longer.solver, longer.options, ctx).x);
    }
    const Array<C>* reference = minimum ? &*minimum : nullptr;
    const Run with = count(taken, reference, seen, products, made, ctx);
    std::optional<Run> same, other;
    if (preconditioned) {
      same = count({taken.solver, {}, taken.problem}, reference, seen, products, 0, ctx);
      other = count({automatic_solver<T>(problem, ctx), {}, problem}, reference, seen, products, 0, ctx);
    } else if (quadratic) {
      const Index start = *products;
      Way circulant = taken;
      circulant.options.preconditioner = circulant_preconditioner<T>(
          problem.normal, dims, {.lambda = term.empty() ? 0 : lambda, .norm_squared = problem.norm_squared},
          ctx);
      other = count(circulant, reference, seen, products, *products - start, ctx);
    }
    std::printf("| %s | `%s` | %s%s | %s | %s | %s |\n", scan.name.c_str(),
                term.empty() ? "none" : term.front().name.c_str(), to_string(taken.solver),
                preconditioned ? ", preconditioned" : "", text(with).c_str(), text(same).c_str(),
                text(other).c_str());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace larmor

int main(int argc, char** argv) {
  try {
    larmor::Context ctx(larmor::Device::cpu(), {.threads = argc > 1 ? std::atoi(argv[1]) : 0});
    const double lambda = argc > 2 ? std::atof(argv[2]) : 1e-3;
    const std::vector<std::string> names(argv + std::min(argc, 3), argv + argc);
    std::printf(
        "| scan | term | taken by itself | AᴴA | its solver alone | other |\n|---|---|---|---|---|---|\n");
    for (const larmor::Scan& scan : larmor::scans())
      if (names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return scan.name.find(name) != std::string::npos;
          }))
        larmor::rows(scan, lambda, ctx);
  } catch (const larmor::Error& error) {
    std::fprintf(stderr, "preconditioner_products: %s\n", error.what());
    return error.exit_code();
  }
  return 0;
}
