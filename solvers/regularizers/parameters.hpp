#pragma once

#include <larmor/solvers/regularizers/registry.hpp>

namespace larmor {

// Values of a specification's parameters for the rows of the table: the given ones, otherwise the table's
// defaults.

double parameter_number(const RegularizerSpec& spec, std::string_view key);
int parameter_integer(const RegularizerSpec& spec, std::string_view key);
bool parameter_flag(const RegularizerSpec& spec, std::string_view key);
std::string parameter_text(const RegularizerSpec& spec, std::string_view key);

/// λ rounded to the printed digits: giving the printed number has the same result.
double as_printed(double lambda);

/// The row of a specification; throws Error (usage) if the image does not have the axes that it needs.
const RegularizerRow& checked_row(const RegularizerSpec& spec, const ImageLayout& image);

}  // namespace larmor
