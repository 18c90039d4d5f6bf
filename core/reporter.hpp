#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>

#include <string>

namespace LARMOR_API larmor {

/// Receives the library's messages. The default ignores notes and progress and prints warnings on stderr; the
/// recon command installs its own.
class Reporter {
 public:
  virtual ~Reporter() = default;
  /// A decision worth knowing (units found, sizes chosen).
  virtual void note(const std::string&) {}
  /// A problem that the user should look at; the work goes on.
  virtual void warning(const std::string& message);
  /// Step `done` of `total` of the named stage; detail is short. total 0: a stage of the report begins.
  virtual void progress(const std::string& /*stage*/, Index /*done*/, Index /*total*/,
                        const std::string& /*detail*/) {}
};

}  // namespace larmor
