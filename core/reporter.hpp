#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>

#include <string>

namespace LARMOR_API larmor {

/// Where the library's words go. The default keeps notes and progress to itself and prints warnings on
/// stderr; the recon command installs its own.
class Reporter {
 public:
  virtual ~Reporter() = default;
  /// A decision worth knowing (units found, sizes chosen).
  virtual void note(const std::string&) {}
  /// Something the user should look at; the work goes on.
  virtual void warning(const std::string& message);
  /// Step `done` of `total` of something named; detail is short. Of 0: a stage of the report begins.
  virtual void progress(const std::string& /*stage*/, Index /*done*/, Index /*total*/,
                        const std::string& /*detail*/) {}
};

}  // namespace larmor
