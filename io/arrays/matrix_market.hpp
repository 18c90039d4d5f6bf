#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/math/sparse_pattern.hpp>

#include <string>
#include <string_view>

namespace LARMOR_API larmor {

/// Reads a Matrix Market file in coordinate format (R. F. Boisvert et al., NISTIR 5935, 1996): pattern,
/// integer, real or complex; general, symmetric, skew-symmetric or hermitian, whose other half is filled in.
/// Pattern files have no values. Throws Error (input) with the line and the reason for any other file.
SparsePattern read_matrix_market(const std::string& path);
/// The same from the text of a file; `name` is for messages.
SparsePattern parse_matrix_market(std::string_view text, const std::string& name);

}  // namespace larmor
