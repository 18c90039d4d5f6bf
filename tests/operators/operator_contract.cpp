#include "operators/operator_contract.hpp"
#include "error_of.hpp"

#include "random_arrays.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {
std::atomic<std::size_t> new_calls{0};
}

// Replacements that count: a test can detect whether an apply allocates. Builds with separate scratch
// allocate in every apply, and their sanitizers have replacements of their own.
#ifndef LARMOR_SEPARATE_SCRATCH
void* operator new(std::size_t size) {
  ++new_calls;
  if (void* pointer = std::malloc(size > 0 ? size : 1)) return pointer;
  throw std::bad_alloc();
}
void operator delete(void* pointer) noexcept {
  std::free(pointer);
}
void operator delete(void* pointer, std::size_t) noexcept {
  std::free(pointer);
}
#endif

namespace larmor::test {

std::size_t operator_new_calls() {
  return new_calls;
}

namespace {

template <typename T>
class Checker {
 public:
  using C = std::complex<T>;

  Checker(const LinearOperator<T>& A, const ContractOptions<T>& options)
      : A_(A),
        options_(options),
        rounding_((sizeof(T) == 4 ? 2e-6 : 1e-14)),
        x_(there(random_complex<T>(A.domain(), 1))),
        y_(there(random_complex<T>(A.codomain(), 2))) {}

  std::vector<std::string> run() {
    adjoint();
    linearity();
    normal();
    reference();
    writing();
    same_bits_again();
    allocations();
    errors();
    return std::move(violations_);
  }

 private:
  // An array on the device under test.
  Array<C> there(Array<C> array) const { return moved_to(options_.device, std::move(array)); }
  Array<C> uninitialised(const Shape& shape) const { return Array<C>(shape, options_.device); }

  void require(bool fulfilled, const std::string& what) {
    if (!fulfilled) violations_.push_back(A_.name() + ": " + what);
  }
  void near(double error, double tolerance, const std::string& what) {
    require(error <= tolerance, fmt::format("{}: {:.2e}, at most {:.2e} expected", what, error, tolerance));
  }

  // Normalised by ‖Ax‖‖y‖, because inner products themselves have heavy tails.
  void adjoint() {
    const auto Ax = A_.apply(x_, ctx_), Ay = A_.adjoint(y_, ctx_);
    auto left = dot<T>(Ax, y_, ctx_), right = dot<T>(x_, Ay, ctx_);
    if (options_.real_linear) left.imag(0), right.imag(0);
    const double size = std::sqrt(squared_norm<T>(Ax, ctx_) * squared_norm<T>(y_, ctx_));
    near(size > 0 ? std::abs(left - right) / size : std::abs(right), rounding_, "adjoint");
  }

  void linearity() {
    const bool real = options_.real_linear;
    const std::complex<double> a(0.7, real ? 0 : -1.3), b(-0.4, real ? 0 : 0.6);
    const std::string kind = real ? "real linearity" : "complex linearity";
    const auto check = [&](const std::string& what, const Array<C>& u, const auto& map) {
      const auto v = there(random_complex<T>(u.shape(), 3));
      auto mixed = clone(u);
      scale<T>(a, mixed, ctx_);
      axpy<T>(b, v, mixed, ctx_);
      auto expected = map(u);
      scale<T>(a, expected, ctx_);
      axpy<T>(b, map(v), expected, ctx_);
      near(relative_difference(map(mixed), expected), 4 * rounding_, what);
    };
    check(kind, x_, [&](const Array<C>& u) { return A_.apply(u, ctx_); });
    check(kind + " of the adjoint", y_, [&](const Array<C>& u) { return A_.adjoint(u, ctx_); });
  }

  void normal() {
    const auto plain = A_.adjoint(A_.apply(x_, ctx_), ctx_);
    const double tolerance = options_.normal_tolerance > 0 ? options_.normal_tolerance : 8 * rounding_;
    near(relative_difference(A_.normal(ctx_).apply(x_, ctx_), plain), tolerance, "normal");
  }

  // Builds with separate scratch are for sanitizers, which are slow and detect invalid memory accesses: a few
  // columns suffice.
#ifdef LARMOR_SEPARATE_SCRATCH
  static constexpr Index most_columns = 4;
#else
  static constexpr Index most_columns = std::numeric_limits<Index>::max();
#endif
  void reference() {
    if (!options_.reference) return;
    const double tolerance = options_.reference_tolerance > 0 ? options_.reference_tolerance : 4 * rounding_;
    double error = 0, size = 0;
    Array<C> unit(A_.domain());
    Array<std::complex<double>> unit_double(A_.domain());
    // Columns for imaginary units follow from the real ones if the operator is complex-linear.
    const Index columns = unit.size() * (options_.real_linear ? 2 : 1);
    for (Index column = 0; column < columns; column += std::max<Index>(1, unit.size() / most_columns)) {
      const std::complex<double> one =
          column < unit.size() ? std::complex<double>(1, 0) : std::complex<double>(0, 1);
      for (Index i = 0; i < unit.size(); ++i) {
        unit_double[i] = i == column % unit.size() ? one : 0;
        unit[i] = C(unit_double[i]);
      }
      const auto found = fetched(A_.apply(copied_to(options_.device, unit), ctx_));
      const auto expected = options_.reference(unit_double);
      if (expected.size() != found.size()) return require(false, "the reference has another size");
      for (Index i = 0; i < found.size(); ++i) {
        error += std::norm(std::complex<double>(found[i]) - expected[i]);
        size += std::norm(expected[i]);
      }
    }
    // Columns may all be zero.
    near(std::sqrt(size > 0 ? error / size : error), tolerance, "dense matrix against the reference");
  }

  // `out` is filled with NaN, then overwritten; filled with noise, then added to.
  void writing() {
    const auto check = [&](const char* what, const Shape& shape, const auto& run) {
      const T nan = std::numeric_limits<T>::quiet_NaN();
      auto fresh = there(filled<C>(shape, C(nan, nan)));
      run(fresh, Write::overwrite);
      auto sum = there(random_complex<T>(shape, 5));
      const auto before = clone(sum);
      run(sum, Write::accumulate);
      axpy<T>(-1, before, sum, ctx_);
      const double error = relative_difference(sum, fresh);
      near(std::isnan(error) ? std::numeric_limits<double>::infinity() : error, 1e2 * rounding_, what);
    };
    check("overwrite and accumulate", A_.codomain(), [&](Array<C>& y, Write w) { A_.apply(x_, y, ctx_, w); });
    check("overwrite and accumulate of the adjoint", A_.domain(),
          [&](Array<C>& x, Write w) { A_.adjoint(y_, x, ctx_, w); });
  }

  // On a CPU the result must not depend on the number of threads. On a GPU a context that requests
  // deterministic results must repeat them.
  void same_bits_again() {
    const bool gpu = options_.device.on_gpu();
    Context one(options_.device, {.threads = 1, .deterministic = gpu});
    Context other(options_.device, {.threads = 3, .deterministic = gpu});
    const char* problem = gpu ? "differs between two deterministic runs" : "depends on the number of threads";
    const auto same = [](const Array<C>& a, const Array<C>& b) {
      const auto p = fetched(a), q = fetched(b);
      return std::memcmp(p.data(), q.data(), p.view().bytes()) == 0;
    };
    require(same(A_.apply(x_, one), A_.apply(x_, other)), fmt::format("apply {}", problem));
    require(same(A_.adjoint(y_, one), A_.adjoint(y_, other)), fmt::format("adjoint {}", problem));
  }

  void allocations() {
    Array<C> y = uninitialised(A_.codomain()), x = uninitialised(A_.domain()), n = uninitialised(A_.domain());
    const auto normal = A_.normal(ctx_);
    const auto apply_all = [&] {
      A_.apply(x_, y, ctx_);
      A_.adjoint(y_, x, ctx_);
      normal.apply(x_, n, ctx_);
    };
    const auto array_allocations = [] {
      return memory_use(Device::Kind::cpu).allocations + memory_use(Device::Kind::cuda).allocations;
    };
    apply_all();
    const std::size_t news = operator_new_calls(), arrays = array_allocations();
    apply_all();
    const std::size_t new_news = operator_new_calls() - news, new_arrays = array_allocations() - arrays;
#ifdef LARMOR_SEPARATE_SCRATCH  // every scratch is a separate allocation
    static_cast<void>(new_news), static_cast<void>(new_arrays);
#else
    // The CUDA runtime and driver allocate memory of their own.
    require(new_news == 0 || options_.device.on_gpu(),
            fmt::format("{} calls of operator new in a second apply", new_news));
    require(new_arrays == 0, fmt::format("{} array allocations in a second apply", new_arrays));
#endif
  }

  void errors() {
    const auto memory = [&] { return memory_use(options_.device.kind).current_bytes; };
    const std::size_t before = memory();
    refusals();
    require(memory() == before, "memory lost by an error");
    require(ctx_.arena().in_use() == 0, "scratch memory in use after an error");
  }

  void refusals() {
    const auto names = [&](const std::string& text, const Shape& found, const Shape& expected) {
      return text.find(A_.name()) != std::string::npos && text.find(found.to_string()) != std::string::npos &&
             text.find(expected.to_string()) != std::string::npos;
    };
    const Shape wrong{A_.domain().size() + 1, 3};
    Array<C> bad = uninitialised(wrong), x = uninitialised(A_.domain()), y = uninitialised(A_.codomain());
    require(names(error_of([&] { A_.apply(bad, y, ctx_); }), wrong, A_.domain()),
            "wrong input shape not named");
    require(names(error_of([&] { A_.apply(x, bad, ctx_); }), wrong, A_.codomain()),
            "wrong output shape not named");
    require(names(error_of([&] { A_.adjoint(bad, x, ctx_); }), wrong, A_.codomain()),
            "wrong input shape of the adjoint not named");
    Array<C> shared = uninitialised({A_.domain().size() + A_.codomain().size()});
    const View<C> in(shared.data(), A_.domain(), shared.device());
    const View<C> out(shared.data() + A_.domain().size() - 1, A_.codomain(), shared.device());
    require(error_of([&] { A_.apply(in, out, ctx_); }).find("overlap") != std::string::npos,
            "overlapping memory not refused");
    const Device wrong_device = options_.device.on_gpu() ? Device::cpu() : Device::cuda();
    const auto names_device = [&](const std::string& text) {
      return text.find(A_.name()) != std::string::npos &&
             text.find("on " + wrong_device.to_string()) != std::string::npos &&
             text.find("computes on " + options_.device.to_string()) != std::string::npos;
    };
    // Only labelled with another device: the error must come before anything is read.
    const View<C> x_elsewhere(x.data(), x.shape(), wrong_device);
    require(names_device(error_of([&] { A_.apply(x_elsewhere, y, ctx_); })),
            "wrong device of the input not named");
    require(names_device(error_of([&] { A_.adjoint(y, x_elsewhere, ctx_); })),
            "wrong device of the adjoint's output not named");
  }

  const LinearOperator<T>& A_;
  const ContractOptions<T>& options_;
  double rounding_;
  Context ctx_{options_.device, {.threads = 2}};
  Array<C> x_, y_;
  std::vector<std::string> violations_;
};

}  // namespace

template <typename T>
std::vector<std::string> contract_violations(const LinearOperator<T>& A, const ContractOptions<T>& options) {
  return Checker<T>(A, options).run();
}

template std::vector<std::string> contract_violations<float>(const LinearOperator<float>&,
                                                             const ContractOptions<float>&);
template std::vector<std::string> contract_violations<double>(const LinearOperator<double>&,
                                                              const ContractOptions<double>&);

}  // namespace larmor::test
