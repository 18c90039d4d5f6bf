#include <larmor/core/format_error.hpp>
#include <larmor/options/words/options.hpp>
#include <larmor/options/words/values.hpp>

#include <algorithm>
#include <cctype>

namespace larmor::app {

std::vector<std::string> Option::spellings() const {
  return split(names, ',');
}

std::vector<std::string> Option::choices() const {
  if (!suggested.empty()) return suggested;
  std::string plain;
  int depth = 0;
  for (const char c : type) {
    depth += c == '[' ? 1 : 0;
    if (depth == 0) plain += c;
    depth -= c == ']' ? 1 : 0;
  }
  if (plain.find('|') == std::string::npos) return {};
  std::vector<std::string> words = split(plain, '|');
  std::erase_if(words, [](const std::string& word) { return word.empty() || std::isupper(word[0]) != 0; });
  return words;
}

bool Option::takes_file() const {
  return type.find("FILE") != std::string::npos || type == "OUT" || is_word();
}

Command::Command(std::string name, std::string summary, std::string examples)
    : name_(std::move(name)), summary_(std::move(summary)), examples_(std::move(examples)) {}

Option& Command::add(Option::Kind kind, std::string names, std::string type, std::string help,
                     TakeValue take) {
  Option& option = options_.emplace_back(Option{.kind = kind,
                                                .names = std::move(names),
                                                .type = std::move(type),
                                                .help = std::move(help),
                                                .heading = heading_,
                                                .take = std::move(take)});
  // An empty name of a file would count as none given.
  if (!option.is_word() && option.takes_file())
    option.take = [inner = std::move(option.take)](const std::string& text) {
      if (text.empty()) throw usage_error("the value is empty");
      inner(text);
    };
  return option;
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

void Command::usual(std::initializer_list<std::string> names) {
  for (Option& each : options_) each.usual = each.is_word();
  for (const std::string& name : names) option(name).usual = true;
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

int Command::times_given(std::string_view name) const {
  return const_cast<Command*>(this)->option(name).given;
}

namespace {

/// Letters to insert, delete, change or swap with the next one until the words are equal.
std::size_t letters_between(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        steps[i][j] = i + j;
        continue;
      }
      const bool same = a[i - 1] == b[j - 1];
      steps[i][j] =
          std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
    }
  }
  return steps[a.size()][b.size()];
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 64, least_beginning = 3;
  const std::size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  if (letters == 0 || word.size() > longest) return {};
  std::string best;
  std::size_t least = std::min<std::size_t>(3, (letters + 2) / 3) + 1;
  for (const std::string& name : names) {
    const bool begins = letters >= least_beginning && name.starts_with(word);
    const std::size_t away = begins ? 0 : letters_between(word, name);
    if (away >= least) continue;
    least = away;
    best = name;
  }
  return best.empty() ? best : fmt::format("; did you mean {}?", best);
}

std::size_t place_of(const std::string& text, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) throw usage_error("not known, expected one of {}", fmt::join(names, "|"));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace larmor::app
