#include <larmor/apps/options/options.hpp>
#include <larmor/apps/options/values.hpp>
#include <larmor/core/format_error.hpp>

#include <algorithm>

namespace larmor::app {

std::vector<std::string> Option::spellings() const {
  return split(names, ',');
}

std::vector<std::string> Option::choices() const {
  if (type.find('|') == std::string::npos || type.find_first_of(" <[") != std::string::npos) return {};
  std::vector<std::string> words = split(type, '|');
  std::erase(words, "FILE");
  return words;
}

Command::Command(std::string name, std::string summary, std::string examples)
    : name_(std::move(name)), summary_(std::move(summary)), examples_(std::move(examples)) {}

Option& Command::add(Option::Kind kind, std::string names, std::string type, std::string help,
                     TakeValue take) {
  return options_.emplace_back(Option{.kind = kind,
                                      .names = std::move(names),
                                      .type = std::move(type),
                                      .help = std::move(help),
                                      .heading = heading_,
                                      .take = std::move(take)});
}

Option& Command::word(std::string name, std::string help, std::string& target) {
  return add(Option::Kind::word, std::move(name), "", std::move(help),
             [&target](const std::string& text) { target = text; });
}

Option& Command::flag(std::string names, std::string help, bool& target) {
  return flag(std::move(names), std::move(help), [&target] { target = true; });
}

Option& Command::flag(std::string names, std::string help, std::function<void()> set) {
  return add(Option::Kind::flag, std::move(names), "", std::move(help),
             [set = std::move(set)](const std::string&) { set(); });
}

Option& Command::value(std::string names, std::string type, std::string help, TakeValue take) {
  return add(Option::Kind::value, std::move(names), std::move(type), std::move(help), std::move(take));
}

Option& Command::values(std::string names, std::string type, std::string help, TakeValue take) {
  return add(Option::Kind::values, std::move(names), std::move(type), std::move(help), std::move(take));
}

Option& Command::text(std::string names, std::string type, std::string help, std::string& target) {
  return value(std::move(names), std::move(type), std::move(help), [&target](const std::string& text) {
    if (text.empty()) throw usage_error("the value is empty");
    target = text;
  });
}

Option& Command::number(std::string names, std::string type, std::string help, double& target, double low,
                        double high) {
  return value(std::move(names), std::move(type), fmt::format("{} (default {})", help, target),
               [&target, low, high](const std::string& text) { target = number_in(text, low, high); });
}

Option& Command::count(std::string names, std::string help, Index& target, Index low, Index high) {
  return value(std::move(names), "N", fmt::format("{} (default {})", help, target),
               [&target, low, high](const std::string& text) { target = count_in(text, low, high); });
}

void Command::exclude(std::initializer_list<std::string> names) {
  exclusive_.emplace_back(names);
}

void Command::require(const std::string& name, const std::string& needed) {
  needed_.emplace_back(name, needed);
}

void Command::check_rules() const {
  for (const auto& names : exclusive_) {
    const std::string* first = nullptr;
    for (const std::string& name : names) {
      if (!given(name)) continue;
      if (first != nullptr) throw usage_error("{} and {} exclude each other", *first, name);
      first = &name;
    }
  }
  for (const auto& [name, needed] : needed_)
    if (given(name) && !given(needed)) throw usage_error("{} needs {}", name, needed);
  for (const auto& rule : checks_) rule(*this);
}

Option& Command::option(std::string_view name) {
  for (Option& option : options_) {
    const auto spellings = option.spellings();
    if (std::find(spellings.begin(), spellings.end(), name) != spellings.end()) return option;
  }
  throw internal_error("recon {} has no option {}", name_, name);
}

bool Command::given(std::string_view name) const {
  return const_cast<Command*>(this)->option(name).given > 0;
}

std::size_t place_of(const std::string& text, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) throw usage_error("not known, expected one of {}", fmt::join(names, "|"));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace larmor::app
