#pragma once

#include <larmor/core/shape.hpp>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace larmor::app {

struct Session;

/// Reads the value of an option. Throws Error (usage) that states what was expected; the caller adds the
/// option and the value.
using TakeValue = std::function<void(const std::string&)>;

/// One option of a command, for the parser, the help and the completion file.
struct Option {
  enum class Kind {
    word,    ///< a word without a name, such as SCAN
    words,   ///< the same, repeatable
    flag,    ///< a name alone
    value,   ///< a name and a value
    values,  ///< the same, repeatable
  };
  Kind kind = Kind::value;
  std::string names;    ///< "--fov", "-o,--output", "SCAN"
  std::string type;     ///< type of the value, for the help: "FILE", "N", "auto|on|off"
  std::string help;     ///< one line, of any length
  std::string heading;  ///< of the help, under which it is listed; empty: "Options"
  TakeValue take;
  bool required = false;
  bool is_word() const { return kind == Kind::word || kind == Kind::words; }
  int given = 0;      ///< number of times it was on the command line
  bool usual = true;  ///< listed by --help; --help-all lists all
  std::vector<std::string> suggested = {};

  /// "-o" and "--output".
  std::vector<std::string> spellings() const;
  /// Words that its value may be or begin with, for completion: `suggested`, otherwise those of a type
  /// "a|b|FILE". Placeholders are in capitals, and left out.
  std::vector<std::string> choices() const;
  /// True if its value may be a file.
  bool takes_file() const;
};

/// A subcommand: its options in the order of its help, the rules among them, and its action. Values go to
/// their targets when the command line is read.
class Command {
 public:
  /// examples: lines at the end of its help.
  Command(std::string name, std::string summary, std::string examples);

  /// The heading of the options added from now on.
  void heading(std::string text) { heading_ = std::move(text); }

  Option& word(std::string name, std::string help, std::string& target);
  Option& flag(std::string names, std::string help, bool& target);
  Option& flag(std::string names, std::string help, std::function<void()> set);
  Option& value(std::string names, std::string type, std::string help, TakeValue take);
  Option& values(std::string names, std::string type, std::string help, TakeValue take);
  /// A text that must not be empty.
  Option& text(std::string names, std::string type, std::string help, std::string& target);
  /// A number in an interval, including its limits. The value of `target` is the default, which the help
  /// shows.
  Option& number(std::string names, std::string type, std::string help, double& target, double low,
                 double high);
  Option& count(std::string names, std::string help, Index& target, Index low, Index high);
  /// One of a list of names. The value of `target` is the default, which the help shows.
  template <typename T>
  Option& choice(const std::string& names, std::string help, T& target,
                 std::vector<std::pair<std::string, T>> choices);

  /// The options that most people need: --help lists only these.
  void usual(std::initializer_list<std::string> names);
  /// Text in --help-all and the manual before the examples.
  void details(std::string text) { details_ = std::move(text); }
  const std::string& details() const { return details_; }

  /// At most one of these options may be given.
  void exclude(std::initializer_list<std::string> names);
  /// An option that has an effect only together with another one.
  void require(const std::string& name, const std::string& needed);
  /// Called after all options are read; throws Error (usage).
  void check(std::function<void(const Command&)> rule) { checks_.push_back(std::move(rule)); }
  /// Throws Error (usage) that names the options.
  void check_rules() const;

  bool given(std::string_view name) const { return times_given(name) > 0; }
  int times_given(std::string_view name) const;
  Option& option(std::string_view name);
  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::string& examples() const { return examples_; }
  std::vector<Option>& options() { return options_; }
  const std::vector<Option>& options() const { return options_; }

  std::function<void(const Session&)> action;

 private:
  Option& add(Option::Kind kind, std::string names, std::string type, std::string help, TakeValue take);

  std::string name_, summary_, details_, examples_, heading_;
  std::vector<Option> options_;
  std::vector<std::vector<std::string>> exclusive_;
  std::vector<std::pair<std::string, std::string>> needed_;
  std::vector<std::function<void(const Command&)>> checks_;
};

/// "; did you mean NAME?" with the name that begins with `word` or differs from it in few letters; empty if
/// there is none.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);

/// The index of `text` in the list; throws Error (usage) that lists it.
std::size_t place_of(const std::string& text, const std::vector<std::string>& names);

template <typename T>
Option& Command::choice(const std::string& names, std::string help, T& target,
                        std::vector<std::pair<std::string, T>> choices) {
  std::vector<std::string> words;
  std::string type;
  for (const auto& [word, value] : choices) {
    words.push_back(word);
    type += (type.empty() ? "" : "|") + word;
    if (value == target) help += " (default " + word + ")";
  }
  return value(names, type, std::move(help), [&target, words, choices](const std::string& text) {
    target = choices[place_of(text, words)].second;
  });
}

}  // namespace larmor::app
