#pragma once

#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <string>
#include <vector>

namespace larmor::app {

/// A self-contained web page: the images beside a card that summarises scan, method, expected error, time and
/// warnings; folded below, the residual over the iterations, the expected error of each regularisation
/// weight, decisions with their reasons (notes), coil maps, the sampled k-space, the time of each stage, and
/// the whole report. report: text of run_report(). Folders of files given by absolute paths are omitted; so
/// are drawings that fail, with a line in `lost`.
std::string html_report(const std::string& report, const std::vector<std::string>& notes,
                        const Reconstruction& result, std::vector<std::string>& lost);

}  // namespace larmor::app
