#include <larmor/options/errors.hpp>
#include <larmor/options/words/values.hpp>

#include <algorithm>

namespace larmor::app {

std::string option_of(const std::string& name) {
  std::string option = "--" + name;
  std::replace(option.begin() + 2, option.end(), '_', '-');
  return option;
}

std::string message_of(const Error& error) {
  const std::string message = error.what();
  if (error.error_class() == ErrorClass::internal) return "internal error: " + message;
  if (error.parameter().empty()) return message;
  std::string options;
  for (const std::string& parameter : split(error.parameter(), ','))
    options += (options.empty() ? "" : ", ") + option_of(parameter);
  // "overwrite" is always the remedy, never the option that was wrong.
  const bool wrong = error.error_class() == ErrorClass::usage &&
                     error.parameter().find(',') == std::string::npos && error.parameter() != "overwrite";
  return wrong ? options + ": " + message : message + " (" + options + ")";
}

}  // namespace larmor::app
