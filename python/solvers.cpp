#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/ranks.hpp>
#include <larmor/python/exchange/python_lock.hpp>
#include <larmor/python/operators/own_term.hpp>
#include <larmor/python/solvers.hpp>
#include <larmor/solvers/found_lambda.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <map>

namespace larmor::python {
namespace {

/// Arguments of a solve from Python: the attributes of its class larmor.solvers.Settings.
class Settings {
 public:
  explicit Settings(nb::handle object) : object_(nb::borrow(object)) {}
  template <typename Value>
  Value get(const char* name) const {
    const char* expected = std::is_same_v<Value, std::string> ? "a text"
                           : std::is_same_v<Value, bool>      ? "True or False"
                           : std::is_same_v<Value, double>    ? "a number"
                                                              : "a whole number";
    return value_of<Value>(object(name), name, expected);
  }
  nb::object object(const char* name) const { return object_.attr(name); }
  bool has(const char* name) const { return !object(name).is_none(); }

 private:
  nb::object object_;
};

nb::dict dict_of(const SolverStep& step) {
  nb::dict result;
  result["iteration"] = step.iteration;
  result["gradient"] = step.gradient;
  result["objective"] = step.objective;
  result["constraint"] = step.constraint;
  return result;
}

/// The named terms of a solve, and their priors; a term written in Python is a function instead.
template <typename T>
class Terms {
 public:
  Terms(const Settings& settings, const ImageLayout& layout, const std::shared_ptr<Machine>& machine) {
    setting_.image = layout;
    setting_.device = machine->device();
    for (nb::handle term : settings.object("terms")) {
      const Settings one(term);
      if (one.has("function")) {
        own_.push_back(own_term(one, machine));
        continue;
      }
      specs_.push_back(parse_regularizer(one.get<std::string>("text")));
      if (one.has("prior")) {
        const auto name = "prior" + std::to_string(specs_.size());
        specs_.back().parameters.emplace_back("prior", name);
        AnyArray keep;
        priors_[name] = std::make_shared<const Array<std::complex<T>>>(
            clone(machine->input<std::complex<T>>(one.object("prior"), "prior", keep)));
      }
    }
    setting_.read_image = [this](const std::string& name) { return priors_.at(name); };
  }

  const std::vector<RegularizerSpec>& specs() const { return specs_; }
  const RegularizerSetting<T>& setting() const { return setting_; }
  bool automatic() const {
    return std::any_of(specs_.begin(), specs_.end(), [](const auto& spec) { return spec.automatic; });
  }
  /// True if all have names.
  bool plain() const { return own_.empty(); }
  std::vector<Regularizer<T>> regularizers() const {
    std::vector<Regularizer<T>> result;
    for (const RegularizerSpec& spec : specs_) result.push_back(make_regularizer<T>(spec, setting_));
    result.insert(result.end(), own_.begin(), own_.end());
    return result;
  }

 private:
  static Regularizer<T> own_term(const Settings& term, const std::shared_ptr<Machine>& machine) {
    Regularizer<T> result;
    result.function = own_function<T>(term.object("function"), machine);
    result.name = result.function->name();
    result.lambda = term.get<double>("weight");
    if (term.has("transform")) {
      result.transform = operator_of<T>(nb::cast<OperatorHandle>(term.object("transform")));
      result.transform_norm_squared = term.get<double>("norm_squared");
    }
    return result;
  }

  RegularizerSetting<T> setting_;
  std::vector<RegularizerSpec> specs_;
  std::map<std::string, std::shared_ptr<const Array<std::complex<T>>>> priors_;
  std::vector<Regularizer<T>> own_;
};

template <typename T>
SolverOptions<T> options_of(const Settings& settings) {
  SolverOptions<T> options;
  options.iterations = settings.get<Index>("iterations");
  options.tolerance = settings.get<double>("tolerance");
  options.objective = settings.get<bool>("objective");
  options.null_space = settings.get<double>("null_space");
  options.admm.rho = settings.get<double>("rho");
  options.admm.inner_iterations = settings.get<Index>("inner_iterations");
  options.admm.inner_tolerance = settings.get<double>("inner_tolerance");
  if (settings.has("preconditioner"))
    options.preconditioner = operator_of<T>(nb::cast<OperatorHandle>(settings.object("preconditioner")));
  const auto toeplitz = settings.get<std::string>("toeplitz");
  using Toeplitz = NormalOptions::Toeplitz;
  if (toeplitz != "auto" && toeplitz != "on" && toeplitz != "off")
    throw usage_error("toeplitz is '{}', expected auto, on or off", toeplitz);
  options.normal.toeplitz = toeplitz == "auto" ? Toeplitz::automatic
                            : toeplitz == "on" ? Toeplitz::on
                                               : Toeplitz::off;
  options.normal.expected_applies = static_cast<int>(std::min<Index>(options.iterations, 1000000));
  return options;
}

/// Passes each step and a copy of its iterate to a Python function.
template <typename T>
auto calls(const nb::object& callback, const std::string& library, Context& ctx) {
  return [&callback, library, &ctx](const SolverStep& step, View<const std::complex<T>> iterate) {
    Array<std::complex<T>> copy = clone(iterate);
    ctx.synchronize();
    const Locked lock;
    const OutOfTurn others;
    return callback(dict_of(step), owned_by_python(std::move(copy), library)).is(nb::bool_(true));
  };
}

/// Results of a solve besides the image.
struct Found {
  std::vector<SolverStep> history;
  StopReason stop_reason = StopReason::iterations;
  std::string solver;
  std::vector<RegularizerSpec> terms;
  LambdaChoice choice;
  double unexplained = 0;  ///< ‖Ax − y‖² / ‖y‖²

  /// Takes the history of a solution, and returns its image.
  template <typename T>
  Array<std::complex<T>> take(SolverResult<T> solved) {
    history = std::move(solved.history);
    stop_reason = solved.stop_reason;
    return std::move(solved.x);
  }

  nb::dict dict() const {
    nb::dict result;
    nb::list steps, names;
    for (const SolverStep& step : history) steps.append(dict_of(step));
    for (const RegularizerSpec& spec : terms) names.append(to_string(spec));
    result["history"] = steps;
    result["stop_reason"] = to_string(stop_reason);
    result["solver"] = solver;
    result["terms"] = names;
    result["unexplained"] = unexplained;
    result["lambda_rule"] = choice.criterion == LambdaCriterion::none ? "" : to_string(choice.criterion);
    return result;
  }
};

// ‖Ax − y‖² of the samples of all ranks.
template <typename T>
double squared_residual(const Operator<T>& A, View<const std::complex<T>> x, View<const std::complex<T>> y,
                        Context& ctx) {
  Array<std::complex<T>> Ax(A.codomain(), ctx.device());
  A.apply(x, Ax, ctx);
  axpy<T>(-1, y, Ax, ctx);
  return squared_norm_of_samples<T>(A, Ax, ctx);
}

template <typename T>
nb::dict solve_in(const OperatorHandle& handle, nb::handle y, nb::handle out, const Settings& settings) {
  using C = std::complex<T>;
  Machine& machine = *handle.machine;
  const Operator<T>& A = operator_of<T>(handle);
  AnyArray samples, image, start;
  const View<const C> data = machine.input<C>(y, "y", samples);
  const View<C> x = machine.output<C>(out, "out", image);
  const ImageLayout layout{A.domain(), settings.get<int>("space")};
  const Terms<T> terms(settings, layout, handle.machine);
  SolverOptions<T> options = options_of<T>(settings);
  if (settings.has("start"))
    options.start = SharedArray<C>::borrowed(machine.input<C>(settings.object("start"), "start", start));
  const nb::object callback = settings.object("callback");
  Solver solver = parse_solver(settings.get<std::string>("solver"));
  if (terms.automatic() && (!terms.plain() || settings.has("start") || !callback.is_none()))
    throw usage_error(
        "lambda auto works with named terms only, and without start and callback; solve again with the "
        "lambda that was found");
  const auto noise = settings.get<double>("noise_variance");
  const auto library = settings.get<std::string>("library");
  AnyArray given;
  View<const double> weights;
  const bool weighs = settings.has("weights");
  if (weighs)
    weights = borrowed_host<double>(given = array_of(settings.object("weights"), "weights"), "weights");
  if (describe(A.held()).find("RowsOfRank") != std::string::npos &&
      (solver == Solver::lsmr || terms.automatic()))
    throw usage_error(
        "lsmr and a lambda of \"auto\" need all samples, but each rank has only its own rows: use another "
        "solver, or give lambda");
  Found found;
  machine.run_interruptibly([&](Context& ctx) {
    if (!callback.is_none()) options.hooks.step = calls<T>(callback, library, ctx);
    const Equations<T> equations = weighs ? weighted<T>(A, data, weights, ctx) : Equations<T>{A, {}};
    const Operator<T>& model = equations.A;
    const View<const C> rows = weighs ? equations.y.view() : data;
    Array<C> result;
    if (terms.automatic()) {
      auto automatic = solve_with_found_lambda<T>({A, data, noise, weights}, terms.specs(), terms.setting(),
                                                  solver, options, ctx);
      result = found.take(std::move(automatic.solution));
      found.solver = to_string(automatic.solver);
      found.terms = automatic.terms;
      found.choice = automatic.choice;
    } else {
      const auto problem =
          larmor::detail::problem_of<T>(model, rows, terms.regularizers(), options.normal, ctx);
      if (solver == Solver::automatic) solver = automatic_solver(problem, ctx);
      result = found.take(solve(problem, solver, options, ctx));
      found.solver = to_string(solver);
      found.terms = terms.specs();
    }
    const double energy = squared_norm_of_samples<T>(model, rows, ctx);
    if (energy > 0) found.unexplained = squared_residual<T>(model, result, rows, ctx) / energy;
    copy_bytes(x.data(), x.device(), result.data(), result.device(), x.bytes());
    ctx.synchronize();
  });
  return found.dict();
}

nb::dict solve_any(const OperatorHandle& handle, nb::handle y, nb::handle out, nb::handle settings) {
  return by_precision(handle.is_double(), [&](auto precision) {
    return solve_in<decltype(precision)>(handle, y, out, Settings(settings));
  });
}

}  // namespace

void define_solvers(nb::module_& module) {
  module.def("solve", &solve_any);
  module.def("check_term", [](const std::string& text) { return to_string(parse_regularizer(text)); });
  module.def("regularizer_help", &regularizer_help);
  module.def("solver_names", [] {
    nb::list names;
    for (const SolverRow& row : solver_table()) names.append(row.name);
    return names;
  });
}

}  // namespace larmor::python
