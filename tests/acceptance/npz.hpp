#pragma once

#include <string>
#include <vector>

namespace larmor::test {

/// Bytes of one member ("image.npy") of a NumPy .npz file, which is a zip archive.
std::vector<char> npz_member(const std::string& path, const std::string& member);

}  // namespace larmor::test
