#pragma once

#include <larmor/mri/dictionary/signal_model.hpp>

#include <optional>
#include <string>

namespace larmor::app {

/// Help of the signal models: their names and keys.
std::string signal_models_help();

/// "spin-echo:TE=10:echoes=32" and the like; none if the text does not begin with the name of a model.
/// Reads the file of flip angles that it names. Throws Error (usage) that names the key.
std::optional<SignalModel> signal_model_of(const std::string& text);

/// The file that is read for a signal model, or the file that the text names instead of one; may be empty.
std::string file_of_signals(const std::string& text);

/// Time courses [entries, frames] of a signal model or a file.
Array<std::complex<double>> read_curves(const std::string& text);

/// The same with the parameters of each entry. values_file, names ("T1,T2"): of a dictionary from a file;
/// empty for a model. Throws Error (usage) if they are missing, or given for a model.
SignalDictionary read_dictionary(const std::string& text, const std::string& values_file,
                                 const std::string& names, Context& ctx);

}  // namespace larmor::app
