#pragma once

#include <larmor/core/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace larmor::test {

/// The error that `action` throws, as "exit status: message"; empty if it throws none.
template <typename Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "messages are one line";
    return std::to_string(error.exit_code()) + ": " + error.what();
  }
  return "";
}

/// The same with the parameter that it refers to: "exit status parameter: message".
template <typename Action>
std::string fault_of(const Action& action) {
  std::string parameter;
  const std::string text = error_of([&] {
    try {
      action();
    } catch (const Error& error) {
      parameter = error.parameter();
      throw;
    }
  });
  return text.empty() ? text : text.substr(0, text.find(':')) + " " + parameter + text.substr(text.find(':'));
}

}  // namespace larmor::test
