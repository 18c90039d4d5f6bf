#pragma once

#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// A page for a browser, in one file that needs no other: the images, what was decided and why (notes),
/// warnings, how the residual fell, the error or risk of each regularisation weight, coil maps, where k-space
/// was sampled, what took how long, and the whole report. report: what run_report() writes. What cannot be
/// drawn is left out, and said in `lost`.
std::string html_report(const std::string& report, const std::vector<std::string>& notes,
                        const Reconstruction& result, std::vector<std::string>& lost);

}  // namespace larmor::app
