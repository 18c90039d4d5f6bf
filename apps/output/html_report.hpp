#pragma once

#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// A page for a browser, in one file that needs no other: the images beside a card of what was reconstructed,
/// how, how well and in what time, with warnings; folded below, how the residual fell, the error of each
/// regularisation weight, decisions with their reasons (notes), coil maps, where k-space was sampled, the
/// time of each stage, and the whole report. report: text of run_report(). Folders of files that were named
/// by absolute paths are left out; so is what cannot be drawn, with a line in `lost`.
std::string html_report(const std::string& report, const std::vector<std::string>& notes,
                        const Reconstruction& result, std::vector<std::string>& lost);

}  // namespace larmor::app
