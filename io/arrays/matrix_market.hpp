#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/math/sparse_pattern.hpp>

#include <string>
#include <string_view>

namespace LARMOR_API larmor {

/// Positions of the entries of a Matrix Market file in coordinate format (R. F. Boisvert et al., NISTIR 5935,
/// 1996). Values are not read. The other half of symmetric, skew-symmetric and hermitian matrices is filled
/// in. Throws Error (input) with the line and the reason for any other file.
SparsePattern read_matrix_market(const std::string& path);
/// The same from the text of a file; `name` is for messages.
SparsePattern parse_matrix_market(std::string_view text, const std::string& name);

}  // namespace larmor
