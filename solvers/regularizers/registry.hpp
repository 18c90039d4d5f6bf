#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/problem.hpp>
#include <larmor/solvers/regularizers/image_layout.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace LARMOR_API larmor {

/// A parameter key=value of a regularizer.
struct RegularizerParameter {
  enum class Kind { number, integer, flag, choice, text };
  const char* key;
  Kind kind;
  const char* fallback;  ///< the default, as written by a user
  const char* help;
  double least = 0, most = 1e30;  ///< of numbers and integers
  std::vector<const char*> choices = {};
};

/// "NAME:LAMBDA[:key=value…]" parsed and checked against the table.
struct RegularizerSpec {
  std::string name;
  double lambda = 0;
  bool automatic = false;  ///< λ "auto": the caller that makes the regularizer sets it
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< the given ones
};

/// Inputs of a regularizer besides its specification.
template <typename T>
struct RegularizerSetting {
  ImageLayout image = {};
  Device device = {};  ///< device of the solver
  /// Reads the file that a parameter names (the prior of l2) to `device`; empty: such parameters are refused.
  std::function<std::shared_ptr<const Array<std::complex<T>>>(const std::string& path)> read_image = nullptr;
};

/// One regularizer as shown to the user. A new one is a file pair and a row of the table in registry.cpp.
struct RegularizerRow {
  const char* name;
  const char* help;    ///< one line
  SolvableTerms kind;  ///< terms that its solver must support if it is the only one
  Regularizer<float> (*make_float)(const RegularizerSpec&, const RegularizerSetting<float>&);
  Regularizer<double> (*make_double)(const RegularizerSpec&, const RegularizerSetting<double>&);
  bool takes_lambda = true;   ///< constraints take none
  bool needs_frames = false;  ///< needs a series: an axis slower than those of space, of two entries or more
  std::vector<RegularizerParameter> parameters = {};
};

std::span<const RegularizerRow> regularizer_table();
/// Throws Error (usage) that lists the known names.
const RegularizerRow& find_regularizer(std::string_view name);
bool is_quadratic(const RegularizerSpec& spec);
/// The minimum that a solver of these terms must support; those with λ = 0 do not count.
SolvableTerms terms_of(std::span<const RegularizerSpec> specs);

/// Throws Error (usage), one line: unknown name or key, no λ, λ negative or not a number, a value out of
/// range.
RegularizerSpec parse_regularizer(std::string_view text);
/// "tv:0.01:anisotropic=1", in the form that can be given again.
std::string to_string(const RegularizerSpec& spec);

/// The regularizer of an image. λ is that of the specification (0 while it is automatic). Throws Error
/// (usage) if the image is not suitable for the regularizer.
template <typename T>
Regularizer<T> make_regularizer(const RegularizerSpec& spec, const RegularizerSetting<T>& setting);

/// The table as text: a line for each name with its help, a line for each of its parameters.
std::string regularizer_help();

}  // namespace larmor
