#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace larmor::app {

/// A page for a browser, in one file that needs no other: the picture (PNG, may be empty), what was decided
/// and why (notes), warnings, how the residual fell, what took how long, and the whole report. report: what
/// run_report() writes.
std::string html_report(const std::string& report, const std::vector<std::string>& notes,
                        const std::vector<std::uint8_t>& picture);

}  // namespace larmor::app
