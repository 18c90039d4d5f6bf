#pragma once

#include "io/hostile_files.hpp"

namespace larmor::test::hostile {

/// Ways in which HDF5 stores the same rows, valid and damaged: links, layouts, versions, filters. Each of
/// them once escaped the checks.
std::vector<Case> structure_cases();

/// A file of some kB that claims images of 6.4 GB.
void write_image_bomb(const std::string& path);

}  // namespace larmor::test::hostile
